/* launch-times: what each launch of a product takes on a device, beside what is told of the whole. Launches are
 * enqueued one by one between events, so that their sum is a little more than what a graph takes. Beneath the public
 * header. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/args.h"
#include "bench/base/choices.h"
#include "bench/base/complain.h"
#include "bench/base/element.h"
#include "bench/base/random.h"
#include "bench/device/device.h"
#include "bench/problems/problem.h"
#include "bench/timing/timing.h"
#include "cuda/launch/put.h"
#include "plan/branch.h"
#include "plan/routes.h"

enum { MOST = 4096, RUNS = 3, POOL = 1 << 22 /* bytes of random floats */ };

/* Launches of the run under way, and of those before it. */
static struct launch {
    const char *name;
    int blocks, slices;
    cudaEvent_t begin, end;
    double seconds[RUNS];
} launches[MOST];
static int count, is_noted;

lay_status __real_lay_put_kernel(const lay_put *of, void *arguments, int is_early, void *stream);
lay_status __wrap_lay_put_kernel(const lay_put *of, void *arguments, int is_early, void *stream);
lay_status __wrap_lay_put_kernel(const lay_put *of, void *arguments, int is_early, void *stream)
{
    if (!is_noted || count == MOST)
        return __real_lay_put_kernel(of, arguments, is_early, stream);
    struct launch *const own = &launches[count++];
    own->name = of->name;
    own->blocks = (int)of->blocks;
    own->slices = of->slices ? of->slices : 1;
    cudaEventRecord(own->begin, stream);
    const lay_status status = __real_lay_put_kernel(of, arguments, 0, stream);
    cudaEventRecord(own->end, stream);
    return status;
}

static int make_events(void)
{
    for (int i = 0; i < MOST; i++)
        if (cudaEventCreate(&launches[i].begin) || cudaEventCreate(&launches[i].end))
            return fail("there are no events");
    return EXIT_FINE;
}

static int read_events(int run)
{
    const int status = device_wait();
    for (int i = 0; i < count && status == EXIT_FINE; i++) {
        float milliseconds = 0;
        cudaEventElapsedTime(&milliseconds, launches[i].begin, launches[i].end);
        launches[i].seconds[run] = (double)milliseconds * 1e-3;
    }
    return status;
}

static int are_alike(const struct launch *x, const struct launch *y)
{
    return strcmp(x->name, y->name) == 0 && x->blocks == y->blocks && x->slices == y->slices;
}

/* Those of one name and grid together. */
static void print_launches(void)
{
    double all = 0;
    for (int i = 0; i < count; i++) {
        double sum = 0;
        int alike = 0, is_first = 1;
        for (int j = 0; j < i && is_first; j++)
            is_first = !are_alike(&launches[j], &launches[i]);
        for (int j = i; j < count && is_first; j++)
            if (are_alike(&launches[j], &launches[i])) {
                sum += median(launches[j].seconds, RUNS);
                alike++;
            }
        all += sum;
        if (is_first)
            printf("  %5d x %8.1f us = %8.1f us  %s, %d blocks x %d\n", alike, sum / alike * 1e6, sum * 1e6,
                   launches[i].name, launches[i].blocks, launches[i].slices);
    }
    printf("  %27.1f us  in all\n", all * 1e6);
}

static int fill(void *to, size_t bytes)
{
    static void *pool;
    int status = EXIT_FINE;
    if (!pool) {
        float *const host = malloc(POOL);
        uint64_t state = 1;
        for (size_t i = 0; i < POOL / sizeof *host && host; i++)
            host[i] = (float)(random_next(&state) >> 40) * 0x1p-23f - 1;
        status = host ? device_allocate(POOL, &pool) : fail("out of memory");
        if (status == EXIT_FINE)
            status = device_upload(pool, host, POOL);
        free(host);
    }
    return status == EXIT_FINE ? device_repeat(to, pool, POOL, bytes) : status;
}

/* All of them by the route's root, noted but for the first. */
static int run_all(lay_branch *root, lay_type type, void *const zero[3])
{
    const lay_call call = { .alpha = element_scalar(type, 1),
                            .left = zero[0],
                            .right = zero[1],
                            .beta = element_scalar(type, 0),
                            .c = zero[2] };
    int status = EXIT_FINE;
    for (int run = -1; run < RUNS && status == EXIT_FINE; run++) {
        is_noted = run >= 0;
        count = 0;
        if (root->way->run(root, &call) != LAY_OK)
            status = fail("%s", lay_last_error());
        if (status == EXIT_FINE)
            status = is_noted ? read_events(run) : device_wait();
    }
    is_noted = 0;
    return status;
}

