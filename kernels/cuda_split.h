/* FP32 products on 16-bit matrix units, those of sm_90a or of 8.0 and newer, as their launcher sees them: what the
 * kernels are given, what they promise. C and CUDA C++ both include this, besides cuda_kernel.h, which has the table of
 * rows.
 *
 * A product is up to six launches, one after the other in a stream. All take one argument, lay_cuda_split_args by
 * value; what a later one needs to know of an earlier one lies in device memory, and nothing goes through the host:
 *
 *     clear     zeros for the summaries and all records of lines, if they lie together (a memset will do, too)
 *     prepare   each line of both operands (row of left, column of right) -> its record; all of them -> two summaries;
 *               operands -> images: limbs of 16 bits as the matrix units want them, those of path FP16X3
 *     widen     where the summaries say BF16X6, images of its limbs; where they say STRICT, by rows of
 *               LAY_CUDA_SPLIT, all of C; else nothing
 *     multiply  images -> C, or partial where slices > 1
 *     add       partial -> C; only where slices > 1
 *     patch     elements of C in a line with Inf or NaN, or in one that is too wide for FP16X3 (if these are few); of a
 *               line with a few tiny elements these elements' products; by rows of LAY_CUDA_SPLIT_MMA all of C where
 *               the path is STRICT; mostly nothing
 *
 * Where all that is found so far makes the path STRICT whatever comes, blocks of prepare that start then do nothing:
 * summaries say STRICT all the same, records and images are not to be relied on. Where FP16X3 is out, blocks that have
 * looked make no limbs and list no tiny elements, for no other path asks for them.
 *
 * An operand that is_kept was prepared before: prepare leaves it out, and its summary, lines and FP16 image are there.
 * Of LAY_SPLIT_KEPT_ALL the image of BF16 limbs is there, too; else widen makes it where the path asks for it.
 *
 * The paths, chosen by lay_cuda_split_path from the two summaries. A line is scaled by a power of two so that its
 * greatest finite element lies in [2^top, 2^(top+1)), exactly; its range is the difference of the exponents of its
 * greatest and least nonzero elements; what is not finite counts as zero and is left to the patch. FP16X3's limbs are
 * within 2^-22 of an element at most 28 binades below its line's greatest. One further below is tiny, and has no limbs:
 * both are 0. Of lines of normal numbers one in some thousand has such an element. Up to LAY_SPLIT_TINY of them are
 * listed, and the patch mends the line: it adds the products that they are in. A line with more is wide, and patched as
 * a whole.
 *
 *     path      taken where                     limbs of a scaled element x             products
 *     FP16X3    few zeros, no line wide, one in 8   a0 = fp16(x), a1 = fp16((x - a0) 2^11)  a0 b1 + a1 b0, a0 b0
 *               mended; of large C one in 128 wide
 *     BF16X6    each range <= 150, the widest   a0 = bf16(x), a1 = bf16(x - a0),         a2 b0 + a1 b1 + a0 b2,
 *               of left and right together 190  a2 = bf16(x - a0 - a1)                   a0 b1 + a1 b0, a0 b0
 *     STRICT    else, or where more than one    x                                        x y
 *               line in eight has Inf or NaN
 *
 * The order of a sum. Leading products (the last column) of a chunk, 64 steps of FP16X3 and 32 of BF16X6, are summed
 * by the matrix units in their own arithmetic: 16 steps at a time, aligned to the largest and truncated. Corrections
 * (the other products) are summed so over a segment of 4096 steps, or 512: chunk by chunk (of FP16X3 leaf by leaf), in
 * the order above; those that a plus connects alternate, each for 16 steps. In FP32 registers, from +0: the chunks of a
 * segment are added, ascending, then its corrections (times 2^-11, exactly, on FP16X3); segment by segment; the slices
 * ascending. Steps behind k are zeros.
 *
 *     sum = sums of slices;  t = sum with the scales of its row and column undone, one rounding
 *     c(i,j) = alpha * t                       beta == 0, C is not read
 *     c(i,j) = fma(alpha, t, beta * c(i,j))    otherwise
 *
 * Path STRICT: LAY_CUDA_CHAIN in strict_slices slices of strict_slice_k steps, bit for bit what
 * gemm_f32_128x256x32_simt90 makes of the plain product with that many.
 *
 * Patched elements, whatever the slices: chunks of 64 steps are each a chain acc = fma(left(i,p), right(p,j), acc), p
 * ascending from +0; the chunks of a segment of 2048 steps are added, ascending, then the segments. Of 64 steps and
 * fewer that is bit for bit the order LAY_CUDA_CHAIN; as long as no sum overflows, NaN and infinities are always where
 * that has them.
 *
 * Mended elements, in f64, each operation rounded: row sums the products of tiny elements of the row of left with
 * elements of the column of right that are not tiny, column those of tiny elements of that column with elements of the
 * row that are not, both those of two tiny ones; each a chain of fused multiply-adds from +0, ascending. Then
 *
 *     c(i,j) = f32(fma(alpha, (row + column) + both, c(i,j)))        c(i,j) as above
 *
 * Rows of LAY_CUDA_SPLIT_MMA, for 8.0 and newer, have the matrix units of warps, whose arithmetic may be another. Their
 * chunks have 32 steps on either path, and corrections go 16 steps by 16: all that the table says of those, in its
 * order, then of the next. Their path STRICT is as patched elements are.
 *
 * The bits of C depend on m, n, k, the path, slices and slice_k, or strict_slices and strict_slice_k: never on the
 * offsets, the classes, the tile or the schedule, and not on the row of the table. Lines that are patched do not show
 * in the bits of others.
 * A transposed product is the transpose of another, left its right operand and right its left: corrections that
 * alternate come in the other order, so that the bits are that one's.
 *
 * Error: with u = 2^-24, slices of K steps, chunks of p and segments of q,
 *
 *     |C - exact| <= (8 + 2 + 6 (p / 16 + 1) + K / p + K / q + slices + 4) u |left| |right| + eta      FP16X3
 *                    (1 + 4 + 6 (p / 16 + 1) + K / p + K / q + slices + 3) u |left| |right| + eta      BF16X6
 *                    (64 + 32 + k / 2048 + 2) u |left| |right| + k eta                                patched
 *                    (strict_slice_k + strict_slices + 2) u |left| |right| + k eta                    STRICT
 *
 * the limbs, the corrections' sums and the leading products' in the matrix units, and additions in FP32; the 4th is
 * the mended element's second rounding. Integers
 * are exact where all sums of absolute products stay below 2^24, on FP16X3 if none needs more than 11 bits. */
