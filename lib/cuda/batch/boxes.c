/* What tensor copies can read of a batch's operand, claim by claim; and the map that tells them. */
#include "cuda/batch/boxes.h"

#include "base/arith.h"
#include "cuda/launch/offsets.h"
#include "cuda/narrow/tensor.h"

enum {
    LEAST_BOX = 16, /* indices of far: as many boxes as a turn has lanes for, whatever the row */
    MOST_BOX = 256, /* of a tensor copy */
    TILE = 16,      /* elements of LAY_CUDA_TILES' blocks */
    CORE = 8,       /* the same of LAY_CUDA_CORES, both ways */
    PAIR = 2        /* boxes of right in a turn that a pair of blocks shares, at least */
};
/* All strides but the contiguous one. */
static const char *refuse_strides(const lay_batch_boxes *of, int64_t size)
{
    if (of->near.inner > 1 && of->near.stride != 1)
        return "its elements are not contiguous as the row's boxes want them";
    if ((of->near.outer > 1 && !lay_cuda_can_step(of->near.outer_stride, size)) ||
        (of->far.inner > 1 && !lay_cuda_can_step(of->far.stride, size)) ||
        (of->far.outer > 1 && !lay_cuda_can_step(of->far.outer_stride, size)) ||
        (of->products > 1 && !lay_cuda_can_step(of->apart, size)))
        return "a stride is no positive multiple of 16 bytes";
    return NULL;
}

static const char *find_digits(const lay_axis *lines, const lay_axis *steps, const lay_axis *batch, int is_across,
                               lay_batch_boxes *out)
{
    const char *reason;
    *out = (lay_batch_boxes){ .products = batch->extent, .is_across = is_across };
    if ((reason = lay_cuda_find_digits(is_across ? lines : steps, &out->near)) ||
        (reason = lay_cuda_find_digits(is_across ? steps : lines, &out->far)))
        return reason;
    if (!lay_axis_is_even(batch))
        return "products do not lie one stride apart";
    out->apart = batch->count ? batch->mode[0].stride : 0;
    if (out->apart == 0)
        out->products = 1;
    return NULL;
}

/* For turns of so many steps. */
static const char *find_way(const lay_axis *lines, const lay_axis *steps, const lay_axis *batch, int64_t size, int turn,
                            int is_across, lay_batch_boxes *out)
{
    const char *reason = find_digits(lines, steps, batch, is_across, out);
    if (reason)
        return reason;
    if (out->near.outer > 1 && out->near.inner % turn != 0)
        return "blocks of contiguous elements are no multiple of a box";
    if (out->far.outer > 1 && out->far.inner % LEAST_BOX != 0)
        return "blocks across are no multiple of 16";
    return refuse_strides(out, size);
}

/* The same in tiles, of which a box has `there` indices of far. */
static const char *find_tiles(const lay_axis *lines, const lay_axis *steps, const lay_axis *batch, int64_t size,
                              int there, int is_across, lay_batch_boxes *out)
{
    const char *reason = find_way(lines, steps, batch, size, TILE, is_across, out);
    if (reason)
        return reason;
    if (out->near.outer == 1 && out->near.inner % TILE == 0)
        out->near = (lay_cuda_digits){ TILE, out->near.inner / TILE, 1, TILE };
    if (out->near.inner != TILE)
        return "contiguous elements are in no blocks of 16";
    if (out->far.outer > 1 && there % out->far.inner != 0)
        return "blocks across are no part of a tile of C";
    out->is_tiled = 1;
    return NULL;
}

/* The same of contiguous blocks, of which right's boxes are those of tiles. */
static const char *find_blocks(const lay_axis *lines, const lay_axis *steps, const lay_axis *batch, int64_t size,
                               int there, int is_across, lay_batch_boxes *out)
{
    const char *reason = find_tiles(lines, steps, batch, size, there, is_across, out);
    return !reason && !is_across && (out->far.inner != TILE || out->far.stride != TILE)
               ? "is in no contiguous blocks of 16 x 16"
               : reason;
}

/* The same in blocks of 8 x 8 that are contiguous. */
static const char *find_cores(const lay_axis *lines, const lay_axis *steps, const lay_axis *batch, int64_t size,
                              int is_across, lay_batch_boxes *out)
{
    const char *reason = find_digits(lines, steps, batch, is_across, out);
    if (reason)
        return reason;
    if (out->near.inner != CORE || out->far.inner != CORE || out->far.stride != CORE)
        return "is in no contiguous blocks of 8 x 8";
    out->is_tiled = 1;
    return refuse_strides(out, size);
}

/* Of the row's boxes. */
static const char *find_operand(const lay_cuda_kernel *row, const lay_axis *lines, const lay_axis *steps,
                                const lay_axis *batch, int lines_of_tile, int is_across, lay_batch_boxes *out)
{
    const int64_t size = (int64_t)lay_type_size(row->type);
    switch (row->boxes) {
    case LAY_CUDA_CORES:
        return find_cores(lines, steps, batch, size, is_across, out);
    case LAY_CUDA_BLOCKS:
        return find_blocks(lines, steps, batch, size, is_across ? row->bk : lines_of_tile, is_across, out);
    case LAY_CUDA_TILES:
        return find_tiles(lines, steps, batch, size, is_across ? row->bk : lines_of_tile, is_across, out);
    default:
        return find_way(lines, steps, batch, size, row->bk, is_across, out);
    }
}

