/* An operand's copy, then its limbs. */
#include "cuda/split/split_pack.h"

#include "cuda/launch/launch.h"
#include "cuda/memory/device.h"
#include "cuda/split/split_run.h"
#include "cuda_split.h"
#include "storage/copy.h"

static lay_cuda_split_operand operand_of(const lay_packed *packed)
{
    const lay_cuda_offsets down = { .stride = lay_packed_pitch(packed->type, packed->columns) },
                           right = { .stride = 1 };
    const int is_a = packed->operand == LAY_OPERAND_A;
    return (lay_cuda_split_operand){ .from = packed->elements,
                                     .across = is_a ? down : right,
                                     .along = is_a ? right : down,
                                     .as = is_a ? LAY_CUDA_ALONG_VECTOR : LAY_CUDA_ACROSS_VECTOR,
                                     .extent = (int)(is_a ? packed->rows : packed->columns) };
}

static const lay_cuda_kernel *row_of(const lay_branch *branch)
{
    return ((const lay_split_job *)branch->job.data)->launch.kernel;
}

static lay_status fill(const lay_branch *branch, const lay_desc *desc, const void *source, lay_packed *packed)
{
    const lay_options *options = branch->setting.options;
    const int k = (int)(packed->operand == LAY_OPERAND_A ? packed->columns : packed->rows);
    lay_desc *layout;
    lay_status status = lay_packed_copy_layout(packed, &layout);
    if (status != LAY_OK)
        return status;
    const lay_change change = lay_change_none(packed->type);
    status =
        lay_copy_elements(&change, desc, source, layout, (void *)packed->elements, options, branch->setting.choice);
    lay_desc_destroy(layout);
    lay_cuda_split_operand operand = operand_of(packed);
    return status ? status : lay_split_put_limbs(row_of(branch), &operand, k, packed->limbs, options->stream);
}

lay_status lay_split_pack(lay_branch *branch, int side, const lay_desc *desc, const void *source, lay_packed *packed,
                          int *is_packed)
{
    const int is_a = packed->operand == LAY_OPERAND_A;
    const size_t limbs = lay_split_limbs_size((int)(is_a ? packed->rows : packed->columns),
                                              (int)(is_a ? packed->columns : packed->rows));
    size_t dense;
    void *before;
    (void)side; /* limbs are the same on either side */
    lay_status status = lay_packed_copy_size(packed, &dense);
    if (status != LAY_OK || (status = lay_device_enter(packed->device, &before)))
        return status;
    if ((status = lay_launch_load_function(row_of(branch)->passes[LAY_SPLIT_PREPARE]->function, 0)) == LAY_OK &&
        (status = lay_packed_take(packed, limbs + dense, branch->setting.options->stream)) == LAY_OK) {
        packed->limbs = packed->block;
        packed->elements = packed->block + limbs;
        status = fill(branch, desc, source, packed);
        *is_packed = 1;
    }
    lay_device_leave(before);
    return status;
}