#ifndef LAY_KERNELS_CUDA_SPLIT_H
#define LAY_KERNELS_CUDA_SPLIT_H

#include <stddef.h>

#include "cuda_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    LAY_SPLIT_LINES = 32,           /* images have room for so many lines, or a multiple */
    LAY_SPLIT_STEPS = 32,           /* and so many steps a leaf; an even number of leaves */
    LAY_SPLIT_CHUNK = 64,           /* slice_k is a multiple */
    LAY_SPLIT_PATCH_SEGMENT = 2048, /* steps whose chunks the patch adds by themselves */
    LAY_SPLIT_THREADS = 256,        /* of a block of clear, prepare, widen and add */
    LAY_SPLIT_ADD_ELEMENTS = 1024,  /* of C, of a block of add */
    LAY_SPLIT_PATCH_ROOM = 100736,  /* bytes of dynamic shared memory, of a group of so many threads of patch, */
    LAY_SPLIT_PATCH_GROUPS = 2,     /* of which a block has two that work apart; one where only 8.0 is asked for */
    LAY_SPLIT_PATCH_SHARED = LAY_SPLIT_PATCH_GROUPS * LAY_SPLIT_PATCH_ROOM,
    LAY_SPLIT_STRICT_SHARED = 200768, /* of path STRICT's blocks */
    LAY_SPLIT_MEETING = 96,           /* blocks of prepare that wait for each other; where 32 lines have more, */
    LAY_SPLIT_LAG = 256,              /* so many are between the two that read the same elements, or all there are */
    LAY_SPLIT_PATIENCE = 1 << 17,     /* clocks, as long as ten such waits */
    LAY_SPLIT_DOUBTS = 4,             /* times that it is asked whether limbs are wanted where 32 lines doubt it */
    LAY_SPLIT_FP16_RANGE = 28,
    LAY_SPLIT_BF16_RANGE = 150,
    LAY_SPLIT_BF16_RANGES = 190, /* left's and right's widest together */
    LAY_SPLIT_TINY = 16,         /* a line with at most so many tiny elements is mended, */
    LAY_SPLIT_FEW_MENDED = 8,    /* if no more than one line of so many is; */
    LAY_SPLIT_FEW_WIDE = 128,    /* one of so many may have more, and is left to the patch */
    LAY_SPLIT_LARGE = 1 << 20,   /* where C has so many elements: else six products take hardly longer; */
    LAY_SPLIT_FEW_STRANGE = 8,   /* and one of so many for Inf or NaN */
    LAY_SPLIT_SAMPLED = 8,       /* of so many steps one is looked at for zeros */
    LAY_SPLIT_LEAST_TERMS = 32   /* of a sum, expected where so many are zeros: sums of fewer show FP16's two limbs */
};

