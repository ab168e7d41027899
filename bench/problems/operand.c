/* A matrix in memory, reached element by element through its descriptor. */
#include "operand.h"

#include <math.h>
#include <stdlib.h>

#include "bench/base/complain.h"
#include "bench/base/element.h"
#include "bench/base/random.h"

enum { MANY = 1 << 20 }; /* elements from which on several threads are worth starting */

int64_t operand_lowest(const lay_desc *desc, lay_type type)
{
    int64_t low, high;
    lay_desc_span(desc, &low, &high);
    return low * (int64_t)lay_type_size(type);
}

size_t operand_size(const lay_desc *desc, lay_type type)
{
    int64_t low, high;
    lay_desc_span(desc, &low, &high);
    return (size_t)(high - low + 1) * lay_type_size(type);
}

double operand_bytes(const lay_desc *desc, lay_type type)
{
    int64_t low, high;
    lay_desc_span(desc, &low, &high);
    const double tables = (double)lay_desc_extent(desc, "0") + (double)lay_desc_extent(desc, "1") + 2;
    return ((double)high - (double)low + 1) * (double)lay_type_size(type) + tables * (double)sizeof(int64_t);
}

double operands_bytes(lay_desc *const desc[3], lay_type type)
{
    return operand_bytes(desc[0], type) + operand_bytes(desc[1], type) + operand_bytes(desc[2], type);
}

int operand_create(lay_type type, const lay_desc *desc, lay_memory kind, operand *out)
{
    *out = (operand){ .type = type, .desc = desc };
    out->rows = lay_desc_extent(desc, "0");
    out->columns = lay_desc_extent(desc, "1");
    const int empty = out->rows == 0 || out->columns == 0;
    out->row = calloc((size_t)out->rows + 1, sizeof *out->row);
    out->column = calloc((size_t)out->columns + 1, sizeof *out->column);
    if (!out->row || !out->column) {
        operand_destroy(out);
        return fail("out of memory");
    }
    for (int64_t i = 0; i < out->rows && !empty; i++)
        out->row[i] = lay_desc_offset(desc, 2, (const int64_t[]){ i, 0 });
    for (int64_t j = 0; j < out->columns && !empty; j++)
        out->column[j] = lay_desc_offset(desc, 2, (const int64_t[]){ 0, j }) - out->row[0];
    const lay_status status = lay_alloc(type, desc, kind, &out->zero);
    if (status != LAY_OK) {
        operand_destroy(out);
        return refuse_status(status, "a matrix of the problem");
    }
    return EXIT_FINE;
}

void operand_destroy(operand *of)
{
    free(of->row);
    free(of->column);
    lay_free(of->zero);
    *of = (operand){ 0 };
}

/* Of complex elements j counts the parts. */
static void put(operand *of, int64_t i, int64_t j, double value)
{
    const int parts = element_parts(of->type);
    element_write(of->type, of->zero, (of->row[i] + of->column[j / parts]) * parts + j % parts, value);
}

static double integer(uint64_t random, int64_t limit)
{
    return (double)((int64_t)(random >> 33) % (2 * limit + 1) - limit);
}

static double real_number(uint64_t random, int64_t limit)
{
    (void)limit;
    return ldexp((double)(random >> 40), -23) - 1.0;
}

static double sparse_number(uint64_t random, int64_t one_in)
{
    return (int64_t)(random >> 33) % one_in ? 0 : integer(random << 7, 1);
}

static double no_number(uint64_t random, int64_t limit)
{
    (void)random;
    (void)limit;
    return NAN;
}

/* Each row from its place in the one sequence of numbers. */
static void fill(operand *of, uint64_t seed, int64_t limit, double (*number)(uint64_t, int64_t))
{
#pragma omp parallel for if (of->rows * of->columns >= MANY)
    for (int64_t i = 0; i < of->rows; i++) {
        const int64_t numbers = of->columns * element_parts(of->type);
        uint64_t state = seed + (uint64_t)(i * numbers) * RANDOM_STEP;
        for (int64_t j = 0; j < numbers; j++)
            put(of, i, j, number(random_next(&state), limit));
    }
}

void operand_fill_integers(operand *of, uint64_t seed, int64_t limit)
{
    fill(of, seed, limit, integer);
}

void operand_fill_sparse(operand *of, uint64_t seed, int64_t one_in)
{
    fill(of, seed, one_in, sparse_number);
}

void operand_fill_real(operand *of, uint64_t seed)
{
    fill(of, seed, 0, real_number);
}

void operand_fill_nan(operand *of)
{
    fill(of, 0, 0, no_number);
}

void operand_times(const operand *of, const double in[], double out[])
{
    const int parts = element_parts(of->type);
#pragma omp parallel for if (of->rows * of->columns >= MANY)
    for (int64_t i = 0; i < of->rows; i++) {
        double sum = 0, imaginary = 0;
        for (int64_t j = 0; j < of->columns; j++) {
            const int64_t at = (of->row[i] + of->column[j]) * parts;
            const double x = element_read(of->type, of->zero, at);
            sum += in[j * parts] * x;
            if (parts == 2) {
                const double y = element_read(of->type, of->zero, at + 1);
                sum -= in[2 * j + 1] * y;
                imaginary += in[2 * j] * y + in[2 * j + 1] * x;
            }
        }
        out[i * parts] = sum;
        if (parts == 2)
            out[2 * i + 1] = imaginary;
    }
}
