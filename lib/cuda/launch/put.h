/* One kernel into a stream. */
#ifndef LAY_CUDA_PUT_H
#define LAY_CUDA_PUT_H

#include <stdint.h>

#include "cuda_kernel.h"

typedef struct lay_put {
    const char *name; /* for what lay_last_error says */
    const void *function;
    int64_t blocks;
    int slices; /* the grid's third dimension; 0 counts as 1 */
    int threads;
    int shared;  /* dynamic, bytes */
    int cluster; /* blocks side by side that reach each other's shared memory, from 9.0 on; 0 counts as 1 */
} lay_put;

/* A row's function for such operands (lay_cuda_kernel.function), and one of its passes. */
static inline lay_put lay_put_of_row(const lay_cuda_kernel *row, int left, int right, int64_t blocks)
{
    return (lay_put){ .name = row->name,
                      .function = row->function[left][right],
                      .blocks = blocks,
                      .threads = row->threads,
                      .shared = row->shared };
}
static inline lay_put lay_put_of_pass(const lay_cuda_kernel *row, int pass, int64_t blocks)
{
    const lay_cuda_pass *const own = row->passes[pass];
    return (lay_put){ own->name, own->function, blocks, 0, own->threads, own->shared, 0 };
}

/* The kernel has one argument, by value. is_early: it may take its place while what was put before it ends, and waits
 * for that as both kernels say (CUDA 12.3 is the first whose graphs know of this). LAY_ERR_DEVICE. */
lay_status lay_put_kernel(const lay_put *of, void *args, int is_early, void *stream);

#endif
