/* Random layouts over places. */
#include "spread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/places.h"

/* One side's digits: cycles, places, blocks. Which dimension of P, and of A; -1: of P none. */
typedef struct side {
    int64_t extent, places, block, cycles;
    int dim;
    char text[120];
} side;

static side make_side(random_source *from, int64_t extent, int dim, int64_t places)
{
    side made = { .extent = extent, .places = places, .dim = dim };
    static const int usual[] = { 1, 2, 3, 8, 64 };
    const int64_t even = (extent + places - 1) / places;
    made.block = random_in(from, 0, 2) ? usual[random_in(from, 0, 4)] : even > 0 ? even : 1;
    made.cycles = (extent + places * made.block - 1) / (places * made.block);
    return made;
}

/* outer, inner: the numbers of its cycles and its blocks in A. */
static void write_side(side *of, const char *place, int outer, int inner)
{
    const int64_t blocks = (of->extent + of->block - 1) / of->block;
    if (of->dim < 0 && of->cycles > 1)
        snprintf(of->text, sizeof of->text, "[%lld[#A_%d][#A_%d]]", (long long)of->extent, outer, inner);
    else if (of->dim < 0)
        snprintf(of->text, sizeof of->text, "[%lld#A_%d]", (long long)of->extent, inner);
    else if (of->cycles > 1)
        snprintf(of->text, sizeof of->text, "[%lld[#A_%d][#%s][#A_%d]]", (long long)of->extent, outer, place, inner);
    else if (blocks > 1)
        snprintf(of->text, sizeof of->text, "[%lld[%lld#%s][#A_%d]]", (long long)of->extent, (long long)blocks, place,
                 inner);
    else
        snprintf(of->text, sizeof of->text, "[[1#%s][%lld#A_%d]]", place, (long long)of->extent, inner);
}

/* Which dimensions of the places go to rows and to columns; those that go nowhere hold copies. */
static void deal(random_source *from, int dim[2])
{
    static const int ways[][2] = {
        { 0, 1 }, { 0, 1 }, { 1, 0 }, { 2, -1 }, { -1, 2 }, { 0, -1 }, { -1, 1 }, { -1, -1 }
    };
    const int way = (int)random_in(from, 0, sizeof ways / sizeof ways[0] - 1);
    dim[0] = ways[way][0];
    dim[1] = ways[way][1];
}

void spread_make(random_source *from, lay_type type, int64_t rows, int64_t columns, int grid_rows, int grid_columns,
                 spread *out)
{
    static const char *const place[] = { "P_0", "P_1", "P" };
    const int is_part = rows > 0 && columns > 0 && random_one_in(from, 4); /* some places may have no element of it */
    int64_t extent[] = { rows, columns }, first[2] = { 0, 0 };
    const int64_t count[] = { grid_rows, grid_columns, grid_rows * grid_columns };
    int dim[2], order[4] = { 0, 1, 2, 3 }, at[4];
    side sides[2];
    char text[500];
    deal(from, dim);
    for (int i = 0; i < 2 && is_part; i++) {
        first[i] = random_in(from, 0, 20);
        extent[i] += first[i] + random_in(from, 0, 20);
    }
    for (int i = 3; i > 0; i--) {
        const int j = (int)random_in(from, 0, i), was = order[i];
        order[i] = order[j];
        order[j] = was;
    }
    for (int i = 0; i < 4; i++)
        at[order[i]] = i;
    for (int i = 0; i < 2; i++) {
        sides[i] = make_side(from, extent[i], dim[i], dim[i] < 0 ? 1 : count[dim[i]]);
        write_side(&sides[i], dim[i] < 0 ? "" : place[dim[i]], at[2 * i], at[2 * i + 1]);
    }
    int length = snprintf(text, sizeof text, "P=(%d)(%d); A=", grid_rows, grid_columns);
    for (int i = 0; i < 4; i++) {
        const side *const of = &sides[order[i] / 2];
        const int64_t digit = order[i] % 2 ? of->block : of->cycles > 1 ? of->cycles : 1;
        length += snprintf(text + length, sizeof text - (size_t)length, "[%lld]", (long long)digit);
    }
    length += snprintf(text + length, sizeof text - (size_t)length, "; %s%s%s", is_part ? "B=" : "", sides[0].text,
                       sides[1].text);
    if (is_part)
        snprintf(text + length, sizeof text - (size_t)length, "; [%lld@%lld#B_0][%lld@%lld#B_1]", (long long)rows,
                 (long long)first[0], (long long)columns, (long long)first[1]);
    spread_of_text(type, text, out);
}

