/* Products whose elements lie side by side, one in each lane. Included after the registers' header (real, vec, LANES)
 * by a file that defines WIDTH, which LANES is, and MR and NR, elements of C whose sums are in registers together;
 * lists name the rows and columns that a tile may have. Where there is LOWER_LANES, lower is half a register (real's
 * operations by that name): at most so many last products take one. */
#include "cpu_lanes.h"

enum { PARTIALS = LAY_PARTIAL_BYTES / (int)sizeof(real), WORTH_ASKING = 8 /* steps */ };

#if WIDTH == 2
#define FIRST_OF_PAIRS(v)  __builtin_shufflevector(v, v, 0, 0)
#define SECOND_OF_PAIRS(v) __builtin_shufflevector(v, v, 1, 1)
#elif WIDTH == 4
#define FIRST_OF_PAIRS(v)  __builtin_shufflevector(v, v, 0, 0, 2, 2)
#define SECOND_OF_PAIRS(v) __builtin_shufflevector(v, v, 1, 1, 3, 3)
#elif WIDTH == 8
#define FIRST_OF_PAIRS(v)  __builtin_shufflevector(v, v, 0, 0, 2, 2, 4, 4, 6, 6)
#define SECOND_OF_PAIRS(v) __builtin_shufflevector(v, v, 1, 1, 3, 3, 5, 5, 7, 7)
#else
#define FIRST_OF_PAIRS(v)  __builtin_shufflevector(v, v, 0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14)
#define SECOND_OF_PAIRS(v) __builtin_shufflevector(v, v, 1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, 15, 15)
#endif

/* Where a tile's elements of the first product lie. */
typedef struct places {
    const real *a[MR], *b[NR];
    real *c[MR];
    int64_t column[NR];
    lay_lanes_beside *beside;
} places;

/* What is moved beside a tile's steps: the row at offset[0], from register on on. */
enum { NONE, COPIED, PUT, BESIDE_AHEAD = 4 /* rows */ };
typedef struct moved {
    real *lying, *planes;
    const int64_t *offset;
    int64_t plane, on, registers;
} moved;

static inline __attribute__((always_inline)) moved begin_moved(const lay_lanes_beside *of)
{
    return (moved){ .lying = of->lying,
                    .planes = of->planes,
                    .offset = of->offset + of->next,
                    .plane = of->plane,
                    .registers = of->width / LANES };
}

/* The next registers of a row; those of a later one are asked for. */
static inline __attribute__((always_inline)) void move_some(moved *of, const int64_t *first, int how)
{
    real *const lying = of->lying + of->offset[0] + of->on * LANES;
    real *const ahead = of->lying + of->offset[BESIDE_AHEAD] + of->on * LANES;
    real *const plane = of->planes + (of->offset - first) * LANES + of->on * of->plane;
    UNROLLED
    for (int v = 0; v < LAY_LANES_AT_ONCE; v++) {
        __builtin_prefetch(ahead + v * LANES, 0, 3);
        if (how == COPIED)
            vec_store(plane + v * of->plane, vec_load(lying + v * LANES));
        else
            vec_store(lying + v * LANES, vec_load(plane + v * of->plane));
    }
    of->on += LAY_LANES_AT_ONCE;
    const int is_last = of->on == of->registers;
    of->on = is_last ? 0 : of->on;
    of->offset += is_last;
}

#define REGISTER vec
#define BY(word) vec_##word
#include "cpu/simd/lanes_register.h"
#undef REGISTER
#undef BY
#ifdef LOWER_LANES
#define REGISTER lower
#define BY(word) lower_##word
#include "cpu/simd/lanes_register.h"
#undef REGISTER
#undef BY
#endif

static inline __attribute__((always_inline)) void find_places(const lay_lanes *of, int64_t i, int64_t j, int rows,
                                                              int columns, places *at)
{
    UNROLLED
    for (int r = 0; r < rows; r++) {
        at->a[r] = (const real *)of->a + of->a_row[i + r];
        at->c[r] = (real *)of->c + of->c_row[i + r];
    }
    UNROLLED
    for (int s = 0; s < columns; s++) {
        at->b[s] = (const real *)of->b + of->b_column[j + s];
        at->column[s] = of->c_column[j + s];
    }
}

