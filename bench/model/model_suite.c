/* Products that nothing was tuned for. */
#include "model_suite.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/base/random.h"

typedef struct sizes {
    int64_t m, n, k;
} sizes;

static int64_t draw(uint64_t *state, int64_t least, int64_t most)
{
    return least + (int64_t)(random_next(state) % (uint64_t)(most - least + 1));
}

/* Every doubling is as likely as every other. */
static int64_t draw_size(uint64_t *state, int64_t least, int64_t most)
{
    const double share = (double)(random_next(state) >> 11) * 0x1p-53;
    return (int64_t)((double)least * pow((double)(most + 1) / (double)least, share));
}

/* Products so large take no longer to time than they teach: k gives way. */
static sizes limit(sizes of, int64_t steps)
{
    if (of.m * of.n * of.k > steps)
        of.k = steps / (of.m * of.n) > 0 ? steps / (of.m * of.n) : 1;
    return of;
}

/* What sizes are drawn from. */
typedef struct rule {
    int64_t m[2], n[2], k[2]; /* from, to */
    int64_t steps;            /* m n k at most, by a smaller k; 0: any */
} rule;

static sizes draw_by(uint64_t *state, const rule *of)
{
    const int64_t m = of->m[0] < of->m[1] ? draw_size(state, of->m[0], of->m[1]) : of->m[0];
    const int64_t n = draw_size(state, of->n[0], of->n[1]), k = draw_size(state, of->k[0], of->k[1]);
    const sizes drawn = { m, n, k };
    return of->steps ? limit(drawn, of->steps) : drawn;
}

/* ---- layouts, as a problem's text has them ---------------------------------------------------- */

/* A matrix in memory other than row by row. */
static int write_layout(uint64_t *state, int64_t rows, int64_t columns, char *to, size_t size)
{
    static const char *const named[] = { "row",      "row",    "col",     "col",    "padded",
                                         "reversed", "panels", "matrix1", "matrix2" };
    enum { NAMED = sizeof named / sizeof named[0] };
    const int64_t kind = draw(state, 0, NAMED + 3);
    if (kind < NAMED)
        return snprintf(to, size, "%s", named[kind]);
    if (kind == NAMED)
        return snprintf(to, size, "[%" PRId64 ":%" PRId64 "][%" PRId64 ":2]", rows, 2 * columns, columns);
    if (kind == NAMED + 1)
        return snprintf(to, size, "[%" PRId64 ":2][%" PRId64 ":%" PRId64 "]", rows, columns, 2 * rows);
    return snprintf(to, size, "tiles%" PRId64, INT64_C(8) << draw(state, 0, 4));
}

static void write_product(uint64_t *state, const sizes *of, int has_layouts, char text[MODEL_TEXT])
{
    int length = snprintf(text, MODEL_TEXT, "%" PRId64 "x%" PRId64 "x%" PRId64, of->m, of->n, of->k);
    const int64_t shape[][2] = { { of->m, of->k }, { of->k, of->n }, { of->m, of->n } };
    for (int i = 0; i < 3 && has_layouts; i++) {
        text[length++] = i ? ',' : ':';
        length += write_layout(state, shape[i][0], shape[i][1], text + length, MODEL_TEXT - (size_t)length);
    }
}

/* Digits of m, n and k: an operand has those of two of them, in any order of memory. */
enum { MOST_DIGITS = 3 };
typedef struct digits {
    int count;
    int64_t extent[MOST_DIGITS];
} digits;

static digits draw_digits(uint64_t *state, int64_t extent)
{
    digits of = { .count = (int)draw(state, 1, MOST_DIGITS) };
    for (int i = 0; i < of.count; i++) {
        of.extent[i] = i + 1 < of.count ? draw(state, 2, 24) : (extent + 3) / 4 * 4;
        extent = extent / of.extent[i] > 0 ? extent / of.extent[i] : 1;
    }
    return of;
}

static int64_t extent_of(const digits *of)
{
    int64_t extent = 1;
    for (int i = 0; i < of->count; i++)
        extent *= of->extent[i];
    return extent;
}

static int write_strided(const digits *of, const int64_t stride[], char *to, size_t size)
{
    int length = snprintf(to, size, "[");
    for (int i = 0; i < of->count; i++)
        length += snprintf(to + length, size - (size_t)length, "[%" PRId64 ":%" PRId64 "]", of->extent[i], stride[i]);
    return length + snprintf(to + length, size - (size_t)length, "]");
}

/* Strides as the digits lie in memory, in an order drawn at random. */
static int write_shuffled(uint64_t *state, const digits *rows, const digits *columns, char *to, size_t size)
{
    int64_t stride[2 * MOST_DIGITS], step = 1;
    int order[2 * MOST_DIGITS] = { 0 };
    const int count = rows->count + columns->count;
    for (int i = 0; i < count; i++) {
        const int other = (int)draw(state, 0, i);
        order[i] = order[other];
        order[other] = i;
    }
    for (int i = 0; i < count; i++) {
        const int digit = order[i], is_row = digit < rows->count;
        stride[digit] = step;
        step *= is_row ? rows->extent[digit] : columns->extent[digit - rows->count];
    }
    const int length = write_strided(rows, stride, to, size);
    return length + write_strided(columns, stride + rows->count, to + length, size - (size_t)length);
}

