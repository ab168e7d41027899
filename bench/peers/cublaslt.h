/* cuBLAS' second interface, loaded while we run: for one product it proposes several algorithms, best first. */
#ifndef CUBLASLT_H
#define CUBLASLT_H

#include <stddef.h>
#include <stdint.h>

#include "layoutgemm.h"

enum { CUBLASLT_MOST = 8 }; /* algorithms that are asked for */

typedef struct cublaslt {
    void *handle, *workspace;
    size_t size; /* of the workspace */
    struct cublaslt_calls {
        int (*create)(void **handle);
        int (*describe)(void **desc, int compute, int scale_type);
        int (*set)(void *desc, int attribute, const void *value, size_t size);
        int (*forget)(void *desc);
        int (*lay_out)(void **layout, int type, uint64_t rows, uint64_t columns, int64_t ld);
        int (*forget_layout)(void *layout);
        int (*prefer)(void **preference);
        int (*set_preference)(void *preference, int attribute, const void *value, size_t size);
        int (*forget_preference)(void *preference);
        int (*propose)(void *handle, void *desc, void *a, void *b, void *c, void *d, void *preference, int wanted,
                       void *results, int *count);
        int (*multiply)(void *handle, void *desc, const void *alpha, const void *a, void *layout_a, const void *b,
                        void *layout_b, const void *beta, const void *c, void *layout_c, void *d, void *layout_d,
                        const void *algorithm, void *workspace, size_t size, void *stream);
    } calls;
} cublaslt;

/* As its header has it. */
typedef struct cublaslt_proposal {
    uint64_t algorithm[8];
    size_t workspace;
    int status;
    float waves;
    int reserved[4];
} cublaslt_proposal;

/* C = A B of dense matrices, C by rows, A and B by rows or by columns. */
typedef struct cublaslt_product {
    lay_type type;
    lay_compute compute; /* LAY_COMPUTE_TF32: f32 with TF32 allowed */
    int m, n, k;
    int by_columns[2]; /* of A and B */
    void *desc, *layout[3];
    cublaslt_proposal proposed[CUBLASLT_MOST];
    int count;
} cublaslt_product;

/* NULL, or why not, as a sentence. It takes this workspace in device memory. It stays loaded. */
const char *cublaslt_open(void *workspace, size_t size, cublaslt *out);

/* With its sizes and types given, what it proposes for it: 0, or its status; cublaslt_forget in either case. */
int cublaslt_propose(const cublaslt *self, cublaslt_product *of);
void cublaslt_forget(const cublaslt *self, cublaslt_product *of);

/* By proposal number so and so. 0, or its status. */
int cublaslt_multiply(const cublaslt *self, const cublaslt_product *of, int number, const void *a, const void *b,
                      void *c, void *stream);

#endif
