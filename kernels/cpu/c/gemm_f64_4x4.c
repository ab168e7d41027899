/* f64, 4x4, portable C: with two lanes a register (the x86-64 baseline) 8 accumulators, 2 of B and
 * 1 of A, 11 of 16 registers and one for the product. */
#define REAL double
#define MR   4
#define NR   4
#include "cpu/c/template.h"
#include "kernel.h"

const lay_kernel lay_gemm_f64_4x4_c = {
    .name = "lay_gemm_f64_4x4_c",
    .type = LAY_F64,
    .isa = LAY_ISA_C,
    .summation = LAY_SUM_ROUNDED,
    .lanes = NR,
    .mr = MR,
    .nr = NR,
    .flops_per_cycle = 5.3,
    .strided_per_cycle = 3,
    .tile = compute_tile,
    .strided = compute_strided,
    .choose_whole = choose_whole,
    .whole = { 1, 1, { MR, MR } },
    .sweep = compute_sweep,
    .dots = compute_dots,
    .along = compute_along,
    .across = compute_across,
    .pack_a = { pack_a_across, pack_a_along, pack_a_any },
    .pack_b = { pack_b_across, pack_b_along, pack_b_any },
    .interleaved = pack_interleaved,
};
