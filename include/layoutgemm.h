/* layoutgemm.h - matrix products on views: C = alpha A B + beta C, whatever the layout.
 *
 * A guided tour, in the order in which a program meets the parts:
 *
 *   1. Status       what every call returns, and the sentence behind it
 *   2. Types        element types
 *   3. Descriptors  a function from index to element offset, built and queried
 *   4. Views        new descriptors from old ones, over storage that stays where it is
 *   5. Memory       storage that fits a descriptor
 *   6. Products     lay_sgemm, lay_dgemm, lay_cgemm, lay_zgemm, lay_gemm
 *   7. Contractions lay_contract: tensors of any rank, dimensions matched by labels
 *   8. Plans        the same in two steps, for many products of one shape, and why it chose so
 *   9. Packed       an operand that meets many others, prepared once
 *  10. Copies       one layout to another, and one type to another, scaled and added
 *  11. Tuning       plans that were measured, kept in files
 *  12. The process  remembered plans, the log, what there is to compute with
 *
 * Layouts over several processes, and their products, are in layoutgemm_team.h.
 *
 * Everywhere: extents, strides and offsets are int64_t counts of elements, never bytes. Index 0
 * comes first. Functions may be called from any thread at any time; descriptors, plans and
 * packed operands are immutable and may be shared. Nothing here prints, exits or aborts.
 *
 * Threads. Several threads are OpenMP's, and its runtime ends the process when it gets no memory or cannot start
 * a thread. So the library tries out what the runtime is going to need, stacks of OMP_STACKSIZE included, and goes
 * on with fewer threads where that cannot be had. What other threads of the process take between the trial and the
 * region is beyond it, and so are limits that become tighter later. A process that must live through that sets
 * options.threads to 1, or lends threads of its own (options.parallel).
 *
 * Stacks. A call on the CPU needs at most 256 KiB of the caller's stack; threads that work for it, OpenMP's
 * (OMP_STACKSIZE) or lent ones, 128 KiB. What CUDA's runtime needs comes on top.
 *
 * Environment, read once, by the first call that needs it; an empty value counts as none:
 *   LAY_NUM_THREADS  1 to 4096; of a list, "4,2", the first number. Anything else is refused with LAY_ERR_OPTION
 *                    by calls that leave options.threads at 0
 *   OMP_NUM_THREADS  the same, where LAY_NUM_THREADS is not set; but anything else counts as not set
 *   LAY_ISA          c, avx2, avx512 or amx: a cap, as options.isa. Anything else is refused with LAY_ERR_OPTION
 *                    by every product and copy. Of a level that the machine lacks, what both include counts
 *   LAY_RATES        a file of rates that plans rest on, as `lay rates` prints them: a name and a value a line.
 *                    Anything else is refused with LAY_ERR_OPTION by every product and copy, with line and reason
 *   LAY_TUNING       a file of tuned plans, as lay_tuning_save and `lay tune` write them. One that lay_tuning_load
 *                    would refuse is refused with LAY_ERR_OPTION by every product, with line and reason
 *   LAY_VERBOSE      0: nothing is reported. dispatch: each plan, with the way and the kernel chosen; 1: each run, too;
 *                    2: also hits and evictions of the plan cache. CSV lines, the first one names the columns, on
 *                    stderr; the problem, in quotes, is what `lay explain` and `lay bench` take, but for batches.
 *                    Anything else is refused with LAY_ERR_OPTION by every product and copy
 *   LAY_LOG          with LAY_VERBOSE: a file to whose end the lines go instead, %p in its name becomes the process's
 *                    number. One that cannot be opened is refused with LAY_ERR_OPTION by every product and copy
 */
#ifndef LAYOUTGEMM_H
#define LAYOUTGEMM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LAY_API __attribute__((visibility("default")))
#else
#define LAY_API
#endif

/* ---- 1. Status --------------------------------------------------------------------------------
 * LAY_OK is 0. An error is named after what the caller has to change. On any error every output
 * argument and all of C keep their bits (sections 6 and 10 have the exceptions). */
typedef enum lay_status {
    LAY_OK = 0,
    LAY_ERR_ARGUMENT,    /* a NULL pointer or a count that has no meaning here */
    LAY_ERR_SYNTAX,      /* the notation: the sentence names the position and what was expected */
    LAY_ERR_REFERENCE,   /* a name or path that leads to no dimension */
    LAY_ERR_EXTENT,      /* a negative extent, or more indices than there are */
    LAY_ERR_OVERFLOW,    /* a size or an offset that does not fit 63 bits */
    LAY_ERR_RANK,        /* the number of root dimensions */
    LAY_ERR_SHAPE,       /* extents that do not match */
    LAY_ERR_TYPE,        /* no such element type */
    LAY_ERR_OPTION,      /* struct_size, or a value no option has */
    LAY_ERR_INJECTIVE,   /* an output that cannot be shown to map every index to its own element */
    LAY_ERR_OVERLAP,     /* an output that cannot be shown to stay clear of an input */
    LAY_ERR_MEMORY,      /* out of memory */
    LAY_ERR_UNSUPPORTED, /* no kernel of this build on this machine does it; the sentence says why */
    LAY_ERR_DEVICE,      /* a CUDA call failed; the sentence names it and has CUDA's own text */
    LAY_ERR_TEAM         /* of a team's members one failed, disagreed or did not answer (layoutgemm_team.h) */
} lay_status;

/* The enumerator's name, such as "LAY_ERR_SHAPE"; never NULL. */
LAY_API const char *lay_status_name(lay_status status);

/* What went wrong in this thread's last failing call, as one sentence; "" when nothing has. The
 * text stays valid until this thread's next failing call. Successful calls leave it alone. */
LAY_API const char *lay_last_error(void);

/* This header's version; as one number major * 10000 + minor * 100 + patch, for #if. */
#define LAYOUTGEMM_VERSION_MAJOR 0
#define LAYOUTGEMM_VERSION_MINOR 1
#define LAYOUTGEMM_VERSION_PATCH 0
#define LAYOUTGEMM_VERSION                                                                                             \
    (LAYOUTGEMM_VERSION_MAJOR * 10000 + LAYOUTGEMM_VERSION_MINOR * 100 + LAYOUTGEMM_VERSION_PATCH)

/* "major.minor.patch" of the library that runs, which may be newer than this header. Never NULL. */
LAY_API const char *lay_version(void);

/* LAYOUTGEMM_VERSION of the library that runs. */
LAY_API int lay_version_number(void);

/* The commit that the library was built from: its first twelve digits, "038ede2f1c0a", with "+" behind them where files
 * had been changed since; "unknown" where the sources were no checkout of git, a tarball's for one. Never NULL. */
LAY_API const char *lay_version_commit(void);

/* How that library was built, as one line that people read: compiler, optimization, flags given, ISA levels, CUDA's
 * architectures. Never NULL; valid as long as the library is loaded. */
LAY_API const char *lay_build_configuration(void);

/* ---- 2. Types ---------------------------------------------------------------------------------
 * Products of 16-bit types: A, B and C have the type, alpha and beta are float, sums are FP32's, and C is rounded
 * once, at the end (docs/numerics.md). Complex types: alpha and beta are complex, too; a product is one of real numbers
 * twice as long and twice as wide. */
