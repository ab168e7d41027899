/* Reading a caller's options, of this version's structure or an older, shorter one. */
#include "plan/options.h"

#include <stddef.h>
#include <string.h>

#include "base/list.h"
#include "base/status.h"
#include "base/text.h"
#include "base/versioned.h"
#include "device/device.h"

enum { MOST_SECONDS = 86400 /* of measuring */, MOST_ALIGNMENT = 4096 /* bytes: a page */ };

/* The first published structure ended with isa: no caller can know less. */
static const lay_versioned structure = { "options", "LAY_OPTIONS_INIT", offsetof(lay_options, isa) + sizeof(lay_isa),
                                         sizeof(lay_options) };

/* The order whose kernel, or family of kernels, has this name, and that table's own text for it; NULL for no such. */
static const lay_order *find_kernel(const lay_table *table, const char *name, const char **own)
{
    for (const lay_order *const *order = table->orders; *order; order++)
        if ((*order)->find_kernel && (*own = (*order)->find_kernel(name)))
            return *order;
    return NULL;
}

static lay_status refuse_kernel(const lay_table *table, const char *name)
{
    char families[256] = "";
    lay_text text = { .to = families, .size = sizeof families };
    for (const lay_order *const *order = table->orders; *order; order++)
        if ((*order)->list_families)
            (*order)->list_families(&text);
    return lay_fail(LAY_ERR_OPTION,
                    "options.kernel is \"%.60s\", which is no kernel of this build; CUDA families: %s; rows are listed "
                    "by lay_plan_explain",
                    name, *families ? families : "none");
}

/* The kernel's own text, and what it makes of its operands. */
static lay_status read_kernel(const lay_table *table, lay_options *complete, const lay_order **named)
{
    const char *own = NULL;
    *named = find_kernel(table, complete->kernel, &own);
    if (!*named)
        return refuse_kernel(table, complete->kernel);
    complete->kernel = own;
    const int splits = (*named)->treatment == LAY_SPLIT_IN_LIMBS, rounds = (*named)->treatment == LAY_ROUNDED;
    if (splits ? complete->compute == LAY_COMPUTE_STRICT : lay_compute_limbs(complete->compute) > rounds)
        return lay_fail(LAY_ERR_OPTION, "options.kernel is %s, which splits %s operands, but options.compute is %s",
                        own, splits ? "its" : "no", splits ? "strict" : "for split ones");
    if (splits && complete->compute == LAY_COMPUTE_AUTO)
        complete->compute = LAY_COMPUTE_F32_SPLIT;
    return LAY_OK;
}

/* What a name of options.skip is: NULL, or why it may not stand there, as a phrase. */
static const char *refuse_skipped(const lay_table *table, const char *name)
{
    const char *own;
    for (const lay_way *const *way = table->ways; *way; way++)
        if (strcmp((*way)->name, name) == 0)
            return NULL;
    const lay_order *order = find_kernel(table, name, &own);
    if (!order)
        return "is neither a way nor a kernel of this build: lay_implementations lists them";
    return order->backend == LAY_BACKEND_CPU ? NULL : "is a device's kernel: those are picked by options.kernel alone";
}

static lay_status check_skip(const lay_table *table, const char *skip)
{
    const char *name;
    for (size_t length; skip && (length = lay_list_next(&skip, &name)) > 0;) {
        char own[64] = "";
        if (length < sizeof own)
            memcpy(own, name, length);
        const char *reason = refuse_skipped(table, own);
        if (reason)
            return lay_fail(LAY_ERR_OPTION, "options.skip has \"%.*s\", which %s", length < 60 ? (int)length : 60, name,
                            reason);
    }
    return LAY_OK;
}

static lay_status read_grid(lay_options *complete)
{
    int *const parts[] = { &complete->grid_m, &complete->grid_n };
    for (int i = 0; i < 2; i++)
        if (*parts[i] < 0 || *parts[i] > LAY_GRID_MOST)
            return lay_fail(LAY_ERR_OPTION, "options.grid_%c is %d, not 0 to %d", "mn"[i], *parts[i], LAY_GRID_MOST);
    if (complete->grid_m || complete->grid_n) {
        complete->grid_m += !complete->grid_m;
        complete->grid_n += !complete->grid_n;
    }
    return LAY_OK;
}

static lay_status check_alignment(size_t alignment)
{
    if ((alignment & (alignment - 1)) || alignment > MOST_ALIGNMENT)
        return lay_fail(LAY_ERR_OPTION, "options.alignment is %zu, no power of two up to %d", alignment,
                        MOST_ALIGNMENT);
    return LAY_OK;
}

