/* A BLACS context's grid of processes, with a team of them. */
#ifndef LAYPBLAS_GRID_H
#define LAYPBLAS_GRID_H

#include <mpi.h>
#include <stdint.h>

#include "layoutgemm_team.h"

struct laypblas_plans;

/* Kept with the context's communicator, and freed with it. Place r of the team is the process at row r / columns and
 * column r % columns. */
typedef struct laypblas_grid {
    int rows, columns, row, column;
    MPI_Comm comm;  /* of its own, ranks in the order of places */
    lay_team *team; /* NULL: there is none to be had here */
    int threads;    /* that a product takes; 0: as the environment says */
    struct laypblas_plans *plans;
} laypblas_grid;

/* NULL where this process is not in the context. Collective at the first call for a context. */
laypblas_grid *laypblas_grid_find(int context);

/* Where this process is in a context; 0: nowhere. */
int laypblas_grid_place(int context, int *rows, int *columns, int *row, int *column);

/* What all processes of the grid say of a call: the smallest of each number. */
void laypblas_grid_least(const laypblas_grid *grid, int count, int64_t number[]);

#endif
