/* Random products and copies on MPI's ranks, each compared with the undistributed one: every rank knows all of it, and
 * looks at its own places.
 *
 *   mpirun -np RANKS mpi PRODUCTS COPIES SEED
 *   mpirun -np RANKS mpi late             rank 0 comes too late
 *   mpirun -np RANKS mpi other            rank 0 asks for another product
 *   mpirun -np RANKS mpi unlike           rank 0 has one room more
 *   mpirun -np RANKS mpi killed SEED      some rank is killed at some moment (with recovery, so that others live on)
 *
 * --rooms=N before these: each rank has N rooms of host memory; --devices=N: so many devices, in turns of those that
 * there are; --nccl=N: no two alike, linked by NCCL. Ended with 77, and a reason, where there are none of these. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "device/device.h"
#include "layoutgemm_mpi.h"
#include "rooms.h"
#include "team/layers/layered.h"

enum { MOST_EACH = 8, SKIP = 77 };

/* This process, and what it was asked: places of each rank, rooms of host memory or devices. */
static int rank, ranks, wrong, each = 1, has_rooms, devices, is_by_nccl;

#define claim(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            wrong++;                                                                                                   \
            fprintf(stderr, "rank %d, not so: %s; %s\n", rank, #condition, lay_last_error());                          \
            fprintf(stderr, __VA_ARGS__);                                                                              \
            fprintf(stderr, "\n");                                                                                     \
        }                                                                                                              \
    } while (0)

/* Rows and columns of the places: any factor. */
static void choose_grid(random_source *from, int grid[2])
{
    const int places = ranks * each;
    do
        grid[0] = (int)random_in(from, 1, places);
    while (places % grid[0] != 0);
    grid[1] = places / grid[0];
}

static lay_status open_team(int count, lay_team **team)
{
    int list[MOST_EACH];
    for (int i = 0; i < count && i < MOST_EACH; i++)
        list[i] = devices > 0 ? (rank * each + i) % devices : LAY_DEVICE_HOST;
    return has_rooms ? lay_team_mpi_devices(MPI_COMM_WORLD, count, list, team) : lay_team_mpi(MPI_COMM_WORLD, team);
}

/* A matrix's parts of this rank, where the team has them. */
typedef struct parts {
    housed there;
    void **part; /* [own places] */
} parts;

static parts give(lay_team *team, spread *of)
{
    parts made = { .part = of->part + lay_team_first(team) };
    if (devices == 0)
        return made;
    made.there = rooms_send(team, of);
    made.part = made.there.part + lay_team_first(team);
    return made;
}

static void take_back(parts *of)
{
    if (devices == 0)
        return;
    rooms_fetch(&of->there);
    rooms_free(&of->there);
}

static int equals_here(const spread *of, const void *dense)
{
    int is_equal = 1;
    for (int i = 0; i < each; i++)
        is_equal &= spread_equals_at(of, rank * each + i, dense);
    return is_equal;
}

/* What a device takes, of the types that have a choice. */
static lay_compute choose_compute(random_source *from, lay_type type)
{
    static const lay_compute computes[] = { LAY_COMPUTE_AUTO, LAY_COMPUTE_STRICT, LAY_COMPUTE_TF32,
                                            LAY_COMPUTE_BF16, LAY_COMPUTE_FP16,   LAY_COMPUTE_F32_SPLIT };
    const lay_compute chosen = random_of(from, computes);
    return devices > 0 && (type == LAY_F32 || type == LAY_C32) ? chosen : LAY_COMPUTE_AUTO;
}

