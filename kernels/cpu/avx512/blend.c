/* Lines scaled, added up and converted, AVX-512. */
#include "cpu/simd/blend.h"

const lay_blend_row lay_blend_avx512 = {
    .name = "lay_blend_avx512",
    .isa = LAY_ISA_AVX512,
    .scale_f32 = scale_f32,
    .scale_f64 = scale_f64,
    .add_f32 = add_f32,
    .add_f64 = add_f64,
    .widen = widen,
    .narrow = narrow,
    .narrow_odd = narrow_odd,
};
