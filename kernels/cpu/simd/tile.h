/* The tile function of a SIMD row: MR x NR sums in registers, NR = NV registers. Included by a row
 * after the registers' header (vec_f32.h or vec_f64.h of its level) and its MR, NV.
 *
 *   one step:  b[0..NV)   <- NV registers of B              acc[0][0] .. acc[0][NV-1]
 *              for i:  x  <- A's entry i in all lanes        ...            fma(x, b[v], .)
 *                                                            acc[MR-1][0] ..
 *
 * Fewer rows and fewer registers across (an edge) are computed as such, by the same text with
 * smaller constants, so a thin product does not pay for a full tile. */
#include <assert.h>

#include "cpu/simd/rows.h"
#include "cpu/simd/unrolled.h"
#include "kernel.h"

enum {
    NR = NV * LANES,
    LINE = 64,                 /* bytes of a cache line */
    UNROLL = LINE / LAY_AHEAD, /* steps for each line of next_b */
    LEAD = 8                   /* groups of UNROLL steps between the last prefetch of C and its use; lines of next_a */
};

/* A row of C is NR elements anywhere: up to one line more than they fill. */
static inline void prefetch_far(const real *c, int vecs)
{
    for (int at = 0; at < vecs * LANES; at += LINE / (int)sizeof(real))
        __builtin_prefetch(c + at, 0, 2);
    __builtin_prefetch(c + vecs * LANES - 1, 0, 2);
}

static inline void prefetch_to_write(const real *c, int vecs)
{
    for (int at = 0; at < vecs * LANES; at += LINE / (int)sizeof(real))
        __builtin_prefetch(c + at, 1, 3);
    __builtin_prefetch(c + vecs * LANES - 1, 1, 3);
}

static inline __attribute__((always_inline)) void add_step(vec acc[MR][NV], const real *a, const real *b, int rows,
                                                           int vecs)
{
    vec y[NV];
    UNROLLED
    for (int v = 0; v < vecs; v++)
        y[v] = vec_load(b + v * LANES);
    UNROLLED
    for (int i = 0; i < rows; i++) {
        const vec x = vec_set(a[i]);
        UNROLLED
        for (int v = 0; v < vecs; v++)
            acc[i][v] = vec_fma(x, y[v], acc[i][v]);
    }
    /* While y lives the sums cannot take its registers: gcc 12 moves them about else, and spills. */
    UNROLLED
    for (int v = 0; v < vecs; v++)
        __asm__ volatile("" : : "v"(y[v]));
}

#ifndef HAS_GROUP
/* UNROLL steps of a whole tile; a level that has its own says so. */
static inline __attribute__((always_inline)) void add_group(vec acc[MR][NV], const real *a, const real *b)
{
    UNROLLED
    for (int u = 0; u < UNROLL; u++)
        add_step(acc, a + u * MR, b + u * NR, MR, NV);
}
#endif

static inline __attribute__((always_inline)) void add_steps(vec acc[MR][NV], const real *a, const real *b, int rows,
                                                            int vecs)
{
    if (rows == MR && vecs == NV) {
        add_group(acc, a, b);
        return;
    }
    UNROLLED
    for (int u = 0; u < UNROLL; u++)
        add_step(acc, a + u * MR, b + u * NR, rows, vecs);
}

/* acc becomes what C will hold. Where alpha and beta are 1 the products change nothing, and adding
 * is left to the units that do not multiply. */
typedef enum ending { SCALE, ADD, SCALE_AND_ADD } ending;

/* Where a tile's last register across goes: behind the others as far as C has columns, or, where that
 * would ask for a mask and there is room, over columns that another one has too, with the same sums. */
typedef struct edge {
    int last, is_whole;
    lanes some;
} edge;

/* Rows of C one after the other: at row[i], or a step apart, by a pointer that runs along. One for each row would be
 * spilled where strides take registers. */
typedef struct walk {
    real *const *row; /* NULL: from next on */
    real *next;
    int64_t step;
} walk;

