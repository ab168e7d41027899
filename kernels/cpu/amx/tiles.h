/* The matrix unit in inline assembly. Not by gcc 12's intrinsics: their loads do not say that they read memory (GCC
 * bug 122446), so that the stores before them may be moved or dropped.
 *
 * Tiles 0 to 3 are the four quarters of a 32 x 32 sum, 4 and 5 a limb of left, 6 and 7 one of right: all eight. */
#include <stdint.h>

#include "cpu_split.h"

typedef struct tile_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t bytes_a_row[16];
    uint8_t rows[16];
} tile_config;

static const tile_config eight_whole_tiles = {
    .palette = 1,
    .bytes_a_row = { 64, 64, 64, 64, 64, 64, 64, 64 },
    .rows = { 16, 16, 16, 16, 16, 16, 16, 16 },
};

static void start_tiles(void)
{
    __asm__ volatile("ldtilecfg %0" : : "m"(eight_whole_tiles));
}

static void stop_tiles(void)
{
    __asm__ volatile("tilerelease" : : : "memory");
}

/* Quarters of the sum by tiles of left (rows) and right (columns). */
#define T00 "tdpbf16ps %%tmm6, %%tmm4, %%tmm0\n\t"
#define T01 "tdpbf16ps %%tmm7, %%tmm4, %%tmm1\n\t"
#define T10 "tdpbf16ps %%tmm6, %%tmm5, %%tmm2\n\t"
#define T11 "tdpbf16ps %%tmm7, %%tmm5, %%tmm3\n\t"

/* The two tiles of a limb: h is 0, m is 1, l is 2. */
#define LEFT0(PIECE)  "tileloadd 2048*" #PIECE "(%[a],%[row],1), %%tmm4\n\t"
#define LEFT1(PIECE)  "tileloadd 2048*" #PIECE "+1024(%[a],%[row],1), %%tmm5\n\t"
#define RIGHT0(PIECE) "tileloadd 2048*" #PIECE "(%[b],%[row],1), %%tmm6\n\t"
#define RIGHT1(PIECE) "tileloadd 2048*" #PIECE "+1024(%[b],%[row],1), %%tmm7\n\t"

/* Four lines of what comes next, of either operand, into the first cache: those of tile product I of product N. */
#define NEXT_LINE(N, I, LINE)                                                                                          \
    "prefetcht0 1024*" #N "+256*" #I "+64*" #LINE "(%[next_a])\n\t"                                                    \
    "prefetcht0 1024*" #N "+256*" #I "+64*" #LINE "(%[next_b])\n\t"
#define NEXT(N, I) NEXT_LINE(N, I, 0) NEXT_LINE(N, I, 1) NEXT_LINE(N, I, 2) NEXT_LINE(N, I, 3)

/* Product N of a leaf, and the loads of what the next one has in place of a limb of left or of right. Each tile is
 * loaded as soon as it has been used for the last time: where two hyperthreads share a core, each has half of its
 * window of instructions, which does not reach the next product's loads (bench/LOG.md). */
#define THEN_LEFT(N, PIECE)  T00 NEXT(N, 0) T01 LEFT0(PIECE) NEXT(N, 1) T10 NEXT(N, 2) T11 LEFT1(PIECE) NEXT(N, 3)
#define THEN_RIGHT(N, PIECE) T00 NEXT(N, 0) T10 RIGHT0(PIECE) NEXT(N, 1) T01 NEXT(N, 2) T11 RIGHT1(PIECE) NEXT(N, 3)
#define THEN_NONE(N)         T00 NEXT(N, 0) T01 NEXT(N, 1) T10 NEXT(N, 2) T11 NEXT(N, 3)
#define THEN_BOTH(N, LEFT, RIGHT)                                                                                      \
    T00 NEXT(N, 0) T01 LEFT0(LEFT) NEXT(N, 1) T10 RIGHT0(RIGHT) NEXT(N, 2) T11 LEFT1(LEFT) RIGHT1(RIGHT) NEXT(N, 3)

/* A leaf of either panel, and the ones that come next: prefetched, never read. */
typedef struct leaves {
    const char *a, *b, *next_a, *next_b;
} leaves;

#define LEAF(OF, TEXT)                                                                                                 \
    __asm__ volatile(TEXT                                                                                              \
                     :                                                                                                 \
                     : [a] "r"((OF).a), [b] "r"((OF).b), [next_a] "r"((OF).next_a), [next_b] "r"((OF).next_b),         \
                       [row] "r"((int64_t)64)                                                                          \
                     : "memory")

static inline void zero_sums(void)
{
    __asm__ volatile("tilezero %%tmm0\n\ttilezero %%tmm1\n\ttilezero %%tmm2\n\ttilezero %%tmm3" : : : "memory");
}

/* [32][32] */
static inline void store_sums(float *to)
{
    __asm__ volatile("tilestored %%tmm0, (%0,%1,1)\n\ttilestored %%tmm1, 64(%0,%1,1)\n\t"
                     "tilestored %%tmm2, 2048(%0,%1,1)\n\ttilestored %%tmm3, 2112(%0,%1,1)"
                     :
                     : "r"(to), "r"((int64_t)128)
                     : "memory");
}

/* l h, m h, m m, h m, h l, h h: 14 loads for 24 tile products. */
static inline void add_leaf_of_3(leaves of)
{
    LEAF(of, LEFT0(2) RIGHT0(0) LEFT1(2) RIGHT1(0) THEN_LEFT(0, 1) THEN_RIGHT(1, 1) THEN_LEFT(2, 0) THEN_RIGHT(3, 2)
                 THEN_RIGHT(4, 0) THEN_NONE(5));
}

/* The mirror image: left is what right was. */
static inline void add_transposed_leaf_of_3(leaves of)
{
    LEAF(of, LEFT0(0) RIGHT0(2) LEFT1(0) RIGHT1(2) THEN_RIGHT(0, 1) THEN_LEFT(1, 1) THEN_RIGHT(2, 0) THEN_LEFT(3, 2)
                 THEN_LEFT(4, 0) THEN_NONE(5));
}

/* m h, h m, h h. */
static inline void add_leaf_of_2(leaves of)
{
    LEAF(of, LEFT0(1) RIGHT0(0) LEFT1(1) RIGHT1(0) THEN_BOTH(0, 0, 1) THEN_RIGHT(1, 0) THEN_NONE(2) NEXT(3, 0)
                 NEXT(3, 1) NEXT(3, 2) NEXT(3, 3));
}

static inline void add_transposed_leaf_of_2(leaves of)
{
    LEAF(of, LEFT0(0) RIGHT0(1) LEFT1(0) RIGHT1(1) THEN_BOTH(0, 1, 0) THEN_LEFT(1, 0) THEN_NONE(2) NEXT(3, 0) NEXT(3, 1)
                 NEXT(3, 2) NEXT(3, 3));
}

/* h h */
static inline void add_leaf_of_1(leaves of)
{
    LEAF(of, LEFT0(0) RIGHT0(0) LEFT1(0) RIGHT1(0) THEN_NONE(0) NEXT(1, 0) NEXT(1, 1) NEXT(1, 2) NEXT(1, 3));
}
