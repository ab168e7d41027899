/* Copies wherever both sides lie: by the CPU, by a device, or from one to the other. */
#include "base/status.h"
#include "device/device.h"
#include "device/place.h"
#include "layout/desc.h"
#include "plan/options.h"
#include "storage/copy.h"

/* One of the two sides. */
typedef struct side {
    const char *name;
    lay_place place;
    int device; /* -1: the host's memory, or any device's */
} side;

static side find_side(const char *name, lay_type type, const lay_desc *desc, const void *zero)
{
    side found = { .name = name, .device = -1 };
    const int64_t offset = lay_desc_offset(desc, 1, &(int64_t){ 0 }); /* offset 0 itself may lie anywhere */
    found.place = lay_place_find((const char *)zero + offset * (int64_t)lay_type_size(type), &found.device);
    return found;
}

static lay_status check_side(const side *of, const lay_options *options)
{
    if (of->place == LAY_PLACE_DEVICE && options->backend == LAY_BACKEND_CPU)
        return lay_fail(LAY_ERR_UNSUPPORTED, "the %s lies in device memory, but options.backend is the CPU", of->name);
    if (of->device >= 0 && options->device >= 0 && of->device != options->device)
        return lay_fail(LAY_ERR_ARGUMENT, "the %s lies on device %d, but options.device is %d", of->name, of->device,
                        options->device);
    return LAY_OK;
}

lay_status lay_copy_elements(const lay_change *change, const lay_desc *from, const void *src, const lay_desc *to,
                             void *dst, const lay_options *options, const lay_choice *choice)
{
    lay_status status;
    const int is_read = !change->alpha || !lay_scalar_is(change->alpha, lay_change_sum(change), 0);
    const side target = find_side("destination", change->to, to, dst),
               source = is_read ? find_side("source", change->from, from, src) : target;
    if ((status = check_side(&source, options)) || (status = check_side(&target, options)) ||
        (status = lay_options_check_device(options, NULL)))
        return status;
    if (source.device >= 0 && target.device >= 0 && source.device != target.device)
        return lay_fail(LAY_ERR_UNSUPPORTED, "the source lies on device %d, the destination on device %d",
                        source.device, target.device);
    const int device = source.device >= 0     ? source.device
                       : target.device >= 0   ? target.device
                       : options->device >= 0 ? options->device
                                              : lay_device_current();
    const int is_from_device = source.place == LAY_PLACE_DEVICE, is_to_device = target.place == LAY_PLACE_DEVICE;
    if (is_from_device != is_to_device && !lay_change_is_plain(change))
        return lay_fail(LAY_ERR_UNSUPPORTED,
                        "elements are converted, scaled and conjugated where both sides lie in one memory: the %s lies "
                        "in host memory, the %s in device memory",
                        is_from_device ? target.name : source.name, is_from_device ? source.name : target.name);
    if (is_from_device != is_to_device)
        return lay_copy_across(
            &(lay_crossing){ .type = change->from,
                             .from = from,
                             .to = to,
                             .src = src,
                             .dst = dst,
                             .is_to_host = is_from_device,
                             .is_pinned = source.place == LAY_PLACE_PINNED || target.place == LAY_PLACE_PINNED,
                             .device = device,
                             .threads = choice->threads,
                             .isa = choice->isa,
                             .stream = options->stream });
    lay_copy_job job;
    lay_copy_prepare(change, from, src, to, dst, &job);
    if (is_from_device)
        return lay_copy_on_device(&job, device, options->stream);
    lay_copy_on_host(&job, choice->threads, choice->isa);
    return LAY_OK;
}
