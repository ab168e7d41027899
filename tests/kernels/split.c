/* Every row that splits its operands against kernels/cpu_split.h, bit for bit: packing with the source between guard
 * pages, products of any bits by the header's own words, C's update at every edge. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu_split.h"
#include "machine/amx.h"
#include "machine/isa.h"
#include "row.h"

enum { LINES = LAY_CPU_SPLIT_LINES, MAX_K = 300, MAX_LEAVES = 18, CANARY = 64 };

static const lay_cpu_split_row *find_model(void)
{
    for (int i = 0; i < lay_cpu_split_row_count; i++)
        if (lay_cpu_split_rows[i]->is_emulated)
            return lay_cpu_split_rows[i];
    fail_msg("there is no model");
    return NULL;
}

static int runs_here(const lay_cpu_split_row *row)
{
    const char *limit = "";
    const int has_level = lay_isa_is_in(lay_isa_find(&limit), row->isa);
    if (has_level && row->isa == LAY_ISA_AMX)
        limit = lay_amx_refusal();
    if (has_level && !limit)
        limit = "";
    if (!*limit || (has_level && row->isa != LAY_ISA_AMX))
        return 1;
    print_message("# %s is not run: %s\n", row->name, limit);
    return 0;
}

static uint32_t bits_below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)(draw_bits(seed) % n);
}

/* ---- packing ---- */

