/* Random products and redistributions of PBLAS against the definition, on any number of ranks:
 *
 *   mpirun -np RANKS test_pblas LIBRARY gemm|gemr2d TRIALS SEED
 *
 * LIBRARY: ScaLAPACK's. Blocks, first blocks, sources, parts and leading dimensions are random, the latter on each rank
 * another one. A line "RANKS ranks: TRIALS right" at the end. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blacs.h"

typedef void pgemm_fn(const char *, const char *, const int *, const int *, const int *, const void *, const void *,
                      const int *, const int *, const int *, const void *, const int *, const int *, const int *,
                      const void *, void *, const int *, const int *, const int *);
typedef void pgemr2d_fn(const int *, const int *, const void *, const int *, const int *, const int *, void *,
                        const int *, const int *, const int *, const int *);
typedef void c_pgemr2d_fn(int, int, const void *, int, int, const int *, void *, int, int, const int *, int);
pgemm_fn psgemm_, pdgemm_, pcgemm_, pzgemm_;
pgemr2d_fn psgemr2d_, pdgemr2d_, pcgemr2d_, pzgemr2d_;
c_pgemr2d_fn Cpsgemr2d, Cpdgemr2d, Cpcgemr2d, Cpzgemr2d;

static pgemm_fn *const pgemm[] = { psgemm_, pdgemm_, pcgemm_, pzgemm_ };
static pgemr2d_fn *const pgemr2d[] = { psgemr2d_, pdgemr2d_, pcgemr2d_, pzgemr2d_ };
static c_pgemr2d_fn *const c_pgemr2d[] = { Cpsgemr2d, Cpdgemr2d, Cpcgemr2d, Cpzgemr2d };

static int rank, ranks;

static void scalar_of(const kind *of, double complex value, double storage[2])
{
    const float narrow[] = { (float)creal(value), (float)cimag(value) };
    const double wide[] = { creal(value), cimag(value) };
    memcpy(storage, of->letter == 's' || of->letter == 'c' ? (const void *)narrow : wide, of->size);
}

static void choose_grid(int grid[2])
{
    do
        grid[0] = 1 + choose(ranks);
    while (ranks % grid[0] != 0);
    grid[1] = ranks / grid[0];
}

/* ---- products --------------------------------------------------------------------------------- */

typedef struct product {
    const kind *of;
    char op[2];
    int k, seed[3];
    matrix matrix[3];
    double complex alpha, beta;
} product;

static double complex factor(const product *all, int i, int row, int column)
{
    const int is_transposed = all->op[i] != 'N' && all->op[i] != 'n';
    const int x = all->matrix[i].at[0] - 1 + (is_transposed ? column : row);
    const int y = all->matrix[i].at[1] - 1 + (is_transposed ? row : column);
    const double complex element = known_element(all->of, all->seed[i], x, y);
    return all->op[i] == 'C' ? conj(element) : element;
}

static double complex expect_sum(void *asked, int i, int j)
{
    const product *const all = asked;
    double complex sum = 0;
    for (int p = 0; p < all->k; p++)
        sum += factor(all, 0, i, p) * factor(all, 1, p, j);
    return all->alpha * sum +
           all->beta * known_element(all->of, all->seed[2], all->matrix[2].at[0] - 1 + i, all->matrix[2].at[1] - 1 + j);
}

static int try_product(const blacs *by, int trial)
{
    const int type = choose(4), m = 1 + choose(40), n = 1 + choose(40), k = 1 + choose(40);
    product all = { .of = &kinds[type], .op = { "NTCn"[choose(4)], "NTCt"[choose(4)] }, .k = k };
    int grid[2], context;
    choose_grid(grid);
    by->get(-1, 0, &context);
    by->init(&context, choose(2) ? "Row" : "Column", grid[0], grid[1]);
    const int extent[3][2] = { { m, k }, { k, n }, { m, n } };
    for (int i = 0; i < 3; i++) {
        const int is_transposed = i < 2 && all.op[i] != 'N' && all.op[i] != 'n';
        all.seed[i] = 3 * trial + i;
        all.matrix[i] = make_matrix(by, all.of, context, grid, extent[i][is_transposed], extent[i][!is_transposed], 1,
                                    1, (rank * 7 + trial) % 5, all.seed[i]);
    }
    all.alpha = 1 + choose(3) + (all.of->is_complex ? choose(3) * I : 0);
    all.beta = choose(3) + (all.of->is_complex ? choose(3) * I : 0);
    double alpha[2], beta[2];
    scalar_of(all.of, all.alpha, alpha);
    scalar_of(all.of, all.beta, beta);
    const matrix *const x = all.matrix;
    int wrong = 0;
    for (int again = 0; again < 2; again++) { /* the second one has a plan already */
        if (again)
            all.matrix[2].data = memcpy(malloc(x[2].bytes), x[2].data, x[2].bytes);
        char *const before = again ? NULL : memcpy(malloc(x[2].bytes), x[2].data, x[2].bytes);
        pgemm[type](&all.op[0], &all.op[1], &m, &n, &k, alpha, x[0].data, &x[0].at[0], &x[0].at[1], x[0].desc,
                    x[1].data, &x[1].at[0], &x[1].at[1], x[1].desc, beta, x[2].data, &x[2].at[0], &x[2].at[1],
                    x[2].desc);
        wrong += count_wrong(&x[2], all.of, m, n, all.seed[2], expect_sum, &all);
        free(x[2].data);
        all.matrix[2].data = before;
    }
    for (int i = 0; i < 2; i++)
        free(x[i].data);
    by->leave(context);
    if (wrong)
        fprintf(stderr, "trial %d, rank %d: p%cgemm %c%c, %d x %d x %d on %d x %d: %d elements wrong\n", trial, rank,
                all.of->letter, all.op[0], all.op[1], m, n, k, grid[0], grid[1], wrong);
    return wrong;
}

