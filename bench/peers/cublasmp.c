/* cuBLASMp: a rank a device, threads of this process. It is loaded with NCCL, between whose communicators it works;
 * their calls are declared here, as they are made. Memory is cudaMalloc's, no window of NCCL's. */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/timing/timing.h"
#include "loading.h"
#include "several.h"

static const loading known = { "cublasmp",
                               { "libcublasmp.so.0", "libcublasmp.so" },
                               "'pip install "
                               "nvidia-cublasmp-cu13' brings it" };
static const loading known_nccl = { "nccl",
                                    { "libnccl.so.2", "libnccl.so" },
                                    "'pip install nvidia-nccl-cu13' brings it, LAY_NCCL names its file" };

/* Its numbers, cuBLAS' and CUDA's; LEAST_NCCL: of whose calls cuBLASMp 0.8 to 0.10 has need. */
enum { OP_N = 0, GRID_BY_COLUMNS = 0, MOST = 64, LEAST_NCCL = 22902 };
enum { R_32F = 0, R_64F = 1, R_16F = 2, C_32F = 4, C_64F = 5, R_16BF = 14, COMPUTE_32F = 68, COMPUTE_64F = 70 };
#define PATIENCE 60.0 /* seconds that a call may take */
#define AWAKE    2e-3 /* that a rank waits at the ready for its next deed */

typedef int gemm_sizes_fn(void *handle, int op_a, int op_b, int64_t m, int64_t n, int64_t k, const void *alpha,
                          const void *a, int64_t ia, int64_t ja, void *desc_a, const void *b, int64_t ib, int64_t jb,
                          void *desc_b, const void *beta, void *c, int64_t ic, int64_t jc, void *desc_c, int compute,
                          size_t *on_device, size_t *on_host);
typedef int gemm_fn(void *handle, int op_a, int op_b, int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                    int64_t ia, int64_t ja, void *desc_a, const void *b, int64_t ib, int64_t jb, void *desc_b,
                    const void *beta, void *c, int64_t ic, int64_t jc, void *desc_c, int compute, void *work,
                    size_t work_size, void *host, size_t host_size);

typedef struct calls {
    int (*version)(int *out);
    int (*open)(void **handle, void *stream);
    int (*close)(void *handle);
    int (*open_grid)(int64_t down, int64_t across, int layout, void *comm, void **grid);
    int (*close_grid)(void *grid);
    int (*describe)(int64_t m, int64_t n, int64_t rows, int64_t columns, int64_t first_row, int64_t first_column,
                    int64_t line, int type, void *grid, void **desc);
    int (*forget)(void *desc);
    gemm_sizes_fn *sizes;
    gemm_fn *gemm;
    int (*nccl_version)(int *out);
    int (*nccl_open)(void **comms, int count, const int *devices);
    int (*nccl_close)(void *comm);
} calls;

typedef enum deed { OPEN, PREPARE, RUN, CLOSE } deed;

struct cublasmp;

/* A product, as a member has it. */
typedef struct share {
    void *grid, *desc[3];
    void *work, *host;
    size_t work_size, host_size;
} share;

typedef struct member {
    struct cublasmp *of;
    int number, device;
    pthread_t thread;
    cudaStream_t stream;
    void *comm, *handle;
    share share[SEVERAL_SLOTS];
    char failed[160]; /* "": what it did last went well */
} member;

typedef struct cublasmp {
    calls call;
    int count, is_stuck;
    member member[MOST];
    several_problem problem[SEVERAL_SLOTS];
    deed deed;
    int slot;              /* of the deed */
    atomic_int turn, done; /* deeds that were given, and members that have done the last one */
} cublasmp;

/* ---- what each of them does ------------------------------------------------------------------- */

static int went(member *self, const char *what, int status)
{
    if (status && !self->failed[0])
        snprintf(self->failed, sizeof self->failed, "%s failed with status %d on device %d", what, status,
                 self->device);
    return status == 0;
}

static int open_member(member *self)
{
    return went(self, "cudaSetDevice", cudaSetDevice(self->device)) &&
           went(self, "cudaStreamCreateWithFlags", cudaStreamCreateWithFlags(&self->stream, cudaStreamNonBlocking)) &&
           went(self, "cublasMpCreate", self->of->call.open(&self->handle, self->stream));
}

static void forget(member *self, share *of)
{
    const calls *const call = &self->of->call;
    for (int i = 0; i < 3; i++)
        if (of->desc[i])
            went(self, "cublasMpMatrixDescriptorDestroy", call->forget(of->desc[i]));
    if (of->grid)
        went(self, "cublasMpGridDestroy", call->close_grid(of->grid));
    cudaFree(of->work);
    free(of->host);
    *of = (share){ .grid = NULL };
}

static int type_of(lay_type type)
{
    static const int types[] = { [LAY_F32] = R_32F,   [LAY_F64] = R_64F, [LAY_F16] = R_16F,
                                 [LAY_BF16] = R_16BF, [LAY_C32] = C_32F, [LAY_C64] = C_64F };
    return types[type];
}

