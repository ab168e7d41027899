/* What commands share. */
#include "tool.h"

#include "bench/base/choices.h"
#include "bench/device/cuda_part.h"

int read_choices(const args *given, lay_options *out)
{
    const int status = choices_read(given, out);
    return status == EXIT_FINE && args_value(given, "device") && !cuda_of_tool ? cuda_need(out->device) : status;
}
