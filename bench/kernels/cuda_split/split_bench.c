/* cuda-split-bench: products by limbs of 16 bits (kernels/cuda_split.h) by themselves, beneath the public header:
 * whether they are right, how exact, and how fast next to cuBLAS. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/device/device.h"
#include "bench/kernels/cuda/must.h"
#include "bench/kernels/cuda/words.h"
#include "split_bench.h"

enum { MAX_ROWS = 32 };

static const option options[] = {
    { "check", 0, NULL, "whether products are right" },
    { "errors", 0, NULL, "how exact they are, by kind of numbers" },
    { "time", 0, NULL, "how fast they are" },
    { "sweep", 0, NULL, "the table's tiles and others by steps between promotions: time and errors" },
    { "row", 0, "PART,...", "tiles that have one of these in their names; all if not given" },
    WORD_OPTIONS,
    { "slices", 0, "LIST", "slices of k" },
    { "strict-slices", 0, "N", "those of path STRICT; as the planner has them if not given" },
    { "policy", 0, "NAME", "auto, bf16 or strict" },
    { "each", 0, NULL, "time: of each launch, too" },
    { "memset", 0, NULL, "time: records are cleared by a memset, not by a launch" },
    { "numbers", 0, "PART,...", "of kinds that --errors lists; if not given, all are checked, and uniform ones timed" },
    { "seeds", 0, "N", "time: so many times other numbers" },
    { "transposed", 0, NULL, "check: instances for transposed products" },
    { "patience", 0, "CLOCKS", "check: blocks of prepare that wait so long" },
    { 0 },
};

static const program self = {
    .name = "cuda-split-bench",
    .usage = "--check | --errors | --time | --sweep [OPTIONS]",
    .about = "Products by limbs of 16 bits by themselves.\n",
    .notes = "Layouts:\n" MATRIX_HELP,
    .options = options,
};

typedef struct settings {
    words rows, sizes, slices, layouts, numbers;
    const char *against;
    int is_check, is_errors, is_time, is_sweep, is_set, each_stage;
    int rounds, is_transposed, patience, seeds, strict_slices;
    lay_cuda_split_policy policy;
    double beta;
} settings;

static int find_rows(const words *by, const lay_cuda_kernel *out[])
{
    int count = 0;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_SPLIT);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk)) && count < MAX_ROWS;)
        if (words_have_part(by, row->name))
            out[count++] = row;
    return count;
}

static lay_cuda_split_policy read_policy(const char *text)
{
    static const struct {
        const char *name;
        lay_cuda_split_policy policy;
    } known[] = { { "auto", LAY_SPLIT_BY_SUMMARIES },
                  { "bf16", LAY_SPLIT_NEVER_FP16 },
                  { "strict", LAY_SPLIT_ALWAYS_STRICT } };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!text || strcmp(text, known[i].name) == 0)
            return known[i].policy;
    exit(refuse("--policy is one of auto, bf16 and strict, not '%s'", text));
}

/* As bits. */
static unsigned find_kinds(const words *by)
{
    unsigned found = 0;
    for (split_kind kind = 0; kind < SPLIT_KINDS; kind++)
        found |= (unsigned)words_have_part(by, split_kind_name(kind)) << kind;
    return found;
}

static int has(const args *given, const char *name)
{
    return args_value(given, name) != NULL;
}

