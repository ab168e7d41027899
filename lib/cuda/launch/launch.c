/* Launches: the row's function for how the operands are aligned, its grid, and the addition of its slices. */
#include "cuda/launch/launch.h"

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "cuda/crossed.h"
#include "cuda/launch/offsets.h"
#include "cuda/launch/put.h"
#include "cuda/launch/rows.h"
#include "cuda_complex.h"

static int is_aligned(const void *address)
{
    return (uintptr_t)address % 16 == 0;
}

/* To a vector; for a complex row to a number. */
static int is_c_aligned(const lay_cuda_kernel *row, const void *address)
{
    const uintptr_t number = 2 * lay_type_size(row->type);
    return row->contract == LAY_CUDA_COMPLEX ? (uintptr_t)address % number == 0 : is_aligned(address);
}

const char *lay_launch_class_name(lay_cuda_class as)
{
    static const char *const names[LAY_CUDA_CLASSES] = { "across in 16-byte vectors", "along k in 16-byte vectors",
                                                         "across element by element", "along k element by element" };
    return names[as];
}

static lay_cuda_class way_of(lay_cuda_class class)
{
    return class == LAY_CUDA_ALONG || class == LAY_CUDA_ALONG_VECTOR ? LAY_CUDA_ALONG_VECTOR : LAY_CUDA_ACROSS_VECTOR;
}

/* Two numbers of c32 side by side are a vector; of c64 each is one, and there is only the way that they lie. C is
 * written by numbers. */
static lay_launch on_numbers(const lay_problem *problem, const lay_device *device)
{
    const int is_double = lay_type_is_double(problem->types.left);
    const lay_launch of_pairs = { .device = device,
                                  .left = lay_launch_classify(&problem->left_m, &problem->left_k, LAY_F64),
                                  .right = lay_launch_classify(&problem->right_n, &problem->right_k, LAY_F64),
                                  .is_c_vector = 1,
                                  .down =
                                      is_double ? 0 : lay_launch_find_down(problem) & ~(unsigned)LAY_CUDA_DOWN_PAIRS };
    lay_launch made = of_pairs;
    if (is_double) {
        made.left = way_of(of_pairs.left);
        made.right = way_of(of_pairs.right);
    }
    return made;
}

lay_launch lay_launch_on(const lay_problem *problem, const lay_device *device)
{
    if (lay_type_is_complex(problem->types.left))
        return on_numbers(problem, device);
    return (lay_launch){ .device = device,
                         .left = lay_launch_classify(&problem->left_m, &problem->left_k, problem->types.left),
                         .right = lay_launch_classify(&problem->right_n, &problem->right_k, problem->types.right),
                         .is_c_vector = lay_axis_is_in_vectors(&problem->result_n, &problem->result_m,
                                                               16 / (int)lay_type_size(problem->types.result)),
                         .down = lay_launch_find_down(problem) };
}

void lay_launch_explain_grid(const lay_launch *launch, lay_text *text)
{
    lay_text_add(text, "grid      %d x %d tiles of %d x %d, k in %d slice%s of %d", launch->tiles_m, launch->tiles_n,
                 launch->kernel->bm, launch->kernel->bn, launch->slices, launch->slices == 1 ? "" : "s",
                 launch->slice_k);
}

lay_cuda_class lay_launch_fall_back(lay_cuda_class at_best, const void *address)
{
    if (is_aligned(address))
        return at_best;
    return at_best == LAY_CUDA_ACROSS_VECTOR  ? LAY_CUDA_ACROSS
           : at_best == LAY_CUDA_ALONG_VECTOR ? LAY_CUDA_ALONG
                                              : at_best;
}

