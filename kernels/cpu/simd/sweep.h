/* The sweep function of a SIMD row. Included after simd/strided.h.
 *
 * Fewer rows take more registers across, so that there are chains enough to keep the units busy: WIDE for one
 * row, half as many for two, NV from three on. */
enum { WIDE = 8 };

static inline __attribute__((always_inline)) int sweep_vecs(int rows)
{
    return rows == 1 ? WIDE : rows == 2 ? WIDE / 2 : NV;
}

/* Columns j .. of vecs registers; in the last one, where is_edge, only those of some. */
static inline __attribute__((always_inline)) void sweep_columns(const lay_sweep *t, int64_t j, int rows, int vecs,
                                                                int is_edge, lanes some)
{
    const int64_t a_row = t->a_row * (int64_t)sizeof(real), a_step = t->a_step * (int64_t)sizeof(real);
    real *const sums = (real *)t->sums + j;
    vec acc[MR * NV > WIDE ? MR * NV : WIDE];
    UNROLLED
    for (int i = 0; i < rows; i++) {
        UNROLLED
        for (int v = 0; v < vecs; v++) {
            const real *from = sums + i * t->sums_row + v * LANES;
            acc[i * vecs + v] = t->is_first ? vec_zero()
                                : is_edge && v == vecs - 1 ? vec_load_some(from, some)
                                                           : vec_load(from);
        }
    }
    for (int i = 0; t->is_last && i < rows; i++)
        prefetch_to_write((const real *)t->c + i * t->c_row + j, vecs);
    const real *b = (const real *)t->b + j;
    const char *a[POINTERS];
    UNROLLED
    for (int q = 0; q * ROWS_APART < rows; q++)
        a[q] = (const char *)t->a + q * ROWS_APART * a_row;
    for (int64_t p = t->k; p > 0; p--, b += t->b_step) {
        if (vecs <= NV) {
            vec y[NV];
            UNROLLED
            for (int v = 0; v < vecs; v++)
                y[v] = is_edge && v == vecs - 1 ? vec_load_some(b + v * LANES, some) : vec_load(b + v * LANES);
            UNROLLED
            for (int i = 0; i < rows; i++) {
                const vec x = vec_set(*(const real *)(a[i / ROWS_APART] + i % ROWS_APART * a_row));
                UNROLLED
                for (int v = 0; v < vecs; v++)
                    acc[i * vecs + v] = vec_fma(x, y[v], acc[i * vecs + v]);
            }
            UNROLLED
            for (int v = 0; v < vecs; v++)
                __asm__ volatile("" : : "v"(y[v]));
        } else { /* of two rows at most: their elements wait in registers instead */
            vec x[2];
            UNROLLED
            for (int i = 0; i < rows; i++)
                x[i] = vec_set(*(const real *)(a[0] + i * a_row));
            UNROLLED
            for (int v = 0; v < vecs; v++) {
                const vec y = vec_load(b + v * LANES);
                UNROLLED
                for (int i = 0; i < rows; i++)
                    acc[i * vecs + v] = vec_fma(x[i], y, acc[i * vecs + v]);
            }
        }
        UNROLLED
        for (int q = 0; q * ROWS_APART < rows; q++) {
            a[q] += a_step;
            __asm__("" : "+r"(a[q]));
        }
    }
    const real alpha = *(const real *)t->alpha, beta = *(const real *)t->beta;
    UNROLLED
    for (int i = 0; i < rows; i++) {
        real *to = t->is_last ? (real *)t->c + i * t->c_row + j : sums + i * t->sums_row;
        UNROLLED
        for (int v = 0; v < vecs; v++, to += LANES) {
            const int is_part = is_edge && v == vecs - 1;
            vec sum = acc[i * vecs + v];
            if (t->is_last && beta == 0 && alpha != 1)
                sum = vec_mul(vec_set(alpha), sum);
            else if (t->is_last && beta != 0)
                sum = vec_fma(vec_set(alpha), sum,
                              vec_mul(vec_set(beta), is_part ? vec_load_some(to, some) : vec_load(to)));
            if (is_part)
                vec_store_some(to, some, sum);
            else
                vec_store(to, sum);
        }
    }
}

static inline __attribute__((always_inline)) void sweep_rows(const lay_sweep *t, int rows)
{
    const int vecs = sweep_vecs(rows);
    const lanes all = first_lanes(LANES), some = first_lanes((int)(t->n % LANES));
    int64_t j = 0;
    for (; j + vecs * LANES <= t->n; j += vecs * LANES)
        sweep_columns(t, j, rows, vecs, 0, all);
    for (; j + LANES <= t->n; j += LANES)
        sweep_columns(t, j, rows, 1, 0, all);
    if (j < t->n)
        sweep_columns(t, j, rows, 1, 1, some);
}

static void compute_sweep(const lay_sweep *t)
{
    assert(1 <= t->m && t->m <= MR && t->n >= 1);
    switch (t->m) {
#define CASE(ROWS)                                                                                                     \
    case ROWS:                                                                                                         \
        if (ROWS <= MR)                                                                                                \
            sweep_rows(t, ROWS);                                                                                       \
        break
        CASE(1);
        CASE(2);
        CASE(3);
        CASE(4);
        CASE(5);
        CASE(6);
        CASE(7);
        CASE(8);
        CASE(9);
        CASE(10);
        CASE(11);
        CASE(12);
#undef CASE
    }
    static_assert(MR <= 12, "a case for each number of rows");
}