/* The first of a list is the device, and a list of one is that device. */
static lay_status read_devices(lay_options *complete)
{
    const int count = complete->device_count;
    if (complete->device < LAY_DEVICE_AUTO)
        return lay_fail(LAY_ERR_OPTION, "options.device is %d, which is no device", complete->device);
    if (count < 0 || count > LAY_DEVICES_MOST)
        return lay_fail(LAY_ERR_OPTION, "options.device_count is %d, not 0 to %d", count, LAY_DEVICES_MOST);
    if (count > 0 && !complete->devices)
        return lay_fail(LAY_ERR_OPTION, "options.device_count is %d but options.devices is NULL", count);
    for (int i = 0; i < count; i++)
        if (complete->devices[i] < 0)
            return lay_fail(LAY_ERR_OPTION, "options.devices[%d] is %d, which is no device", i, complete->devices[i]);
    if (count > 0 && complete->device != LAY_DEVICE_AUTO && complete->device != complete->devices[0])
        return lay_fail(LAY_ERR_OPTION, "options.device is %d but options.devices begins with %d", complete->device,
                        complete->devices[0]);
    if (count > 0)
        complete->device = complete->devices[0];
    if (count < 2) {
        complete->devices = NULL;
        complete->device_count = 0;
    }
    return LAY_OK;
}

int lay_compute_limbs(lay_compute compute)
{
    return compute == LAY_COMPUTE_F32_SPLIT ? 3 : compute == LAY_COMPUTE_BF16X3 ? 2 : compute == LAY_COMPUTE_BF16;
}

static int is_compute(lay_compute compute)
{
    return compute == LAY_COMPUTE_AUTO || compute == LAY_COMPUTE_STRICT || compute == LAY_COMPUTE_TF32 ||
           compute == LAY_COMPUTE_FP16 || lay_compute_limbs(compute) > 0;
}

lay_status lay_options_read(const lay_options *options, const lay_table *table, lay_options *complete,
                            const lay_order **named)
{
    *complete = (lay_options)LAY_OPTIONS_INIT;
    *named = NULL;
    if (!options)
        return LAY_OK;
    lay_status status = lay_versioned_read(&structure, options, complete);
    if (status != LAY_OK)
        return status;
    if (complete->backend < LAY_BACKEND_AUTO || complete->backend > LAY_BACKEND_CUDA)
        return lay_fail(LAY_ERR_OPTION, "options.backend is %d, which is no lay_backend", (int)complete->backend);
    if (!is_compute(complete->compute))
        return lay_fail(LAY_ERR_OPTION, "options.compute is %d, which is no lay_compute", (int)complete->compute);
    if (complete->effort < LAY_EFFORT_ESTIMATE || complete->effort > LAY_EFFORT_MEASURE)
        return lay_fail(LAY_ERR_OPTION, "options.effort is %d, which is no lay_effort", (int)complete->effort);
    if (!(complete->effort_seconds >= 0 && complete->effort_seconds <= MOST_SECONDS))
        return lay_fail(LAY_ERR_OPTION, "options.effort_seconds is %g, not from 0 to %d", complete->effort_seconds,
                        MOST_SECONDS);
    status = complete->kernel ? read_kernel(table, complete, named) : LAY_OK;
    if (status != LAY_OK || (status = check_skip(table, complete->skip)) || (status = read_grid(complete)) ||
        (status = check_alignment(complete->alignment)))
        return status;
    return read_devices(complete);
}

int lay_compute_rounds(lay_compute compute)
{
    return compute == LAY_COMPUTE_TF32 || compute == LAY_COMPUTE_BF16 || compute == LAY_COMPUTE_FP16;
}

static int are_skipped_alike(const char *x, const char *y)
{
    return x == y || (x && y && strcmp(x, y) == 0);
}

static int are_devices_alike(const lay_options *x, const lay_options *y)
{
    return x->device_count == y->device_count &&
           (x->device_count == 0 ||
            memcmp(x->devices, y->devices, (size_t)x->device_count * sizeof x->devices[0]) == 0);
}

int lay_options_equal(const lay_options *x, const lay_options *y)
{
    return x->threads == y->threads && x->backend == y->backend && x->compute == y->compute && x->isa == y->isa &&
           x->device == y->device && x->stream == y->stream && x->kernel == y->kernel &&
           x->device_memory == y->device_memory && x->parallel == y->parallel && x->effort == y->effort &&
           x->parallel_context == y->parallel_context && x->grid_m == y->grid_m && x->grid_n == y->grid_n &&
           x->alignment == y->alignment && are_skipped_alike(x->skip, y->skip) && are_devices_alike(x, y);
}

lay_status lay_options_check_device(const lay_options *options, const lay_order *named)
{
    const char *reason;
    const int is_named = options->device != LAY_DEVICE_AUTO, is_kernel = named && named->backend == LAY_BACKEND_CUDA;
    if (options->backend == LAY_BACKEND_CPU || (named && !is_kernel))
        return LAY_OK;
    if (options->backend == LAY_BACKEND_AUTO && !is_named && !is_kernel)
        return LAY_OK;
    for (int i = 1; i < options->device_count; i++)
        if (!lay_device_get(options->devices[i], &reason))
            return lay_fail(LAY_ERR_UNSUPPORTED, "options.devices[%d] is %d, but %s", i, options->devices[i], reason);
    if (lay_device_get(is_named ? options->device : lay_device_current(), &reason))
        return LAY_OK;
    if (is_named)
        return lay_fail(LAY_ERR_UNSUPPORTED, "options.device is %d, but %s", options->device, reason);
    return lay_fail(LAY_ERR_UNSUPPORTED, "options.%s, but %s",
                    is_kernel ? "kernel names a CUDA kernel" : "backend is CUDA", reason);
}
