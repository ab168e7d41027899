/* One matrix product on one thread, on four, on a GPU, on two GPUs and on four MPI ranks, in host memory or on GPUs:
 * from one to the next only the text of the layout and the team change, and not a bit of the result.
 *
 *   evolution                      what this machine has
 *   mpirun -np 4 evolution mpi
 *   mpirun -np 4 evolution mpi 2   ranks that share two GPUs of a machine
 *
 * A matrix begins at the first place, is dealt out, multiplied where its parts lie, and brought back. Its numbers are
 * such that all sums are exact: a GPU adds in another order than a CPU does, which would show in the last bits of
 * others. */
#include <layoutgemm_team.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_MPI
#include <layoutgemm_mpi.h>
#endif

enum { N = 256, MOST = 4 };

typedef struct stage {
    const char *name, *text;
    int places, threads;
    int devices[MOST];
} stage;

static const stage stages[] = {
    { "one thread", "[256][256]", 1, 1, { LAY_DEVICE_HOST } },
    { "four threads",
      "P=(2)(2); A=[128][128]; [[#P_0][#A_0]][[#P_1][#A_1]]",
      4,
      4,
      { LAY_DEVICE_HOST, LAY_DEVICE_HOST, LAY_DEVICE_HOST, LAY_DEVICE_HOST } },
    { "a GPU", "[256][256]", 1, 1, { 0 } },
    { "two GPUs", "P=(2); A=[128][256]; [[#P_0][#A_0]][#A_1]", 2, 1, { 0, 1 } },
};

#ifdef WITH_MPI
static const stage ranks = { .name = "four MPI ranks",
                             .text = "P=(2)(2); A=[4][32][4][32]; [[#A_0][#P_0][#A_1]][[#A_2][#P_1][#A_3]]",
                             .places = 4,
                             .threads = 1 };
#endif

static float value(int64_t i, int64_t j, int64_t shift)
{
    return (float)((i * 131 + j * 71 + shift) % 63 - 31) / 32;
}

static void fill(float *dense, int64_t shift)
{
    for (int64_t i = 0; i < N * N; i++)
        dense[i] = value(i / N, i % N, shift);
}

/* Between a matrix by rows in this process's memory and all of it at the team's first place. */
static lay_status bring(const lay_team *team, const float *from, float *to)
{
    lay_desc *flat = NULL;
    lay_status status = LAY_OK;
    if (lay_team_first(team) > 0) /* another rank has that place */
        return LAY_OK;
    status = lay_desc_natural(2, (const int64_t[]){ N, N }, &flat);
    if (!status)
        status = lay_copy(LAY_F32, flat, from, flat, to, NULL);
    lay_desc_destroy(flat);
    return status;
}

/* c = A B on the team; c is the first rank's. */
static lay_status multiply(lay_team *team, const stage *on, float *c)
{
    void *first[MOST] = { NULL }, *part[3][MOST] = { { NULL } };
    lay_desc *all = NULL, *dealt = NULL;
    lay_options options = LAY_OPTIONS_INIT;
    const float one = 1, zero = 0;
    char text[40];
    options.threads = on->threads;
    snprintf(text, sizeof text, "P=(%d!); [256][256]", on->places);
    lay_status status = lay_desc_parse(text, &all);
    if (!status && !(status = lay_desc_parse(on->text, &dealt)))
        status = lay_team_alloc(team, LAY_F32, all, first);
    for (int i = 0; i < 3 && !status; i++)
        status = lay_team_alloc(team, LAY_F32, dealt, part[i]);
    for (int i = 0; i < 2 && !status; i++) {
        fill(c, i);
        status = bring(team, c, first[0]);
        if (!status)
            status = lay_team_copy(team, LAY_F32, all, (const void *const *)first, dealt, part[i]);
    }
    if (!status)
        status = lay_team_gemm(team, LAY_F32, dealt, dealt, dealt, &one, (const void *const *)part[0],
                               (const void *const *)part[1], &zero, part[2], &options);
    if (!status)
        status = lay_team_copy(team, LAY_F32, dealt, (const void *const *)part[2], all, first);
    if (!status)
        status = bring(team, first[0], c);
    for (int i = 0; i < 4 * MOST; i++)
        lay_free(i < MOST ? first[i] : part[i / MOST - 1][i % MOST]);
    lay_desc_destroy(all);
    lay_desc_destroy(dealt);
    return status;
}

/* The sums themselves. */
static void multiply_plainly(float *c)
{
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) {
            float sum = 0;
            for (int64_t p = 0; p < N; p++)
                sum += value(i, p, 0) * value(p, j, 1);
            c[i * N + j] = sum;
        }
}

/* 1 where the team has other bits. */
static int try(const stage *on, lay_team *team, const float *wanted, float *c)
{
    const lay_status status = multiply(team, on, c);
    const int is_same = status || lay_team_first(team) > 0 || memcmp(wanted, c, sizeof(float) * N * N) == 0;
    if (status)
        fprintf(stderr, "%s: %s\n", on->name, lay_last_error());
    else if (lay_team_first(team) == 0)
        printf("%-16s %-60s %s\n", on->name, on->text, is_same ? "the same bits" : "OTHER BITS");
    return status || !is_same;
}

static int run_here(const float *wanted, float *c)
{
    int wrong = 0;
    for (size_t s = 0; s < sizeof stages / sizeof stages[0]; s++) {
        lay_team *team = NULL;
        if (lay_team_devices(stages[s].places, stages[s].devices, &team) == LAY_OK)
            wrong |= try(&stages[s], team, wanted, c);
        else
            printf("%-16s not here: %s\n", stages[s].name, lay_last_error());
        lay_team_destroy(team);
    }
    return wrong;
}

#ifdef WITH_MPI
static int run_ranks(int *argc, char ***argv, const float *wanted, float *c)
{
    lay_team *team = NULL;
    int rank = 0;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int devices = *argc > 2 ? atoi((*argv)[2]) : 0, mine = devices > 0 ? rank % devices : 0;
    const lay_status status =
        devices > 0 ? lay_team_mpi_devices(MPI_COMM_WORLD, 1, &mine, &team) : lay_team_mpi(MPI_COMM_WORLD, &team);
    if (status)
        fprintf(stderr, "%s\n", lay_last_error());
    const int wrong = status || try(&ranks, team, wanted, c);
    lay_team_destroy(team);
    MPI_Finalize();
    return wrong;
}
#else
static int run_ranks(int *argc, char ***argv, const float *wanted, float *c)
{
    (void)argc, (void)argv, (void)wanted, (void)c;
    printf("four MPI ranks   not here: this build has no MPI\n");
    return 0;
}
#endif

int main(int argc, char **argv)
{
    float *const wanted = malloc(sizeof(float) * N * N), *const c = malloc(sizeof(float) * N * N);
    int wrong = !wanted || !c;
    if (!wrong) {
        multiply_plainly(wanted);
        wrong = argc > 1 && strcmp(argv[1], "mpi") == 0 ? run_ranks(&argc, &argv, wanted, c) : run_here(wanted, c);
    }
    free(wanted);
    free(c);
    return wrong;
}
