/* The strided function of a SIMD row. Included after simd/tile.h.
 *
 * A's rows are reached from a pointer for each ROWS_APART of them, so that 12 rows take 4 registers: the
 * two rows behind a pointer's own lie one and two strides on, which an address has room for. Columns that are
 * no multiple of a register's are covered by one that begins earlier, over columns that another has
 * too; only where C has fewer columns than lanes there are masks. */
enum { ROWS_APART = 3, POINTERS = (MR + ROWS_APART - 1) / ROWS_APART };
enum { WORTH_ASKING = 16 /* steps, for C */ };

static inline __attribute__((always_inline)) void add_strided_step(vec acc[MR][NV], const char *const a[POINTERS],
                                                                   int64_t a_row, const real *b, edge e, int rows,
                                                                   int vecs)
{
    vec y[NV];
    UNROLLED
    for (int v = 0; v < vecs - 1; v++)
        y[v] = vec_load(b + v * LANES);
    y[vecs - 1] = vecs > 1 || e.is_whole ? vec_load(b + e.last) : vec_load_some(b, e.some);
    UNROLLED
    for (int i = 0; i < rows; i++) {
        const vec x = vec_set(*(const real *)(a[i / ROWS_APART] + i % ROWS_APART * a_row));
        UNROLLED
        for (int v = 0; v < vecs; v++)
            acc[i][v] = vec_fma(x, y[v], acc[i][v]);
    }
    UNROLLED
    for (int v = 0; v < vecs; v++)
        __asm__ volatile("" : : "v"(y[v]));
}

static inline __attribute__((always_inline)) void compute_strided_part(const lay_strided *t, int rows, int vecs)
{
    const int64_t a_row = t->a_row * (int64_t)sizeof(real), a_step = t->a_step * (int64_t)sizeof(real);
    const int64_t b_step = t->b_step;
    for (int i = 0; t->next_a && i < rows; i++)
        __builtin_prefetch((const char *)t->next_a + i * a_row, 0, 3);
    for (int i = 0; t->segment[0].count >= WORTH_ASKING && i < rows; i++)
        prefetch_to_write((const real *)t->c + i * t->c_row, vecs);
    const edge e = { vecs > 1 ? t->n - LANES : 0, vecs > 1 || t->n == LANES, first_lanes(t->n < LANES ? t->n : LANES) };
    vec acc[MR][NV];
    UNROLLED
    for (int i = 0; i < rows; i++) {
        UNROLLED
        for (int v = 0; v < vecs; v++)
            acc[i][v] = vec_zero();
    }
    for (int s = 0; s < t->segments; s++) {
        const lay_segment own = t->segment[s];
        const real *b = (const real *)t->b + own.from_b;
        const char *a[POINTERS];
        UNROLLED
        for (int q = 0; q * ROWS_APART < rows; q++)
            a[q] = (const char *)((const real *)t->a + own.from_a) + q * ROWS_APART * a_row;
        for (int64_t p = own.count; p > 0; p--, b += b_step) {
            add_strided_step(acc, a, a_row, b, e, rows, vecs);
            UNROLLED
            for (int q = 0; q * ROWS_APART < rows; q++) {
                a[q] += a_step;
                __asm__("" : "+r"(a[q])); /* a pointer of its own: not one for each row */
            }
        }
    }
    /* As update has it, but the usual case first, which update itself must not have. */
    const walk c = { .next = t->c, .step = t->c_row };
    const real alpha = *(const real *)t->alpha, beta = *(const real *)t->beta;
    if (beta == 0) {
        if (alpha != 1)
            end_sums(acc, c, e, alpha, beta, SCALE, rows, vecs);
        store_sums(acc, c, e, rows, vecs);
    } else {
        update(acc, c, e, alpha, beta, rows, vecs);
    }
}

static inline __attribute__((always_inline)) void compute_strided_rows(const lay_strided *t, int rows)
{
    assert(NV == 2);
    if (t->n <= LANES)
        compute_strided_part(t, rows, 1);
    else
        compute_strided_part(t, rows, NV);
}

static void compute_strided(const lay_strided *t)
{
    assert(1 <= t->m && t->m <= MR && 1 <= t->n && t->n <= NR);
    WITH_ROWS(t->m, compute_strided_rows, t)
}
