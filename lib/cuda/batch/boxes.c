/* What tensor copies can read of a batch's operand, claim by claim; and the map that tells them. */
#include "cuda/batch/boxes.h"

#include "base/arith.h"
#include "cuda/launch/offsets.h"
#include "cuda/narrow/tensor.h"

enum {
    LEAST_BOX = 16, /* indices of far: as many boxes as a turn has lanes for, whatever the row */
    MOST_BOX = 256, /* of a tensor copy */
    TILE = 16       /* elements of LAY_CUDA_TILES' blocks */
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

/* For turns of so many steps. */
static const char *find_way(const lay_axis *lines, const lay_axis *steps, const lay_axis *batch, int64_t size, int turn,
                            int is_across, lay_batch_boxes *out)
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

const char *lay_batch_boxes_find(const lay_cuda_kernel *row, const lay_problem *problem, lay_batch_boxes *left,
                                 lay_batch_boxes *right)
{
    const int64_t size = (int64_t)lay_type_size(row->type);
    const char *reason = NULL;
    if (problem->m.extent == 0 || problem->n.extent == 0 || problem->k.extent == 0)
        return "brings operands, and there are none";
    for (int way = 0; way < 4; way++) {
        const int left_across = way / 2, right_across = !(way % 2);
        if (!row->function[left_across][right_across])
            continue;
        const int is_tiled = row->boxes == LAY_CUDA_TILES;
        reason = (is_tiled ? find_tiles : find_way)(&problem->left_m, &problem->left_k, &problem->left_batch, size,
                                                    is_tiled && !left_across ? row->bm : row->bk, left_across, left);
        if (!reason)
            reason =
                (is_tiled ? find_tiles : find_way)(&problem->right_n, &problem->right_k, &problem->right_batch, size,
                                                   is_tiled && !right_across ? row->bn : row->bk, right_across, right);
        if (!reason)
            return NULL;
    }
    return reason;
}

const char *lay_batch_boxes_find_result(const lay_cuda_kernel *row, const lay_problem *problem, lay_batch_boxes *out)
{
    if (lay_type_size(row->type) != 2 || row->boxes != LAY_CUDA_LINES || row->bn % LAY_CUDA_BATCH_LEAVING_COLUMNS != 0)
        return "the row writes C itself";
    return find_way(&problem->result_m, &problem->result_n, &problem->result_batch,
                    (int64_t)lay_type_size(problem->types.result), LAY_CUDA_BATCH_LEAVING_COLUMNS, 0, out);
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
static lay_cuda_digits near_of(const lay_batch_boxes *of, int turn, int lines)
{
    const int64_t inner = of->near.inner;
    return of->is_across && lines % turn == 0 && of->near.outer == 1 && inner % turn == 0 && inner > turn
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

lay_status lay_batch_boxes_fill(const lay_batch_boxes *boxes, lay_type type, int turn, int lines, const void *first,
                                lay_cuda_batch_box *out)
{
    static const lay_tensor_type types[] = {
        [LAY_F16] = LAY_TENSOR_F16, [LAY_BF16] = LAY_TENSOR_BF16, [LAY_F32] = LAY_TENSOR_F32, [LAY_F64] = LAY_TENSOR_F64
    };
    const lay_cuda_digits *far = &boxes->far;
    const lay_cuda_digits seen = near_of(boxes, turn, lines), *near = boxes->is_tiled ? &boxes->near : &seen;
    const int64_t size = (int64_t)lay_type_size(type), apart = bytes_or_16(boxes->products, boxes->apart, size);
    lay_tensor tensor = { .type = types[type], .swizzle = swizzle_of(type, boxes->is_across), .base = first };
    out->inner_near = lay_cuda_inner_of(near);
    out->inner_far = lay_cuda_inner_of(far);
    out->far = box_of(far, boxes->is_across ? turn : lines);
    out->has_all_lines = !boxes->is_tiled && boxes->is_across && lines % turn == 0 && near->inner == turn &&
                         near->outer > 1 && out->far == turn && (far->outer == 1 || far->inner >= turn);
    out->is_shared = boxes->products == 1;
    if (boxes->is_tiled) {
        const int there = boxes->is_across ? turn : lines, both = boxes->is_across ? lines : turn;
        out->inner_far = far->outer > 1 ? (int)far->inner : INT32_MAX;
        tensor = (lay_tensor){ .type = tensor.type,
                               .swizzle = LAY_TENSOR_BY_32,
                               .base = first,
                               .rank = 5,
                               .extent = { TILE, far->inner, far->outer, near->outer, boxes->products },
                               .stride = { bytes_or_16(far->inner, far->stride, size),
                                           bytes_or_16(far->outer, far->outer_stride, size),
                                           bytes_or_16(near->outer, near->outer_stride, size), apart },
                               .box = { TILE, far->outer > 1 ? (int)far->inner : there,
                                        far->outer > 1 ? there / (int)far->inner : 1, both / TILE, 1 } };
    } else if (near->outer > 1 || far->outer > 1)
        tensor = (lay_tensor){ .type = tensor.type,
                               .swizzle = tensor.swizzle,
                               .base = first,
                               .rank = 5,
                               .extent = { near->inner, far->inner, near->outer, far->outer, boxes->products },
                               .stride = { bytes_or_16(far->inner, far->stride, size),
                                           bytes_or_16(near->outer, near->outer_stride, size),
                                           bytes_or_16(far->outer, far->outer_stride, size), apart },
                               .box = { turn, far->outer > 1 ? (int)min_of(out->far, far->inner) : out->far,
                                        out->has_all_lines ? lines / turn : 1,
                                        far->outer > 1 ? (int)ceil_div(out->far, far->inner) : 1, 1 } };
    else
        tensor = (lay_tensor){ .type = tensor.type,
                               .swizzle = tensor.swizzle,
                               .base = first,
                               .rank = 3,
                               .extent = { near->inner, far->inner, boxes->products },
                               .stride = { bytes_or_16(far->inner, far->stride, size), apart },
                               .box = { turn, out->far, 1 } };
    out->near_inverse = UINT32_MAX / (unsigned)out->inner_near;
    out->far_inverse = UINT32_MAX / (unsigned)out->inner_far;
    return lay_tensor_encode(&tensor, out->tensor);
}
