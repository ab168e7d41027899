/* How fast products by limbs are, in turns with cuBLAS's SGEMM and with three of its FP16 products, which are the
 * roof. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/device/device.h"
#include "bench/kernels/cuda/must.h"
#include "bench/timing/timing.h"
#include "split_bench.h"

enum { MAX_ENTRIES = 128, WORKSPACE = 64 << 20 };

typedef enum player { OWN, OWN_STAGE, PEER_SGEMM, PEER_HALVES } player;

typedef struct entry {
    player who;
    split_product product;
    split_stage stage;
    const char *note;
    const split_task *task;
    device_turn turn;
    double seconds[SPLIT_MAX_ROUNDS];
} entry;

static struct {
    void *stream; /* of the open device */
    void *workspace;
    matrix of[3];
    void *storage[3];
    void *halves[2];
    entry entries[MAX_ENTRIES];
    int count;
} hall;

static void check_status(int status)
{
    if (status) {
        fprintf(stderr, "cuBLAS: status %d\n", status);
        exit(1);
    }
}

static lay_status call(void *of, int set)
{
    entry *self = of;
    const split_task *task = self->task;
    (void)set;
    const int m = task->m, n = task->n, k = task->k;
    const reading rows = { { 1, k }, { 1, n }, { 1, n } };
    switch (self->who) {
    case OWN:
        split_launch(&self->product);
        return LAY_OK;
    case OWN_STAGE:
        if (self->stage == SPLIT_PREPARE) /* its blocks meet by records that are zero before */
            split_enqueue(&self->product, SPLIT_ZERO);
        split_enqueue(&self->product, self->stage);
        return LAY_OK;
    case PEER_SGEMM:
        check_status(cublas_multiply(task->peer, LAY_F32, &rows, m, n, k, hall.storage[0], hall.storage[1], task->beta,
                                     hall.storage[2]));
        return LAY_OK;
    default:
        for (int i = 0; i < 3; i++)
            check_status(cublas_multiply_halves(task->peer, m, n, k, hall.halves[0], hall.halves[1], hall.storage[2]));
    }
    return LAY_OK;
}

/* All in turns of two milliseconds or more, as the tool takes them. */
static void race(const split_task *task)
{
    device_turn *turns[MAX_ENTRIES];
    double *seconds[MAX_ENTRIES];
    for (int i = 0; i < hall.count; i++) {
        entry *self = &hall.entries[i];
        self->task = task;
        self->turn = (device_turn){ .call = call, .self = self, .sets = 1 };
        turns[i] = &self->turn;
        seconds[i] = self->seconds;
    }
    const int status = device_race(turns, seconds, hall.count, task->rounds, 2e-3);
    if (status != EXIT_FINE)
        exit(status);
}

static entry *enter(player who)
{
    if (hall.count == MAX_ENTRIES)
        exit(2);
    entry *self = &hall.entries[hall.count++];
    *self = (entry){ .who = who };
    return self;
}

static void enter_row(const lay_cuda_kernel *row, const char *note, const split_task *task)
{
    entry *self = enter(OWN);
    self->note = note;
    split_product *p = &self->product;
    *p = (split_product){ .row = row,
                          .left = &hall.of[0],
                          .right = &hall.of[1],
                          .result = &hall.of[2],
                          .left_as = matrix_class(&hall.of[0], 1),
                          .right_as = matrix_class(&hall.of[1], 0),
                          .is_c_vector = matrix_allows(&hall.of[2], 0, LAY_CUDA_ACROSS_VECTOR),
                          .slices = task->slices,
                          .is_set = task->is_set,
                          .strict_slices = task->strict_slices,
                          .policy = task->policy,
                          .multiprocessors = task->multiprocessors,
                          .stream = hall.stream };
    split_prepare(p);
    split_set(p, hall.storage[0], hall.storage[1], hall.storage[2], 1, task->beta);
    const int is_first = self == &hall.entries[task->peer ? 2 : 0];
    split_launch(p); /* the launches by themselves find what those before them leave */
    for (split_stage stage = 0; stage < SPLIT_STAGES && task->each_stage; stage++)
        if (is_first || stage == SPLIT_MULTIPLY) {
            entry *part = enter(OWN_STAGE);
            part->product = *p;
            part->stage = stage;
        }
}

