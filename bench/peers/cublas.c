/* cuBLAS, loaded while we run: a peer for what lies in device memory. */
#include "cublas.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "loading.h"

static const loading known = {
    "cublas",
    { "libcublas.so.13", "libcublas.so.12", "libcublas.so" },
    "it comes with the CUDA toolkit, 'pip install nvidia-cublas' brings it too",
};
enum { OP_N = 0, OP_T = 1 };

/* Of cudaDataType_t, cublasComputeType_t and cublasGemmAlgo_t. */
enum { R_32F = 0, R_16F = 2, R_16BF = 14, COMPUTE_32F = 68, DEFAULT_ALGORITHM = -1 };

static int find(void *library, const char *name, void *call)
{
    void *const found = dlsym(library, name);
    *(void **)call = found; /* dlsym gives a data pointer; POSIX lets it be called as what it is */
    return found != NULL;
}

static int find_calls(void *library, struct cublas_calls *out)
{
    return find(library, "cublasCreate_v2", &out->create) && find(library, "cublasDestroy_v2", &out->destroy) &&
           find(library, "cublasGetVersion_v2", &out->version) && find(library, "cublasSetStream_v2", &out->stream) &&
           find(library, "cublasSetWorkspace_v2", &out->workspace) && find(library, "cublasSgemm_v2", &out->sgemm) &&
           find(library, "cublasDgemm_v2", &out->dgemm) && find(library, "cublasCgemm_v2", &out->cgemm) &&
           find(library, "cublasZgemm_v2", &out->zgemm) && find(library, "cublasGemmEx", &out->gemm_ex);
}

const char *cublas_open(const char *path, cublas *out)
{
    static __thread char sentence[640];
    *out = (cublas){ 0 };
    setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
    out->library = loading_open(&known, path, RTLD_NOW | RTLD_LOCAL, sentence, (int)sizeof sentence);
    if (!out->library)
        return sentence;
    if (!find_calls(out->library, &out->calls)) {
        snprintf(sentence, sizeof sentence, "%s: is not cuBLAS", path ? path : known.name);
        return sentence;
    }
    const int status = out->calls.create(&out->handle);
    if (status) {
        snprintf(sentence, sizeof sentence, "cuBLAS: cublasCreate failed with status %d", status);
        return sentence;
    }
    out->calls.version(out->handle, &out->version);
    return NULL;
}

void cublas_close(cublas *of)
{
    of->calls.destroy(of->handle);
}

int cublas_use(const cublas *self, void *stream, void *workspace, size_t size)
{
    const int status = self->calls.stream(self->handle, stream);
    return status ? status : self->calls.workspace(self->handle, workspace, size);
}

/* cuBLAS thinks in columns: C stored by rows is its C transposed, B^T A^T. */
int cublas_multiply(const cublas *self, lay_type type, const reading *read, int m, int n, int k, const void *a,
                    const void *b, double beta, void *c)
{
    const int swap = read->c.by_rows;
    const int op_a = read->a.by_rows == swap ? OP_N : OP_T, op_b = read->b.by_rows == swap ? OP_N : OP_T;
    const int rows = swap ? n : m, columns = swap ? m : n;
    const int op_1 = swap ? op_b : op_a, op_2 = swap ? op_a : op_b;
    const int ld_1 = swap ? read->b.ld : read->a.ld, ld_2 = swap ? read->a.ld : read->b.ld;
    const void *first = swap ? b : a, *second = swap ? a : b;
    if (type == LAY_F32) {
        const float one = 1, scale = (float)beta;
        return self->calls.sgemm(self->handle, op_1, op_2, rows, columns, k, &one, first, ld_1, second, ld_2, &scale, c,
                                 read->c.ld);
    }
    if (type == LAY_C32) {
        const float one[] = { 1, 0 }, scale[] = { (float)beta, 0 };
        return self->calls.cgemm(self->handle, op_1, op_2, rows, columns, k, one, first, ld_1, second, ld_2, scale, c,
                                 read->c.ld);
    }
    if (type == LAY_C64) {
        const double one[] = { 1, 0 }, scale[] = { beta, 0 };
        return self->calls.zgemm(self->handle, op_1, op_2, rows, columns, k, one, first, ld_1, second, ld_2, scale, c,
                                 read->c.ld);
    }
    if (type != LAY_F64) {
        const float one = 1, scale = (float)beta;
        const int of = type == LAY_F16 ? R_16F : R_16BF;
        return self->calls.gemm_ex(self->handle, op_1, op_2, rows, columns, k, &one, first, of, ld_1, second, of, ld_2,
                                   &scale, c, of, read->c.ld, COMPUTE_32F, DEFAULT_ALGORITHM);
    }
    const double one = 1;
    return self->calls.dgemm(self->handle, op_1, op_2, rows, columns, k, &one, first, ld_1, second, ld_2, &beta, c,
                             read->c.ld);
}

int cublas_multiply_halves(const cublas *self, int m, int n, int k, const void *a, const void *b, float *c)
{
    const float one = 1, zero = 0;
    return self->calls.gemm_ex(self->handle, OP_N, OP_N, n, m, k, &one, b, R_16F, n, a, R_16F, k, &zero, c, R_32F, n,
                               COMPUTE_32F, DEFAULT_ALGORITHM);
}
