/* ISA levels: what CPU and operating system together allow. */
#include "machine/isa.h"

#include "levels.h"
#include "machine/machine.h"

const char *lay_isa_name(lay_isa isa)
{
#define NAME(name, level, set) [level] = name,
    static const char *const names[] = { LAY_ISA_LEVELS(NAME) };
#undef NAME
    return isa > LAY_ISA_AUTO && (size_t)isa < sizeof names / sizeof names[0] ? names[isa] : "auto";
}

#if LAY_X86

#include <cpuid.h>
#include <stdint.h>

/* The state that the operating system saves: XCR0, by xgetbv. Bits 1, 2: XMM, YMM; 5 to 7: opmask
 * and ZMM; 17 and 18: tiles and their configuration. CPUID alone does not tell: a kernel may leave AVX-512 off. */
static uint64_t read_xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

enum { XCR0_AVX = 0x06, XCR0_AVX512 = 0xe6, XCR0_AMX = 0x600e6 };

static lay_isa find_level(const char **limit)
{
    unsigned a, b, c, d, a7, b7, c7, d7;
    *limit = "the CPU has no AVX2, FMA and F16C";
    if (!__get_cpuid(1, &a, &b, &c, &d) || !__get_cpuid_count(7, 0, &a7, &b7, &c7, &d7))
        return LAY_ISA_C;
    if (!(c & bit_OSXSAVE))
        return LAY_ISA_C;
    /* The same bits as the flags of kernels/cpu/avx2: -mavx2 -mfma -mf16c. */
    if (!(c & bit_AVX) || !(c & bit_FMA) || !(c & bit_F16C) || !(b7 & bit_AVX2))
        return LAY_ISA_C;
    *limit = "the operating system does not save AVX registers";
    const uint64_t saved = read_xcr0();
    if ((saved & XCR0_AVX) != XCR0_AVX)
        return LAY_ISA_C;
    *limit = "the CPU has no AVX-512 F, VL, DQ, BW";
    /* The same bits as the flags of kernels/cpu/avx512: -mavx512f -mavx512vl -mavx512dq -mavx512bw. */
    if (!(b7 & bit_AVX512F) || !(b7 & bit_AVX512VL) || !(b7 & bit_AVX512DQ) || !(b7 & bit_AVX512BW))
        return LAY_ISA_AVX2;
    *limit = "the operating system does not save AVX-512 registers";
    if ((saved & XCR0_AVX512) != XCR0_AVX512)
        return LAY_ISA_AVX2;
    /* AMX-TILE and AMX-BF16, which gcc 12's <cpuid.h> names otherwise than clang's. */
    const unsigned tile = 1u << 24, bf16 = 1u << 22;
    *limit = "the CPU has no AMX with bfloat16";
    if (!(d7 & tile) || !(d7 & bf16))
        return LAY_ISA_AVX512;
    *limit = "the operating system does not save AMX tiles";
    if ((saved & XCR0_AMX) != XCR0_AMX)
        return LAY_ISA_AVX512;
    *limit = "";
    return LAY_ISA_AMX;
}

lay_isa lay_isa_find(const char **limit)
{
    const lay_isa found = find_level(limit);
    if (lay_isa_includes((lay_isa)LAY_HIGHEST_ISA, found))
        return found;
    *limit = "this build has no kernels of one";
    return (lay_isa)LAY_HIGHEST_ISA;
}

#else

lay_isa lay_isa_find(const char **limit)
{
    *limit = "this build has portable kernels only";
    return LAY_ISA_C;
}

#endif