/* What was asked for. */
typedef struct request {
    lay_type type;
    int is_by_storage;
    lay_options options;
    const args *given;
} request;

/* One plan's launches; a plan that there is not is said, and no failure. */
static int time_plan(const request *wanted, const problem *of, const lay_options *options, void *const zero[3])
{
    const lay_places there = lay_places_all(LAY_PLACE_DEVICE, device_get()->number);
    lay_text name = { .to = (char[256]){ 0 }, .size = 256 };
    lay_plan *plan = NULL;
    lay_route *route;
    int status = EXIT_FINE;
    if (contraction_plan(of->labels, wanted->type, wanted->is_by_storage, options, &plan) != LAY_OK ||
        lay_plan_find_route(plan, &there, &route) != LAY_OK) {
        printf("  %s: %s\n", options->kernel ? options->kernel : "any", lay_last_error());
    } else {
        lay_branch_name(route->root, &name);
        printf("  %s, told %.1f us\n", name.to, route->root->job.seconds * 1e6);
        status = run_all(route->root, wanted->type, zero);
        if (status == EXIT_FINE)
            print_launches();
    }
    lay_plan_destroy(plan);
    return status;
}

/* As the planner has it, and by each row that is named. */
static int time_plans(const request *wanted, const problem *of, void *const zero[3])
{
    lay_options options = wanted->options;
    int status = time_plan(wanted, of, &options, zero);
    for (int i = 0; status == EXIT_FINE && (options.kernel = args_repeated(wanted->given, "kernel", i)); i++)
        status = time_plan(wanted, of, &options, zero);
    return status;
}

static int time_contraction(const request *wanted, const char *text)
{
    const size_t size = lay_type_size(wanted->type);
    void *memory[3] = { NULL }, *zero[3] = { NULL };
    problem of;
    int status = problem_read_contraction(text, &of);
    if (status != EXIT_FINE)
        return status;
    printf("%s\n", text);
    for (int i = 0; i < 3 && status == EXIT_FINE; i++) {
        int64_t lowest, highest;
        lay_desc_span(of.labels->desc[i], &lowest, &highest);
        const size_t bytes = (size_t)(highest - lowest + 1) * size;
        status = device_allocate(bytes, &memory[i]);
        if (status == EXIT_FINE)
            status = fill(memory[i], bytes);
        zero[i] = (char *)memory[i] - lowest * (int64_t)size;
    }
    if (status == EXIT_FINE)
        status = time_plans(wanted, &of, zero);
    for (int i = 0; i < 3; i++)
        device_free(memory[i]);
    problem_free(&of);
    return status;
}

static const option options_of[] = {
    { "type", 0, "NAME", "f32, f64, c32 or c64; f32 if not given" },
    { "kernel", 0, "NAME", "a row that is timed besides the planner's choice; may be repeated" },
    { "skip", 0, "WAYS", "ways that are left out, with commas" },
    { "sum-by-storage", 0, NULL, "sums in the order in which tensors lie, not in that of labels" },
    { 0 },
};

int main(int argc, char **argv)
{
    static const program self = { .name = "launch-times",
                                  .usage = "CONTRACTION... [OPTIONS]",
                                  .about = "print what each launch of a contraction takes on a device",
                                  .notes = CONTRACTION_HELP,
                                  .options = options_of,
                                  .most_words = 1000 };
    args given;
    args_read_all(&self, argc, argv, &given);
    request wanted = { .type = LAY_F32, .options = LAY_OPTIONS_INIT, .given = &given };
    const char *const name = args_value(&given, "type");
    int status =
        name && !problem_type(name, &wanted.type) ? refuse("'%s' is no type", name) : device_open(LAY_DEVICE_AUTO);
    if (status == EXIT_FINE)
        status = make_events();
    wanted.is_by_storage = args_value(&given, "sum-by-storage") != NULL;
    wanted.options.skip = args_value(&given, "skip");
    if (status == EXIT_FINE) {
        wanted.options.backend = LAY_BACKEND_CUDA;
        wanted.options.device = device_get()->number;
        wanted.options.stream = device_get()->stream;
    }
    for (int i = 0; i < given.word_count && status == EXIT_FINE; i++)
        status = time_contraction(&wanted, given.words[i]);
    args_free(&given);
    return status;
}
