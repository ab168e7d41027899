/* cuda-kernel-bench: every row of the CUDA kernel table by itself, beneath the public header: whether it is
 * right in every class and layout, and how fast it is beside cuBLAS. */
#include <getopt.h>
#include <string.h>

#include "check.h"
#include "must.h"
#include "study.h"
#include "words.h"

enum { MAX_ROWS = 256 };

static const char usage[] =
    "cuda-kernel-bench --list | --check | --time | --figures | --choice [OPTIONS]\n"
    "  --family=NAME,...  --row=PART OF A NAME,...  --type=f32|f64   which rows; all if not given\n"
    "  --sizes=N,MxNxK,...  --slices=1,2,...          sizes; slices of k (rows that can)\n"
    "  --layouts=LIST     check: each operand in each; time: each for all three, or LEFT/RIGHT/RESULT\n"
    "  --classes          check: all that a layout allows, not only the best\n"
    "  --once             check: each class in the first layouts that have it alone (for compute-sanitizer)\n"
    "  --figures          rate and start of each row as measured, beside the table's\n"
    "  --choice           for each size the fastest rows and slices, and what the planner's formula loses\n"
    "  --as=L,R           time: classes av, kv, a, k (across, along k; v: vectors) in place of the best\n"
    "  --counters         the last block of a tile adds the slices\n"
    "  --against=cublas   or the path of a libcublas\n"
    "  --rounds=N (9)  --turn=MS (2)  --beta=X (0)    of the timing\n"
    "  --warm-l2          one set of matrices, which may stay in the L2 cache\n"
    "  --plain            launches one by one, gaps timed too; else each turn is one CUDA graph\n"
    "  --csv=FILE\n"
    "layouts:\n" MATRIX_HELP;

typedef struct settings {
    words families, rows, sizes, slices, layouts, as;
    const char *type, *against, *csv;
    int is_list, is_check, is_time, is_figures, is_choice, is_l2_warm, is_plain, all_classes, is_once, is_last_adding,
        rounds;
    double turn, beta;
} settings;

static int find_rows(const settings *by, int sm, const lay_cuda_kernel *out[])
{
    int count = 0;
    for (const lay_cuda_kernel *const *family = lay_cuda_families; *family; family++)
        for (const lay_cuda_kernel *row = *family; row->name && count < MAX_ROWS; row++) {
            const char *type = row->type == LAY_F32 ? "f32" : "f64";
            if (row->least_sm <= sm && words_have(&by->families, row->family) &&
                words_have_part(&by->rows, row->name) && (!by->type || strcmp(by->type, type) == 0))
                out[count++] = row;
        }
    return count;
}

static int serves(const lay_cuda_kernel *row, int m, int n, int slices)
{
    return (!row->max_m || m <= row->max_m) && (!row->max_n || n <= row->max_n) && (slices <= 1 || row->can_slice);
}

/* What the compiler made of each function: registers, spills, blocks that fit. */
static void print_rows(const lay_cuda_kernel *const rows[], int count)
{
    for (int i = 0; i < count; i++) {
        const lay_cuda_kernel *row = rows[i];
        printf("%-32s tile %dx%dx%d threads %d shared %d blocks %d rate %g start %g\n", row->name, row->bm, row->bn,
               row->bk, row->threads, row->shared, row->blocks_per_sm, row->rate, row->start);
        for (int l = 0; l < LAY_CUDA_CLASSES; l++)
            for (int r = 0; r < LAY_CUDA_CLASSES; r++) {
                struct cudaFuncAttributes of;
                int blocks;
                const void *function = row->function[l][r];
                MUST(cudaFuncGetAttributes(&of, function));
                MUST(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, row->shared));
                MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, row->threads,
                                                                   (size_t)row->shared));
                if (of.localSizeBytes || blocks != row->blocks_per_sm)
                    printf("    classes %d %d: %d registers, %zu bytes of local memory, %d blocks fit\n", l, r,
                           of.numRegs, of.localSizeBytes, blocks);
            }
    }
}

