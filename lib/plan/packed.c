/* Memory of packed operands, and the layouts of copies and panels. */
#include "plan/packed.h"

#include "base/arith.h"
#include "base/status.h"
#include "base/text.h"
#include "device/memory.h"
#include "plan/summation.h"

enum { ROW_ALIGNMENT = 64, PANEL_ALIGNMENT = 64 };

int64_t lay_packed_pitch(lay_type type, int64_t columns)
{
    const int64_t unit = ROW_ALIGNMENT / (int64_t)lay_type_size(type);
    return columns > INT64_MAX - unit ? columns : round_up(columns, unit);
}

lay_panels_shape lay_panels_find_shape(lay_type type, lay_panels panels, int64_t lines, int64_t steps)
{
    const int64_t size = (int64_t)lay_type_size(type), unit = PANEL_ALIGNMENT / size;
    lay_panels_shape shape = { .width = panels.is_right ? panels.kernel->nr : panels.kernel->mr,
                               .steps = lay_summation_kc(steps) };
    shape.panel = round_up(shape.steps * shape.width, unit);
    shape.block = ceil_div(lines, shape.width) * shape.panel;
    shape.blocks = ceil_div(steps, shape.steps);
    return shape;
}

static lay_status lay_out_copy(lay_type type, int64_t rows, int64_t columns, lay_desc **out)
{
    const int64_t pitch = lay_packed_pitch(type, columns);
    return lay_desc_strided(2, (const int64_t[]){ rows, columns }, (const int64_t[]){ pitch, 1 }, out);
}

/* Lines and steps in radices, of which the last ones are not used up. */
static lay_status lay_out_panels(lay_operand operand, int64_t lines, int64_t steps, const lay_panels_shape *shape,
                                 lay_desc **out)
{
    enum { LONGEST = 256 };
    char text[LONGEST];
    lay_text notation = { .to = text, .size = sizeof text };
    lay_text_add(&notation, "L=[[%lld:%lld][%lld:1]]; S=[[%lld:%lld][%lld:%lld]]; ",
                 (long long)ceil_div(lines, shape->width), (long long)shape->panel, (long long)shape->width,
                 (long long)shape->blocks, (long long)shape->block, (long long)shape->steps, (long long)shape->width);
    if (operand == LAY_OPERAND_A)
        lay_text_add(&notation, "[%lld@0#L][%lld@0#S]", (long long)lines, (long long)steps);
    else
        lay_text_add(&notation, "[%lld@0#S][%lld@0#L]", (long long)steps, (long long)lines);
    return lay_desc_parse(text, out);
}

lay_status lay_packed_layout(lay_operand operand, lay_type type, int64_t rows, int64_t columns, lay_panels panels,
                             lay_desc **out)
{
    if (!panels.kernel)
        return lay_out_copy(type, rows, columns, out);
    const int is_a = operand == LAY_OPERAND_A;
    const int64_t lines = is_a ? rows : columns, steps = is_a ? columns : rows;
    const lay_panels_shape shape = lay_panels_find_shape(type, panels, lines, steps);
    return lay_out_panels(operand, lines, steps, &shape, out);
}

lay_status lay_packed_copy_layout(const lay_packed *packed, lay_desc **out)
{
    return lay_out_copy(packed->type, packed->rows, packed->columns, out);
}

lay_status lay_packed_copy_size(const lay_packed *packed, size_t *bytes)
{
    lay_desc *layout;
    int64_t lowest, highest, size;
    const lay_status status = lay_packed_copy_layout(packed, &layout);
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