const char *lay_batch_boxes_find(const lay_cuda_kernel *row, const lay_problem *problem, lay_batch_boxes *left,
                                 lay_batch_boxes *right)
{
    const char *reason = NULL;
    if (problem->m.extent == 0 || problem->n.extent == 0 || problem->k.extent == 0)
        return "brings operands, and there are none";
    for (int way = 0; way < 4; way++) {
        const int left_across = way / 2, right_across = !(way % 2);
        if (!row->function[left_across][right_across])
            continue;
        reason =
            find_operand(row, &problem->left_m, &problem->left_k, &problem->left_batch, row->bm, left_across, left);
        if (!reason)
            reason = find_operand(row, &problem->right_n, &problem->right_k, &problem->right_batch, row->bn,
                                  right_across, right);
        if (!reason)
            return NULL;
    }
    return reason;
}

const char *lay_batch_boxes_find_result(const lay_cuda_kernel *row, const lay_problem *problem, lay_batch_boxes *out)
{
    if (lay_type_size(row->type) != 2 || row->boxes == LAY_CUDA_TILES || row->bn < LAY_CUDA_BATCH_LEAVING_COLUMNS)
        return "the row writes C itself";
    if (row->bn % LAY_CUDA_BATCH_LEAVING_COLUMNS != 0 && problem->n.extent > row->bn)
        return "a box of C would have columns of two tiles";
    const int64_t size = (int64_t)lay_type_size(problem->types.result);
    const lay_axis *m = &problem->result_m, *n = &problem->result_n;
    const lay_axis *batch = &problem->result_batch;
    return row->boxes == LAY_CUDA_CORES    ? find_cores(m, n, batch, size, 0, out)
           : row->boxes == LAY_CUDA_BLOCKS ? find_blocks(m, n, batch, size, LAY_CUDA_BATCH_LEAVING_ROWS, 0, out)
                                           : find_way(m, n, batch, size, LAY_CUDA_BATCH_LEAVING_COLUMNS, 0, out);
}

/* Indices of far that a box has, of so many that a turn or a tile has: all of them where blocks are parts of that, or
 * have such parts; else the largest power of two that divides both. */
static int box_of(const lay_cuda_digits *far, int there)
{
    int box = MOST_BOX;
    if (far->outer == 1 || there % far->inner == 0 || far->inner % there == 0)
        return there;
    while (far->inner % box != 0 || there % box != 0)
        box /= 2;
    return box;
}

/* A box may have the lines of all of a tile where they lie in blocks of a turn's length, or can be seen as such. */
static lay_cuda_digits near_of(const lay_batch_boxes *of, int turn, int lines, int boxes)
{
    const int64_t inner = of->near.inner;
    return of->is_across && boxes == 1 && lines % turn == 0 && of->near.outer == 1 && inner % turn == 0 && inner > turn
               ? (lay_cuda_digits){ turn, inner / turn, 1, turn }
               : of->near;
}

/* Bytes within which a line's pieces change places. */
static lay_tensor_swizzle swizzle_of(lay_type type, int is_across)
{
    return type != LAY_F32 ? LAY_TENSOR_BY_128 : is_across ? LAY_TENSOR_BY_NONE : LAY_TENSOR_BY_64;
}

static int64_t bytes_or_16(int64_t extent, int64_t stride, int64_t size)
{
    return extent > 1 ? stride * size : 16; /* of one index it says nothing, but is to be a stride */
}

static lay_tensor map_of_tiles(const lay_batch_boxes *of, int64_t size, int64_t apart, int turn, int lines, int boxes)
{
    const lay_cuda_digits *far = &of->far, *near = &of->near;
    const int there = of->is_across ? turn : lines, both = of->is_across ? lines / boxes : turn;
    return (lay_tensor){ .swizzle = LAY_TENSOR_BY_32,
                         .rank = 5,
                         .extent = { TILE, far->inner, far->outer, near->outer, of->products },
                         .stride = { bytes_or_16(far->inner, far->stride, size),
                                     bytes_or_16(far->outer, far->outer_stride, size),
                                     bytes_or_16(near->outer, near->outer_stride, size), apart },
                         .box = { TILE, far->outer > 1 ? (int)far->inner : there,
                                  far->outer > 1 ? there / (int)far->inner : 1, both / TILE, 1 } };
}

/* Of left and of C. */
static lay_tensor map_of_contiguous(const lay_batch_boxes *of, int64_t size, int64_t apart, int turn, int lines)
{
    enum { TOGETHER = 64, PARTS = TILE * TILE / TOGETHER };
    const lay_cuda_digits *far = &of->far, *near = &of->near;
    return (lay_tensor){ .swizzle = LAY_TENSOR_BY_128,
                         .rank = 5,
                         .extent = { TOGETHER, PARTS, far->outer, near->outer, of->products },
                         .stride = { TOGETHER * size, bytes_or_16(far->outer, far->outer_stride, size),
                                     bytes_or_16(near->outer, near->outer_stride, size), apart },
                         .box = { TOGETHER, PARTS, lines / TILE, turn / TILE, 1 } };
}

