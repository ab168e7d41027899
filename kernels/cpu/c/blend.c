/* Lines scaled, added up and converted, portable C. */
#include "cpu/simd/blend.h"

const lay_blend_row lay_blend_c = {
    .name = "lay_blend_c",
    .isa = LAY_ISA_C,
    .scale_f32 = scale_f32,
    .scale_f64 = scale_f64,
    .add_f32 = add_f32,
    .add_f64 = add_f64,
    .widen = widen,
    .narrow = narrow,
    .narrow_odd = narrow_odd,
};
