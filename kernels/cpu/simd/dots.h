/* The dots function of a SIMD row. Included after simd/strided.h.
 *
 * A block is LANES columns by LANES steps: a register a column becomes, transposed, a register a step, whose lanes are
 * the chains of LANES elements of C. A line of each column is used up before the next group of columns has its
 * transpose, since columns a power of two apart would push each other out of the first cache; for the same reason
 * nothing is asked for ahead. As steps wait for each other, DOT_GROUPS groups are under way, for one row. */
enum {
    DOT_STEPS = LINE / (int)sizeof(real) /* of a line */
};

/* Which of the transposed registers holds a block's step. */
static inline int transposed_step(int step)
{
    return step % (LANES / PIECES) * PIECES + step / (LANES / PIECES);
}

/* A block at b, whose a begins at a. Lines and steps are reached from few pointers: gcc 12 would keep one for each, in
 * memory. */
static inline __attribute__((always_inline)) void add_dot_steps(vec acc[], const lay_dots *t, const real *b,
                                                                const real *a, int rows)
{
    const int64_t column = t->b_column, step = t->a_step;
    vec in[LANES], out[LANES];
    UNROLLED
    for (int i = 0; i < LANES; i++) {
        if (i && i % ROWS_APART == 0) {
            b += ROWS_APART * column;
            __asm__("" : "+r"(b));
        }
        in[i] = vec_load(b + i % ROWS_APART * column);
    }
    transpose_pieces(in, out, LANES);
    UNROLLED
    for (int q = 0; q < LANES; q += PIECES)
        transpose_registers(out + q);
    UNROLLED
    for (int s = 0; s < LANES; s++, a += step) {
        __asm__("" : "+r"(a));
        UNROLLED
        for (int i = 0; i < rows; i++)
            acc[i] = vec_fma(vec_set(a[i * t->a_row]), out[transposed_step(s)], acc[i]);
    }
}

/* One step, of columns that are there. */
static inline __attribute__((always_inline)) void add_dot_step(vec acc[], const lay_dots *t, const real *b, int64_t p,
                                                               int columns, int rows)
{
    real step[LANES] = { 0 };
    for (int j = 0; j < columns; j++)
        step[j] = b[j * t->b_column];
    const vec x = vec_load(step);
    UNROLLED
    for (int i = 0; i < rows; i++)
        acc[i] = vec_fma(vec_set(((const real *)t->a)[i * t->a_row + p * t->a_step]), x, acc[i]);
}

static inline __attribute__((always_inline)) void end_dots(const vec acc[], const lay_dots *t, int64_t j, int columns,
                                                           int rows)
{
    const real alpha = *(const real *)t->alpha, beta = *(const real *)t->beta;
    const lanes some = first_lanes(columns);
    UNROLLED
    for (int i = 0; i < rows; i++) {
        real *const to = (real *)t->c + i * t->c_row + j;
        vec sum = acc[i];
        if (beta == 0 && alpha != 1)
            sum = vec_mul(vec_set(alpha), sum);
        else if (beta != 0)
            sum = vec_fma(vec_set(alpha), sum, vec_mul(vec_set(beta), vec_load_some(to, some)));
        vec_store_some(to, some, sum);
    }
}

/* Columns first .. of groups registers, all there. */
static inline __attribute__((always_inline)) void dot_columns(const lay_dots *t, int64_t first, int rows, int groups)
{
    const real *const b = (const real *)t->b + first * t->b_column;
    vec acc[DOT_GROUPS][LAY_DOT_ROWS];
    UNROLLED
    for (int g = 0; g < groups; g++) {
        UNROLLED
        for (int i = 0; i < rows; i++)
            acc[g][i] = vec_zero();
    }
    int64_t p = 0;
    for (; p + DOT_STEPS <= t->k; p += DOT_STEPS) {
        UNROLLED
        for (int g = 0; g < groups; g++) {
            const real *const own = b + g * LANES * t->b_column + p;
            UNROLLED
            for (int q = 0; q < DOT_STEPS; q += LANES)
                add_dot_steps(acc[g], t, own + q, (const real *)t->a + (p + q) * t->a_step, rows);
        }
    }
    for (; p < t->k; p++) {
        UNROLLED
        for (int g = 0; g < groups; g++)
            add_dot_step(acc[g], t, b + g * LANES * t->b_column + p, p, LANES, rows);
    }
    UNROLLED
    for (int g = 0; g < groups; g++)
        end_dots(acc[g], t, first + g * LANES, LANES, rows);
}

/* The last columns, fewer than LANES. */
static inline __attribute__((always_inline)) void dot_rest(const lay_dots *t, int64_t first, int rows)
{
    const real *const b = (const real *)t->b + first * t->b_column;
    vec acc[LAY_DOT_ROWS];
    UNROLLED
    for (int i = 0; i < rows; i++)
        acc[i] = vec_zero();
    for (int64_t p = 0; p < t->k; p++)
        add_dot_step(acc, t, b + p, p, (int)(t->n - first), rows);
    end_dots(acc, t, first, (int)(t->n - first), rows);
}

static inline __attribute__((always_inline)) void dot_rows(const lay_dots *t, int rows, int groups)
{
    int64_t j = 0;
    for (; j + groups * LANES <= t->n; j += groups * LANES)
        dot_columns(t, j, rows, groups);
    for (; j + LANES <= t->n; j += LANES)
        dot_columns(t, j, rows, 1);
    if (j < t->n)
        dot_rest(t, j, rows);
}

static void compute_dots(const lay_dots *t)
{
    assert(1 <= t->m && t->m <= LAY_DOT_ROWS && t->n >= 1);
    switch (t->m) {
    case 1:
        dot_rows(t, 1, DOT_GROUPS);
        break;
    case 2:
        dot_rows(t, 2, 2);
        break;
    case 3:
        dot_rows(t, 3, 2);
        break;
    default:
        dot_rows(t, 4, 2);
    }
}
