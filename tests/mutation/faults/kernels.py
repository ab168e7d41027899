"""Faults of the CPU's kernels, and the loops that call them."""

SIMD_TILE = "kernels/cpu/simd/tile.h"
SIMD_LINES = "kernels/cpu/simd/pack_lines.h"
AVX2_GROUP = "kernels/cpu/avx2/group.h"
SIMD_STRIDED = "kernels/cpu/simd/strided.h"
SIMD_SWEEP = "kernels/cpu/simd/sweep.h"
PORTABLE = "kernels/cpu/c/template.h"

FAULTS = [
    ("an edge mask one lane too wide", SIMD_TILE,
     "const edge e = { last, rest == LANES, first_lanes(rest) };",
     "const edge e = { last, rest == LANES, first_lanes(rest + 1) };"),
    ("an edge mask one lane too narrow", SIMD_TILE,
     "const edge e = { last, rest == LANES, first_lanes(rest) };",
     "const edge e = { last, rest == LANES, first_lanes(rest - 1) };"),
    ("the last step of k dropped", SIMD_TILE,
     "for (int64_t p = t->k % UNROLL; p > 0;", "for (int64_t p = t->k % UNROLL; p > 1;"),
    ("beta = 0 reads C", SIMD_TILE,
     "else if (beta != 0) end_sums(acc, c, e, alpha, beta, SCALE_AND_ADD",
     "else if (beta != 0 || alpha == 1) end_sums(acc, c, e, alpha, beta, SCALE_AND_ADD"),
    ("beta = 0 reads C, portable", PORTABLE,
     "*at = beta == 0 ? alpha * sum[j] :", "*at = beta == 0 && sum[j] == 0 ? alpha * sum[j] :"),
    ("a row too many, portable", PORTABLE, "for (int i = 0; i < t->m; i++) { REAL *c = (REAL *)t->c + t->row[i],",
     "for (int i = 0; i < MR; i++) { REAL *c = (REAL *)t->c + t->row[i],"),
    ("alpha taken for 1 where beta is 1", SIMD_TILE, "else if (beta == 1 && alpha == 1)", "else if (beta == 1)"),
    ("a row's sums taken for its neighbour's, in assembly", AVX2_GROUP, "ROW(step, 4, 8, 9)", "ROW(step, 5, 8, 9)"),
    ("panels packed late, all to one place", "lib/cpu/packed/tiles.c", "job->packed + (right - job->right)",
     "job->packed"),
    ("the edge of a transposed block read whole", SIMD_LINES,
     "transpose_block(own, q, (int)(end - q), to +", "transpose_block(own, q, LANES, to +"),
    ("the edge of a transposed block left out", SIMD_LINES, "if (q < end) transpose_block",
     "if (q + 1 < end) transpose_block"),
    ("rows past the edge read", SIMD_LINES, "const int row = i < pack->w ? i : pack->w - 1;", "const int row = i;"),
    ("a mask one lane too wide where strides serve", SIMD_STRIDED,
     "first_lanes(t->n < LANES ? t->n : LANES) };", "first_lanes(t->n + 1) };"),
    ("a row taken for its neighbour", SIMD_STRIDED,
     "a[i / ROWS_APART] + i % ROWS_APART * a_row", "a[i / ROWS_APART] + (i % ROWS_APART > 1) * a_row"),
    ("each row of C one element further on", SIMD_TILE, "c->next += c->step;", "c->next += c->step + 1;"),
    ("a sweep's sums begun anew", SIMD_SWEEP, "acc[i] = t->is_first ? vec_zero()", "acc[i] = 1 ? vec_zero()"),
    ("a swept product's rows all from left's first panel", "lib/cpu/in_place/sweep.c", "a += of->blocks->left_panel",
     "a += 0"),
    ("the last column of transposed ones left where it was computed", "lib/cpu/packed/tiles.c",
     "begin_visit(&own, kernel, dots->m, (int)dots->n, dots->beta",
     "begin_visit(&own, kernel, dots->m, (int)dots->n - 1, dots->beta"),
    ("a transposed block's steps in another order", "kernels/cpu/simd/dots.h",
     "return step % (LANES / PIECES) * PIECES + step / (LANES / PIECES);", "return step;"),
    ("the last pieces side by side left out", SIMD_LINES, "done < count; done += LANES",
     "done + LANES <= count; done += LANES"),
    ("few pieces side by side read whole", SIMD_LINES, "transpose_lanes(from + v * LANES, 0, (int)count, step);",
     "transpose_lanes(from + v * LANES, 0, LANES, step);"),
    ("a digit's last step written over its first", SIMD_LINES, "if (p == digit - 1 || p ==", "if (p =="),
    ("a NaN of F16 rounded with its payload", "kernels/cpu/c/half_f16.c", "magnitude > infinite ? 0x7e00 : out", "out"),
    ("the last of few 16-bit lanes read as another", "kernels/cpu/avx2/half.h", "rest = from[count - 1];",
     "rest = from[0];"),
]
