/* The portable kernel: what every other row must equal but for its fused roundings. Included by a
 * file that defines REAL, MR and NR. */
#include <assert.h>
#include <string.h>

#include "kernel.h"

/* 16 bytes, a register of any machine with SIMD; written as a vector type because clang 14 leaves
 * part of the same loops on plain arrays scalar, with the sums in memory. */
typedef REAL vec __attribute__((vector_size(16), may_alias));
enum { LANES = sizeof(vec) / sizeof(REAL), NV = NR / LANES };

/* Where an element of rows that alternate lies. */
static REAL *place_paired(const lay_tile *t, int i, int j)
{
    const int half = j / (NR / 2);
    return (REAL *)t->c + t->row[i / 2 * 2 + half] + 2 * (j - half * (NR / 2)) + i % 2;
}

static void compute_tile(const lay_tile *t)
{
    vec acc[MR][NV] = { { { 0 } } };
    const REAL *a = t->a; /* [k][MR] */
    const vec *b = t->b;  /* [k][NV] */

    assert(1 <= t->m && t->m <= MR && 1 <= t->n && t->n <= NR);
    for (int64_t p = 0; p < t->k; p++, a += MR, b += NV)
        for (int i = 0; i < MR; i++)
            for (int v = 0; v < NV; v++)
                acc[i][v] += a[i] * b[v];

    const REAL alpha = *(const REAL *)t->alpha, beta = *(const REAL *)t->beta;
    for (int i = 0; i < t->m; i++) {
        REAL *c = (REAL *)t->c + t->row[i], sum[NR];
        memcpy(sum, acc[i], sizeof sum);
        for (int j = 0; j < t->n; j++) {
            if (j == NR / 2)
                c += t->half - NR / 2;
            REAL *const at = t->is_paired ? place_paired(t, i, j) : &c[j];
            *at = beta == 0 ? alpha * sum[j] : alpha * sum[j] + beta * *at;
        }
    }
}

/* What every other row's must equal, as above. */
static void compute_strided(const lay_strided *t)
{
    REAL acc[MR][NR] = { { 0 } };
    assert(1 <= t->m && t->m <= MR && 1 <= t->n && t->n <= NR);
    for (int s = 0; s < t->segments; s++) {
        const REAL *a = (const REAL *)t->a + t->segment[s].from_a, *b = (const REAL *)t->b + t->segment[s].from_b;
        for (int64_t p = 0; p < t->segment[s].count; p++, a += t->a_step, b += t->b_step)
            for (int i = 0; i < t->m; i++)
                for (int j = 0; j < t->n; j++)
                    acc[i][j] += a[i * t->a_row] * b[j];
    }
    const REAL alpha = *(const REAL *)t->alpha, beta = *(const REAL *)t->beta;
    for (int i = 0; i < t->m; i++) {
        REAL *c = (REAL *)t->c + i * t->c_row;
        for (int j = 0; j < t->n; j++)
            c[j] = beta == 0 ? alpha * acc[i][j] : alpha * acc[i][j] + beta * c[j];
    }
}

static void multiply_whole(const lay_whole *of, const void *alpha, const void *a, const void *b, const void *beta,
                           void *c)
{
    const REAL own_alpha = *(const REAL *)alpha, own_beta = *(const REAL *)beta;
    const lay_segment all = { .count = of->k };
    lay_strided tile = { .segment = &all,
                         .segments = 1,
                         .a_row = of->a_row,
                         .a_step = of->a_step,
                         .b_step = of->b_step,
                         .c_row = of->c_row,
                         .alpha = &own_alpha,
                         .beta = &own_beta };
    for (int64_t i = 0; i < of->m; i += MR)
        for (int64_t j = 0; j < of->n; j += NR) {
            tile.m = (int)(of->m - i < MR ? of->m - i : MR);
            tile.n = (int)(of->n - j < NR ? of->n - j : NR);
            tile.a = (const REAL *)a + i * of->a_row;
            tile.b = (const REAL *)b + j;
            tile.c = (REAL *)c + i * of->c_row + j;
            compute_strided(&tile);
        }
}

static lay_whole_fn *choose_whole(const lay_whole *of)
{
    (void)of;
    return multiply_whole;
}

static void compute_sweep(const lay_sweep *t)
{
    assert(1 <= t->m && t->m <= MR && t->n >= 1);
    const REAL alpha = *(const REAL *)t->alpha, beta = *(const REAL *)t->beta;
    for (int i = 0; i < t->m; i++) {
        REAL *sums = (REAL *)t->sums + i * t->n, *c = (REAL *)t->c + i * t->c_row;
        for (int64_t j = 0; j < t->n && t->is_first; j++)
            sums[j] = 0;
        for (int64_t p = 0; p < t->k; p++) {
            const REAL a = ((const REAL *)t->a)[i + p * t->a_step];
            const REAL *b = (const REAL *)t->b + p * t->b_step;
            for (int64_t j = 0; j < t->n; j++)
                sums[j] += a * b[j];
        }
        for (int64_t j = 0; j < t->n && t->is_last; j++)
            c[j] = beta == 0 ? alpha * sums[j] : alpha * sums[j] + beta * c[j];
    }
}