static void write_contraction(uint64_t *state, const rule *by, char text[MODEL_TEXT])
{
    const sizes drawn = draw_by(state, by);
    const digits m = draw_digits(state, drawn.m), n = draw_digits(state, drawn.n), k = draw_digits(state, drawn.k);
    int length =
        snprintf(text, MODEL_TEXT, "%" PRId64 "x%" PRId64 "x%" PRId64 ":", extent_of(&m), extent_of(&n), extent_of(&k));
    length += write_shuffled(state, &m, &k, text + length, MODEL_TEXT - (size_t)length);
    length += snprintf(text + length, MODEL_TEXT - (size_t)length, ",");
    length += write_shuffled(state, &k, &n, text + length, MODEL_TEXT - (size_t)length);
    length += snprintf(text + length, MODEL_TEXT - (size_t)length, ",");
    write_shuffled(state, &m, &n, text + length, MODEL_TEXT - (size_t)length);
}

/* ---- suites ----------------------------------------------------------------------------------- */

static void swap(int64_t *x, int64_t *y)
{
    const int64_t before = *x;
    *x = *y;
    *y = before;
}

enum { SQUARES, SMALL, THIN, LONG, SHORT, VECTORS, CONTRACTIONS, LAYOUTS };
const char *const model_suites[] = { [SQUARES] = "squares",
                                     [SMALL] = "small",
                                     [THIN] = "thin",
                                     [LONG] = "long",
                                     [SHORT] = "short",
                                     [VECTORS] = "vectors",
                                     [CONTRACTIONS] = "contractions",
                                     [LAYOUTS] = "layouts",
                                     NULL };

/* By suite and whether it is for a device, which needs larger products to be busy. */
static const rule rules[][2] = {
    [SQUARES] = { { { 8, 1500 }, { 0 }, { 0 }, 0 }, { { 32, 5000 }, { 0 }, { 0 }, 0 } },
    [SMALL] = { { { 2, 128 }, { 2, 128 }, { 2, 128 }, 0 }, { { 2, 256 }, { 2, 256 }, { 2, 256 }, 0 } },
    [THIN] = { { { 2, 64 }, { 64, 6000 }, { 16, 5000 }, 100000000 },
               { { 2, 64 }, { 64, 16384 }, { 16, 16384 }, 2000000000 } },
    [LONG] = { { { 2, 160 }, { 2, 160 }, { 2000, 100000 }, 300000000 },
               { { 2, 160 }, { 2, 160 }, { 2000, 1000000 }, 4000000000 } },
    [SHORT] = { { { 48, 3000 }, { 48, 3000 }, { 1, 32 }, 100000000 },
                { { 48, 8192 }, { 48, 8192 }, { 1, 32 }, 1000000000 } },
    [VECTORS] = { { { 1, 1 }, { 1, 8000 }, { 16, 20000 }, 20000000 },
                  { { 1, 1 }, { 1, 16384 }, { 16, 65536 }, 60000000 } },
    [CONTRACTIONS] = { { { 24, 800 }, { 24, 800 }, { 24, 800 }, 60000000 },
                       { { 48, 3000 }, { 48, 3000 }, { 48, 3000 }, 8000000000 } },
    [LAYOUTS] = { { { 24, 800 }, { 24, 800 }, { 24, 800 }, 60000000 },
                  { { 64, 4500 }, { 64, 4500 }, { 64, 4500 }, 30000000000 } },
};

static sizes draw_sizes(int suite, uint64_t *state, const rule *by)
{
    const int64_t size = draw_size(state, by->m[0], by->m[1]); /* in all suites: what follows must not change */
    if (suite == SQUARES)
        return (sizes){ size, size, size };
    sizes of = draw_by(state, by);
    if ((suite == THIN || suite == VECTORS) && draw(state, 0, 1))
        swap(&of.m, &of.n);
    return of;
}

void model_draw(int suite, int number, uint64_t seed, int is_on_device, model_product *out)
{
    const rule *const by = &rules[suite][is_on_device];
    uint64_t state = seed + (uint64_t)(suite * MODEL_EACH + number) * 1000003u;
    random_next(&state);
    out->suite = model_suites[suite];
    if (suite == CONTRACTIONS) {
        write_contraction(&state, by, out->text);
        return;
    }
    const sizes of = draw_sizes(suite, &state, by);
    /* Half of the others have layouts too, row-major are the squares. */
    const int has_layouts = suite == LAYOUTS || (suite != SQUARES && draw(&state, 0, 1));
    write_product(&state, &of, has_layouts, out->text);
}