/* A plain element, now and then one that is not. */
static float draw_element(uint64_t *seed, int has_strange)
{
    static const float strange[] = { 0x1p-51f, 0x1p61f, 1e-44f, INFINITY, -INFINITY, NAN };
    static const float edges[] = { 0x1p-50f, 0x1.fffffep60f, 0, -0.0f, 0x1.00fffep0f, -0x1.01p3f, 0x1.ff8p7f };
    const uint64_t bits = draw_bits(seed);
    if (has_strange && bits % 401 == 0)
        return strange[bits >> 20 & 3];
    if (bits % 17 == 0)
        return edges[(bits >> 20) % 7];
    const uint32_t word = ((uint32_t)(bits >> 32) & 0x807fffffu) | (uint32_t)(127 - 50 + (bits >> 8) % 111) << 23;
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

/* Offsets in segments of unit stride, each somewhere behind the one before; extent is what they need. */
static int64_t make_offsets(uint64_t *seed, int64_t count, int64_t segment, int64_t scale, int64_t offset[])
{
    int64_t at = 0;
    for (int64_t i = 0; i < count; i++) {
        at += i == 0 ? 0 : i % segment == 0 ? 1 + bits_below(seed, 5) : 1;
        offset[i] = at * scale;
    }
    return offset[count - 1] + 1;
}

/* Leaf by leaf. */
static int pack_in_parts(lay_cpu_split_pack_fn *pack, const lay_cpu_split_pack *all)
{
    int is_plain = 1;
    for (int64_t step = 0; step < all->k; step += LAY_CPU_SPLIT_STEPS) {
        lay_cpu_split_pack part = *all;
        part.k = all->k - step < LAY_CPU_SPLIT_STEPS ? all->k - step : LAY_CPU_SPLIT_STEPS;
        part.coming = all->k - step - part.k;
        part.along += step;
        part.dst = (char *)part.dst + (size_t)(step / LAY_CPU_SPLIT_STEPS) * lay_cpu_split_leaf(part.limbs);
        is_plain &= pack(&part);
    }
    return is_plain;
}

static void check_pack(const lay_cpu_split_row *row, const lay_cpu_split_row *model, lay_pack_class class, int is_right,
                       int w, int64_t k, int limbs, uint64_t *seed)
{
    int64_t across[LINES], along[MAX_K], extent;
    const int64_t segment[] = { 1, 3, 16, 32, MAX_K };
    const int64_t some = segment[bits_below(seed, 5)], other = segment[bits_below(seed, 5)];
    if (class == LAY_PACK_ALONG || (class == LAY_PACK_ANY && draw_bits(seed) % 2)) {
        extent = make_offsets(seed, k, class == LAY_PACK_ALONG ? MAX_K : some, 1, along);
        extent += make_offsets(seed, w, other, extent + 1, across) - 1;
    } else {
        extent = make_offsets(seed, w, class == LAY_PACK_ACROSS ? MAX_K : some, 1, across);
        extent += make_offsets(seed, k, other, extent + 1, along) - 1;
    }
    const size_t size = (size_t)lay_cpu_split_leaves(k) * lay_cpu_split_leaf(limbs);
    enum { ROW, MODEL, ROW_IN_PARTS, TIMES };
    const int has_strange = draw_bits(seed) % 3 == 0;
    char *dst[TIMES];
    int is_plain[TIMES];
    for (int at_front = 0; at_front < 2; at_front++) {
        fenced src = fence((size_t)extent * sizeof(float), at_front);
        for (int64_t i = 0; i < extent; i++)
            ((float *)src.bytes)[i] = draw_element(seed, has_strange);
        for (int i = 0; i < TIMES; i++) {
            dst[i] = aligned_alloc(64, size + CANARY);
            assert_non_null(dst[i]);
            memset(dst[i], 0x5a, size + CANARY);
            const lay_cpu_split_pack pack = {
                .k = k, .w = w, .limbs = limbs, .src = src.bytes, .across = across, .along = along, .dst = dst[i]
            };
            const lay_cpu_split_row *of = i == MODEL ? model : row;
            lay_cpu_split_pack_fn *const function = (is_right ? of->pack_right : of->pack_left)[class];
            is_plain[i] = i == ROW_IN_PARTS ? pack_in_parts(function, &pack) : function(&pack);
            for (int c = 0; c < CANARY; c++)
                assert_int_equal(dst[i][size + (size_t)c], 0x5a);
        }
        for (int i = MODEL; i < TIMES; i++)
            if (is_plain[ROW] != is_plain[i] || (is_plain[i] && memcmp(dst[ROW], dst[i], size) != 0))
                fail_msg("%s pack_%s class %d w=%d k=%lld limbs=%d%s", row->name, is_right ? "right" : "left",
                         (int)class, w, (long long)k, limbs, i == ROW_IN_PARTS ? " in parts" : "");
        for (int i = 0; i < TIMES; i++)
            free(dst[i]);
        unfence(&src);
    }
}

static void packers_are_the_models(void **state)
{
    static const int64_t ks[] = { 1, 2, 15, 16, 17, 31, 32, 33, 48, 64, 100, 160, 255 };
    const lay_cpu_split_row *row = *state, *model = find_model();
    uint64_t seed = 11;
    for (int is_right = 0; is_right < 2; is_right++)
        for (int w = 1; w <= LINES; w++)
            for (size_t q = 0; q < sizeof ks / sizeof ks[0]; q++)
                for (int class = 0; class < LAY_PACK_CLASSES; class ++)
                    check_pack(row, model, (lay_pack_class) class, is_right, w, ks[q], 1 + (w + (int)q) % 3, &seed);
}

/* Of the definition, not of another row: limbs of elements are those of cpu_split.h, and three of them are the
 * element. */
static void pieces_are_the_elements(void **state)
{
    const lay_cpu_split_row *row = *state;
    _Alignas(64) uint16_t left[3 * LAY_CPU_SPLIT_TILE], right[3 * LAY_CPU_SPLIT_TILE];
    float x[LINES * LAY_CPU_SPLIT_STEPS];
    int64_t across[LINES], along[LAY_CPU_SPLIT_STEPS];
    uint64_t seed = 12;
    for (int i = 0; i < LINES; i++)
        across[i] = (int64_t)i * LAY_CPU_SPLIT_STEPS, along[i] = i;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < LINES * LAY_CPU_SPLIT_STEPS; i++)
            x[i] = draw_element(&seed, 0);
        lay_cpu_split_pack pack = { .k = 32, .w = 32, .limbs = 3, .src = x, .across = across, .along = along };
        pack.dst = left;
        assert_true(row->pack_left[LAY_PACK_ALONG](&pack));
        pack.dst = right;
        assert_true(row->pack_right[LAY_PACK_ALONG](&pack));
        for (int i = 0; i < LINES; i++)
            for (int p = 0; p < 32; p++) {
                double sum[2] = { 0, 0 };
                for (int limb = 0; limb < 3; limb++) {
                    const int tile = (2 * limb + i / 16) * LAY_CPU_SPLIT_TILE / 2;
                    const uint16_t half[2] = { left[tile + i % 16 * 32 + p % 16 * 2 + p / 16],
                                               right[tile + p % 16 * 32 + i % 16 * 2 + p / 16] };
                    for (int side = 0; side < 2; side++) {
                        const uint32_t word = (uint32_t)half[side] << 16;
                        float value;
                        memcpy(&value, &word, sizeof value);
                        const double before = (double)x[i * 32 + p] - sum[side];
                        sum[side] += (double)value;
                        /* 8 bits of what was left */
                        assert_true(fabs((double)x[i * 32 + p] - sum[side]) <= fabs(before) * 0x1p-8);
                    }
                }
                assert_true(sum[0] == (double)x[i * 32 + p] && sum[1] == (double)x[i * 32 + p]);
            }
    }
}

