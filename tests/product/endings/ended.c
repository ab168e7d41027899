/* Endings in plain arithmetic. */
#include "ended.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/layouts.h"

void ended_make_term(random_source *from, lay_type type, const char *labels, int64_t m, int64_t n, ended_term *out)
{
    const int rank = (int)strlen(labels), parts = oracle_parts(type);
    const int64_t extent[2] = { labels[0] == 'j' ? n : m, labels[0] == 'j' ? m : n };
    int64_t lowest = 0, highest = 0;
    *out = (ended_term){ .columns = n };
    if (rank == 1)
        out->desc = layout_parse("[%lld:%lld]", (long long)extent[0], (long long)random_in(from, -3, 3));
    else if (rank == 2)
        out->desc = layout_random(from, LAYOUT_INPUT, extent[0], extent[1]);
    if (out->desc)
        lay_desc_span(out->desc, &lowest, &highest);
    const size_t size = lay_type_size(type), count = (size_t)(highest - lowest + 1);
    out->memory = oracle_memory((count + 1) * size);
    char *const zero = out->memory - lowest * (int64_t)size;
    out->zero = zero;
    for (int64_t at = lowest * parts; at < (highest + 1) * parts; at++)
        oracle_store(oracle_real(type), zero, at, 3 * random_unit(from) - 1.5);
    out->values = oracle_memory((size_t)(m * n * parts + 1) * sizeof(double));
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            const int64_t index[2] = { labels[0] == 'j' ? j : i, labels[0] == 'j' ? i : j };
            const int64_t at = rank ? lay_desc_offset(out->desc, rank, index) : 0;
            for (int p = 0; p < parts; p++)
                out->values[(i * n + j) * parts + p] = oracle_load(oracle_real(type), zero, at * parts + p);
        }
    out->as_given = (lay_ending_tensor){ .desc = out->desc, .labels = labels, .type = type };
}

void ended_free_term(ended_term *of)
{
    lay_desc_destroy(of->desc);
    free(of->memory);
    free(of->values);
}

/* x y of parts of the sum's type, each product and each sum rounded. */
static void multiply(lay_type real, double x[2], const double y[2])
{
    const double re = x[0], im = x[1];
    if (y[1] == 0) {
        x[0] = oracle_round(real, y[0] * re);
        x[1] = oracle_round(real, y[0] * im);
        return;
    }
    x[0] = oracle_round(real, oracle_round(real, y[0] * re) - oracle_round(real, y[1] * im));
    x[1] = oracle_round(real, oracle_round(real, y[0] * im) + oracle_round(real, y[1] * re));
}

void ended_element(const lay_ending *ending, const ended_term term[ENDED_TERMS], lay_type sum, lay_type d, int64_t i,
                   int64_t j, const double *value, double wanted[2], double *slack)
{
    const lay_type real = oracle_real(sum);
    const double low = oracle_round(real, ending->low), high = oracle_round(real, ending->high);
    double x[2] = { value[0], oracle_parts(sum) == 2 ? value[1] : 0 };
    *slack = 0;
    for (int t = 0; t < ENDED_TERMS; t++) {
        if (!term[t].zero)
            continue;
        const int parts = oracle_parts(term[t].as_given.type);
        const double *at = term[t].values + (i * term[t].columns + j) * parts;
        const double y[2] = { at[0], parts == 2 ? at[1] : 0 };
        if (t < 2)
            multiply(real, x, y);
        else
            for (int p = 0; p < 2; p++)
                x[p] = oracle_round(real, x[p] + y[p]);
    }
    if (ending->activation == LAY_ACTIVATION_RELU)
        x[0] = x[0] <= 0 ? 0 : x[0];
    else if (ending->activation == LAY_ACTIVATION_CLAMP)
        x[0] = x[0] < low ? low : x[0] > high ? high : x[0];
    else if (ending->activation == LAY_ACTIVATION_GELU_TANH) {
        const long double t = 2 * sqrtl(2 / acosl(-1)) * (x[0] + 0.044715L * x[0] * x[0] * x[0]);
        const long double gelu = x[0] / (1 + expl(-t));
        const double step = real == LAY_F64 ? 0x1p-52 : 0x1p-23;
        x[0] = (double)gelu;
        *slack = (4 + 2 * fabs((double)t)) * step * fabs(x[0]) + 1e-37;
    }
    for (int p = 0; p < 2; p++)
        wanted[p] = oracle_round(oracle_real(d), x[p]);
    if (*slack > 0) /* and one step of D's type, if it is narrower */
        *slack += fabs(wanted[0] - oracle_round(oracle_real(d), wanted[0] * (1 + (d == LAY_F16    ? 0x1p-10
                                                                                  : d == LAY_BF16 ? 0x1p-7
                                                                                  : d == LAY_F32  ? 0x1p-23
                                                                                                  : 0x1p-52)))) +
                  (d == LAY_F16 ? 0x1p-24 : 0);
}
