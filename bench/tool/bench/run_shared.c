/* lay bench --devices --memory=host (or pinned): the product of matrices in host memory that options.devices share,
 * beside that of the first device alone, in turns and judged by its bits, and cuBLASXt's. */
#include "run_shared.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/choices.h"
#include "bench/base/complain.h"
#include "bench/base/element.h"
#include "bench/peers/environment.h"
#include "bench/timing/timing.h"
#include "devices.h"
#include "files.h"
#include "layoutgemm_team.h"

enum { SIDES = 8 /* 1, 2, 4 .. of the list, and all of it */ };

/* So many of the list's devices; or a peer, on all of them. */
typedef struct side {
    int count;
    several_peer *peer; /* NULL: ours */
    lay_plan *plan;
    lay_plan_info info;
    devices_turns turns;
} side;

typedef struct scene {
    const task *of;
    lay_memory memory;
    int devices[DEVICES_MOST], count;
    lay_type type;
    int64_t n;
    lay_desc *desc;
    void *a, *b, *c;
    FILE *csv;
    several_peer peer[DEVICES_PEERS];
    int peers;
} scene;

static lay_options options_of(const scene *on, int count)
{
    lay_options options = on->of->terms.options;
    options.threads = on->of->has_threads ? on->of->threads[0] : 0;
    options.backend = LAY_BACKEND_CUDA;
    options.device = LAY_DEVICE_AUTO;
    options.devices = on->devices;
    options.device_count = count;
    return options;
}

static int make_side(const scene *on, int count, side *out)
{
    const lay_options options = options_of(on, count);
    *out = (side){ .count = count, .info = LAY_PLAN_INFO_INIT };
    const int status =
        refuse_unless_ok(lay_plan_create(on->type, on->desc, on->desc, on->desc, &options, &out->plan), "--devices");
    return status ? status : refuse_unless_ok(lay_plan_query(out->plan, on->memory, &out->info), "--devices");
}

static int multiply(const side *of, const scene *on)
{
    if (of->peer) {
        const char *const why = of->peer->run(of->peer->self, 0);
        return why ? fail("%s: %s", of->peer->name, why) : EXIT_FINE;
    }
    return refuse_unless_ok(
        lay_plan_run(of->plan, element_scalar(on->type, 1), on->a, on->b, element_scalar(on->type, 0), on->c),
        "a product");
}

/* A peer that cannot says why. */
static void enter_peers(scene *on, const void *wanted, side list[], int *count)
{
    void *const parts[] = { on->a, on->b, on->c };
    several_problem asked = {
        .type = on->type, .n = on->n, .down = 1, .across = 1, .rows = on->n, .columns = on->n, .line = on->n
    };
    for (int i = 0; i < 3; i++)
        asked.part[i] = &parts[i];
    for (int i = 0; i < on->peers; i++) {
        several_peer *const whom = &on->peer[i];
        if (!whom->self)
            continue;
        const char *why = whom->takes_parts ? "its matrices lie on devices" : whom->prepare(whom->self, 0, &asked);
        if (!why) {
            memset(on->c, 0xff, (size_t)(on->n * on->n) * lay_type_size(on->type));
            why = whom->run(whom->self, 0);
        }
        if (!why)
            why = devices_compare(on->type, on->of->terms.options.compute, on->n, wanted, on->c);
        if (why)
            printf("%-5s %6lld  %s cannot: %s\n", problem_type_name(on->type), (long long)on->n, whom->name, why);
        else
            list[(*count)++] = (side){ .count = on->count, .peer = whom };
    }
}

/* C as the first side leaves it is what all others must leave, and peers nearly. */
static int judge(side list[], int *sides, scene *on)
{
    const int count = *sides;
    const size_t bytes = (size_t)(on->n * on->n) * lay_type_size(on->type);
    char *const wanted = malloc(bytes);
    int status = wanted ? multiply(&list[0], on) : fail("out of memory");
    if (status == EXIT_FINE)
        memcpy(wanted, on->c, bytes);
    for (int i = 1; i < count && status == EXIT_FINE; i++) {
        memset(on->c, 0xff, bytes);
        status = multiply(&list[i], on);
        if (status == EXIT_FINE && memcmp(wanted, on->c, bytes) != 0)
            status = fail("%d devices: C has other bits than one device's", list[i].count);
    }
    if (status == EXIT_FINE)
        enter_peers(on, wanted, list, sides);
    free(wanted);
    return status;
}

/* The sides of a race, and what they multiply. */
typedef struct racers {
    side *list;
    const scene *on;
} racers;

static int call(void *context, int which)
{
    const racers *of = context;
    return multiply(&of->list[which], of->on);
}

static int race(side list[], int count, const scene *on)
{
    racers of = { list, on };
    devices_turns *turns[SIDES + DEVICES_PEERS];
    for (int i = 0; i < count; i++)
        turns[i] = &list[i].turns;
    return devices_race(call, &of, turns, count, on->of->terms.rounds, on->of->terms.min_time);
}

