/* How fast products by pieces are, in turns with cuBLAS's SGEMM and with three of its FP16 products, which are the
 * roof. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/timing.h"
#include "bench/kernels/cuda/must.h"
#include "split_bench.h"

enum { MAX_ENTRIES = 128, WORKSPACE = 64 << 20, OP_N = 0, R_16F = 2, R_32F = 0, COMPUTE_32F = 68, DEFAULT_ALGO = -1 };

typedef int gemm_ex_fn(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a,
                       int type_a, int lda, const void *b, int type_b, int ldb, const void *beta, void *c, int type_c,
                       int ldc, int compute, int algo);

typedef enum player { OWN, OWN_STAGE, PEER_SGEMM, PEER_HALVES } player;

typedef struct entry {
    player who;
    split_product product;
    split_stage stage;
    const char *note;
    cudaGraphExec_t graph;
    int calls;
    double seconds[SPLIT_MAX_ROUNDS];
} entry;

static struct {
    cudaStream_t stream;
    cudaEvent_t start, end;
    void *workspace;
    matrix of[3];
    void *storage[3];
    void *halves[2];
    gemm_ex_fn *gemm_ex;
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

static void call(const split_task *task, entry *self)
{
    const float one = 1, zero = 0;
    const int m = task->m, n = task->n, k = task->k;
    const reading rows = { { 1, k }, { 1, n }, { 1, n } };
    switch (self->who) {
    case OWN:
        split_launch(&self->product);
        return;
    case OWN_STAGE:
        if (self->stage == SPLIT_PREPARE) /* its blocks meet by records that are zero before */
            split_enqueue(&self->product, SPLIT_ZERO);
        split_enqueue(&self->product, self->stage);
        return;
    case PEER_SGEMM:
        check_status(cublas_multiply(task->peer, LAY_F32, &rows, m, n, k, hall.storage[0], hall.storage[1], task->beta,
                                     hall.storage[2]));
        return;
    default:
        for (int i = 0; i < 3; i++)
            check_status(hall.gemm_ex(task->peer->handle, OP_N, OP_N, n, m, k, &one, hall.halves[1], R_16F, n,
                                      hall.halves[0], R_16F, k, &zero, hall.storage[2], R_32F, n, COMPUTE_32F,
                                      DEFAULT_ALGO));
    }
}

