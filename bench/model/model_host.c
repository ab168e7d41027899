/* Operands in host memory, and timing all ways of one product there. */
#include "model_host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/base/element.h"
#include "bench/base/random.h"
#include "bench/timing/timing.h"

/* Elements from the lowest to the highest, and how far offset 0 lies above the lowest. */
static int64_t span_of(const lay_desc *desc, int64_t *lowest)
{
    int64_t highest;
    lay_desc_span(desc, lowest, &highest);
    return highest - *lowest + 1;
}

static char *lowest_of(const model_operands *of, int i, size_t *bytes)
{
    const size_t size = lay_type_size(of->type);
    int64_t lowest;
    *bytes = (size_t)span_of(of->desc[i], &lowest) * size;
    return (char *)of->zero[i] + lowest * (int64_t)size;
}

uint64_t model_element(lay_type type, uint64_t bits)
{
    switch (type) {
    case LAY_F64:
        return (bits & UINT64_C(0x800fffffffffffff)) | UINT64_C(0x3ff0000000000000);
    case LAY_F32:
        return (bits & 0x807fffff) | 0x3f800000;
    case LAY_F16:
        return (bits & 0x83ff) | 0x3c00;
    default:
        return (bits & 0x807f) | 0x3f80;
    }
}

static void fill(const model_operands *of, int i)
{
    const lay_type real = element_real(of->type);
    const size_t size = lay_type_size(real);
    uint64_t state = (uint64_t)i + 1;
    size_t bytes;
    char *to = lowest_of(of, i, &bytes);
    for (char *const end = to + bytes; to < end; to += size) {
        const uint64_t element = model_element(real, random_next(&state)); /* little-endian */
        memcpy(to, &element, size);
    }
}

static void give(model_operands *of)
{
    for (int i = 0; i < 3; i++)
        lay_free(of->zero[i]);
}

static int take(lay_type type, lay_desc *const desc[3], model_operands *out)
{
    *out = (model_operands){ .place = &model_host, .type = type, .desc = { desc[0], desc[1], desc[2] }, .sets = 1 };
    for (int i = 0; i < 3; i++) {
        if (lay_alloc(type, desc[i], LAY_MEMORY_HOST, &out->zero[i]) != LAY_OK) {
            give(out);
            return fail("%s", lay_last_error());
        }
        fill(out, i);
    }
    return 0;
}

static int check(model_choice *of, const model_operands *on, const char *text)
{
    size_t bytes;
    char *const c = lowest_of(on, 2, &bytes);
    char *const wanted = malloc(bytes);
    int status = EXIT_FINE;
    for (int i = 0; i < of->count && status == EXIT_FINE; i++) {
        memset(c, 0xff, bytes);
        if (!wanted)
            status = fail("out of memory");
        else if (model_run(&of->way[i], on, 0) != LAY_OK)
            status = fail("%s, %s: %s", text, of->way[i].name, lay_last_error());
        else if (i == 0)
            memcpy(wanted, c, bytes);
        else if (memcmp(wanted, c, bytes) != 0)
            status = fail("%s: '%s' by %s has other bits than '%s'", text, of->way[i].name, of->way[i].kernel,
                          of->way[0].name);
    }
    free(wanted);
    return status;
}

/* Seconds of a call, of several where they are short. */
static double time_turn(const model_way *way, const model_operands *on, int64_t calls)
{
    const double start = seconds_now();
    for (int64_t i = 0; i < calls; i++)
        model_run(way, on, 0);
    return (seconds_now() - start) / (double)calls;
}

/* All but the one taken that are so much slower than the fastest. */
static void drop(model_choice *of, double limit)
{
    const double best = model_best(of, 1)->seconds;
    for (int i = 1; i < of->count; i++)
        of->way[i].is_out |= of->way[i].seconds > limit * best;
}

static int64_t calls_of(double turn, double seconds, int64_t most)
{
    const double calls = turn / seconds;
    return calls > (double)most ? most : calls > 1 ? (int64_t)calls : 1;
}

/* The least of many is rather the one that was lucky: what seems faster than what was taken meets it alone, with times
 * of this meeting, and so may the next one. */
static void meet_again(model_choice *of, const model_operands *on)
{
    enum { MEETINGS = 4, ROUNDS = 11, MOST_CALLS = 40000 };
    static const double worth = 1.03, turn = 2e-4;
    model_way *const taken = &of->way[0];
    for (int meeting = 0; meeting < MEETINGS; meeting++) {
        model_way *const best = &of->way[model_best(of, 1) - of->way];
        if (taken->seconds <= worth * best->seconds)
            return;
        model_way *const pair[] = { taken, best };
        const int64_t calls[] = { calls_of(turn, taken->seconds, MOST_CALLS),
                                  calls_of(turn, best->seconds, MOST_CALLS) };
        taken->seconds = best->seconds = INFINITY;
        for (int i = 0; i < 2 * ROUNDS; i++)
            pair[i % 2]->seconds = fmin(pair[i % 2]->seconds, time_turn(pair[i % 2], on, calls[i % 2]));
    }
}

static int time_all(model_choice *of, const model_operands *on, double seconds)
{
    enum { LEAST_ROUNDS = 5, MOST_ROUNDS = 60, MOST_CALLS = 20000 };
    static const double turn = 1e-4, sure = 5e-5 /* seconds: of shorter ones a single call says little */;
    const double start = seconds_now();
    for (int i = 0; i < of->count; i++)
        of->way[i].seconds = time_turn(&of->way[i], on, 1);
    if (model_best(of, 1)->seconds > sure)
        drop(of, 8);
    for (int i = 0; i < 2 * of->count; i++) { /* again: the first may have been disturbed */
        model_way *const way = &of->way[i % of->count];
        if (!way->is_out)
            way->seconds = fmin(way->seconds, time_turn(way, on, 1));
    }
    drop(of, 3);
    for (int round = 0; round < MOST_ROUNDS && (round < LEAST_ROUNDS || seconds_now() - start < seconds); round++) {
        for (int i = 0; i < of->count; i++) {
            model_way *const way = &of->way[i];
            if (way->is_out)
                continue;
            way->seconds = fmin(way->seconds, time_turn(way, on, calls_of(turn, way->seconds, MOST_CALLS)));
        }
        if (round > 0)
            drop(of, round < LEAST_ROUNDS ? 1.5 : 1.1);
    }
    meet_again(of, on);
    return EXIT_FINE;
}

static int make_ready(lay_options *options)
{
    options->backend = LAY_BACKEND_CPU;
    return EXIT_FINE;
}

static lay_places places(void)
{
    return lay_places_all(LAY_PLACE_HOST, -1);
}

const model_place model_host = {
    .name = "host",
    .open = make_ready,
    .pretend = make_ready,
    .places = places,
    .take = take,
    .give = give,
    .add_ways = model_host_add_ways,
    .name_inside = model_host_name_inside,
    .name_kernel = model_host_name_kernel,
    .check = check,
    .time = time_all,
};
