/* cuBLAS' interface for several devices: matrices lie in host memory or on any device, and pass in tiles. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/timing/timing.h"
#include "loading.h"
#include "several.h"

static const loading known = {
    "cublasxt",
    { "libcublas.so.13", "libcublas.so.12", "libcublas.so" },
    "it comes with the CUDA toolkit, 'pip install nvidia-cublas' brings it too",
};
enum { OP_N = 0, SIDES = 4 };

typedef int product_fn(void *handle, int op_a, int op_b, size_t m, size_t n, size_t k, const void *alpha, const void *a,
                       size_t lda, const void *b, size_t ldb, const void *beta, void *c, size_t ldc);

typedef struct cublasxt {
    void *handle;
    int (*destroy)(void *handle);
    int (*set_tile)(void *handle, int side);
    product_fn *product[SIDES]; /* of f32, f64, c32, c64 */
    struct {
        several_problem of;
        int tile; /* the side */
    } slot[SEVERAL_SLOTS];
} cublasxt;

static int find(void *library, const char *name, void *call)
{
    void *const found = dlsym(library, name);
    *(void **)call = found; /* dlsym gives a data pointer; POSIX lets it be called as what it is */
    return found != NULL;
}

/* cuBLAS thinks in columns: C by rows is its C transposed, B^T A^T. */
static int multiply(const cublasxt *self, const several_problem *of)
{
    static const double one[] = { 1, 0 }, zero[] = { 0, 0 };
    static const float short_one[] = { 1, 0 }, short_zero[] = { 0, 0 };
    const int is_long = of->type == LAY_F64 || of->type == LAY_C64;
    const int which = of->type == LAY_F32 ? 0 : of->type == LAY_F64 ? 1 : of->type == LAY_C32 ? 2 : 3;
    const size_t n = (size_t)of->n, line = (size_t)of->line;
    return self->product[which](self->handle, OP_N, OP_N, n, n, n, is_long ? (const void *)one : short_one,
                                of->part[1][0], line, of->part[0][0], line, is_long ? (const void *)zero : short_zero,
                                of->part[2][0], line);
}

static const char *say(const char *what, int status)
{
    static char sentence[120];
    snprintf(sentence, sizeof sentence, "%s failed with status %d", what, status);
    return sentence;
}

/* With the side of tiles that is the fastest at it, of those that it may have. */
static const char *prepare(void *given, int slot, const several_problem *of)
{
    static const int sides[] = { 1024, 2048, 4096, 8192 };
    cublasxt *const self = given;
    double least = 0;
    if (of->type == LAY_F16 || of->type == LAY_BF16)
        return "it has no product of 16-bit types";
    self->slot[slot].of = *of;
    self->slot[slot].tile = 0;
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        int status = i > 0 && sides[i] > of->n ? -1 : self->set_tile(self->handle, sides[i]);
        if (status < 0)
            continue;
        double begin = 0;
        for (int turn = 0; turn < 2 && status == 0; turn++) { /* the first one takes memory */
            begin = seconds_now();
            status = multiply(self, of);
        }
        const double seconds = seconds_now() - begin;
        if (status)
            return say("its product", status);
        if (self->slot[slot].tile == 0 || seconds < least) {
            self->slot[slot].tile = sides[i];
            least = seconds;
        }
    }
    return NULL;
}

static const char *run(void *given, int slot)
{
    const cublasxt *const self = given;
    int status = self->set_tile(self->handle, self->slot[slot].tile);
    status = status ? status : multiply(self, &self->slot[slot].of);
    return status ? say("its product", status) : NULL;
}

static void close_it(void *given)
{
    cublasxt *const self = given;
    self->destroy(self->handle);
    free(self);
}

const char *cublasxt_open(const char *path, int count, const int devices[], several_peer *out)
{
    static char sentence[640];
    int (*create)(void **handle), (*choose)(void *handle, int count, int *devices), (*tell)(int which, int *value);
    int list[64], part[3] = { 0 };
    snprintf(out->name, sizeof out->name, "cuBLASXt");
    setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
    void *const library = loading_open(&known, path, RTLD_NOW | RTLD_LOCAL, sentence, (int)sizeof sentence);
    if (!library)
        return sentence;
    cublasxt *const self = calloc(1, sizeof *self);
    if (!self)
        return "out of memory";
    if (!find(library, "cublasXtCreate", &create) || !find(library, "cublasXtDeviceSelect", &choose) ||
        !find(library, "cublasGetProperty", &tell) || !find(library, "cublasXtDestroy", &self->destroy) ||
        !find(library, "cublasXtSetBlockDim", &self->set_tile) || !find(library, "cublasXtSgemm", &self->product[0]) ||
        !find(library, "cublasXtDgemm", &self->product[1]) || !find(library, "cublasXtCgemm", &self->product[2]) ||
        !find(library, "cublasXtZgemm", &self->product[3])) {
        free(self);
        return "it has no cublasXt calls";
    }
    for (int i = 0; i < count && i < 64; i++)
        list[i] = devices[i];
    int status = create(&self->handle);
    if (status) {
        free(self);
        return say("cublasXtCreate", status);
    }
    if ((status = choose(self->handle, count, list))) {
        close_it(self);
        return say("cublasXtDeviceSelect", status);
    }
    for (int i = 0; i < 3; i++)
        tell(i, &part[i]);
    out->self = self;
    out->prepare = prepare;
    out->run = run;
    out->close = close_it;
    snprintf(out->about, sizeof out->about,
             "cuBLASXt of cuBLAS %d.%d.%d in FP32 (no TF32) on %d devices, matrices on the first, tiles of the best "
             "of 1024, 2048, 4096, 8192",
             part[0], part[1], part[2], count);
    return NULL;
}