typedef enum lay_type {
    LAY_F32 = 0,  /* float,  IEEE binary32 */
    LAY_F64 = 1,  /* double, IEEE binary64 */
    LAY_F16 = 2,  /* IEEE binary16, its bits in a uint16_t */
    LAY_BF16 = 3, /* bfloat16, the upper half of a binary32, its bits in a uint16_t */
    LAY_C32 = 4,  /* two float, real and imaginary part: float _Complex, std::complex<float> */
    LAY_C64 = 5   /* two double: double _Complex, std::complex<double> */
} lay_type;

/* Bytes of one element; 0 for a value that is no type. */
LAY_API size_t lay_type_size(lay_type type);

/* ---- 3. Descriptors ---------------------------------------------------------------------------
 * A descriptor is a function from index to element offset. It has one or more root dimensions and
 * its offset is the sum of theirs:
 *
 *     offset(i, j) = f(i) + g(j)
 *
 * A dimension is a tree: [[3][2]] has extent 6, and its index is written in the radices 3 and 2,
 * rightmost fastest; each digit is multiplied by its leaf's stride. A path names a dimension:
 * "1" is the second root dimension, "0_1" the second part of the first; "" or NULL is all of it,
 * every element as one dimension, the last root dimension varying fastest.
 *
 * Descriptors are immutable, know no element type, own only themselves and need nothing that they
 * were made from.
 *
 * Whatever makes a descriptor, here and in section 4, returns LAY_ERR_ARGUMENT for a NULL pointer, LAY_ERR_OVERFLOW
 * where the number of elements or an offset does not fit 63 bits, LAY_ERR_MEMORY, and LAY_ERR_UNSUPPORTED where it
 * would be too intricate, of more than 128 dimensions with their parts for one; each says below what else. Of a NULL
 * descriptor lay_desc_rank and lay_desc_is_injective are 0, and a path leads nowhere. */
typedef struct lay_desc lay_desc;

/* A descriptor from its notation (docs/notation.md):
 *
 *   [6][4]                                row-major, 6 x 4
 *   [100:1][96:100]                       column-major, by its strides
 *   [[3][2]][4]                           rows split in 3 x 2
 *   A=[2][2][512][512]; [[#A_0][#A_2]][[#A_1][#A_3]]    a 1024 x 1024 matrix in 2 x 2 blocks
 *
 * LAY_ERR_SYNTAX, LAY_ERR_REFERENCE, LAY_ERR_EXTENT. The notation's limits are LAY_ERR_SYNTAX: 65,535 characters, and
 * 64 KiB of memory to read them with, about 200 short definitions. */
LAY_API lay_status lay_desc_parse(const char *text, lay_desc **out);

/* Row-major and dense: ndim >= 1 root dimensions, the last with stride 1. LAY_ERR_RANK (ndim), LAY_ERR_EXTENT (a
 * negative one). */
LAY_API lay_status lay_desc_natural(int ndim, const int64_t extents[], lay_desc **out);

/* One stride a dimension; strides may be 0 or negative. LAY_ERR_RANK, LAY_ERR_EXTENT. */
LAY_API lay_status lay_desc_strided(int ndim, const int64_t extents[], const int64_t strides[], lay_desc **out);

/* The same descriptor once more, with a life of its own. */
LAY_API lay_status lay_desc_clone(const lay_desc *desc, lay_desc **out);

/* NULL is fine, as in free. */
LAY_API void lay_desc_destroy(lay_desc *desc);

/* Writes the notation of desc, from which lay_desc_parse makes an equal descriptor. As snprintf:
 * returns the length without the final 0, writes at most size bytes; negative on LAY_ERR_MEMORY. */
LAY_API int lay_desc_format(const lay_desc *desc, char *text, size_t size);

/* The number of root dimensions. */
LAY_API int lay_desc_rank(const lay_desc *desc);

/* The number of parts of the dimension at path: the rank for "", 0 for a leaf, -1 where the path
 * leads nowhere. */
LAY_API int lay_desc_parts(const lay_desc *desc, const char *path);

/* The extent of the dimension at path; for "" the number of elements. -1 where the path leads
 * nowhere. */
LAY_API int64_t lay_desc_extent(const lay_desc *desc, const char *path);

/* 1 and the stride when the dimension at path steps by one constant stride (extent 1 or 0: stride
 * 0), 0 when it does not, -1 where the path leads nowhere. stride may be NULL. */
LAY_API int lay_desc_stride(const lay_desc *desc, const char *path, int64_t *stride);

/* The offset of an element. n is 1 (the element's number in row-major order of the indices), the
 * rank (one index a root dimension), or the number of leaves (one index a leaf, left to right).
 * INT64_MIN, with a sentence, for another n or an index out of range. */
LAY_API int64_t lay_desc_offset(const lay_desc *desc, int n, const int64_t index[]);
#define LAY_NO_OFFSET INT64_MIN

/* 1 when the dimension at path has unit stride throughout (PARRAY's cnt), 0 when it has not, -1
 * where the path leads nowhere. Extents 0 and 1 are contiguous. */
LAY_API int lay_desc_is_contiguous(const lay_desc *desc, const char *path);

/* 1 when no two indices share an element. 0 when two do, and also when a bounded search can show
 * neither: deciding it is NP-hard in general. */
LAY_API int lay_desc_is_injective(const lay_desc *desc);

/* The lowest and highest offset of any element; 0 and -1 when there is none. (Bounds that may be wider
 * for a part taken out of a restructured dimension of many indices, when its radices do not divide.) */
LAY_API void lay_desc_span(const lay_desc *desc, int64_t *lowest, int64_t *highest);

/* Bytes from the lowest element of that type to the end of the highest one, gaps with them: what storage for desc
 * takes, which begins lowest elements from the address of offset 0. 0 when there is no element. -1, with a sentence,
 * for NULL, no lay_type, and what does not fit 63 bits. */
LAY_API int64_t lay_desc_bytes(lay_type type, const lay_desc *desc);

/* 1 when both have the same rank and root extents and give the same offset everywhere; how the
 * dimensions are nested does not matter. */
LAY_API int lay_desc_equal(const lay_desc *a, const lay_desc *b);

/* ---- 4. Views ---------------------------------------------------------------------------------
 * Each makes a new descriptor over the same storage: base pointers stay, so the offsets of a slice
 * include where it starts. */

/* The dimension at path as a descriptor of its own, of rank 1. LAY_ERR_REFERENCE. */
LAY_API lay_status lay_desc_dim(const lay_desc *desc, const char *path, lay_desc **out);

/* Each part, whole, becomes one root dimension: [#p0][#p1]... LAY_ERR_RANK (n), LAY_ERR_SHAPE (other places: see
 * layoutgemm_team.h). */
LAY_API lay_status lay_desc_join(int n, const lay_desc *const parts[], lay_desc **out);

/* Root dimension i of the result is root dimension perm[i] of desc. NULL reverses the order: the
 * transpose. LAY_ERR_ARGUMENT where perm is no permutation. */
