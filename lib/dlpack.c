/* Tensors as DLPack hands them over. */
#include "layoutgemm_dlpack.h"

#include "base/status.h"

static lay_status read_type(const lay_dl_type *given, lay_type *type)
{
    static const struct {
        uint8_t kind, bits;
        lay_type type;
    } known[] = { { LAY_DL_FLOAT, 32, LAY_F32 },   { LAY_DL_FLOAT, 64, LAY_F64 },   { LAY_DL_FLOAT, 16, LAY_F16 },
                  { LAY_DL_BFLOAT, 16, LAY_BF16 }, { LAY_DL_COMPLEX, 64, LAY_C32 }, { LAY_DL_COMPLEX, 128, LAY_C64 } };
    for (size_t i = 0; i < sizeof known / sizeof known[0] && given->lanes == 1; i++)
        if (known[i].kind == given->kind && known[i].bits == given->bits) {
            *type = known[i].type;
            return LAY_OK;
        }
    return lay_fail(LAY_ERR_TYPE, "DLPack's type of kind %d with %d bits and %d lanes is no lay_type", given->kind,
                    given->bits, given->lanes);
}

static lay_status check_device(const lay_dl_device *device)
{
    switch (device->type) {
    case LAY_DL_CPU:
    case LAY_DL_CUDA:
    case LAY_DL_CUDA_HOST:
    case LAY_DL_CUDA_MANAGED:
        return LAY_OK;
    default:
        return lay_fail(LAY_ERR_UNSUPPORTED, "DLPack's device %d is neither a CPU nor CUDA's", (int)device->type);
    }
}

lay_status lay_desc_from_dlpack(const lay_dl_tensor *tensor, lay_desc **desc, lay_type *type, void **data)
{
    lay_type found = LAY_F32;
    lay_desc *made = NULL;
    lay_status status;
    if (!tensor || !desc || !type || !data)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", !tensor ? "tensor" : !desc ? "desc" : !type ? "type" : "data");
    if (tensor->ndim < 0 || (tensor->ndim > 0 && !tensor->extents))
        return lay_fail(LAY_ERR_ARGUMENT, "tensor has %d dimensions%s", (int)tensor->ndim,
                        tensor->ndim > 0 ? ", and extents that are NULL" : "");
    if ((status = read_type(&tensor->type, &found)) || (status = check_device(&tensor->device)))
        return status;
    if (tensor->ndim > 0) {
        status = tensor->strides ? lay_desc_strided(tensor->ndim, tensor->extents, tensor->strides, &made)
                                 : lay_desc_natural(tensor->ndim, tensor->extents, &made);
        if (status != LAY_OK)
            return status;
    }
    if (!tensor->data && (!made || lay_desc_extent(made, "") > 0)) {
        lay_desc_destroy(made);
        return lay_fail(LAY_ERR_ARGUMENT, "tensor->data is NULL");
    }
    *desc = made;
    *type = found;
    *data = tensor->data ? (char *)tensor->data + tensor->byte_offset : NULL;
    return LAY_OK;
}
