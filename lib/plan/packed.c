/* Memory of packed operands, and the layout of copies. */
#include "plan/packed.h"

#include "base/arith.h"
#include "base/status.h"
#include "cuda/memory.h"

enum { ROW_ALIGNMENT = 64 };

int64_t lay_packed_pitch(lay_type type, int64_t columns)
{
    const int64_t unit = ROW_ALIGNMENT / (int64_t)lay_type_size(type);
    return columns > INT64_MAX - unit ? columns : ceil_div(columns, unit) * unit;
}

lay_status lay_packed_layout(lay_type type, int64_t rows, int64_t columns, lay_desc **out)
{
    const int64_t pitch = lay_packed_pitch(type, columns);
    return lay_desc_strided(2, (const int64_t[]){ rows, columns }, (const int64_t[]){ pitch, 1 }, out);
}

lay_status lay_packed_dense_size(const lay_packed *packed, size_t *bytes)
{
    lay_desc *layout;
    int64_t lowest, highest, size;
    const lay_status status = lay_packed_layout(packed->type, packed->rows, packed->columns, &layout);
    if (status != LAY_OK)
        return status;
    lay_desc_span(layout, &lowest, &highest);
    lay_desc_destroy(layout);
    if (!fits_add(highest, 1, &size) || !fits_mul(size, (int64_t)lay_type_size(packed->type), &size))
        return lay_fail(LAY_ERR_OVERFLOW, "a copy of the operand has more bytes than fit 63 bits");
    *bytes = (size_t)size;
    return LAY_OK;
}

static lay_status take_from_host(lay_memory kind, size_t bytes, void **block)
{
    lay_desc *flat;
    lay_status status = lay_desc_natural(1, (const int64_t[]){ (int64_t)((bytes + 7) / 8) }, &flat);
    if (status != LAY_OK)
        return status;
    status = lay_alloc(LAY_F64, flat, kind, block);
    lay_desc_destroy(flat);
    return status;
}

lay_status lay_packed_take(lay_packed *packed, size_t bytes, void *stream)
{
    void *block = NULL;
    lay_status status;
    if (packed->place == LAY_PLACE_DEVICE) {
        if (lay_stream_is_capturing(stream))
            return lay_fail(LAY_ERR_UNSUPPORTED, "the stream is being captured: an operand is packed before");
        status = lay_device_take(packed->device, bytes, stream, &block);
        packed->stream = status == LAY_OK ? lay_stream_id(stream) : 0;
    } else {
        status = take_from_host(packed->place == LAY_PLACE_PINNED ? LAY_MEMORY_PINNED : LAY_MEMORY_HOST, bytes, &block);
    }
    if (status != LAY_OK)
        return status;
    packed->block = block;
    packed->bytes = bytes;
    return LAY_OK;
}

void lay_packed_give(lay_packed *packed)
{
    if (packed->place == LAY_PLACE_DEVICE)
        lay_device_retire(packed->device, packed->block, packed->bytes, packed->stream);
    else
        lay_free(packed->block);
}
