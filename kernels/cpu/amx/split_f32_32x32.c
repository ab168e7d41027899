/* Split f32, 32x32, AMX with bfloat16 (kernels/cpu_split.h): 24 tile products of 16 cycles a leaf with 16 loads of 8,
 * so that the matrix unit is what it waits for as long as panels come from the second cache. */
#include "cpu/amx/split_pack.h"
#include "cpu/amx/tiles.h"
#include "cpu_split.h"

enum {
    LINES = LAY_CPU_SPLIT_LINES,
    ROWS_A_LEAF = LINES / LAY_CPU_SPLIT_CHUNK /* of what is stored, added or asked for during the matrix unit's work */
};

typedef void leaf_fn(leaves of);

/* ---- during the matrix unit's work ---- */

/* What has its own sums, of rows first .. end, as one. */
static void add_halves(lay_cpu_split_sums *sums, int first, int end)
{
    for (int i = first; i < end; i++)
        for (int j = 0; j < LINES; j += ROWS) {
            float *const sum = &sums->half[0][i][j];
            _mm512_store_ps(sum, _mm512_add_ps(_mm512_load_ps(sum), _mm512_load_ps(&sums->half[1][i][j])));
        }
}

static inline __attribute__((always_inline)) void store_vector(const lay_cpu_split_result *of, int i, int j,
                                                               __mmask16 columns)
{
    float *const c = of->c + of->row[i] + j;
    __m512 x = _mm512_load_ps(&of->sums->half[0][i][j]);
    if (of->sums->halves == 2)
        x = _mm512_add_ps(x, _mm512_load_ps(&of->sums->half[1][i][j]));
    x = _mm512_mul_ps(_mm512_set1_ps(of->alpha), x);
    _mm512_mask_storeu_ps(c, columns, x);
}

static inline __attribute__((always_inline)) void update_vector(const lay_cpu_split_result *of, int i, int j,
                                                                __mmask16 columns)
{
    float *const c = of->c + of->row[i] + j;
    __m512 x = _mm512_load_ps(&of->sums->half[0][i][j]);
    if (of->sums->halves == 2)
        x = _mm512_add_ps(x, _mm512_load_ps(&of->sums->half[1][i][j]));
    const __m512 old = _mm512_mul_ps(_mm512_set1_ps(of->beta), _mm512_maskz_loadu_ps(columns, c));
    _mm512_mask_storeu_ps(c, columns, _mm512_fmadd_ps(_mm512_set1_ps(of->alpha), x, old));
}

/* Rows first .. end. */
static void store_rows(const lay_cpu_split_result *of, int first, int end)
{
    const __mmask16 low = (__mmask16)of->columns, high = (__mmask16)(of->columns >> ROWS);
    const int is_read = of->beta != 0;
    for (int i = first; i < end; i++) {
        if (!(of->rows >> i & 1))
            continue;
        if (is_read) {
            update_vector(of, i, 0, low);
            if (high)
                update_vector(of, i, ROWS, high);
        } else {
            store_vector(of, i, 0, low);
            if (high)
                store_vector(of, i, ROWS, high);
        }
    }
}

static void store(const lay_cpu_split_result *of)
{
    store_rows(of, 0, LINES);
}

/* Whether a row's 128 bytes are parts of three cache lines. */
static inline int is_astride(const lay_cpu_split_result *of, int i)
{
    return (uintptr_t)(of->c + of->row[i]) % 64 != 0;
}

/* A few rows of C at a time into the first cache: rows a power of two apart share sets of it. */
static void prefetch_rows(const lay_cpu_split_result *of, int first, int end)
{
    for (int i = first; i < end; i++)
        if (of->rows >> i & 1) {
            __builtin_prefetch(of->c + of->row[i], 1, 3);
            __builtin_prefetch(of->c + of->row[i] + ROWS, 1, 3);
            if (is_astride(of, i))
                __builtin_prefetch(of->c + of->row[i] + LINES - 1, 1, 3);
        }
}

