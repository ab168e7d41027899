/* BLACS's contexts, asked by the names of its Fortran interface, and the teams that belong to them. */
#include "pblas/grid.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "layoutgemm_mpi.h"
#include "pblas/next.h"
#include "pblas/plans.h"

/* BLACS's number for "the system's handle of this context". */
enum { SYSTEM_HANDLE = 10 };

/* A program that waits for another rank waits in MPI for ever: so do we, as far as a team can. */
static const double patience = 1e8;

typedef void gridinfo_fn(const int *, int *, int *, int *, int *);
typedef void get_fn(const int *, const int *, int *);

static struct {
    gridinfo_fn *gridinfo;
    get_fn *get;
    int key; /* of the attribute */
} blacs;

static int forget(MPI_Comm comm, int key, void *kept, void *extra)
{
    laypblas_grid *const grid = kept;
    (void)comm;
    (void)key;
    (void)extra;
    laypblas_plans_free(grid->plans);
    lay_team_destroy(grid->team);
    MPI_Comm_free(&grid->comm);
    free(grid);
    return MPI_SUCCESS;
}

static void open_blacs(void)
{
    *(void **)&blacs.gridinfo = laypblas_next("blacs_gridinfo_");
    *(void **)&blacs.get = laypblas_next("blacs_get_");
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &blacs.key, NULL);
}

static void need_blacs(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_blacs);
}

int laypblas_grid_place(int context, int *rows, int *columns, int *row, int *column)
{
    need_blacs();
    *rows = *columns = *row = *column = -1;
    if (context >= 0)
        blacs.gridinfo(&context, rows, columns, row, column);
    return *row >= 0 && *column >= 0 && *row < *rows && *column < *columns;
}

/* Ranks of one machine share its CPUs: those that all of them together may use, divided by their number. */
static int find_threads(MPI_Comm comm)
{
    if (getenv("LAY_NUM_THREADS") || getenv("OMP_NUM_THREADS"))
        return 0;
    MPI_Comm machine;
    cpu_set_t mine, all;
    int ranks;
    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        CPU_ZERO(&mine);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &ranks);
    MPI_Allreduce(&mine, &all, (int)sizeof mine, MPI_BYTE, MPI_BOR, machine);
    MPI_Comm_free(&machine);
    const int share = CPU_COUNT(&all) / ranks, most = CPU_COUNT(&mine);
    return share < 1 ? 1 : share < most ? share : most > 0 ? most : 1;
}

static laypblas_grid *make(const laypblas_grid *place, MPI_Comm comm)
{
    laypblas_grid *const grid = malloc(sizeof *grid);
    if (!grid)
        laypblas_give_up("a grid of processes", "no memory");
    *grid = *place;
    MPI_Comm_split(comm, 0, grid->row * grid->columns + grid->column, &grid->comm);
    grid->threads = find_threads(grid->comm);
    if (lay_team_mpi(grid->comm, &grid->team) != LAY_OK)
        grid->team = NULL;
    else
        lay_team_timeout(grid->team, patience);
    MPI_Comm_set_attr(comm, blacs.key, grid);
    return grid;
}

laypblas_grid *laypblas_grid_find(int context)
{
    const int what = SYSTEM_HANDLE;
    laypblas_grid place = { .rows = 0 };
    if (!laypblas_grid_place(context, &place.rows, &place.columns, &place.row, &place.column))
        return NULL;
    int handle = 0, is_known = 0;
    void *kept = NULL;
    blacs.get(&context, &what, &handle);
    const MPI_Comm comm = MPI_Comm_f2c(handle);
    MPI_Comm_get_attr(comm, blacs.key, &kept, &is_known);
    return is_known ? kept : make(&place, comm);
}

void laypblas_grid_least(const laypblas_grid *grid, int count, int64_t number[])
{
    MPI_Allreduce(MPI_IN_PLACE, number, count, MPI_INT64_T, MPI_MIN, grid->comm);
}
