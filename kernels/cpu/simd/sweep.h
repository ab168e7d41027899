/* The sweep function of a SIMD row. Included after simd/strided.h.
 *
 * Fewer rows take more registers across, so that there are chains enough to keep the units busy: WIDE for one
 * row, half as many for two, NV from three on. */
enum { WIDE = 8 };

static inline __attribute__((always_inline)) int sweep_vecs(int rows)
{
    return rows == 1 ? WIDE : rows == 2 ? WIDE / 2 : NV;
}

/* k steps of vecs registers of columns; in the last one, where is_edge, only those of some. */
static inline __attribute__((always_inline)) void add_swept(vec acc[], const lay_sweep *t, const real *b, int rows,
                                                            int vecs, int is_edge, lanes some)
{
    const real *a = t->a;
    const int64_t a_step = t->a_step, b_step = t->b_step;
    for (int64_t p = t->k; p > 0; p--, a += a_step, b += b_step) {
        if (vecs <= NV) {
            vec y[NV];
            UNROLLED
            for (int v = 0; v < vecs; v++)
                y[v] = is_edge && v == vecs - 1 ? vec_load_some(b + v * LANES, some) : vec_load(b + v * LANES);
            UNROLLED
            for (int i = 0; i < rows; i++) {
                const vec x = vec_set(a[i]);
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
                x[i] = vec_set(a[i]);
            UNROLLED
            for (int v = 0; v < vecs; v++) {
                const vec y = vec_load(b + v * LANES);
                UNROLLED
                for (int i = 0; i < rows; i++)
                    acc[i * vecs + v] = vec_fma(x[i], y, acc[i * vecs + v]);
            }
        }
    }
}

/* C's rows, from c on, take the sums. */
static inline __attribute__((always_inline)) void end_swept(const vec acc[], const lay_sweep *t, real *c, int rows,
                                                            int vecs, int is_edge, lanes some)
{
    const real alpha = *(const real *)t->alpha, beta = *(const real *)t->beta;
    UNROLLED
    for (int i = 0; i < rows; i++, c += t->c_row) {
        __asm__("" : "+r"(c)); /* one pointer that runs along: not one for each row */
        UNROLLED
        for (int v = 0; v < vecs; v++) {
            const int is_part = is_edge && v == vecs - 1;
            real *const to = c + v * LANES;
            vec sum = acc[i * vecs + v];
            if (beta == 0 && alpha != 1)
                sum = vec_mul(vec_set(alpha), sum);
            else if (beta != 0)
                sum = vec_fma(vec_set(alpha), sum,
                              vec_mul(vec_set(beta), is_part ? vec_load_some(to, some) : vec_load(to)));
            if (is_part)
                vec_store_some(to, some, sum);
            else
                vec_store(to, sum);
        }
    }
}

/* Columns j .. Their sums lie side by side, row after row: rows that were a power of two apart would meet those of
 * right in the same sets of the first cache. Where is_last is no constant gcc 12 keeps a step's pointers in memory. */
static inline __attribute__((always_inline)) void sweep_columns(const lay_sweep *t, int64_t j, int rows, int vecs,
                                                                int is_edge, lanes some, int is_last)
{
    real *const sums = (real *)t->sums + j * rows, *const c = (real *)t->c + j;
    vec acc[MR * NV > WIDE ? MR * NV : WIDE];
    UNROLLED
    for (int i = 0; i < rows * vecs; i++)
        acc[i] = t->is_first ? vec_zero() : vec_load(sums + i * LANES);
    for (int i = 0; is_last && i < rows; i++)
        prefetch_to_write(c + i * t->c_row, vecs);
    add_swept(acc, t, (const real *)t->b + j, rows, vecs, is_edge, some);
    if (is_last) {
        end_swept(acc, t, c, rows, vecs, is_edge, some);
        return;
    }
    UNROLLED
    for (int i = 0; i < rows * vecs; i++)
        vec_store(sums + i * LANES, acc[i]);
}

static inline __attribute__((always_inline)) void sweep_stop(const lay_sweep *t, int rows, int is_last)
{
    const int vecs = sweep_vecs(rows);
    const lanes all = first_lanes(LANES), some = first_lanes((int)(t->n % LANES));
    int64_t j = 0;
    for (; j + vecs * LANES <= t->n; j += vecs * LANES)
        sweep_columns(t, j, rows, vecs, 0, all, is_last);
    for (; j + LANES <= t->n; j += LANES)
        sweep_columns(t, j, rows, 1, 0, all, is_last);
    if (j < t->n)
        sweep_columns(t, j, rows, 1, 1, some, is_last);
}

static inline __attribute__((always_inline)) void sweep_rows(const lay_sweep *t, int rows)
{
    if (t->is_last)
        sweep_stop(t, rows, 1);
    else
        sweep_stop(t, rows, 0);
}

static void compute_sweep(const lay_sweep *t)
{
    assert(1 <= t->m && t->m <= MR && t->n >= 1);
    WITH_ROWS(t->m, sweep_rows, t)
}
