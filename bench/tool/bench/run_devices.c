/* lay bench --devices: a team's product in several layouts beside that of the first device alone, judged by its bits,
 * the redistribution that brings matrices there, and other people's products over the same devices. */
#include "run_devices.h"

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

enum { MOST = DEVICES_MOST, LAYOUTS = 5, SIDES = LAYOUTS + 1, BLOCK = 128 };
enum { ENTRIES = SIDES + DEVICES_PEERS * LAYOUTS };

/* The team, the first of its devices alone, and what is asked. */
typedef struct scene {
    const task *of;
    int places, devices[MOST];
    lay_team *team, *alone;
    lay_type type;
    int64_t n;
    double flops;
    FILE *csv;
    void *sample;
    several_peer peer[DEVICES_PEERS];
    int peers;
} scene;

/* A matrix over a team's places. */
typedef struct dealt {
    lay_desc *desc;
    void *part[MOST];
} dealt;

/* A product of three matrices in a layout. */
typedef struct side {
    lay_team *team;
    dealt matrix[3];
    lay_team_plan *plan;
    double copy;              /* seconds */
    several_problem as_peers; /* as they would read it; n is 0 where they cannot */
} side;

/* Who takes turns: ours, of a side, or a peer on the matrices of one. */
typedef struct entry {
    side *of;
    several_peer *peer; /* NULL: ours */
    int slot;
    char name[64];
    devices_turns turns;
} entry;

static void drop(dealt *of, int places)
{
    for (int p = 0; p < places; p++)
        lay_free(of->part[p]);
    lay_desc_destroy(of->desc);
    *of = (dealt){ .desc = NULL };
}

static int deal(const scene *on, const lay_team *team, const char *text, dealt *out)
{
    const int status = refuse_unless_ok(lay_desc_parse(text, &out->desc), text);
    return status == EXIT_FINE ? refuse_unless_ok(lay_team_alloc(team, on->type, out->desc, out->part), text) : status;
}

/* The grid that is nearest to a square. */
static int grid_rows(int places)
{
    int rows = 1;
    for (int r = 1; r * r <= places; r++)
        rows = places % r == 0 ? r : rows;
    return rows;
}

/* "" where it says nothing that another one does not. */
static const char *write_layout(const scene *on, int which, char text[200], several_problem *as_peers)
{
    static const char *const names[LAYOUTS] = { "by rows", "by columns", "grid", "block-cyclic 128", "matrix2" };
    const long long n = (long long)on->n;
    const int p = on->places, rows = grid_rows(p), tall = rows > 1 ? rows : p, wide = p / tall;
    const long long down = (n + p - 1) / p, r = (n + rows - 1) / rows, c = (n + p / rows - 1) / (p / rows);
    const long long turns = (n + (long long)BLOCK * tall - 1) / ((long long)BLOCK * tall);
    const long long along = (n + (long long)BLOCK * wide - 1) / ((long long)BLOCK * wide);
    const long long half = (down + 1) / 2, half_n = (n + 1) / 2;
    *as_peers = (several_problem){ .type = on->type, .n = n };
    if (which == 0) {
        snprintf(text, 200, "P=(%d); A=[%lld][%lld]; [%lld[#P_0][#A_0]][#A_1]", p, down, n, n);
        as_peers->down = p, as_peers->across = 1;
        as_peers->rows = as_peers->columns = down; /* columns stay, whatever blocks they have */
        as_peers->line = n;
    } else if (which == 1) {
        snprintf(text, 200, "P=(%d); A=[%lld][%lld]; [#A_0][%lld[#P_0][#A_1]]", p, n, down, n);
        as_peers->down = 1, as_peers->across = p;
        as_peers->rows = as_peers->columns = as_peers->line = down;
    } else if (which == 2) {
        snprintf(text, 200, "P=(%d)(%d); A=[%lld][%lld]; [%lld[#P_0][#A_0]][%lld[#P_1][#A_1]]", rows, p / rows, r, c, n,
                 n);
        as_peers->down = rows, as_peers->across = p / rows;
        as_peers->rows = r;
        as_peers->columns = as_peers->line = c;
    } else if (which == 3) {
        snprintf(text, 200, "P=(%d)(%d); A=[%lld][%d][%lld][%d]; [%lld[#A_0][#P_0][#A_1]][%lld[#A_2][#P_1][#A_3]]",
                 tall, wide, turns, BLOCK, along, BLOCK, n, n);
        as_peers->down = tall, as_peers->across = wide;
        as_peers->rows = as_peers->columns = BLOCK;
        as_peers->line = along * BLOCK;
    } else {
        snprintf(text, 200, "P=(%d); A=[2][2][%lld][%lld]; [%lld[#P_0][#A_0][#A_2]][%lld[#A_1][#A_3]]", p, half, half_n,
                 n, n);
        as_peers->n = 0;
    }
    const int is_dealt = n > (long long)BLOCK * tall && n > (long long)BLOCK * wide, has_all = n > (p - 1) * 2 * half;
    return (which == 2 && rows == 1) || (which == 3 && !is_dealt) || (which == 4 && !has_all) || (p == 1 && which > 0)
               ? ""
               : names[which];
}

