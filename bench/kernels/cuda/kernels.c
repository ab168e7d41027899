/* cuda-kernel-bench: every row of the CUDA kernel table by itself, beneath the public header: whether it is
 * right in every class and layout, and how fast it is next to cuBLAS. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/device/device.h"
#include "check.h"
#include "must.h"
#include "study.h"
#include "words.h"

enum { MAX_ROWS = 256 };

static const option options[] = {
    { "list", 0, NULL, "what the compiler made of each row, those of other contracts too" },
    { "check", 0, NULL, "whether rows are right, in every class and layout" },
    { "time", 0, NULL, "how fast they are" },
    { "figures", 0, NULL, "rate and start of each row as measured, beside the table's" },
    { "choice", 0, NULL, "for each size the fastest rows and slices, and what the planner's formula loses" },
    { "family", 0, "NAME,...", "which rows; all if not given" },
    { "row", 0, "PART,...", "rows that have one of these in their names" },
    { "type", 0, "NAME", "f32 or f64" },
    WORD_OPTIONS,
    { "slices", 0, "LIST", "slices of k (rows that can)" },
    { "classes", 0, NULL, "check: all that a layout allows, not only the best" },
    { "once", 0, NULL, "check: each class in the first layouts that have it alone (for compute-sanitizer)" },
    { "as", 0, "L,R", "time: classes av, kv, a, k (across, along k; v: vectors) in place of the best" },
    { "counters", 0, NULL, "the last block of a tile adds the slices" },
    { "turn", 0, "MS", "what a turn lasts at least; 2 if not given" },
    { "warm-l2", 0, NULL, "one set of matrices, which may stay in the L2 cache" },
    { "plain", 0, NULL, "launches one by one, gaps timed too; else each turn is one CUDA graph" },
    { "csv", 0, "FILE", "write the rows there too" },
    { 0 },
};

static const program self = {
    .name = "cuda-kernel-bench",
    .usage = "--list | --check | --time | --figures | --choice [OPTIONS]",
    .about = "Rows of the CUDA kernel table by themselves.\n",
    .notes = "Layouts:\n" MATRIX_HELP,
    .options = options,
};

typedef struct settings {
    words families, rows, sizes, slices, layouts, as;
    const char *type, *against, *csv;
    int is_list, is_check, is_time, is_figures, is_choice, is_l2_warm, is_plain, all_classes, is_once, is_last_adding,
        rounds;
    double turn, beta;
} settings;

/* Behind the count that there are. */
static int find_rows(const settings *by, lay_cuda_contract contract, int sm, int count, const lay_cuda_kernel *out[])
{
    static const char *const types[] = { [LAY_F32] = "f32", [LAY_F64] = "f64", [LAY_F16] = "f16", [LAY_BF16] = "bf16" };
    lay_cuda_walk walk = lay_cuda_rows(contract);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk)) && count < MAX_ROWS;)
        if (row->least_sm <= sm && words_have(&by->families, row->family) && words_have_part(&by->rows, row->name) &&
            (!by->type || strcmp(by->type, types[row->type]) == 0))
            out[count++] = row;
    return count;
}

static int serves(const lay_cuda_kernel *row, int m, int n, int slices)
{
    return (!row->max_m || m <= row->max_m) && (!row->max_n || n <= row->max_n) && (slices <= 1 || row->can_slice);
}

/* What the compiler made of a row's function, where that is not what the row says: registers, spills, blocks that fit.
 */
static void print_function(const lay_cuda_kernel *row, int left, int right)
{
    struct cudaFuncAttributes of;
    int blocks;
    const void *function = row->function[left][right];
    MUST(cudaFuncGetAttributes(&of, function));
    MUST(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, row->shared));
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, row->threads, (size_t)row->shared));
    if (of.localSizeBytes || blocks != row->blocks_per_sm)
        printf("    function %d %d: %d registers, %zu bytes of local memory, %d blocks fit\n", left, right, of.numRegs,
               of.localSizeBytes, blocks);
}

static void print_rows(const lay_cuda_kernel *const rows[], int count)
{
    for (int i = 0; i < count; i++) {
        const lay_cuda_kernel *row = rows[i];
        printf("%-32s tile %dx%dx%d threads %d shared %d blocks %d rate %g start %g\n", row->name, row->bm, row->bn,
               row->bk, row->threads, row->shared, row->blocks_per_sm, row->rate, row->start);
        for (int l = 0; l < LAY_CUDA_CLASSES; l++)
            for (int r = 0; r < LAY_CUDA_CLASSES; r++)
                if (row->function[l][r])
                    print_function(row, l, r);
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
                               .slices = count_read(by->slices.at[z]) };
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
            const int slices = count_read(by->slices.at[z]);
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

static int has(const args *given, const char *name)
{
    return args_value(given, name) != NULL;
}

static void read_arguments(const args *given, settings *out)
{
    *out = (settings){ .is_list = has(given, "list"),
                       .is_check = has(given, "check"),
                       .is_time = has(given, "time"),
                       .is_figures = has(given, "figures"),
                       .is_choice = has(given, "choice"),
                       .type = args_value(given, "type"),
                       .all_classes = has(given, "classes"),
                       .is_once = has(given, "once"),
                       .is_last_adding = has(given, "counters"),
                       .against = args_value(given, "against"),
                       .rounds = (int)number_read(given, "rounds", 1, MAX_ROUNDS, 9),
                       .turn = 1e-3 * real_read(given, "turn", 2),
                       .beta = real_read(given, "beta", 0),
                       .is_l2_warm = has(given, "warm-l2"),
                       .is_plain = has(given, "plain"),
                       .csv = args_value(given, "csv") };
    if (!(out->is_list || out->is_check || out->is_time || out->is_figures || out->is_choice))
        exit(refuse("what is to be done? --list, --check, --time, --figures or --choice"));
    words_read(given, "family", NULL, &out->families);
    words_read(given, "row", NULL, &out->rows);
    words_read(given, "as", NULL, &out->as);
    words_read(given, "slices", "1", &out->slices);
    words_read(given, "sizes",
               out->is_check ? "1,2,5,33,64x65x66,130x257x96,1x300x40,300x1x40,257x129x67" : "1024,4096", &out->sizes);
    words_read(given, "layouts",
               out->is_check ? "row,col,odd,oddcol,reversed,matrix1,matrix2,tiles16,table,same" : "row", &out->layouts);
}

int main(int argc, char **argv)
{
    static settings by;
    static cublas peer;
    const lay_cuda_kernel *rows[MAX_ROWS];
    args given;
    args_read_all(&self, argc, argv, &given);
    read_arguments(&given, &by);
    const int opened = device_open(LAY_DEVICE_AUTO);
    if (opened != EXIT_FINE)
        return opened;
    int major, minor;
    MUST(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    MUST(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    const int count = find_rows(&by, LAY_CUDA_STRICT, 10 * major + minor, 0, rows);
    if (by.is_list) {
        int listed = find_rows(&by, LAY_CUDA_SPLIT, 10 * major + minor, count, rows);
        listed = find_rows(&by, LAY_CUDA_NARROW, 10 * major + minor, listed, rows);
        print_rows(rows, listed);
    }
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
    if (sentence || (by.csv && !csv))
        return refuse("%s", sentence ? sentence : "the CSV file cannot be written");
    if (csv)
        fprintf(csv, "m,n,k,row,layouts,left_as,right_as,slices,microseconds,tflops,cublas_is,model_microseconds\n");
    time_rows(&by, rows, count, by.against ? &peer : NULL, csv);
    return csv && fclose(csv) != 0;
}
