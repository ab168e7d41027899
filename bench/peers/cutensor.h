/* cuTENSOR, loaded while we run: a peer for contractions of what lies in device memory. */
#ifndef CUTENSOR_H
#define CUTENSOR_H

#include <stddef.h>
#include <stdint.h>

#include "bench/problems/contraction.h"

/* Its own algorithms, and two ways of having it choose. */
enum { CUTENSOR_ALGORITHMS = 5 };

typedef struct cutensor {
    void *library, *handle;
    size_t version; /* 20801 for 2.8.1 */
    struct cutensor_calls {
        int (*create)(void **handle);
        int (*destroy)(void *handle);
        size_t (*version)(void);
        int (*create_tensor)(void *handle, void **out, uint32_t rank, const int64_t extent[], const int64_t stride[],
                             int type, uint32_t alignment);
        int (*destroy_tensor)(void *of);
        int (*create_contraction)(void *handle, void **out, void *a, const int32_t modes_a[], int op_a, void *b,
                                  const int32_t modes_b[], int op_b, void *c, const int32_t modes_c[], int op_c,
                                  void *d, const int32_t modes_d[], void *compute);
        int (*destroy_operation)(void *of);
        int (*create_preference)(void *handle, void **out, int algorithm, int jit);
        int (*destroy_preference)(void *of);
        int (*create_plan)(void *handle, void **out, void *operation, void *preference, uint64_t most_workspace);
        int (*destroy_plan)(void *of);
        int (*ask_plan)(void *handle, void *plan, int attribute, void *out, size_t size);
        int (*contract)(void *handle, void *plan, const void *alpha, const void *a, const void *b, const void *beta,
                        const void *c, void *d, void *workspace, uint64_t size, void *stream);
    } calls;
    void *const *compute[2]; /* what it calls its arithmetic in FP32 and in FP64 */
} cutensor;

/* Loads a library, libcutensor.so.2 where path is NULL, with a handle for the current device. NULL, or why not, as a
 * sentence. It stays loaded when it is closed. */
const char *cutensor_open(const char *path, cutensor *out);
void cutensor_close(cutensor *of);

/* GETT, ... */
const char *cutensor_algorithm(int which);

typedef struct cutensor_plan {
    void *plan;
    uint64_t workspace; /* bytes that it needs */
} cutensor_plan;

/* C = A B with sums in FP32, or FP64 for f64 and c64, by one of its algorithms; tensors begin at multiples of 128
 * bytes. 0, or its status: not every algorithm has every contraction. */
int cutensor_plan_create(const cutensor *self, lay_type type, const contraction *of, int algorithm,
                         uint64_t most_workspace, cutensor_plan *out);
void cutensor_plan_destroy(const cutensor *self, cutensor_plan *of);

/* 0, or its status. */
int cutensor_contract(const cutensor *self, const cutensor_plan *plan, lay_type type, const void *a, const void *b,
                      void *c, void *workspace, void *stream);

#endif