/* A and B of one device, from host memory; C is left as it is. */
static int send(const scene *on, side *to, void *host)
{
    lay_desc *flat = NULL;
    int status = refuse_unless_ok(lay_desc_natural(2, (const int64_t[]){ on->n, on->n }, &flat), "a matrix");
    for (int i = 0; i < 2 && status == EXIT_FINE; i++) {
        devices_fill(on->type, on->sample, i, on->n * on->n, host);
        status = refuse_unless_ok(lay_copy(on->type, flat, host, flat, to->matrix[i].part[0], NULL), "a matrix");
    }
    lay_desc_destroy(flat);
    return status;
}

static int fetch(const scene *on, const dealt *from, void *host)
{
    lay_desc *flat = NULL;
    int status = refuse_unless_ok(lay_desc_natural(2, (const int64_t[]){ on->n, on->n }, &flat), "a matrix");
    if (status == EXIT_FINE)
        status = refuse_unless_ok(lay_copy(on->type, flat, from->part[0], flat, host, NULL), "a matrix");
    lay_desc_destroy(flat);
    return status;
}

static int multiply(side *of, const scene *on)
{
    return refuse_unless_ok(
        lay_team_plan_run(of->plan, element_scalar(on->type, 1), (const void *const *)of->matrix[0].part,
                          (const void *const *)of->matrix[1].part, element_scalar(on->type, 0), of->matrix[2].part),
        "a product");
}

static int make_side(const scene *on, lay_team *team, const char *text, side *out)
{
    int status = EXIT_FINE;
    out->team = team;
    for (int i = 0; i < 3 && status == EXIT_FINE; i++)
        status = deal(on, team, text, &out->matrix[i]);
    lay_options options = on->of->terms.options;
    options.device = LAY_DEVICE_AUTO;
    if (status == EXIT_FINE)
        status = refuse_unless_ok(lay_team_plan_create(team, on->type, out->matrix[0].desc, out->matrix[1].desc,
                                                       out->matrix[2].desc, &options, &out->plan),
                                  text);
    return status;
}

static void drop_side(side *of)
{
    lay_team_plan_destroy(of->plan);
    for (int i = 0; i < 3 && of->team; i++)
        drop(&of->matrix[i], lay_team_places(of->team));
    of->plan = NULL;
}

/* All of the matrix at the first place of the team, where one device has it: "P=(2!); [n][n]". */
static int at_first(const scene *on, const dealt *whole, dealt *out)
{
    char text[80];
    snprintf(text, sizeof text, "P=(%d!); [%lld][%lld]", on->places, (long long)on->n, (long long)on->n);
    *out = (dealt){ .part = { whole->part[0] } };
    return refuse_unless_ok(lay_desc_parse(text, &out->desc), text);
}

