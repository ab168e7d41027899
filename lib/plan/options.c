/* Reading a caller's options, of this version's structure or an older, shorter one. */
#include "plan/options.h"

#include <stddef.h>
#include <string.h>

#include "base/status.h"

/* The first published structure ended with isa: no caller can know less. */
static const size_t least_size = offsetof(lay_options, isa) + sizeof(lay_isa);

/* Fields that a newer caller knows and we do not must be at their defaults, 0. */
static int asks_for_unknown(const lay_options *options)
{
    const unsigned char *bytes = (const unsigned char *)options;
    for (size_t i = sizeof *options; i < options->struct_size; i++)
        if (bytes[i])
            return 1;
    return 0;
}

lay_status lay_options_read(const lay_options *options, lay_options *complete)
{
    static const size_t most_size = 4096; /* a larger one is no structure of ours, but a stray value */
    *complete = (lay_options)LAY_OPTIONS_INIT;
    if (!options)
        return LAY_OK;
    if (options->struct_size < least_size || options->struct_size > most_size)
        return lay_fail(LAY_ERR_OPTION, "options.struct_size is %zu, not at least %zu: start from LAY_OPTIONS_INIT",
                        options->struct_size, least_size);
    if (asks_for_unknown(options))
        return lay_fail(LAY_ERR_OPTION, "options sets a field that version %s of the library does not know",
                        lay_version());
    memcpy(complete, options, options->struct_size < sizeof *complete ? options->struct_size : sizeof *complete);
    complete->struct_size = sizeof *complete;
    if (complete->backend < LAY_BACKEND_AUTO || complete->backend > LAY_BACKEND_CPU)
        return lay_fail(LAY_ERR_OPTION, "options.backend is %d, which is no lay_backend", (int)complete->backend);
    if (complete->compute < LAY_COMPUTE_AUTO || complete->compute > LAY_COMPUTE_STRICT)
        return lay_fail(LAY_ERR_OPTION, "options.compute is %d, which is no lay_compute", (int)complete->compute);
    return LAY_OK;
}
