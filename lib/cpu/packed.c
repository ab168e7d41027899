/* Packing an operand whole, from its own layout: the panels that a product would pack block by block. */
#include "cpu/packed.h"

#include "base/arith.h"
#include "base/status.h"
#include "cpu/pack.h"
#include "cpu/parallel.h"
#include "layout/desc.h"
#include "plan/summation.h"

enum { PARTS_PER_THREAD = 4 };

/* One block of k. */
typedef struct block {
    lay_packing packing;
    int64_t lines, parts;
    char *to;
} block;

static void pack_part(void *argument, int64_t number)
{
    const block *of = argument;
    const int64_t width = of->packing.width, panels = ceil_div(of->lines, width);
    const int64_t from = panels * number / of->parts, to = panels * (number + 1) / of->parts;
    if (from < to)
        lay_pack_panels(&of->packing, from * width, min_of(of->lines, to * width) - from * width,
                        of->to + (size_t)from * of->packing.panel);
}

size_t lay_packed_stride(const lay_packed *packed, const lay_blocked *blocks)
{
    const int is_right = packed->panels.is_right;
    const int64_t width = is_right ? blocks->kernel->nr : blocks->kernel->mr;
    return (size_t)ceil_div(lay_packed_lines(packed), width) * (is_right ? blocks->right_panel : blocks->left_panel);
}

void lay_packed_walk(const lay_desc *desc, int dimension, lay_axis *axis)
{
    const lay_node *map = lay_desc_map(desc, dimension);
    lay_group group;
    lay_group_refine((const lay_node *[LAY_OPERANDS]){ [LAY_LEFT] = map }, &group);
    lay_axis_make(&group, LAY_LEFT, map, axis);
}

lay_status lay_cpu_pack(lay_branch *branch, int side, const lay_desc *desc, const void *source, lay_packed *packed,
                        int *is_packed)
{
    const lay_blocked *blocks = branch->job.data;
    const lay_kernel *kernel = blocks->kernel;
    const int is_right = side == LAY_RIGHT, across = packed->operand == LAY_OPERAND_A ? 0 : 1;
    const int64_t k = lay_packed_steps(packed);
    int64_t bytes, along[LAY_KC];
    lay_axis lines, steps;
    packed->panels = (lay_panels){ .kernel = kernel, .is_right = is_right };
    if (!fits_mul((int64_t)lay_packed_stride(packed, blocks), ceil_div(k, blocks->kc), &bytes))
        return lay_fail(LAY_ERR_OVERFLOW, "the operand's panels have more bytes than fit 63 bits");
    const lay_status status = lay_packed_take(packed, (size_t)bytes, NULL);
    if (status != LAY_OK)
        return status;
    lay_packed_walk(desc, across, &lines);
    lay_packed_walk(desc, 1 - across, &steps);
    const int threads = branch->setting.choice->threads;
    block now = { .packing = { .type = packed->type,
                               .source = source,
                               .across = &lines,
                               .width = is_right ? kernel->nr : kernel->mr,
                               .pack = is_right ? kernel->pack_b : kernel->pack_a,
                               .along = along,
                               .panel = is_right ? blocks->right_panel : blocks->left_panel },
                  .lines = lines.extent,
                  .parts = threads == 1 ? 1 : (int64_t)threads * PARTS_PER_THREAD,
                  .to = packed->block };
    for (int64_t p = 0; p < k; p += blocks->kc, now.to += lay_packed_stride(packed, blocks)) {
        now.packing.k = min_of(blocks->kc, k - p);
        lay_axis_offsets(&steps, p, now.packing.k, along);
        now.packing.is_along = lay_offsets_are_unit(along, now.packing.k);
        lay_parallel_for(threads, now.parts, pack_part, &now);
    }
    *is_packed = 1;
    return LAY_OK;
}
