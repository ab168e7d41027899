/* What a run copies to images and back, and the calls of the products between. */
#include "rewrite/mixed.h"

#include "base/scalar.h"
#include "base/status.h"
#include "device/place.h"
#include "rewrite/mixed_images.h"

lay_branch *lay_mixed_child(const lay_branch *branch, int block)
{
    return block ? ((const lay_mixed *)branch->job.data)->block[block].child : branch->child;
}

lay_status lay_mixed_check_addend(const lay_branch *branch, const lay_call *call)
{
    const lay_setting *setting = &branch->setting;
    int device = setting->device;
    if (!call->addend || !lay_place_may_differ())
        return LAY_OK;
    const lay_posed *posed = &branch->problem.posed;
    const int64_t first = lay_desc_offset(posed->addend, 1, &(int64_t){ 0 }) * lay_size_of(posed->types.addend);
    const int is_there = lay_place_find((const char *)call->addend + first, &device) == LAY_PLACE_DEVICE;
    const int is_device = setting->place[LAY_RESULT] == LAY_PLACE_DEVICE;
    if (is_there != is_device)
        return lay_fail(LAY_ERR_UNSUPPORTED, "C lies in %s memory, D in %s memory, and elements are converted in one",
                        is_there ? "device" : "host", is_device ? "device" : "host");
    return is_device && device != setting->device
               ? lay_fail(LAY_ERR_UNSUPPORTED, "C lies on device %d, but D on device %d", device, setting->device)
               : LAY_OK;
}

/* What lies at an operand's part of a block. */
static const lay_desc *part_of(const lay_branch *branch, const lay_mixed_block *block, int operand)
{
    return block->part[operand] ? block->part[operand] : lay_mixed_whole(branch, operand);
}

int lay_mixed_copy_in(const lay_branch *branch, int number, int operand, const lay_call *call, char *images,
                      lay_mixed_copy *out)
{
    const lay_mixed *own = branch->job.data;
    const lay_mixed_block *block = &own->block[number];
    const lay_posed *posed = &branch->problem.posed;
    const int is_addend = operand == LAY_RESULT && call->addend;
    if (!block->image[operand])
        return 0;
    if (operand == LAY_RESULT ? lay_scalar_is(call->beta, posed->types.sum, 0) : number > 0 && !block->part[operand])
        return 0;
    *out = (lay_mixed_copy){ .change = lay_mixed_change(branch, operand, is_addend),
                             .from = is_addend ? (block->addend ? block->addend : posed->addend)
                                               : part_of(branch, block, operand),
                             .to = block->image[operand],
                             .src = is_addend               ? call->addend
                                    : operand == LAY_RESULT ? call->c
                                    : operand == LAY_LEFT   ? call->left
                                                            : call->right,
                             .dst = images + own->at[operand] };
    return 1;
}

int lay_mixed_copy_out(const lay_branch *branch, int number, const lay_call *call, char *images, lay_mixed_copy *out)
{
    const lay_mixed *own = branch->job.data;
    const lay_mixed_block *block = &own->block[number];
    if (!block->image[LAY_RESULT])
        return 0;
    *out = (lay_mixed_copy){ .change = { .from = branch->problem.types.sum, .to = branch->problem.types.result },
                             .from = block->image[LAY_RESULT],
                             .to = part_of(branch, block, LAY_RESULT),
                             .src = images + own->at[LAY_RESULT],
                             .dst = call->c };
    return 1;
}

lay_call lay_mixed_call(const lay_branch *branch, int number, const lay_call *call, char *images)
{
    const lay_mixed *own = branch->job.data;
    const lay_mixed_block *block = &own->block[number];
    return (lay_call){ .alpha = call->alpha,
                       .left = block->image[LAY_LEFT] ? images + own->at[LAY_LEFT] : call->left,
                       .right = block->image[LAY_RIGHT] ? images + own->at[LAY_RIGHT] : call->right,
                       .beta = call->beta,
                       .c = block->image[LAY_RESULT] ? images + own->at[LAY_RESULT] : call->c };
}

/* In the sum's type, which may be wider than either. */
lay_mixed_copy lay_mixed_scale(const lay_branch *branch, const lay_call *call)
{
    static const double zero[2] = { 0, 0 }; /* of any type */
    const lay_posed *posed = &branch->problem.posed;
    const lay_types *types = &posed->types;
    const int is_added = call->addend != NULL;
    return (lay_mixed_copy){ .change = { .from = is_added ? types->addend : types->result,
                                         .to = types->result,
                                         .is_conjugated = is_added && posed->is_addend_conjugated,
                                         .alpha = is_added ? call->beta : zero,
                                         .beta = is_added ? zero : call->beta,
                                         .is_in_double = lay_type_is_double(types->sum) },
                             .from = is_added ? posed->addend : posed->c,
                             .to = posed->c,
                             .src = is_added ? call->addend : call->c,
                             .dst = call->c };
}
