/* cuda-split-bench: products by pieces of 16 bits (kernels/cuda_split.h) by themselves, beneath the public header:
 * whether they are right, how exact, and how fast beside cuBLAS. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "bench/kernels/cuda/must.h"
#include "bench/kernels/cuda/words.h"
#include "split_bench.h"

enum { MAX_ROWS = 32 };

static const char usage[] =
    "cuda-split-bench --check | --errors | --time | --sweep [OPTIONS]\n"
    "  --sweep    the table's tiles and others by steps between promotions: time and errors\n"
    "  --row=PART OF A NAME,...                    which tiles; all if not given\n"
    "  --sizes=N,MxNxK,...  --slices=1,2,...\n"
    "  --layouts=LIST     check: each operand in each; time: each for all three, or LEFT/RIGHT/RESULT\n"
    "  --policy=auto|bf16|strict\n"
    "  --against=cublas   or the path of a libcublas\n"
    "  --rounds=N (9)  --beta=X (0)  --each        time: of each launch, too\n"
    "  --numbers=PART OF A NAME,...  check, errors: of kinds that --errors lists; time: of the first; else uniform "
    "ones\n"
    "  --turned --patience=CLOCKS    check: instances for turned products; blocks of prepare that wait so long\n"
    "layouts:\n" MATRIX_HELP;

typedef struct settings {
    words rows, sizes, slices, layouts, numbers;
    const char *against;
    int is_check, is_errors, is_time, is_sweep, each_stage, rounds, is_turned, patience;
    lay_cuda_split_policy policy;
    double beta;
} settings;

static int find_rows(const words *by, const lay_cuda_split_row *out[])
{
    int count = 0;
    for (const lay_cuda_split_row *row = lay_cuda_split_rows; row->name && count < MAX_ROWS; row++)
        if (words_have_part(by, row->name))
            out[count++] = row;
    return count;
}

static lay_cuda_split_policy read_policy(const char *text)
{
    return strcmp(text, "bf16") == 0     ? LAY_SPLIT_NEVER_FP16
           : strcmp(text, "strict") == 0 ? LAY_SPLIT_ALWAYS_STRICT
                                         : LAY_SPLIT_BY_SUMMARIES;
}

/* As bits. */
static unsigned find_kinds(const words *by)
{
    unsigned found = 0;
    for (split_kind kind = 0; kind < SPLIT_KINDS; kind++)
        found |= (unsigned)words_have_part(by, split_kind_name(kind)) << kind;
    return found;
}

static split_kind first_of(unsigned kinds)
{
    split_kind kind = 0;
    while (kind < SPLIT_KINDS - 1 && !(kinds >> kind & 1))
        kind++;
    return kind;
}

static void read_arguments(int argc, char **argv, settings *out)
{
    static const struct option options[] = {
        { "check", 0, 0, 'C' },
        { "errors", 0, 0, 'E' },
        { "time", 0, 0, 'T' },
        { "sweep", 0, 0, 'S' },
        { "row", 1, 0, 'r' },
        { "sizes", 1, 0, 's' },
        { "slices", 1, 0, 'z' },
        { "layouts", 1, 0, 'l' },
        { "policy", 1, 0, 'p' },
        { "against", 1, 0, 'a' },
        { "rounds", 1, 0, 'R' },
        { "beta", 1, 0, 'b' },
        { "each", 0, 0, 'e' },
        { "numbers", 1, 0, 'N' },
        { "turned", 0, 0, 't' },
        { "patience", 1, 0, 'P' },
        { 0 },
    };
    *out = (settings){ .rounds = 9, .patience = LAY_SPLIT_PATIENCE };
    for (int letter; (letter = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (letter) {
        case 'C':
            out->is_check = 1;
            break;
        case 'E':
            out->is_errors = 1;
            break;
        case 'T':
            out->is_time = 1;
            break;
        case 'S':
            out->is_sweep = 1;
            break;
        case 'r':
            words_split(optarg, &out->rows);
            break;
        case 's':
            words_split(optarg, &out->sizes);
            break;
        case 'z':
            words_split(optarg, &out->slices);
            break;
        case 'l':
            words_split(optarg, &out->layouts);
            break;
        case 'p':
            out->policy = read_policy(optarg);
            break;
        case 'a':
            out->against = optarg;
            break;
        case 'R':
            out->rounds = atoi(optarg);
            break;
        case 'b':
            out->beta = atof(optarg);
            break;
        case 'N':
            words_split(optarg, &out->numbers);
            break;
        case 't':
            out->is_turned = 1;
            break;
        case 'P':
            out->patience = atoi(optarg);
            break;
        case 'e':
            out->each_stage = 1;
            break;
        default:
            fputs(usage, stderr);
            exit(2);
        }
    if (optind < argc || !(out->is_check || out->is_errors || out->is_time || out->is_sweep) || out->rounds < 1 ||
        out->rounds > SPLIT_MAX_ROUNDS || !find_kinds(&out->numbers)) {
        fputs(usage, stderr);
        exit(2);
    }
}

static int run(settings *by, const lay_cuda_split_row *const rows[], int count, split_task *task)
{
    int failures = 0;
    for (int s = 0; s < by->sizes.count; s++) {
        size_read(by->sizes.at[s], &task->m, &task->n, &task->k);
        for (int z = 0; z < by->slices.count; z++) {
            task->slices = atoi(by->slices.at[z]);
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
                    split_time(rows, count, task);
            }
        }
    }
    return failures;
}

int main(int argc, char **argv)
{
    static settings by;
    static char check_sizes[] = "1x1x1,5x3x2,33x65x31,64x66x65,130x257x96,257x129x200,300x1x40",
                errors_sizes[] = "256x256x16384", time_sizes[] = "1024,4096",
                all[] = "row,col,odd,oddcol,reversed,matrix1,matrix2,tiles16,table", row[] = "row", one[] = "1";
    static cublas peer;
    const lay_cuda_split_row *rows[MAX_ROWS];
    read_arguments(argc, argv, &by);
    words_add_usual(&by.slices, one);
    words_add_usual(&by.sizes, by.is_check ? check_sizes : by.is_errors ? errors_sizes : time_sizes);
    words_add_usual(&by.layouts, by.is_check ? all : row);
    split_task task = { .policy = by.policy,
                        .rounds = by.rounds,
                        .each_stage = by.each_stage,
                        .beta = by.beta,
                        .kinds = find_kinds(&by.numbers),
                        .is_turned = by.is_turned,
                        .patience = by.patience };
    task.kind = by.numbers.count ? first_of(task.kinds) : SPLIT_UNIFORM;
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
