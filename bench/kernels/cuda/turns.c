/* How fast rows are, in turns with each other and with cuBLAS. */
#include "turns.h"

#include <string.h>

#include "bench/base/complain.h"
#include "bench/device/device.h"
#include "bench/timing/timing.h"
#include "data.h"
#include "must.h"

enum { MAX_SETS = 512, WORKSPACE = 64 << 20, MAX_STAGES = 64 };

/* Matrices of one triple of layouts, sets of them one behind the other. */
typedef struct stage {
    const char *layouts[3];
    matrix of[3];
    char *storage[3];
    size_t stride[3]; /* bytes from set to set */
    int sets;
} stage;

typedef struct entry {
    struct contestant *who;
    stage *on;
    trial trial;
    reading read;
    int peer; /* the entry of cuBLAS that it is compared with, or -1 */
    const contest *by;
    device_turn turn;
    double seconds[MAX_ROUNDS];
} entry;

static struct {
    void *stream; /* of the open device */
    void *workspace;
    machine machine;
    stage stages[MAX_STAGES];
    int stage_count;
    entry entries[2 * MAX_CONTESTANTS];
    int entry_count;
} hall;

static void open_hall(void)
{
    hall.stage_count = hall.entry_count = 0;
    if (hall.stream)
        return;
    int khz, memory_khz, bits, status = device_open(LAY_DEVICE_AUTO);
    if (status == EXIT_FINE)
        status = device_allocate(WORKSPACE, &hall.workspace);
    if (status != EXIT_FINE)
        exit(status);
    hall.stream = device_get()->stream;
    MUST(cudaDeviceGetAttribute(&hall.machine.multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    MUST(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    MUST(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0));
    MUST(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0));
    hall.machine.hertz = 1e3 * khz;
    hall.machine.bytes_per_second = 1e3 * memory_khz * 2 * bits / 8;
}

const machine *contest_machine(void)
{
    open_hall();
    return &hall.machine;
}

static void fill_stage(const contest *by, stage *out)
{
    const int shapes[3][2] = { { by->m, by->k }, { by->k, by->n }, { by->m, by->n } };
    size_t bytes = 0;
    for (int i = 0; i < 3; i++) {
        matrix_create(out->layouts[i], by->type, shapes[i][0], shapes[i][1], &out->of[i]);
        out->stride[i] = ((size_t)out->of[i].elements * lay_type_size(by->type) + 255) / 256 * 256;
        bytes += out->stride[i];
    }
    const size_t sets = 3 * device_get()->l2 / bytes + 1;
    out->sets = by->is_l2_warm ? 1 : sets < MAX_SETS ? (int)sets : MAX_SETS;
    for (int i = 0; i < 3; i++) {
        const size_t size = out->stride[i] * (size_t)out->sets;
        MUST(cudaMalloc((void **)&out->storage[i], size));
        data_fill_random(by->type, out->storage[i], (int64_t)(size / lay_type_size(by->type)), (unsigned)i);
    }
}

static stage *find_stage(const contest *by, const char *const layouts[3])
{
    for (int i = 0; i < hall.stage_count; i++)
        if (strcmp(hall.stages[i].layouts[0], layouts[0]) == 0 && strcmp(hall.stages[i].layouts[1], layouts[1]) == 0 &&
            strcmp(hall.stages[i].layouts[2], layouts[2]) == 0)
            return &hall.stages[i];
    if (hall.stage_count == MAX_STAGES)
        exit(2);
    stage *made = &hall.stages[hall.stage_count++];
    *made = (stage){ .layouts = { layouts[0], layouts[1], layouts[2] } };
    fill_stage(by, made);
    return made;
}

static void *matrix_of_set(const stage *on, int which, int set)
{
    return on->storage[which] + on->stride[which] * (size_t)set;
}

static lay_status call(void *of, int set)
{
    const entry *self = of;
    const contest *by = self->by;
    void *a = matrix_of_set(self->on, 0, set), *b = matrix_of_set(self->on, 1, set);
    void *c = matrix_of_set(self->on, 2, set);
    if (self->who) {
        launch(&self->trial, a, b, c, 1, by->beta);
        return LAY_OK;
    }
    return cublas_multiply(by->peer, by->type, &self->read, by->m, by->n, by->k, a, b, by->beta, c) ? LAY_ERR_DEVICE
                                                                                                    : LAY_OK;
}

/* All in turns, as the tool takes them. */
static void race(const contest *by)
{
    device_turn *turns[2 * MAX_CONTESTANTS];
    double *seconds[2 * MAX_CONTESTANTS];
    for (int i = 0; i < hall.entry_count; i++) {
        entry *self = &hall.entries[i];
        self->by = by;
        self->turn = (device_turn){ .call = call, .self = self, .sets = self->on->sets, .is_plain = by->is_plain };
        turns[i] = &self->turn;
        seconds[i] = self->seconds;
    }
    const int status = device_race(turns, seconds, hall.entry_count, by->rounds, by->turn);
    if (status != EXIT_FINE)
        exit(status);
}

/* How cuBLAS reads what a contestant reads; 0 when it cannot. */
static int read_layouts(const stage *on, reading *out)
{
    int *const to[3][2] = { { &out->a.by_rows, &out->a.ld },
                            { &out->b.by_rows, &out->b.ld },
                            { &out->c.by_rows, &out->c.ld } };
    for (int i = 0; i < 3; i++) {
        *to[i][0] = matrix_leading(&on->of[i], 1) != 0;
        *to[i][1] = matrix_leading(&on->of[i], *to[i][0]);
        if (!*to[i][1])
            return 0;
    }
    return 1;
}

static int enter_peer(const contest *by, stage *on)
{
    static const char *const plain[3] = { "row", "row", "row" };
    reading read;
    if (!read_layouts(on, &read))
        read_layouts(on = find_stage(by, plain), &read);
    for (int i = 0; i < hall.entry_count; i++)
        if (!hall.entries[i].who && hall.entries[i].on == on)
            return i;
    hall.entries[hall.entry_count] = (entry){ .on = on, .read = read, .peer = -1 };
    return hall.entry_count++;
}

static void enter(const contest *by, struct contestant *who)
{
    stage *on = find_stage(by, who->layouts);
    const int peer = by->peer ? enter_peer(by, on) : -1;
    entry *self = &hall.entries[hall.entry_count++];
    *self = (entry){ .who = who, .on = on, .peer = peer };
    trial *t = &self->trial;
    *t = (trial){ .row = who->row, .left = &on->of[0], .right = &on->of[1], .result = &on->of[2] };
    t->left_as = who->left_as < 0 ? matrix_class(t->left, 1) : (lay_cuda_class)who->left_as;
    t->right_as = who->right_as < 0 ? matrix_class(t->right, 0) : (lay_cuda_class)who->right_as;
    t->is_c_vector = matrix_allows(t->result, 0, LAY_CUDA_ACROSS_VECTOR);
    t->slice_k = slice_length(who->row, by->k, who->slices);
    t->slices = slice_count(by->k, t->slice_k);
    t->adding = who->adding == ADDED_AFTER ? planned_adding(who->row, t->slices) : who->adding;
    t->stream = hall.stream;
    if (partial_size(t))
        MUST(cudaMalloc(&t->partial, partial_size(t)));
    if (counters_size(t)) {
        MUST(cudaMalloc((void **)&t->counters, counters_size(t)));
        MUST(cudaMemset(t->counters, 0, counters_size(t)));
    }
}

static void write_results(const contest *by, const entry *self)
{
    self->who->seconds = median(self->seconds, by->rounds);
    self->who->predicted = predict(&self->trial, &hall.machine);
    self->who->peer_seconds = self->peer < 0 ? 0 : median(hall.entries[self->peer].seconds, by->rounds);
}

static const char *class_name(int of)
{
    static const char *const names[] = { "AV", "KV", "A", "K" };
    return names[of];
}

static double ratio_to_peer(const contest *by, const entry *self)
{
    return self->peer < 0 ? 0 : median_ratio(hall.entries[self->peer].seconds, self->seconds, by->rounds);
}

static void name_layouts(const entry *self, char room[80])
{
    const char *const *layouts = self->on->layouts;
    snprintf(room, 80, "%s,%s,%s", layouts[0], layouts[1], layouts[2]);
}

static void print_entry(const contest *by, const entry *self)
{
    const struct contestant *who = self->who;
    const double seconds = median(self->seconds, by->rounds);
    char where[80], shape[40];
    name_layouts(self, where);
    snprintf(shape, sizeof shape, "%dx%dx%d", by->m, by->n, by->k);
    printf("%-18s %-30s %-22s %2s %2s %3d %10.2f us %7.2f TF", shape, who ? who->row->name : "cuBLAS", where,
           who ? class_name(self->trial.left_as) : "", who ? class_name(self->trial.right_as) : "",
           who ? self->trial.slices : 0, 1e6 * seconds, 2e-12 * by->m * by->n * by->k / seconds);
    if (who)
        printf("  cublas %6.3f  model %8.2f us (%.2f)", ratio_to_peer(by, self), 1e6 * who->predicted,
               who->predicted / seconds);
    printf("%s\n", self->turn.is_plain && !by->is_plain ? "  (no graph)" : "");
}

static void enter_in_csv(const contest *by, const entry *self)
{
    const struct contestant *who = self->who;
    const double seconds = median(self->seconds, by->rounds);
    char where[80];
    name_layouts(self, where);
    fprintf(by->csv, "%d,%d,%d,%s,\"%s\",%s,%s,%d,%.4f,%.4f,%.4f,%.4f\n", by->m, by->n, by->k,
            who ? who->row->name : "cuBLAS", where, who ? class_name(self->trial.left_as) : "",
            who ? class_name(self->trial.right_as) : "", who ? self->trial.slices : 0, 1e6 * seconds,
            2e-12 * by->m * by->n * by->k / seconds, ratio_to_peer(by, self), who ? 1e6 * who->predicted : 0);
}

static void close_hall(void)
{
    for (int i = 0; i < hall.entry_count; i++) {
        device_turn_free(&hall.entries[i].turn);
        MUST(cudaFree(hall.entries[i].trial.partial));
        MUST(cudaFree(hall.entries[i].trial.counters));
    }
    for (int i = 0; i < hall.stage_count; i++)
        for (int j = 0; j < 3; j++) {
            matrix_free(&hall.stages[i].of[j]);
            MUST(cudaFree(hall.stages[i].storage[j]));
        }
}

void contest_hold(contest *of)
{
    open_hall();
    if (of->peer)
        cublas_use(of->peer, hall.stream, hall.workspace, WORKSPACE);
    for (int i = 0; i < of->count; i++)
        enter(of, &of->list[i]);
    MUST(cudaDeviceSynchronize());
    race(of);
    for (int i = 0; i < hall.entry_count; i++) {
        if (hall.entries[i].who)
            write_results(of, &hall.entries[i]);
        if (!of->is_quiet)
            print_entry(of, &hall.entries[i]);
        if (of->csv)
            enter_in_csv(of, &hall.entries[i]);
    }
    fflush(stdout);
    close_hall();
}
