/* Products of 16-bit types, and of FP32 rounded to as much, on a device's matrix units: right by every row, with the
 * same bits in every layout, those that are read in place and those that need an image. By the rows that the device has
 * for itself, and by those of 8.0 and newer, which options.kernel names on any. */
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../there.h"
#include "cuda_kernel.h"
#include "elsewhere.h"

typedef struct kind {
    lay_type type;
    lay_compute compute;
    lay_type units; /* of its rows */
} kind;

static const kind kinds[] = { { LAY_F16, LAY_COMPUTE_AUTO, LAY_F16 },
                              { LAY_BF16, LAY_COMPUTE_STRICT, LAY_BF16 },
                              { LAY_F32, LAY_COMPUTE_FP16, LAY_F16 },
                              { LAY_F32, LAY_COMPUTE_BF16, LAY_BF16 },
                              { LAY_F32, LAY_COMPUTE_TF32, LAY_F32 } };
static const int64_t shapes[][3] = { { 70, 90, 150 },  { 257, 300, 200 }, { 1, 1, 1 },
                                     { 33, 65, 1097 }, { 200, 520, 64 },  { 390, 136, 600 } };
enum { KINDS = 5, SHAPES = 6, SETS = 2 };

/* Rows of a contract, and what names them. */
static const struct {
    lay_cuda_contract contract;
    const char *kernel;
} sets[SETS] = { { LAY_CUDA_NARROW, NULL }, { LAY_CUDA_MMA, "mma" } };

/* 9.0 has rows of its own, unless the build has none. */
static int has_its_own(int set)
{
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
    int device = 0, major = 0, minor = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    return sets[set].contract == LAY_CUDA_NARROW && major == 9 && minor == 0 && lay_cuda_next(&walk);
}

static trial trial_of(const kind *of, const int64_t shape[3], trial_data data)
{
    trial made = { .type = of->type,
                   .m = shape[0],
                   .n = shape[1],
                   .k = shape[2],
                   .alpha = data == TRIAL_INTEGERS ? 2 : 1.25,
                   .beta = data == TRIAL_INTEGERS ? -1 : -0.75,
                   .data = data,
                   .options = LAY_OPTIONS_INIT };
    made.options.compute = of->compute;
    return made;
}

/* Or refused, where a row cannot cut k in slices. */
static int is_run(remote *x, const lay_cuda_kernel *row)
{
    if (remote_call(x) == LAY_OK)
        return 1;
    if (!row || row->can_slice || !strstr(lay_last_error(), "cannot cut k in slices"))
        fail_msg("%s: %s", row ? row->name : "chosen", lay_last_error());
    return 0;
}

static void insist_on_row(const kind *of, const lay_cuda_kernel *row, int shape, int number)
{
    const int layout[] = { number % LAYOUT_USUAL, number * 3 % LAYOUT_USUAL, number * 5 % LAYOUT_USUAL };
    random_source from = random_case(197, (uint64_t)number);
    trial t = trial_of(of, shapes[shape], number % 2 ? TRIAL_SIGNED : TRIAL_INTEGERS);
    t.beta = number % 4 < 2 ? t.beta : 0;
    t.options.kernel = row->name;
    remote x;
    remote_make(&x, &t, layout, &from);
    if (is_run(&x, row))
        remote_insist_on_right(&x);
    remote_free(&x);
}

static void every_row_is_right(void **state)
{
    (void)state;
    int number = 0;
    for (int k = 0; k < KINDS * SETS; k++) {
        const kind *const own = &kinds[k % KINDS];
        lay_cuda_walk walk = lay_cuda_rows(sets[k / KINDS].contract);
        if (sets[k / KINDS].contract == LAY_CUDA_NARROW && !has_its_own(k / KINDS))
            continue;
        for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));)
            for (int i = 0; i < 4 * SHAPES && row->type == own->units; i++, number++)
                insist_on_row(own, row, i / 4, number);
    }
    assert_true(number > 0);
}

/* A matrix in blocks of height x width, each row-major, or column-major where width is negative. */
static lay_desc *in_blocks(int64_t rows, int64_t columns, int64_t height, int64_t width)
{
    const int is_down = width < 0;
    width = is_down ? -width : width;
    return layout_parse("A=[%lld][%lld][%lld][%lld]; [[#A_0][#A_%d]][[#A_1][#A_%d]]", (long long)(rows / height),
                        (long long)(columns / width), (long long)(is_down ? width : height),
                        (long long)(is_down ? height : width), is_down ? 3 : 2, is_down ? 2 : 3);
}

