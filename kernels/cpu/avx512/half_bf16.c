/* bfloat16, AVX-512: the upper half of an FP32 number. AVX512_BF16's own conversion takes denormals for 0. */
#include "cpu/avx512/vec_f32.h"

#include "cpu/avx512/half.h"

static inline vec widen_lanes(half_vec x)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16));
}

static inline half_vec round_lanes(vec x)
{
    const __m512i in = _mm512_castps_si512(x), upper = _mm512_srli_epi32(in, 16);
    const __m512i tie = _mm512_and_si512(upper, _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(in, _mm512_set1_epi32(0x7fff)), tie);
    const __m512i quiet = _mm512_or_si512(upper, _mm512_set1_epi32(0x40));
    const __m512i magnitude = _mm512_and_si512(in, _mm512_set1_epi32(0x7fffffff));
    const __mmask16 is_nan = _mm512_cmpgt_epi32_mask(magnitude, _mm512_set1_epi32(0x7f800000));
    return _mm512_cvtepi32_epi16(_mm512_mask_mov_epi32(_mm512_srli_epi32(rounded, 16), is_nan, quiet));
}

#include "cpu/simd/half.h"

#include "cpu_half.h"

const lay_half_row lay_half_bf16_avx512 = {
    .name = "lay_half_bf16_avx512",
    .type = LAY_BF16,
    .isa = LAY_ISA_AVX512,
    .widen = widen,
    .round = round_all,
    .along = compute_along,
    .across = compute_across,
};