/* The tile whose first element is (i, j), of all products. */
static inline __attribute__((always_inline)) void multiply_tile(const lay_lanes *of, int64_t i, int64_t j, int rows,
                                                                int columns, int is_far)
{
    places at;
    find_places(of, i, j, rows, columns, &at);
    int64_t l = 0;
    for (; l + LANES <= of->width; l += LANES)
        vec_multiply(of, &at, l, first_lanes(LANES), rows, columns, 0, is_far, NONE);
#ifdef LOWER_LANES
    if (of->width - l == LOWER_LANES) {
        lower_multiply(of, &at, l, first_lanes(LOWER_LANES), rows, columns, 0, is_far, NONE);
        l += LOWER_LANES;
    } else if (l < of->width && of->width - l < LOWER_LANES) {
        lower_multiply(of, &at, l, first_lanes((int)(of->width - l)), rows, columns, 1, is_far, NONE);
        l = of->width;
    }
#endif
    if (l < of->width)
        vec_multiply(of, &at, l, first_lanes((int)(of->width - l)), rows, columns, 1, is_far, NONE);
}

/* The same of one register's, beside which rows are moved. */
static inline __attribute__((always_inline)) void multiply_beside(const lay_lanes *of, lay_lanes_beside *beside,
                                                                  int64_t i, int64_t j, int rows, int columns, int how)
{
    places at = { .beside = beside };
    find_places(of, i, j, rows, columns, &at);
    vec_multiply(of, &at, 0, first_lanes(LANES), rows, columns, 0, 0, how);
}

typedef void tile_fn(const lay_lanes *of, int64_t i, int64_t j);
typedef void beside_fn(const lay_lanes *of, lay_lanes_beside *beside, int64_t i, int64_t j);

#define TILE(ROWS, COLUMNS)                                                                                            \
    static void tile_##ROWS##x##COLUMNS(const lay_lanes *of, int64_t i, int64_t j)                                     \
    {                                                                                                                  \
        multiply_tile(of, i, j, ROWS, COLUMNS, 0);                                                                     \
    }                                                                                                                  \
    static void far_##ROWS##x##COLUMNS(const lay_lanes *of, int64_t i, int64_t j)                                      \
    {                                                                                                                  \
        multiply_tile(of, i, j, ROWS, COLUMNS, 1);                                                                     \
    }                                                                                                                  \
    static void copying_##ROWS##x##COLUMNS(const lay_lanes *of, lay_lanes_beside *beside, int64_t i, int64_t j)        \
    {                                                                                                                  \
        multiply_beside(of, beside, i, j, ROWS, COLUMNS, COPIED);                                                      \
    }                                                                                                                  \
    static void putting_##ROWS##x##COLUMNS(const lay_lanes *of, lay_lanes_beside *beside, int64_t i, int64_t j)        \
    {                                                                                                                  \
        multiply_beside(of, beside, i, j, ROWS, COLUMNS, PUT);                                                         \
    }
#define TILES(COLUMNS) EACH_LANES_ROW(TILE, COLUMNS)
EACH_LANES_COLUMN(TILES)

#define TILE_NAME(ROWS, COLUMNS)    tile_##ROWS##x##COLUMNS,
#define FAR_NAME(ROWS, COLUMNS)     far_##ROWS##x##COLUMNS,
#define COPYING_NAME(ROWS, COLUMNS) copying_##ROWS##x##COLUMNS,
#define PUTTING_NAME(ROWS, COLUMNS) putting_##ROWS##x##COLUMNS,
#define TILE_NAMES(COLUMNS)         { EACH_LANES_ROW(TILE_NAME, COLUMNS) },
#define FAR_NAMES(COLUMNS)          { EACH_LANES_ROW(FAR_NAME, COLUMNS) },
#define COPYING_NAMES(COLUMNS)      { EACH_LANES_ROW(COPYING_NAME, COLUMNS) },
#define PUTTING_NAMES(COLUMNS)      { EACH_LANES_ROW(PUTTING_NAME, COLUMNS) },

