/* Operands in a device's memory, and timing all ways of one product by its events. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/base/element.h"
#include "bench/base/random.h"
#include "bench/device/device.h"
#include "bench/timing/timing.h"
#include "device/device.h"
#include "model_place.h"

enum { ALIGNMENT = 256, MOST_SETS = 64, TYPES = LAY_BF16 + 1 };

static int make_ready(lay_options *options)
{
    const int status = device_open(options->device);
    options->backend = LAY_BACKEND_CUDA;
    options->device = device_get()->number;
    options->stream = device_get()->stream;
    return status;
}

/* The H200 that bench/results has times of. */
static const lay_device pretended = { .name = "H200",
                                      .sm = 90,
                                      .multiprocessors = 132,
                                      .shared_per_block = 227 << 10,
                                      .shared_per_sm = 228 << 10,
                                      .l2 = 60 << 20,
                                      .memory = (size_t)141 << 30,
                                      .ghz = 1.98,
                                      .bytes_per_second = 4.813824e12,
                                      .link_per_second = 50e9 };

static const lay_device *get_pretended(int number, const char **reason)
{
    *reason = "there is one device, made up for --replay";
    return number == 0 ? &pretended : NULL;
}

static int current_pretended(void)
{
    return 0;
}

static int pretend(lay_options *options)
{
    static lay_device_driver driver;
    driver = *lay_devices;
    driver.get = get_pretended;
    driver.current = current_pretended;
    lay_devices = &driver;
    options->backend = LAY_BACKEND_CUDA;
    options->device = 0;
    return EXIT_FINE;
}

static lay_places places(void)
{
    return lay_places_all(LAY_PLACE_DEVICE, device_get()->number);
}

/* ---- operands --------------------------------------------------------------------------------- */

static size_t bytes_of(const model_operands *of, int i, int64_t *lowest)
{
    int64_t highest;
    lay_desc_span(of->desc[i], lowest, &highest);
    return (size_t)(highest - *lowest + 1) * lay_type_size(of->type);
}

/* Of the first set. */
static char *lowest_of(const model_operands *of, int i, size_t *bytes)
{
    int64_t lowest;
    *bytes = bytes_of(of, i, &lowest);
    return (char *)of->zero[i] + lowest * (int64_t)lay_type_size(of->type);
}

/* Random elements in device memory, made once; operands are filled with them over and over. */
enum { POOL = 999983 /* elements: no multiple of a line's */ };
static int find_pool(lay_type type, void **out)
{
    static void *pools[TYPES];
    const size_t size = lay_type_size(type);
    int status = EXIT_FINE;
    if (!pools[type]) {
        char *const host = malloc(POOL * size);
        uint64_t state = 1;
        for (size_t i = 0; i < POOL && host; i++) {
            const uint64_t element = model_element(type, random_next(&state)); /* little-endian */
            memcpy(host + i * size, &element, size);
        }
        status = host ? device_allocate(POOL * size, &pools[type]) : fail("out of memory");
        if (status == EXIT_FINE)
            status = device_upload(pools[type], host, POOL * size);
        free(host);
    }
    *out = pools[type];
    return status;
}

static void give(model_operands *of)
{
    size_t bytes;
    for (int i = 0; i < 3; i++)
        if (of->zero[i])
            device_free(lowest_of(of, i, &bytes));
}

static int take_one(model_operands *of, int i)
{
    int64_t lowest;
    void *pool, *memory = NULL;
    const size_t size = lay_type_size(of->type), all = of->apart[i] * (size_t)of->sets;
    const size_t bytes = bytes_of(of, i, &lowest);
    int status = find_pool(of->type, &pool);
    if (status == EXIT_FINE)
        status = device_allocate(all, &memory);
    if (status == EXIT_FINE)
        of->zero[i] = (char *)memory - lowest * (int64_t)size;
    if (status == EXIT_FINE && bytes)
        status = device_repeat(memory, pool, POOL * size, all);
    return status;
}

