/* The matrix unit in inline assembly. Not by gcc 12's intrinsics: their loads do not say that they read memory (GCC
 * bug 122446), so that the stores before them may be moved or dropped.
 *
 * Tiles 0 to 3 are the four quarters of a 32 x 32 sum, 4 and 5 a piece of left, 6 and 7 one of right: all eight. */
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

/* A piece, both its tiles: h is 0, m is 1, l is 2. */
#define LEFT(PIECE)  "tileloadd 2048*" #PIECE "(%0,%2,1), %%tmm4\n\ttileloadd 2048*" #PIECE "+1024(%0,%2,1), %%tmm5\n\t"
#define RIGHT(PIECE) "tileloadd 2048*" #PIECE "(%1,%2,1), %%tmm6\n\ttileloadd 2048*" #PIECE "+1024(%1,%2,1), %%tmm7\n\t"
#define MULTIPLY                                                                                                       \
    "tdpbf16ps %%tmm6, %%tmm4, %%tmm0\n\ttdpbf16ps %%tmm7, %%tmm4, %%tmm1\n\t"                                         \
    "tdpbf16ps %%tmm6, %%tmm5, %%tmm2\n\ttdpbf16ps %%tmm7, %%tmm5, %%tmm3\n\t"
#define LEAF(A, B, TEXT) __asm__ volatile(TEXT : : "r"(A), "r"(B), "r"((int64_t)64) : "memory")

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

/* The leading product. 4 loads for 4 tile products. */
static inline void add_leading(const char *a, const char *b)
{
    LEAF(a, b, LEFT(0) RIGHT(0) MULTIPLY);
}

/* l h, m h, m m, h m, h l and its mirror image. 12 loads for 20 tile products. */
static inline void add_corrections_of_3(const char *a, const char *b)
{
    LEAF(a, b, LEFT(2) RIGHT(0) MULTIPLY LEFT(1) MULTIPLY RIGHT(1) MULTIPLY LEFT(0) MULTIPLY RIGHT(2) MULTIPLY);
}

static inline void add_turned_corrections_of_3(const char *a, const char *b)
{
    LEAF(a, b, LEFT(0) RIGHT(2) MULTIPLY RIGHT(1) MULTIPLY LEFT(1) MULTIPLY RIGHT(0) MULTIPLY LEFT(2) MULTIPLY);
}

/* m h, h m. */
static inline void add_corrections_of_2(const char *a, const char *b)
{
    LEAF(a, b, LEFT(1) RIGHT(0) MULTIPLY LEFT(0) RIGHT(1) MULTIPLY);
}

static inline void add_turned_corrections_of_2(const char *a, const char *b)
{
    LEAF(a, b, LEFT(0) RIGHT(1) MULTIPLY LEFT(1) RIGHT(0) MULTIPLY);
}
