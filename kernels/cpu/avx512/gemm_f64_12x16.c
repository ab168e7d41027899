/* f64, 12x16, AVX-512: 24 accumulators, 2 registers of B, 1 of A: 27 of 32; 14 loads feed 24 FMAs. */
#include "cpu/avx512/vec_f64.h"
#define MR             12
#define NV             2
#define DOT_GROUPS     2
#define TRANSPOSE_A    12
#define TRANSPOSE_B    16
#define EACH_ROW_1(X)  EACH_ROW_2(X) X(13) X(14) X(15) X(16)
#define EACH_ROW_2(X)  X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)
#define EACH_ROW_3(X)  X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)
#define EACH_ROW_4(X)  X(1) X(2) X(3) X(4) X(5) X(6)
#define EACH_HELD_1(X) X(4) X(8) X(12) X(16)
#define EACH_HELD_2(X) X(4) X(8)
enum { HELD_MOST = 16, HELD_ROWS_1 = 8, HELD_ROWS_2 = 4 };
#include "cpu/simd/tile.h"
#include "kernel.h"

#include "cpu/simd/numbers.h"

#include "cpu/simd/strided.h"

#include "cpu/simd/whole.h"

#include "cpu/simd/held.h"

#include "cpu/simd/sweep.h"

#include "cpu/simd/dots.h"

#include "cpu/simd/element.h"

#include "cpu/simd/along.h"

#include "cpu/simd/across.h"

#include "cpu/simd/pack.h"

const lay_kernel lay_gemm_f64_12x16_avx512 = {
    .name = "lay_gemm_f64_12x16_avx512",
    .type = LAY_F64,
    .isa = LAY_ISA_AVX512,
    .summation = LAY_SUM_FUSED,
    .lanes = LANES,
    .mr = MR,
    .nr = NR,
    .flops_per_cycle = 32,
    .strided_per_cycle = 32,
    .tile = compute_tile,
    .numbers = compute_numbers,
    .strided = compute_strided,
    .choose_whole = choose_whole,
    .whole = WHOLE_TILES,
    .sweep = compute_sweep,
    .dots = compute_dots,
    .along = compute_along,
    .across = compute_across,
    .pack_a = { pack_a_across, pack_a_along, pack_a_any },
    .pack_b = { pack_b_across, pack_b_along, pack_b_any },
    .interleaved = pack_interleaved,
};
