/* The whole products of a SIMD row: all of C by tiles of operands as they lie. Included after simd/tile.h, where lists
 * name the rows that a tile may have by its registers across: EACH_ROW_1 from 1 on, EACH_ROW_2, EACH_ROW_3 and
 * EACH_ROW_4, which may be empty. Wider tiles than packed panels have, since nothing is packed: fewer elements are
 * loaded for a sum.
 *
 * A tile takes a call with all it needs in registers, and each shape of tile has a function: in a product of 2x2x2
 * anything else would show, and in one of 128 still costs 5 % (bench/LOG.md, 35). */
#define ONE_MORE(ROWS) +1
enum {
    ROWS_1 = 0 EACH_ROW_1(ONE_MORE),
    ROWS_2 = 0 EACH_ROW_2(ONE_MORE),
    ROWS_3 = 0 EACH_ROW_3(ONE_MORE),
    ROWS_4 = 0 EACH_ROW_4(ONE_MORE),
    MOST_ACROSS = ROWS_4 ? 4 : 3,
    /* Where all of B comes by for each panel of rows, high ones bring it less often. */
    MOST_ACROSS_BY_ROWS = ROWS_4 ? 4 : 2
};

/* alpha and beta as they were before C was written. */
typedef struct factors {
    real alpha, beta;
} factors;

typedef void tile_fn(const lay_whole *of, const factors *by, const real *a, const real *b, real *c, int64_t last);

static inline __attribute__((always_inline)) vec load_at(const real *from, int v, int vecs, int64_t last, int is_some)
{
    if (is_some)
        return vec_load_some(from, first_lanes((int)last));
    return vec_load(from + (v < vecs - 1 ? v * LANES : last));
}

/* All of C is read before any of it is written: rows a power of two apart look to the core like the ones just stored.
 */
static inline __attribute__((always_inline)) void scale_tile(vec acc[ROWS_1][MOST_ACROSS], real alpha, real beta,
                                                             const real *c, int64_t c_row, int64_t last, int rows,
                                                             int vecs, int is_some)
{
    const vec x = vec_set(alpha), y = vec_set(beta);
    UNROLLED
    for (int i = 0; i < rows; i++, c += c_row) {
        UNROLLED
        for (int v = 0; v < vecs; v++)
            acc[i][v] = beta == 0 ? vec_mul(x, acc[i][v])
                                  : vec_fma(x, acc[i][v], vec_mul(y, load_at(c, v, vecs, last, is_some)));
        __asm__("" : "+r"(c)); /* one pointer that runs along: one for each row would be spilled */
    }
}

static inline __attribute__((always_inline)) void multiply_tile(const lay_whole *of, real alpha, real beta,
                                                                const real *from_a, const real *b, real *c,
                                                                int64_t last, int rows, int vecs, int is_some)
{
    const int64_t a_row = of->a_row * (int64_t)sizeof(real), a_step = of->a_step * (int64_t)sizeof(real);
    const int64_t b_step = of->b_step, c_row = of->c_row;
    vec acc[ROWS_1][MOST_ACROSS];
    UNROLLED
    for (int i = 0; i < rows; i++) {
        UNROLLED
        for (int v = 0; v < vecs; v++)
            acc[i][v] = vec_zero();
    }
    const char *a[(ROWS_1 + ROWS_APART - 1) / ROWS_APART];
    UNROLLED
    for (int q = 0; q * ROWS_APART < rows; q++)
        a[q] = (const char *)from_a + q * ROWS_APART * a_row;
    int64_t p = of->k;
    do {
        vec y[MOST_ACROSS];
        UNROLLED
        for (int v = 0; v < vecs; v++) {
            y[v] = load_at(b, v, vecs, last, is_some);
            if (rows <= 2)
                __asm__("" : "+v"(y[v])); /* else gcc 12 loads it again for each use */
        }
        UNROLLED
        for (int i = 0; i < rows; i++) {
            const vec x = vec_set(*(const real *)(a[i / ROWS_APART] + i % ROWS_APART * a_row));
            UNROLLED
            for (int v = 0; v < vecs; v++)
                acc[i][v] = vec_fma(x, y[v], acc[i][v]);
        }
        UNROLLED
        for (int v = 0; v < vecs; v++)
            __asm__ volatile("" : : "v"(y[v])); /* as in simd/tile.h */
        b += b_step;
        UNROLLED
        for (int q = 0; q * ROWS_APART < rows; q++) {
            a[q] += a_step;
            __asm__("" : "+r"(a[q])); /* a pointer of its own: not one for each row */
        }
    } while (--p > 0);
    if (beta != 0)
        scale_tile(acc, alpha, beta, c, c_row, last, rows, vecs, is_some);
    else if (alpha != 1)
        scale_tile(acc, alpha, 0, c, c_row, last, rows, vecs, is_some);
    UNROLLED
    for (int i = 0; i < rows; i++, c += c_row) {
        UNROLLED
        for (int v = 0; v < vecs; v++)
            if (is_some)
                vec_store_some(c, first_lanes((int)last), acc[i][v]);
            else
                vec_store(c + (v < vecs - 1 ? v * LANES : last), acc[i][v]);
        __asm__("" : "+r"(c));
    }
}

#define TILE(ROWS, VECS, NAME)                                                                                         \
    static void tile_##ROWS##x##NAME(const lay_whole *of, const factors *by, const real *a, const real *b, real *c,    \
                                     int64_t last)                                                                     \
    {                                                                                                                  \
        multiply_tile(of, by->alpha, by->beta, a, b, c, last, ROWS, VECS > 0 ? VECS : 1, VECS == 0);                   \
    }
