/* One product, timed for us and the peers in turns: what is the same wherever the matrices lie. */
#include "contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bandwidth.h"
#include "bench/base/complain.h"
#include "bench/base/memory.h"
#include "bench/base/texts.h"
#include "bench/device/cuda_part.h"

const char *contest_name_packed(int which)
{
    static const char *const names[] = { "lay", "lay, A packed", "lay, B packed", "lay, A and B packed" };
    return names[which];
}

result *contest_enter(contest *to, role as, const peer *whom, const char *who)
{
    if (to->count == MAX_ENTRIES)
        return NULL;
    result *made = &to->results[to->count++];
    *made = (result){ .role = as, .peer = whom };
    snprintf(made->who, sizeof made->who, "%s", who);
    return made;
}

int contest_seat(contest *of)
{
    of->peak = calloc((size_t)(of->rounds * (of->count + 2)), sizeof *of->peak);
    if (!of->peak)
        return fail("out of memory");
    of->unit = of->peak + of->rounds;
    for (int i = 0; i < of->count; i++)
        of->results[i].seconds = of->unit + (i + 1) * of->rounds;
    for (int round = 0; round < of->rounds; round++)
        of->peak[round] = of->unit[round] = NAN;
    return EXIT_FINE;
}

/* The line behind "kernels" that says taken; how many slices, from the line that draws the grid. */
void contest_name_kernel(const lay_plan *plan, int on_device, char out[64])
{
    char *text = text_of_plan(plan);
    const char *part = text && on_device ? strstr(text, "operands in its memory") : text;
    const char *rows = part ? strstr(part, "\nkernels\n") : NULL, *grid = part ? strstr(part, ", k in ") : NULL;
    const char *taken = rows ? strstr(rows, " taken") : NULL;
    int slices = 1;
    out[0] = 0;
    if (taken) {
        while (taken > rows && taken[-1] != '\n')
            taken--;
        sscanf(taken, " %47s", out);
    }
    if (grid && grid < rows && sscanf(grid, ", k in %d slice", &slices) == 1 && slices > 1)
        snprintf(out + strlen(out), 64 - strlen(out), " k/%d", slices);
    free(text);
}

/* Matrices in device memory have one set in host memory, to be checked against. */
int contest_check(const terms *under, const problem *of)
{
    if (of->labels)
        return contest_check_contraction(under, of);
    const double m = (double)of->m, n = (double)of->n, k = (double)of->k;
    const int has_plain = under->show_row || under->show_copies || under->peer_count > 0;
    const double plain = (m * k + k * n + m * n) * (double)lay_type_size(under->type);
    return memory_need(of->text, operands_bytes(of->desc, under->type) + (has_plain ? plain : 0));
}

static int run(const terms *under, const problem *of, contest *out)
{
    if (under->memory != LAY_MEMORY_DEVICE)
        return of->labels ? contest_contraction(under, of, out) : contest_on_host(under, of, out);
    const int status = cuda_need(under->options.device);
    return status != EXIT_FINE ? status
           : of->labels        ? cuda_of_tool->contest_tensors(under, of, out)
                               : cuda_of_tool->contest(under, of, out);
}

/* Of a product that passes through a device, neither memory is the bound. */
static int find_roof(const terms *under, contest *out)
{
    if (under->memory == LAY_MEMORY_DEVICE)
        return cuda_of_tool->find_roof(under->type, &out->roof_gflops, &out->roof_gbytes);
    if (under->options.backend != LAY_BACKEND_CUDA)
        out->roof_gbytes = bandwidth_of_host(under->options.threads);
    return EXIT_FINE;
}

int contest_run(const terms *under, const problem *of, contest *out)
{
    *out = (contest){ .rounds = under->rounds, .roof_gflops = NAN, .roof_gbytes = NAN };
    const int status = run(under, of, out);
    return status == EXIT_FINE && under->has_roof ? find_roof(under, out) : status;
}

void contest_free(contest *of)
{
    free(of->peak);
    of->peak = of->unit = NULL;
}