/* ---- redistributions -------------------------------------------------------------------------- */

typedef struct copied {
    const kind *of;
    int seed, at[2];
} copied;

static double complex expect_element(void *asked, int i, int j)
{
    const copied *const from = asked;
    return known_element(from->of, from->seed, from->at[0] - 1 + i, from->at[1] - 1 + j);
}

/* A grid of some of the ranks, in any order: -1 for those that are not in it. */
static int some_ranks(const blacs *by, int grid[2])
{
    int all[64], context;
    const int some = 1 + choose(ranks);
    do
        grid[0] = 1 + choose(some);
    while (some % grid[0] != 0);
    grid[1] = some / grid[0];
    for (int i = 0; i < ranks; i++)
        all[i] = i;
    for (int i = ranks - 1; i > 0; i--) {
        const int other = choose(i + 1), held = all[i];
        all[i] = all[other];
        all[other] = held;
    }
    by->get(-1, 0, &context);
    by->map(&context, all, grid[0], grid[0], grid[1]);
    return context;
}

static int try_copy(const blacs *by, int trial)
{
    const int type = choose(4), m = 1 + choose(40), n = 1 + choose(40);
    const kind *const of = &kinds[type];
    int grid[2], context[3];
    matrix x[2];
    choose_grid(grid);
    by->get(-1, 0, &context[2]);
    by->init(&context[2], choose(2) ? "Row" : "Column", grid[0], grid[1]);
    for (int i = 0; i < 2; i++) {
        context[i] = some_ranks(by, grid);
        x[i] = make_matrix(by, of, context[i], grid, m, n, 0, 0, (rank * 7 + trial + i) % 5, 2 * trial + i);
        if (context[i] < 0) /* nothing else may be looked at then */
            for (int d = 2; d < 9; d++)
                x[i].desc[d] = -7;
    }
    if (choose(2))
        pgemr2d[type](&m, &n, x[0].data, &x[0].at[0], &x[0].at[1], x[0].desc, x[1].data, &x[1].at[0], &x[1].at[1],
                      x[1].desc, &context[2]);
    else
        c_pgemr2d[type](m, n, x[0].data, x[0].at[0], x[0].at[1], x[0].desc, x[1].data, x[1].at[0], x[1].at[1],
                        x[1].desc, context[2]);
    copied from = { of, 2 * trial, { x[0].at[0], x[0].at[1] } };
    const int wrong = count_wrong(&x[1], of, m, n, 2 * trial + 1, expect_element, &from);
    for (int i = 0; i < 2; i++)
        free(x[i].data);
    for (int i = 0; i < 3; i++)
        if (context[i] >= 0)
            by->leave(context[i]);
    if (wrong)
        fprintf(stderr, "trial %d, rank %d: p%cgemr2d, %d x %d: %d elements wrong\n", trial, rank, of->letter, m, n,
                wrong);
    return wrong;
}

int main(int argc, char **argv)
{
    blacs by;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 5 || !blacs_open(argv[1], &by)) {
        fprintf(stderr, "test_pblas LIBRARY gemm|gemr2d TRIALS SEED\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int trials = atoi(argv[3]), is_product = strcmp(argv[2], "gemm") == 0;
    int wrong = 0, all_wrong = 0;
    for (int i = 0; i < 10 * atoi(argv[4]); i++)
        choose(2);
    for (int i = 0; i < trials; i++)
        wrong += (is_product ? try_product(&by, i) : try_copy(&by, i)) != 0;
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all_wrong == 0)
        printf("%d ranks: %d right\n", ranks, trials);
    MPI_Finalize();
    return all_wrong != 0;
}