static lay_tensor map_of_cores(const lay_batch_boxes *of, int64_t size, int64_t apart, int turn, int lines, int boxes)
{
    const lay_cuda_digits *far = &of->far, *near = &of->near;
    const int there = of->is_across ? turn / boxes : lines, both = of->is_across ? lines : turn;
    return (lay_tensor){ .swizzle = LAY_TENSOR_BY_NONE,
                         .rank = 5,
                         .extent = { CORE * CORE, near->outer, far->outer, of->products, 1 },
                         .stride = { bytes_or_16(near->outer, near->outer_stride, size),
                                     bytes_or_16(far->outer, far->outer_stride, size), apart, bytes_or_16(1, 0, size) },
                         .box = { CORE * CORE, both / CORE, there / CORE, 1, 1 } };
}

/* `of` with near as boxes see it, far: indices of a box. */
static lay_tensor map_of_blocks(const lay_batch_boxes *of, const lay_cuda_digits *near, int64_t size, int64_t apart,
                                int turn, int far_of_box, int blocks)
{
    const lay_cuda_digits *far = &of->far;
    return (lay_tensor){ .rank = 5,
                         .extent = { near->inner, far->inner, near->outer, far->outer, of->products },
                         .stride = { bytes_or_16(far->inner, far->stride, size),
                                     bytes_or_16(near->outer, near->outer_stride, size),
                                     bytes_or_16(far->outer, far->outer_stride, size), apart },
                         .box = { turn, far->outer > 1 ? (int)min_of(far_of_box, far->inner) : far_of_box, blocks,
                                  far->outer > 1 ? (int)ceil_div(far_of_box, far->inner) : 1, 1 } };
}

lay_status lay_batch_boxes_fill(const lay_batch_boxes *boxes, const lay_cuda_kernel *row, lay_batch_turn turn,
                                const void *first, lay_cuda_batch_box *out)
{
    static const lay_tensor_type types[] = {
        [LAY_F16] = LAY_TENSOR_F16, [LAY_BF16] = LAY_TENSOR_BF16, [LAY_F32] = LAY_TENSOR_F32, [LAY_F64] = LAY_TENSOR_F64
    };
    const int lines = turn.lines, is_halved = turn.boxes == PAIR && lines % (PAIR * CORE) == 0;
    const lay_cuda_digits *far = &boxes->far, seen = near_of(boxes, turn.steps, lines, turn.boxes);
    const lay_cuda_digits *near = boxes->is_tiled ? &boxes->near : &seen;
    const int64_t size = (int64_t)lay_type_size(row->type), apart = bytes_or_16(boxes->products, boxes->apart, size);
    lay_tensor tensor;
    out->inner_near = lay_cuda_inner_of(near);
    out->inner_far = lay_cuda_inner_of(far);
    out->far = box_of(far, boxes->is_across ? turn.steps : is_halved ? lines / PAIR : lines);
    out->has_all_lines = !boxes->is_tiled && turn.boxes == 1 && boxes->is_across && lines % turn.steps == 0 &&
                         near->inner == turn.steps && near->outer > 1 && out->far == turn.steps &&
                         (far->outer == 1 || far->inner >= turn.steps);
    out->is_shared = boxes->products == 1;
    if (boxes->is_tiled && row->boxes == LAY_CUDA_CORES) {
        tensor = map_of_cores(boxes, size, apart, turn.steps, lines, turn.boxes);
    } else if (boxes->is_tiled && row->boxes == LAY_CUDA_BLOCKS && !boxes->is_across) {
        tensor = map_of_contiguous(boxes, size, apart, turn.steps, lines);
    } else if (boxes->is_tiled) {
        out->inner_far = far->outer > 1 ? (int)far->inner : INT32_MAX;
        tensor = map_of_tiles(boxes, size, apart, turn.steps, lines, turn.boxes);
    } else if (near->outer > 1 || far->outer > 1) {
        tensor =
            map_of_blocks(boxes, near, size, apart, turn.steps, out->far, out->has_all_lines ? lines / turn.steps : 1);
    } else {
        tensor = (lay_tensor){ .rank = 3,
                               .extent = { near->inner, far->inner, boxes->products },
                               .stride = { bytes_or_16(far->inner, far->stride, size), apart },
                               .box = { turn.steps, out->far, 1 } };
    }
    if (!boxes->is_tiled)
        tensor.swizzle = swizzle_of(row->type, boxes->is_across);
    tensor.type = types[row->type];
    tensor.base = first;
    out->near_inverse = UINT32_MAX / (unsigned)out->inner_near;
    out->far_inverse = UINT32_MAX / (unsigned)out->inner_far;
    return lay_tensor_encode(&tensor, out->tensor);
}