static int is_long(const several_problem *of)
{
    return of->type == LAY_F64 || of->type == LAY_C64;
}

static const void *scalar(const several_problem *of, int is_one)
{
    static const double one[] = { 1, 0 }, zero[] = { 0, 0 };
    static const float short_one[] = { 1, 0 }, short_zero[] = { 0, 0 };
    return is_long(of) ? (const void *)(is_one ? one : zero) : is_one ? short_one : short_zero;
}

/* It thinks in columns: of matrices by rows it sees the transposed ones, on the transposed grid, and C^T is B^T A^T. */
static int lay_out(member *self, const several_problem *of, share *to)
{
    const calls *const call = &self->of->call;
    if (!went(self, "cublasMpGridCreate",
              call->open_grid(of->across, of->down, GRID_BY_COLUMNS, self->comm, &to->grid)))
        return 0;
    for (int i = 0; i < 3; i++)
        if (!went(self, "cublasMpMatrixDescriptorCreate",
                  call->describe(of->n, of->n, of->columns, of->rows, 0, 0, of->line, type_of(of->type), to->grid,
                                 &to->desc[i])))
            return 0;
    return 1;
}

static int prepare_share(member *self, const several_problem *of, share *to)
{
    const int p = self->number;
    forget(self, to);
    if (self->failed[0] || !lay_out(self, of, to) ||
        !went(self, "cublasMpGemm_bufferSize",
              self->of->call.sizes(self->handle, OP_N, OP_N, of->n, of->n, of->n, scalar(of, 1), of->part[1][p], 1, 1,
                                   to->desc[1], of->part[0][p], 1, 1, to->desc[0], scalar(of, 0), of->part[2][p], 1, 1,
                                   to->desc[2], is_long(of) ? COMPUTE_64F : COMPUTE_32F, &to->work_size,
                                   &to->host_size)) ||
        !went(self, "cudaMalloc", cudaMalloc(&to->work, to->work_size + 1)))
        return 0;
    to->host = malloc(to->host_size + 1);
    return went(self, "malloc", to->host ? 0 : 1);
}

static void run_share(member *self, const several_problem *of, const share *with)
{
    const int p = self->number;
    if (went(self, "cublasMpGemm",
             self->of->call.gemm(self->handle, OP_N, OP_N, of->n, of->n, of->n, scalar(of, 1), of->part[1][p], 1, 1,
                                 with->desc[1], of->part[0][p], 1, 1, with->desc[0], scalar(of, 0), of->part[2][p], 1,
                                 1, with->desc[2], is_long(of) ? COMPUTE_64F : COMPUTE_32F, with->work, with->work_size,
                                 with->host, with->host_size)))
        went(self, "cudaStreamSynchronize", cudaStreamSynchronize(self->stream));
}

static void close_member(member *self)
{
    for (int i = 0; i < SEVERAL_SLOTS; i++)
        forget(self, &self->share[i]);
    if (self->handle)
        self->of->call.close(self->handle);
    if (self->stream)
        cudaStreamDestroy(self->stream);
    if (self->comm)
        self->of->call.nccl_close(self->comm);
}

/* Without sleep where the next deed follows at once. */
static void wait_for(atomic_int *of, int value)
{
    const double begin = seconds_now();
    while (atomic_load(of) != value)
        if (seconds_now() - begin > AWAKE)
            nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
}

static void *live(void *given)
{
    member *const self = given;
    for (int turn = 1; turn > 0; turn++) {
        wait_for(&self->of->turn, turn);
        self->failed[0] = 0;
        const deed next = self->of->deed;
        const int slot = self->of->slot;
        if (next == OPEN)
            open_member(self);
        else if (next == PREPARE)
            prepare_share(self, &self->of->problem[slot], &self->share[slot]);
        else if (next == RUN)
            run_share(self, &self->of->problem[slot], &self->share[slot]);
        else
            close_member(self);
        atomic_fetch_add(&self->of->done, 1);
        if (next == CLOSE)
            break;
    }
    return NULL;
}

/* ---- all of them together --------------------------------------------------------------------- */

static const char *give_up(cublasmp *self)
{
    self->is_stuck = 1;
    return "no answer for a minute";
}

static const char *have_all(cublasmp *self, deed next, int slot)
{
    const double begin = seconds_now();
    if (self->is_stuck)
        return "no answer any more";
    self->deed = next;
    self->slot = slot;
    atomic_store(&self->done, 0);
    atomic_fetch_add(&self->turn, 1);
    while (atomic_load(&self->done) < self->count)
        if (seconds_now() - begin > PATIENCE)
            return give_up(self);
    for (int i = 0; i < self->count; i++)
        if (self->member[i].failed[0])
            return self->member[i].failed;
    return NULL;
}