LAY_API lay_status lay_desc_permute(const lay_desc *desc, const int perm[], lay_desc **out);

/* Root dimension dim gets the shape [[extents[0]]...[extents[n-1]]]; their product must be its
 * extent, else LAY_ERR_EXTENT. LAY_ERR_RANK (dim, n). */
LAY_API lay_status lay_desc_split(const lay_desc *desc, int dim, int n, const int64_t extents[], lay_desc **out);

/* The count indices of root dimension dim from start on. LAY_ERR_RANK (dim), LAY_ERR_EXTENT where there are fewer. */
LAY_API lay_status lay_desc_slice(const lay_desc *desc, int dim, int64_t start, int64_t count, lay_desc **out);

/* Root dimension i becomes [[ceil(n/t)][t]] with t = tile[i] >= 1; its extent stays n, so tiles at
 * the edge are short. A tile longer than n counts as n. LAY_ERR_ARGUMENT where tile[i] < 1. */
LAY_API lay_status lay_desc_tile(const lay_desc *desc, const int64_t tile[], lay_desc **out);

/* The tile at coords, one coordinate a root dimension: its own view, starting at offset 0 of
 * itself, and the offset at which it starts in the tiled storage. Offsets of 2^62 and more need
 * not fit then: LAY_ERR_OVERFLOW. LAY_ERR_SHAPE where a dimension is not tiled, LAY_ERR_EXTENT (coords). */
LAY_API lay_status lay_desc_tile_at(const lay_desc *tiled, const int64_t coords[], lay_desc **out, int64_t *offset);

/* ---- 5. Memory -------------------------------------------------------------------------------- */
typedef enum lay_memory {
    LAY_MEMORY_HOST = 0,   /* pageable host memory */
    LAY_MEMORY_PINNED = 1, /* page-locked host memory, which a GPU copies from and to at full speed */
    LAY_MEMORY_DEVICE = 2  /* memory of the calling thread's current CUDA device */
} lay_memory;

/* Storage for every element of desc, uninitialised. *out is the address of offset 0, the pointer
 * that products and copies take: with negative strides it lies inside the block, and for a slice it
 * may lie outside. The lowest element is aligned to 64 bytes, in device memory to 256.
 * LAY_ERR_ARGUMENT, LAY_ERR_TYPE, LAY_ERR_OPTION, LAY_ERR_OVERFLOW, LAY_ERR_MEMORY, LAY_ERR_DEVICE;
 * LAY_ERR_UNSUPPORTED where there is no CUDA driver or device. Products and copies also take memory
 * from anywhere else, cudaMalloc's for one: where it lies is found out. */
LAY_API lay_status lay_alloc(lay_type type, const lay_desc *desc, lay_memory kind, void **out);

/* Frees what lay_alloc gave; NULL is fine. */
LAY_API void lay_free(void *memory);

/* ---- 6. Products ------------------------------------------------------------------------------
 * C(i,j) = alpha * sum over p of A(i,p) B(p,j), + beta * C(i,j)
 *
 * A is m x k, B is k x n, C is m x n; all of rank 2, compared by the extents of their root
 * dimensions. A transpose is a descriptor (lay_desc_permute). a, b and c are the addresses of
 * offset 0. Elements lie at multiples of their size, complex ones at multiples of their parts': 4
 * bytes for c32, 8 for c64.
 *
 * A batch: C of rank 3, [batch][row][column], is as many products as its first dimension has indices, by one call. A
 * and B have as many matrices there or have rank 2: then one matrix serves every index, as with a stride of 0. Layouts
 * are free, matrices of a batch may lie in each other. Each product has the bits that it has alone. The threads share
 * small products by whole indices; large ones, and all on a device, come one after the other. C is injective as a
 * whole, and no index may write what another one reads.
 *
 * Special values (docs/numerics.md): beta == 0: C is not read. alpha == 0 or k == 0: A and B are
 * not read, may be NULL and may lie in C's memory. beta == 1 as well: C is not touched. m == 0,
 * n == 0 or no index in the batch: nothing is touched. NaN and infinity go where IEEE arithmetic takes them.
 *
 * The same logical product gives the same bits whatever the layouts, the thread count and the run,
 * on one device, at one ISA level and compute mode.
 *
 * Where each operand lies is found out: host memory, pageable or pinned, or the memory of a CUDA
 * device, in any mix. With all three on the device the call puts the product into options.stream and
 * returns; what fails later on the device shows in the caller's own CUDA calls. With operands in host
 * memory it returns when C is there, and what is large enough to win goes to the GPU in tiles.
 *
 * When a call fails C is unchanged, but for these cases: a device that fails, or pinned memory that runs
 * out, after tiles of a product of host operands have begun to arrive leaves C partly written, and
 * lay_last_error ends with "a part of C has been written". Where all operands lie in device memory a product may be
 * several launches: a device that refuses one but the first may leave C partly written, too. So may a batch that does
 * not run on the CPU alone, when a product behind the first fails. */
typedef enum lay_backend {
    LAY_BACKEND_AUTO = 0, /* where the operands are; for operands in host memory, by the sizes */
    LAY_BACKEND_CPU = 1,
    LAY_BACKEND_CUDA = 2 /* LAY_ERR_UNSUPPORTED, with the reason, where there is no such device */
} lay_backend;

typedef enum lay_compute {
    LAY_COMPUTE_AUTO = 0,      /* at present LAY_COMPUTE_STRICT */
    LAY_COMPUTE_STRICT = 1,    /* every product and sum in the operands' own type; of 16-bit types in FP32 */
    LAY_COMPUTE_F32_SPLIT = 2, /* f32: operands split in limbs of 16 bits, multiplied on matrix units and added in f32,
                                * with f32's accuracy (docs/numerics.md); plainly where sizes or values ask for that.
                                * With all operands on a device (compute capability 8.0 or newer), or in host memory
                                * and a CPU with AMX, which the process asks the system for then; else
                                * LAY_ERR_UNSUPPORTED */
    /* f32, faster and less accurate, never chosen by AUTO: operands rounded to fewer bits, sums in f32. An element of C
     * is off by at most so much of |A| |B|, beside what its sum is (docs/numerics.md). On a device
     * (compute capability 8.0 or newer) or a CPU with AMX, where all operands lie, else LAY_ERR_UNSUPPORTED: */
    LAY_COMPUTE_TF32 = 3,  /* 2^-9: 11 bits of f32's 24, and f32's range. Device */
    LAY_COMPUTE_BF16 = 4,  /* 2^-7: 8 bits, f32's range. Device or CPU */
    LAY_COMPUTE_FP16 = 5,  /* 2^-10: 11 bits; from 65520 on infinite, below 2^-14 fewer bits. Device */
    LAY_COMPUTE_BF16X3 = 6 /* 2^-15: two limbs of bfloat16, three products. CPU */
} lay_compute;

typedef enum lay_isa {
    LAY_ISA_AUTO = 0,   /* the best this machine has, or what LAY_ISA in the environment caps it to */
    LAY_ISA_C = 1,      /* portable C */
    LAY_ISA_AVX2 = 2,   /* x86: AVX2 and FMA */
    LAY_ISA_AVX512 = 3, /* x86: AVX-512 F, VL, DQ, BW */
    LAY_ISA_AMX = 4 /* x86: AVX-512 and AMX with bfloat16: for LAY_COMPUTE_F32_SPLIT; plain products are AVX-512's */
} lay_isa;