void spread_of_text(lay_type type, const char *text, spread *out)
{
    *out = (spread){ .type = type };
    snprintf(out->text, sizeof out->text, "%s", text);
    if (lay_desc_parse(text, &out->desc) != LAY_OK) {
        fprintf(stderr, "%s\n%s\n", text, lay_last_error());
        abort();
    }
    out->places = (int)lay_desc_places(out->desc);
    out->block = calloc((size_t)out->places, sizeof *out->block);
    out->part = calloc((size_t)out->places, sizeof *out->part);
    for (int p = 0; p < out->places; p++) {
        lay_desc *part = NULL;
        int64_t lowest, highest;
        if (lay_desc_local(out->desc, p, &part) != LAY_OK)
            abort();
        lay_desc_span(part, &lowest, &highest);
        const size_t size = lay_type_size(type), bytes = (size_t)(highest - lowest + 1) * size;
        if (lay_desc_extent(part, "") > 0) { /* of exactly its size, for sanitizers */
            out->block[p] = malloc(bytes);
            memset(out->block[p], 0x5a, bytes);
            out->part[p] = (void *)((uintptr_t)out->block[p] - (uintptr_t)(lowest * (int64_t)size));
        }
        lay_desc_destroy(part);
    }
}

void spread_free(spread *of)
{
    for (int p = 0; p < of->places; p++)
        free(of->block[p]);
    free(of->block);
    free(of->part);
    lay_desc_destroy(of->desc);
}

/* All copies of all elements (only >= 0: at that place), one after the other: copied from dense, or compared with it.
 */
static int visit(const spread *of, int only, const void *dense, int is_scattered)
{
    const int rank = lay_desc_rank(of->desc);
    const size_t size = lay_type_size(of->type);
    int64_t *const value = calloc((size_t)of->places * (size_t)rank, sizeof *value);
    int64_t *const copy = calloc((size_t)of->places, sizeof *copy), *owner[8], *offset[8], extent[8];
    int is_equal = 1;
    if (rank > 8 || lay_desc_place_table(of->desc, value, copy) != LAY_OK)
        abort();
    for (int d = 0; d < rank; d++) {
        extent[d] = lay_desc_map(of->desc, d)->extent;
        owner[d] = calloc((size_t)extent[d] + 1, sizeof *owner[d]);
        offset[d] = calloc((size_t)extent[d] + 1, sizeof *offset[d]);
        lay_desc_place_axis(of->desc, d, owner[d], offset[d]);
    }
    for (int64_t i = 0; i < lay_desc_extent(of->desc, ""); i++)
        for (int p = 0; p < of->places; p++) {
            int64_t rest = i, at = 0;
            int is_here = copy[p] >= 0 && (only < 0 || only == p);
            for (int d = rank - 1; d >= 0; rest /= extent[d--]) {
                is_here = is_here && owner[d][rest % extent[d]] == value[p * rank + d];
                at += offset[d][rest % extent[d]];
            }
            if (!is_here)
                continue;
            char *const element = (char *)of->part[p] + at * (int64_t)size;
            const char *const wanted = (const char *)dense + i * (int64_t)size;
            if (is_scattered)
                memcpy(element, wanted, size);
            else
                is_equal &= memcmp(element, wanted, size) == 0;
        }
    for (int d = 0; d < rank; d++) {
        free(owner[d]);
        free(offset[d]);
    }
    free(value);
    free(copy);
    return is_equal;
}

void spread_scatter(spread *to, const void *dense)
{
    visit(to, -1, dense, 1);
}

int spread_equals(const spread *of, const void *dense)
{
    return visit(of, -1, dense, 0);
}

int spread_equals_at(const spread *of, int place, const void *dense)
{
    return visit(of, place, dense, 0);
}

static double random_number(random_source *from)
{
    return 2 * random_unit(from) - 1;
}

void spread_fill(random_source *from, lay_type type, int64_t count, void *elements)
{
    float *const f32 = elements;
    double *const f64 = elements;
    uint16_t *const half = elements;
    for (int64_t i = 0; i < (type == LAY_C32 || type == LAY_C64 ? 2 * count : count); i++)
        if (type == LAY_F32 || type == LAY_C32)
            f32[i] = (float)random_number(from);
        else if (type == LAY_F64 || type == LAY_C64)
            f64[i] = random_number(from);
        else if (type == LAY_F16) /* from 2^-5 to 1 */
            half[i] =
                (uint16_t)(random_in(from, 0, 1) << 15 | (10 + random_in(from, 0, 4)) << 10 | random_in(from, 0, 1023));
        else
            half[i] =
                (uint16_t)(random_in(from, 0, 1) << 15 | (122 + random_in(from, 0, 4)) << 7 | random_in(from, 0, 127));
}

void spread_scalar(random_source *from, lay_type type, double out[2])
{
    static const double usual[] = { 0, 1, -1, 0.75 };
    const double real = usual[random_in(from, 0, 3)], imaginary = random_in(from, 0, 2) ? 0 : random_number(from);
    const float f32[] = { (float)real, (float)imaginary };
    out[0] = real;
    out[1] = imaginary;
    if (type != LAY_F64 && type != LAY_C64)
        memcpy(out, f32, sizeof f32);
}

int spread_scalar_is_zero(lay_type type, const double scalar[2])
{
    float f32[2];
    memcpy(f32, scalar, sizeof f32);
    const int is_double = type == LAY_F64 || type == LAY_C64, is_complex = type == LAY_C32 || type == LAY_C64;
    return (is_double ? scalar[0] : f32[0]) == 0 && (!is_complex || (is_double ? scalar[1] : f32[1]) == 0);
}