/* Brings A and B there, from one device's; the time of one of the two. */
static int spread_out(const scene *on, const side *one, side *to)
{
    int status = EXIT_FINE;
    for (int i = 0; i < 2 && status == EXIT_FINE; i++) {
        dealt first;
        status = at_first(on, &one->matrix[i], &first);
        const double begin = seconds_now();
        if (status == EXIT_FINE)
            status = refuse_unless_ok(lay_team_copy(on->team, on->type, first.desc, (const void *const *)first.part,
                                                    to->matrix[i].desc, to->matrix[i].part),
                                      "a copy");
        to->copy = seconds_now() - begin;
        lay_desc_destroy(first.desc);
    }
    return status;
}

/* C brought together in one device's C, which is computed anew afterwards. */
static int bring(const scene *on, const side *of, side *one)
{
    dealt first;
    if (of == one)
        return EXIT_FINE;
    int status = at_first(on, &one->matrix[2], &first);
    if (status == EXIT_FINE)
        status = refuse_unless_ok(lay_team_copy(on->team, on->type, of->matrix[2].desc,
                                                (const void *const *)of->matrix[2].part, first.desc, first.part),
                                  "a copy");
    lay_desc_destroy(first.desc);
    return status;
}

/* wanted: one device's own. */
static int judge(const scene *on, side *one, const side *of, const void *wanted, void *found, const char *name)
{
    int status = bring(on, of, one);
    if (status == EXIT_FINE)
        status = fetch(on, &one->matrix[2], found);
    if (status == EXIT_FINE && memcmp(wanted, found, (size_t)(on->n * on->n) * lay_type_size(on->type)))
        return fail("%s: C has other bits than one device's", name);
    return status;
}

/* C is 0 before. */
static int clear(const scene *on, const side *of)
{
    return refuse_unless_ok(
        lay_team_plan_run(of->plan, element_scalar(on->type, 0), (const void *const *)of->matrix[0].part,
                          (const void *const *)of->matrix[1].part, element_scalar(on->type, 0), of->matrix[2].part),
        "a product");
}

/* NULL, or why the peer is left out. *status: not EXIT_FINE where ours failed. */
static const char *judge_peer(const scene *on, side *one, const entry *by, const void *wanted, void *found, int *status)
{
    const char *why = by->peer->prepare(by->peer->self, by->slot, &by->of->as_peers);
    if (why)
        return why;
    if ((*status = clear(on, by->of)) != EXIT_FINE)
        return NULL;
    if ((why = by->peer->run(by->peer->self, by->slot)))
        return why;
    *status = bring(on, by->of, one);
    if (*status == EXIT_FINE)
        *status = fetch(on, &one->matrix[2], found);
    return *status != EXIT_FINE ? NULL : devices_compare(on->type, on->of->terms.options.compute, on->n, wanted, found);
}

/* A peer that cannot says why, in its line. */
static int enter_peer(const scene *on, side *one, side *of, const char *name, several_peer *whom, int slot,
                      const void *wanted, void *found, entry *out, int *count)
{
    int status = EXIT_FINE;
    *out = (entry){ .of = of, .peer = whom, .slot = slot };
    snprintf(out->name, sizeof out->name, "%s%s%s", whom->name, whom->takes_parts ? ", " : "",
             whom->takes_parts ? name : "");
    const char *const why = judge_peer(on, one, out, wanted, found, &status);
    if (why)
        printf("%-5s %-10s %6lld  %s cannot: %s\n", problem_type_name(on->type),
               choices_compute_name(on->of->terms.options.compute), (long long)on->n, out->name, why);
    *count += !why && status == EXIT_FINE;
    return status;
}