static void print_side(const scene *on, const side list[], const side *of)
{
    const int rounds = on->of->terms.rounds;
    const double seconds = median(of->turns.seconds, rounds),
                 times = 1 / median_ratio(of->turns.seconds, list[0].turns.seconds, rounds);
    const double told = of->peer ? NAN : 1e3 * of->info.seconds, tflops = list[0].info.flops / seconds * 1e-12;
    printf("%-5s %6lld  %-7s %7d %6d %10.3f %12.3f %9.2f %7.3f%s%s\n", problem_type_name(on->type), (long long)on->n,
           choices_memory_name(on->memory), of->count, of->peer ? of->count : of->info.devices, 1e3 * seconds, told,
           tflops, times, of->peer ? "  " : "", of->peer ? of->peer->name : "");
    if (on->csv)
        fprintf(on->csv, "%s,%lld,%s,%d,%d,%.6g,%.6g,%.6g,%.4f,%s\n", problem_type_name(on->type), (long long)on->n,
                choices_memory_name(on->memory), of->count, of->peer ? of->count : of->info.devices, 1e3 * seconds,
                told, tflops, times, of->peer ? of->peer->name : "lay");
    fflush(stdout);
}

static int make_matrices(scene *on)
{
    void *sample = NULL;
    int status = refuse_unless_ok(lay_desc_natural(2, (const int64_t[]){ on->n, on->n }, &on->desc), "a matrix");
    void **const of[] = { &on->a, &on->b, &on->c };
    for (int i = 0; i < 3 && status == EXIT_FINE; i++)
        status = refuse_unless_ok(lay_alloc(on->type, on->desc, on->memory, of[i]), "a matrix");
    if (status == EXIT_FINE)
        status = devices_make_sample(on->type, &sample);
    for (int i = 0; i < 2 && status == EXIT_FINE; i++)
        devices_fill(on->type, sample, i, on->n * on->n, *of[i]);
    if (status == EXIT_FINE)
        devices_fill(on->type, sample, 0, on->n * on->n, on->c);
    free(sample);
    return status;
}

static void drop_matrices(scene *on)
{
    lay_free(on->a);
    lay_free(on->b);
    lay_free(on->c);
    lay_desc_destroy(on->desc);
    on->a = on->b = on->c = NULL;
    on->desc = NULL;
}

static int run_size(scene *on)
{
    side *const list = calloc(SIDES + DEVICES_PEERS, sizeof *list);
    int made = 0, status = list ? make_matrices(on) : fail("out of memory");
    for (int count = 1; count < 2 * on->count && status == EXIT_FINE; count *= 2) {
        status = make_side(on, count < on->count ? count : on->count, &list[made]);
        made += list[made].plan != NULL;
    }
    if (status == EXIT_FINE)
        status = judge(list, &made, on);
    if (status == EXIT_FINE)
        status = race(list, made, on);
    for (int i = 0; i < made && status == EXIT_FINE; i++)
        print_side(on, list, &list[i]);
    for (int i = 0; i < made; i++)
        lay_plan_destroy(list[i].plan);
    free(list);
    drop_matrices(on);
    return status;
}

static int refuse_rooms(const scene *on)
{
    for (int i = 0; i < on->count; i++)
        if (on->devices[i] == LAY_DEVICE_HOST)
            return refuse("--devices with --memory is a list of devices: 'host' is a place of a team");
    return EXIT_FINE;
}

int run_shared(const args *given, task *of)
{
    int64_t sizes[DEVICES_SIZES];
    int count = 0;
    scene *const on = calloc(1, sizeof *on);
    if (!on)
        return fail("out of memory");
    on->of = of;
    on->memory = of->terms.memory;
    int status = environment_prepare(given, given->line);
    if (status == EXIT_FINE)
        status = devices_read(given, on->devices, &on->count);
    if (status == EXIT_FINE)
        status = devices_read_sizes(given, sizes, &count);
    if (status == EXIT_FINE)
        status = refuse_rooms(on);
    if (status == EXIT_FINE)
        status = task_read(given, of);
    if (status == EXIT_FINE)
        status = devices_open_peers(given, on->devices, on->count, on->peer, &on->peers);
    if (status == EXIT_FINE)
        status = open_file(given, "csv", &on->csv);
    if (status == EXIT_FINE) {
        printf("type       n  memory  devices   used         ms  predicted ms   TFLOP/s   times\n");
        if (on->csv)
            fprintf(on->csv, "type,n,memory,devices,used,ms,predicted_ms,tflops,times,who\n");
    }
    for (int t = 0; t < of->type_count && status == EXIT_FINE; t++)
        for (int i = 0; i < count && status == EXIT_FINE; i++) {
            on->type = of->types[t];
            on->n = sizes[i];
            status = run_size(on);
        }
    if (on->csv)
        status = close_file(on->csv, args_value(given, "csv"), status);
    devices_close_peers(on->peer, on->peers);
    free(on);
    return status;
}