static void read_arguments(const args *given, settings *out)
{
    *out = (settings){ .is_check = has(given, "check"),
                       .is_errors = has(given, "errors"),
                       .is_time = has(given, "time"),
                       .is_sweep = has(given, "sweep"),
                       .policy = read_policy(args_value(given, "policy")),
                       .against = args_value(given, "against"),
                       .rounds = (int)number_read(given, "rounds", 1, SPLIT_MAX_ROUNDS, 9),
                       .beta = real_read(given, "beta", 0),
                       .each_stage = has(given, "each"),
                       .is_set = has(given, "memset"),
                       .strict_slices = (int)number_read(given, "strict-slices", 0, 1 << 10, 0),
                       .is_transposed = has(given, "transposed"),
                       .seeds = (int)number_read(given, "seeds", 1, 100, 1),
                       .patience = (int)number_read(given, "patience", 0, INT32_MAX, LAY_SPLIT_PATIENCE) };
    if (!(out->is_check || out->is_errors || out->is_time || out->is_sweep))
        exit(refuse("what is to be done? --check, --errors, --time or --sweep"));
    words_read(given, "row", NULL, &out->rows);
    words_read(given, "numbers", NULL, &out->numbers);
    if (!find_kinds(&out->numbers))
        exit(refuse("--numbers names no kind: '%s'", args_value(given, "numbers")));
    words_read(given, "slices", "1", &out->slices);
    words_read(given, "sizes",
               out->is_check    ? "1x1x1,5x3x2,33x65x31,64x66x65,130x257x96,257x129x200,300x1x40"
               : out->is_errors ? "256x256x16384"
                                : "1024,4096",
               &out->sizes);
    words_read(given, "layouts", out->is_check ? "row,col,odd,oddcol,reversed,matrix1,matrix2,tiles16,table" : "row",
               &out->layouts);
}

static void time_numbers(const settings *by, const lay_cuda_kernel *const rows[], int count, split_task *task)
{
    for (task->kind = 0; task->kind < SPLIT_KINDS; task->kind++)
        if (by->numbers.count ? task->kinds >> task->kind & 1 : task->kind == SPLIT_UNIFORM)
            for (task->seed = 0; task->seed < (unsigned)by->seeds; task->seed++)
                split_time(rows, count, task);
}

static int run(settings *by, const lay_cuda_kernel *const rows[], int count, split_task *task)
{
    int failures = 0;
    for (int s = 0; s < by->sizes.count; s++) {
        size_read(by->sizes.at[s], &task->m, &task->n, &task->k);
        for (int z = 0; z < by->slices.count; z++) {
            task->slices = count_read(by->slices.at[z]);
            task->layouts = by->layouts.at;
            task->layout_count = by->layouts.count;
            for (int i = 0; i < count; i++) {
                task->row = rows[i];
                failures += by->is_check ? split_check(task) : 0;
                failures += by->is_errors ? split_errors(task) : 0;
            }
            for (int l = 0; l < by->layouts.count && (by->is_time || by->is_sweep); l++) {
                static char room[64];
                char *triple[3];
                triple_read(by->layouts.at[l], room, triple);
                task->layouts = triple;
                if (by->is_sweep)
                    split_sweep(task);
                else
                    time_numbers(by, rows, count, task);
            }
        }
    }
    return failures;
}

int main(int argc, char **argv)
{
    static settings by;
    static cublas peer;
    const lay_cuda_kernel *rows[MAX_ROWS];
    args given;
    args_read_all(&self, argc, argv, &given);
    read_arguments(&given, &by);
    split_task task = { .policy = by.policy,
                        .rounds = by.rounds,
                        .each_stage = by.each_stage,
                        .is_set = by.is_set,
                        .strict_slices = by.strict_slices,
                        .beta = by.beta,
                        .kinds = find_kinds(&by.numbers),
                        .is_transposed = by.is_transposed,
                        .patience = by.patience };
    task.kind = SPLIT_UNIFORM;
    const int opened = device_open(LAY_DEVICE_AUTO);
    if (opened != EXIT_FINE)
        return opened;
    int major;
    MUST(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    MUST(cudaDeviceGetAttribute(&task.multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    if (major != 9) {
        fprintf(stderr, "these kernels are for compute capability 9.0\n");
        return 77;
    }
    const char *sentence =
        by.against ? cublas_open(strcmp(by.against, "cublas") == 0 ? NULL : by.against, &peer) : NULL;
    if (sentence) {
        fprintf(stderr, "%s\n", sentence);
        return 2;
    }
    task.peer = by.against ? &peer : NULL;
    const int failures = run(&by, rows, find_rows(&by.rows, rows), &task);
    if (by.is_check || by.is_errors)
        printf("%s\n", failures ? "WRONG" : "all right");
    return failures != 0;
}
