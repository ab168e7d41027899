/* A register's products of a tile. Included by lanes.h once for each size of register: REGISTER is its type, and
 * BY(word) names its operations and what is defined here. */
static inline __attribute__((always_inline)) REGISTER BY(read)(const real *from, lanes some, int is_some)
{
    return is_some ? BY(load_some)(from, some) : BY(load)(from);
}

static inline __attribute__((always_inline)) void BY(write)(real *to, REGISTER x, lanes some, int is_some)
{
    if (is_some)
        BY(store_some)(to, some, x);
    else
        BY(store)(to, x);
}

static inline __attribute__((always_inline)) void BY(update)(real *c, REGISTER sum, real alpha, real beta, lanes some,
                                                             int is_some)
{
    REGISTER value = sum;
    if (beta != 0)
        value = BY(fma)(BY(set)(alpha), sum, BY(mul)(BY(set)(beta), BY(read)(c, some, is_some)));
    else if (alpha != 1)
        value = BY(mul)(BY(set)(alpha), sum);
    BY(write)(c, value, some, is_some);
}

/* rows x columns elements of C, of one register's products from number l on. beside: NONE, or what is done at each step
 * to at->beside; then steps lie a register apart, rows and columns a stride. */
static inline __attribute__((always_inline)) void BY(multiply)(const lay_lanes *of, const places *at, int64_t l,
                                                               lanes some, int rows, int columns, int is_some,
                                                               int is_far, int beside)
{
    const int64_t *const a_step = of->a_step, *const b_step = of->b_step, k = of->k;
    REGISTER acc[MR][NR];
    UNROLLED
    for (int r = 0; r < rows; r++) {
        UNROLLED
        for (int s = 0; s < columns; s++)
            acc[r][s] = BY(zero)();
    }
    if (is_far && k >= WORTH_ASKING) { /* each line in another page: there when it is written */
        UNROLLED
        for (int r = 0; r < rows; r++) {
            UNROLLED
            for (int s = 0; s < columns; s++)
                __builtin_prefetch(at->c[r] + at->column[s] + l, 1, 3);
        }
    }
    const int is_even = beside != NONE;
    const int64_t a_line = rows > 1 ? at->a[1] - at->a[0] : 0, b_line = columns > 1 ? at->b[1] - at->b[0] : 0;
    const real *a = at->a[0], *b = at->b[0];
    moved row = is_even ? begin_moved(at->beside) : (moved){ .on = 0 };
    int64_t p = 0;
    do {
        const int64_t on_a = is_even ? 0 : a_step[p] + l, on_b = is_even ? 0 : b_step[p] + l;
        REGISTER x[MR];
        UNROLLED
        for (int r = 0; r < rows; r++)
            x[r] = BY(read)(is_even ? a + r * a_line : at->a[r] + on_a, some, is_some);
        UNROLLED
        for (int s = 0; s < columns; s++) {
            const REGISTER y = BY(read)(is_even ? b + s * b_line : at->b[s] + on_b, some, is_some);
            UNROLLED
            for (int r = 0; r < rows; r++)
                acc[r][s] = BY(fma)(x[r], y, acc[r][s]);
        }
        if (is_even) {
            move_some(&row, at->beside->offset, beside);
            a += LANES;
            b += LANES;
        }
    } while (++p < k);
    if (is_even)
        at->beside->next = row.offset - at->beside->offset;
    const real alpha = *(const real *)of->alpha, beta = *(const real *)of->beta;
    UNROLLED
    for (int r = 0; r < rows; r++) {
        UNROLLED
        for (int s = 0; s < columns; s++)
            BY(update)(at->c[r] + at->column[s] + l, acc[r][s], alpha, beta, some, is_some);
    }
}
