/* A product on MPI's ranks, in layouts that are said on the command line:
 *
 *   mpirun -np 4 ranks 'P=(4); A=[60][240]; [[#P_0][#A_0]][#A_1]'
 *   mpirun -np 4 ranks 'P=(2)(2); A=[8][15][8][15]; [[#A_0][#P_0][#A_1]][[#A_2][#P_1][#A_3]]'
 *
 * Each rank fills its own parts, and compares its part of C with the product that it computes alone, bit by bit. */
#include <layoutgemm_mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 240 };

static float value(int64_t i, int64_t j, int64_t shift)
{
    return (float)((i * 131 + j * 71 + shift) % 997) / 997 - 0.5f;
}

/* What lies at this rank: element (i, j) of a matrix without copies. */
static float *find(const lay_desc *desc, int rank, void *part, int64_t i, int64_t j)
{
    const int64_t index[2] = { i, j };
    return lay_desc_place_of(desc, 2, index) == rank ? (float *)part + lay_desc_offset(desc, 2, index) : NULL;
}

static void fill(const lay_desc *desc, int rank, void *part, int64_t shift)
{
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) {
            float *const element = find(desc, rank, part, i, j);
            if (element)
                *element = value(i, j, shift);
        }
}

/* Elements here that have other bits than the product of one rank. */
static int count_wrong(const lay_desc *desc, int rank, void *part)
{
    static float a[N * N], b[N * N], c[N * N];
    lay_desc *square = NULL;
    int wrong = 0;
    for (int64_t i = 0; i < N * N; i++) {
        a[i] = value(i / N, i % N, 0);
        b[i] = value(i / N, i % N, 1);
    }
    if (lay_desc_natural(2, (const int64_t[]){ N, N }, &square) ||
        lay_sgemm(square, square, square, 1, a, b, 0, c, NULL))
        wrong++;
    for (int64_t i = 0; i < N * N; i++) {
        const float *const element = find(desc, rank, part, i / N, i % N);
        wrong += element && *element != c[i];
    }
    lay_desc_destroy(square);
    return wrong;
}

static lay_status multiply(lay_team *team, const lay_desc *desc, void *part[3])
{
    const float one = 1, zero = 0;
    lay_desc *own = NULL;
    lay_status status = lay_desc_local(desc, lay_team_first(team), &own);
    for (int i = 0; i < 3 && !status; i++)
        status = lay_alloc(LAY_F32, own, LAY_MEMORY_HOST, &part[i]);
    lay_desc_destroy(own);
    for (int i = 0; i < 2 && !status; i++)
        fill(desc, lay_team_first(team), part[i], i);
    return status ? status
                  : lay_team_gemm(team, LAY_F32, desc, desc, desc, &one, (const void *const *)&part[0],
                                  (const void *const *)&part[1], &zero, &part[2], NULL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    lay_team *team = NULL;
    lay_desc *desc = NULL;
    void *part[3] = { NULL };
    int wrong = 0, all = 0;
    lay_status status = lay_team_mpi(MPI_COMM_WORLD, &team);
    if (!status)
        status = lay_desc_parse(argc > 1 ? argv[1] : "P=(4); A=[60][240]; [[#P_0][#A_0]][#A_1]", &desc);
    if (!status)
        status = multiply(team, desc, part);
    wrong = status ? 1 : count_wrong(desc, lay_team_first(team), part[2]);
    if (status)
        fprintf(stderr, "%s\n", lay_last_error());
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (team && lay_team_first(team) == 0)
        printf("%d ranks: %s\n", lay_team_places(team), all ? "WRONG" : "the bits of one");
    for (int i = 0; i < 3; i++)
        lay_free(part[i]);
    lay_desc_destroy(desc);
    lay_team_destroy(team);
    MPI_Finalize();
    return all > 0;
}
