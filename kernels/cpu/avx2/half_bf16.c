/* bfloat16, AVX2: the upper half of an FP32 number. */
#include "cpu/avx2/vec_f32.h"

#include "cpu/avx2/half.h"

static inline vec widen_lanes(half_vec x)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16));
}

static inline half_vec round_lanes(vec x)
{
    const __m256i in = _mm256_castps_si256(x), upper = _mm256_srli_epi32(in, 16);
    const __m256i tie = _mm256_and_si256(upper, _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(in, _mm256_set1_epi32(0x7fff)), tie);
    const __m256i quiet = _mm256_or_si256(upper, _mm256_set1_epi32(0x40));
    const __m256i magnitude = _mm256_and_si256(in, _mm256_set1_epi32(0x7fffffff));
    const __m256i is_nan = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7f800000));
    const __m256i out = _mm256_blendv_epi8(_mm256_srli_epi32(rounded, 16), quiet, is_nan);
    return _mm_packus_epi32(_mm256_castsi256_si128(out), _mm256_extracti128_si256(out, 1));
}

#include "cpu/simd/half.h"

#include "cpu_half.h"

const lay_half_row lay_half_bf16_avx2 = {
    .name = "lay_half_bf16_avx2",
    .type = LAY_BF16,
    .isa = LAY_ISA_AVX2,
    .widen = widen,
    .round = round_all,
    .along = compute_along,
    .across = compute_across,
};