static int take(lay_type type, lay_desc *const desc[3], model_operands *out)
{
    size_t bytes = 0;
    int64_t lowest;
    *out = (model_operands){ .place = model_device, .type = type, .desc = { desc[0], desc[1], desc[2] } };
    for (int i = 0; i < 3; i++) {
        out->apart[i] = (bytes_of(out, i, &lowest) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        bytes += out->apart[i];
    }
    const size_t sets = bytes ? 3 * device_get()->l2 / bytes + 1 : 1;
    out->sets = sets < MOST_SETS ? (int)sets : MOST_SETS;
    int status = EXIT_FINE;
    for (int i = 0; i < 3 && status == EXIT_FINE; i++)
        status = take_one(out, i);
    if (status == EXIT_FINE)
        status = device_wait();
    if (status != EXIT_FINE)
        give(out);
    return status;
}

/* ---- checking --------------------------------------------------------------------------------- */

/* What is compared of C: all of it, or its beginning, middle and end. */
enum { WINDOW = 64 << 10, WINDOWS = 3 };
static int download(const model_operands *on, char *to, size_t *bytes)
{
    size_t all;
    const char *const c = lowest_of(on, 2, &all);
    *bytes = all < WINDOWS * WINDOW ? all : WINDOWS * WINDOW;
    if (all < WINDOWS * WINDOW)
        return device_download(to, c, all);
    const size_t size = lay_type_size(on->type), at[WINDOWS] = { 0, all / 2 / size * size, all - WINDOW };
    int status = EXIT_FINE;
    for (int i = 0; i < WINDOWS && status == EXIT_FINE; i++)
        status = device_download(to + i * WINDOW, c + at[i], WINDOW);
    return status;
}

/* Elements of 1 to 2 and either sign: another order of k products is off by this much at most, but for accidents that
 * nobody will see, and rounding C by one unit of its own. Elements come from a pool over and over, so that lines of A
 * and B may be alike: then sums grow with k, and k roundings of such sums are off like a random walk of k steps. */
static int is_close(lay_type type, int64_t k, double x, double y)
{
    static const double unit[TYPES] = { 0x1p-23, 0x1p-52, 0x1p-10, 0x1p-7 };
    const double in_sums = type == LAY_F64 ? 0x1p-52 : 0x1p-23;
    const double alike = 2 * in_sums * sqrt((double)k);
    return fabs(x - y) <= 16 * in_sums * (double)(k + 16) + (2 * unit[type] + alike) * fabs(x);
}

/* The first element that is too far from what it should be; -1: there is none. */
static int64_t find_far(const model_operands *on, const char *x, const char *y, size_t bytes)
{
    const int64_t count = (int64_t)(bytes / lay_type_size(on->type));
    const int64_t k = on->labels ? on->labels->count[LABEL_K] : lay_desc_extent(on->desc[0], "1");
    for (int64_t i = 0; i < count; i++) {
        const size_t size = lay_type_size(on->type), at = (size_t)i * size;
        if (memcmp(x + at, y + at, size) != 0 &&
            !is_close(on->type, k, element_read(on->type, x, i), element_read(on->type, y, i)))
            return i;
    }
    return -1;
}

static int fail_wrong(const char *text, const model_way *way, const model_operands *on, int64_t at, const char *wanted,
                      const char *found)
{
    return fail("%s: '%s' by %s computes a wrong product: element %lld of what is compared of C is %g, not %g", text,
                way->name, way->kernel, (long long)at, element_read(on->type, found, at),
                element_read(on->type, wanted, at));
}

/* C by one way, from a C of NaN. *is_out: there is no memory for it. */
static int compute(model_way *way, const model_operands *on, const char *text, char *to, size_t *bytes)
{
    char *const c = lowest_of(on, 2, bytes);
    int status = device_fill(c, 0xff, *bytes);
    if (status != EXIT_FINE)
        return status;
    const lay_status ran = model_run(way, on, 0);
    way->is_out = ran == LAY_ERR_MEMORY;
    if (ran != LAY_OK && ran != LAY_ERR_MEMORY)
        return fail("%s, %s by %s: %s", text, way->name, way->kernel, lay_last_error());
    return download(on, to, bytes);
}

static int check(model_choice *of, const model_operands *on, const char *text)
{
    char *const wanted = malloc(2 * WINDOWS * WINDOW), *const found = wanted + WINDOWS * WINDOW;
    size_t bytes;
    int64_t far;
    int status = wanted ? compute(&of->way[0], on, text, wanted, &bytes) : fail("out of memory");
    if (status == EXIT_FINE && of->way[0].is_out)
        status = fail("%s: there is no device memory for it", text);
    for (int i = 1; i < of->count && status == EXIT_FINE; i++) {
        model_way *const way = &of->way[i];
        status = compute(way, on, text, found, &bytes);
        if (status != EXIT_FINE || way->is_out)
            continue;
        if (!way->is_other_sum && memcmp(wanted, found, bytes) != 0)
            status = fail("%s: '%s' by %s has other bits than '%s'", text, way->name, way->kernel, of->way[0].name);
        else if ((far = find_far(on, wanted, found, bytes)) >= 0)
            status = fail_wrong(text, way, on, far, wanted, found);
    }
    free(wanted);
    return status;
}

/* ---- timing ----------------------------------------------------------------------------------- */

enum { MOST_ROUNDS = 15 };

/* A way that takes its turns. */
typedef struct racer {
    model_way *way;
    const model_operands *on;
    device_turn turn;
    double seconds[MOST_ROUNDS];
} racer;

static lay_status call(void *self, int set)
{
    const racer *const own = self;
    return model_run(own->way, own->on, set);
}

/* Rounds of turns of all ways that are not out; their medians. */
static int race(model_choice *of, const model_operands *on, int rounds, double min_time)
{
    static racer racers[MODEL_WAYS];
    static device_turn *turns[MODEL_WAYS];
    static double *seconds[MODEL_WAYS];
    int count = 0;
    for (int i = 0; i < of->count; i++) {
        racer *const one = &racers[count];
        if (of->way[i].is_out)
            continue;
        *one = (racer){ .way = &of->way[i], .on = on, .turn = { .call = call, .self = one, .sets = on->sets } };
        turns[count] = &one->turn;
        seconds[count++] = one->seconds;
    }
    const int status = device_race(turns, seconds, count, rounds, min_time);
    for (int i = 0; i < count; i++) {
        if (status == EXIT_FINE)
            racers[i].way->seconds = median(racers[i].seconds, rounds);
        device_turn_free(&racers[i].turn);
    }
    return status;
}

/* So that graphs hold them: what large workspaces need is taken once. Where it cannot be, turns are not graphs. */
static void reserve(model_choice *of)
{
    for (int i = 0; i < of->count; i++)
        for (lay_branch *branch = of->way[i].branch; branch && !of->way[i].is_out; branch = branch->child)
            if (branch->way->reserve)
                (void)branch->way->reserve(branch);
}

/* Those so much slower than the fastest are out, and all but so many; never the way taken, nor the fastest that adds as
 * it does. */
static void leave(model_choice *of, double limit, int most)
{
    const double best = model_best(of, 1)->seconds;
    const model_way *const held = model_best(of, 0);
    int left = 0;
    for (int i = 1; i < of->count; i++) {
        of->way[i].is_out |= of->way[i].seconds > limit * best && &of->way[i] != held;
        left += !of->way[i].is_out;
    }
    for (; left > most; left--) {
        model_way *slowest = NULL;
        for (int i = 1; i < of->count; i++)
            if (!of->way[i].is_out && &of->way[i] != held && (!slowest || of->way[i].seconds > slowest->seconds))
                slowest = &of->way[i];
        slowest->is_out = 1;
    }
}

/* Rounds that fit the seconds, in turns of so long. */
static int count_rounds(const model_choice *of, int count, double turn, double seconds)
{
    const double each = 2 * count * fmax(turn, of->way[0].seconds);
    const int rounds = (int)(seconds / each);
    return rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds < 5 ? 5 : rounds;
}

/* All of them once, then those that may be the fastest, and last those that can hardly be told apart, so that luck
 * makes no regret. */
static int time_all(model_choice *of, const model_operands *on, double seconds)
{
    enum { FEW = 12, LAST = 4 };
    static const double glance = 5e-5, turn = 2e-4, long_turn = 5e-4;
    for (int i = 0; i < of->count; i++)
        of->way[i].seconds = INFINITY;
    int status = race(of, on, 1, glance);
    if (status != EXIT_FINE)
        return status;
    leave(of, 1.6, FEW);
    reserve(of);
    status = race(of, on, count_rounds(of, FEW, turn, seconds), turn);
    if (status != EXIT_FINE)
        return status;
    leave(of, 1.05, LAST);
    return race(of, on, count_rounds(of, LAST, long_turn, seconds), long_turn);
}

static const model_place device = {
    .name = "device",
    .open = make_ready,
    .pretend = pretend,
    .places = places,
    .take = take,
    .give = give,
    .add_ways = model_add_on_device,
    .name_inside = model_name_on_device,
    .name_kernel = model_name_launch,
    .check = check,
    .time = time_all,
};
const model_place *const model_device = &device;
