/* Lists of devices, sizes, and samples of random numbers. */
#include "devices.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/base/element.h"
#include "bench/base/numbers.h"
#include "bench/base/random.h"
#include "layoutgemm_team.h"

enum { PERIOD = 1048573 /* elements, a prime */ };

int devices_read(const args *given, int list[DEVICES_MOST], int *count)
{
    const char *const value = args_value(given, "devices"), *text = value;
    for (*count = 0; *count < DEVICES_MOST; text++) {
        char *end = (char *)text + 4;
        const int is_host = strncmp(text, "host", 4) == 0;
        const long number = is_host ? LAY_DEVICE_HOST : strtol(text, &end, 10);
        if (end == text || (*end && *end != ',') || (!is_host && (number < 0 || number > 1023)))
            return refuse("--devices is a list of devices, as '0,1', or 'host,host', not '%s'", value);
        list[(*count)++] = (int)number;
        if (!*end)
            return EXIT_FINE;
        text = end;
    }
    return refuse("--devices names more than %d devices", DEVICES_MOST);
}

int devices_read_sizes(const args *given, int64_t sizes[DEVICES_SIZES], int *count)
{
    static const int64_t usual[] = { 4096, 16384 };
    *count = given->word_count ? given->word_count : 2;
    if (*count > DEVICES_SIZES)
        return refuse("more than %d sizes", DEVICES_SIZES);
    for (int i = 0; i < *count; i++)
        if (!given->word_count)
            sizes[i] = usual[i];
        else if (!read_integer(given->words[i], 1, 65536, &sizes[i]))
            return refuse("with --devices words are sizes of square matrices, from 1 to 65536, not '%s'",
                          given->words[i]);
    return EXIT_FINE;
}

int devices_make_sample(lay_type type, void **sample)
{
    const int parts = element_parts(type);
    uint64_t state = 1;
    *sample = malloc(2 * (size_t)PERIOD * lay_type_size(type));
    if (!*sample)
        return fail("out of memory");
    for (int64_t i = 0; i < 2 * (int64_t)PERIOD * parts; i++)
        element_write(element_real(type), *sample, i, (double)(int64_t)random_next(&state) * 0x1p-63);
    return EXIT_FINE;
}

void devices_fill(lay_type type, const void *sample, int number, int64_t elements, void *to)
{
    const size_t size = lay_type_size(type), row = PERIOD;
    for (size_t at = 0, left = (size_t)elements; left > 0;) {
        const size_t count = left < row ? left : row;
        memcpy((char *)to + at * size, (const char *)sample + (size_t)number * row * size, count * size);
        at += count;
        left -= count;
    }
}
