/* The across function of a SIMD row. Included after simd/along.h.
 *
 * What is narrow or nested: panels of NR lines. ABREAST partial sums at a time, of up to NV registers of lines: 8
 * chains of registers, 2 more of a step and 1 of x. They are partial sums l, l + APART, l + 2 APART, .., which are
 * added to each other when they are done, so that little is stored. Lines at the edge are covered as in simd/strided.h.
 *
 * Else the rows are read as they lie: windows of DEPTH * PARTIALS steps, and in each, partial sum by partial sum, its
 * DEPTH rows side by side over the whole width, while the partial sums wait in scratch; over pieces of it where steps
 * are few. */
enum {
    ABREAST = 4,
    APART = PARTIALS / ABREAST,
    FEW = WIDE / 2, /* registers of lines, at least, where rows are read as they lie */
    DEPTH = LANES * (int)sizeof(real) >= 64
                ? 8
                : 4,            /* streams; on AVX2 8 lose 4 %, 16 a fifth where rows are a power of two apart */
    SHORT = 128,                /* steps: sums of so few wait in the first cache, */
    PIECE = 2048 / sizeof(real) /* of so many lines at a time */
};

static inline __attribute__((always_inline)) void add_across_step(vec acc[NV], real x, const element *b, edge e,
                                                                  int vecs)
{
    UNROLLED
    for (int v = 0; v < vecs; v++) {
        const element *from = b + (v < vecs - 1 ? v * LANES : e.last);
        acc[v] = vec_fma(vec_set(x), v < vecs - 1 || e.is_whole ? element_load(from) : element_load_some(from, e.some),
                         acc[v]);
    }
}

/* Partial sums first, first + APART, .. */
static inline __attribute__((always_inline)) void sum_partials(const lay_across *t, int64_t column, int first, edge e,
                                                               int vecs, vec out[NV])
{
    vec acc[ABREAST][NV];
    UNROLLED
    for (int l = 0; l < ABREAST; l++) {
        UNROLLED
        for (int v = 0; v < vecs; v++)
            acc[l][v] = vec_zero();
    }
    for (int s = 0; s < t->segments; s++) {
        const lay_segment own = t->segment[s];
        const real *x = (const real *)t->x + own.from_a + first;
        const element *b = (const element *)t->b + column + own.from_b + first * t->b_step;
        int64_t rest = own.count;
        for (; rest >= PARTIALS; rest -= PARTIALS, x += PARTIALS, b += PARTIALS * t->b_step) {
            UNROLLED
            for (int l = 0; l < ABREAST; l++)
                add_across_step(acc[l], x[l * APART], b + l * APART * t->b_step, e, vecs);
        }
        UNROLLED
        for (int l = 0; l < ABREAST; l++)
            if (first + l * APART < rest)
                add_across_step(acc[l], x[l * APART], b + l * APART * t->b_step, e, vecs);
    }
    UNROLLED
    for (int half = ABREAST / 2; half > 0; half /= 2) {
        UNROLLED
        for (int l = 0; l < half; l++) {
            UNROLLED
            for (int v = 0; v < vecs; v++)
                acc[l][v] = vec_add(acc[l][v], acc[l + half][v]);
        }
    }
    UNROLLED
    for (int v = 0; v < vecs; v++)
        out[v] = acc[0][v];
}

static inline __attribute__((always_inline)) void sum_panel(const lay_across *t, int64_t column, int n, int vecs)
{
    const edge e = { vecs > 1 ? n - LANES : 0, vecs > 1 || n == LANES, first_lanes(n < LANES ? n : LANES) };
    vec partial[APART][NV];
    for (int first = 0; first < APART; first++)
        sum_partials(t, column, first, e, vecs, partial[first]);
    UNROLLED
    for (int half = APART / 2; half > 0; half /= 2) {
        UNROLLED
        for (int l = 0; l < half; l++) {
            UNROLLED
            for (int v = 0; v < vecs; v++)
                partial[l][v] = vec_add(partial[l][v], partial[l + half][v]);
        }
    }
    real *const to = (real *)t->sums + column;
    UNROLLED
    for (int v = 0; v < vecs; v++)
        if (v < vecs - 1)
            vec_store(to + v * LANES, partial[0][v]);
        else if (e.is_whole)
            vec_store(to + e.last, partial[0][v]);
        else
            vec_store_some(to + e.last, e.some, partial[0][v]);
}

