/* A product of MPI's ranks beside ScaLAPACK's pdgemm, on one block-cyclic layout, in turns, judged by each other:
 *
 *   mpirun -np RANKS scalapack-bench LIBRARY N BLOCK GRID_ROWS ROUNDS
 *
 * LIBRARY: ScaLAPACK's, for the MPI that this is built with, such as libscalapack-openmpi.so.2.2; with the BLAS that it
 * finds. One thread a rank; medians. With liblaypblas preloaded its pdgemm is a third contestant. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "layoutgemm_mpi.h"

enum { MOST_ROUNDS = 99 };

typedef void pdgemm_fn(const char *, const char *, const int *, const int *, const int *, const double *,
                       const double *, const int *, const int *, const int *, const double *, const int *, const int *,
                       const int *, const double *, double *, const int *, const int *, const int *);

/* What is asked of ScaLAPACK, and this rank's part of it. */
typedef struct peer {
    void (*get)(int, int, int *);
    void (*init)(int *, const char *, int, int);
    pdgemm_fn *pdgemm, *preloaded; /* NULL: none but ScaLAPACK's */
    int desc[9], rows, columns;
} peer;

static int open_peer(const char *library, peer *out)
{
    void *const loaded = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    if (!loaded)
        return fprintf(stderr, "%s\n", dlerror()), 0;
    *(void **)&out->get = dlsym(loaded, "Cblacs_get");
    *(void **)&out->init = dlsym(loaded, "Cblacs_gridinit");
    *(void **)&out->pdgemm = dlsym(loaded, "pdgemm_");
    *(void **)&out->preloaded = dlsym(RTLD_DEFAULT, "pdgemm_");
    if (out->preloaded == out->pdgemm)
        out->preloaded = NULL;
    return out->get && out->init && out->pdgemm;
}

/* As NUMROC: indices of process `mine` of so many. */
static int count(int n, int block, int mine, int places)
{
    int own = 0;
    for (int i = 0; i < n; i++)
        own += i / block % places == mine;
    return own;
}

static void make_grid(peer *of, int n, int block, int grid_rows, int rank, int ranks)
{
    int context;
    const int grid_columns = ranks / grid_rows;
    of->get(-1, 0, &context);
    of->init(&context, "Row", grid_rows, grid_columns);
    of->rows = count(n, block, rank / grid_columns, grid_rows);
    of->columns = count(n, block, rank % grid_columns, grid_columns);
    const int desc[9] = { 1, context, n, n, block, block, 0, 0, count(n, block, 0, grid_rows) };
    for (int i = 0; i < 9; i++)
        of->desc[i] = desc[i];
}

static int compare(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double *make_part(const peer *of, int seed)
{
    const size_t elements = (size_t)of->desc[8] * ((size_t)of->columns + 1);
    double *const part = malloc(elements * sizeof *part);
    srand((unsigned)seed);
    for (size_t i = 0; i < elements; i++)
        part[i] = rand() / (double)RAND_MAX - 0.5;
    return part;
}

static double largest_difference(const peer *of, const double *x, const double *y)
{
    double largest = 0, all = 0;
    for (size_t j = 0; j < (size_t)of->columns; j++)
        for (size_t i = 0; i < (size_t)of->rows; i++)
            largest = fmax(largest, fabs(x[j * (size_t)of->desc[8] + i] - y[j * (size_t)of->desc[8] + i]));
    MPI_Allreduce(&largest, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static double seconds_now(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime();
}

/* One of PBLAS's, with C's part. */
static double time_pdgemm(const peer *of, pdgemm_fn *pdgemm, const double *a, const double *b, double *c)
{
    const int n = of->desc[2], first = 1;
    const double one = 1, zero = 0, start = seconds_now();
    pdgemm("N", "N", &n, &n, &n, &one, a, &first, &first, of->desc, b, &first, &first, of->desc, &zero, c, &first,
           &first, of->desc);
    return seconds_now() - start;
}

static double median(double seconds[], int rounds)
{
    qsort(seconds, (size_t)rounds, sizeof *seconds, compare);
    return seconds[rounds / 2];
}

int main(int argc, char **argv)
{
    int rank, ranks;
    peer of;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int n = argc == 6 ? atoi(argv[2]) : 0, block = n ? atoi(argv[3]) : 0, grid_rows = n ? atoi(argv[4]) : 0;
    const int rounds = n ? atoi(argv[5]) : 0;
    if (n < 1 || block < 1 || grid_rows < 1 || ranks % grid_rows != 0 || rounds < 1 || rounds > MOST_ROUNDS ||
        !open_peer(argv[1], &of)) {
        fprintf(stderr, "scalapack-bench LIBRARY N BLOCK GRID_ROWS ROUNDS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    make_grid(&of, n, block, grid_rows, rank, ranks);
    double *const a = make_part(&of, rank + 1), *const b = make_part(&of, rank + 100), *c = make_part(&of, 1);
    double *const peers_c = make_part(&of, 1), *const third_c = make_part(&of, 1), one = 1, zero = 0;
    double ours[MOST_ROUNDS], peers[MOST_ROUNDS], thirds[MOST_ROUNDS] = { 0 };
    lay_team *team = NULL;
    lay_desc *desc = NULL;
    lay_team_plan *plan = NULL;
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = 1;
    lay_status status = lay_team_mpi(MPI_COMM_WORLD, &team);
    if (!status)
        status = lay_desc_from_scalapack(of.desc, grid_rows, ranks / grid_rows, 0, &desc);
    if (!status)
        status = lay_team_plan_create(team, LAY_F64, desc, desc, desc, &options, &plan);
    for (int i = 0; i < rounds && !status; i++) {
        const double start = seconds_now();
        status = lay_team_plan_run(plan, &one, (const void *const[]){ a }, (const void *const[]){ b }, &zero,
                                   (void *const[]){ c });
        ours[i] = seconds_now() - start;
        peers[i] = time_pdgemm(&of, of.pdgemm, a, b, peers_c);
        if (of.preloaded)
            thirds[i] = time_pdgemm(&of, of.preloaded, a, b, third_c);
    }
    if (status) {
        fprintf(stderr, "%s\n", lay_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    const double limit = 1e-13 * n;
    const int is_right = largest_difference(&of, c, peers_c) < limit &&
                         (!of.preloaded || largest_difference(&of, third_c, peers_c) < limit);
    const double mine = median(ours, rounds), theirs = median(peers, rounds), third = median(thirds, rounds);
    if (rank == 0) { /* n, block, grid, ms of ours and of ScaLAPACK's pdgemm, their ratio; ms of liblaypblas's, ratio */
        printf("%d,%d,%dx%d,%.1f,%.1f,%.2f", n, block, grid_rows, ranks / grid_rows, mine * 1e3, theirs * 1e3,
               theirs / mine);
        if (of.preloaded)
            printf(",%.1f,%.2f", third * 1e3, theirs / third);
        puts(is_right ? "" : ",WRONG");
    }
    lay_team_plan_destroy(plan);
    lay_desc_destroy(desc);
    lay_team_destroy(team);
    free(a);
    free(b);
    free(c);
    free(peers_c);
    free(third_c);
    MPI_Finalize();
    return !is_right;
}