enum { WAYS = 14, TABLE = WAYS - 1 };

/* Whether 16-bit kernels of the set read it in place: in boxes of two strides, or whatever lies in vectors. */
static int is_in_place(int set, int number)
{
    static const int vectors[TABLE] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1 };
    return has_its_own(set) ? number < 7 : vectors[number];
}

static lay_desc *in_way(int number, int64_t rows, int64_t columns)
{
    const long long m = rows, n = columns;
    switch (number) {
    case 0:
        return layout_parse("[%lld][%lld]", m, n);
    case 1:
        return layout_parse("[%lld:1][%lld:%lld]", m, n, m);
    case 2:
        return layout_parse("[%lld:%lld][%lld:1]", m, n + 24, n);
    case 3:
        return in_blocks(rows, columns, 64, 64);
    case 4:
        return in_blocks(rows, columns, 16, 64);
    case 5:
        return in_blocks(rows, columns, 64, -16);
    case 6:
        return in_blocks(rows, columns, rows / 2, columns / 2);
    case 7:
        return in_blocks(rows, columns, 8, 8);
    case 8:
        return in_blocks(rows, columns, 16, -32);
    case 9:
        return layout_parse("[%lld:%lld][%lld:1]", m, n + 3, n);
    case 10:
        return layout_parse("[%lld:1][%lld:%lld]", m, n, m + 5);
    case 11:
        return layout_parse("[%lld:%lld][%lld:2]", m, 2 * n + 8, n);
    case 12:
        return layout_parse("[%lld:%lld][%lld:1]", m, -n, n);
    default:
        return layout_usual(5, rows, columns);
    }
}

/* In place; or from an image, the kernels' own or that of a way before them. */
static void insist_on_explained(const remote *x, char name, int is_in_place)
{
    char text[20000], in_place[40], own[40], before[40];
    lay_plan *plan = NULL;
    snprintf(in_place, sizeof in_place, "\n  %c in place", name);
    snprintf(own, sizeof own, "\n  %c from an image", name);
    snprintf(before, sizeof before, "\nimage     %c as", name);
    assert_int_equal(remote_plan(x, &plan), LAY_OK);
    lay_plan_explain(plan, text, sizeof text);
    if (is_in_place ? !strstr(text, in_place) : !strstr(text, own) && !strstr(text, before))
        fail_msg("%c is to be read %s:\n%s", name, is_in_place ? "in place" : "from an image", text);
    lay_plan_destroy(plan);
}

/* By any row of a set, or by the number-th of its rows of the type, if it has so many. Matrices without margins, which
 * are aligned. */
static const char *name_row(int set, const kind *of, int number)
{
    lay_cuda_walk walk = lay_cuda_rows(sets[set].contract);
    int at = 0;
    for (const lay_cuda_kernel *row; sets[set].kernel && (row = lay_cuda_next(&walk));)
        if (row->type == of->units && at++ == number)
            return row->name;
    return sets[set].kernel;
}

static void insist_on_layouts(int set, const kind *of, int seed)
{
    static const int64_t shape[] = { 256, 256, 384 };
    char *wanted = NULL;
    for (int number = 0; number < 2 * WAYS; number++) {
        random_source from = random_case(198, (uint64_t)seed);
        remote x = { .t = trial_of(of, shape, TRIAL_SIGNED) };
        x.t.options.kernel = name_row(set, of, number % 4);
        trial_fill(&x.t, &from);
        const int a = number % WAYS, b = number * 3 % WAYS, c = number * 5 % WAYS;
        x.t.beta = number < WAYS ? 0 : -0.0; /* not read */
        trial_place(&x.t, in_way(a, 256, 384), in_way(b, 384, 256), in_way(c, 256, 256), OPERAND_FLUSH_LOW, &from);
        remote_send(&x);
        if (of->type != LAY_F32 && c < 7) {
            if (a != TABLE)
                insist_on_explained(&x, 'A', is_in_place(set, a));
            if (b != TABLE)
                insist_on_explained(&x, 'B', is_in_place(set, b));
        }
        if (remote_call(&x) != LAY_OK)
            fail_msg("%s", lay_last_error());
        remote_insist_on_right(&x);
        if (!remote_has_bits(&x, &wanted))
            fail_msg("kind %d: layouts %d,%d,%d change bits", seed, a, b, c);
        remote_free(&x);
    }
    free(wanted);
}

