/* The along function of a SIMD row. Included after simd/tile.h and the type of the lines' elements.
 *
 * The partial sums of a block are PARTS registers, whose lanes take a step each. Runs, blocks of lines, go side by
 * side, so that 8 chains of registers and more keep the units busy: lines that share x or, of a single line, blocks. */
enum {
    PARTIALS = LAY_PARTIAL_BYTES / (int)sizeof(real),
    PARTS = PARTIALS / LANES,
    BLOCKS = 8 / PARTS,                 /* side by side, of a single line */
    GROUP = PARTS == 2 ? 6 : 8 / PARTS, /* lines: as many streams as registers serve, up to 8, are read fastest */
    FOLDED = 4,                         /* runs */
    LONG_LINE = 1024,                   /* bytes: of shorter ones folding shows, which takes four runs at a time */
    /* Bytes of a single line up to which blocks go side by side. Beyond it one stream, which the prefetcher follows, is
     * worth more than chains: the second cache, or the third where a block is one register, does not keep them busy. */
    NEAR_LINE = PARTS > 1 ? 16 << 10 : 1 << 20
};

static inline __attribute__((always_inline)) void add_along(vec acc[GROUP][PARTS], const real *const x[],
                                                            const element *const b[], int64_t steps, int runs,
                                                            int is_shared)
{
    int64_t p = 0;
    for (; p + PARTIALS <= steps; p += PARTIALS) {
        UNROLLED
        for (int r = 0; r < runs; r++)
            element_ask(b[r], p);
        UNROLLED
        for (int v = 0; v < PARTS; v++) {
            const vec y = vec_load(x[0] + p + v * LANES);
            UNROLLED
            for (int r = 0; r < runs; r++)
                acc[r][v] = vec_fma(is_shared ? y : vec_load(x[r] + p + v * LANES), element_load(b[r] + p + v * LANES),
                                    acc[r][v]);
        }
    }
    const int rest = (int)(steps - p);
    if (rest == 0)
        return;
    UNROLLED
    for (int v = 0; v < PARTS; v++) {
        const int here = rest - v * LANES;
        const lanes some = first_lanes(here < 0 ? 0 : here < LANES ? here : LANES);
        UNROLLED
        for (int r = 0; r < runs; r++)
            acc[r][v] = vec_fma_some(vec_load_some(x[r] + p + v * LANES, some),
                                     element_load_some(b[r] + p + v * LANES, some), acc[r][v], some);
    }
}

/* Block number block of lines j .. j + runs or, where they are not lines, of line j the blocks from there on, all
 * whole. */
static inline __attribute__((always_inline)) void sum_runs(const lay_along *t, int64_t j, int64_t block, int runs,
                                                           int are_lines)
{
    const int64_t first = block * t->kc;
    vec acc[GROUP][PARTS];
    UNROLLED
    for (int r = 0; r < runs; r++) {
        UNROLLED
        for (int v = 0; v < PARTS; v++)
            acc[r][v] = vec_zero();
    }
    for (int s = 0; s < t->segments; s++) {
        const lay_segment own = t->segment[s];
        const int64_t rest = own.count - first, steps = rest < t->kc ? rest : t->kc;
        const real *x[GROUP];
        const element *b[GROUP];
        UNROLLED
        for (int r = 0; r < runs; r++) {
            const int64_t p = first + (are_lines ? 0 : r * t->kc);
            x[r] = (const real *)t->x + own.from_a + p;
            b[r] = (const element *)t->b + t->line[are_lines ? j + r : j] + own.from_b + p;
        }
        add_along(acc, x, b, steps, runs, are_lines);
    }
    real sum[GROUP];
    UNROLLED
    for (int r = 0; r < runs; r += FOLDED)
        vec_fold(acc + r, runs - r < FOLDED ? runs - r : FOLDED, sum + r);
    real *const to = (real *)t->sums + block * t->sums_row + j;
    UNROLLED
    for (int r = 0; r < runs; r++)
        to[are_lines ? r : r * t->sums_row] = sum[r];
}

static inline __attribute__((always_inline)) void sum_lines(const lay_along *t, int64_t j, int runs)
{
    for (int64_t block = 0; block * t->kc < t->k; block++)
        sum_runs(t, j, block, runs, 1);
}

/* All blocks of one line. */
static void sum_line(const lay_along *t, int64_t j)
{
    const int64_t whole = t->k * (int64_t)sizeof(real) <= NEAR_LINE ? t->k / t->kc : 0;
    int64_t block = 0;
    for (; block + BLOCKS <= whole; block += BLOCKS)
        sum_runs(t, j, block, BLOCKS, 0);
    for (; block + 2 <= whole; block += 2)
        sum_runs(t, j, block, 2, 0);
    for (; block * t->kc < t->k; block++)
        sum_runs(t, j, block, 1, 0);
}

static void compute_along(const lay_along *t)
{
    assert(t->n >= 1 && (t->segments == 1 || t->k <= t->kc));
    int64_t j = 0;
    for (; t->k * (int64_t)sizeof(real) >= LONG_LINE && j + GROUP <= t->n; j += GROUP)
        sum_lines(t, j, GROUP);
    for (; j + BLOCKS <= t->n; j += BLOCKS)
        sum_lines(t, j, BLOCKS);
    for (; j + 2 <= t->n; j += 2)
        sum_lines(t, j, 2);
    if (j < t->n)
        sum_line(t, j);
}