static void sum_panels(const lay_across *t)
{
    int64_t j = 0;
    for (; t->n - j > LANES; j += t->n - j < NR ? t->n - j : NR)
        sum_panel(t, j, (int)(t->n - j < NR ? t->n - j : NR), NV);
    if (j < t->n)
        sum_panel(t, j, (int)(t->n - j), 1);
}

/* depth rows of one partial sum, columns j .. of vecs registers; where is_edge, of the only one those of some. */
static inline __attribute__((always_inline)) void add_rows(const lay_across *t, const real *x, const element *b,
                                                           int64_t depth, real *sums, int is_first, int vecs,
                                                           int is_edge, lanes some)
{
    const int64_t step = PARTIALS * t->b_step;
    vec acc[WIDE];
    UNROLLED
    for (int v = 0; v < vecs; v++)
        acc[v] = is_first ? vec_zero() : vec_load(sums + v * LANES);
    for (int64_t d = 0; d < depth; d++, x += PARTIALS, b += step) {
        const vec y = vec_set(*x);
        UNROLLED
        for (int v = 0; v < vecs; v++)
            acc[v] = vec_fma(y, is_edge ? element_load_some(b, some) : element_load(b + v * LANES), acc[v]);
    }
    UNROLLED
    for (int v = 0; v < vecs; v++)
        vec_store(sums + v * LANES, acc[v]);
}

static void add_window(const lay_across *t, const real *x, const element *b, int64_t steps, int64_t row, int is_first)
{
    const lanes some = first_lanes((int)(t->n % LANES));
    for (int l = 0; l < PARTIALS; l++) {
        const int64_t depth = (steps - l + PARTIALS - 1) / PARTIALS;
        real *const sums = (real *)t->room + l * row;
        const element *const own = b + l * t->b_step;
        int64_t j = 0;
        for (; j + WIDE * LANES <= t->n; j += WIDE * LANES)
            add_rows(t, x + l, own + j, depth, sums + j, is_first, WIDE, 0, some);
        if (j + FEW * LANES <= t->n) {
            add_rows(t, x + l, own + j, depth, sums + j, is_first, FEW, 0, some);
            j += FEW * LANES;
        }
        for (; j + LANES <= t->n; j += LANES)
            add_rows(t, x + l, own + j, depth, sums + j, is_first, 1, 0, some);
        if (j < t->n)
            add_rows(t, x + l, own + j, depth, sums + j, is_first, 1, 1, some);
    }
}

static void join_partials(const lay_across *t, int64_t row)
{
    const lanes some = first_lanes((int)(t->n % LANES));
    for (int64_t j = 0; j < t->n; j += LANES) {
        vec partial[PARTIALS / 2];
        const real *const sums = (const real *)t->room + j;
        UNROLLED
        for (int l = 0; l < PARTIALS / 2; l++)
            partial[l] = vec_add(vec_load(sums + l * row), vec_load(sums + (l + PARTIALS / 2) * row));
        UNROLLED
        for (int half = PARTIALS / 4; half > 0; half /= 2) {
            UNROLLED
            for (int l = 0; l < half; l++)
                partial[l] = vec_add(partial[l], partial[l + half]);
        }
        if (j + LANES <= t->n)
            vec_store((real *)t->sums + j, partial[0]);
        else
            vec_store_some((real *)t->sums + j, some, partial[0]);
    }
}

static void sum_piece(const lay_across *t)
{
    const lay_segment all = t->segment[0];
    const int64_t row = (t->n + LAY_PARTIAL_LINES - 1) / LAY_PARTIAL_LINES * LAY_PARTIAL_LINES;
    const int64_t window = PARTIALS * DEPTH;
    const real *const x = (const real *)t->x + all.from_a;
    const element *const b = (const element *)t->b + all.from_b;
    for (int64_t p = 0; p < all.count; p += window)
        add_window(t, x + p, b + p * t->b_step, all.count - p < window ? all.count - p : window, row, p == 0);
    join_partials(t, row);
}

static void sum_rows(const lay_across *t)
{
    const int64_t most = t->segment[0].count <= SHORT ? PIECE : t->n;
    lay_across piece = *t;
    for (int64_t j = 0; j < t->n; j += most) {
        piece.n = t->n - j < most ? t->n - j : most;
        piece.b = (const element *)t->b + j;
        piece.sums = (real *)t->sums + j;
        sum_piece(&piece);
    }
}

static void compute_across(const lay_across *t)
{
    assert(NV == 2 && t->n >= 1 && (int)LANES <= (int)LAY_PARTIAL_LINES);
    if (t->n < FEW * LANES || t->segments > 1)
        sum_panels(t);
    else
        sum_rows(t);
}
