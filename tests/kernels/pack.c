/* Every kernel row's packers against their definition in kernel.h, with the source between guard
 * pages so that an element not named is not read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/packed/pack.h"
#include "row.h"

enum { MAX_K = 100, CANARY = 8 };

/* How the offsets across or along the panel go. Sizes leave gaps between what is named. */
typedef struct walk {
    const char *name;
    int64_t block; /* unit stride within blocks of that many; 1: none; 0: throughout */
    int64_t jump;  /* from block to block, on top of the block itself; negative: backwards */
    int shuffled;  /* blocks in no order */
    int64_t digit; /* what lies side by side is so far apart in the order of the index; 0: it is not */
    int has_gaps;  /* between what lies side by side */
} walk;

static const walk walks[] = {
    { "unit", 0, 0, 0, 0, 0 },           { "strided", 1, 2, 0, 0, 0 },
    { "backwards", 1, -3, 0, 0, 0 },     { "blocks of 4", 4, 3, 0, 0, 0 },
    { "blocks of 7", 7, -19, 0, 0, 0 },  { "blocks of 32", 32, 5, 0, 0, 0 },
    { "shuffled", 1, 1, 1, 0, 0 },       { "shuffled 16", 16, 1, 1, 0, 0 },
    { "shuffled 3", 3, 1, 1, 0, 0 },     { "broadcast", 1, -1, 0, 0, 0 },
    { "digits of 2", 0, 0, 0, 2, 1 },    { "digits of 5", 0, 0, 0, 5, 1 },
    { "digits of 9", 0, 0, 0, 9, 1 },    { "a stretch by 2", 0, 0, 0, 2, 0 },
    { "a stretch by 4", 0, 0, 0, 4, 0 }, { "a stretch by 11", 0, 0, 0, 11, 0 },
};
enum { WALKS = sizeof walks / sizeof walks[0] };

/* offset[0..count) scaled, so that an element of the other walk fits between: unit is what takes the
 * smaller scale. Returns the extent, lowest offset 0. */
static int64_t make_offsets(const walk *w, int64_t count, int64_t scale, uint64_t *seed, int64_t offset[])
{
    const int64_t block = w->block ? w->block : count, blocks = (count + block - 1) / block;
    int64_t order[MAX_K];
    for (int64_t i = 0; i < blocks; i++)
        order[i] = i;
    for (int64_t i = blocks - 1; w->shuffled && i > 0; i--) {
        const int64_t other = (int64_t)(draw_bits(seed) % (uint64_t)(i + 1)), moved = order[i];
        order[i] = order[other];
        order[other] = moved;
    }
    int64_t low = 0, high = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t j =
            w->digit ? i % w->digit * ((count + w->digit - 1) / w->digit + (w->has_gaps ? 2 : 0)) + i / w->digit : i;
        offset[i] = w->digit ? j * scale : (order[j / block] * (block + w->jump) + j % block) * scale;
        low = offset[i] < low ? offset[i] : low;
        high = offset[i] > high ? offset[i] : high;
    }
    for (int64_t i = 0; i < count; i++)
        offset[i] -= low;
    return high - low + 1;
}

typedef struct panel {
    const lay_kernel *row;
    int is_b;
    lay_pack_class class;
    int w;
    int64_t k;
    const walk *across, *along;
} panel;