static inline __attribute__((always_inline)) real *next_row(walk *c, int i)
{
    if (c->row)
        return c->row[i];
    real *const at = c->next;
    c->next += c->step;
    __asm__("" : "+r"(c->next));
    return at;
}

static inline __attribute__((always_inline)) void end_sums(vec acc[MR][NV], walk c, edge e, real alpha, real beta,
                                                           ending how, int rows, int vecs)
{
    const vec x = vec_set(alpha), y = vec_set(beta);
    UNROLLED
    for (int i = 0; i < rows; i++) {
        const real *const row = how == SCALE ? c.next : next_row(&c, i);
        UNROLLED
        for (int v = 0; v < vecs; v++) {
            if (how == SCALE) {
                acc[i][v] = vec_mul(x, acc[i][v]);
                continue;
            }
            const real *from = row + (v < vecs - 1 ? v * LANES : e.last);
            const vec old = v < vecs - 1 || e.is_whole ? vec_load(from) : vec_load_some(from, e.some);
            acc[i][v] = how == ADD ? vec_add(acc[i][v], old) : vec_fma(x, acc[i][v], vec_mul(y, old));
        }
    }
}

static inline __attribute__((always_inline)) void store_sums(vec acc[MR][NV], walk c, edge e, int rows, int vecs)
{
    UNROLLED
    for (int i = 0; i < rows; i++) {
        real *const row = next_row(&c, i);
        UNROLLED
        for (int v = 0; v < vecs; v++)
            if (v < vecs - 1)
                vec_store(row + v * LANES, acc[i][v]);
            else if (e.is_whole)
                vec_store(row + e.last, acc[i][v]);
            else
                vec_store_some(row + e.last, e.some, acc[i][v]);
    }
}

/* All of C is read before any of it is written: rows a power of two apart look to the core like
 * the ones just stored. */
static inline __attribute__((always_inline)) void update(vec acc[MR][NV], walk c, edge e, real alpha, real beta,
                                                         int rows, int vecs)
{
    if (beta == 0 && alpha != 1)
        end_sums(acc, c, e, alpha, beta, SCALE, rows, vecs);
    else if (beta == 1 && alpha == 1)
        end_sums(acc, c, e, alpha, beta, ADD, rows, vecs);
    else if (beta != 0)
        end_sums(acc, c, e, alpha, beta, SCALE_AND_ADD, rows, vecs);
    store_sums(acc, c, e, rows, vecs);
}

/* C's rows in two halves. On their own, with the sums in memory: in the tile's text they would cost sums of its loop
 * their registers (tests/build/registers.py). */
static __attribute__((noinline)) void ask_for_halves(const lay_tile *t)
{
    for (int i = 0; i < t->m; i++)
        __builtin_prefetch((const real *)t->c + t->row[i] + t->half, 0, 2);
}

static __attribute__((noinline)) void update_halves(const vec sums[MR][NV], const lay_tile *t)
{
    const real alpha = *(const real *)t->alpha, beta = *(const real *)t->beta;
    const vec x = vec_set(alpha), y = vec_set(beta);
    const lanes some = first_lanes(t->n - LANES);
    const int is_whole = t->n == NR;
    for (int i = 0; i < t->m; i++) {
        real *const first = (real *)t->c + t->row[i], *const second = first + t->half;
        vec low = vec_mul(x, sums[i][0]), high = vec_mul(x, sums[i][1]);
        if (beta != 0) {
            const vec old = is_whole ? vec_load(second) : vec_load_some(second, some);
            low = vec_fma(x, sums[i][0], vec_mul(y, vec_load(first)));
            high = vec_fma(x, sums[i][1], vec_mul(y, old));
        }
        vec_store(first, low);
        if (is_whole)
            vec_store(second, high);
        else
            vec_store_some(second, some, high);
    }
}

/* Elements of C, at most a register of them. */
static inline void update_some(vec sum, real *c, int count, real alpha, real beta)
{
    const lanes some = first_lanes(count < LANES ? count : LANES);
    vec made = vec_mul(vec_set(alpha), sum);
    if (beta != 0)
        made = vec_fma(vec_set(alpha), sum, vec_mul(vec_set(beta), vec_load_some(c, some)));
    vec_store_some(c, some, made);
}

