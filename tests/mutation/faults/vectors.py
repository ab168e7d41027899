"""Faults of products with a vector, and their partial sums."""

FAULTS = [
    ("partials joined in another order by registers", "kernels/cpu/simd/fold_f32.h",
     "_mm_add_ps(_mm_shuffle_ps(two01, two23, 0x88), _mm_shuffle_ps(two01, two23, 0xdd))",
     "_mm_hadd_ps(_mm_unpacklo_ps(four[0], four[1]), _mm_unpackhi_ps(four[0], four[1]))"),
    ("a partial sum's last step dropped", "kernels/cpu/simd/along.h", "if (rest == 0) return;",
     "if (rest <= 1) return;"),
    ("partials begun with what lay in their scratch", "kernels/cpu/simd/across.h",
     "is_first ? vec_zero() : vec_load(sums + v * LANES)", "vec_load(sums + v * LANES)"),
    ("a row's second piece with the first's elements", "kernels/cpu/simd/across.h",
     "piece.b = (const element *)t->b + j;", "piece.b = (const element *)t->b;"),
    ("a window's last rows dropped", "kernels/cpu/simd/across.h",
     "(steps - l + PARTIALS - 1) / PARTIALS", "(steps - l + PARTIALS - 2) / PARTIALS"),
    ("the last block of a product with a vector forgotten", "lib/cpu/vector/vector.c",
     "const lay_segment all = { .count = count };", "const lay_segment all = { .count = count > 1 ? count - 1 : 1 };"),
    ("sums that waited for a vector's later steps forgotten", "lib/cpu/vector/vector.c",
     "if (of->first == 0) return 0;", "return 0;"),
    ("partials in a matrix' blocks of steps that they straddle", "lib/cpu/vector/vector.c",
     "(step.extent >= k || are_aligned)", "1"),
    ("blocks that begin within a segment", "lib/cpu/vector/vector.c", "&& (kc >= k || kc % partials == 0);", ";"),
]