/* On what peers read: the first device's matrices, or the parts of each layout. */
static int enter_peers(scene *on, side list[], int sides, const char *const name[], const void *wanted, void *found,
                       entry entries[], int *count)
{
    int status = EXIT_FINE;
    for (int i = 0; i < on->peers; i++)
        for (int s = 0; s < sides && status == EXIT_FINE; s++)
            if (on->peer[i].self && list[s].as_peers.n > 0 && on->peer[i].takes_parts == (s > 0))
                status = enter_peer(on, &list[0], &list[s], name[s], &on->peer[i], s, wanted, found, &entries[*count],
                                    count);
    return status;
}

/* The entries of a race, and what they multiply. */
typedef struct racers {
    entry *list;
    const scene *on;
} racers;

static int call(void *context, int which)
{
    const racers *const of = context;
    entry *const one = &of->list[which];
    if (!one->peer)
        return multiply(one->of, of->on);
    const char *const why = one->peer->run(one->peer->self, one->slot);
    return why ? fail("%s: %s", one->name, why) : EXIT_FINE;
}

static int race(entry list[], int count, const scene *on)
{
    racers of = { list, on };
    devices_turns *turns[ENTRIES];
    for (int i = 0; i < count; i++)
        turns[i] = &list[i].turns;
    return devices_race(call, &of, turns, count, on->of->terms.rounds, on->of->terms.min_time);
}

/* Ours in the layout of a peer's matrices; of whole ones, in the first layout. */
static const entry *ours_of(const entry list[], const entry *of, int sides)
{
    for (int i = 1; i < sides && of->peer->takes_parts; i++)
        if (list[i].of == of->of)
            return &list[i];
    return &list[sides > 1];
}

static void print_entry(const scene *on, const entry list[], int sides, const entry *of)
{
    const int rounds = on->of->terms.rounds;
    const double seconds = median(of->turns.seconds, rounds),
                 times = 1 / median_ratio(of->turns.seconds, list[0].turns.seconds, rounds);
    const int places = of == &list[0] ? 1 : on->places;
    char moved[40] = "", line[80] = ",,,";
    if (of->peer) {
        const double ratio = median_ratio(of->turns.seconds, ours_of(list, of, sides)->turns.seconds, rounds);
        snprintf(moved, sizeof moved, "%28s %9.3f", "ours beside it", ratio);
        snprintf(line, sizeof line, ",,,%.4f", ratio);
    } else {
        lay_team_plan_info info = LAY_TEAM_PLAN_INFO_INIT;
        lay_team_plan_query(of->of->plan, &info);
        snprintf(moved, sizeof moved, "%10.1f %6lld %9.3f", (double)info.bytes_received * 1e-6, (long long)info.steps,
                 1e3 * of->of->copy);
        snprintf(line, sizeof line, "%lld,%lld,%.6g,", (long long)info.bytes_received, (long long)info.steps,
                 1e3 * of->of->copy);
    }
    printf("%-5s %-10s %6lld  %-26s %10.3f %9.2f %7.3f %s\n", problem_type_name(on->type),
           choices_compute_name(on->of->terms.options.compute), (long long)on->n, of->name, 1e3 * seconds,
           on->flops / seconds * 1e-12, times, moved);
    if (on->csv)
        fprintf(on->csv, "%s,%s,%lld,\"%s\",%d,%.6g,%.6g,%.4f,%s\n", problem_type_name(on->type),
                choices_compute_name(on->of->terms.options.compute), (long long)on->n, of->name, places, 1e3 * seconds,
                on->flops / seconds * 1e-12, times, line);
    fflush(stdout);
}

