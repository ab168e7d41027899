/* f64, 6x8, AVX2 and FMA: 12 accumulators, 2 registers of B, 1 of A: 15 of 16; 8 loads feed 12 FMAs. */
#include "cpu/avx2/vec_f64.h"
#define MR            6
#define NV            2
#define DOT_GROUPS    4
#define TRANSPOSE_A   6
#define TRANSPOSE_B   8
#define LETTER        "d"
#define BYTES         "8"
#define EACH_ROW_1(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)
#define EACH_ROW_2(X) X(1) X(2) X(3) X(4) X(5) X(6)
#define EACH_ROW_3(X) X(1) X(2) X(3) X(4)
#define EACH_ROW_4(X)
#define EACH_HELD_1(X) X(4) X(8)
#define EACH_HELD_2(X) X(4)
enum { HELD_MOST = 8, HELD_ROWS_1 = 4, HELD_ROWS_2 = 2 };
#include "kernel.h"

#include "cpu/avx2/group.h"

#include "cpu/simd/tile.h"

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

const lay_kernel lay_gemm_f64_6x8_avx2 = {
    .name = "lay_gemm_f64_6x8_avx2",
    .type = LAY_F64,
    .isa = LAY_ISA_AVX2,
    .summation = LAY_SUM_FUSED,
    .lanes = LANES,
    .mr = MR,
    .nr = NR,
    .flops_per_cycle = 16,
    .strided_per_cycle = 16,
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