static void layouts_change_no_bits(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS * SETS; k++)
        insist_on_layouts(k / KINDS, &kinds[k % KINDS], k % KINDS);
}

/* Blocks of 64, in which tiles of some rows begin. */
static void rows_change_no_bits_of_blocks(void **state)
{
    (void)state;
    static const int64_t shape[] = { 256, 448, 384 };
    for (int k = 0; k < 2; k++) {
        char *wanted = NULL;
        lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
        for (const lay_cuda_kernel *row; has_its_own(0) && (row = lay_cuda_next(&walk));) {
            if (row->type != kinds[k].units)
                continue;
            random_source from = random_case(202, 9);
            remote x = { .t = trial_of(&kinds[k], shape, TRIAL_SIGNED) };
            x.t.options.kernel = row->name;
            trial_fill(&x.t, &from);
            trial_place(&x.t, in_way(3, 256, 384), in_way(3, 384, 448), in_way(0, 256, 448), OPERAND_FLUSH_LOW, &from);
            remote_send(&x);
            if (remote_call(&x) != LAY_OK)
                fail_msg("%s: %s", row->name, lay_last_error());
            remote_insist_on_right(&x);
            if (!remote_has_bits(&x, &wanted))
                fail_msg("%s changes bits", row->name);
            remote_free(&x);
        }
        free(wanted);
    }
}

/* Blocks of 32 elements, and of multiples of 16 that are none of a turn's or a tile's. */
enum { NESTED_M = 320, NESTED_N = 288, NESTED_K = 192, NESTED_WAYS = 6 };
static const int nested[NESTED_WAYS][3] = { /* of m, n and k */
                                            { NESTED_M, NESTED_N, NESTED_K },
                                            { 32, 32, 32 },
                                            { 80, 144, 96 },
                                            { 160, 96, 96 },
                                            { 160, 48, 64 },
                                            { 64, 32, 96 }
};

static void insist_on_nested(const kind *of, const char *row, int number, double beta, char **wanted, int *strips,
                             int *ended)
{
    static char text[20000];
    lay_plan *plan = NULL;
    random_source from = random_case(203, beta != 0);
    remote x = { .t = trial_of(of, (const int64_t[]){ NESTED_M, NESTED_N, NESTED_K }, TRIAL_SIGNED) };
    x.t.options.kernel = row;
    x.t.beta = beta;
    trial_fill(&x.t, &from);
    const int m = nested[number][0], n = nested[number][1], k = nested[number][2];
    trial_place(&x.t, in_blocks(NESTED_M, NESTED_K, m, k), in_blocks(NESTED_K, NESTED_N, k, n),
                in_blocks(NESTED_M, NESTED_N, m, n), OPERAND_FLUSH_LOW, &from);
    remote_send(&x);
    assert_int_equal(remote_plan(&x, &plan), LAY_OK);
    lay_plan_explain(plan, text, sizeof text);
    lay_plan_destroy(plan);
    *strips += strstr(text, "in strips of") != NULL;
    *ended += strstr(text, "in turns that end") != NULL;
    if (remote_call(&x) != LAY_OK)
        fail_msg("%s: %s", row, lay_last_error());
    remote_insist_on_right(&x);
    if (!remote_has_bits(&x, wanted))
        fail_msg("%s: blocks of %d, %d and %d change bits", row, m, n, k);
    remote_free(&x);
}

/* C that is read, too, which strips leave to others. */
/* Blocks whose lines are no multiples of 16 bytes, in many tiles or one a block: images from runs at any address, C in
 * words of two elements or of one. */
enum { WORDS_M = 2100, WORDS_N = 1504, WORDS_K = 840, WORDS_WAYS = 5 };
static const int words[WORDS_WAYS][3] = { /* of m, n and k; the first ones are of whole vectors, in place */
                                          { WORDS_M, WORDS_N, WORDS_K },
                                          { 1050, 94, 210 },
                                          { 75, 47, 105 },
                                          { 60, 188, 420 },
                                          { 2100, 376, 42 }
};

