/* Products side by side to matrices one after the other, and back: blocks of LANES x LANES are transposed in registers,
 * as many for rows as for columns, and each line of a cache is read and written whole. Included after simd/lanes.h by a
 * file whose registers have transpose_pieces. */

/* out[j]'s element i = in[i]'s element j, i < rows, j < columns: all LANES where is_whole. */
static inline __attribute__((always_inline)) void turn_block(const real *const in[], real *const out[], int rows,
                                                             int columns, int is_whole)
{
    const lanes read = first_lanes(columns), written = first_lanes(rows);
    vec row[LANES], mixed[LANES], column[LANES];
    UNROLLED
    for (int i = 0; i < LANES; i++)
        row[i] = is_whole ? vec_load(in[i]) : i < rows ? vec_load_some(in[i], read) : vec_zero();
    transpose_pieces(row, mixed, LANES);
    UNROLLED
    for (int q = 0; q < LANES; q += PIECES) {
        transpose_registers(mixed + q);
        UNROLLED
        for (int l = 0; l < PIECES; l++)
            column[l * (LANES / PIECES) + q / PIECES] = mixed[q + l];
    }
    UNROLLED
    for (int j = 0; j < LANES; j++)
        if (is_whole)
            vec_store(out[j], column[j]);
        else if (j < columns)
            vec_store_some(out[j], written, column[j]);
}

/* Elements q .. q + across - 1 of the products l .. l + wide - 1. */
static inline __attribute__((always_inline)) void turn_some(const real *lying, const int64_t *offset, real *to,
                                                            int64_t plane, int across, int wide, int is_whole)
{
    const real *in[LANES];
    real *out[LANES];
    UNROLLED
    for (int i = 0; i < LANES; i++) {
        in[i] = is_whole || i < across ? lying + offset[i] : lying;
        out[i] = is_whole || i < wide ? to + i * plane : to;
    }
    turn_block(in, out, across, wide, is_whole);
}

static inline __attribute__((always_inline)) void
turn_back_some(const real *from, int64_t plane, real *lying, const int64_t *offset, int across, int wide, int is_whole)
{
    const real *in[LANES];
    real *out[LANES];
    UNROLLED
    for (int i = 0; i < LANES; i++) {
        in[i] = is_whole || i < wide ? from + i * plane : from;
        out[i] = is_whole || i < across ? lying + offset[i] : lying;
    }
    turn_block(in, out, wide, across, is_whole);
}

enum { TURNED_LINE = 64 / (int)sizeof(real), TURNED_AHEAD = 2 * LANES /* elements */ };

/* What is transposed soon, as far as the second cache: lines a power of two apart would push each other out of the
 * first. */
static inline __attribute__((always_inline)) void ask_ahead(const real *lying, const int64_t *offset, int64_t q,
                                                            int64_t count, int64_t width, int is_written)
{
    for (int64_t i = q + TURNED_AHEAD; i < q + TURNED_AHEAD + LANES && i < count; i++)
        for (int64_t l = 0; l < width; l += TURNED_LINE) {
            if (is_written)
                __builtin_prefetch(lying + offset[i] + l, 1, 2);
            else
                __builtin_prefetch(lying + offset[i] + l, 0, 2);
        }
}

static inline int at_most_lanes(int64_t rest)
{
    return rest < LANES ? (int)rest : LANES;
}

static void turn(const void *from, const int64_t *offset, int64_t count, int64_t width, void *to, int64_t plane)
{
    for (int64_t q = 0; q < count; q += LANES) {
        const int across = at_most_lanes(count - q);
        ask_ahead(from, offset, q, count, width, 0);
        for (int64_t l = 0; l < width; l += LANES) {
            const int wide = at_most_lanes(width - l);
            const real *const lying = (const real *)from + l;
            real *const image = (real *)to + l * plane + q;
            if (across == LANES && wide == LANES)
                turn_some(lying, offset + q, image, plane, LANES, LANES, 1);
            else
                turn_some(lying, offset + q, image, plane, across, wide, 0);
        }
    }
}

static void turn_back(const void *from, int64_t plane, void *to, const int64_t *offset, int64_t count, int64_t width)
{
    for (int64_t q = 0; q < count; q += LANES) {
        const int across = at_most_lanes(count - q);
        ask_ahead(to, offset, q, count, width, 1);
        for (int64_t l = 0; l < width; l += LANES) {
            const int wide = at_most_lanes(width - l);
            real *const lying = (real *)to + l;
            const real *const image = (const real *)from + l * plane + q;
            if (across == LANES && wide == LANES)
                turn_back_some(image, plane, lying, offset + q, LANES, LANES, 1);
            else
                turn_back_some(image, plane, lying, offset + q, across, wide, 0);
        }
    }
}