/* How a plan is chosen: by what its ways should cost or, of the CPU's ways, by what they do (section 11). The bits are
 * the same. */
typedef enum lay_effort {
    LAY_EFFORT_ESTIMATE = 0, /* by prediction, in microseconds; what was measured before goes before that */
    LAY_EFFORT_MEASURE = 1   /* what was never measured is measured now, with operands of the library's own */
} lay_effort;

/* Threads of the caller's own: calls task(argument, number) once for each number in 0 .. count - 1, on any threads,
 * at the same time or one after the other, and returns when all have returned. No task waits for another. */
typedef void lay_parallel_fn(void *context, int64_t count, void (*task)(void *argument, int64_t number),
                             void *argument);

/* Options. Start from LAY_OPTIONS_INIT; NULL stands for it. The structure grows at its tail only:
 * struct_size tells the library which fields the caller knows; those that the library does not know must be 0. */
typedef struct lay_options {
    size_t struct_size;
    int threads; /* 0: LAY_NUM_THREADS, else OMP_NUM_THREADS, else the CPUs this process may use */
    lay_backend backend;
    lay_compute compute;
    lay_isa isa;          /* a cap: the best level up to this one */
    int device;           /* CUDA device, by its number; LAY_DEVICE_AUTO: that of the operands in device memory,
                           * else the calling thread's current one. A number there is not, or where there is no device,
                           * is LAY_ERR_UNSUPPORTED, wherever the operands lie. Not looked at with LAY_BACKEND_CPU or a
                           * CPU's kernel */
    void *stream;         /* a cudaStream_t of that device, there for as long as plans run in it; NULL: its
                           * default stream */
    const char *kernel;   /* NULL: the planner's choice; else the name of a kernel, or of a family of them
                           * ("parray"): lay_plan_explain lists both. LAY_ERR_OPTION for a name there is not,
                           * LAY_ERR_UNSUPPORTED where it cannot do the product. Need not outlive the call. */
    size_t device_memory; /* bytes of device memory that products of host operands may take, on each device; 0: what is
                           * free */
    const int *devices;   /* NULL: device alone. Else GPUs that share a product whose operands all lie in host memory,
                           * each has a part of C: as many of the first ones as are predicted to be done soonest. The
                           * bits are those of the first alone, which is device, too (LAY_DEVICE_AUTO or its number):
                           * operands in device memory lie there, and it has their products alone. A number twice
                           * counts as two devices, with half the memory each. LAY_ERR_UNSUPPORTED where one is not
                           * there, or adds in another order than the first. Need not outlive the plan's creation */
    int device_count;     /* at most LAY_DEVICES_MOST */
    lay_parallel_fn *parallel; /* NULL: OpenMP's threads, and the calling one alone inside a parallel region of the
                                * caller's. Else who runs what is done on several threads, count at most threads: a
                                * pool, a task system. Bits do not depend on it. */
    void *parallel_context;    /* handed to parallel */
    lay_effort effort;
    double effort_seconds; /* that measuring a product may take, and a run of it more; 0: 1 */
    const char *skip;      /* NULL, or ways and kernels of the CPU that are not taken, by the names that
                            * lay_implementations has, with semicolons between them: "image; swept". The bits are the
                            * same without them. LAY_ERR_OPTION for a name there is not, LAY_ERR_UNSUPPORTED where
                            * nothing is left that can do the product. Need not outlive the plan's creation. */
    int grid_m, grid_n;    /* C's rows and columns are cut in at most so many parts, of whole tiles, and each part is
                            * one thread's; 0 beside a number: 1; both 0: the planner cuts. LAY_ERR_UNSUPPORTED, with
                            * the reason, where no way of it has such a grid: of vectors, batches, limbs, 16-bit
                            * types, sums in slices, on a device. LAY_ERR_OPTION for more than LAY_GRID_MOST */
    size_t alignment;      /* the caller's promise: the addresses of offset 0 of A, B, C and D are multiples of so many
                            * bytes, a power of two up to 4096. A run for which that is not true is refused with
                            * LAY_ERR_ARGUMENT. From 64 on panels are read as they lie by kernels in C, too. 0: none */
} lay_options;
#define LAY_GRID_MOST    4096
#define LAY_DEVICE_AUTO  (-1)
#define LAY_DEVICES_MOST 64
#define LAY_OPTIONS_INIT                                                                                               \
    {                                                                                                                  \
        sizeof(lay_options), 0, LAY_BACKEND_AUTO, LAY_COMPUTE_AUTO, LAY_ISA_AUTO, LAY_DEVICE_AUTO, NULL, NULL, 0,      \
            NULL, 0, NULL, NULL, LAY_EFFORT_ESTIMATE, 0, NULL, 0, 0, 0                                                 \
    }

/* Of f32 and f64. LAY_ERR_ARGUMENT, LAY_ERR_RANK, LAY_ERR_SHAPE, LAY_ERR_OPTION, LAY_ERR_INJECTIVE (C),
 * LAY_ERR_OVERLAP (C with A or B), LAY_ERR_OVERFLOW, LAY_ERR_MEMORY, LAY_ERR_UNSUPPORTED,
 * LAY_ERR_DEVICE. */
LAY_API lay_status lay_sgemm(const lay_desc *desc_a, const lay_desc *desc_b, const lay_desc *desc_c, float alpha,
                             const float *a, const float *b, float beta, float *c, const lay_options *options);
LAY_API lay_status lay_dgemm(const lay_desc *desc_a, const lay_desc *desc_b, const lay_desc *desc_c, double alpha,
                             const double *a, const double *b, double beta, double *c, const lay_options *options);

/* Of complex numbers, LAY_C32 and LAY_C64: all five point to such elements, alpha and beta to one. */
LAY_API lay_status lay_cgemm(const lay_desc *desc_a, const lay_desc *desc_b, const lay_desc *desc_c, const void *alpha,
                             const void *a, const void *b, const void *beta, void *c, const lay_options *options);
LAY_API lay_status lay_zgemm(const lay_desc *desc_a, const lay_desc *desc_b, const lay_desc *desc_c, const void *alpha,
                             const void *a, const void *b, const void *beta, void *c, const lay_options *options);

/* The same for a type known at run time; alpha and beta point to one element of that type, of 16-bit types to a float.
 * LAY_ERR_TYPE where it is none. */
LAY_API lay_status lay_gemm(lay_type type, const lay_desc *desc_a, const lay_desc *desc_b, const lay_desc *desc_c,
                            const void *alpha, const void *a, const void *b, const void *beta, void *c,
                            const lay_options *options);