static void check(const panel *p, uint64_t *seed)
{
    const lay_kernel *row = p->row;
    const size_t size = element_size(row);
    const int width = p->is_b ? row->nr : row->mr;
    const int64_t room = p->k * width;
    int64_t across[LAY_MAX_NR], along[MAX_K];

    /* One walk counts elements, the other whole segments of it. */
    int64_t extent;
    if (p->class == LAY_PACK_ALONG || (p->class == LAY_PACK_ANY && draw_bits(seed) % 2)) {
        extent = make_offsets(p->along, p->k, 1, seed, along);
        extent += make_offsets(p->across, p->w, extent + 1, seed, across) - 1;
    } else {
        extent = make_offsets(p->across, p->w, 1, seed, across);
        extent += make_offsets(p->along, p->k, extent + 1, seed, along) - 1;
    }
    for (int at_front = 0; at_front < 2; at_front++) {
        fenced src = fence((size_t)extent * size, at_front);
        char *dst = aligned_alloc(64, ((size_t)(room + CANARY) * size + 63) / 64 * 64);
        assert_non_null(dst);
        memset(dst, 0x5a, (size_t)(room + CANARY) * size);
        for (int64_t i = 0; i < extent; i++)
            set_element(row, src.bytes, i, (double)(i + 1));
        /* The zero of the offsets may lie anywhere: put it outside the source. */
        const int64_t away = (int64_t)(draw_bits(seed) % 1000) - 500;
        for (int i = 0; i < p->w; i++)
            across[i] += away;
        const lay_panel pack = { .k = p->k,
                                 .w = p->w,
                                 .src = (char *)src.bytes - away * (int64_t)size,
                                 .across = across,
                                 .along = along,
                                 .dst = dst };
        (p->is_b ? row->pack_b : row->pack_a)[p->class](&pack);
        for (int i = 0; i < p->w; i++)
            across[i] -= away;
        for (int64_t s = 0; s < p->k; s++)
            for (int i = 0; i < p->w; i++)
                if (memcmp(dst + (size_t)(s * width + i) * size,
                           (char *)src.bytes + (size_t)(across[i] + along[s]) * size, size) != 0)
                    fail_msg("%s pack_%c class %d across %s along %s w=%d k=%lld: step %lld entry %d", row->name,
                             p->is_b ? 'b' : 'a', (int)p->class, p->across->name, p->along->name, p->w, (long long)p->k,
                             (long long)s, i);
        for (size_t i = (size_t)room * size; i < (size_t)(room + CANARY) * size; i++)
            if (dst[i] != 0x5a)
                fail_msg("%s pack_%c class %d w=%d k=%lld: writes behind the panel", row->name, p->is_b ? 'b' : 'a',
                         (int)p->class, p->w, (long long)p->k);
        free(dst);
        unfence(&src);
    }
}

/* Pairs of steps side by side, and so many entries across next to each other, two elements apart. */
static void check_pairs(const lay_kernel *row, int is_b, int w, int64_t k, int run)
{
    enum { GAP = 5 };
    const size_t size = element_size(row);
    const int width = is_b ? row->nr : row->mr;
    const int64_t runs = (w + run - 1) / run, row_of_runs = runs * (2 * run + GAP), extent = (k + 1) / 2 * row_of_runs;
    int64_t across[LAY_MAX_NR], along[MAX_K];
    for (int i = 0; i < w; i++)
        across[i] = (runs - 1 - i / run) * (2 * run + GAP) + 2 * (i % run);
    for (int64_t p = 0; p < k; p++)
        along[p] = p / 2 * row_of_runs + p % 2;
    const int64_t last = across[w < run ? w - 1 : run - 1] + along[k - 1] + 1;
    fenced src = fence((size_t)last * size, 0);
    char *dst = aligned_alloc(64, ((size_t)(k * width + CANARY) * size + 63) / 64 * 64);
    assert_non_null(dst);
    assert_true(last <= extent);
    memset(dst, 0x5a, (size_t)(k * width + CANARY) * size);
    for (int64_t i = 0; i < last; i++)
        set_element(row, src.bytes, i, (double)(i + 1));
    const lay_panel pack = { .k = k, .w = w, .src = src.bytes, .across = across, .along = along, .dst = dst };
    (is_b ? row->pack_b : row->pack_a)[LAY_PACK_ANY](&pack);
    for (int64_t s = 0; s < k; s++)
        for (int i = 0; i < w; i++)
            if (memcmp(dst + (size_t)(s * width + i) * size, (char *)src.bytes + (size_t)(across[i] + along[s]) * size,
                       size) != 0)
                fail_msg("%s pack_%c of pairs in runs of %d w=%d k=%lld: step %lld entry %d", row->name,
                         is_b ? 'b' : 'a', run, w, (long long)k, (long long)s, i);
    for (size_t i = (size_t)(k * width) * size; i < (size_t)(k * width + CANARY) * size; i++)
        if (dst[i] != 0x5a)
            fail_msg("%s pack_%c of pairs in runs of %d w=%d k=%lld: writes behind the panel", row->name,
                     is_b ? 'b' : 'a', run, w, (long long)k);
    free(dst);
    unfence(&src);
}