/* The undistributed product, where the team's first place is. */
static lay_status multiply_here(lay_team *team, lay_team_sum order, lay_type type, const int64_t size[3],
                                const void *alpha, const void *a, const void *b, const void *beta, void *c,
                                const lay_options *options)
{
    if (devices > 0)
        return rooms_multiply(team, type, size, alpha, a, b, beta, c, options);
    return (order == LAY_TEAM_SUM_WHOLE ? spread_multiply : spread_multiply_slices)(type, size, alpha, a, b, beta, c);
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
    parts here[3];
    lay_options options = LAY_OPTIONS_INIT;
    choose_grid(&from, grid);
    for (int i = 0; i < 3; i++)
        size[i] = random_in(&from, 0, random_one_in(&from, 4) ? 200 : 40);
    size[2] = random_one_in(&from, 8) ? random_in(&from, 3500, 4200) : size[2];
    spread_scalar(&from, type, alpha);
    spread_scalar(&from, type, beta);
    lay_team_panel_bytes = random_one_in(&from, 2) ? 1 : 64 << 20;
    lay_team_room_bytes = random_one_in(&from, 2) ? 1 : 1 << 30;
    lay_team_lead_unit = random_in(&from, 1, 3) * 4;
    lay_message_bytes = random_one_in(&from, 2) ? random_in(&from, 1, 2000) : 16 << 20;
    lay_team_cut_pick = (int)random_in(&from, 0, LAY_TEAM_CANDIDATES - 1);
    options.compute = choose_compute(&from, type);
    const int is_by_slices = random_one_in(&from, 3);
    const lay_team_sum order = is_by_slices ? LAY_TEAM_SUM_BY_SLICES : LAY_TEAM_SUM_WHOLE;
    lay_layered_pick = (int)random_in(&from, 0, LAY_LAYERINGS - 1);
    claim(lay_team_sum_order(team, order) == LAY_OK, "product %d", number);
    void *const a = spread_dense(&from, type, size[0], size[2]), *const b = spread_dense(&from, type, size[2], size[1]);
    void *const c = spread_dense(&from, type, size[0], size[1]);
    spread_make(&from, type, size[0], size[2], grid[0], grid[1], &of[0]);
    spread_make(&from, type, size[2], size[1], grid[0], grid[1], &of[1]);
    spread_make(&from, type, size[0], size[1], grid[0], grid[1], &of[2]);
    const void *const dense[] = { a, b, c };
    for (int i = 0; i < 3; i++) {
        spread_scatter(&of[i], dense[i]);
        here[i] = give(team, &of[i]);
    }
    const lay_status wanted = multiply_here(team, order, type, size, alpha, a, b, beta, c, &options);
    claim(wanted == LAY_OK || devices > 0, "dense");
    lay_team_plan *plan = NULL;
    lay_team_plan_info info = LAY_TEAM_PLAN_INFO_INIT;
    int64_t before, after;
    const lay_status planned = lay_team_plan_create(team, type, of[0].desc, of[1].desc, of[2].desc, &options, &plan);
    claim((planned == LAY_OK) == (wanted == LAY_OK), "product %d: %d beside %d", number, (int)planned, (int)wanted);
    if (planned == LAY_OK) {
        lay_team_plan_query(plan, &info);
        lay_team_traffic(team, &before, NULL);
        claim(lay_team_plan_run(plan, alpha, (const void *const *)here[0].part, (const void *const *)here[1].part, beta,
                                here[2].part) == LAY_OK,
              "product %d", number);
        lay_team_traffic(team, &after, NULL);
        const int has_product = size[2] > 0 && !spread_scalar_is_zero(type, alpha);
        claim(after - before == (has_product ? info.bytes_sent : 0), "product %d", number);
        claim(sum_of(info.bytes_sent) == sum_of(info.bytes_received), "product %d", number);
    }
    lay_team_plan_destroy(plan);
    for (int i = 0; i < 3; i++)
        take_back(&here[i]);
    claim(planned != LAY_OK || equals_here(&of[2], c),
          "product %d, type %d, compute %d, %lld x %lld x %lld\n%s\n%s\n%s", number, (int)type, (int)options.compute,
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
    parts one = give(team, &source), other = give(team, &target);
    claim(lay_team_copy(team, type, source.desc, (const void *const *)one.part, target.desc, other.part) == LAY_OK,
          "copy %d", number);
    take_back(&one);
    take_back(&other);
    claim(equals_here(&target, dense), "copy %d\n%s\n%s", number, source.text, target.text);
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
    const int places = ranks * each;
    spread of[3];
    parts here[3];
    snprintf(text, sizeof text, "P=(%d); A=[%lld][%lld]; [[#P_0][#A_0]][#A_1]", places, (long long)n,
             (long long)(n * places));
    for (int i = 0; i < 3; i++) {
        spread_of_text(LAY_F32, text, &of[i]);
        for (int p = 0; p < places; p++)
            memset(of[i].block[p], 0, (size_t)(n * n * places) * sizeof(float));
        here[i] = give(team, &of[i]);
    }
    const lay_status status = lay_team_gemm(team, LAY_F32, of[0].desc, of[1].desc, of[2].desc, &(float){ 1 },
                                            (const void *const *)here[0].part, (const void *const *)here[1].part,
                                            &(float){ 0 }, here[2].part, NULL);
    for (int i = 0; i < 3 && status != LAY_ERR_TEAM; i++) { /* a lost team's messages may still read them */
        take_back(&here[i]);
        spread_free(&of[i]);
    }
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

/* Rank 0 has a room more, and so nobody has a team. */
static void have_unlike_lists(void)
{
    lay_team *team = NULL;
    claim(open_team(rank == 0 ? each + 1 : each, &team) == LAY_ERR_TEAM && !team, "unlike");
    claim(open_team(rank == 0 ? 0 : each, &team) == (rank == 0 ? LAY_ERR_ARGUMENT : LAY_ERR_TEAM) && !team, "none");
}

/* Messages between the ranks of two groups are not those of one. */
static void refuse_two_groups(void)
{
    MPI_Comm half, both;
    lay_team *team = NULL;
    if (ranks == 1)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 5, &both);
    claim(lay_team_mpi(both, &team) == LAY_ERR_ARGUMENT && !team, "two groups");
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

static void skip(const char *what, const char *reason)
{
    if (rank == 0)
        printf("no %s: %s\n", what, reason);
    MPI_Finalize();
    exit(SKIP);
}

/* Leaves the words behind. */
static int read_rooms(int argc, char **argv)
{
    const char *reason = "";
    is_by_nccl = argc > 1 && sscanf(argv[1], "--nccl=%d", &each) == 1;
    if (argc < 2 || is_by_nccl + sscanf(argv[1], "--rooms=%d", &each) + sscanf(argv[1], "--devices=%d", &each) == 0)
        return 0;
    has_rooms = 1;
    if (strncmp(argv[1], "--rooms", 7) != 0 && (devices = lay_device_count(&reason)) == 0)
        skip("device", reason);
    if (is_by_nccl && devices < ranks * each)
        skip("device", "fewer than places");
    return 1;
}

/* All ranks have the wire or none. */
static void insist_on_nccl(lay_team *team)
{
    if (!is_by_nccl || ranks == 1 || team->wire)
        return;
    lay_team_destroy(team);
    skip("NCCL", "ranks did not find it, or it could not connect them");
}

static void run(lay_team *team, int argc, char **argv)
{
    if (argc == 1 && strcmp(argv[0], "late") == 0)
        come_late(team);
    else if (argc == 1 && strcmp(argv[0], "other") == 0)
        ask_for_another(team);
    else if (argc == 1 && strcmp(argv[0], "unlike") == 0)
        have_unlike_lists();
    else if (argc == 2 && strcmp(argv[0], "killed") == 0)
        lose_a_rank(team, strtoull(argv[1], NULL, 10));
    else if (argc == 3) {
        for (int i = 0; i < atoi(argv[0]); i++)
            try_product(team, strtoull(argv[2], NULL, 10), i);
        for (int i = 0; i < atoi(argv[1]); i++)
            try_copy(team, strtoull(argv[2], NULL, 10), i);
    }
}

int main(int argc, char **argv)
{
    lay_team *team = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int skipped = 1 + read_rooms(argc, argv);
    claim(lay_team_mpi(MPI_COMM_NULL, &team) == LAY_ERR_ARGUMENT, "no communicator");
    refuse_two_groups();
    claim(lay_team_mpi(MPI_COMM_WORLD, NULL) == LAY_ERR_ARGUMENT, "nothing to write to");
    claim(lay_team_mpi_devices(MPI_COMM_NULL, 1, NULL, &team) == LAY_ERR_ARGUMENT, "no communicator");
    claim(lay_team_mpi_devices(MPI_COMM_WORLD, 1, NULL, NULL) == LAY_ERR_ARGUMENT, "nothing to write to");
    claim(open_team(each, &team) == LAY_OK, "a team");
    insist_on_nccl(team);
    claim(lay_team_places(team) == ranks * each && lay_team_first(team) == rank * each && lay_team_own(team) == each,
          "its places");
    run(team, argc - skipped, argv + skipped);
    lay_team_destroy(team);
    if (rank == 0)
        printf("%d ranks\n", ranks);
    MPI_Finalize();
    return wrong > 0;
}
