/* The AMX peak of one core: 16 x 16 x 32 products of bfloat16 between registers. */
#include "peak_tiles.h"

#include <math.h>

#include "bench/base/random.h"

void lay_bench_fill_tiles(uint16_t numbers[], size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = random_next(&seed);
        numbers[i] = (uint16_t)((bits & 0x807f) | (120 + (bits >> 16 & 7)) << 7);
    }
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "timing.h"

enum {
    REQUEST = 0x1023, /* arch_prctl's ARCH_REQ_XCOMP_PERM, */
    TILE_DATA = 18,   /* of the state that tiles are */
    STEPS = 49152,
    BURSTS = 4,
    NUMBERS = 4 * 512 /* of four tiles */
};
static const double flops_per_product = 2.0 * 16 * 16 * 32;

typedef struct tile_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t bytes_a_row[16];
    uint8_t rows[16];
} tile_config;

static int has_unit(void)
{
    unsigned a, b, c, d;
    const int is_there =
        __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 22 & 1) && (d >> 24 & 1); /* bfloat16, tiles */
    return is_there && syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0;
}

static void burst(const uint16_t numbers[])
{
    static const tile_config eight = { .palette = 1,
                                       .bytes_a_row = { 64, 64, 64, 64, 64, 64, 64, 64 },
                                       .rows = { 16, 16, 16, 16, 16, 16, 16, 16 } };
    __asm__ volatile("ldtilecfg %0" : : "m"(eight));
    __asm__ volatile("tilezero %%tmm0\n\ttilezero %%tmm1\n\ttilezero %%tmm2\n\ttilezero %%tmm3\n\t"
                     "tileloadd (%0,%1,1), %%tmm4\n\ttileloadd 1024(%0,%1,1), %%tmm5\n\t"
                     "tileloadd 2048(%0,%1,1), %%tmm6\n\ttileloadd 3072(%0,%1,1), %%tmm7"
                     :
                     : "r"(numbers), "r"((int64_t)64)
                     : "memory");
    for (int step = 0; step < STEPS; step++)
        __asm__ volatile("tdpbf16ps %%tmm6, %%tmm4, %%tmm0\n\ttdpbf16ps %%tmm7, %%tmm4, %%tmm1\n\t"
                         "tdpbf16ps %%tmm6, %%tmm5, %%tmm2\n\ttdpbf16ps %%tmm7, %%tmm5, %%tmm3"
                         :
                         :
                         : "memory");
    __asm__ volatile("tilerelease" : : : "memory");
}

double lay_bench_peak_tiles(void)
{
    _Alignas(64) uint16_t numbers[NUMBERS];
    double best = INFINITY;
    if (!has_unit())
        return NAN;
    lay_bench_fill_tiles(numbers, NUMBERS, 1);
    for (int i = 0; i < BURSTS; i++) {
        const double start = seconds_now();
        burst(numbers);
        const double took = seconds_now() - start;
        best = took < best ? took : best;
    }
    return 4 * STEPS * flops_per_product / best * 1e-9;
}

#else

double lay_bench_peak_tiles(void)
{
    return NAN;
}
#endif
