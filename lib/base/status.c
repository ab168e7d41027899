/* Status names, types, and the thread's last sentence. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_error[LAY_SENTENCE_BYTES]; /* lib/meson.build: thread-locals stay small */

lay_status lay_fail(lay_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return status;
}

const char *lay_last_error(void)
{
    return last_error;
}

void lay_sentence_keep(lay_sentence *kept)
{
    memcpy(kept->text, last_error, sizeof last_error);
}

void lay_sentence_restore(const lay_sentence *kept)
{
    memcpy(last_error, kept->text, sizeof last_error);
}

static lay_status add_spoilt(lay_status status, const char *spoilt)
{
    char before[256];
    strncpy(before, lay_last_error(), sizeof before - 1);
    before[sizeof before - 1] = 0;
    return strstr(before, spoilt) ? status : lay_fail(status, "%s; %s", before, spoilt);
}

lay_status lay_fail_spoilt(lay_status status)
{
    return add_spoilt(status, "a part of C has been written");
}

lay_status lay_fail_spoilt_copy(lay_status status)
{
    return add_spoilt(status, "a part of the destination has been written");
}

const char *lay_status_name(lay_status status)
{
    static const char *const names[] = {
        [LAY_OK] = "LAY_OK",
        [LAY_ERR_ARGUMENT] = "LAY_ERR_ARGUMENT",
        [LAY_ERR_SYNTAX] = "LAY_ERR_SYNTAX",
        [LAY_ERR_REFERENCE] = "LAY_ERR_REFERENCE",
        [LAY_ERR_EXTENT] = "LAY_ERR_EXTENT",
        [LAY_ERR_OVERFLOW] = "LAY_ERR_OVERFLOW",
        [LAY_ERR_RANK] = "LAY_ERR_RANK",
        [LAY_ERR_SHAPE] = "LAY_ERR_SHAPE",
        [LAY_ERR_TYPE] = "LAY_ERR_TYPE",
        [LAY_ERR_OPTION] = "LAY_ERR_OPTION",
        [LAY_ERR_INJECTIVE] = "LAY_ERR_INJECTIVE",
        [LAY_ERR_OVERLAP] = "LAY_ERR_OVERLAP",
        [LAY_ERR_MEMORY] = "LAY_ERR_MEMORY",
        [LAY_ERR_UNSUPPORTED] = "LAY_ERR_UNSUPPORTED",
        [LAY_ERR_DEVICE] = "LAY_ERR_DEVICE",
        [LAY_ERR_TEAM] = "LAY_ERR_TEAM",
    };
    const unsigned index = (unsigned)status;
    return index < sizeof names / sizeof names[0] ? names[index] : "unknown status";
}

size_t lay_type_size(lay_type type)
{
    static const size_t size[] = {
        [LAY_F32] = 4, [LAY_F64] = 8, [LAY_F16] = 2, [LAY_BF16] = 2, [LAY_C32] = 8, [LAY_C64] = 16
    };
    const unsigned index = (unsigned)type;
    return index < sizeof size / sizeof size[0] ? size[index] : 0;
}
