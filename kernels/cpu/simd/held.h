/* The whole products of a SIMD row of few steps and few columns: all of B waits in registers while A's rows come by,
 * one load for a product and nothing else. Included after simd/whole.h, where EACH_HELD_1 lists the steps that there is
 * room for of one register across, and EACH_HELD_2 of two; HELD_ROWS_1 and HELD_ROWS_2, powers of two, are the rows at
 * a time.
 *
 *   b[steps][vecs]  <- B                       for HELD_ROWS rows:  acc[i][v] = fma(a[i][p], b[p][v], acc[i][v])
 *
 * Steps are a constant, A's lie side by side, and C is what alpha = 1 and beta = 0 make of the sums: all else is left
 * to the tiles. */

enum {
    HELD_APART = 2
}; /* rows from one pointer: an address has room for one stride, and two more cost an instruction each */

static inline __attribute__((always_inline)) void add_held_rows(const vec *b, const real *a, int64_t a_row, real *c,
                                                                int64_t c_row, int64_t last, int rows, int steps,
                                                                int vecs, int is_some)
{
    vec acc[HELD_ROWS_1][2];
    UNROLLED
    for (int i = 0; i < rows; i++) {
        UNROLLED
        for (int v = 0; v < vecs; v++)
            acc[i][v] = vec_zero();
    }
    const real *row[HELD_ROWS_1];
    UNROLLED
    for (int q = 0; q * HELD_APART < rows; q++) {
        row[q] = a + q * HELD_APART * a_row;
        __asm__("" : "+r"(row[q]));
    }
    UNROLLED
    for (int p = 0; p < steps; p++) {
        UNROLLED
        for (int i = 0; i < rows; i++) {
            const vec x = vec_set(row[i / HELD_APART][i % HELD_APART * a_row + p]);
            UNROLLED
            for (int v = 0; v < vecs; v++)
                acc[i][v] = vec_fma(x, b[p * vecs + v], acc[i][v]);
        }
    }
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

static inline __attribute__((always_inline)) void multiply_held(const lay_whole *of, const real *a, const real *from,
                                                                real *c, int steps, int vecs, int is_some)
{
    const int most = vecs == 1 ? HELD_ROWS_1 : HELD_ROWS_2;
    const int64_t last = is_some ? of->n : of->n - LANES;
    const int64_t c_row = of->c_row;
    int64_t a_row = of->a_row;
    vec b[2 * HELD_MOST];
    UNROLLED
    for (int p = 0; p < steps; p++, from += of->b_step) {
        UNROLLED
        for (int v = 0; v < vecs; v++)
            b[p * vecs + v] = load_at(from, v, vecs, last, is_some);
    }
    int64_t rest = of->m;
    for (; rest >= most; rest -= most) {
        __asm__("" : "+r"(a_row)); /* no multiples of it, kept for all rows where there are no registers for them */
        add_held_rows(b, a, a_row, c, c_row, last, most, steps, vecs, is_some);
        a += most * a_row;
        c += most * c_row;
    }
    UNROLLED
    for (int rows = most / 2; rows > 0; rows /= 2)
        if (rest & rows) {
            add_held_rows(b, a, a_row, c, c_row, last, rows, steps, vecs, is_some);
            a += rows * a_row;
            c += rows * c_row;
        }
}

#define HELD(STEPS, VECS, NAME)                                                                                        \
    static void multiply_held_##STEPS##x##NAME(const lay_whole *of, const void *alpha, const void *a, const void *b,   \
                                               const void *beta, void *c)                                              \
    {                                                                                                                  \
        if (*(const real *)alpha == 1 && *(const real *)beta == 0)                                                     \
            multiply_held(of, a, b, c, STEPS, VECS > 0 ? VECS : 1, VECS == 0);                                         \
        else                                                                                                           \
            multiply_by_columns(of, alpha, a, b, beta, c);                                                             \
    }
#define HELD_0(STEPS) HELD(STEPS, 0, 0)
#define HELD_1(STEPS) HELD(STEPS, 1, 1)
#define HELD_2(STEPS) HELD(STEPS, 2, 2)
EACH_HELD_1(HELD_0)
EACH_HELD_1(HELD_1)
EACH_HELD_2(HELD_2)

/* By registers across, 0: less than one, and steps. */
#define HELD_0_NAME(STEPS) [STEPS] = multiply_held_##STEPS##x0,
#define HELD_1_NAME(STEPS) [STEPS] = multiply_held_##STEPS##x1,
#define HELD_2_NAME(STEPS) [STEPS] = multiply_held_##STEPS##x2,
static lay_whole_fn *const held[][HELD_MOST + 1] = { { EACH_HELD_1(HELD_0_NAME) },
                                                     { EACH_HELD_1(HELD_1_NAME) },
                                                     { EACH_HELD_2(HELD_2_NAME) } };

static lay_whole_fn *choose_whole(const lay_whole *of)
{
    enum { WORTH_HOLDING = 8 /* rows */ };
    const int64_t n = of->n;
    if (of->m >= WORTH_HOLDING && n <= 2 * LANES && of->k <= HELD_MOST && of->a_step == 1) {
        lay_whole_fn *const function = held[n < LANES ? 0 : n == LANES ? 1 : 2][of->k];
        if (function)
            return function;
    }
    return choose_tiles(of);
}
