/* Split f32, 32x32, AMX with bfloat16 (kernels/cpu_split.h): 24 tile products of 16 cycles a leaf with 16 loads of 8,
 * so that the matrix unit is what it waits for as long as panels come from the second cache. */
#include "cpu/amx/split_pack.h"
#include "cpu/amx/tiles.h"
#include "cpu/split_rows.h"

enum { LINES = LAY_CPU_SPLIT_LINES };

typedef void leaf_fn(leaves of);

static inline __attribute__((always_inline)) leaves leaf_at(const char *a, const char *b, size_t leaf, int64_t number)
{
    const size_t at = (size_t)number * leaf;
    return (leaves){ a + at, b + at, a + at + leaf, b + at + leaf };
}

/* Leaves of one chunk into the tiles. What comes after the last one is at next. */
static inline __attribute__((always_inline)) void multiply_chunk(const char *a, const char *b, int64_t count,
                                                                 size_t leaf, leaf_fn *corrections,
                                                                 const lay_cpu_split_tile *next)
{
    zero_sums();
    for (int64_t l = 0; l < count && corrections; l++) {
        leaves of = leaf_at(a, b, leaf, l);
        if (next && l == count - 1) {
            of.next_a = next->next_a;
            of.next_b = next->next_b;
        }
        corrections(of);
    }
    for (int64_t l = count - 1; l >= 0; l--)
        add_leading(leaf_at(a, b, leaf, l));
}

/* A stretch of right's next panel into the second cache: LAY_CPU_SPLIT_AHEAD bytes a leaf. */
static inline void prefetch_far(const char *ahead, int64_t count)
{
    for (int64_t at = 0; at < count * LAY_CPU_SPLIT_AHEAD; at += 64)
        __builtin_prefetch(ahead + at, 0, 2);
}

static inline __attribute__((always_inline)) void multiply_with(const lay_cpu_split_tile *tile, int pieces,
                                                                leaf_fn *corrections)
{
    const size_t leaf = lay_cpu_split_leaf(pieces);
    const char *a = tile->a, *b = tile->b, *ahead = tile->ahead;
    float *sum = tile->sum;
    _Alignas(64) float part[LINES * LINES];
    for (int64_t left = tile->leaves, is_first = 1; left > 0; left -= LAY_CPU_SPLIT_CHUNK, is_first = 0) {
        const int is_last = left <= LAY_CPU_SPLIT_CHUNK;
        const int64_t count = is_last ? left : LAY_CPU_SPLIT_CHUNK;
        prefetch_far(ahead, count);
        multiply_chunk(a, b, count, leaf, corrections, is_last ? tile : NULL);
        a += LAY_CPU_SPLIT_CHUNK * leaf;
        b += LAY_CPU_SPLIT_CHUNK * leaf;
        ahead += LAY_CPU_SPLIT_CHUNK * LAY_CPU_SPLIT_AHEAD;
        if (is_first) {
            store_sums(sum);
            continue;
        }
        store_sums(part);
        for (int i = 0; i < LINES * LINES; i += ROWS)
            _mm512_store_ps(sum + i, _mm512_add_ps(_mm512_load_ps(sum + i), _mm512_load_ps(part + i)));
    }
}

static void multiply(const lay_cpu_split_tile *tile)
{
    if (tile->pieces == 1)
        multiply_with(tile, 1, NULL);
    else if (tile->pieces == 2)
        tile->is_turned ? multiply_with(tile, 2, add_turned_corrections_of_2)
                        : multiply_with(tile, 2, add_corrections_of_2);
    else
        tile->is_turned ? multiply_with(tile, 3, add_turned_corrections_of_3)
                        : multiply_with(tile, 3, add_corrections_of_3);
}

static inline __attribute__((always_inline)) void store_half(const float *sum, float *c, __mmask16 columns,
                                                             __m512 alpha, __m512 beta, int is_read)
{
    __m512 x = _mm512_load_ps(sum);
    x = is_read ? _mm512_fmadd_ps(alpha, x, _mm512_mul_ps(beta, _mm512_maskz_loadu_ps(columns, c)))
                : _mm512_mul_ps(alpha, x);
    _mm512_mask_storeu_ps(c, columns, x);
}

static void store(const lay_cpu_split_result *of)
{
    const __m512 alpha = _mm512_set1_ps(of->alpha), beta = _mm512_set1_ps(of->beta);
    const __mmask16 low = (__mmask16)of->columns, high = (__mmask16)(of->columns >> 16);
    const int is_read = of->beta != 0;
    for (uint32_t rows = of->rows; rows; rows &= rows - 1) {
        const int i = __builtin_ctz(rows);
        float *const c = of->c + of->row[i];
        store_half(of->sum + i * LINES, c, low, alpha, beta, is_read);
        if (high)
            store_half(of->sum + i * LINES + ROWS, c + ROWS, high, alpha, beta, is_read);
    }
}

const lay_cpu_split_row lay_split_f32_32x32_amx = {
    .name = "lay_split_f32_32x32_amx",
    .isa = LAY_ISA_AMX,
    .flops_per_cycle = 1024,
    .start = start_tiles,
    .stop = stop_tiles,
    .multiply = multiply,
    .store = store,
    .pack_left = { pack_left_across, pack_left_along, pack_left_any },
    .pack_right = { pack_right_across, pack_right_along, pack_right_any },
};