/* ---- 7. Contractions --------------------------------------------------------------------------
 * C[..] = alpha * sum over the summed labels of A[..] B[..], + beta * C[..]
 *
 * A, B and C are tensors: descriptors of any rank whose root dimensions have labels, one letter each, as in
 * "aecf,fbed->abcd" (A's, B's, C's; spaces are free). A root dimension may be a tree of dimensions. Dimensions with one
 * label have one index, and one extent:
 *
 *   in A and B, not in C       summed: as k of a product of matrices
 *   in A and C, in B and C     free: as rows and columns
 *   in A, B and C              a batch: a product for each index (Hadamard's product where all labels are such)
 *   in A alone or B alone      summed: as if the other tensor had it with a stride of 0
 *   in C alone                 free: every index gets the same result
 *   twice or more in A or B    its diagonal: strides add up. LAY_ERR_UNSUPPORTED where the two dimensions' radices do
 *                              not divide each other
 *   twice in C                 LAY_ERR_REFERENCE
 *
 * A tensor without labels is a scalar; its descriptor is NULL, and it is the element at its address. What section 6
 * says of special values, places, bits and failing calls holds for contractions.
 *
 * Bits: the summed labels vary in an order that rests on labels and extents alone: the longest innermost, and of
 * equally long ones the greater label. So the bits do not depend on how tensors are stored, nor on the order of their
 * dimensions. LAY_SUM_BY_STORAGE, for plans, sums in the order in which the larger of A and B stores the labels: the
 * same bits for the same layouts, whatever the threads, and often sooner.
 *
 * LAY_ERR_SYNTAX (the labels' text, with the position), LAY_ERR_REFERENCE, LAY_ERR_RANK (another number of labels than
 * of root dimensions), LAY_ERR_SHAPE (a label with two extents), LAY_ERR_UNSUPPORTED, and all that products return. */
LAY_API lay_status lay_contract(lay_type type, const char *labels, const lay_desc *desc_a, const lay_desc *desc_b,
                                const lay_desc *desc_c, const void *alpha, const void *a, const void *b,
                                const void *beta, void *c, const lay_options *options);

typedef enum lay_sum_order {
    LAY_SUM_BY_LABELS = 0, /* of labels and extents alone */
    LAY_SUM_BY_STORAGE = 1 /* as the larger of A and B stores them */
} lay_sum_order;

typedef enum lay_sum_precision {
    LAY_SUM_BY_TYPES = 0, /* f64 where an operand is f64 or c64, else f32 */
    LAY_SUM_F64 = 1       /* f64, however narrow the operands */
} lay_sum_precision;

/* Bits of lay_product.conjugated; of no effect on a real type. */
enum { LAY_CONJUGATED_A = 1, LAY_CONJUGATED_B = 2, LAY_CONJUGATED_C = 4 };

/* An ending of a product, what cublasLt calls an epilogue and oneDNN post-ops:
 *
 *     D = activation(scale[0] * scale[1] * (alpha A B + beta C) + bias)
 *
 * Once to each element of D, in the type that sums are computed in, before D is rounded to its own: in that order, each
 * step rounded by itself (docs/endings.md). The bits hang on neither layouts nor threads. On the CPU alone: with
 * operands on a device it is LAY_ERR_UNSUPPORTED. */
typedef enum lay_activation {
    LAY_ACTIVATION_NONE = 0,
    LAY_ACTIVATION_RELU = 1,      /* 0 where x <= 0, else x */
    LAY_ACTIVATION_GELU_TANH = 2, /* x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) */
    LAY_ACTIVATION_CLAMP = 3      /* low where x < low, high where x > high, else x */
} lay_activation; /* NaN stays NaN in all of them; of complex numbers NONE alone, else LAY_ERR_UNSUPPORTED */

/* A scale or the bias: a tensor with some of C's labels. Along the others it is the same: "j" of "ik,kj->ij" is a bias
 * for each column. There is one where desc or a text of labels is; no labels, "", make it a scalar, whose desc is
 * NULL. */
typedef struct lay_ending_tensor {
    const lay_desc *desc;
    const char *labels;            /* "j"; NULL: the array. Letters where the product's labels are a text */
    const int64_t *labels_numbers; /* one a root dimension; not looked at with labels */
    lay_type type;                 /* whose numbers the type of the sums has: f16, bf16 and f32 of f32 sums, say */
} lay_ending_tensor;

/* Start from LAY_ENDING_INIT. The structure grows at its tail only. */
typedef struct lay_ending {
    size_t struct_size;
    lay_ending_tensor scale[2], bias; /* addresses are each run's: lay_arguments */
    lay_activation activation;
    double low, high; /* of LAY_ACTIVATION_CLAMP; infinite ones are no limit */
} lay_ending;
#define LAY_ENDING_INIT                                                                                                \
    {                                                                                                                  \
        sizeof(lay_ending), { { NULL, NULL, NULL, LAY_F32 }, { NULL, NULL, NULL, LAY_F32 } },                          \
            { NULL, NULL, NULL, LAY_F32 }, LAY_ACTIVATION_NONE, 0, 0                                                   \
    }

/* A contraction as a whole, for lay_plan_create_product: D = alpha A B + beta C.
 *
 * Types may differ (docs/mixed.md has the table): any real ones, and complex ones where D and at least one of A and B
 * are. Operands are widened, which is exact, to what sums are computed in, f32 or f64 (sum_precision), and D is rounded
 * to its type once. alpha and beta have that type, complex where D is. Others are LAY_ERR_TYPE, with the nearest that
 * is served.
 *
 * Start from LAY_PRODUCT_INIT. The structure grows at its tail only. Nothing that it points to need outlive the call.
 */
typedef struct lay_product {
    size_t struct_size;
    lay_type type_a, type_b, type_c, type_d; /* type_d is not looked at where there is no D */
    const lay_desc *a, *b, *c;
    const lay_desc *d;  /* what is written, with C's labels: C is read alone, and may lie anywhere but in part in
                         * D's elements; NULL: C is written */
    const char *labels; /* "aecf,fbed->abcd"; NULL: the arrays */
    const int64_t *labels_a, *labels_b, *labels_c; /* one a root dimension, of any value; not looked at with labels */
    unsigned conjugated;                           /* LAY_CONJUGATED_... */
    lay_sum_order sum_order;
    int has_d;    /* 1: there is a D though d is NULL, a scalar; d says so by itself */
    int reserved; /* 0 */
    lay_sum_precision sum_precision;
    const lay_ending *ending; /* NULL: none */
} lay_product;
#define LAY_PRODUCT_INIT                                                                                               \
    {                                                                                                                  \
        sizeof(lay_product), LAY_F32, LAY_F32, LAY_F32, LAY_F32, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0,    \
            LAY_SUM_BY_LABELS, 0, 0, LAY_SUM_BY_TYPES, NULL                                                            \
    }

/* ---- 8. Plans ---------------------------------------------------------------------------------
 * lay_sgemm plans once for each set of descriptors and options and remembers the plan; these are
 * its two steps. A plan keeps nothing of the descriptors. */
typedef struct lay_plan lay_plan;
typedef struct lay_packed lay_packed; /* section 9 */

/* The plan of lay_gemm for these descriptors and options; its errors, but for those of addresses. *out is the caller's
 * until lay_plan_destroy. */
LAY_API lay_status lay_plan_create(lay_type type, const lay_desc *desc_a, const lay_desc *desc_b,
                                   const lay_desc *desc_c, const lay_options *options, lay_plan **out);

