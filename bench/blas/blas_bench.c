/* Two libraries' BLAS routines in turns, in one process, on the same operands, judged before they are timed. */
#include <ctype.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/args.h"
#include "bench/base/random.h"
#include "bench/blas/routines.h"
#include "bench/timing/timing.h"

enum { MOST_ROUNDS = 200 };

typedef struct contest {
    blas_call call;
    blas_library of[2]; /* --library, --against */
    int rounds;
    int64_t step; /* --step */
    double least; /* seconds of a round at least */
} contest;

/* Numbers of about 1; beside a triangle's diagonal next to nothing, so that B stays what it is when it is multiplied or
 * solved again and again. */
static void fill(const blas_call *call, blas_operand *operand, uint64_t seed, int is_triangle)
{
    const int64_t count = operand->step * operand->columns * blas_parts(call);
    for (int64_t i = 0; i < count; i++) {
        const int64_t element = i / blas_parts(call), row = element % operand->step, column = element / operand->step;
        const int is_real = i % blas_parts(call) == 0;
        double value = (double)(random_next(&seed) >> 11) * 0x1p-53 - 0.5;
        if (is_triangle)
            value = row == column ? is_real : value * 1e-9;
        if (blas_is_double(call))
            ((double *)operand->at)[i] = value;
        else
            ((float *)operand->at)[i] = (float)value;
    }
}

static int prepare(blas_call *call, int64_t step)
{
    blas_shapes(call, step);
    blas_operand *const all[] = { &call->a, &call->b, &call->c };
    for (int i = 0; i < 3; i++) {
        const int64_t bytes = all[i]->step * all[i]->columns * blas_size(call);
        if (!(all[i]->at = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64)))
            return 0;
        fill(call, all[i], (uint64_t)i + 1, i == 0 && blas_is_triangular(call));
    }
    return 1;
}

static double number(const blas_call *call, const void *in, int64_t i)
{
    return blas_is_double(call) ? ((const double *)in)[i] : (double)((const float *)in)[i];
}

/* The largest difference of their results, of the same beginning, in units of the largest element's last place. */
static double compare(contest *at)
{
    const int64_t count = at->call.c.step * at->call.c.columns * blas_parts(&at->call);
    const size_t bytes = (size_t)(at->call.c.step * at->call.c.columns * blas_size(&at->call));
    void *const before = malloc(bytes), *const first = malloc(bytes);
    double differ = 0, largest = 0;
    if (!before || !first)
        return NAN;
    memcpy(before, at->call.c.at, bytes);
    blas_run(&at->call, &at->of[0]);
    memcpy(first, at->call.c.at, bytes);
    memcpy(at->call.c.at, before, bytes);
    blas_run(&at->call, &at->of[1]);
    for (int64_t i = 0; i < count; i++) {
        differ = fmax(differ, fabs(number(&at->call, first, i) - number(&at->call, at->call.c.at, i)));
        largest = fmax(largest, fabs(number(&at->call, first, i)));
    }
    memcpy(at->call.c.at, before, bytes);
    free(before);
    free(first);
    return differ / largest / (blas_is_double(&at->call) ? 0x1p-52 : 0x1p-23);
}

static double time_calls(const contest *at, int which, int64_t calls)
{
    const double begin = seconds_now();
    for (int64_t i = 0; i < calls; i++)
        blas_run(&at->call, &at->of[which]);
    return (seconds_now() - begin) / (double)calls;
}

static void print(const contest *at, const double ours[], const double theirs[])
{
    const blas_call *const call = &at->call;
    char shape[60];
    snprintf(shape, sizeof shape, "%lldx%lld", (long long)call->order, (long long)call->other);
    printf("%-13s %-11s %12.3f %12.3f %8.3f %8.3f %9.1f\n", call->name, shape, lowest(ours, at->rounds) * 1e6,
           lowest(theirs, at->rounds) * 1e6, lowest(theirs, at->rounds) / lowest(ours, at->rounds),
           median_ratio(theirs, ours, at->rounds), blas_flops(call) / lowest(ours, at->rounds) * 1e-9);
    fflush(stdout);
}

