/* One row of the kernel table on given matrices. */
#ifndef BENCH_CUDA_LAUNCH_H
#define BENCH_CUDA_LAUNCH_H

#include "matrix.h"

/* Who adds the slices. */
typedef enum adding {
    ADDED_AFTER,    /* lay_cuda_add_slices */
    ADDED_BY_LAST,  /* the block that comes last to a tile, by counters */
    ADDED_TOGETHER, /* each block has all slices of its tile: rows with so many groups */
    ADDINGS
} adding;

typedef struct trial {
    const lay_cuda_kernel *row;
    const matrix *left, *right, *result;
    lay_cuda_class left_as, right_as;
    int is_c_vector;
    int slices, slice_k;
    adding adding;      /* of several slices */
    void *partial;      /* workspace_size bytes, or NULL for one slice */
    unsigned *counters; /* counters_size bytes of zeros */
    void *stream;
} trial;

/* What a row sums in a slice, for about so many slices; the number there are then. */
int slice_length(const lay_cuda_kernel *row, int k, int slices);
int slice_count(int k, int slice_k);

/* 1 where a row can have its slices added so. */
int can_add(const lay_cuda_kernel *row, int slices, adding how);

/* How the planner has them added (lib/cuda/launch/choose.c). */
adding planned_adding(const lay_cuda_kernel *row, int slices);

size_t partial_size(const trial *of);
size_t counters_size(const trial *of);

/* Enqueues C = alpha A B + beta C; a, b and c are storages. */
void launch(const trial *of, const void *a, const void *b, void *c, double alpha, double beta);

/* The same in two launches, cut at k: sums of the first steps, then the rest from there. sums is [m][n]. 0 where
 * the row or the classes do not allow it. */
int launch_resumed(const trial *of, const void *a, const void *b, void *c, double alpha, double beta, void *sums);

/* What costs depend on. */
typedef struct machine {
    int multiprocessors;
    double hertz, bytes_per_second; /* nominal */
} machine;

/* Seconds that the row's own figures promise: the planner's formula (lib/cuda/launch/choose.c). */
double predict(const trial *of, const machine *on);

#endif
