/* A matrix in memory, reached element by element through its descriptor. */
#include "operand.h"

#include <math.h>
#include <stdlib.h>

#include "tool.h"

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* SplitMix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int operand_create(lay_type type, const lay_desc *desc, operand *out)
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
    const lay_status status = lay_alloc(type, desc, LAY_MEMORY_HOST, &out->zero);
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

static void put(operand *of, int64_t i, int64_t j, double value)
{
    const int64_t at = of->row[i] + of->column[j];
    if (of->type == LAY_F32)
        ((float *)of->zero)[at] = (float)value;
    else
        ((double *)of->zero)[at] = value;
}

void operand_fill_whole(operand *of, uint64_t seed, int64_t limit)
{
    for (int64_t i = 0; i < of->rows; i++)
        for (int64_t j = 0; j < of->columns; j++)
            put(of, i, j, (double)((int64_t)(random_next(&seed) >> 33) % (2 * limit + 1) - limit));
}

void operand_fill_real(operand *of, uint64_t seed)
{
    for (int64_t i = 0; i < of->rows; i++)
        for (int64_t j = 0; j < of->columns; j++)
            put(of, i, j, ldexp((double)(random_next(&seed) >> 40), -23) - 1.0);
}

void operand_fill_nan(operand *of)
{
    for (int64_t i = 0; i < of->rows; i++)
        for (int64_t j = 0; j < of->columns; j++)
            put(of, i, j, NAN);
}

void operand_times(const operand *of, const double in[], double out[])
{
    for (int64_t i = 0; i < of->rows; i++) {
        double sum = 0;
        for (int64_t j = 0; j < of->columns; j++) {
            const int64_t at = of->row[i] + of->column[j];
            sum +=
                in[j] * (of->type == LAY_F32 ? (double)((const float *)of->zero)[at] : ((const double *)of->zero)[at]);
        }
        out[i] = sum;
    }
}
