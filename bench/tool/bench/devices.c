/* Lists of devices, sizes, and samples of random numbers. */
#include "devices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/base/element.h"
#include "bench/base/numbers.h"
#include "bench/base/random.h"
#include "bench/device/cuda_part.h"
#include "bench/timing/timing.h"
#include "layoutgemm_team.h"

enum { PERIOD = 1048573 /* elements, a prime */, JUDGED = 4 << 20 /* elements of a peer's C, about */ };

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

int devices_open_peers(const args *given, const int list[], int count, several_peer peers[DEVICES_PEERS], int *opened)
{
    const char *name;
    for (int i = 0; (name = args_repeated(given, "against", i)); i++) {
        if (i == DEVICES_PEERS)
            return refuse("more than %d peers", DEVICES_PEERS);
        if (list[0] == LAY_DEVICE_HOST)
            return refuse("--against=%s computes on devices, not on 'host'", name);
        const int status = cuda_need(list[0]);
        if (status != EXIT_FINE)
            return status;
        several_peer *const made = &peers[(*opened)++];
        const char *const why = cuda_of_tool->open_several(name, count, list, made);
        printf("%s%s%s\n", why ? made->name : made->about, why ? " cannot: " : "", why ? why : "");
    }
    return EXIT_FINE;
}

void devices_close_peers(several_peer peers[], int count)
{
    for (int i = 0; i < count; i++)
        if (peers[i].self)
            peers[i].close(peers[i].self);
}

const char *devices_compare(lay_type type, lay_compute compute, int64_t n, const void *wanted, const void *found)
{
    static char sentence[120];
    const int is_narrow = compute == LAY_COMPUTE_TF32 || compute == LAY_COMPUTE_BF16 || compute == LAY_COMPUTE_FP16;
    const double unit = is_narrow ? 0x1p-9 : element_real(type) == LAY_F64 ? 0x1p-53 : 0x1p-24;
    const double typical = sqrt((double)n), limit = 16 * unit * (is_narrow ? typical : (double)n);
    const double rounded = lay_type_size(type) == 2 ? 0x1p-7 : 0;
    const int64_t count = n * n * element_parts(type), step = count > JUDGED ? count / JUDGED | 1 : 1;
    for (int64_t at = 0; at < count; at += step) {
        const double one = element_read(type, wanted, at), other = element_read(type, found, at);
        if (fabs(one - other) <= limit + rounded * (fabs(one) + typical))
            continue;
        snprintf(sentence, sizeof sentence, "C is wrong, %g where one device has %g", other, one);
        return sentence;
    }
    return NULL;
}

static int take_turn(devices_call *call, void *context, int which, devices_turns *of, int round)
{
    int status = EXIT_FINE;
    const double begin = seconds_now();
    for (int i = 0; i < of->calls && status == EXIT_FINE; i++)
        status = call(context, which);
    of->seconds[round] = (seconds_now() - begin) / of->calls;
    return status;
}

int devices_race(devices_call *call, void *context, devices_turns *const list[], int count, int rounds, double min_time)
{
    int status = EXIT_FINE;
    for (int i = 0; i < count && status == EXIT_FINE; i++) {
        list[i]->calls = 1;
        status = take_turn(call, context, i, list[i], 0);
        list[i]->calls = (int)fmax(1, fmin(1000, ceil(min_time / fmax(1e-6, list[i]->seconds[0]))));
    }
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count && status == EXIT_FINE; i++) {
            const int which = (i + round) % count;
            status = take_turn(call, context, which, list[which], round);
        }
    return status;
}