/* rows: of C that are asked for. */
static char *find_words(const kind *of, const char *row, int rows, int number, int *in_words)
{
    static char text[20000];
    lay_plan *plan = NULL;
    random_source from = random_case(204, 1);
    remote x = { .t = trial_of(of, (const int64_t[]){ rows, WORDS_N, WORDS_K }, TRIAL_SIGNED) };
    x.t.options.kernel = row;
    trial_fill(&x.t, &from);
    const int m = words[number][0] < rows ? words[number][0] : rows, n = words[number][1], k = words[number][2];
    trial_place(&x.t, in_blocks(rows, WORDS_K, m, k), in_blocks(WORDS_K, WORDS_N, k, n), in_blocks(rows, WORDS_N, m, n),
                OPERAND_FLUSH_LOW, &from);
    remote_send(&x);
    assert_int_equal(remote_plan(&x, &plan), LAY_OK);
    lay_plan_explain(plan, text, sizeof text);
    lay_plan_destroy(plan);
    *in_words += strstr(text, "written in words") != NULL;
    if (remote_call(&x) != LAY_OK)
        fail_msg("%s: %s", row, lay_last_error());
    char *const got = remote_bits(&x);
    remote_free(&x);
    return got;
}

static void blocks_of_no_vectors_change_no_bits(void **state)
{
    (void)state;
    static const int rows[] = { WORDS_M, 300 };
    int in_words = 0, number = 0;
    for (int k = 0; k < 2; k++)
        for (int r = 0; r < 2; r++) {
            char *wanted = NULL;
            lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
            for (const lay_cuda_kernel *row; has_its_own(0) && (row = lay_cuda_next(&walk));) {
                if (row->type != kinds[k].units || row->is_walked)
                    continue;
                if (!wanted)
                    wanted = find_words(&kinds[k], row->name, rows[r], 0, &in_words);
                const int way = 1 + number++ % (WORDS_WAYS - 1);
                char *const got = find_words(&kinds[k], row->name, rows[r], way, &in_words);
                if (memcmp(wanted, got, (size_t)rows[r] * WORDS_N * 2) != 0)
                    fail_msg("%s: blocks of %d, %d and %d change bits of %d rows", row->name, words[way][0],
                             words[way][1], words[way][2], rows[r]);
                free(got);
            }
            free(wanted);
        }
    assert_true(!has_its_own(0) || in_words > 6);
}

static void nested_operands_change_no_bits(void **state)
{
    (void)state;
    int strips = 0, ended = 0;
    for (int k = 0; k < 2; k++)
        for (int with_beta = 0; with_beta < 2; with_beta++) {
            char *wanted = NULL;
            lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
            for (const lay_cuda_kernel *row; has_its_own(0) && (row = lay_cuda_next(&walk));)
                for (int number = 0; number < NESTED_WAYS && row->type == kinds[k].units && !row->is_walked; number++)
                    insist_on_nested(&kinds[k], row->name, number, with_beta ? -0.75 : 0, &wanted, &strips, &ended);
            free(wanted);
        }
    assert_true(!has_its_own(0) || (strips > 10 && ended > 10));
}

/* 40 blocks of 24 rows, and 6 of 24 columns: no box holds a whole number of them, and A's neighbours may be others than
 * C's. The last A begins between two vectors. */
enum { WALKED_M = 960, WALKED_N = 144, WALKED_K = 200, WALKED_WAYS = 5 };
static const char *const walked_a[WALKED_WAYS] = { "[[40:4800][24:200]][200:1]", "[[40:4800][24:1]][200:24]",
                                                   "[[40:200][24:8000]][200:1]", "[[40:1][24:8000]][200:40]",
                                                   "A=[[40:208][24:8320]][208:1]; [#A_0][200@1#A_1]" };
static const char *const walked_b[WALKED_WAYS] = { "[200:144][[6:24][24:1]]", "[200:24][[6:4800][24:1]]",
                                                   "[200:1][[6:200][24:1200]]", "[200:1][[6:4800][24:200]]",
                                                   "[200:24][[6:4800][24:1]]" };
static const char *const walked_c[WALKED_WAYS] = {
    "[[40:3456][24:144]][[6:24][24:1]]", "[[40:1][24:40]][[6:23040][24:960]]", "[[40:24][24:1]][[6:23040][24:960]]",
    "[[40:24][24:960]][[6:23040][24:1]]", "[[40:1][24:960]][[6:23040][24:40]]"
};

