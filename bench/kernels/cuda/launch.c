/* One row of the kernel table on given matrices. */
#include "launch.h"

#include "cuda/launch/cost.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/rows.h"
#include "must.h"

static int divide_up(int n, int by)
{
    return (n + by - 1) / by;
}

int slice_length(const lay_cuda_kernel *row, int k, int slices)
{
    const int unit = row->bk > LAY_CUDA_SLICE_UNIT ? row->bk : LAY_CUDA_SLICE_UNIT; /* as the planner cuts */
    const int length = divide_up(divide_up(k, slices > 1 ? slices : 1), unit) * unit;
    return length < k ? length : k;
}

int slice_count(int k, int slice_k)
{
    return divide_up(k, slice_k);
}

static size_t size_of(const trial *of)
{
    return lay_type_size(of->row->type);
}

int can_add(const lay_cuda_kernel *row, int slices, adding how)
{
    return how != ADDED_TOGETHER || (slices > 1 && slices <= row->groups);
}

adding planned_adding(const lay_cuda_kernel *row, int slices)
{
    return can_add(row, slices, ADDED_TOGETHER) ? ADDED_TOGETHER
           : lay_cuda_adds_itself(row, slices)  ? ADDED_BY_LAST
                                                : ADDED_AFTER;
}

static int tiles(const trial *of)
{
    return divide_up(of->result->row.count, of->row->bm) * divide_up(of->result->column.count, of->row->bn);
}

static lay_device this_device(void)
{
    lay_device made = { 0 };
    int device;
    MUST(cudaGetDevice(&device));
    MUST(cudaDeviceGetAttribute(&made.multiprocessors, cudaDevAttrMultiProcessorCount, device));
    return made;
}

static lay_cuda_shape shape_of(const trial *of)
{
    return (lay_cuda_shape){
        of->row->type, of->result->row.count, of->result->column.count, of->left->column.count, of->slices, of->slice_k
    };
}

/* Blocks of a persistent row; 0: a block a tile. */
static int persistent_blocks(const trial *of)
{
    return lay_cuda_is_persistent(of->row) ? this_device().multiprocessors * of->row->blocks_per_sm : 0;
}

/* Whether they share tiles. */
static int is_shared(const trial *of)
{
    const lay_device device = this_device();
    const lay_cuda_shape shape = shape_of(of);
    return lay_cuda_shared_tiles(of->row, &shape, &device) > 0;
}

size_t partial_size(const trial *of)
{
    const lay_device device = this_device();
    const lay_cuda_shape shape = shape_of(of);
    if (is_shared(of))
        return lay_cuda_shared_partial(of->row, &shape, &device);
    const size_t elements = (size_t)of->result->row.count * (size_t)of->result->column.count;
    return of->slices > 1 && of->adding != ADDED_TOGETHER ? elements * size_of(of) * (size_t)of->slices : 0;
}

size_t counters_size(const trial *of)
{
    const lay_device device = this_device();
    const lay_cuda_shape shape = shape_of(of);
    if (is_shared(of))
        return lay_cuda_shared_counters(of->row, &shape, &device);
    return of->slices > 1 && of->adding == ADDED_BY_LAST ? (size_t)tiles(of) * sizeof(unsigned) : 0;
}

static lay_cuda_scalar scalar(lay_type type, double value)
{
    lay_cuda_scalar of;
    if (type == LAY_F32)
        of.f32 = (float)value;
    else
        of.f64 = value;
    return of;
}

static const char *element(const trial *of, const void *storage, int64_t at)
{
    return (const char *)storage + at * (int64_t)size_of(of);
}

static lay_cuda_args arguments(const trial *of, const void *a, const void *b, void *c, double alpha, double beta)
{
    lay_cuda_args args = { .m = of->result->row.count,
                           .n = of->result->column.count,
                           .k = of->left->column.count,
                           .left = element(of, a, of->left->zero),
                           .right = element(of, b, of->right->zero),
                           .c = (void *)element(of, c, of->result->zero),
                           .left_m = of->left->row.offsets,
                           .left_k = of->left->column.offsets,
                           .right_k = of->right->row.offsets,
                           .right_n = of->right->column.offsets,
                           .result_m = of->result->row.offsets,
                           .result_n = of->result->column.offsets,
                           .alpha = scalar(of->row->type, alpha),
                           .beta = scalar(of->row->type, beta),
                           .is_c_vector = of->is_c_vector,
                           .left_class = of->left_as,
                           .right_class = of->right_as,
                           .slices = of->slices,
                           .slice_k = of->slice_k };
    lay_cuda_args_tile(&args, of->row);
    return args;
}

