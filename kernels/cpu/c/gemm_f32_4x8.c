/* f32, 4x8, portable C: with four lanes a register (the x86-64 baseline) 8 accumulators, 2 of B and
 * 1 of A, 11 of 16 registers and one for the product. */
#define REAL float
#define MR   4
#define NR   8
#include "cpu/c/template.h"
#include "kernel.h"

const lay_kernel lay_gemm_f32_4x8_c = {
    .name = "lay_gemm_f32_4x8_c",
    .type = LAY_F32,
    .isa = LAY_ISA_C,
    .summation = LAY_SUM_ROUNDED,
    .lanes = NR,
    .mr = MR,
    .nr = NR,
    .flops_per_cycle = 10.5,
    .strided_per_cycle = 6,
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
