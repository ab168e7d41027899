/* ISA levels: what CPU and operating system together allow. */
#include "machine/isa.h"

#include <stddef.h>

#include "levels.h"

/* Each level of this CPU has a missing_<level>: NULL, or what there is not, as a phrase. A level that includes another
 * asks for that first. */
static const char *missing_c(void)
{
    return NULL;
}

#if LAY_X86

#include <cpuid.h>
#include <stdint.h>

/* Of cpuid's leaves 1 and 7. 0: no such leaf. */
typedef struct features {
    unsigned c1, b7, d7;
} features;

static features read_features(void)
{
    unsigned a, b, c, d, a7, b7, c7, d7;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !__get_cpuid_count(7, 0, &a7, &b7, &c7, &d7))
        return (features){ 0 };
    return (features){ c, b7, d7 };
}

/* Whether the operating system saves this state, by XCR0. Bits 1, 2: XMM, YMM; 5 to 7: opmask and ZMM; 17 and 18: tiles
 * and their configuration. CPUID alone does not tell: a kernel may leave AVX-512 off. */
static int is_saved(uint64_t state)
{
    uint32_t low, high;
    if (!(read_features().c1 & bit_OSXSAVE))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (((uint64_t)high << 32 | low) & state) == state;
}

enum { XCR0_AVX = 0x06, XCR0_AVX512 = 0xe6, XCR0_AMX = 0x600e6 };

static const char *missing_avx2(void)
{
    const features has = read_features();
    if (!(has.c1 & bit_AVX) || !(has.c1 & bit_FMA) || !(has.c1 & bit_F16C) || !(has.b7 & bit_AVX2))
        return "the CPU has no AVX2, FMA and F16C";
    return is_saved(XCR0_AVX) ? NULL : "the operating system does not save AVX registers";
}

static const char *missing_avx512(void)
{
    const features has = read_features();
    if (missing_avx2())
        return missing_avx2();
    if (!(has.b7 & bit_AVX512F) || !(has.b7 & bit_AVX512VL) || !(has.b7 & bit_AVX512DQ) || !(has.b7 & bit_AVX512BW))
        return "the CPU has no AVX-512 F, VL, DQ, BW";
    return is_saved(XCR0_AVX512) ? NULL : "the operating system does not save AVX-512 registers";
}

static const char *missing_amx(void)
{
    /* AMX-TILE and AMX-BF16, which gcc 12's <cpuid.h> names otherwise than clang's. */
    const unsigned tile = 1u << 24, bf16 = 1u << 22;
    const features has = read_features();
    if (missing_avx512())
        return missing_avx512();
    if (!(has.d7 & tile) || !(has.d7 & bf16))
        return "the CPU has no AMX with bfloat16";
    return is_saved(XCR0_AMX) ? NULL : "the operating system does not save AMX tiles";
}

#endif

static const struct level {
    lay_isa isa;
    const char *(*missing)(void);
    int is_built;
} levels[] = {
#define LEVEL(name, isa, is_built) { isa, missing_##name, is_built },
    LAY_ISA_LEVELS_HERE(LEVEL)
#undef LEVEL
};
enum { LEVELS = sizeof levels / sizeof levels[0] };

unsigned lay_isa_find(const char **limit)
{
    unsigned found = 0;
    *limit = LEVELS == 1 ? "this build has portable kernels only" : "";
    for (int i = 0; i < LEVELS; i++) {
        const char *missing = levels[i].missing();
        if (!missing && !levels[i].is_built)
            missing = "this build has no kernels of one";
        if (!missing)
            found |= lay_isa_set(levels[i].isa);
        else if (!**limit)
            *limit = missing;
    }
    return found;
}