/* By whether C is far, and by whether rows are put. */
static tile_fn *const tiles[2][NR][MR] = { { EACH_LANES_COLUMN(TILE_NAMES) }, { EACH_LANES_COLUMN(FAR_NAMES) } };
static beside_fn *const beside_tiles[2][NR][MR] = { { EACH_LANES_COLUMN(COPYING_NAMES) },
                                                    { EACH_LANES_COLUMN(PUTTING_NAMES) } };

/* The next tile's share of what is left: rather two alike than a large one and a very small one. */
static inline int cut(int64_t rest, int most)
{
    return (int)(rest <= most ? rest : rest >= most + (most + 1) / 2 ? most : (rest + 1) / 2);
}

/* Rows that are enough for a tile's steps; one that they leave in part is begun again. NULL: none. */
static lay_lanes_beside *find_beside(const lay_lanes *of)
{
    enum { AT_ONCE = LAY_LANES_AT_ONCE * LANES };
    if (of->width != LANES)
        return NULL;
    for (int x = 0; x < of->besides; x++) {
        lay_lanes_beside *const one = &of->beside[x];
        if (one->width > 0 && one->width % AT_ONCE == 0 &&
            one->count - one->next > of->k / (one->width / AT_ONCE) + BESIDE_AHEAD)
            return one;
    }
    return NULL;
}

static void multiply(const lay_lanes *of)
{
    for (int64_t j = 0, n; j < of->n; j += n) {
        n = cut(of->n - j, NR);
        for (int64_t i = 0, m; i < of->m; i += m) {
            m = cut(of->m - i, MR);
            lay_lanes_beside *const beside = find_beside(of);
            if (beside)
                beside_tiles[beside->is_put][n - 1][m - 1](of, beside, i, j);
            else
                tiles[of->is_far][n - 1][m - 1](of, i, j);
        }
    }
}

/* The sum of count steps from p on, of one element of C. */
static inline __attribute__((always_inline)) vec add_partials(const lay_lanes *of, const real *a, const real *b,
                                                              int64_t p, int64_t count, lanes some, int is_some)
{
    vec sum[PARTIALS], kept[PARTIALS];
    int64_t q = 0;
    UNROLLED
    for (int s = 0; s < PARTIALS; s++)
        sum[s] = vec_zero();
    for (; q + PARTIALS <= count; q += PARTIALS) {
        UNROLLED
        for (int s = 0; s < PARTIALS; s++)
            sum[s] = vec_fma(vec_read(a + of->a_step[p + q + s], some, is_some),
                             vec_read(b + of->b_step[p + q + s], some, is_some), sum[s]);
    }
    UNROLLED
    for (int s = 0; s < PARTIALS; s++)
        kept[s] = sum[s];
    for (int s = 0; q < count; q++, s++)
        kept[s] = vec_fma(vec_read(a + of->a_step[p + q], some, is_some),
                          vec_read(b + of->b_step[p + q], some, is_some), kept[s]);
    for (int half = PARTIALS / 2; half > 0; half /= 2)
        for (int s = 0; s < half; s++)
            kept[s] = vec_add(kept[s], kept[s + half]);
    return kept[0];
}

static inline __attribute__((always_inline)) void partial_register(const lay_lanes *of, int64_t i, int64_t j, int64_t l,
                                                                   lanes some, int is_some)
{
    const real *const a = (const real *)of->a + of->a_row[i] + l, *const b = (const real *)of->b + of->b_column[j] + l;
    vec sum = vec_zero();
    for (int64_t p = 0; p < of->k; p += of->kc)
        sum = vec_add(add_partials(of, a, b, p, of->k - p < of->kc ? of->k - p : of->kc, some, is_some), sum);
    vec_update((real *)of->c + of->c_row[i] + of->c_column[j] + l, sum, *(const real *)of->alpha,
               *(const real *)of->beta, some, is_some);
}