/* ---- products ---- */

typedef enum filling {
    ANY_BITS,
    FINITE,
    NEAR_ONE,
    TINY,
    AT_THE_EDGE,
    ZEROS,
    FEW_STRANGE,
    CANCELLING,
    FILLINGS
} filling;

static uint16_t draw_half(filling kind, uint64_t *seed)
{
    const uint64_t bits = draw_bits(seed);
    const uint16_t half = (uint16_t)bits;
    switch (kind) {
    case FINITE:
        return (half & 0x7f80) == 0x7f80 ? half & 0xbfff : half;
    case NEAR_ONE:
        return (half & 0x80ff) | 0x3f00;
    case TINY:
        return (half & 0x83ff) | 0x1c00;
    case AT_THE_EDGE: /* products about 2^-126 */
        return (uint16_t)((half & 0x807f) | (60 + (bits >> 40) % 8) << 7);
    case ZEROS:
        return (bits >> 33) % 3 ? (uint16_t)((bits >> 35 & 1) << 15) : half & 0xbfff;
    case FEW_STRANGE:
        return (bits >> 33) % 997 == 0 ? (bits >> 50 & 1)   ? 0x7f80
                                         : (bits >> 51 & 1) ? 0xff80
                                                            : 0x7fc1
                                       : (half & 0x80ff) | 0x3f00;
    case CANCELLING:
        return (half & 0x8001) | 0x3f80;
    default:
        return half;
    }
}

static int same(float x, float y)
{
    return (isnan(x) && isnan(y)) || memcmp(&x, &y, sizeof x) == 0;
}