static void open_hall(const split_task *task)
{
    const int shape[3][2] = { { task->m, task->k }, { task->k, task->n }, { task->m, task->n } };
    if (!hall.stream) {
        int status = device_open(LAY_DEVICE_AUTO);
        if (status == EXIT_FINE)
            status = device_allocate(WORKSPACE, &hall.workspace);
        if (status != EXIT_FINE)
            exit(status);
        hall.stream = device_get()->stream;
    }
    hall.count = 0;
    for (int i = 0; i < 3; i++) {
        matrix_create(task->layouts[i], LAY_F32, shape[i][0], shape[i][1], &hall.of[i]);
        MUST(cudaMalloc(&hall.storage[i], (size_t)hall.of[i].elements * sizeof(float)));
        if (i < 2)
            split_put(&hall.of[i], i == 0, hall.storage[i], task->kind, 2 * task->seed + (unsigned)i);
        else
            data_fill_random(LAY_F32, hall.storage[i], hall.of[i].elements, (unsigned)i);
    }
    for (int i = 0; i < 2; i++) {
        const int64_t elements = (int64_t)shape[i][0] * shape[i][1];
        MUST(cudaMalloc(&hall.halves[i], (size_t)elements * 2));
        split_fill_halves(hall.halves[i], elements, (unsigned)i);
    }
    if (task->peer)
        check_status(cublas_use(task->peer, hall.stream, hall.workspace, WORKSPACE));
}

static void close_hall(void)
{
    for (int i = 0; i < hall.count; i++) {
        device_turn_free(&hall.entries[i].turn);
        if (hall.entries[i].who == OWN)
            split_free(&hall.entries[i].product);
    }
    for (int i = 0; i < 3; i++) {
        matrix_free(&hall.of[i]);
        MUST(cudaFree(hall.storage[i]));
    }
    for (int i = 0; i < 2; i++)
        MUST(cudaFree(hall.halves[i]));
}

static void print_entries(const split_task *task)
{
    static const char *const stages[] = { "zero", "prepare", "widen", "multiply", "add", "patch" };
    const double flops = 2.0 * task->m * task->n * task->k;
    const entry *sgemm = NULL, *halves = NULL;
    for (int i = 0; i < hall.count; i++) {
        sgemm = hall.entries[i].who == PEER_SGEMM ? &hall.entries[i] : sgemm;
        halves = hall.entries[i].who == PEER_HALVES ? &hall.entries[i] : halves;
    }
    for (int i = 0; i < hall.count; i++) {
        const entry *e = &hall.entries[i];
        const double seconds = median(e->seconds, task->rounds);
        const lay_cuda_split_path_kind path = e->who == OWN ? split_path_taken(&e->product) : LAY_SPLIT_FP16X3;
        const int slices = path == LAY_SPLIT_STRICT ? e->product.args.strict_slices : e->product.args.slices;
        const char *name = e->who == PEER_SGEMM    ? "cuBLAS SGEMM"
                           : e->who == PEER_HALVES ? "cuBLAS 3 x FP16"
                                                   : e->product.row->name;
        printf("%dx%dx%d %s,%s,%s %-24s %-8s %2d %10.2f us %7.1f TF", task->m, task->n, task->k, task->layouts[0],
               task->layouts[1], task->layouts[2], name, e->who == OWN_STAGE ? stages[e->stage] : "",
               e->who < PEER_SGEMM ? slices : 0, 1e6 * seconds, 1e-12 * flops / seconds);
        if (sgemm && halves)
            printf("  SGEMM %6.3f  roof %6.3f", median_ratio(sgemm->seconds, e->seconds, task->rounds),
                   median_ratio(halves->seconds, e->seconds, task->rounds));
        if (e->who == OWN)
            printf("  %s, %s, seed %u", split_path_name(path), split_kind_name(task->kind), task->seed);
        if (e->who == OWN_STAGE && e->stage == SPLIT_PREPARE)
            printf("  %.2f TB/s", 8e-12 * ((double)task->m + task->n) * task->k / seconds);
        if (e->note)
            printf("  %s", e->note);
        printf("%s\n", e->turn.is_plain ? "  (no graph)" : "");
    }
    fflush(stdout);
}

void split_time(const lay_cuda_kernel *const rows[], int count, const split_task *task)
{
    open_hall(task);
    if (task->peer) {
        enter(PEER_SGEMM);
        enter(PEER_HALVES);
    }
    for (int i = 0; i < count; i++)
        enter_row(rows[i], task->notes ? task->notes[i] : NULL, task);
    race(task);
    print_entries(task);
    close_hall();
}
