/* IEEE half precision, AVX-512. The processor's conversions ignore FTZ and DAZ, and round as they are told. */
#include "cpu/avx512/vec_f32.h"

#include "cpu/avx512/half.h"

static inline vec widen_lanes(half_vec x)
{
    return _mm512_cvtph_ps(x);
}

static inline half_vec round_lanes(vec x)
{
    const half_vec rounded = _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const half_vec sign = _mm256_and_si256(rounded, _mm256_set1_epi16((short)0x8000));
    const half_vec nan = _mm256_or_si256(sign, _mm256_set1_epi16(0x7e00));
    return _mm256_mask_mov_epi16(rounded, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), nan);
}

#include "cpu/simd/half.h"

#include "cpu_half.h"

const lay_half_row lay_half_f16_avx512 = {
    .name = "lay_half_f16_avx512",
    .type = LAY_F16,
    .isa = LAY_ISA_AVX512,
    .widen = widen,
    .round = round_all,
    .along = compute_along,
    .across = compute_across,
};