static float flushed(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static float half_at(const uint16_t *words, int at)
{
    const uint32_t bits = (uint32_t)words[at] << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return flushed(x);
}

/* sum(i,j) += even + odd. */
static float add_tiles(float sum, const uint16_t *left, const uint16_t *right, int i, int j)
{
    float chain[2] = { 0, 0 };
    left += i / 16 * (LAY_CPU_SPLIT_TILE / 2) + i % 16 * 32;
    right += j / 16 * (LAY_CPU_SPLIT_TILE / 2) + j % 16 * 2;
    for (int q = 0; q < 16; q++)
        for (int odd = 0; odd < 2; odd++)
            chain[odd] = flushed(fmaf(half_at(left, 2 * q + odd), half_at(right, q * 32 + odd), chain[odd]));
    return flushed(flushed(sum) + flushed(chain[0] + chain[1]));
}

static float sum_of_pieces(const lay_cpu_split_tile *tile, int i, int j)
{
    static const int pairs[][2] = { { 2, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 }, { 0, 2 }, { 0, 0 } };
    const size_t leaf = lay_cpu_split_leaf(tile->limbs) / 2, limb = LAY_CPU_SPLIT_TILE;
    const uint16_t *a = tile->a, *b = tile->b;
    float sum = 0;
    for (int64_t first = 0; first < tile->leaves; first += LAY_CPU_SPLIT_CHUNK) {
        const int64_t end = first + LAY_CPU_SPLIT_CHUNK < tile->leaves ? first + LAY_CPU_SPLIT_CHUNK : tile->leaves;
        float part = 0;
        for (int64_t l = first; l < end; l++)
            for (int q = 0; q < 6; q++) {
                const int x = pairs[q][tile->is_transposed], y = pairs[q][!tile->is_transposed];
                if (x + y < tile->limbs)
                    part = add_tiles(part, a + (size_t)l * leaf + (size_t)x * limb,
                                     b + (size_t)l * leaf + (size_t)y * limb, i, j);
            }
        sum = first == 0 ? part : sum + part;
    }
    return sum;
}

static void products_are_the_contracts(void **state)
{
    const lay_cpu_split_row *row = *state;
    const size_t size = MAX_LEAVES * lay_cpu_split_leaf(3);
    static const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO };
    uint16_t *const a = aligned_alloc(64, size), *const b = aligned_alloc(64, size);
    static lay_cpu_split_sums sums;
    uint64_t seed = 13;
    assert_true(a && b);
    for (int round = 0; round < 12; round++)
        for (int kind = 0; kind < FILLINGS; kind++) {
            for (size_t i = 0; i < size / 2; i++) {
                a[i] = draw_half((filling)kind, &seed);
                b[i] = draw_half((filling)kind, &seed);
            }
            lay_cpu_split_tile tile = { .leaves = 1 + bits_below(&seed, MAX_LEAVES),
                                        .limbs = 1 + round % 3,
                                        .is_transposed = round / 3 % 2,
                                        .a = a,
                                        .b = b,
                                        .next_a = a,
                                        .next_b = b,
                                        .ahead = b };
            /* Chunks are added as the caller rounds; products never are. */
            if (round % 4 == 3 && tile.leaves > LAY_CPU_SPLIT_CHUNK)
                tile.leaves = LAY_CPU_SPLIT_CHUNK;
            const int mode = round % 4 == 3 ? modes[1 + round / 4 % 2] : modes[0];
            tile.sums = &sums;
            fesetround(mode);
            if (row->start)
                row->start();
            row->multiply(&tile);
            if (row->stop)
                row->stop();
            fesetround(FE_TONEAREST);
            for (int i = 0; i < LINES * LINES; i++) {
                const float wanted = sum_of_pieces(&tile, i / LINES, i % LINES);
                const float half = sums.half[0][i / LINES][i % LINES];
                const float sum = sums.halves == 1 ? half : half + sums.half[1][i / LINES][i % LINES];
                if (!same(sum, wanted))
                    fail_msg("%s kind %d limbs %d leaves %lld transposed %d: sum %d is %a, not %a", row->name, kind,
                             tile.limbs, (long long)tile.leaves, tile.is_transposed, i, (double)sum, (double)wanted);
            }
        }
    free(a);
    free(b);
}

/* ---- C ---- */

