/* IEEE half precision, AVX2 and F16C. The processor's conversions ignore FTZ and DAZ, and round as they are told. */
#include "cpu/avx2/vec_f32.h"

#include "cpu/avx2/half.h"

static inline vec widen_lanes(half_vec x)
{
    return _mm256_cvtph_ps(x);
}

static inline half_vec round_lanes(vec x)
{
    const half_vec rounded = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT);
    const half_vec sign = _mm_and_si128(rounded, _mm_set1_epi16((short)0x8000));
    const half_vec is_nan = _mm_cmpgt_epi16(_mm_xor_si128(rounded, sign), _mm_set1_epi16(0x7c00));
    return _mm_blendv_epi8(rounded, _mm_or_si128(sign, _mm_set1_epi16(0x7e00)), is_nan);
}

#include "cpu/simd/half.h"

#include "cpu_half.h"

const lay_half_row lay_half_f16_avx2 = {
    .name = "lay_half_f16_avx2",
    .type = LAY_F16,
    .isa = LAY_ISA_AVX2,
    .widen = widen,
    .round = round_all,
    .along = compute_along,
    .across = compute_across,
};