static void record(const split_task *task, entry *self)
{
    cudaGraph_t graph;
    MUST(cudaStreamBeginCapture(hall.stream, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < self->calls; i++)
        call(task, self);
    MUST(cudaStreamEndCapture(hall.stream, &graph));
    MUST(cudaGraphInstantiate(&self->graph, graph, 0));
    MUST(cudaGraphDestroy(graph));
}

static double take_turn(entry *self)
{
    float ms;
    MUST(cudaGraphLaunch(self->graph, hall.stream));
    MUST(cudaEventRecord(hall.start, hall.stream));
    MUST(cudaGraphLaunch(self->graph, hall.stream));
    MUST(cudaEventRecord(hall.end, hall.stream));
    MUST(cudaEventSynchronize(hall.end));
    MUST(cudaEventElapsedTime(&ms, hall.start, hall.end));
    return 1e-3 * ms / self->calls;
}

/* Calls that make a turn of two milliseconds or more. */
static void prepare(const split_task *task, entry *self)
{
    float ms;
    call(task, self);
    MUST(cudaEventRecord(hall.start, hall.stream));
    call(task, self);
    MUST(cudaEventRecord(hall.end, hall.stream));
    MUST(cudaEventSynchronize(hall.end));
    MUST(cudaEventElapsedTime(&ms, hall.start, hall.end));
    self->calls = 2 / ms < 100 ? (int)(2 / ms) + 1 : 100;
    record(task, self);
}

static entry *enter(player who)
{
    if (hall.count == MAX_ENTRIES)
        exit(2);
    entry *self = &hall.entries[hall.count++];
    *self = (entry){ .who = who };
    return self;
}

static void enter_row(const lay_cuda_split_row *row, const char *note, const split_task *task)
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
        MUST(cudaStreamCreateWithFlags(&hall.stream, cudaStreamNonBlocking));
        MUST(cudaEventCreate(&hall.start));
        MUST(cudaEventCreate(&hall.end));
        MUST(cudaMalloc(&hall.workspace, WORKSPACE));
    }
    hall.count = 0;
    for (int i = 0; i < 3; i++) {
        if (!matrix_create(task->layouts[i], LAY_F32, shape[i][0], shape[i][1], &hall.of[i])) {
            fprintf(stderr, "there is no layout '%s'\n", task->layouts[i]);
            exit(2);
        }
        MUST(cudaMalloc(&hall.storage[i], (size_t)hall.of[i].elements * sizeof(float)));
        if (i < 2)
            split_put(&hall.of[i], i == 0, hall.storage[i], task->kind, (unsigned)i);
        else
            data_fill_random(LAY_F32, hall.storage[i], hall.of[i].elements, (unsigned)i);
    }
    for (int i = 0; i < 2; i++) {
        const int64_t elements = (int64_t)shape[i][0] * shape[i][1];
        MUST(cudaMalloc(&hall.halves[i], (size_t)elements * 2));
        split_fill_halves(hall.halves[i], elements, (unsigned)i);
    }
    if (task->peer) {
        void *found = dlsym(task->peer->library, "cublasGemmEx");
        *(void **)&hall.gemm_ex = found; /* dlsym gives a data pointer; POSIX lets it be called as what it is */
        check_status(cublas_use(task->peer, hall.stream, hall.workspace, WORKSPACE));
    }
}

static void close_hall(void)
{
    for (int i = 0; i < hall.count; i++) {
        MUST(cudaGraphExecDestroy(hall.entries[i].graph));
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
        const char *name = e->who == PEER_SGEMM    ? "cuBLAS SGEMM"
                           : e->who == PEER_HALVES ? "cuBLAS 3 x FP16"
                                                   : e->product.row->name;
        printf("%dx%dx%d %s,%s,%s %-24s %-8s %2d %10.2f us %7.1f TF", task->m, task->n, task->k, task->layouts[0],
               task->layouts[1], task->layouts[2], name, e->who == OWN_STAGE ? stages[e->stage] : "",
               e->who < PEER_SGEMM ? e->product.args.slices : 0, 1e6 * seconds, 1e-12 * flops / seconds);
        if (sgemm && halves)
            printf("  SGEMM %6.3f  roof %6.3f", median_ratio(sgemm->seconds, e->seconds, task->rounds),
                   median_ratio(halves->seconds, e->seconds, task->rounds));
        if (e->who == OWN)
            printf("  %s", split_path_name(split_path_taken(&e->product)));
        if (e->who == OWN_STAGE && e->stage == SPLIT_PREPARE)
            printf("  %.2f TB/s", 8e-12 * ((double)task->m + task->n) * task->k / seconds);
        if (e->note)
            printf("  %s", e->note);
        printf("\n");
    }
    fflush(stdout);
}

void split_time(const lay_cuda_split_row *const rows[], int count, const split_task *task)
{
    open_hall(task);
    if (task->peer) {
        enter(PEER_SGEMM);
        enter(PEER_HALVES);
    }
    for (int i = 0; i < count; i++)
        enter_row(rows[i], task->notes ? task->notes[i] : NULL, task);
    for (int i = 0; i < hall.count; i++)
        prepare(task, &hall.entries[i]);
    for (int round = 0; round < task->rounds; round++)
        for (int i = 0; i < hall.count; i++)
            hall.entries[(i + round) % hall.count].seconds[round] = take_turn(&hall.entries[(i + round) % hall.count]);
    print_entries(task);
    close_hall();
}