/* One slice in one way, several in all that a row has and that were asked for. */
static int check_size(const settings *by, const lay_cuda_kernel *row, demands *of)
{
    const int slices = slice_count(of->k, slice_length(row, of->k, of->slices));
    int failures = 0;
    if (!serves(row, of->m, of->n, of->slices) || (slices == 1 && of->slices > 1))
        return 0;
    for (adding how = 0; how < ADDINGS; how++) {
        of->adding = how;
        if (how == ADDED_AFTER ||
            (slices > 1 && can_add(row, slices, how) && (how != ADDED_BY_LAST || by->is_last_adding)))
            failures += check(row, of);
    }
    return failures;
}

static int check_rows(settings *by, const lay_cuda_kernel *const rows[], int count)
{
    int failures = 0;
    for (int i = 0; i < count; i++)
        for (int s = 0; s < by->sizes.count; s++)
            for (int z = 0; z < by->slices.count; z++) {
                demands of = { .layouts = by->layouts.at,
                               .layout_count = by->layouts.count,
                               .all_classes = by->all_classes,
                               .is_once = by->is_once,
                               .slices = atoi(by->slices.at[z]) };
                size_read(by->sizes.at[s], &of.m, &of.n, &of.k);
                failures += check_size(by, rows[i], &of);
            }
    printf("%s\n", failures ? "WRONG" : "all right");
    return failures ? 1 : 0;
}

static int read_class(const words *of, int which)
{
    static const char *const names[] = { "av", "kv", "a", "k" };
    for (int i = 0; i < LAY_CUDA_CLASSES && which < of->count; i++)
        if (strcmp(of->at[which], names[i]) == 0)
            return i;
    return -1;
}

static contest usual_contest(const settings *by, const cublas *peer, FILE *csv)
{
    return (contest){ .peer = peer,
                      .rounds = by->rounds,
                      .turn = by->turn,
                      .beta = by->beta,
                      .is_l2_warm = by->is_l2_warm,
                      .is_plain = by->is_plain,
                      .csv = csv };
}

static void enter_rows(settings *by, const lay_cuda_kernel *const rows[], int count, const char *layouts, char room[64],
                       contest *to)
{
    for (int i = 0; i < count; i++)
        for (int z = 0; z < by->slices.count && to->count < MAX_CONTESTANTS; z++) {
            const int slices = atoi(by->slices.at[z]);
            if (rows[i]->type != to->type || !serves(rows[i], to->m, to->n, slices))
                continue;
            struct contestant *who = &to->list[to->count++];
            *who = (struct contestant){ .row = rows[i],
                                        .slices = slices,
                                        .left_as = read_class(&by->as, 0),
                                        .right_as = read_class(&by->as, 1),
                                        .adding = by->is_last_adding ? ADDED_BY_LAST : ADDED_AFTER };
            char *triple[3];
            triple_read(layouts, room, triple);
            for (int l = 0; l < 3; l++)
                who->layouts[l] = triple[l];
        }
}

static void time_rows(settings *by, const lay_cuda_kernel *const rows[], int count, const cublas *peer, FILE *csv)
{
    static contest of;
    static char rooms[MAX_CONTESTANTS][64];
    for (lay_type type = LAY_F32; type <= LAY_F64; type++)
        for (int s = 0; s < by->sizes.count; s++) {
            of = usual_contest(by, peer, csv);
            of.type = type;
            size_read(by->sizes.at[s], &of.m, &of.n, &of.k);
            if (by->is_choice)
                study_choice(rows, count, &of);
            for (int l = 0; l < by->layouts.count && by->is_time; l++)
                enter_rows(by, rows, count, by->layouts.at[l], rooms[l], &of);
            if (of.count)
                contest_hold(&of);
        }
}

