/* The numbers function of a SIMD row: complex numbers from panels of their parts, nobody expanded. Included after
 * simd/tile.h. MR rows by LANES columns at a time: MR sums of real parts, MR of imaginary ones, 2 registers of B, 1 or
 * 2 of A: 28 of 32. A line of B's panel is a register, so the tile's two halves read different lines of it. */

/* One complex step of one half of a tile. Rows by twos, whose four elements of A stay in registers. */
static inline __attribute__((always_inline)) void add_number(vec re[MR], vec im[MR], const real *a, const real *b,
                                                             int rows, int is_left_first)
{
    enum { TOGETHER = 2 };
    const vec y = vec_load(b), z = vec_load(b + NR);
    UNROLLED
    for (int g = 0; g < rows; g += TOGETHER) {
        UNROLLED
        for (int i = g; i < g + TOGETHER; i++)
            if (i < rows) {
                re[i] = vec_fma(vec_set(a[i]), y, re[i]);
                im[i] = is_left_first ? vec_fma(vec_set(a[MR + i]), y, im[i]) : vec_fma(vec_set(a[i]), z, im[i]);
            }
        UNROLLED
        for (int i = g; i < g + TOGETHER; i++)
            if (i < rows) {
                re[i] = vec_fnma(vec_set(a[MR + i]), z, re[i]);
                im[i] = is_left_first ? vec_fma(vec_set(a[i]), z, im[i]) : vec_fma(vec_set(a[MR + i]), y, im[i]);
            }
    }
    __asm__ volatile("" : : "v"(y), "v"(z)); /* as in simd/tile.h */
}

/* C's numbers of one half of a tile. On their own, as in simd/tile.h. */
static __attribute__((noinline)) void update_numbers(const vec sums[MR][2], const lay_tile *t, real *c, int columns)
{
    const real alpha = *(const real *)t->alpha, beta = *(const real *)t->beta;
    for (int i = 0; i < t->m; i++)
        update_pairs(sums[i][0], sums[i][1], c + 2 * t->row[i], 2 * columns, alpha, beta);
}

/* The same where all columns are there, from registers. */
static inline __attribute__((always_inline)) void store_numbers(const vec re[MR], const vec im[MR], const lay_tile *t,
                                                                real *c, int rows)
{
    const real alpha = *(const real *)t->alpha, beta = *(const real *)t->beta;
    const vec x = vec_set(alpha);
    if (beta == 0) {
        UNROLLED
        for (int i = 0; i < rows; i++) {
            real *const to = c + 2 * t->row[i];
            vec_store(to, vec_mul(x, vec_pair_low(re[i], im[i])));
            vec_store(to + LANES, vec_mul(x, vec_pair_high(re[i], im[i])));
        }
        return;
    }
    const vec y = vec_set(beta);
    UNROLLED
    for (int i = 0; i < rows; i++) {
        real *const to = c + 2 * t->row[i];
        vec_store(to, vec_fma(x, vec_pair_low(re[i], im[i]), vec_mul(y, vec_load(to))));
        vec_store(to + LANES, vec_fma(x, vec_pair_high(re[i], im[i]), vec_mul(y, vec_load(to + LANES))));
    }
}

/* Rows and the order of terms are constants where this is called. C is asked for as in simd/tile.h. */
static inline __attribute__((always_inline)) void compute_half(const lay_tile *t, int half, int rows, int is_left_first)
{
    enum { STEPS = UNROLL / 2 }; /* complex ones, for each line of next_b */
    const int rest = t->n - half * LANES, is_last = rest <= LANES, columns = is_last ? rest : LANES;
    const real *a = t->a, *b = (const real *)t->b + half * LANES;
    real *const c = (real *)t->c + 2 * half * t->half;
    const int64_t groups = t->k / 2 / STEPS;
    const char *ahead = half == 0 ? t->next_b : t->a, *const next_a = is_last ? t->next_a : t->a;
    const int64_t ahead_step = half == 0 ? t->next_b_step : 0;
    vec re[MR], im[MR];
    UNROLLED
    for (int i = 0; i < rows; i++)
        re[i] = im[i] = vec_zero();
    for (int i = 0; i < rows && groups + i < rows + LEAD; i++)
        prefetch_to_write(c + 2 * t->row[i], 2);
    for (int64_t g = 0; g < groups; g++, a += UNROLL * MR, b += UNROLL * NR, ahead += ahead_step) {
        const int64_t near = g - (groups - rows - LEAD);
        __builtin_prefetch(ahead, 0, 2);
        if (g < rows)
            prefetch_far(c + 2 * t->row[g], 2);
        if (near >= rows)
            __builtin_prefetch(next_a + (near - rows) * LINE, 0, 3);
        else if (near >= 0)
            prefetch_to_write(c + 2 * t->row[near], 2);
        UNROLLED
        for (int u = 0; u < STEPS; u++)
            add_number(re, im, a + 2 * u * MR, b + 2 * u * NR, rows, is_left_first);
    }
    for (int64_t p = t->k / 2 % STEPS; p > 0; p--, a += 2 * MR, b += 2 * NR)
        add_number(re, im, a, b, rows, is_left_first);
    if (columns == LANES) {
        store_numbers(re, im, t, c, rows);
        return;
    }
    vec sums[MR][2];
    UNROLLED
    for (int i = 0; i < rows; i++) {
        sums[i][0] = re[i];
        sums[i][1] = im[i];
    }
    update_numbers(sums, t, c, columns);
}

static inline __attribute__((always_inline)) void compute_numbers_of(const lay_tile *t, int rows)
{
    for (int half = 0; half * LANES < t->n; half++)
        if (t->is_left_first)
            compute_half(t, half, rows, 1);
        else
            compute_half(t, half, rows, 0);
}

static void compute_numbers(const lay_tile *t)
{
    assert(1 <= t->m && t->m <= MR && 1 <= t->n && t->n <= NR && t->k % 2 == 0);
    WITH_ROWS(t->m, compute_numbers_of, t)
}