/* The plan of a contraction. As lay_contract; LAY_ERR_OPTION for a struct_size or a value that this library does not
 * know, LAY_ERR_TYPE for types that do not mix. */
LAY_API lay_status lay_plan_create_product(const lay_product *product, const lay_options *options, lay_plan **out);

/* Re-entrant: one plan may run in many threads at once. alpha and beta point to one element of the
 * plan's type, of 16-bit types to a float. Products in device memory go into options.stream, one after the other.
 * LAY_ERR_ARGUMENT, LAY_ERR_OVERLAP, LAY_ERR_MEMORY, LAY_ERR_UNSUPPORTED, LAY_ERR_DEVICE. */
LAY_API lay_status lay_plan_run(const lay_plan *plan, const void *alpha, const void *a, const void *b, const void *beta,
                                void *c);

/* D = alpha A B + beta C by a plan that has a D: c may be d where both have one layout; else LAY_ERR_OVERLAP where the
 * two cannot be shown to stay clear of each other. beta == 0: c is not read, and may be NULL. Of a plan without a D it
 * is lay_plan_run: d is c or NULL, else LAY_ERR_ARGUMENT. */
LAY_API lay_status lay_plan_run_product(const lay_plan *plan, const void *alpha, const void *a, const void *b,
                                        const void *beta, const void *c, void *d);

/* As lay_plan_run_product, in memory that the caller lends until it returns: size bytes at workspace, an address that
 * is a multiple of LAY_WORKSPACE_ALIGNMENT. lay_plan_query says how many are needed (workspace, of LAY_MEMORY_HOST);
 * where that is 0, workspace may be NULL. The library takes no other memory for the run, OpenMP
 * aside. Runs at the same time need memory of their own; it must be clear of all operands. LAY_ERR_ARGUMENT, and
 * nothing is written, where it is too small or lies at another address. LAY_ERR_UNSUPPORTED where a device computes:
 * there lay_plan_reserve takes what is needed. */
#define LAY_WORKSPACE_ALIGNMENT 64
LAY_API lay_status lay_plan_run_workspace(const lay_plan *plan, const void *alpha, const void *a, const void *b,
                                          const void *beta, const void *c, void *d, void *workspace, size_t size);

/* A run with everything that it may have, for plans whose ending has scales or a bias, which no other call takes. Start
 * from LAY_ARGUMENTS_INIT. The structure grows at its tail only. */
typedef struct lay_arguments {
    size_t struct_size;
    const void *alpha, *a, *b, *beta, *c; /* as for lay_plan_run_product */
    void *d;
    const lay_packed *packed_a, *packed_b; /* in the place of a and b, as lay_plan_run_packed has them */
    const void *scale[2], *bias;           /* addresses of offset 0, in host memory; NULL where there is none */
    void *workspace;                       /* NULL: the library's; else as for lay_plan_run_workspace */
    size_t workspace_size;
} lay_arguments;
#define LAY_ARGUMENTS_INIT                                                                                             \
    {                                                                                                                  \
        sizeof(lay_arguments), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, { NULL, NULL }, NULL, NULL, 0           \
    }

/* As lay_plan_run_product, lay_plan_run_packed and lay_plan_run_workspace together. D must be clear of scales and bias,
 * else LAY_ERR_OVERLAP. LAY_ERR_ARGUMENT also for a scale or a bias that is missing, or that the plan has not. */
LAY_API lay_status lay_plan_run_arguments(const lay_plan *plan, const lay_arguments *arguments);

/* As many runs, run i with a[i], b[i], c[i] and d[i]: the bits that they have in this order. Threads share runs of
 * operands in host memory where that is sooner and no run reads or writes what another one writes; operands may lie on
 * a device, too, where runs go into options.stream one after the other. The arrays of addresses lie in host memory; d
 * is c or NULL for a plan without a D, and c may be NULL where beta is 0 and there is one. Nothing is written where an
 * address is NULL that may not be: LAY_ERR_ARGUMENT, with its number; or where the plan's ending has scales or a bias,
 * LAY_ERR_ARGUMENT, too. A run that fails ends it, and the sentence begins with its number; those before it are
 * complete. */
LAY_API lay_status lay_plan_run_many(const lay_plan *plan, int64_t count, const void *alpha, const void *const a[],
                                     const void *const b[], const void *beta, void *const c[], void *const d[]);

/* Many runs of one plan, as lay_plan_run_many takes them, among those of other plans. The structure does not grow. */
typedef struct lay_runs {
    const lay_plan *plan;
    int64_t count;
    const void *alpha;
    const void *const *a; /* count addresses each, in host memory */
    const void *const *b;
    const void *beta;
    void *const *c;
    void *const *d;
} lay_runs;

/* The runs of all groups: the bits that lay_plan_run_many gives of one group after the other. Threads share the runs of
 * all groups, no more of them than each plan may use, where that is sooner, no run reads or writes what another one
 * writes, and all plans have the same options.parallel; on a device runs go into options.stream of each plan, one after
 * the other. All groups are looked at before anything is written: LAY_ERR_ARGUMENT, and "group 2: b[4] is NULL" for a
 * group that lay_plan_run_many refuses. A run that fails ends it; those before it in its group are complete, those of
 * other groups may be. groups may be NULL where count is 0. */
LAY_API lay_status lay_plan_run_groups(int64_t count, const lay_runs groups[]);

/* Takes now what runs on device memory will need there (workspace, offset tables), for the plan to keep:
 * runs then allocate nothing and may be captured in a CUDA graph, which needs the plan until its last
 * launch has ended. Without it, a first run takes what it needs. Allocating may wait for the device.
 * Three things are taken in each run even so, which is LAY_ERR_UNSUPPORTED in a captured stream: images of operands
 * that matrix units read in place only where the first element lies at a multiple of 16 bytes; offset tables of copies,
 * which complex products and those of several types make of layouts whose radices do not divide each other; and, of
 * real times complex operands with a complex alpha, room for what C was.
 * Launches of a graph and other runs of the plan use the same memory: wherever they are launched, it is the caller who
 * has each wait for the one before. Nothing to do, and LAY_OK, for a plan of the CPU (backend, or no GPU).
 * LAY_ERR_ARGUMENT, LAY_ERR_MEMORY, LAY_ERR_DEVICE, LAY_ERR_UNSUPPORTED.
 *
 * While a stream is captured, by any thread and in any mode, products, copies and allocations may go on
 * beside it, in that thread too, and leave the capture whole. Two things CUDA forgives nobody. The default
 * stream (options.stream NULL, operands in device memory) may not be used while a stream is captured that
 * was made without cudaStreamNonBlocking. And nobody may wait for a device of which a stream is captured:
 * lay_cache_clear does so, and so does what takes device memory when it runs out, or when plans in streams
 * not used since then have left 256 MiB behind. */
LAY_API lay_status lay_plan_reserve(lay_plan *plan);