static void compute_dots(const lay_dots *t)
{
    assert(1 <= t->m && t->m <= LAY_DOT_ROWS && t->n >= 1);
    const REAL alpha = *(const REAL *)t->alpha, beta = *(const REAL *)t->beta;
    for (int i = 0; i < t->m; i++)
        for (int64_t j = 0; j < t->n; j++) {
            const REAL *b = (const REAL *)t->b + j * t->b_column;
            REAL sum = 0, *c = (REAL *)t->c + i * t->c_row + j;
            for (int64_t p = 0; p < t->k; p++)
                sum += ((const REAL *)t->a)[i * t->a_row + p * t->a_step] * b[p];
            *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
        }
}

enum { PARTIALS = LAY_PARTIAL_BYTES / sizeof(REAL) };

/* The partial sums become the block's, in partial sum[0]. */
static REAL join_partials(REAL partial[PARTIALS])
{
    for (int half = PARTIALS / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            partial[l] += partial[l + half];
    return partial[0];
}

static void add_along(REAL partial[PARTIALS], const REAL *x, const REAL *b, int64_t steps)
{
    int64_t p = 0;
    for (; p + PARTIALS <= steps; p += PARTIALS)
        for (int l = 0; l < PARTIALS; l++)
            partial[l] += x[p + l] * b[p + l];
    for (; p < steps; p++)
        partial[p % PARTIALS] += x[p] * b[p];
}

static void compute_along(const lay_along *t)
{
    assert(t->n >= 1 && (t->segments == 1 || t->k <= t->kc));
    for (int64_t j = 0; j < t->n; j++) {
        REAL *sums = (REAL *)t->sums + j;
        for (int64_t p = 0; p < t->k; p += t->kc, sums += t->sums_row) {
            REAL partial[PARTIALS] = { 0 };
            for (int s = 0; s < t->segments; s++) {
                const lay_segment *own = &t->segment[s];
                const int64_t rest = own->count - p, steps = rest < t->kc ? rest : t->kc;
                add_along(partial, (const REAL *)t->x + own->from_a + p,
                          (const REAL *)t->b + t->line[j] + own->from_b + p, steps);
            }
            *sums = join_partials(partial);
        }
    }
}

static void compute_across(const lay_across *t)
{
    REAL *partial = t->room; /* [n][PARTIALS] */
    memset(partial, 0, (size_t)t->n * PARTIALS * sizeof *partial);
    for (int s = 0; s < t->segments; s++) {
        const REAL *x = (const REAL *)t->x + t->segment[s].from_a, *b = (const REAL *)t->b + t->segment[s].from_b;
        for (int64_t p = 0; p < t->segment[s].count; p++)
            for (int64_t j = 0; j < t->n; j++)
                partial[j * PARTIALS + p % PARTIALS] += x[p] * b[p * t->b_step + j];
    }
    for (int64_t j = 0; j < t->n; j++)
        ((REAL *)t->sums)[j] = join_partials(partial + j * PARTIALS);
}

/* The loops' order follows what is contiguous in the source. */
static inline void pack_by_step(const lay_panel *pack, int width)
{
    for (int64_t p = 0; p < pack->k; p++) {
        const REAL *from = (const REAL *)pack->src + pack->along[p];
        REAL *to = (REAL *)pack->dst + p * width;
        for (int i = 0; i < pack->w; i++)
            to[i] = from[pack->across[i]];
    }
}

static inline void pack_across(const lay_panel *pack, int width)
{
    for (int64_t p = 0; p < pack->k; p++) {
        const REAL *from = (const REAL *)pack->src + pack->across[0] + pack->along[p];
        REAL *to = (REAL *)pack->dst + p * width;
        for (int i = 0; i < pack->w; i++)
            to[i] = from[i];
    }
}

static inline void pack_along(const lay_panel *pack, int width)
{
    for (int i = 0; i < pack->w; i++) {
        const REAL *from = (const REAL *)pack->src + pack->across[i] + pack->along[0];
        REAL *to = (REAL *)pack->dst + i;
        for (int64_t p = 0; p < pack->k; p++)
            to[p * width] = from[p];
    }
}

static void pack_interleaved(const lay_interleaved *set)
{
    const lay_panel *pack = &set->first;
    for (int64_t p = 0; p < pack->k; p++)
        for (int i = 0; i < pack->w; i++) {
            const REAL *from = (const REAL *)pack->src + pack->across[i] + pack->along[p];
            REAL *to = (REAL *)pack->dst + p * NR + i;
            for (int q = 0; q < set->count; q++)
                to[q * set->further] = from[q << set->is_paired];
        }
}

static void pack_a_across(const lay_panel *pack)
{
    pack_across(pack, MR);
}

static void pack_a_along(const lay_panel *pack)
{
    pack_along(pack, MR);
}

static void pack_a_any(const lay_panel *pack)
{
    pack_by_step(pack, MR);
}

static void pack_b_across(const lay_panel *pack)
{
    pack_across(pack, NR);
}

static void pack_b_along(const lay_panel *pack)
{
    pack_along(pack, NR);
}

static void pack_b_any(const lay_panel *pack)
{
    pack_by_step(pack, NR);
}