/* While another tile is multiplied. */
static void store_interleaved(const lay_cpu_split_row *row, const lay_cpu_split_result *result)
{
    _Alignas(64) static const uint16_t zeros[MAX_LEAVES * 3 * 1024];
    static lay_cpu_split_sums others;
    static int64_t leaves;
    const lay_cpu_split_tile tile = { .leaves = 1 + leaves++ % MAX_LEAVES,
                                      .limbs = 3,
                                      .a = zeros,
                                      .b = zeros,
                                      .sums = &others,
                                      .pending = result,
                                      .next_a = zeros,
                                      .next_b = zeros,
                                      .ahead = zeros };
    if (row->start)
        row->start();
    row->multiply(&tile);
    if (row->stop)
        row->stop();
}

static void elements_not_named_are_not_touched(void **state)
{
    const lay_cpu_split_row *row = *state;
    static const float scalars[] = { 0, 1, -0.0f, 0.7f, NAN };
    static lay_cpu_split_sums sums;
    uint64_t seed = 14;
    for (int round = 0; round < 3000; round++) {
        const int64_t pitch = 32 + bits_below(&seed, 40);
        const size_t extent = (size_t)(31 * pitch + 32);
        fenced c = fence(extent * sizeof(float), round % 2);
        float *const wanted = malloc(extent * sizeof *wanted), *const got = c.bytes;
        assert_non_null(wanted);
        int64_t offset[LINES];
        for (int i = 0; i < LINES; i++)
            offset[i] = i * pitch;
        for (int i = 0; i < 2 * LINES * LINES; i++)
            sums.half[i / (LINES * LINES)][i / LINES % LINES][i % LINES] = (float)draw(&seed);
        sums.halves = 1 + round / 2 % 2;
        for (size_t i = 0; i < extent; i++)
            wanted[i] = got[i] = (float)draw(&seed);
        lay_cpu_split_result result = { .sums = &sums,
                                        .row = offset,
                                        .rows = (uint32_t)draw_bits(&seed),
                                        .columns = (uint32_t)draw_bits(&seed),
                                        .alpha = scalars[bits_below(&seed, 5)],
                                        .beta = scalars[bits_below(&seed, 5)] };
        if (round % 3 == 0)
            result.rows = result.columns = UINT32_MAX;
        if (round % 3 == 1)
            result.columns = UINT32_MAX >> bits_below(&seed, 32);
        result.c = got;
        if (round % 7)
            row->store(&result);
        else
            store_interleaved(row, &result);
        for (int i = 0; i < LINES; i++)
            for (int j = 0; j < LINES; j++)
                if ((result.rows >> i & 1) && (result.columns >> j & 1)) {
                    float *const old = &wanted[i * pitch + j];
                    const float x = sums.halves == 1 ? sums.half[0][i][j] : sums.half[0][i][j] + sums.half[1][i][j];
                    *old = result.beta == 0 ? result.alpha * x : fmaf(result.alpha, x, result.beta * *old);
                }
        for (size_t i = 0; i < extent; i++)
            if (!same(got[i], wanted[i]))
                fail_msg("%s rows %x columns %x: element %zu", row->name, result.rows, result.columns, i);
        free(wanted);
        unfence(&c);
    }
}

int main(void)
{
    static char names[64][120];
    static struct CMUnitTest tests[64];
    const struct CMUnitTest each[] = {
        cmocka_unit_test(packers_are_the_models),
        cmocka_unit_test(pieces_are_the_elements),
        cmocka_unit_test(products_are_the_contracts),
        cmocka_unit_test(elements_not_named_are_not_touched),
    };
    int count = 0;
    for (int i = 0; i < lay_cpu_split_row_count; i++)
        for (size_t q = 0; q < sizeof each / sizeof each[0] && runs_here(lay_cpu_split_rows[i]); q++, count++) {
            snprintf(names[count], sizeof names[count], "%s: %s", lay_cpu_split_rows[i]->name, each[q].name);
            tests[count] = each[q];
            tests[count].name = names[count];
            tests[count].initial_state = (void *)lay_cpu_split_rows[i];
        }
    return _cmocka_run_group_tests("split", tests, (size_t)count, NULL, NULL);
}