static inline void update_pairs(vec x, vec y, real *c, int count, real alpha, real beta)
{
    update_some(vec_pair_low(x, y), c, count, alpha, beta);
    if (count > LANES)
        update_some(vec_pair_high(x, y), c + LANES, count - LANES, alpha, beta);
}

/* C's rows alternate. On their own, as above. */
static __attribute__((noinline)) void update_paired(const vec sums[MR][NV], const lay_tile *t)
{
    const real alpha = *(const real *)t->alpha, beta = *(const real *)t->beta;
    real *const c = t->c;
    for (int i = 0; i + 1 < t->m; i += 2) {
        update_pairs(sums[i][0], sums[i + 1][0], c + t->row[i], 2 * (t->n < LANES ? t->n : LANES), alpha, beta);
        if (t->n > LANES)
            update_pairs(sums[i][1], sums[i + 1][1], c + t->row[i + 1], 2 * (t->n - LANES), alpha, beta);
    }
}

/* Rows and registers are constants where this is called. */
static inline __attribute__((always_inline)) void compute_part(const lay_tile *t, int rows, int vecs)
{
    static_assert(NV == 2, "each half of C's row is a register");
    vec acc[MR][NV];
    const real *a = t->a, *b = t->b;
    real *c = t->c;
    const real alpha = *(const real *)t->alpha, beta = *(const real *)t->beta;

    UNROLLED
    for (int i = 0; i < rows; i++) {
        UNROLLED
        for (int v = 0; v < vecs; v++)
            acc[i][v] = vec_zero();
    }

    /* Memory is asked for its lines a few at a time, so that the panels' own do not queue behind them.
     * In the first groups C's rows, as far as the second cache, which the panels do not flush; in the
     * last ones again, now near and to be written, and the head of A's next panel; in every group a
     * line of B's next. */
    if (vecs > 1 && t->half != LANES)
        ask_for_halves(t);
    const int64_t groups = t->k / UNROLL;
    const char *ahead = t->next_b;
    for (int i = 0; i < rows && groups + i < rows + LEAD; i++)
        prefetch_to_write(c + t->row[i], vecs);
    for (int64_t g = 0; g < groups; g++, a += UNROLL * MR, b += UNROLL * NR, ahead += t->next_b_step) {
        const int64_t near = g - (groups - rows - LEAD);
        __builtin_prefetch(ahead, 0, 2);
        if (g < rows)
            prefetch_far(c + t->row[g], vecs);
        if (near >= rows)
            __builtin_prefetch((const char *)t->next_a + (near - rows) * LINE, 0, 3);
        else if (near >= 0)
            prefetch_to_write(c + t->row[near], vecs);
        add_steps(acc, a, b, rows, vecs);
    }
    for (int64_t p = t->k % UNROLL; p > 0; p--, a += MR, b += NR)
        add_step(acc, a, b, rows, vecs);

    if (t->is_paired || (vecs > 1 && t->half != LANES)) {
        vec sums[MR][NV];
        UNROLLED
        for (int i = 0; i < rows; i++) {
            UNROLLED
            for (int v = 0; v < vecs; v++)
                sums[i][v] = acc[i][v];
        }
        if (t->is_paired)
            update_paired(sums, t);
        else
            update_halves(sums, t);
        return;
    }
    const int last = (vecs - 1) * LANES, rest = t->n - last;
    const edge e = { last, rest == LANES, first_lanes(rest) };
    real *row[MR];
    UNROLLED
    for (int i = 0; i < rows; i++)
        row[i] = c + t->row[i];
    update(acc, (walk){ .row = row }, e, alpha, beta, rows, vecs);
}

static inline __attribute__((always_inline)) void compute_rows(const lay_tile *t, int rows)
{
    if (t->n <= LANES)
        compute_part(t, rows, 1);
    else
        compute_part(t, rows, 2);
}

static void compute_tile(const lay_tile *t)
{
    assert(1 <= t->m && t->m <= MR && 1 <= t->n && t->n <= NR);
    WITH_ROWS(t->m, compute_rows, t)
}
