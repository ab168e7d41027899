/* A product of MPI's ranks beside ScaLAPACK's pdgemm, on one block-cyclic layout, in turns, judged by each other:
 *
 *   mpirun -np RANKS scalapack-bench LIBRARY N|MxNxK BLOCK GRID_ROWS ROUNDS
 *
 * LIBRARY: ScaLAPACK's, for the MPI that this is built with, such as libscalapack-openmpi.so.2.2; with the BLAS that it
 * finds. One thread a rank; medians. Ours comes twice, with whole sums and with sums by slices. With liblaypblas
 * preloaded its pdgemm is one more contestant. */
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
    int context;
} peer;

/* A matrix, and what this rank has of it. */
typedef struct matrix {
    int desc[9], columns, rows;
} matrix;

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

static void make_matrix(const peer *of, int rows, int columns, int block, const int grid[2], int rank, matrix *out)
{
    out->rows = count(rows, block, rank / grid[1], grid[0]);
    out->columns = count(columns, block, rank % grid[1], grid[1]);
    const int desc[9] = { 1, of->context, rows, columns, block, block, 0, 0, count(rows, block, 0, grid[0]) };
    for (int i = 0; i < 9; i++)
        out->desc[i] = desc[i];
}

static int compare(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double *make_part(const matrix *of, int seed)
{
    const size_t elements = (size_t)of->desc[8] * ((size_t)of->columns + 1);
    double *const part = malloc(elements * sizeof *part);
    srand((unsigned)seed);
    for (size_t i = 0; i < elements; i++)
        part[i] = rand() / (double)RAND_MAX - 0.5;
    return part;
}

static double largest_difference(const matrix *of, const double *x, const double *y)
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

/* The product: A, B and C, and this rank's parts. */
typedef struct product {
    matrix of[3];
    double *a, *b;
} product;

/* One of PBLAS's, with C's part. */
static double time_pdgemm(const product *of, pdgemm_fn *pdgemm, double *c)
{
    const int *const m = &of->of[2].desc[2], *const n = &of->of[2].desc[3], *const k = &of->of[0].desc[3], first = 1;
    const double one = 1, zero = 0, start = seconds_now();
    pdgemm("N", "N", m, n, k, &one, of->a, &first, &first, of->of[0].desc, of->b, &first, &first, of->of[1].desc, &zero,
           c, &first, &first, of->of[2].desc);
    return seconds_now() - start;
}

static double time_plan(const product *of, lay_team_plan *plan, double *c)
{
    const double one = 1, zero = 0, start = seconds_now();
    if (lay_team_plan_run(plan, &one, (const void *const[]){ of->a }, (const void *const[]){ of->b }, &zero,
                          (void *const[]){ c })) {
        fprintf(stderr, "%s\n", lay_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return seconds_now() - start;
}

/* Of whole sums, or by slices. */
static lay_team_plan *make_plan(const product *of, lay_team *team, const int grid[2], lay_team_sum order)
{
    lay_desc *desc[3] = { NULL, NULL, NULL };
    lay_team_plan *plan = NULL;
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = 1;
    lay_status status = lay_team_sum_order(team, order);
    for (int i = 0; i < 3 && !status; i++)
        status = lay_desc_from_scalapack(of->of[i].desc, grid[0], grid[1], 0, &desc[i]);
    if (!status)
        status = lay_team_plan_create(team, LAY_F64, desc[0], desc[1], desc[2], &options, &plan);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    if (status) {
        fprintf(stderr, "%s\n", lay_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return plan;
}

static double median(double seconds[], int rounds)
{
    qsort(seconds, (size_t)rounds, sizeof *seconds, compare);
    return seconds[rounds / 2];
}

/* N, or MxNxK. */
static int read_size(const char *text, int size[3])
{
    const int count = sscanf(text, "%dx%dx%d", &size[0], &size[1], &size[2]);
    if (count == 1)
        size[1] = size[2] = size[0];
    return (count == 1 || count == 3) && size[0] > 0 && size[1] > 0 && size[2] > 0;
}

enum { WHOLE, SLICES, PEER, PRELOADED, CONTESTANTS };

int main(int argc, char **argv)
{
    int rank, ranks, size[3];
    peer with;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int is_given = argc == 6 && read_size(argv[2], size);
    const int block = is_given ? atoi(argv[3]) : 0, grid_rows = is_given ? atoi(argv[4]) : 0;
    const int rounds = is_given ? atoi(argv[5]) : 0;
    if (block < 1 || grid_rows < 1 || ranks % grid_rows != 0 || rounds < 1 || rounds > MOST_ROUNDS ||
        !open_peer(argv[1], &with)) {
        fprintf(stderr, "scalapack-bench LIBRARY N|MxNxK BLOCK GRID_ROWS ROUNDS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int grid[] = { grid_rows, ranks / grid_rows };
    with.get(-1, 0, &with.context);
    with.init(&with.context, "Row", grid[0], grid[1]);
    product of;
    make_matrix(&with, size[0], size[2], block, grid, rank, &of.of[0]);
    make_matrix(&with, size[2], size[1], block, grid, rank, &of.of[1]);
    make_matrix(&with, size[0], size[1], block, grid, rank, &of.of[2]);
    of.a = make_part(&of.of[0], rank + 1);
    of.b = make_part(&of.of[1], rank + 100);
    double *c[CONTESTANTS], seconds[CONTESTANTS][MOST_ROUNDS], typical[CONTESTANTS];
    for (int i = 0; i < CONTESTANTS; i++)
        c[i] = make_part(&of.of[2], 1);
    lay_team *team = NULL;
    if (lay_team_mpi(MPI_COMM_WORLD, &team)) {
        fprintf(stderr, "%s\n", lay_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    lay_team_plan *const whole = make_plan(&of, team, grid, LAY_TEAM_SUM_WHOLE);
    lay_team_plan *const slices = make_plan(&of, team, grid, LAY_TEAM_SUM_BY_SLICES);
    for (int i = 0; i < rounds; i++) {
        seconds[WHOLE][i] = time_plan(&of, whole, c[WHOLE]);
        seconds[SLICES][i] = time_plan(&of, slices, c[SLICES]);
        seconds[PEER][i] = time_pdgemm(&of, with.pdgemm, c[PEER]);
        seconds[PRELOADED][i] = with.preloaded ? time_pdgemm(&of, with.preloaded, c[PRELOADED]) : 0;
    }
    const double limit = 1e-13 * size[2];
    int is_right = 1;
    for (int i = 0; i < CONTESTANTS; i++) {
        typical[i] = median(seconds[i], rounds);
        is_right =
            is_right && ((i == PRELOADED && !with.preloaded) || largest_difference(&of.of[2], c[i], c[PEER]) < limit);
    }
    if (rank == 0) { /* sizes, block, grid; ms of ScaLAPACK's pdgemm, and of each other and its ratio to that */
        printf("%dx%dx%d,%d,%dx%d,%.1f", size[0], size[1], size[2], block, grid[0], grid[1], typical[PEER] * 1e3);
        for (int i = 0; i < CONTESTANTS; i++)
            if (i != PEER && (i != PRELOADED || with.preloaded))
                printf(",%.1f,%.2f", typical[i] * 1e3, typical[PEER] / typical[i]);
        puts(is_right ? "" : ",WRONG");
    }
    lay_team_plan_destroy(whole);
    lay_team_plan_destroy(slices);
    lay_team_destroy(team);
    for (int i = 0; i < CONTESTANTS; i++)
        free(c[i]);
    free(of.a);
    free(of.b);
    MPI_Finalize();
    return !is_right;
}