static void partial(const lay_lanes *of)
{
    int64_t l = 0;
    for (; l + LANES <= of->width; l += LANES)
        for (int64_t j = 0; j < of->n; j++)
            for (int64_t i = 0; i < of->m; i++)
                partial_register(of, i, j, l, first_lanes(LANES), 0);
    for (int64_t j = 0; l < of->width && j < of->n; j++)
        for (int64_t i = 0; i < of->m; i++)
            partial_register(of, i, j, l, first_lanes((int)(of->width - l)), 1);
}

/* Rows of so many registers. */
static inline __attribute__((always_inline)) void copy_registers(const real *from, const int64_t *offset, int64_t count,
                                                                 int registers, real *to, int64_t plane)
{
    enum { ROWS_AHEAD = 4 }; /* each lies in another page than the one before */
    for (int64_t q = 0; q < count; q++, to += LANES) {
        const real *const source = from + offset[q];
        const real *const ahead = from + offset[q + ROWS_AHEAD < count ? q + ROWS_AHEAD : q];
        UNROLLED
        for (int v = 0; v < registers; v++)
            __builtin_prefetch(ahead + v * LANES, 0, 3);
        UNROLLED
        for (int v = 0; v < registers; v++)
            vec_store(to + v * plane, vec_load(source + v * LANES));
    }
}

static void copy_any(const real *from, const int64_t *offset, int64_t count, int64_t width, real *to, int64_t plane)
{
    const lanes some = first_lanes((int)(width % LANES));
    for (int64_t q = 0; q < count; q++, to += LANES) {
        const real *const source = from + offset[q];
        int64_t l = 0, v = 0;
        for (; l + LANES <= width; l += LANES, v += plane)
            vec_store(to + v, vec_load(source + l));
        if (l < width)
            vec_store_some(to + v, some, vec_load_some(source + l, some));
    }
}

static void copy(const void *from, const int64_t *offset, int64_t count, int64_t width, void *to, int64_t plane)
{
    switch (width) {
#define CASE(REGISTERS)                                                                                                \
    case REGISTERS *LANES:                                                                                             \
        copy_registers(from, offset, count, REGISTERS, to, plane);                                                     \
        return
        CASE(1);
        CASE(2);
        CASE(4);
        CASE(8);
#undef CASE
    default:
        copy_any(from, offset, count, width, to, plane);
    }
}

static inline __attribute__((always_inline)) void put_registers(const real *from, int64_t plane, real *to,
                                                                const int64_t *offset, int64_t count, int64_t width)
{
    const lanes some = first_lanes((int)(width % LANES));
    for (int64_t q = 0; q < count; q++, from += LANES) {
        real *const lying = to + offset[q];
        int64_t l = 0, v = 0;
        for (; l + LANES <= width; l += LANES, v += plane)
            vec_store(lying + l, vec_load(from + v));
        if (l < width)
            vec_store_some(lying + l, some, vec_load_some(from + v, some));
    }
}

static void put(const void *from, int64_t plane, void *to, const int64_t *offset, int64_t count, int64_t width)
{
    switch (width) {
#define CASE(REGISTERS)                                                                                                \
    case REGISTERS *LANES:                                                                                             \
        put_registers(from, plane, to, offset, count, REGISTERS *LANES);                                               \
        return
        CASE(4);
        CASE(8);
#undef CASE
    default:
        put_registers(from, plane, to, offset, count, width);
    }
}

static void parts(const void *from, int64_t width, void *to, void *other)
{
    for (int64_t l = 0; l < width; l += LANES) {
        const int is_some = width - l < LANES;
        const lanes some = first_lanes(is_some ? (int)(width - l) : LANES);
        const vec x = vec_read((const real *)from + l, some, is_some);
        vec_write((real *)to + l, FIRST_OF_PAIRS(x), some, is_some);
        vec_write((real *)other + l, SECOND_OF_PAIRS(x), some, is_some);
    }
}

#ifdef LOWER_LANES
enum { HALF = LOWER_LANES };
#else
enum { HALF = 0 };
#endif
#define LAY_LANES_FUNCTIONS                                                                                            \
    .lanes = LANES, .half = HALF, .mr = MR, .nr = NR, .multiply = multiply, .partial = partial, .copy = copy,          \
    .put = put, .parts = parts, .turn = turn, .turn_back = turn_back
