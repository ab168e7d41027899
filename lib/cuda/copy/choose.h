/* A copy's job as what is launched for it. Calls nothing of CUDA. */
#ifndef LAY_CUDA_COPY_CHOOSE_H
#define LAY_CUDA_COPY_CHOOSE_H

#include <stddef.h>

#include "cuda_copy.h"
#include "storage/copy.h"

/* What is launched. */
typedef struct lay_cuda_copy_form {
    const void *function;
    int64_t blocks;
    int threads, shared; /* of a block; bytes */
    int moved;           /* bytes that a thread moves at a time through a tile of words; 0: there is none */
} lay_cuda_copy_form;

/* Bytes of offset tables. */
size_t lay_cuda_copy_count_tables(const lay_copy_job *job);

/* The kernel and its argument. Tables are filled at host, and will lie at device when it runs. */
lay_cuda_copy_form lay_cuda_copy_choose(const lay_copy_job *job, int64_t *host, const int64_t *device,
                                        lay_cuda_copy_args *args);

#endif
