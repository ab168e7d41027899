/* Halves of 8 floats added to each other until one is left (kernels/kernel.h: partial sums), for four at once. */
static inline __attribute__((always_inline)) __m128 fold_four(const __m256 of[4])
{
    __m128 four[4];
    UNROLLED
    for (int r = 0; r < 4; r++)
        four[r] = _mm_add_ps(_mm256_castps256_ps128(of[r]), _mm256_extractf128_ps(of[r], 1));
    const __m128 two01 = _mm_add_ps(_mm_movelh_ps(four[0], four[1]), _mm_movehl_ps(four[1], four[0]));
    const __m128 two23 = _mm_add_ps(_mm_movelh_ps(four[2], four[3]), _mm_movehl_ps(four[3], four[2]));
    return _mm_add_ps(_mm_shuffle_ps(two01, two23, 0x88), _mm_shuffle_ps(two01, two23, 0xdd));
}
