/* Random products and copies on MPI's ranks, each compared with the undistributed one: every rank knows all of it, and
 * looks at its own place.
 *
 *   mpirun -np RANKS mpi PRODUCTS COPIES SEED
 *   mpirun -np RANKS mpi late             rank 0 comes too late
 *   mpirun -np RANKS mpi other            rank 0 asks for another product
 *   mpirun -np RANKS mpi killed SEED      some rank is killed at some moment (with recovery, so that others live on) */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "layoutgemm_mpi.h"
#include "spread.h"
#include "team/layers/layered.h"

static int rank, ranks, wrong;

#define claim(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            wrong++;                                                                                                   \
            fprintf(stderr, "rank %d, not so: %s; %s\n", rank, #condition, lay_last_error());                          \
            fprintf(stderr, __VA_ARGS__);                                                                              \
            fprintf(stderr, "\n");                                                                                     \
        }                                                                                                              \
    } while (0)

/* Rows and columns of the ranks: any factor. */
static void choose_grid(random_source *from, int grid[2])
{
    do
        grid[0] = (int)random_in(from, 1, ranks);
    while (ranks % grid[0] != 0);
    grid[1] = ranks / grid[0];
}

/* Bytes that all ranks sent. */
static int64_t sum_of(int64_t own)
{
    int64_t sum = 0;
    MPI_Allreduce(&own, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void try_product(lay_team *team, uint64_t seed, int number)
{
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_F16, LAY_BF16, LAY_C32, LAY_C64 };
    random_source from = random_case(seed, (uint64_t)number);
    const lay_type type = random_of(&from, types);
    int64_t size[3];
    int grid[2];
    double alpha[2], beta[2];
    spread of[3];
    choose_grid(&from, grid);
    for (int i = 0; i < 3; i++)
        size[i] = random_in(&from, 0, random_one_in(&from, 4) ? 200 : 40);
    size[2] = random_one_in(&from, 8) ? random_in(&from, 3500, 4200) : size[2];
    spread_scalar(&from, type, alpha);
    spread_scalar(&from, type, beta);
    lay_team_panel_bytes = random_one_in(&from, 2) ? 1 : 64 << 20;
    const lay_team_sum order = random_one_in(&from, 3) ? LAY_TEAM_SUM_BY_SLICES : LAY_TEAM_SUM_WHOLE;
    lay_layered_pick = (int)random_in(&from, 0, LAY_LAYERINGS - 1);
    claim(lay_team_sum_order(team, order) == LAY_OK, "product %d", number);
    void *const a = spread_dense(&from, type, size[0], size[2]), *const b = spread_dense(&from, type, size[2], size[1]);
    void *const c = spread_dense(&from, type, size[0], size[1]);
    spread_make(&from, type, size[0], size[2], grid[0], grid[1], &of[0]);
    spread_make(&from, type, size[2], size[1], grid[0], grid[1], &of[1]);
    spread_make(&from, type, size[0], size[1], grid[0], grid[1], &of[2]);
    spread_scatter(&of[0], a);
    spread_scatter(&of[1], b);
    spread_scatter(&of[2], c);
    lay_team_plan *plan = NULL;
    lay_team_plan_info info = LAY_TEAM_PLAN_INFO_INIT;
    int64_t before, after;
    const int is_planned = lay_team_plan_create(team, type, of[0].desc, of[1].desc, of[2].desc, NULL, &plan) == LAY_OK;
    claim(is_planned, "product %d", number);
    if (is_planned) {
        lay_team_plan_query(plan, &info);
        lay_team_traffic(team, &before, NULL);
        claim(lay_team_plan_run(plan, alpha, (const void *const *)&of[0].part[rank],
                                (const void *const *)&of[1].part[rank], beta, &of[2].part[rank]) == LAY_OK,
              "product %d", number);
        lay_team_traffic(team, &after, NULL);
        const int has_product = size[2] > 0 && !spread_scalar_is_zero(type, alpha);
        claim(after - before == (has_product ? info.bytes_sent : 0), "product %d", number);
        claim(sum_of(info.bytes_sent) == sum_of(info.bytes_received), "product %d", number);
    }
    lay_team_plan_destroy(plan);
    claim((order == LAY_TEAM_SUM_WHOLE ? spread_multiply : spread_multiply_slices)(type, size, alpha, a, b, beta, c) ==
              LAY_OK,
          "dense");
    claim(spread_equals_at(&of[2], rank, c), "product %d, type %d, %lld x %lld x %lld\n%s\n%s\n%s", number, (int)type,
          (long long)size[0], (long long)size[1], (long long)size[2], of[0].text, of[1].text, of[2].text);
    for (int i = 0; i < 3; i++)
        spread_free(&of[i]);
    free(a);
    free(b);
    free(c);
}

static void try_copy(lay_team *team, uint64_t seed, int number)
{
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_BF16, LAY_C64 };
    random_source from = random_case(seed + 1, (uint64_t)number);
    const lay_type type = random_of(&from, types);
    const int64_t m = random_in(&from, 0, 60), n = random_in(&from, 0, 60);
    int source_grid[2], target_grid[2];
    spread source, target;
    choose_grid(&from, source_grid);
    choose_grid(&from, target_grid);
    void *const dense = spread_dense(&from, type, m, n);
    spread_make(&from, type, m, n, source_grid[0], source_grid[1], &source);
    spread_make(&from, type, m, n, target_grid[0], target_grid[1], &target);
    spread_scatter(&source, dense);
    claim(lay_team_copy(team, type, source.desc, (const void *const *)&source.part[rank], target.desc,
                        &target.part[rank]) == LAY_OK,
          "copy %d", number);
    claim(spread_equals_at(&target, rank, dense), "copy %d\n%s\n%s", number, source.text, target.text);
    spread_free(&source);
    spread_free(&target);
    free(dense);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One product of rows, C = A B. */
static lay_status multiply_rows(lay_team *team, int64_t n)
{
    char text[100];
    spread of[3];
    snprintf(text, sizeof text, "P=(%d); A=[%lld][%lld]; [[#P_0][#A_0]][#A_1]", ranks, (long long)n,
             (long long)(n * ranks));
    for (int i = 0; i < 3; i++) {
        spread_of_text(LAY_F32, text, &of[i]);
        memset(of[i].block[rank], 0, (size_t)(n * n * ranks) * sizeof(float));
    }
    const lay_status status = lay_team_gemm(
        team, LAY_F32, of[0].desc, of[1].desc, of[2].desc, &(float){ 1 }, (const void *const *)&of[0].part[rank],
        (const void *const *)&of[1].part[rank], &(float){ 0 }, &of[2].part[rank], NULL);
    for (int i = 0; i < 3 && status != LAY_ERR_TEAM; i++) /* a lost team's messages may still read them */
        spread_free(&of[i]);
    return status;
}

static void come_late(lay_team *team)
{
    const double start = seconds_now();
    lay_team_timeout(team, 1);
    if (rank == 0)
        sleep(3);
    const lay_status status = multiply_rows(team, 4);
    claim(rank == 0 || status == LAY_ERR_TEAM, "status %d", (int)status);
    claim(rank == 0 || strstr(lay_last_error(), "no answer within 1 seconds"), "late");
    claim(rank == 0 || seconds_now() - start < 2.5, "%g seconds", seconds_now() - start);
    claim(rank == 0 || multiply_rows(team, 4) == LAY_ERR_TEAM, "again");
    claim(rank == 0 || strstr(lay_last_error(), "the team is lost"), "again");
}

static void ask_for_another(lay_team *team)
{
    claim(multiply_rows(team, rank == 0 ? 5 : 4) == LAY_ERR_TEAM, "another");
    claim(strstr(lay_last_error(), "do not agree"), "another");
    claim(multiply_rows(team, 4) == LAY_OK, "the team goes on");
}

/* Products until some rank is gone. */
static void lose_a_rank(lay_team *team, uint64_t seed)
{
    random_source from = random_case(seed, 7);
    const int who = (int)random_in(&from, 0, ranks - 1);
    const int64_t when = random_in(&from, 0, 20000);
    lay_team_timeout(team, 2);
    if (rank == who) {
        struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
        timer_t timer;
        timer_create(CLOCK_MONOTONIC, &event, &timer);
        timer_settime(timer, 0, &(struct itimerspec){ .it_value = { 0, 1 + when * 1000 } }, NULL);
    }
    lay_status status = LAY_OK;
    double start = 0;
    for (double end = seconds_now() + 10; status == LAY_OK && seconds_now() < end;) {
        start = seconds_now();
        status = multiply_rows(team, 16);
    }
    claim(status == LAY_ERR_TEAM, "status %d", (int)status);
    claim(seconds_now() - start < 5, "%g seconds", seconds_now() - start);
    printf("rank %d lives: %s\n", rank, lay_last_error());
    fflush(stdout);
    _exit(wrong > 0); /* nobody waits for all ranks any more */
}

int main(int argc, char **argv)
{
    lay_team *team = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    claim(lay_team_mpi(MPI_COMM_NULL, &team) == LAY_ERR_ARGUMENT, "no communicator");
    claim(lay_team_mpi(MPI_COMM_WORLD, NULL) == LAY_ERR_ARGUMENT, "nothing to write to");
    claim(lay_team_mpi(MPI_COMM_WORLD, &team) == LAY_OK, "a team");
    claim(lay_team_places(team) == ranks && lay_team_first(team) == rank && lay_team_own(team) == 1, "its places");
    if (argc == 2 && strcmp(argv[1], "late") == 0)
        come_late(team);
    else if (argc == 2 && strcmp(argv[1], "other") == 0)
        ask_for_another(team);
    else if (argc == 3 && strcmp(argv[1], "killed") == 0)
        lose_a_rank(team, strtoull(argv[2], NULL, 10));
    else if (argc == 4) {
        for (int i = 0; i < atoi(argv[1]); i++)
            try_product(team, strtoull(argv[3], NULL, 10), i);
        for (int i = 0; i < atoi(argv[2]); i++)
            try_copy(team, strtoull(argv[3], NULL, 10), i);
    }
    lay_team_destroy(team);
    if (rank == 0)
        printf("%d ranks\n", ranks);
    MPI_Finalize();
    return wrong > 0;
}
