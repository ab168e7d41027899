/* One product of kernels/cuda_split.h on given matrices: its workspace and its launches. */
#include "split_product.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/kernels/cuda/must.h"
#include "cuda/split/split.h"
#include "device/device.h"

enum { STRICT_UNIT = 32 }; /* path STRICT's slices have a multiple of it */

static int divide_up(int64_t n, int64_t by)
{
    return (int)((n + by - 1) / by);
}

static size_t aligned(size_t size)
{
    return (size + 1023) / 1024 * 1024;
}

static size_t tiny_size(int lines)
{
    return aligned((size_t)lines * LAY_SPLIT_TINY * sizeof(lay_cuda_split_tiny));
}

/* room: tiny elements, and the image behind them. */
static lay_cuda_split_operand operand(const dimension *across, const dimension *along, lay_cuda_class as, char *summary,
                                      char *lines, char *room)
{
    return (lay_cuda_split_operand){ .across = across->offsets,
                                     .along = along->offsets,
                                     .as = as,
                                     .extent = across->count,
                                     .lines = (lay_cuda_split_line *)lines,
                                     .summary = (lay_cuda_split_summary *)summary,
                                     .tiny = (lay_cuda_split_tiny *)room,
                                     .fp16 = room + tiny_size(across->count),
                                     .bf16 = room + tiny_size(across->count) };
}

static const void *multiply_of(const split_product *of)
{
    return of->row->function[of->is_transposed][0];
}

/* Where the planner is asked, of the device that the bench runs on. */
static int strict_slice_k(const split_product *of, int m, int n, int k)
{
    const char *reason = NULL;
    if (of->strict_slices)
        return of->strict_slices > 1 ? (int)lay_cuda_split_up(divide_up(k, of->strict_slices), STRICT_UNIT) : k;
    const lay_device *device = lay_device_get(0, &reason);
    if (!device)
        exit(refuse("%s", reason));
    const lay_cuda_sum sum = lay_split_strict_sum(m, n, k, device);
    return sum.slices > 1 ? sum.slice_k : k;
}

static size_t partial_size(int m, int n, int slices)
{
    return slices > 1 ? (size_t)slices * (size_t)m * (size_t)n * sizeof(float) : 0;
}

void split_prepare(split_product *of)
{
    const int m = of->result->row.count, n = of->result->column.count, k = of->left->column.count;
    const size_t left_lines = (size_t)m * sizeof(lay_cuda_split_line),
                 right_lines = (size_t)n * sizeof(lay_cuda_split_line);
    const size_t left_room = tiny_size(m) + aligned(lay_cuda_split_image_size(m, k)),
                 right_room = tiny_size(n) + aligned(lay_cuda_split_image_size(n, k));
    const int slice_k = of->slices > 1 ? (int)lay_cuda_split_up(divide_up(k, of->slices), LAY_SPLIT_CHUNK) : k;
    const int slices = divide_up(k, slice_k), strict_k = strict_slice_k(of, m, n, k);
    const int strict_slices = divide_up(k, strict_k);
    const size_t split_partial = partial_size(m, n, slices), strict_partial = partial_size(m, n, strict_slices);
    const size_t partial = split_partial > strict_partial ? split_partial : strict_partial;
    of->records = aligned(2 * sizeof(lay_cuda_split_summary) + left_lines + right_lines);
    const size_t size = of->records + left_room + right_room + partial;
    MUST(cudaMalloc((void **)&of->workspace, size));
    MUST(cudaMemset(of->workspace, 0xff, size));
    MUST(cudaDeviceSynchronize()); /* what was enqueued so far is not ordered with other streams */
    char *at = of->workspace, *lines = at + 2 * sizeof(lay_cuda_split_summary), *rooms = at + of->records;
    of->args = (lay_cuda_split_args){
        .m = m,
        .n = n,
        .k = k,
        .is_c_vector = of->is_c_vector,
        .left = operand(&of->left->row, &of->left->column, of->left_as, at, lines, rooms),
        .right = operand(&of->right->column, &of->right->row, of->right_as, at + sizeof(lay_cuda_split_summary),
                         lines + left_lines, rooms + left_room),
        .result_m = of->result->row.offsets,
        .result_n = of->result->column.offsets,
        .slices = slices,
        .slice_k = slice_k,
        .partial = split_partial ? (float *)(rooms + left_room + right_room) : NULL,
        .tiles_m = divide_up(m, of->row->bm),
        .tiles_n = divide_up(n, of->row->bn),
        .strict_slices = strict_slices,
        .strict_slice_k = strict_k,
        .strict_partial = strict_partial ? (float *)(rooms + left_room + right_room) : NULL,
        .policy = of->policy,
        .cleared = of->workspace,
        .cleared_size = (int64_t)of->records,
        .patience = LAY_SPLIT_PATIENCE,
    };
    MUST(cudaFuncSetAttribute(multiply_of(of), cudaFuncAttributeMaxDynamicSharedMemorySize, of->row->shared));
    for (int pass = 0; of->row->passes[pass]; pass++)
        MUST(cudaFuncSetAttribute(of->row->passes[pass]->function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  of->row->passes[pass]->shared));
}