static void read_arguments(int argc, char **argv, settings *out)
{
    static const struct option options[] = {
        { "figures", 0, 0, 'F' }, { "choice", 0, 0, 'O' },
        { "list", 0, 0, 'L' },    { "check", 0, 0, 'C' },
        { "time", 0, 0, 'T' },    { "family", 1, 0, 'f' },
        { "row", 1, 0, 'r' },     { "type", 1, 0, 't' },
        { "sizes", 1, 0, 's' },   { "slices", 1, 0, 'z' },
        { "layouts", 1, 0, 'l' }, { "classes", 0, 0, 'c' },
        { "as", 1, 0, 'A' },      { "counters", 0, 0, 'n' },
        { "against", 1, 0, 'a' }, { "rounds", 1, 0, 'R' },
        { "turn", 1, 0, 'u' },    { "beta", 1, 0, 'b' },
        { "warm-l2", 0, 0, 'w' }, { "plain", 0, 0, 'p' },
        { "csv", 1, 0, 'v' },     { "once", 0, 0, 'o' },
        { 0 },
    };
    *out = (settings){ .rounds = 9, .turn = 2e-3 };
    for (int letter; (letter = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (letter) {
        case 'L':
            out->is_list = 1;
            break;
        case 'F':
            out->is_figures = 1;
            break;
        case 'O':
            out->is_choice = 1;
            break;
        case 'C':
            out->is_check = 1;
            break;
        case 'T':
            out->is_time = 1;
            break;
        case 'f':
            words_split(optarg, &out->families);
            break;
        case 'r':
            words_split(optarg, &out->rows);
            break;
        case 't':
            out->type = optarg;
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
        case 'c':
            out->all_classes = 1;
            break;
        case 'o':
            out->is_once = 1;
            break;
        case 'A':
            words_split(optarg, &out->as);
            break;
        case 'n':
            out->is_last_adding = 1;
            break;
        case 'a':
            out->against = optarg;
            break;
        case 'R':
            out->rounds = atoi(optarg);
            break;
        case 'u':
            out->turn = 1e-3 * atof(optarg);
            break;
        case 'b':
            out->beta = atof(optarg);
            break;
        case 'w':
            out->is_l2_warm = 1;
            break;
        case 'p':
            out->is_plain = 1;
            break;
        case 'v':
            out->csv = optarg;
            break;
        default:
            fputs(usage, stderr);
            exit(2);
        }
    if (optind < argc || !(out->is_list || out->is_check || out->is_time || out->is_figures || out->is_choice) ||
        out->rounds < 1 || out->rounds > MAX_ROUNDS) {
        fputs(usage, stderr);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    static settings by;
    static char check_sizes[] = "1,2,5,33,64x65x66,130x257x96,1x300x40,300x1x40,257x129x67", time_sizes[] = "1024,4096",
                all[] = "row,col,odd,oddcol,reversed,matrix1,matrix2,tiles16,table,same", row[] = "row", one[] = "1";
    static cublas peer;
    const lay_cuda_kernel *rows[MAX_ROWS];
    read_arguments(argc, argv, &by);
    words_add_usual(&by.slices, one);
    words_add_usual(&by.sizes, by.is_check ? check_sizes : time_sizes);
    words_add_usual(&by.layouts, by.is_check ? all : row);
    int major, minor;
    MUST(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    MUST(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    const int count = find_rows(&by, 10 * major + minor, rows);
    if (by.is_list)
        print_rows(rows, count);
    if (by.is_check && check_rows(&by, rows, count))
        return 1;
    if (by.is_figures) {
        const contest usual = usual_contest(&by, NULL, NULL);
        study_figures(rows, count, &usual);
    }
    if (!by.is_time && !by.is_choice)
        return 0;
    FILE *csv = by.csv ? fopen(by.csv, "w") : NULL;
    const char *sentence =
        by.against ? cublas_open(strcmp(by.against, "cublas") == 0 ? NULL : by.against, &peer) : NULL;
    if (sentence || (by.csv && !csv)) {
        fprintf(stderr, "%s\n", sentence ? sentence : "the CSV file cannot be written");
        return 2;
    }
    if (csv)
        fprintf(csv, "m,n,k,row,layouts,left_as,right_as,slices,microseconds,tflops,cublas_is,model_microseconds\n");
    time_rows(&by, rows, count, by.against ? &peer : NULL, csv);
    return csv && fclose(csv) != 0;
}
