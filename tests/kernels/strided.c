/* Every kernel row's strided function against the contract in kernel.h, bit by bit, with what it does not name
 * NaN or behind a fence. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "row.h"

enum { MAX_K = 40, MAX_PIECES = 5, ELEMENTS = MAX_K * 64 };

/* How an operand is laid out: one index by lines of `other` entries with a gap, or the reverse, or steps of one. */
typedef struct way {
    const char *name;
    int64_t across, along; /* strides of the row (or column) and of the step; 0: a line of the other, with a gap */
} way;
static const way lefts[] = { { "row-major", 0, 1 }, { "column-major", 1, 0 }, { "backwards", 0, -1 },
                             { "packed", 1, 64 },   { "spread", 0, 3 },       { "one row", 0, 1 } };
enum { LEFTS = sizeof lefts / sizeof lefts[0], BROADCAST = LEFTS - 1 };

typedef struct scene {
    const lay_kernel *row;
    size_t size;
    int64_t k;
    int m, n, pieces;
    lay_segment piece[MAX_PIECES];
    int64_t a_row, a_step, b_step, c_row;
} scene;

/* k in pieces, which go up in a and down in b. */
static void cut(scene *s, int pieces, int64_t a_extent, int64_t b_extent)
{
    s->pieces = pieces < s->k ? pieces : (int)s->k;
    for (int i = 0; i < s->pieces; i++) {
        const int64_t first = s->k * i / s->pieces;
        s->piece[i] = (lay_segment){ .count = s->k * (i + 1) / s->pieces - first,
                                     .from_a = i * a_extent - 77,
                                     .from_b = (s->pieces - 1 - i) * b_extent };
    }
}

/* Elements of an array that are named, as a block that ends (or begins) at a fence. */
typedef struct region {
    int64_t low, high;
    fenced block;
    void *zero;
} region;

static int64_t a_at(const scene *s, int piece, int64_t q, int i)
{
    return s->piece[piece].from_a + i * s->a_row + q * s->a_step;
}

static int64_t b_at(const scene *s, int piece, int64_t q, int j)
{
    return s->piece[piece].from_b + q * s->b_step + j;
}

static void widen(region *r, int64_t at)
{
    r->low = at < r->low ? at : r->low;
    r->high = at > r->high ? at : r->high;
}

static void lay_out(const scene *s, region *r, int at_front)
{
    const int64_t count = r->high - r->low + 1;
    r->block = fence((size_t)count * s->size, at_front);
    for (int64_t i = 0; i < count; i++)
        set_element(s->row, r->block.bytes, i, NAN);
    r->zero = (char *)r->block.bytes - r->low * (int64_t)s->size;
}

static void copy_element(const scene *s, void *to, int64_t index, const void *from, int64_t from_index)
{
    memcpy(element_at(s->row, to, index), element_at(s->row, from, from_index), s->size);
}

