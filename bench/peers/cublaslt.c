/* cuBLAS' second interface, loaded while we run: for one product it proposes several algorithms, best first. */
#include "cublaslt.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "bench/base/element.h"
#include "loading.h"

static const loading known = {
    "cublasLt",
    { "libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so" },
    "it comes with the CUDA toolkit, 'pip install nvidia-cublas' brings it too",
};

/* Of cublasOperation_t, cudaDataType_t, cublasComputeType_t, and of its attributes. */
enum {
    OP_N = 0,
    OP_T = 1,
    R_32F = 0,
    R_64F = 1,
    R_16F = 2,
    R_16BF = 14,
    COMPUTE_32F = 68,
    COMPUTE_64F = 70,
    COMPUTE_FAST_TF32 = 77,
    DESC_TRANSA = 3,
    DESC_TRANSB = 4,
    MAX_WORKSPACE = 1
};

static int find(void *library, const char *name, void *call)
{
    void *const found = dlsym(library, name);
    *(void **)call = found; /* dlsym gives a data pointer; POSIX lets it be called as what it is */
    return found != NULL;
}

static int find_calls(void *library, struct cublaslt_calls *out)
{
    return find(library, "cublasLtCreate", &out->create) && find(library, "cublasLtMatmulDescCreate", &out->describe) &&
           find(library, "cublasLtMatmulDescSetAttribute", &out->set) &&
           find(library, "cublasLtMatmulDescDestroy", &out->forget) &&
           find(library, "cublasLtMatrixLayoutCreate", &out->lay_out) &&
           find(library, "cublasLtMatrixLayoutDestroy", &out->forget_layout) &&
           find(library, "cublasLtMatmulPreferenceCreate", &out->prefer) &&
           find(library, "cublasLtMatmulPreferenceSetAttribute", &out->set_preference) &&
           find(library, "cublasLtMatmulPreferenceDestroy", &out->forget_preference) &&
           find(library, "cublasLtMatmulAlgoGetHeuristic", &out->propose) &&
           find(library, "cublasLtMatmul", &out->multiply);
}

const char *cublaslt_open(void *workspace, size_t size, cublaslt *out)
{
    static char sentence[640];
    *out = (cublaslt){ .workspace = workspace, .size = size };
    void *const library = loading_open(&known, NULL, RTLD_NOW | RTLD_LOCAL, sentence, (int)sizeof sentence);
    if (!library)
        return sentence;
    if (!find_calls(library, &out->calls))
        return "the library of that name is not cublasLt";
    const int status = out->calls.create(&out->handle);
    if (status)
        snprintf(sentence, sizeof sentence, "cublasLt: cublasLtCreate failed with status %d", status);
    return status ? sentence : NULL;
}

static int type_of(lay_type type)
{
    return type == LAY_F32 ? R_32F : type == LAY_F64 ? R_64F : type == LAY_F16 ? R_16F : R_16BF;
}

/* It thinks in columns: C stored by rows is its C transposed, B^T A^T. */
static int describe(const cublaslt *self, cublaslt_product *of)
{
    const struct cublaslt_calls *calls = &self->calls;
    const int type = type_of(of->type), scale = of->type == LAY_F64 ? R_64F : R_32F;
    const int compute = of->type == LAY_F64               ? COMPUTE_64F
                        : of->compute == LAY_COMPUTE_TF32 ? COMPUTE_FAST_TF32
                                                          : COMPUTE_32F;
    const int op_first = of->by_columns[1] ? OP_T : OP_N, op_second = of->by_columns[0] ? OP_T : OP_N;
    const uint64_t m = (uint64_t)of->m, n = (uint64_t)of->n, k = (uint64_t)of->k;
    int status = calls->describe(&of->desc, compute, scale);
    if (!status)
        status = calls->set(of->desc, DESC_TRANSA, &op_first, sizeof op_first);
    if (!status)
        status = calls->set(of->desc, DESC_TRANSB, &op_second, sizeof op_second);
    if (!status)
        status = of->by_columns[1] ? calls->lay_out(&of->layout[0], type, k, n, of->k)
                                   : calls->lay_out(&of->layout[0], type, n, k, of->n);
    if (!status)
        status = of->by_columns[0] ? calls->lay_out(&of->layout[1], type, m, k, of->m)
                                   : calls->lay_out(&of->layout[1], type, k, m, of->k);
    return status ? status : calls->lay_out(&of->layout[2], type, n, m, of->n);
}

int cublaslt_propose(const cublaslt *self, cublaslt_product *of)
{
    void *preference = NULL;
    int status = describe(self, of);
    if (!status)
        status = self->calls.prefer(&preference);
    if (!status)
        status = self->calls.set_preference(preference, MAX_WORKSPACE, &self->size, sizeof self->size);
    if (!status)
        status = self->calls.propose(self->handle, of->desc, of->layout[0], of->layout[1], of->layout[2], of->layout[2],
                                     preference, CUBLASLT_MOST, of->proposed, &of->count);
    if (preference)
        self->calls.forget_preference(preference);
    return status;
}

void cublaslt_forget(const cublaslt *self, cublaslt_product *of)
{
    for (int i = 0; i < 3; i++)
        if (of->layout[i])
            self->calls.forget_layout(of->layout[i]);
    if (of->desc)
        self->calls.forget(of->desc);
    memset(of->layout, 0, sizeof of->layout);
    of->desc = NULL;
    of->count = 0;
}

int cublaslt_multiply(const cublaslt *self, const cublaslt_product *of, int number, const void *a, const void *b,
                      void *c, void *stream)
{
    return self->calls.multiply(self->handle, of->desc, element_scalar(of->type, 1), b, of->layout[0], a, of->layout[1],
                                element_scalar(of->type, 0), c, of->layout[2], c, of->layout[2],
                                of->proposed[number].algorithm, self->workspace, self->size, stream);
}