/* Of a line. Absolute values as bits, which are ordered as the values are. All zero before prepare. */
typedef struct lay_cuda_split_line {
    unsigned greatest; /* finite element; 0 where all are zero */
    unsigned least;    /* nonzero element, as 0x7fffffff - bits; 0 where there is none */
    unsigned flags;    /* of lay_cuda_split_flags */
    unsigned tiny;     /* elements of it that are; 0 where there are strange ones */
    unsigned arrivals; /* of blocks that looked at 32 lines, in the first of them */
    unsigned listed;   /* lines with flags: strange ones in line 0's on, others in the last one's back, in any order */
    unsigned mended;   /* lines with tiny elements, in line 0's on, in any order */
    unsigned left_over[LAY_SPLIT_MEETING / 32]; /* bits: blocks that did not wait for others, in the first of 32 */
} lay_cuda_split_line;

enum lay_cuda_split_flags {
    LAY_SPLIT_STRANGE = 1, /* Inf or NaN in it */
    LAY_SPLIT_WIDE = 2     /* more than LAY_SPLIT_TINY tiny elements */
};

/* Of all lines of an operand. All zero before prepare. */
typedef struct lay_cuda_split_summary {
    unsigned range;         /* the widest line's, in binades */
    unsigned strange, wide; /* lines with either flag: none has both */
    unsigned tailed;        /* lines with tiny elements, those that are wide among them */
    unsigned zeros;         /* of every eighth step's elements */
    unsigned beyond;        /* lines of more than LAY_SPLIT_FP16_RANGE binades, strange ones aside: become tailed */
    unsigned spare[2];
} lay_cuda_split_summary;

/* An element that is tiny. */
typedef struct lay_cuda_split_tiny {
    int step;
    float value;
} lay_cuda_split_tiny;

typedef enum lay_cuda_split_path_kind { LAY_SPLIT_FP16X3, LAY_SPLIT_BF16X6, LAY_SPLIT_STRICT } lay_cuda_split_path_kind;

/* What of an operand is there before the first launch. */
enum lay_cuda_split_kept { LAY_SPLIT_KEPT_NONE, LAY_SPLIT_KEPT_FP16, LAY_SPLIT_KEPT_ALL };

/* What may be taken besides what the summaries allow. */
typedef enum lay_cuda_split_policy {
    LAY_SPLIT_BY_SUMMARIES,
    LAY_SPLIT_NEVER_FP16, /* BF16X6 or STRICT */
    LAY_SPLIT_ALWAYS_STRICT
} lay_cuda_split_policy;

/* An image is leaves of 32 steps, one after the other; in a leaf each line has 128 bytes, [32 a0 | 32 a1], lines one
 * after the other; its 16-byte units are exchanged as the matrix units' 128-byte swizzle has it: unit u of line l
 * stands at u ^ l % 8. Behind all leaves, for BF16X6 only, those of a2: 64 bytes a line, unit u at u ^ l / 2 % 4. Any
 * eight lines from a multiple of 8 on are one operand of the matrix units, so one image serves tiles of every size and
 * either side. 1024-byte aligned. With one image for both kinds of limbs those of the path are there in the end; with
 * two, both, whatever the path: for operands that are kept and may meet any other. */
typedef struct lay_cuda_split_operand {
    const float *from; /* the element of which both offsets are 0 */
    lay_cuda_offsets across, along;
    lay_cuda_class as;
    int extent;                 /* lines */
    int is_kept;                /* of lay_cuda_split_kept */
    lay_cuda_split_line *lines; /* [extent] */
    lay_cuda_split_tiny *tiny;  /* [extent][LAY_SPLIT_TINY]: of each line, in any order; need not be zero before */
    lay_cuda_split_summary *summary;
    void *fp16, *bf16; /* images: the same, or two */
} lay_cuda_split_operand;