static lay_status put_elements(const void *function, lay_cuda_args *args, void *stream, const char *name)
{
    const int64_t blocks = lay_cuda_add_blocks((int64_t)args->m * args->n);
    if (blocks > INT32_MAX)
        return lay_fail(LAY_ERR_UNSUPPORTED, "C has more elements than one launch covers");
    const lay_put added = { .name = name, .function = function, .blocks = blocks, .threads = LAY_CUDA_ADD_THREADS };
    return lay_put_kernel(&added, args, 0, stream);
}

lay_status lay_launch_put_sum(lay_type type, lay_cuda_args *args, const char *name, void *stream)
{
    return put_elements(lay_cuda_add_slices[type], args, stream, name);
}

static lay_status put_sum_of_numbers(lay_type type, lay_cuda_args *args, void *stream)
{
    const int64_t each = (int64_t)LAY_CUDA_COMPLEX_EACH * LAY_CUDA_ADD_THREADS;
    const lay_put added = { .name = "lay_cuda_complex_add",
                            .function = lay_cuda_complex_add[type == LAY_F64],
                            .blocks = ceil_div((int64_t)args->m * args->n / 2, each),
                            .threads = LAY_CUDA_ADD_THREADS };
    if (added.blocks > INT32_MAX)
        return lay_fail(LAY_ERR_UNSUPPORTED, "C has more elements than one launch covers");
    return lay_put_kernel(&added, args, 0, stream);
}

static lay_status put_one(const lay_launch *launch, lay_cuda_args *args, int is_early, void *stream)
{
    const lay_cuda_kernel *kernel = launch->kernel;
    const lay_cuda_class left = lay_launch_fall_back(launch->left, args->left),
                         right = lay_launch_fall_back(launch->right, args->right);
    args->is_c_vector = launch->is_c_vector && is_c_aligned(kernel, args->c);
    const int has_pairs = (uintptr_t)args->c % (2 * lay_type_size(kernel->type)) == 0;
    args->down = launch->down & LAY_CUDA_DOWN_PAIRS && !has_pairs ? 0 : (unsigned short)launch->down;
    args->left_class = left;
    args->right_class = right;
    args->slices = launch->slices;
    args->slice_k = launch->slice_k;
    lay_cuda_args_tile(args, kernel);
    const int is_together = (launch->is_together && !args->partial) || (launch->is_shared && args->counters);
    const int64_t each = launch->is_shared && args->counters ? launch->slices : 1; /* blocks that stay take all */
    const int64_t tiles = each * args->tiles_m * args->tiles_n;
    const int64_t at_once = (int64_t)kernel->blocks_per_sm * launch->device->multiprocessors;
    lay_put product =
        lay_put_of_row(kernel, (int)left, (int)right, lay_cuda_is_persistent(kernel) ? min_of(tiles, at_once) : tiles);
    product.slices = is_together ? 1 : launch->slices;
    product.shared = launch->shared;
    const lay_status status = lay_put_kernel(&product, args, is_early, stream);
    if (status != LAY_OK || launch->slices == 1 || is_together || args->counters)
        return status;
    if (kernel->contract == LAY_CUDA_COMPLEX)
        return put_sum_of_numbers(kernel->type, args, stream);
    return lay_launch_put_sum(kernel->type, args, "lay_cuda_add_slices", stream);
}

lay_status lay_launch_put(const lay_launch *launch, lay_cuda_args *args, void *stream)
{
    return put_one(launch, args, 0, stream);
}

size_t lay_launch_partial(const lay_launch launch[2])
{
    return launch[0].partial + launch[1].partial;
}

size_t lay_launch_counters(const lay_launch launch[2])
{
    return launch[0].counters + launch[1].counters;
}

/* The rows of the product that are the launch's. */
static lay_cuda_args narrow(const lay_cuda_args *whole, const lay_launch *launch)
{
    const int parts = launch->kernel->contract == LAY_CUDA_COMPLEX ? 2 : 1;
    const int64_t size = parts * (int64_t)lay_type_size(launch->kernel->type);
    lay_cuda_args args = *whole;
    args.m = launch->rows;
    args.left = (const char *)whole->left + lay_offsets_go_on(&args.left_m, launch->first) * size;
    args.c = (char *)whole->c + lay_offsets_go_on(&args.result_m, launch->first) * size;
    return args;
}

