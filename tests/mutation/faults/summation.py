"""Faults of the order of the sum, which docs/numerics.md writes down."""

SIMD_TILE = "kernels/cpu/simd/tile.h"
PORTABLE = "kernels/cpu/c/template.h"

FAULTS = [
    ("blocks of k of at most 504 steps", "lib/plan/summation.c", "ceil_div(k, LAY_KC);", "ceil_div(k, LAY_KC - 8);"),
    ("blocks of k in units of 4", "lib/plan/summation.c",
     "round_up(ceil_div(k, blocks), 8)", "round_up(ceil_div(k, blocks), 4)"),
    ("slices from 7 blocks on", "lib/plan/summation.h", "LAY_SLICED_BLOCKS = 8,", "LAY_SLICED_BLOCKS = 7,"),
    ("slices of 3 blocks", "lib/plan/summation.h", "LAY_SLICE_BLOCKS = 2,", "LAY_SLICE_BLOCKS = 3,"),
    ("slices of 65 columns", "lib/plan/summation.h", "LAY_SLICED_SIDE = 64,", "LAY_SLICED_SIDE = 65,"),
    ("slices without end", "lib/plan/summation.h", "LAY_MOST_SLICES = 128", "LAY_MOST_SLICES = 1280"),
    ("partials from 33 steps on", "lib/plan/summation.h", "LAY_PARTIAL_SUMS_STEPS = 32", "LAY_PARTIAL_SUMS_STEPS = 33"),
    ("the last row of many 16-bit ones taken for a vector", "lib/cpu/narrow/narrow.c",
     "posed.sum.has_partial_sums &= branch->problem.sum.has_partial_sums;", ";"),
    ("16-bit pieces of 1024 steps", "lib/cpu/narrow/pieces.h", "LAY_PIECE_SIDE = 2048", "LAY_PIECE_SIDE = 1024"),
    ("alpha and beta of 16-bit types fused", "lib/cpu/narrow/pieces.c",
     "value[i] = alpha * sum[i] + beta * value[i];",
     "value[i] = __builtin_fmaf(alpha, sum[i], beta * value[i]);"),
    ("16-bit ties rounded up", "kernels/cpu/c/half_bf16.c", "(in + 0x7fff + (in >> 16 & 1)) >> 16",
     "(in + 0x8000) >> 16"),
    ("beta times C not rounded, portable", PORTABLE,
     "alpha * sum[j] + beta * *at;", "(REAL)__builtin_fma(beta, *at, alpha * sum[j]);"),
    ("beta times C not rounded in halves of rows", SIMD_TILE,
     "low = vec_fma(x, sums[i][0], vec_mul(y, vec_load(first)));",
     "low = vec_fma(y, vec_load(first), vec_mul(x, sums[i][0]));"),
    ("beta times C not rounded", SIMD_TILE,
     "vec_fma(x, acc[i][v], vec_mul(y, old));", "vec_fma(y, old, vec_mul(x, acc[i][v]));"),
]