typedef struct lay_cuda_split_args {
    int m, n, k;                        /* 1 .. LAY_CUDA_MAX_EXTENT */
    int is_c_vector;                    /* as in lay_cuda_args */
    lay_cuda_split_operand left, right; /* the patch reads from, even of an operand that is kept */
    float *c;
    lay_cuda_offsets result_m, result_n;
    float alpha, beta;
    int slices, slice_k;  /* slice_k: a multiple of LAY_SPLIT_CHUNK, or k where slices == 1 */
    float *partial;       /* [slices][m][n] where slices > 1; 16-byte aligned */
    int tiles_m, tiles_n; /* ceil(m / bm), ceil(n / bn) of multiply's row; their product times slices fits an int */
    int strict_slices, strict_slice_k; /* path STRICT's; a multiple of 32, or k where there is one */
    float *strict_partial; /* [strict_slices][m][n] where there are more; 16-byte aligned, may lie where images do */
    lay_cuda_split_policy policy;
    char *cleared;        /* what clear fills with zeros, 16-byte aligned, */
    int64_t cleared_size; /* and bytes of it, a multiple of 16 */
    int patience;         /* clocks that a block of prepare waits for others; LAY_SPLIT_PATIENCE is best */
    unsigned *path;       /* NULL, or where patch writes which path was taken */
} lay_cuda_split_args;

/* The launches. multiply is the row's function, and another for transposed products. Its grid is (blocks, 1, 1), one
 * block a multiprocessor is best: each takes every grid'th tile of each slice, and the last ones in parts where they
 * are too few for all blocks. The others are the row's passes. Their blocks: of clear lay_cuda_split_clear_blocks; of
 * prepare lay_cuda_split_prepare_blocks; of add one for each LAY_SPLIT_ADD_ELEMENTS of C; of widen and patch any
 * number, each takes every grid'th part: one a multiprocessor for patch and lay_cuda_split_widen_blocks are best. */
enum lay_cuda_split_pass { LAY_SPLIT_CLEAR, LAY_SPLIT_PREPARE, LAY_SPLIT_WIDEN, LAY_SPLIT_ADD, LAY_SPLIT_PATCH };

/* Not in the library: rows of a bench alone, of other tiles and of other chunks of FP16X3. They take slices of a
 * multiple of 256 steps, and their products are not transposed. */
extern const lay_cuda_kernel lay_cuda_split_sweep[];

#ifdef __CUDACC__
#define LAY_SPLIT_INLINE __host__ __device__ static inline
#else
#define LAY_SPLIT_INLINE static inline
#endif

LAY_SPLIT_INLINE int64_t lay_cuda_split_up(int64_t n, int64_t by)
{
    return (n + by - 1) / by * by;
}

LAY_SPLIT_INLINE int lay_cuda_split_leaves(int k)
{
    return (int)(lay_cuda_split_up(k, LAY_SPLIT_CHUNK) / LAY_SPLIT_STEPS);
}

/* Lines that a leaf has room for. */
LAY_SPLIT_INLINE int64_t lay_cuda_split_leaf_lines(int extent)
{
    return lay_cuda_split_up(extent, LAY_SPLIT_LINES);
}

/* Bytes of an image of FP16 limbs, and of one with room for either path. */
LAY_SPLIT_INLINE size_t lay_cuda_split_fp16_size(int extent, int k)
{
    return (size_t)lay_cuda_split_leaf_lines(extent) * (size_t)lay_cuda_split_leaves(k) * 128;
}
LAY_SPLIT_INLINE size_t lay_cuda_split_image_size(int extent, int k)
{
    return lay_cuda_split_fp16_size(extent, k) / 2 * 3;
}

LAY_SPLIT_INLINE int64_t lay_cuda_split_clear_blocks(const lay_cuda_split_args *of)
{
    const int64_t each = (int64_t)LAY_SPLIT_THREADS * 16;
    return lay_cuda_split_up(of->cleared_size, each) / each;
}

/* Blocks of prepare that look at 32 lines. */
LAY_SPLIT_INLINE int lay_cuda_split_strip_blocks(int k)
{
    return (int)(lay_cuda_split_up(lay_cuda_split_leaves(k), LAY_SPLIT_THREADS / 32) / (LAY_SPLIT_THREADS / 32));
}