/* Complex numbers that lie side by side with a digit of panels inside: [rows][5][lines], whose parts are steps. Panels
 * from panel first on are what they are by definition, whether lines are read from end to end or not. */
static void check_neighbours(const lay_kernel *row, int64_t lines, int64_t first)
{
    enum { ROWS = 3, SIDE = 5, STEPS = 12 };
    const size_t size = element_size(row);
    const int64_t nr = row->nr, run = 2 * SIDE + 3, step = run * lines * ROWS, count = ROWS * SIDE * lines - first * nr;
    const int64_t room = STEPS * nr, panels = (count + nr - 1) / nr;
    int64_t along[STEPS];
    for (int p = 0; p < STEPS; p++)
        along[p] = p / 2 * step + p % 2;
    const lay_axis across = { .class = LAY_AXIS_NESTED,
                              .extent = ROWS * SIDE * lines,
                              .run = 1,
                              .count = 3,
                              .mode = { { ROWS, run * lines }, { SIDE, 2 }, { lines, run } } };
    fenced src = fence((size_t)(STEPS / 2 * step) * size, 0);
    char *dst = aligned_alloc(64, ((size_t)(panels * room) * size + 63) / 64 * 64);
    assert_non_null(dst);
    for (int64_t i = 0; i < STEPS / 2 * step; i++)
        set_element(row, src.bytes, i, (double)(i + 1));
    const lay_packing packing = { .type = row->type,
                                  .source = src.bytes,
                                  .across = &across,
                                  .width = row->nr,
                                  .pack = row->pack_b,
                                  .interleaved = row->interleaved,
                                  .k = STEPS,
                                  .along = along,
                                  .panel = (size_t)room * size };
    lay_pack_panels(&packing, first * nr, count, dst);
    for (int64_t j = 0; j < count; j++)
        for (int p = 0; p < STEPS; p++)
            if (memcmp(dst + (size_t)(j / nr * room + p * nr + j % nr) * size,
                       (char *)src.bytes + (size_t)(lay_axis_offset(&across, first * nr + j) + along[p]) * size, size))
                fail_msg("%s lines=%lld first=%lld: column %lld step %d", row->name, (long long)lines, (long long)first,
                         (long long)j, p);
    free(dst);
    unfence(&src);
}

static void check_all_neighbours(const lay_kernel *row)
{
    const int64_t nr = row->nr, lines[] = { nr, 3 * nr, nr + 1, nr / 2, 2 * nr - 1 };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        for (int64_t first = 0; first < 5; first += 2)
            check_neighbours(row, lines[i], first);
}

static void packers_follow_their_definition(void **state)
{
    const lay_kernel *row = *state;
    if (!is_runnable(row))
        return; /* Meson takes skip() for a failure */
    for (int is_b = 0; is_b < 2; is_b++)
        for (int w = 1; w <= (is_b ? row->nr : row->mr); w++)
            for (int run = 1; run <= w; run += 1 + run / 4)
                for (int64_t k = 2; k <= 8; k += 3)
                    check_pairs(row, is_b, w, k, run);
    check_all_neighbours(row);
    static const int64_t ks[] = { 1, 2, 3, 5, 8, 13, 16, 17, 33, 44, 47, 64, MAX_K };
    uint64_t seed = 3;
    for (int is_b = 0; is_b < 2; is_b++)
        for (int w = 1; w <= (is_b ? row->nr : row->mr); w++)
            for (size_t q = 0; q < sizeof ks / sizeof ks[0]; q++)
                for (int one = 0; one < WALKS; one++) {
                    panel p = { row, is_b, LAY_PACK_ACROSS, w, ks[q], &walks[0], &walks[one] };
                    check(&p, &seed);
                    p = (panel){ row, is_b, LAY_PACK_ALONG, w, ks[q], &walks[one], &walks[0] };
                    check(&p, &seed);
                    for (int other = (w + (int)q) % 2; other < WALKS; other += 2) {
                        p = (panel){ row, is_b, LAY_PACK_ANY, w, ks[q], &walks[one], &walks[other] };
                        check(&p, &seed);
                    }
                }
}

int main(void)
{
    return run_for_every_row("packers", "packers follow their definition", packers_follow_their_definition);
}
