/* The FMA peak of one core: chains of fused multiply-adds that never leave the registers. */
#include "peak.h"

#include "levels.h"
#include "timing.h"

/* Eight chains cover a latency of 4 cycles at two a cycle, but cores that share out work unevenly
 * need more (12 lost 5 % on a Sapphire Rapids); with two operands 14 fit 16 registers. */
enum { CHAINS = 14, STEPS = 16384, BURSTS = 16 };

/* One burst each. The empty assembly makes every sum a value that the compiler knows nothing of, in
 * a register, so that no step is skipped. */
#if defined(__x86_64__)
#include <immintrin.h>
#define REGISTER "+x"
#elif defined(__aarch64__)
#define REGISTER "+w"
#else
#define REGISTER "+m"
#endif

typedef float floats __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(16)));

static void burst_f32_c(void)
{
    floats sum[CHAINS] = { { 0 } }, x = { 0 }, y = { 0 };
    x += 0.5f;
    y += 0.25f;
    __asm__ volatile("" : REGISTER(x), REGISTER(y));
    for (int step = 0; step < STEPS; step++)
#pragma GCC unroll 14
        for (int i = 0; i < CHAINS; i++) {
            sum[i] = x * y + sum[i];
            __asm__ volatile("" : REGISTER(sum[i]));
        }
}

static void burst_f64_c(void)
{
    doubles sum[CHAINS] = { { 0 } }, x = { 0 }, y = { 0 };
    x += 0.5;
    y += 0.25;
    __asm__ volatile("" : REGISTER(x), REGISTER(y));
    for (int step = 0; step < STEPS; step++)
#pragma GCC unroll 14
        for (int i = 0; i < CHAINS; i++) {
            sum[i] = x * y + sum[i];
            __asm__ volatile("" : REGISTER(sum[i]));
        }
}

static int has_c(void)
{
    return 1;
}

#if defined(__x86_64__)
static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}

__attribute__((target("avx2,fma"))) static void burst_f32_avx2(void)
{
    const __m256 x = _mm256_set1_ps(0.5), y = _mm256_set1_ps(0.25);
    __m256 sum[CHAINS] = { { 0 } };
    for (int step = 0; step < STEPS; step++)
#pragma GCC unroll 14
        for (int i = 0; i < CHAINS; i++) {
            sum[i] = _mm256_fmadd_ps(x, y, sum[i]);
            __asm__ volatile("" : "+x"(sum[i]));
        }
}

__attribute__((target("avx2,fma"))) static void burst_f64_avx2(void)
{
    const __m256d x = _mm256_set1_pd(0.5), y = _mm256_set1_pd(0.25);
    __m256d sum[CHAINS] = { { 0 } };
    for (int step = 0; step < STEPS; step++)
#pragma GCC unroll 14
        for (int i = 0; i < CHAINS; i++) {
            sum[i] = _mm256_fmadd_pd(x, y, sum[i]);
            __asm__ volatile("" : "+x"(sum[i]));
        }
}

__attribute__((target("avx512f"))) static void burst_f32_avx512(void)
{
    const __m512 x = _mm512_set1_ps(0.5), y = _mm512_set1_ps(0.25);
    __m512 sum[CHAINS] = { { 0 } };
    for (int step = 0; step < STEPS; step++)
#pragma GCC unroll 14
        for (int i = 0; i < CHAINS; i++) {
            sum[i] = _mm512_fmadd_ps(x, y, sum[i]);
            __asm__ volatile("" : "+v"(sum[i]));
        }
}

__attribute__((target("avx512f"))) static void burst_f64_avx512(void)
{
    const __m512d x = _mm512_set1_pd(0.5), y = _mm512_set1_pd(0.25);
    __m512d sum[CHAINS] = { { 0 } };
    for (int step = 0; step < STEPS; step++)
#pragma GCC unroll 14
        for (int i = 0; i < CHAINS; i++) {
            sum[i] = _mm512_fmadd_pd(x, y, sum[i]);
            __asm__ volatile("" : "+v"(sum[i]));
        }
}
#endif

typedef struct burst {
    void (*run)(void);
    int lanes;
} burst;

/* Levels with bursts of their own; each stands after those that it includes. */
static const struct level {
    lay_isa isa;
    int (*is_there)(void);
    burst of_f32, of_f64;
} levels[] = {
    { LAY_ISA_C, has_c, { burst_f32_c, 4 }, { burst_f64_c, 2 } },
#if defined(__x86_64__)
    { LAY_ISA_AVX2, has_avx2, { burst_f32_avx2, 8 }, { burst_f64_avx2, 4 } },
    { LAY_ISA_AVX512, has_avx512, { burst_f32_avx512, 16 }, { burst_f64_avx512, 8 } },
#endif
};
enum { LEVELS = sizeof levels / sizeof levels[0] };

static const struct level *find_level(lay_isa cap)
{
    const struct level *found = &levels[0];
    for (int i = 0; i < LEVELS; i++)
        if ((cap == LAY_ISA_AUTO || lay_isa_includes(cap, levels[i].isa)) && levels[i].is_there())
            found = &levels[i];
    return found;
}

lay_isa lay_bench_peak_level(lay_isa cap)
{
    return find_level(cap)->isa;
}

static const burst *find_burst(lay_type type, lay_isa isa)
{
    const struct level *level = find_level(isa);
    return type == LAY_F64 || type == LAY_C64 ? &level->of_f64 : &level->of_f32;
}

int lay_bench_peak_lanes(lay_type type, lay_isa isa)
{
    return find_burst(type, isa)->lanes;
}

double lay_bench_peak(lay_type type, lay_isa isa)
{
    const burst *b = find_burst(type, isa);
    double best = 0;
    for (int i = 0; i < BURSTS; i++) {
        const double start = seconds_now();
        b->run();
        const double rate = 2.0 * CHAINS * STEPS * b->lanes / (seconds_now() - start) * 1e-9;
        best = rate > best ? rate : best;
    }
    return best;
}