/* By the library's own choice, or by a row. */
static void insist_on_same_bits(const kind *of, const lay_cuda_kernel *row, int number, char **wanted)
{
    random_source from = random_case(201, 7);
    remote x = { .t = trial_of(of, (const int64_t[]){ WALKED_M, WALKED_N, WALKED_K }, TRIAL_SIGNED) };
    x.t.options.kernel = row ? row->name : NULL;
    trial_fill(&x.t, &from);
    const int a = number % WALKED_WAYS, b = number / WALKED_WAYS % WALKED_WAYS, c = number / 25;
    trial_place(&x.t, layout_parse("%s", walked_a[a]), layout_parse("%s", walked_b[b]), layout_parse("%s", walked_c[c]),
                OPERAND_FLUSH_LOW, &from);
    remote_send(&x);
    if (!is_run(&x, row)) {
        remote_free(&x);
        return;
    }
    remote_insist_on_right(&x);
    if (!remote_has_bits(&x, wanted))
        fail_msg("%s: layouts %d,%d,%d change bits", row ? row->name : "chosen", a, b, c);
    remote_free(&x);
}

static void walks_change_no_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char *wanted = NULL;
        for (int number = 0; number < 125; number += 2)
            insist_on_same_bits(&kinds[k], NULL, number, &wanted);
        lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
        for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));)
            for (int number = 0; number < 125 && row->is_walked && row->type == kinds[k].units; number += 4)
                insist_on_same_bits(&kinds[k], row, number, &wanted);
        free(wanted);
    }
}

/* Slices of k, which a small C has, and C as large as several turns of all multiprocessors. */
static void many_steps_and_many_tiles_are_right(void **state)
{
    (void)state;
    static const int64_t large[][3] = { { 64, 96, 9000 }, { 200, 130, 4100 }, { 2100, 3000, 130 }, { 1000, 5000, 70 } };
    for (int k = 0; k < KINDS * SETS; k++)
        for (int shape = 0; shape < 4; shape++)
            for (int data = 0; data < 2; data++) {
                const int layout[] = { (shape + k) % 2, shape % 2, (shape + data) % 2 };
                random_source from = random_case(199, (uint64_t)(shape * 2 + data));
                trial t = trial_of(&kinds[k % KINDS], large[shape], data ? TRIAL_SIGNED : TRIAL_INTEGERS);
                t.options.kernel = sets[k / KINDS].kernel;
                t.beta = shape % 2 ? t.beta : 0;
                remote x;
                remote_make(&x, &t, layout, &from);
                if (remote_call(&x) != LAY_OK)
                    fail_msg("%s", lay_last_error());
                remote_insist_on_right(&x);
                remote_free(&x);
            }
}

/* Rows of C or columns lie together, of which the last tiles have some; k is long enough to be cut. */
static void sums_of_slices_leave_alike(void **state)
{
    (void)state;
    static const int64_t shape[] = { 72, 104, 9000 };
    for (int k = 0; k < 2 && has_its_own(0); k++) {
        char *wanted = NULL;
        lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
        for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));)
            for (int number = 0; number < 4 && row->type == kinds[k].units && row->can_slice; number++) {
                random_source from = random_case(203, 11);
                remote x = { .t = trial_of(&kinds[k], shape, TRIAL_SIGNED) };
                x.t.options.kernel = row->name;
                trial_fill(&x.t, &from);
                x.t.beta = 0;
                trial_place(&x.t, in_way(number / 2, 72, 9000), in_way(0, 9000, 104), in_way(number % 2, 72, 104),
                            OPERAND_FLUSH_LOW, &from);
                remote_send(&x);
                if (remote_call(&x) != LAY_OK)
                    fail_msg("%s: %s", row->name, lay_last_error());
                remote_insist_on_right(&x);
                if (!remote_has_bits(&x, &wanted))
                    fail_msg("%s changes bits where C is the other way round", row->name);
                remote_free(&x);
            }
        free(wanted);
    }
}