/* Into the second, a tile earlier, and a few at a time too: together they would stand before the tiles' own lines. */
static void prefetch_rows_far(const lay_cpu_split_result *of, int first, int end)
{
    for (int i = first; i < end; i++)
        if (of->rows >> i & 1) {
            __builtin_prefetch(of->c + of->row[i], 0, 2);
            __builtin_prefetch(of->c + of->row[i] + ROWS, 0, 2);
            if (is_astride(of, i))
                __builtin_prefetch(of->c + of->row[i] + LINES - 1, 0, 2);
        }
}

/* What a chunk does besides, a part after each leaf: the first stores another tile's sums, later ones add the halves of
 * their own, which were stored long enough ago to have left for the cache. */
typedef struct besides {
    const lay_cpu_split_result *pending, *coming;
    lay_cpu_split_sums *halves;
    int done; /* rows */
} besides;

static void do_besides(besides *of, int rows)
{
    const int end = of->done + rows < LINES ? of->done + rows : LINES;
    if (of->pending) {
        store_rows(of->pending, of->done, end);
        prefetch_rows(of->pending, end, end + rows < LINES ? end + rows : LINES);
    }
    if (of->halves)
        add_halves(of->halves, of->done, end);
    if (of->coming)
        prefetch_rows_far(of->coming, of->done, end);
    of->done = end;
}

/* A segment of right's next panel into the second cache, whose lines come in pairs. */
static inline void prefetch_far(const char *ahead, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 128)
        __builtin_prefetch(ahead + at, 0, 2);
}

/* ---- the matrix unit ---- */

static inline __attribute__((always_inline)) leaves leaf_at(const char *a, const char *b, size_t leaf, int64_t number)
{
    const size_t at = (size_t)number * leaf;
    return (leaves){ a + at, b + at, a + at + leaf, b + at + leaf };
}

/* Leaves first .. end of the panels into the tiles. */
static inline __attribute__((always_inline)) void multiply_chunk(const lay_cpu_split_tile *tile, int64_t first,
                                                                 int64_t end, size_t leaf, leaf_fn *add_leaf,
                                                                 besides *others)
{
    zero_sums();
    for (int64_t l = first; l < end; l++) {
        leaves of = leaf_at(tile->a, tile->b, leaf, l);
        if (l == tile->leaves - 1) {
            of.next_a = tile->next_a;
            of.next_b = tile->next_b;
        }
        add_leaf(of);
        prefetch_far((const char *)tile->ahead + (size_t)l * tile->ahead_bytes, tile->ahead_bytes);
        do_besides(others, ROWS_A_LEAF);
    }
    do_besides(others, LINES);
}

static inline __attribute__((always_inline)) void multiply_with(const lay_cpu_split_tile *tile, int limbs,
                                                                leaf_fn *add_leaf)
{
    const size_t leaf = lay_cpu_split_leaf(limbs);
    lay_cpu_split_sums *const sums = tile->sums;
    for (int64_t first = 0; first < tile->leaves; first += LAY_CPU_SPLIT_CHUNK) {
        const int64_t end = first + LAY_CPU_SPLIT_CHUNK < tile->leaves ? first + LAY_CPU_SPLIT_CHUNK : tile->leaves;
        besides others = { .pending = first == 0 ? tile->pending : NULL,
                           .coming = first == 0 ? tile->coming : NULL,
                           .halves = first >= 2 * LAY_CPU_SPLIT_CHUNK ? sums : NULL };
        multiply_chunk(tile, first, end, leaf, add_leaf, &others);
        store_sums(first == 0 ? sums->half[0][0] : sums->half[1][0]);
    }
    sums->halves = tile->leaves > LAY_CPU_SPLIT_CHUNK ? 2 : 1;
}

static void multiply(const lay_cpu_split_tile *tile)
{
    if (tile->limbs == 1)
        multiply_with(tile, 1, add_leaf_of_1);
    else if (tile->limbs == 2)
        tile->is_transposed ? multiply_with(tile, 2, add_transposed_leaf_of_2) : multiply_with(tile, 2, add_leaf_of_2);
    else
        tile->is_transposed ? multiply_with(tile, 3, add_transposed_leaf_of_3) : multiply_with(tile, 3, add_leaf_of_3);
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