/* None for operands that are kept: then there is no launch where both are. */
LAY_SPLIT_INLINE int64_t lay_cuda_split_prepare_blocks(const lay_cuda_split_args *of)
{
    const int64_t left = of->left.is_kept ? 0 : lay_cuda_split_leaf_lines(of->m);
    const int64_t right = of->right.is_kept ? 0 : lay_cuda_split_leaf_lines(of->n);
    const int64_t each = lay_cuda_split_strip_blocks(of->k);
    return (each <= LAY_SPLIT_MEETING ? 1 : 2) * ((left + right) / LAY_SPLIT_LINES) * each;
}

/* Blocks of widen: what each has of shared memory says how many share a multiprocessor. */
LAY_SPLIT_INLINE int64_t lay_cuda_split_widen_blocks(const lay_cuda_pass *pass, int64_t multiprocessors)
{
    return (pass->shared ? 1 : 4) * multiprocessors;
}

/* Whether an element's sum can be expected to have enough terms that are not zero for limbs of FP16. */
LAY_SPLIT_INLINE int lay_cuda_split_is_dense(const lay_cuda_split_args *of, unsigned left_zeros, unsigned right_zeros)
{
    const double steps = (of->k + LAY_SPLIT_SAMPLED - 1) / LAY_SPLIT_SAMPLED;
    const double left = steps * of->m, right = steps * of->n;
    return (left - left_zeros) * (right - right_zeros) * of->k >= LAY_SPLIT_LEAST_TERMS * left * right;
}

/* Whether of so many lines FP16X3 serves all: the rest is mended or, of a large C, patched. Lines beyond its range are
 * one or the other. */
LAY_SPLIT_INLINE int lay_cuda_split_is_within(int extent, lay_cuda_split_summary of, int is_large)
{
    const unsigned patched = is_large ? (unsigned)extent / LAY_SPLIT_FEW_WIDE : 0,
                   mended = (unsigned)lay_cuda_split_up(extent, LAY_SPLIT_FEW_MENDED) / LAY_SPLIT_FEW_MENDED;
    return of.wide <= patched && of.tailed - of.wide <= mended && of.beyond <= patched + mended;
}

/* What the summaries say. The kernels ask, and so may the host, of copies, when the scan is over. */
LAY_SPLIT_INLINE lay_cuda_split_path_kind lay_cuda_split_path(const lay_cuda_split_args *of,
                                                              lay_cuda_split_summary left, lay_cuda_split_summary right)
{
    const unsigned m = (unsigned)of->m, n = (unsigned)of->n,
                   widest = left.range > right.range ? left.range : right.range;
    if (of->policy == LAY_SPLIT_ALWAYS_STRICT || left.strange > m / LAY_SPLIT_FEW_STRANGE ||
        right.strange > n / LAY_SPLIT_FEW_STRANGE)
        return LAY_SPLIT_STRICT;
    const int is_large = (int64_t)of->m * of->n >= LAY_SPLIT_LARGE;
    if (of->policy != LAY_SPLIT_NEVER_FP16 && lay_cuda_split_is_dense(of, left.zeros, right.zeros) &&
        lay_cuda_split_is_within(of->m, left, is_large) && lay_cuda_split_is_within(of->n, right, is_large))
        return LAY_SPLIT_FP16X3;
    return widest <= LAY_SPLIT_BF16_RANGE && left.range + right.range <= LAY_SPLIT_BF16_RANGES ? LAY_SPLIT_BF16X6
                                                                                               : LAY_SPLIT_STRICT;
}

/* The first path that may still be taken, whatever else is found: what the summaries say only grows. Whoever asks for
 * STRICT times all of prepare. */
LAY_SPLIT_INLINE lay_cuda_split_path_kind lay_cuda_split_path_at_best(const lay_cuda_split_args *of,
                                                                      lay_cuda_split_summary left,
                                                                      lay_cuda_split_summary right)
{
    left.tailed = left.wide, right.tailed = right.wide; /* a mended line may become a wide one */
    return of->policy == LAY_SPLIT_ALWAYS_STRICT ? LAY_SPLIT_FP16X3 : lay_cuda_split_path(of, left, right);
}

/* Flags of lines that a path leaves to the patch. */
LAY_SPLIT_INLINE unsigned lay_cuda_split_patched(lay_cuda_split_path_kind path)
{
    return path == LAY_SPLIT_FP16X3 ? LAY_SPLIT_STRANGE | LAY_SPLIT_WIDE : LAY_SPLIT_STRANGE;
}

#ifdef __cplusplus
}
#endif

#endif