void *spread_dense(random_source *from, lay_type type, int64_t rows, int64_t columns)
{
    void *const made = malloc((size_t)(rows * columns + 1) * lay_type_size(type));
    spread_fill(from, type, rows * columns, made);
    return made;
}

lay_status spread_multiply(lay_type type, const int64_t size[3], const void *alpha, const void *a, const void *b,
                           const void *beta, void *c)
{
    lay_options options = LAY_OPTIONS_INIT;
    lay_desc *desc[3];
    options.backend = LAY_BACKEND_CPU;
    lay_desc_natural(2, (const int64_t[]){ size[0], size[2] }, &desc[0]);
    lay_desc_natural(2, (const int64_t[]){ size[2], size[1] }, &desc[1]);
    lay_desc_natural(2, (const int64_t[]){ size[0], size[1] }, &desc[2]);
    const lay_status status = lay_gemm(type, desc[0], desc[1], desc[2], alpha, a, b, beta, c, &options);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    return status;
}

/* ---- sums by slices --------------------------------------------------------------------------- */

static int64_t slice_first(int64_t k, int64_t slices, int64_t i)
{
    return (k * i + slices - 1) / slices;
}

/* Of slices from first to before end: one, or the sum of two halves. */
typedef struct slicing {
    lay_type type, sum;
    const int64_t *size;
    const char *a, *b;
    int64_t slices;
} slicing;

static lay_status multiply_slice(const slicing *of, int64_t slice, void *sums)
{
    const int64_t m = of->size[0], n = of->size[1], k = of->size[2], first = slice_first(k, of->slices, slice);
    const int64_t depth = slice_first(k, of->slices, slice + 1) - first;
    const double one[2] = { 1 }, zero[2] = { 0 };
    const float one_float[2] = { 1 };
    const size_t bytes = lay_type_size(of->type);
    lay_product product = LAY_PRODUCT_INIT;
    lay_options options = LAY_OPTIONS_INIT;
    lay_desc *desc[3];
    lay_plan *plan = NULL;
    options.backend = LAY_BACKEND_CPU;
    lay_desc_strided(2, (const int64_t[]){ m, depth }, (const int64_t[]){ k, 1 }, &desc[0]);
    lay_desc_strided(2, (const int64_t[]){ depth, n }, (const int64_t[]){ n, 1 }, &desc[1]);
    lay_desc_natural(2, (const int64_t[]){ m, n }, &desc[2]);
    product.type_a = product.type_b = of->type;
    product.type_c = product.type_d = of->sum;
    product.labels = "ik,kj->ij";
    product.a = desc[0];
    product.b = desc[1];
    product.c = desc[2];
    lay_status status = lay_plan_create_product(&product, &options, &plan);
    if (status == LAY_OK)
        status =
            lay_plan_run(plan, of->sum == LAY_F64 || of->sum == LAY_C64 ? (const void *)one : (const void *)one_float,
                         of->a + (size_t)first * bytes, of->b + (size_t)(first * n) * bytes, zero, sums);
    lay_plan_destroy(plan);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    return status;
}

static void add_all(lay_type sum, int64_t count, void *x, const void *y)
{
    const int is_double = sum == LAY_F64 || sum == LAY_C64;
    const int64_t numbers = count * (sum == LAY_C32 || sum == LAY_C64 ? 2 : 1);
    for (int64_t i = 0; i < numbers && is_double; i++)
        ((double *)x)[i] += ((const double *)y)[i];
    for (int64_t i = 0; i < numbers && !is_double; i++)
        ((float *)x)[i] += ((const float *)y)[i];
}

static lay_status multiply_halves(const slicing *of, int64_t first, int64_t end, void *sums)
{
    if (end - first == 1)
        return multiply_slice(of, first, sums);
    const int64_t count = of->size[0] * of->size[1];
    void *const right = calloc((size_t)count + 1, lay_type_size(of->sum));
    lay_status status = multiply_halves(of, first, (first + end) / 2, sums);
    if (status == LAY_OK)
        status = multiply_halves(of, (first + end) / 2, end, right);
    add_all(of->sum, count, sums, right);
    free(right);
    return status;
}

lay_status spread_multiply_slices(lay_type type, const int64_t size[3], const void *alpha, const void *a, const void *b,
                                  const void *beta, void *c)
{
    slicing of = { type, lay_type_size(type) == 2 ? LAY_F32 : type, size, a, b, 1 };
    lay_desc *dense = NULL;
    while (of.slices < 256 && size[2] / (2 * of.slices) >= 1024)
        of.slices *= 2;
    void *const sums = calloc((size_t)(size[0] * size[1]) + 1, lay_type_size(of.sum));
    lay_desc_natural(2, size, &dense);
    lay_status status = multiply_halves(&of, 0, of.slices, sums);
    if (status == LAY_OK)
        status = lay_axpby(of.sum, dense, alpha, sums, type, dense, beta, c, 0, NULL);
    lay_desc_destroy(dense);
    free(sums);
    return status;
}
