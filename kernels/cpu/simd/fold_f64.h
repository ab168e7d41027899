/* Halves of 4 doubles added to each other until one is left (kernels/kernel.h: partial sums), for four at once. */
static inline __attribute__((always_inline)) __m256d fold_four(const __m256d of[4])
{
    __m128d two[4];
    UNROLLED
    for (int r = 0; r < 4; r++)
        two[r] = _mm_add_pd(_mm256_castpd256_pd128(of[r]), _mm256_extractf128_pd(of[r], 1));
    const __m128d one01 = _mm_add_pd(_mm_unpacklo_pd(two[0], two[1]), _mm_unpackhi_pd(two[0], two[1]));
    const __m128d one23 = _mm_add_pd(_mm_unpacklo_pd(two[2], two[3]), _mm_unpackhi_pd(two[2], two[3]));
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(one01), one23, 1);
}