void split_free(split_product *of)
{
    MUST(cudaFree(of->workspace));
    of->workspace = NULL;
}

void split_set(split_product *of, const void *a, const void *b, void *c, double alpha, double beta)
{
    of->args.left.from = (const float *)a + of->left->zero;
    of->args.right.from = (const float *)b + of->right->zero;
    of->args.c = (float *)c + of->result->zero;
    of->args.alpha = (float)alpha;
    of->args.beta = (float)beta;
}

static void enqueue(split_product *of, const void *function, int64_t blocks, int threads, int shared)
{
    cudaLaunchAttribute early = { .id = cudaLaunchAttributeProgrammaticStreamSerialization,
                                  .val.programmaticStreamSerializationAllowed = 1 };
    const cudaLaunchConfig_t config = { .gridDim = { (unsigned)blocks, 1, 1 },
                                        .blockDim = { (unsigned)threads, 1, 1 },
                                        .dynamicSmemBytes = (size_t)shared,
                                        .stream = of->stream,
                                        .attrs = &early,
                                        .numAttrs = of->is_early ? 1 : 0 };
    void *values[] = { &of->args };
    MUST(cudaLaunchKernelExC(&config, function, values));
}

static void enqueue_pass(split_product *of, int which, int64_t blocks)
{
    const lay_cuda_pass *pass = of->row->passes[which];
    enqueue(of, pass->function, blocks, pass->threads, pass->shared);
}

void split_enqueue(split_product *of, split_stage stage)
{
    const lay_cuda_split_args *args = &of->args;
    switch (stage) {
    case SPLIT_ZERO:
        if (of->is_set)
            MUST(cudaMemsetAsync(of->workspace, 0, of->records, of->stream));
        else
            enqueue_pass(of, LAY_SPLIT_CLEAR, lay_cuda_split_clear_blocks(args));
        return;
    case SPLIT_PREPARE:
        enqueue_pass(of, LAY_SPLIT_PREPARE, lay_cuda_split_prepare_blocks(args));
        return;
    case SPLIT_WIDEN:
        enqueue_pass(of, LAY_SPLIT_WIDEN,
                     lay_cuda_split_widen_blocks(of->row->passes[LAY_SPLIT_WIDEN], of->multiprocessors));
        return;
    case SPLIT_MULTIPLY:
        enqueue(of, multiply_of(of), of->multiprocessors, of->row->threads, of->row->shared);
        return;
    case SPLIT_ADD:
        if (args->slices > 1)
            enqueue_pass(of, LAY_SPLIT_ADD, divide_up((int64_t)args->m * args->n, LAY_SPLIT_ADD_ELEMENTS));
        return;
    default:
        enqueue_pass(of, LAY_SPLIT_PATCH, of->multiprocessors);
    }
}

void split_launch(split_product *of)
{
    for (split_stage stage = 0; stage < SPLIT_STAGES; stage++) {
        const int follows_kernel = !of->is_set || stage > SPLIT_PREPARE;
        of->is_early = follows_kernel && of->row->contract == LAY_CUDA_SPLIT; /* as the library has them */
        split_enqueue(of, stage);
    }
    of->is_early = 0;
}

lay_cuda_split_path_kind split_path_taken(const split_product *of)
{
    lay_cuda_split_summary found[2];
    MUST(cudaStreamSynchronize(of->stream));
    MUST(cudaMemcpy(found, of->workspace, sizeof found, cudaMemcpyDeviceToHost));
    return lay_cuda_split_path(&of->args, found[0], found[1]);
}

const char *split_path_name(lay_cuda_split_path_kind of)
{
    static const char *const names[] = { "FP16X3", "BF16X6", "STRICT" };
    return names[of];
}