static void enqueue(const trial *of, lay_cuda_args *args)
{
    const void *function = of->row->function[of->left_as][of->right_as];
    const int most = persistent_blocks(of), is_apart = args->partial && !(most && args->counters);
    const int all = args->tiles_m * args->tiles_n * (most && args->counters ? args->slices : 1);
    const dim3 grid = { (unsigned)(most && most < all ? most : all), 1, is_apart ? (unsigned)args->slices : 1 };
    const dim3 block = { (unsigned)of->row->threads, 1, 1 };
    void *values[] = { args };
    if (of->row->shared > 0)
        MUST(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, of->row->shared));
    MUST(cudaLaunchKernel(function, grid, block, values, (size_t)of->row->shared, of->stream));
}

static void enqueue_adding(const trial *of, lay_cuda_args *args)
{
    const dim3 grid = { (unsigned)lay_cuda_add_blocks((int64_t)args->m * args->n), 1, 1 };
    const dim3 block = { LAY_CUDA_ADD_THREADS, 1, 1 };
    void *values[] = { args };
    MUST(cudaLaunchKernel(lay_cuda_add_slices[of->row->type], grid, block, values, 0, of->stream));
}

void launch(const trial *of, const void *a, const void *b, void *c, double alpha, double beta)
{
    lay_cuda_args args = arguments(of, a, b, c, alpha, beta);
    if (of->slices > 1 && of->adding != ADDED_TOGETHER)
        args.partial = of->partial;
    if (of->slices > 1 && of->adding == ADDED_BY_LAST)
        args.counters = of->counters;
    if (is_shared(of)) {
        args.partial = of->partial;
        args.counters = of->counters;
    }
    enqueue(of, &args);
    if (of->slices > 1 && of->adding == ADDED_AFTER && !is_shared(of))
        enqueue_adding(of, &args);
}

/* Offsets from index first on; the first of them goes to *before. */
static lay_cuda_offsets offsets_from(const dimension *of, int first, int64_t *before)
{
    lay_cuda_offsets offsets = of->offsets;
    *before = offsets.table ? 0 : first * offsets.stride;
    offsets.table += offsets.table ? first : 0;
    if (offsets.run && first % offsets.run)
        offsets.run = 0; /* its first segment would be a short one */
    return offsets;
}

int launch_resumed(const trial *of, const void *a, const void *b, void *c, double alpha, double beta, void *sums)
{
    enum { STEP = 16 };
    const int k = of->left->column.count, step = of->row->bk > STEP ? of->row->bk : STEP, cut = k / 2 / step * step;
    if (!of->row->can_resume || of->slices > 1 || !cut)
        return 0;
    lay_cuda_args args = arguments(of, a, b, c, alpha, beta);
    args.k = args.slice_k = cut;
    args.partial = sums;
    enqueue(of, &args);
    args = arguments(of, a, b, c, alpha, beta);
    args.k = args.slice_k = k - cut;
    args.resume = sums;
    int64_t left, right;
    args.left_k = offsets_from(&of->left->column, cut, &left);
    args.right_k = offsets_from(&of->right->row, cut, &right);
    args.left = element(of, args.left, left);
    args.right = element(of, args.right, right);
    enqueue(of, &args);
    return 1;
}

double predict(const trial *of, const machine *on)
{
    const lay_cuda_kernel *row = of->row;
    const lay_device device = { .multiprocessors = on->multiprocessors,
                                .ghz = 1e-9 * on->hertz,
                                .bytes_per_second = on->bytes_per_second };
    const lay_cuda_shape shape = {
        row->type, of->result->row.count, of->result->column.count, of->left->column.count, of->slices, of->slice_k
    };
    return lay_cuda_cost(row, &shape, &device, row->fetch[of->left_as] / row->bn + row->fetch[of->right_as] / row->bm);
}