/* The second of two launches may begin early where both kernels and the device know how. CUDA 12.3 is the first whose
 * graphs do. */
static int can_overlap(const lay_launch launch[2])
{
    int driver = 0;
    return launch[0].kernel->can_overlap && launch[1].kernel->can_overlap && launch[0].device->sm >= 90 &&
           cudaDriverGetVersion(&driver) == cudaSuccess && driver >= 12030;
}

lay_status lay_launch_put_both(const lay_launch launch[2], const lay_cuda_args *args, void *stream)
{
    size_t partial = 0, counters = 0;
    for (int i = 0; i < 2 && launch[i].kernel; i++) {
        lay_cuda_args own = narrow(args, &launch[i]);
        own.partial = args->partial && launch[i].partial ? (char *)args->partial + partial : NULL;
        own.counters = args->counters && launch[i].counters ? args->counters + counters / sizeof(unsigned) : NULL;
        if (launch[i].is_shared && !(own.partial && own.counters)) { /* blocks take whole tiles: the same bits */
            own.counters = NULL;
            own.partial = launch[i].slices > 1 ? own.partial : NULL;
        }
        partial += launch[i].partial;
        counters += launch[i].counters;
        const lay_status status = put_one(&launch[i], &own, i == 1 && can_overlap(launch), stream);
        if (status != LAY_OK)
            return status;
    }
    return LAY_OK;
}

lay_status lay_launch_put_scale(lay_type type, lay_cuda_args *args, void *stream)
{
    return put_elements(lay_cuda_scale[type], args, stream, "lay_cuda_scale");
}

/* CUDA loads a function's code when it is first asked about. */
lay_status lay_launch_load_function(const void *function, int shared)
{
    struct cudaFuncAttributes found;
    cudaError_t error = cudaFuncGetAttributes(&found, function);
    if (error != cudaSuccess)
        return lay_cuda_failed(error, "cudaFuncGetAttributes");
    /* Beyond 48 KiB with what the function has of its own. */
    if (shared > 0 && (error = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, shared)))
        return lay_cuda_failed(error, "cudaFuncSetAttribute");
    return LAY_OK;
}

lay_status lay_launch_load_others(const lay_cuda_kernel *row, lay_type type)
{
    lay_status status = LAY_OK;
    for (const lay_cuda_pass *const *pass = row->passes; pass && *pass && status == LAY_OK; pass++)
        status = lay_launch_load_function((*pass)->function, (*pass)->shared);
    if (status == LAY_OK && row->contract == LAY_CUDA_COMPLEX)
        return lay_launch_load_function(lay_cuda_complex_add[type == LAY_F64], 0);
    if (status == LAY_OK)
        status = lay_launch_load_function(lay_cuda_add_slices[type], 0);
    return status ? status : lay_launch_load_function(lay_cuda_scale[type], 0);
}

lay_status lay_launch_load(const lay_launch *launch)
{
    const lay_cuda_kernel *kernel = launch->kernel;
    static const void *const unaligned = (const void *)1;
    const lay_cuda_class left[] = { launch->left, lay_launch_fall_back(launch->left, unaligned) };
    const lay_cuda_class right[] = { launch->right, lay_launch_fall_back(launch->right, unaligned) };
    const int most = (int)launch->device->shared_per_block - LAY_CUDA_BLOCK_SHARED; /* of any launch of it */
    const int shared = kernel->shared > 0 && kernel->shared < most ? most : kernel->shared;
    lay_status status;
    for (int i = 0; i < 4; i++)
        if ((status = lay_launch_load_function(kernel->function[left[i / 2]][right[i % 2]], shared)))
            return status;
    return lay_launch_load_others(kernel, kernel->type);
}