static void check(const scene *s, double alpha, double beta, int at_front, const char *name, uint64_t *seed)
{
    const lay_kernel *row = s->row;
    region a = { INT64_MAX, INT64_MIN, { 0 }, 0 }, b = a, c = a;
    for (int i = 0; i < s->m; i++)
        widen(&c, i * s->c_row), widen(&c, i * s->c_row + s->n - 1);
    for (int e = 0; e < s->pieces; e++)
        for (int64_t q = 0; q < s->piece[e].count; q++) {
            widen(&a, a_at(s, e, q, 0)), widen(&a, a_at(s, e, q, s->m - 1));
            widen(&b, b_at(s, e, q, 0)), widen(&b, b_at(s, e, q, s->n - 1));
        }
    lay_out(s, &a, at_front);
    lay_out(s, &b, at_front);
    lay_out(s, &c, at_front);

    double panel_a[MAX_K * LAY_MAX_MR], panel_b[MAX_K * LAY_MAX_NR], acc[LAY_MAX_MR * LAY_MAX_NR];
    memset(panel_a, 0, sizeof panel_a);
    memset(panel_b, 0, sizeof panel_b);
    int64_t p = 0;
    for (int e = 0; e < s->pieces; e++)
        for (int64_t q = 0; q < s->piece[e].count; q++, p++) {
            for (int i = 0; i < s->m; i++) {
                if (i == 0 || s->a_row != 0)
                    set_element(row, a.zero, a_at(s, e, q, i), draw(seed));
                copy_element(s, panel_a, p * row->mr + i, a.zero, a_at(s, e, q, i));
            }
            for (int j = 0; j < s->n; j++) {
                set_element(row, b.zero, b_at(s, e, q, j), draw(seed));
                copy_element(s, panel_b, p * row->nr + j, b.zero, b_at(s, e, q, j));
            }
        }
    sum_by_contract(row, s->k, panel_a, panel_b, acc);
    const int64_t c_count = c.high - c.low + 1;
    for (int64_t i = 0; i < c_count && beta != 0; i++)
        set_element(row, c.block.bytes, i, draw(seed));
    void *expected = malloc((size_t)c_count * s->size);
    assert_non_null(expected);
    memcpy(expected, c.block.bytes, (size_t)c_count * s->size);
    for (int i = 0; i < s->m; i++)
        for (int j = 0; j < s->n; j++)
            update_by_contract(row, element_at(s->row, acc, i * row->nr + j), alpha, beta,
                               element_at(s->row, expected, i * s->c_row + j - c.low));

    float alpha32 = (float)alpha, beta32 = (float)beta;
    const int is_f32 = row->type == LAY_F32;
    const lay_strided strided = { .segment = s->piece,
                                  .segments = s->pieces,
                                  .m = s->m,
                                  .n = s->n,
                                  .a = a.zero,
                                  .b = b.zero,
                                  .a_row = s->a_row,
                                  .a_step = s->a_step,
                                  .b_step = s->b_step,
                                  .c = c.zero,
                                  .c_row = s->c_row,
                                  .alpha = is_f32 ? (void *)&alpha32 : (void *)&alpha,
                                  .beta = is_f32 ? (void *)&beta32 : (void *)&beta };
    row->strided(&strided);
    if (memcmp(c.block.bytes, expected, (size_t)c_count * s->size) != 0)
        fail_msg("%s %s m=%d n=%d k=%lld in %d pieces, alpha %g beta %g", row->name, name, s->m, s->n, (long long)s->k,
                 s->pieces, alpha, beta);
    free(expected);
    unfence(&a.block);
    unfence(&b.block);
    unfence(&c.block);
}

static void every_edge_has_the_contracts_bits(void **state)
{
    const lay_kernel *row = *state;
    if (!is_runnable(row))
        return; /* Meson takes skip() for a failure */
    static const int64_t ks[] = { 1, 3, 8, MAX_K };
    static const double betas[] = { 0, 1, -0.5 }, alphas[] = { 1, -0.75 };
    uint64_t seed = 1;
    for (int m = 1; m <= row->mr; m++)
        for (int n = 1; n <= row->nr; n++)
            for (size_t q = 0; q < sizeof ks / sizeof ks[0]; q++) {
                const int left = (int)(draw_bits(&seed) % LEFTS);
                scene s = { .row = row, .size = element_size(row), .k = ks[q], .m = m, .n = n };
                const way *w = &lefts[left];
                s.a_row = left == BROADCAST ? 0 : w->across ? w->across : 3 * MAX_K + 5;
                s.a_step = w->along ? w->along : LAY_MAX_MR + 3;
                s.b_step = (draw_bits(&seed) % 3 == 0 ? -1 : 1) * (n + (int64_t)(draw_bits(&seed) % 4));
                s.c_row = (draw_bits(&seed) % 3 == 0 ? -1 : 1) * (n + (int64_t)(draw_bits(&seed) % 4));
                cut(&s, 1 + (int)(draw_bits(&seed) % MAX_PIECES), ELEMENTS * 4, ELEMENTS);
                for (int beta = 0; beta < 3; beta++)
                    check(&s, alphas[draw_bits(&seed) % 2], betas[beta], beta % 2, w->name, &seed);
            }
}

int main(void)
{
    return run_for_every_row("strided", "every edge has the contract's bits", every_edge_has_the_contracts_bits);
}