/* How the values of A and B had a product computed. */
typedef enum lay_path {
    LAY_PATH_NONE = 0,   /* the plan has not run */
    LAY_PATH_STRICT = 1, /* in the operands' own type */
    LAY_PATH_FP16X3 = 2, /* LAY_COMPUTE_F32_SPLIT: three products of two FP16 limbs each; narrow ranges */
    LAY_PATH_BF16X6 = 3, /* six products of three BF16 limbs each; wide ranges, and on the CPU */
    LAY_PATH_BF16X3 = 4, /* LAY_COMPUTE_BF16X3 */
    LAY_PATH_BF16X1 = 5  /* LAY_COMPUTE_BF16 */
} lay_path;

/* The path of the plan's last run, of those on device memory or of LAY_COMPUTE_F32_SPLIT; waits for a device. The
 * values of the operands decide, where they lie. On the CPU each row of A and column of B decides for itself: BF16X6
 * says that some were split. Of a batch it is the path of one of its products. LAY_ERR_ARGUMENT, LAY_ERR_DEVICE;
 * LAY_ERR_UNSUPPORTED for a plan of LAY_COMPUTE_F32_SPLIT on a device that was not reserved: nothing of its run is
 * left. */
LAY_API lay_status lay_plan_path(const lay_plan *plan, lay_path *path);

/* What was chosen and what was refused, with reasons, as text; also for the packed operands that the plan has met. As
 * snprintf. */
LAY_API int lay_plan_explain(const lay_plan *plan, char *text, size_t size);

/* What a plan would do, for programs; lay_plan_explain has the rest, for people. Start from LAY_PLAN_INFO_INIT. The
 * structure grows at its tail only. */
typedef struct lay_plan_info {
    size_t struct_size;
    double seconds;     /* that a run is predicted to take; beside the measured time it tells how good the model is */
    double flops;       /* of a run: 2 m n k, of complex numbers 8 m n k, of real times complex ones 4 m n k; of a batch
                         * those of all its products */
    size_t workspace;   /* bytes that a run takes, where it computes, beside the operands; on all devices together */
    int threads;        /* that the work can keep busy */
    int devices;        /* that share it; 0: the CPU computes */
    const char *kernel; /* its name, valid as long as the library is loaded */
    char way[96];       /* the chain of ways, "transposed, in place": cut where it is longer */
} lay_plan_info;
#define LAY_PLAN_INFO_INIT                                                                                             \
    {                                                                                                                  \
        sizeof(lay_plan_info), 0, 0, 0, 0, 0, NULL,                                                                    \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }

/* For operands that all lie in memory of this kind, a device's being that of options.device, else the calling thread's
 * current one. Fills the fields that info->struct_size has room for. On an error info keeps its bits.
 * LAY_ERR_ARGUMENT, LAY_ERR_OPTION (struct_size, no lay_memory), LAY_ERR_MEMORY; LAY_ERR_UNSUPPORTED, with the reason,
 * where the plan has no way for such operands. */
LAY_API lay_status lay_plan_query(const lay_plan *plan, lay_memory kind, lay_plan_info *info);

typedef enum lay_operand { LAY_OPERAND_A = 0, LAY_OPERAND_B = 1 } lay_operand;

/* The layout in which the plan's product reads A or B soonest, of operands that lie in memory of this kind: by rows, by
 * columns, or in a kernel's panels, a nested layout; lines lie where they suit caches. Whoever has the choice stores
 * the operand so, or copies it once with lay_copy, and makes a plan with this descriptor in the old one's place. It is
 * a prediction: of these layouts and the operand's own, which is what comes back where no other one is better.
 * Unlike what lay_pack makes, everybody can read and write it. Bits are the same.
 * LAY_ERR_ARGUMENT, LAY_ERR_OPTION (no lay_operand, no lay_memory), LAY_ERR_OVERFLOW, LAY_ERR_MEMORY;
 * LAY_ERR_UNSUPPORTED for a batch's operand of rank 3, for contractions, and where the plan has no way for operands in
 * such memory. */
LAY_API lay_status lay_plan_layout(const lay_plan *plan, lay_operand operand, lay_memory kind, lay_desc **out);

/* NULL is fine. Waits for nothing: what the plan runs on a device ends undisturbed. */
LAY_API void lay_plan_destroy(lay_plan *plan);

/* ---- 9. Packed operands -----------------------------------------------------------------------
 * What a product does to an operand before it multiplies, done once: for weights that meet many others. A
 * packed operand is a matrix of its own, free of the source's layout: in CPU kernels' panels, in the limbs that
 * LAY_COMPUTE_F32_SPLIT multiplies, or, where kernels take operands as they are, row by row. The source may
 * be changed or freed once lay_pack has returned, in device memory once the plan's stream has passed it.
 * Products with packed operands have the same bits as those of the sources. */

/* Packs source, the address of offset 0 of A or B of the plan, into memory of the kind that it lies in: for the way
 * the plan takes when all operands lie there, with options.threads or in options.stream. May not be captured. Of a
 * batch what has rank 2 is packed, one matrix for every index; what has rank 3 is LAY_ERR_UNSUPPORTED.
 * LAY_ERR_ARGUMENT, LAY_ERR_OPTION (no lay_operand), LAY_ERR_OVERFLOW, LAY_ERR_MEMORY, LAY_ERR_UNSUPPORTED,
 * LAY_ERR_DEVICE. */
LAY_API lay_status lay_pack(const lay_plan *plan, lay_operand operand, const void *source, lay_packed **out);

/* As lay_plan_run, with A, B or both packed: each is given either by its address or by what lay_pack made of it,
 * the other is NULL. packed_a serves every plan whose A is a matrix of its type and extents, whatever the other
 * operands and all layouts and options are, and so does packed_b: what the plan does for operands in that memory it
 * does for packed ones. The gain is there where the plan would have packed it so; else what was packed is read as a
 * matrix in the layout that it has by then, and lay_plan_explain, after a run, says which. In another stream than that
 * of the plan that packed it, on device memory, a run is the caller's to order behind lay_pack.
 *
 * Errors as lay_plan_run, and LAY_ERR_TYPE and LAY_ERR_SHAPE for a packed operand of another product. After
 * lay_pack, lay_plan_reserve takes what runs with that operand packed need, too. */
LAY_API lay_status lay_plan_run_packed(const lay_plan *plan, const void *alpha, const void *a,
                                       const lay_packed *packed_a, const void *b, const lay_packed *packed_b,
                                       const void *beta, void *c);

/* Bytes of memory that it holds: those of a copy, and for LAY_COMPUTE_F32_SPLIT on a device twice as many. 0 for NULL.
 */
LAY_API size_t lay_packed_size(const lay_packed *packed);

/* NULL is fine. Waits for nothing: what uses it in the stream of the plan that packed it ends undisturbed; what uses
 * it elsewhere, and graphs that do, must have ended. */
LAY_API void lay_packed_destroy(lay_packed *packed);

/* ---- 10. Copies --------------------------------------------------------------------------------
 * Copies each element of src, at from's offset, to the element of dst with the same index. The
 * root extents must match; to must be injective and clear of the source. Bits are kept as they
 * are. Each side may lie in host or device memory; between two layouts on one device the copy goes into
 * options.stream and the call returns, with host memory on a side it returns when the copy is done.
 * Errors as for products. Between host and device memory a device that fails, or pinned memory that runs out, after a
 * part of the copy has gone leaves dst partly written, and lay_last_error ends with "a part of the destination has been
 * written". */