/* What stays in shared memory, of one tile and of some, while blocks go on from tile to tile. */
static void few_lines_that_stay_are_right(void **state)
{
    (void)state;
    static const int64_t few[][3] = {
        { 152, 40000, 168 }, { 40000, 168, 168 }, { 24, 70000, 816 }, { 300, 20000, 64 }, { 20000, 500, 200 }
    };
    for (int k = 0; k < 2; k++) {
        lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
        for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));)
            for (int shape = k; shape < 5 && row->groups && row->type == kinds[k].units; shape += 2) {
                const int layout[] = { shape % 2, (shape + k) / 2 % 2, 0 };
                random_source from = random_case(201, (uint64_t)shape);
                trial t = trial_of(&kinds[k], few[shape], TRIAL_INTEGERS);
                t.options.kernel = row->name;
                t.beta = 0;
                remote x;
                remote_make(&x, &t, layout, &from);
                if (remote_call(&x) != LAY_OK)
                    fail_msg("%s: %s", row->name, lay_last_error());
                remote_insist_on_right(&x);
                remote_free(&x);
            }
    }
}

/* No vector of them, but offsets as if there were. */
static void few_columns_far_apart_are_right(void **state)
{
    (void)state;
    static const int64_t shape[] = { 12, 3, 31 };
    for (int k = 0; k < KINDS * SETS; k++)
        for (int data = 0; data < 2; data++) {
            random_source from = random_case(200, (uint64_t)k);
            remote x = { .t = trial_of(&kinds[k % KINDS], shape, TRIAL_SIGNED) };
            x.t.options.kernel = sets[k / KINDS].kernel;
            x.t.beta = data ? x.t.beta : 0;
            trial_fill(&x.t, &from);
            trial_place(&x.t, layout_parse("[12:3][31:0]"), layout_parse("[31][3]"), layout_parse("[12:72][3:24]"),
                        OPERAND_FLUSH_LOW, &from);
            remote_send(&x);
            if (remote_call(&x) != LAY_OK)
                fail_msg("%s", lay_last_error());
            remote_insist_on_right(&x);
            remote_free(&x);
        }
}

static void rounded_operands_are_refused_where_nothing_rounds_them(void **state)
{
    (void)state;
    lay_desc *const square = layout_parse("[8][8]");
    for (int compute = LAY_COMPUTE_TF32; compute <= LAY_COMPUTE_FP16; compute++) {
        lay_options options = LAY_OPTIONS_INIT;
        lay_plan *plan = NULL;
        options.compute = (lay_compute)compute;
        assert_int_equal(lay_plan_create(LAY_F64, square, square, square, &options, &plan), LAY_ERR_UNSUPPORTED);
        assert_non_null(strstr(lay_last_error(), "rounded operands"));
        assert_int_equal(lay_plan_create(LAY_F16, square, square, square, &options, &plan), LAY_ERR_UNSUPPORTED);
        assert_non_null(strstr(lay_last_error(), "f32 operands"));
        options.backend = LAY_BACKEND_CPU;
        lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
        const lay_cuda_kernel *row = lay_cuda_next(&walk);
        options.kernel = row ? row->name : NULL; /* a build without code for 9.0 has none */
        if (row)
            assert_int_equal(lay_plan_create(LAY_F32, square, square, square, &options, &plan), LAY_ERR_UNSUPPORTED);
        assert_null(plan);
    }
    lay_desc_destroy(square);
}

int main(void)
{
    setenv("LAY_TEST_PLACE", "device", 1); /* the oracle knows then that sums over k are not cut */
    const struct CMUnitTest anywhere[] = { cmocka_unit_test(rounded_operands_are_refused_where_nothing_rounds_them) };
    const struct CMUnitTest tests[] = { cmocka_unit_test(rounded_operands_are_refused_where_nothing_rounds_them),
                                        cmocka_unit_test(every_row_is_right),
                                        cmocka_unit_test(layouts_change_no_bits),
                                        cmocka_unit_test(rows_change_no_bits_of_blocks),
                                        cmocka_unit_test(nested_operands_change_no_bits),
                                        cmocka_unit_test(blocks_of_no_vectors_change_no_bits),
                                        cmocka_unit_test(walks_change_no_bits),
                                        cmocka_unit_test(many_steps_and_many_tiles_are_right),
                                        cmocka_unit_test(sums_of_slices_leave_alike),
                                        cmocka_unit_test(few_lines_that_stay_are_right),
                                        cmocka_unit_test(few_columns_far_apart_are_right) };
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0)
        return cmocka_run_group_tests_name("narrow, without a GPU", anywhere, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