static const char *prepare(void *given, int slot, const several_problem *of)
{
    cublasmp *const self = given;
    self->problem[slot] = *of;
    return have_all(self, PREPARE, slot);
}

static const char *run(void *self, int slot)
{
    return have_all(self, RUN, slot);
}

static void close_all(void *given)
{
    cublasmp *const self = given;
    have_all(self, CLOSE, 0);
    if (self->is_stuck)
        return; /* its threads may still look at it */
    for (int i = 0; i < self->count; i++)
        pthread_join(self->member[i].thread, NULL);
    free(self);
}

static const char *find_calls(void *library, void *nccl, calls *to)
{
    const struct {
        void *in;
        const char *name;
        void *to;
    } names[] = {
        { library, "cublasMpGetVersion", &to->version },
        { library, "cublasMpCreate", &to->open },
        { library, "cublasMpDestroy", &to->close },
        { library, "cublasMpGridCreate", &to->open_grid },
        { library, "cublasMpGridDestroy", &to->close_grid },
        { library, "cublasMpMatrixDescriptorCreate", &to->describe },
        { library, "cublasMpMatrixDescriptorDestroy", &to->forget },
        { library, "cublasMpGemm_bufferSize", &to->sizes },
        { library, "cublasMpGemm", &to->gemm },
        { nccl, "ncclGetVersion", &to->nccl_version },
        { nccl, "ncclCommInitAll", &to->nccl_open },
        { nccl, "ncclCommDestroy", &to->nccl_close },
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!(*(void **)names[i].to = dlsym(names[i].in, names[i].name)))
            return names[i].name;
    return NULL;
}

/* NCCL before what needs it, which takes the one that is loaded; what it calls is looked for when it calls it. */
static const char *load(const char *path, calls *to, int *nccl_version)
{
    static char sentence[640];
    *nccl_version = 0;
    void *const nccl =
        loading_open(&known_nccl, getenv("LAY_NCCL"), RTLD_NOW | RTLD_LOCAL, sentence, (int)sizeof sentence);
    if (!nccl)
        return sentence;
    int (*tell)(int *) = NULL;
    *(void **)&tell = dlsym(nccl, "ncclGetVersion");
    if (!tell || tell(nccl_version) || *nccl_version < LEAST_NCCL) {
        snprintf(sentence, sizeof sentence, "it needs NCCL %d.%d.%d, here is %d.%d.%d; LAY_NCCL names another file",
                 LEAST_NCCL / 10000, LEAST_NCCL / 100 % 100, LEAST_NCCL % 100, *nccl_version / 10000,
                 *nccl_version / 100 % 100, *nccl_version % 100);
        return sentence;
    }
    void *const library = loading_open(&known, path, RTLD_LAZY | RTLD_LOCAL, sentence, (int)sizeof sentence);
    if (!library)
        return sentence;
    const char *const missing = find_calls(library, nccl, to);
    if (missing)
        snprintf(sentence, sizeof sentence, "it has no %s", missing);
    return missing ? sentence : NULL;
}

static const char *start(cublasmp *self, const int devices[])
{
    static char sentence[80];
    void *comm[MOST] = { NULL };
    int before = 0;
    cudaGetDevice(&before);
    const int status = self->call.nccl_open(comm, self->count, devices);
    cudaSetDevice(before);
    if (status) {
        snprintf(sentence, sizeof sentence, "ncclCommInitAll failed with status %d", status);
        return sentence;
    }
    for (int i = 0; i < self->count; i++)
        self->member[i] = (member){ .of = self, .number = i, .device = devices[i], .comm = comm[i] };
    for (int i = 0; i < self->count; i++)
        if (pthread_create(&self->member[i].thread, NULL, live, &self->member[i]))
            return give_up(self);
    return have_all(self, OPEN, 0);
}

const char *cublasmp_open(const char *path, int count, const int devices[], several_peer *out)
{
    static char sentence[160];
    int version = 0, nccl_version;
    snprintf(out->name, sizeof out->name, "cuBLASMp");
    setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
    cublasmp *const self = calloc(1, sizeof *self);
    if (!self)
        return "out of memory";
    self->count = count;
    const char *why = load(path, &self->call, &nccl_version);
    if (why) {
        free(self);
        return why;
    }
    why = start(self, devices);
    if (why) {
        snprintf(sentence, sizeof sentence, "%s", why);
        if (self->member[0].of)
            close_all(self);
        return sentence;
    }
    self->call.version(&version);
    out->self = self;
    out->takes_parts = 1;
    out->prepare = prepare;
    out->run = run;
    out->close = close_all;
    snprintf(out->about, sizeof out->about,
             "cuBLASMp %d.%d.%d in FP32 (no TF32) by cublasMpGemm, NCCL %d.%d.%d, %d devices, a thread each",
             version / 10000, version / 100 % 100, version % 100, nccl_version / 10000, nccl_version / 100 % 100,
             nccl_version % 100, count);
    return NULL;
}
