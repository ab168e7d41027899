/* Splitting an operand whole, from its own layout: the panels that a product would split block by block. In the packed
 * operand: for each block of k its panels and then their records, and behind all of them the copy. */
#include "cpu/split/split_packed.h"

#include "base/arith.h"
#include "base/status.h"
#include "cpu/packed/pack.h"
#include "cpu/packed/packed.h"
#include "plan/summation.h"
#include "storage/copy.h"
#include "threads/parallel.h"

enum { LINES = LAY_CPU_SPLIT_LINES };

static int64_t panels_of(const lay_packed *packed)
{
    return ceil_div(lay_packed_lines(packed), LINES);
}

/* Bytes of one block of k. */
static size_t block_size(const lay_packed *packed, const lay_cpu_split *split)
{
    return (size_t)panels_of(packed) * split->panel + lay_split_lines_bytes(lay_packed_lines(packed));
}

void lay_split_packed_find(const lay_packed *packed, const lay_cpu_split *split, int64_t p, int64_t first,
                           char **panels, lay_split_lines **lines)
{
    char *const block = packed->limbs + (size_t)(p / split->kc) * block_size(packed, split);
    *panels = block + (size_t)(first / LINES) * split->panel;
    *lines = (lay_split_lines *)(void *)(block + (size_t)panels_of(packed) * split->panel) + first / LINES;
}

/* One block of k. */
typedef struct block {
    lay_split_packing packing;
    int64_t lines;
    size_t panel;
    char *panels;
    lay_split_lines *records;
} block;

static void pack_task(void *argument, int64_t number)
{
    const block *of = argument;
    const int64_t width = LAY_SPLIT_SIDE_BY_SIDE, first = number * width;
    lay_split_pack_panels(&of->packing, first * LINES, min_of(width * LINES, of->lines - first * LINES), of->panel,
                          of->panels + (size_t)first * of->panel, of->records + first);
}

static void split(const lay_branch *branch, const lay_desc *desc, const void *source, const lay_packed *packed)
{
    const lay_cpu_split *own = branch->job.data;
    const int across = packed->operand == LAY_OPERAND_A ? 0 : 1;
    const int64_t k = lay_packed_steps(packed);
    int64_t along[LAY_KC];
    lay_axis lines, steps;
    lay_packed_axis(desc, across, &lines);
    lay_packed_axis(desc, 1 - across, &steps);
    block now = { .packing = { .source = source,
                               .across = &lines,
                               .pack = packed->panels.is_right ? own->row->pack_right : own->row->pack_left,
                               .limbs = own->limbs,
                               .along = along },
                  .lines = lines.extent,
                  .panel = own->panel };
    for (int64_t p = 0; p < k; p += own->kc) {
        now.packing.k = min_of(own->kc, k - p);
        lay_axis_offsets(&steps, p, now.packing.k, along);
        now.packing.is_along = lay_offsets_are_unit(along, now.packing.k);
        lay_split_packed_find(packed, own, p, 0, &now.panels, &now.records);
        lay_parallel_for(branch->setting.threads, ceil_div(panels_of(packed), LAY_SPLIT_SIDE_BY_SIDE), pack_task, &now);
    }
}

lay_status lay_split_pack_operand(lay_branch *branch, int side, const lay_desc *desc, const void *source,
                                  lay_packed *packed, int *is_packed)
{
    const lay_cpu_split *own = branch->job.data;
    size_t dense;
    int64_t limbs, bytes;
    lay_desc *layout;
    lay_status status = lay_packed_copy_size(packed, &dense);
    if (status != LAY_OK)
        return status;
    if (!fits_mul((int64_t)block_size(packed, own), ceil_div(lay_packed_steps(packed), own->kc), &limbs) ||
        !fits_add(limbs, (int64_t)dense, &bytes))
        return lay_fail(LAY_ERR_OVERFLOW, "the operand's limbs have more bytes than fit 63 bits");
    if ((status = lay_packed_copy_layout(packed, &layout)))
        return status;
    if ((status = lay_packed_take(packed, (size_t)bytes, NULL)) == LAY_OK) {
        packed->panels = (lay_panels){ .split = own->row, .limbs = own->limbs, .is_right = side == LAY_RIGHT };
        packed->limbs = packed->block;
        packed->elements = packed->block + limbs;
        split(branch, desc, source, packed);
        const lay_change change = lay_change_none(packed->type);
        status = lay_copy_elements(&change, desc, source, layout, (char *)packed->block + limbs,
                                   branch->setting.options, branch->setting.choice);
        *is_packed = 1;
    }
    lay_desc_destroy(layout);
    return status;
}