static int race(contest *at)
{
    double seconds[2][MOST_ROUNDS];
    const double differ = compare(at), bound = 8 * sqrt((double)(at->call.order + at->call.other)) + 64;
    if (!(differ <= bound)) {
        printf("%s: the results differ by %g units in the last place\n", at->call.name, differ);
        return 1;
    }
    const double once = fmin(time_calls(at, 0, 1), time_calls(at, 1, 1));
    const int64_t calls = once >= at->least ? 1 : (int64_t)(at->least / fmax(once, 5e-9)) + 1;
    for (int i = 0; i < at->rounds; i++)
        for (int turn = 0; turn < 2; turn++) {
            const int which = (i + turn) % 2;
            seconds[which][i] = time_calls(at, which, calls);
        }
    print(at, seconds[0], seconds[1]);
    return 0;
}

static int run(contest *at, const char *routine, const char *letters, const char *size)
{
    blas_call *const call = &at->call;
    if (!blas_read(call, routine, letters, size))
        return 2;
    for (int i = 0; i < 2; i++)
        if (!blas_find(&at->of[i], call))
            return 2;
    const int status = prepare(call, at->step) ? race(at) : 1;
    free(call->a.at);
    free(call->b.at);
    free(call->c.at);
    return status;
}

static const option options[] = {
    { "library", 0, "PATH", "the first library (default: liblayblas.so.0)" },
    { "against", 0, "PATH[:PREFIX]", "the other; PREFIX stands before its names (default: libopenblas.so.0)" },
    { "routines", 0, "NAMES", "as dsyrk,ztrsm,cblas_sgemm" },
    { "sizes", 0, "SIZES", "as 256,512x64: the order of what is a triangle, and the other extent (else the same)" },
    { "letters", 0, "SUOD", "side, uplo, op, diagonal, of gemm the last two are A's op and B's (default: LLNN)" },
    { "step", 0, "ELEMENTS", "from column to column at least, as in a part of a matrix (default: 0)" },
    { "rounds", 0, "COUNT", "turns (default: 7)" },
    { "min-time", 0, "SECONDS", "of a turn at least (default: 0.002)" },
    { 0 }
};
static const program self = {
    .name = "blas-bench",
    .usage = "[OPTIONS]",
    .about =
        "Routines of two BLAS libraries in turns: lowest times in us, the other's time / the first one's by lowest\n"
        "times and by medians, GFLOP/s of the first. Both are loaded into this process; LAY_BLAS_NEXT and the\n"
        "libraries' own variables hold.\n",
    .options = options,
};

static int open_library(blas_library *of, const char *given)
{
    char path[500];
    const char *const colon = strrchr(given, ':');
    snprintf(path, sizeof path, "%.*s", (int)(colon ? (size_t)(colon - given) : strlen(given)), given);
    of->prefix = colon ? colon + 1 : "";
    of->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!of->handle)
        fprintf(stderr, "blas-bench: %s\n", dlerror());
    return of->handle != NULL;
}

static const char *value_or(const args *given, const char *name, const char *otherwise)
{
    const char *const value = args_value(given, name);
    return value ? value : otherwise;
}

int main(int argc, char **argv)
{
    args given;
    args_read_all(&self, argc, argv, &given);
    contest at = { .least = 0.002 };
    int64_t rounds = 7;
    int routine_count = 0, size_count = 0, status = 0;
    char **const routines =
        list_split(value_or(&given, "routines", "dgemm,dsyrk,dsymm,dtrmm,dtrsm"), ',', &routine_count);
    char **const sizes = list_split(value_or(&given, "sizes", "256,512,1024"), ',', &size_count);
    if (!routines || !sizes || args_integer(&given, "rounds", 1, MOST_ROUNDS, &rounds) ||
        args_integer(&given, "step", 0, 100000, &at.step) || args_real(&given, "min-time", &at.least))
        return 2;
    at.rounds = (int)rounds;
    if (!open_library(&at.of[0], value_or(&given, "library", "liblayblas.so.0")) ||
        !open_library(&at.of[1], value_or(&given, "against", "libopenblas.so.0")))
        return 2;
    printf("%-13s %-11s %12s %12s %8s %8s %9s\n", "routine", "size", "first us", "other us", "lowest", "median",
           "GFLOP/s");
    for (int i = 0; i < routine_count; i++)
        for (int j = 0; j < size_count && status != 2; j++)
            status |= run(&at, routines[i], value_or(&given, "letters", "LLNN"), sizes[j]);
    free(routines);
    free(sizes);
    args_free(&given);
    return status;
}