LAY_API lay_status lay_copy(lay_type type, const lay_desc *from, const void *src, const lay_desc *to, void *dst,
                            const lay_options *options);

/* Y = alpha X + beta Y, element by element, whatever the two layouts and types: a copy that converts, scales and adds
 * up, or a transpose that does (BLAS's axpby, omatcopy and imatcopy). X and Y lie both in host memory or both on one
 * device, where it goes into options.stream: one here and one there is LAY_ERR_UNSUPPORTED, but for what is lay_copy.
 *
 * Types: any x with any y, but for complex ones to real ones. It is computed in double where either is LAY_F64 or
 * LAY_C64, else in float, and in complex numbers where Y's are; alpha and beta point to one element of that type. One
 * without an imaginary part scales the parts by themselves.
 * alpha x, beta y and their sum are rounded there, each by itself, and the result once to Y's type, to nearest, ties to
 * even: too large a number becomes infinite, NaN stays NaN. The bits are the same at every ISA level, for any number of
 * threads, and on a device.
 *
 * is_conjugated: X is, if it is complex; of real elements it has no effect.
 *
 * beta == 0: Y is not read. alpha == 0: X is not read and may be NULL or lie in Y: so Y is scaled where it is, or
 * cleared. alpha == 0 and beta == 1: Y is not touched. alpha == 1, beta == 0 and one type: lay_copy, every bit.
 * Otherwise Y must be clear of X, as in lay_copy, not even X's own elements; where elements differ in size, from the
 * lowest to the highest one. Errors as for lay_copy. */
LAY_API lay_status lay_axpby(lay_type type_x, const lay_desc *desc_x, const void *alpha, const void *x, lay_type type_y,
                             const lay_desc *desc_y, const void *beta, void *y, int is_conjugated,
                             const lay_options *options);

/* ---- 11. Tuning --------------------------------------------------------------------------------
 * Predictions are off at times. With LAY_EFFORT_MEASURE a plan's ways and block sizes are run, on memory of the
 * library's own, and the fastest is remembered for all plans of that product to come: of its types, extents, strides,
 * compute mode, threads and ISA level. What is measured changes no bits: only ways of one order of the sum compete.
 *
 * These read and write what is remembered: a text file, a line a product (docs/tuning.md). The library writes no file
 * unless it is asked to. Plans behind lay_gemm and the like are planned anew when something was loaded or forgotten;
 * plans of the caller's stay as they are. lay_plan_explain says where a plan is from.
 *
 * Served are products of the CPU, of operands in host memory that are not packed, whose strides can be told; others
 * are planned by prediction, whatever the effort. Measure while the machine does nothing else. */

/* Adds a file's products to what is remembered, in place of what is known of the same ones. LAY_ERR_OPTION, and nothing
 * changes, for a file that cannot be read, is damaged, of another format, or of another machine: lay_last_error has the
 * line and the reason. A file of another version of the library may name ways that this one does not know: those
 * products are left out, and lay_plan_explain says so. LAY_ERR_ARGUMENT, LAY_ERR_MEMORY. */
LAY_API lay_status lay_tuning_load(const char *path);

/* Writes all that is remembered, measured or loaded: beside the file first, then in its place. LAY_ERR_OPTION where it
 * cannot be written, LAY_ERR_ARGUMENT, LAY_ERR_MEMORY. */
LAY_API lay_status lay_tuning_save(const char *path);

/* Forgets all that was measured or loaded, what LAY_TUNING names too. */
LAY_API void lay_tuning_forget(void);

/* A number that is another one whenever what is remembered has changed: something was loaded, forgotten or measured.
 * Whoever keeps plans of the caller's asks for it before making one, and makes it anew when the number is another. */
LAY_API unsigned lay_tuning_generation(void);

/* ---- 12. The process ---------------------------------------------------------------------------
 * What the library keeps between calls, tells of them, and found out: remembered plans, the log, ways and kernels, the
 * machine. */

/* Frees the remembered plans and idle workspaces of this process; they come back as needed. Waits for the
 * devices on which plans had memory. Idle workspaces in host memory, which serve any plan's next run, have 256 MB at
 * most: one that is larger is freed by the run that took it. lay_plan_explain says how large a plan's is. */
LAY_API void lay_cache_clear(void);

/* How many plans are remembered, those in use at this moment with them, and how many may be. Each thread that
 * multiplied may hold four more than the limit: those that it used last. Either pointer may be NULL. */
LAY_API void lay_cache_query(int *plans, int *limit);

/* At most so many plans are remembered from now on, 0 to LAY_CACHE_MOST; 256 if not called. What is remembered goes. 0:
 * none, each call plans anew. Plans are spread over sets by what they are for: some go before the limit is reached. A
 * limit that is no multiple of 4, above 256 of 64, counts as the next lower one. LAY_ERR_ARGUMENT. */
#define LAY_CACHE_MOST 1024
LAY_API lay_status lay_cache_limit(int plans);

/* The log: what LAY_VERBOSE has on stderr, for a program that keeps a log of its own. */
typedef enum lay_log_level {
    LAY_LOG_NOTHING = 0,
    LAY_LOG_PLANS = 1, /* each plan, with the way and the kernel chosen: LAY_VERBOSE=dispatch */
    LAY_LOG_RUNS = 2,  /* each run, too, with its time: 1 */
    LAY_LOG_CACHE = 3  /* also hits and evictions of the plan cache: 2 */
} lay_log_level;

/* Is told a line of CSV, without a newline; the first one, after each lay_log_set, names the columns. line is valid
 * during the call. In whichever thread plans or multiplies, one line at a time. It may neither wait for another thread
 * that uses the library, nor fork, nor leave by an exception; what it multiplies itself is not told. */
typedef void lay_log_fn(void *context, const char *line);

/* From now on tell gets the lines of that level and below, whatever LAY_VERBOSE and LAY_LOG say; with NULL they say
 * again, and level is not looked at. Once it has returned, the function before is called no more, and is not running.
 * Of plans that are made already, their runs are told from now on. LAY_ERR_OPTION (no lay_log_level), LAY_ERR_ARGUMENT
 * (called by tell itself). */
LAY_API lay_status lay_log_set(lay_log_level level, lay_log_fn *tell, void *context);

/* What there is to compute products with: lines of CSV, the first of which names the columns.
 *
 *   kind,name,order,type,needs
 *   way,packed,cpu,,                                    a way; its order of the sum, "any" for one that rewrites
 *   kernel,lay_gemm_f32_12x32_avx512,cpu,f32,avx512     a kernel, and the ISA level or compute capability it needs
 *
 * options.kernel picks a kernel by its name, options.skip leaves out ways and the CPU's kernels. What the build has is
 * listed, whether this machine can run it or not. As snprintf. */
LAY_API int lay_implementations(char *text, size_t size);

/* What the library found: version, build, ISA levels, caches, threads, GPUs and why. As snprintf. */
LAY_API int lay_machine_explain(char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
