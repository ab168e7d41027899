/* Four steps of a whole 6 x 2 tile as one piece of assembly. Its 12 sums are operands and must be in registers,
 * whatever surrounds the loop: left to gcc 12 they are, until a change far below makes it keep some in memory (0.64 of
 * the peak instead of 0.97). The row says what its instructions end in and what an element takes.
 *
 * 12 sums, 2 registers of B (13, 14), 1 of A (15): 15 of 16. */
#include <assert.h>

#include "kernel.h"

#define HAS_GROUP

#define ROW(step, i, low, high)                                                                                        \
    "vbroadcasts" LETTER " " BYTES "*(6*" #step "+" #i ")(%[a]), %%ymm15\n\t"                                          \
    "vfmadd231p" LETTER " %%ymm13, %%ymm15, %" #low "\n\t"                                                             \
    "vfmadd231p" LETTER " %%ymm14, %%ymm15, %" #high "\n\t"
#define STEP(step)                                                                                                     \
    "vmovup" LETTER " 64*" #step "(%[b]), %%ymm13\n\t"                                                                 \
    "vmovup" LETTER " 64*" #step "+32(%[b]), %%ymm14\n\t" ROW(step, 0, 0, 1) ROW(step, 1, 2, 3) ROW(step, 2, 4, 5)     \
        ROW(step, 3, 6, 7) ROW(step, 4, 8, 9) ROW(step, 5, 10, 11)

/* As add_group of simd/tile.h: a [4][6], b [4][NR]. */
static inline __attribute__((always_inline)) void add_group(vec acc[MR][NV], const real *a, const real *b)
{
    typedef struct {
        real entry[4 * MR];
    } left;
    typedef struct {
        real entry[4 * NV * LANES];
    } right;
    static_assert(MR == 6 && NV == 2 && LAY_AHEAD == 16, "the tile and the steps that stand above");
    __asm__(STEP(0) STEP(1) STEP(2) STEP(3)
            : "+x"(acc[0][0]), "+x"(acc[0][1]), "+x"(acc[1][0]), "+x"(acc[1][1]), "+x"(acc[2][0]), "+x"(acc[2][1]),
              "+x"(acc[3][0]), "+x"(acc[3][1]), "+x"(acc[4][0]), "+x"(acc[4][1]), "+x"(acc[5][0]), "+x"(acc[5][1])
            : [a] "r"(a), [b] "r"(b), "m"(*(const left *)(const void *)a), "m"(*(const right *)(const void *)b)
            : "xmm13", "xmm14", "xmm15");
}
#undef STEP
#undef ROW
