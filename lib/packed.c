/* lay_pack: where the source lies, the route that will read it, and who packs for that; else a copy. */
#include "plan/packed.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/scalar.h"
#include "base/status.h"
#include "device/device.h"
#include "device/place.h"
#include "layout/desc.h"
#include "plan/branch.h"
#include "plan/plan.h"
#include "threads/parallel.h"

/* The place of the source, and all operands there. */
static lay_status find_places(const lay_plan *plan, const void *source, const lay_reach *reach, lay_places *places)
{
    int device = -1;
    const lay_place place = lay_place_may_differ() ? lay_reach_place(reach, source, &device) : LAY_PLACE_HOST;
    if (place == LAY_PLACE_DEVICE && plan->options.backend == LAY_BACKEND_CPU)
        return lay_fail(LAY_ERR_UNSUPPORTED, "the source lies in device memory, but options.backend is the CPU");
    if (device >= 0 && plan->options.device >= 0 && device != plan->options.device)
        return lay_fail(LAY_ERR_ARGUMENT, "the source lies on device %d, but options.device is %d", device,
                        plan->options.device);
    if (device < 0)
        device = place == LAY_PLACE_DEVICE   ? lay_plan_device(plan)
                 : plan->options.device >= 0 ? plan->options.device
                                             : 0;
    *places = lay_places_all(place, device);
    return LAY_OK;
}

static lay_status take_copy(lay_packed *packed, size_t bytes, void *stream)
{
    void *before = NULL;
    if (packed->place != LAY_PLACE_DEVICE)
        return lay_packed_take(packed, bytes, stream);
    lay_status status = lay_device_enter(packed->device, &before);
    if (status != LAY_OK)
        return status;
    status = lay_packed_take(packed, bytes, stream);
    lay_device_leave(before);
    return status;
}

/* Where nobody packs: row by row. */
static lay_status copy(const lay_plan *plan, const lay_desc *desc, const void *source, lay_packed *packed)
{
    lay_desc *layout;
    size_t bytes;
    lay_status status = lay_packed_copy_size(packed, &bytes);
    if (status != LAY_OK || (status = lay_packed_copy_layout(packed, &layout)))
        return status;
    if ((status = take_copy(packed, bytes, plan->options.stream)) == LAY_OK)
        status = lay_copy(packed->type, desc, source, layout, packed->block, &plan->options);
    lay_desc_destroy(layout);
    packed->elements = packed->block;
    return status;
}

static lay_status pack(lay_plan *plan, const lay_desc *desc, const void *source, const lay_reach *reach,
                       lay_packed *packed)
{
    lay_places places;
    lay_route *route;
    int is_packed = 0;
    size_t bytes;
    lay_status status = lay_packed_copy_size(packed, &bytes); /* no way without a layout */
    if (status != LAY_OK || (status = find_places(plan, source, reach, &places)))
        return status;
    packed->place = places.c;
    packed->device = places.device;
    if (plan->is_empty) /* no way, but plans of other sizes may read it */
        return copy(plan, desc, source, packed);
    if ((status = lay_plan_find_route(plan, &places, &route)))
        return status;
    if (places.c == LAY_PLACE_DEVICE)
        atomic_fetch_or(&plan->packed, 1u << packed->operand);
    lay_branch *const leaf = (lay_branch *)lay_branch_leaf(route->root); /* was made writable */
    const int side = (packed->operand == LAY_OPERAND_A) != leaf->problem.is_transposed ? LAY_LEFT : LAY_RIGHT;
    /* Panels would be of real numbers, or of another type. */
    if (leaf->way->pack && !lay_type_is_complex(packed->type) && !lay_types_are_mixed(&plan->types)) {
        status = leaf->way->pack(leaf, side, desc, source, packed, &is_packed);
        packed->order = is_packed ? leaf->setting.order : NULL;
    }
    return status == LAY_OK && !is_packed ? copy(plan, desc, source, packed) : status;
}

lay_status lay_pack(const lay_plan *plan, lay_operand operand, const void *source, lay_packed **out)
{
    if (!plan || !out)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", !plan ? "plan" : "out");
    if (operand != LAY_OPERAND_A && operand != LAY_OPERAND_B)
        return lay_fail(LAY_ERR_OPTION, "%d is no lay_operand", (int)operand);
    const int is_a = operand == LAY_OPERAND_A;
    if (lay_operand_batch(is_a ? plan->a : plan->b))
        return lay_fail(
            LAY_ERR_UNSUPPORTED,
            "%s has rank 3: of a batch only a matrix that is the same for every index, of rank 2, is packed",
            is_a ? "A" : "B");
    const lay_packed shape = { .operand = operand,
                               .type = is_a ? plan->types.left : plan->types.right,
                               .rows = is_a ? plan->m : plan->k,
                               .columns = is_a ? plan->k : plan->n };
    const int has_elements = shape.rows > 0 && shape.columns > 0;
    if (has_elements && !source)
        return lay_fail(LAY_ERR_ARGUMENT, "source is NULL");
    lay_packed *made = malloc(sizeof *made);
    if (!made)
        return lay_fail(LAY_ERR_MEMORY, "no memory for a packed operand");
    *made = shape;
    /* Where the product is empty none of it is read, and there is no way to run it. */
    lay_plan *const remembering = (lay_plan *)plan; /* plans are made in memory that may be written */
    const lay_lent before = lay_parallel_lend((lay_lent){ plan->options.parallel, plan->options.parallel_context });
    const lay_status status =
        has_elements ? pack(remembering, is_a ? plan->a : plan->b, source, is_a ? &plan->reach_a : &plan->reach_b, made)
                     : LAY_OK;
    lay_parallel_lend(before);
    if (status != LAY_OK) {
        lay_packed_destroy(made);
        return status;
    }
    *out = made;
    return LAY_OK;
}

size_t lay_packed_size(const lay_packed *packed)
{
    return packed ? packed->bytes : 0;
}

void lay_packed_destroy(lay_packed *packed)
{
    if (!packed)
        return;
    lay_packed_give(packed);
    free(packed);
}
