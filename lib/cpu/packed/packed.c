/* Packing an operand whole, from its own layout: the panels that a product would pack block by block. */
#include "cpu/packed/packed.h"

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "cpu/packed/pack.h"
#include "layout/desc.h"
#include "plan/summation.h"
#include "threads/parallel.h"

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

lay_panels_shape lay_packed_shape(const lay_packed *packed)
{
    return lay_panels_find_shape(packed->type, packed->panels, lay_packed_lines(packed), lay_packed_steps(packed));
}

int lay_panels_are_of(const lay_panels *panels, const lay_kernel *kernel, int side)
{
    return panels->kernel == kernel && panels->is_right == (side == LAY_RIGHT);
}

void lay_packed_axis(const lay_desc *desc, int dimension, lay_axis *axis)
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
    const int64_t k = lay_packed_steps(packed), size = lay_size_of(packed->type);
    int64_t bytes, along[LAY_KC];
    lay_axis lines, steps;
    packed->panels = (lay_panels){ .kernel = kernel, .is_right = is_right };
    const lay_panels_shape shape = lay_packed_shape(packed);
    if (!fits_mul(shape.block, size, &bytes) || !fits_mul(bytes, shape.blocks, &bytes))
        return lay_fail(LAY_ERR_OVERFLOW, "the operand's panels have more bytes than fit 63 bits");
    const lay_status status = lay_packed_take(packed, (size_t)bytes, NULL);
    if (status != LAY_OK)
        return status;
    packed->elements = packed->block;
    lay_packed_axis(desc, across, &lines);
    lay_packed_axis(desc, 1 - across, &steps);
    const int threads = branch->setting.choice->threads;
    block now = { .packing = { .type = packed->type,
                               .source = source,
                               .across = &lines,
                               .width = (int)shape.width,
                               .pack = is_right ? kernel->pack_b : kernel->pack_a,
                               .along = along,
                               .panel = (size_t)(shape.panel * size) },
                  .lines = lines.extent,
                  .parts = threads == 1 ? 1 : (int64_t)threads * PARTS_PER_THREAD,
                  .to = packed->block };
    for (int64_t p = 0; p < k; p += shape.steps, now.to += shape.block * size) {
        now.packing.k = min_of(shape.steps, k - p);
        lay_axis_offsets(&steps, p, now.packing.k, along);
        now.packing.is_along = lay_offsets_are_unit(along, now.packing.k);
        lay_parallel_for(threads, now.parts, pack_part, &now);
    }
    *is_packed = 1;
    return LAY_OK;
}