#define TILE_0(ROWS) TILE(ROWS, 0, 0)
#define TILE_1(ROWS) TILE(ROWS, 1, 1)
#define TILE_2(ROWS) TILE(ROWS, 2, 2)
#define TILE_3(ROWS) TILE(ROWS, 3, 3)
#define TILE_4(ROWS) TILE(ROWS, 4, 4)
EACH_ROW_1(TILE_0)
EACH_ROW_1(TILE_1)
EACH_ROW_2(TILE_2)
EACH_ROW_3(TILE_3)
EACH_ROW_4(TILE_4)

/* By registers across, 0: less than one, and rows. */
#define TILE_0_NAME(ROWS) tile_##ROWS##x0,
#define TILE_1_NAME(ROWS) tile_##ROWS##x1,
#define TILE_2_NAME(ROWS) tile_##ROWS##x2,
#define TILE_3_NAME(ROWS) tile_##ROWS##x3,
#define TILE_4_NAME(ROWS) tile_##ROWS##x4,
static tile_fn *const tiles[][ROWS_1] = {
    { EACH_ROW_1(TILE_0_NAME) }, { EACH_ROW_1(TILE_1_NAME) },      { EACH_ROW_2(TILE_2_NAME) },
    { EACH_ROW_3(TILE_3_NAME) }, { EACH_ROW_4(TILE_4_NAME) NULL },
};
/* How tiles may be, for the row of the kernel too. */
#define WHOLE_TILES                                                                                                    \
    {                                                                                                                  \
        MOST_ACROSS, MOST_ACROSS_BY_ROWS,                                                                              \
        {                                                                                                              \
            ROWS_1, ROWS_1, ROWS_2, ROWS_3, ROWS_4                                                                     \
        }                                                                                                              \
    }
static const int most_rows[] = { ROWS_1, ROWS_1, ROWS_2, ROWS_3, ROWS_4 };

static inline void ask_for_rows(const lay_whole *of, const real *a)
{
    for (int i = 0; i < ROWS_2; i++)
        __builtin_prefetch(a + i * of->a_row, 0, 3);
}

/* Each panel of columns with all rows, */
static void multiply_by_columns(const lay_whole *of, const void *alpha, const void *a, const void *b, const void *beta,
                                void *c)
{
    const factors by = { *(const real *)alpha, *(const real *)beta };
    lay_span panel;
    for (int64_t j = 0; j < of->n; j += panel.n) {
        panel = lay_whole_across(of->n - j, LANES, MOST_ACROSS);
        const int most = most_rows[panel.vecs];
        const real *rows = a;
        real *to = (real *)c + j;
        for (int64_t rest = of->m; rest > 0;) {
            const int m = lay_whole_down(rest, most);
            const real *const below = rows + m * of->a_row;
            rest -= m;
            if (of->is_left_far && rest > 0)
                ask_for_rows(of, below);
            tiles[panel.vecs][m - 1](of, &by, rows, (const real *)b + j, to, panel.last);
            rows = below;
            to += m * of->c_row;
        }
    }
}

/* or each panel of rows with all columns, */
static void multiply_by_rows(const lay_whole *of, const void *alpha, const void *a, const void *b, const void *beta,
                             void *c)
{
    const factors by = { *(const real *)alpha, *(const real *)beta };
    const int most =
        most_rows[lay_whole_across(of->n, LANES, MOST_ACROSS_BY_ROWS).vecs]; /* later panels are no wider */
    const real *rows = a;
    real *to = c;
    for (int64_t rest = of->m; rest > 0;) {
        const int m = lay_whole_down(rest, most);
        const real *const below = rows + m * of->a_row;
        rest -= m;
        lay_span panel;
        for (int64_t j = 0; j < of->n; j += panel.n) {
            panel = lay_whole_across(of->n - j, LANES, MOST_ACROSS_BY_ROWS);
            if (of->is_left_far && j + panel.n >= of->n && rest > 0)
                ask_for_rows(of, below);
            tiles[panel.vecs][m - 1](of, &by, rows, (const real *)b + j, to + j, panel.last);
        }
        rows = below;
        to += m * of->c_row;
    }
}

/* or one tile that is all of C, of one register across or less. */
#define ALONE(ROWS, NAME, IS_SOME)                                                                                     \
    static void multiply_##NAME##_##ROWS(const lay_whole *of, const void *alpha, const void *a, const void *b,         \
                                         const void *beta, void *c)                                                    \
    {                                                                                                                  \
        multiply_tile(of, *(const real *)alpha, *(const real *)beta, a, b, c, IS_SOME ? of->n : 0, ROWS, 1, IS_SOME);  \
    }
#define ALONE_SOME(ROWS)  ALONE(ROWS, some, 1)
#define ALONE_WHOLE(ROWS) ALONE(ROWS, register, 0)
EACH_ROW_1(ALONE_SOME)
EACH_ROW_1(ALONE_WHOLE)
#define ALONE_SOME_NAME(ROWS)  multiply_some_##ROWS,
#define ALONE_WHOLE_NAME(ROWS) multiply_register_##ROWS,
static lay_whole_fn *const alone[][ROWS_1] = { { EACH_ROW_1(ALONE_SOME_NAME) }, { EACH_ROW_1(ALONE_WHOLE_NAME) } };

static lay_whole_fn *choose_tiles(const lay_whole *of)
{
    if (of->m <= ROWS_1 && of->n <= LANES)
        return alone[of->n == LANES][of->m - 1];
    return of->is_by_rows ? multiply_by_rows : multiply_by_columns;
}
