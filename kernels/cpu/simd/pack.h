/* The packers of a SIMD row. Included after simd/tile.h; the row names TRANSPOSE_A and TRANSPOSE_B, the rows
 * of the source that are transposed at once (register budget: twice as many, and no more than MR, NR). */
#include "cpu/simd/pack_lines.h"

#include "cpu/simd/pack_pairs.h"

/* Nested layouts are mostly regular: long runs along k or across, broken at the borders of blocks. */
static inline __attribute__((always_inline)) void pack_any(const lay_panel *pack, int width, int rows)
{
    enum { WORTH_TURNING = LANES / 2, WORTH_COPYING = 3 }; /* mean length of a run */
    enum { WORTH_DIGITS = LANES < 8 ? LANES / 2 : 4 };     /* steps that lie side by side */
    int64_t digit;
    if (is_run_of_pairs(pack) && pack->w == NR && width == NR) {
        part_registers(pack, width, NV);
    } else if (is_run_of_pairs(pack)) {
        paired_run run[LAY_MAX_NR];
        part_runs(pack, width, run, find_paired_runs(pack, run));
    } else if (count_runs(pack->across, pack->w) * WORTH_COPYING <= pack->w)
        copy_runs(pack, width);
    else if (count_runs(pack->along, pack->k) * WORTH_TURNING <= pack->k)
        for (int64_t p = 0, end; p < pack->k; p = end) {
            end = find_run_end(pack->along, pack->k, p);
            transpose_rows(pack, pack->along[p], end - p, (real *)pack->dst + p * width, width, rows);
        }
    else if ((digit = find_digit(pack->along, pack->k)) > 0 && width % LANES == 0 && pack->k >= LANES &&
             is_one_stretch(pack, digit))
        transpose_stretch(pack, digit, width);
    else if (digit * WORTH_DIGITS <= pack->k && digit > 0)
        transpose_digits(pack, digit, width);
    else if (are_paired(pack->along, pack->k))
        pack_paired(pack, width);
    else
        gather(pack, width);
}

static void pack_a_across(const lay_panel *pack)
{
    pack_across(pack, MR);
}

static void pack_a_along(const lay_panel *pack)
{
    pack_along(pack, MR, TRANSPOSE_A);
}

static void pack_a_any(const lay_panel *pack)
{
    pack_any(pack, MR, TRANSPOSE_A);
}

static void pack_b_across(const lay_panel *pack)
{
    pack_across(pack, NR);
}

static void pack_b_along(const lay_panel *pack)
{
    pack_along(pack, NR, TRANSPOSE_B);
}

static void pack_b_any(const lay_panel *pack)
{
    pack_any(pack, NR, TRANSPOSE_B);
}