static int run_sides(scene *on, side list[], entry entries[], void *wanted, void *found)
{
    const char *name[SIDES] = { "one" };
    char text[200];
    int sides = 1;
    snprintf(text, sizeof text, "[%lld][%lld]", (long long)on->n, (long long)on->n);
    int status = make_side(on, on->alone, text, &list[0]);
    list[0].as_peers = (several_problem){
        .type = on->type, .n = on->n, .down = 1, .across = 1, .rows = on->n, .columns = on->n, .line = on->n
    };
    if (status == EXIT_FINE)
        status = send(on, &list[0], found);
    if (status == EXIT_FINE)
        status = multiply(&list[0], on);
    if (status == EXIT_FINE)
        status = fetch(on, &list[0].matrix[2], wanted);
    for (int which = 0; which < LAYOUTS && status == EXIT_FINE; which++) {
        side *const of = &list[sides];
        name[sides] = write_layout(on, which, text, &of->as_peers);
        if (!*name[sides])
            continue;
        sides++;
        status = make_side(on, on->team, text, of);
        if (status == EXIT_FINE)
            status = spread_out(on, &list[0], of);
        if (status == EXIT_FINE)
            status = multiply(of, on);
        if (status == EXIT_FINE)
            status = judge(on, &list[0], of, wanted, found, name[sides - 1]);
    }
    int count = 0;
    for (; count < sides; count++) {
        entries[count] = (entry){ .of = &list[count] };
        snprintf(entries[count].name, sizeof entries[count].name, "%s", name[count]);
        for (int i = 0; i < 3; i++)
            list[count].as_peers.part[i] = list[count].matrix[i].part;
    }
    if (status == EXIT_FINE)
        status = enter_peers(on, list, sides, name, wanted, found, entries, &count);
    if (status == EXIT_FINE)
        status = race(entries, count, on);
    for (int i = 0; i < count && status == EXIT_FINE; i++)
        print_entry(on, entries, sides, &entries[i]);
    return status;
}

static int run_size(scene *on)
{
    const double n = (double)on->n;
    const size_t bytes = (size_t)(on->n * on->n) * lay_type_size(on->type);
    side *const list = calloc(SIDES, sizeof *list);
    entry *const entries = calloc(ENTRIES, sizeof *entries);
    void *const wanted = malloc(bytes), *const found = malloc(bytes);
    on->flops = 2 * n * n * n * (element_parts(on->type) == 2 ? 4 : 1);
    int status = list && entries && wanted && found ? EXIT_FINE : fail("out of memory");
    free(on->sample);
    on->sample = NULL;
    if (status == EXIT_FINE)
        status = devices_make_sample(on->type, &on->sample);
    if (status == EXIT_FINE)
        status = run_sides(on, list, entries, wanted, found);
    for (int i = 0; i < SIDES && list; i++)
        drop_side(&list[i]);
    free(list);
    free(entries);
    free(wanted);
    free(found);
    return status;
}

int run_devices(const args *given, task *of)
{
    int64_t sizes[DEVICES_SIZES];
    int count = 0;
    scene *const on = calloc(1, sizeof *on);
    if (!on)
        return fail("out of memory");
    on->of = of;
    int status = environment_prepare(given, given->line);
    if (status == EXIT_FINE)
        status = devices_read(given, on->devices, &on->places);
    if (status == EXIT_FINE)
        status = devices_read_sizes(given, sizes, &count);
    if (status == EXIT_FINE)
        status = task_read(given, of);
    if (status == EXIT_FINE)
        status = refuse_unless_ok(lay_team_devices(on->places, on->devices, &on->team), "--devices");
    if (status == EXIT_FINE)
        status = refuse_unless_ok(lay_team_devices(1, on->devices, &on->alone), "--devices");
    if (status == EXIT_FINE)
        status = devices_open_peers(given, on->devices, on->places, on->peer, &on->peers);
    if (status == EXIT_FINE)
        status = open_file(given, "csv", &on->csv);
    if (status == EXIT_FINE) {
        printf("type  compute         n  layout                             ms  TFLOP/s   times   MB moved  steps   "
               "copy ms\n");
        if (on->csv)
            fprintf(on->csv, "type,compute,n,layout,places,ms,tflops,times,bytes,steps,copy_ms,ours_beside_it\n");
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
    lay_team_destroy(on->team);
    lay_team_destroy(on->alone);
    free(on->sample);
    free(on);
    return status;
}
