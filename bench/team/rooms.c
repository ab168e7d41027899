/* A product of MPI's ranks whose places are rooms, devices or host memory, beside the first of them alone, of the same
 * matrices, in turns:
 *
 *   mpirun -np RANKS rooms-bench devices|host PLACES_EACH f32|f64|f16|bf16 N ROUNDS [rows|columns|blocks]
 *
 * Rank r of a machine takes the devices from r * PLACES_EACH on. Nothing is timed before C, brought together at the
 * first place, has the bits of one place. Medians, and the lowest; the way that the plan takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layoutgemm_mpi.h"

enum { MOST_EACH = 16, MOST_ROUNDS = 99, BLOCK = 128, A = 0, B, C };

/* This rank, and what is asked. */
typedef struct scene {
    int rank, ranks, each, rounds, devices[MOST_EACH];
    lay_type type;
    long long n;
    lay_team *team, *alone; /* alone: the first rank's first place */
} scene;

/* A product of a team: matrices in one layout, with the parts of this rank. */
typedef struct side {
    lay_team *team;
    lay_desc *desc;
    void *part[3][MOST_EACH];
    lay_team_plan *plan;
    double seconds[MOST_ROUNDS];
} side;

static void insist(lay_status status)
{
    if (status == LAY_OK)
        return;
    fprintf(stderr, "%s\n", lay_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int read_type(const char *name, lay_type *type)
{
    static const struct {
        const char *name;
        lay_type type;
    } types[] = { { "f32", LAY_F32 }, { "f64", LAY_F64 }, { "f16", LAY_F16 }, { "bf16", LAY_BF16 } };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0) {
            *type = types[i].type;
            return 1;
        }
    return 0;
}

static void write_layout(const scene *on, const char *name, char text[200])
{
    const int places = on->ranks * on->each;
    const long long n = on->n, even = (n + places - 1) / places, turns = (n + BLOCK * places - 1) / (BLOCK * places);
    if (strcmp(name, "columns") == 0)
        snprintf(text, 200, "P=(%d); A=[%lld][%lld]; [#A_0][%lld[#P_0][#A_1]]", places, n, even, n);
    else if (strcmp(name, "blocks") == 0)
        snprintf(text, 200, "P=(%d); A=[%lld][%d][%lld]; [%lld[#A_0][#P_0][#A_1]][#A_2]", places, turns, BLOCK, n, n);
    else
        snprintf(text, 200, "P=(%d); A=[%lld][%lld]; [%lld[#P_0][#A_0]][#A_1]", places, even, n, n);
}

static void open_teams(scene *on, int is_on_devices)
{
    MPI_Comm here;
    int first = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_rank(here, &first);
    MPI_Comm_free(&here);
    for (int i = 0; i < on->each; i++)
        on->devices[i] = is_on_devices ? first * on->each + i : LAY_DEVICE_HOST;
    insist(lay_team_mpi_devices(MPI_COMM_WORLD, on->each, on->devices, &on->team));
    if (on->rank == 0)
        insist(lay_team_devices(1, on->devices, &on->alone));
}

/* Numbers below 1, the same ones on each rank that asks. */
static void *make_numbers(const scene *on, int seed)
{
    const long long count = on->n * on->n;
    const float one = 1, zero = 0;
    lay_desc *flat = NULL;
    float *const numbers = malloc((size_t)count * sizeof *numbers);
    void *const made = malloc((size_t)count * lay_type_size(on->type));
    if (!numbers || !made)
        MPI_Abort(MPI_COMM_WORLD, 1);
    unsigned state = 12345u + (unsigned)seed;
    for (long long i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        numbers[i] = (float)(state >> 8) / (float)(1 << 23) - 1;
    }
    const double one_double = 1, zero_double = 0;
    const int is_double = on->type == LAY_F64;
    insist(lay_desc_natural(1, (const int64_t[]){ count }, &flat));
    insist(lay_axpby(LAY_F32, flat, is_double ? (const void *)&one_double : &one, numbers, on->type, flat,
                     is_double ? (const void *)&zero_double : &zero, made, 0, NULL));
    lay_desc_destroy(flat);
    free(numbers);
    return made;
}

static void open_side(const scene *on, lay_team *team, const char *text, side *out)
{
    *out = (side){ .team = team };
    insist(lay_desc_parse(text, &out->desc));
    for (int x = A; x <= C; x++)
        insist(lay_team_alloc(team, on->type, out->desc, out->part[x]));
    insist(lay_team_plan_create(team, on->type, out->desc, out->desc, out->desc, NULL, &out->plan));
}

static void close_side(side *of)
{
    lay_team_plan_destroy(of->plan);
    for (int i = 0; i < 3 * MOST_EACH; i++)
        lay_free(of->part[i / MOST_EACH][i % MOST_EACH]);
    lay_desc_destroy(of->desc);
}

static void multiply(const scene *on, side *of)
{
    const double one_double = 1, zero_double = 0;
    const float one = 1, zero = 0;
    const int is_double = on->type == LAY_F64;
    insist(lay_team_plan_run(of->plan, is_double ? (const void *)&one_double : &one, (const void *const *)of->part[A],
                             (const void *const *)of->part[B], is_double ? (const void *)&zero_double : &zero,
                             of->part[C]));
}

/* A matrix that lies at the first place alone, whose parts others have nothing of. */
static lay_desc *open_whole(const scene *on)
{
    char text[100];
    lay_desc *whole = NULL;
    snprintf(text, sizeof text, "P=(%d!); [%lld][%lld]", on->ranks * on->each, on->n, on->n);
    insist(lay_desc_parse(text, &whole));
    return whole;
}

/* From the side of one place to the team's, or back in place of C. */
static void deal(const scene *on, side *alone, side *all, const lay_desc *whole, int x)
{
    void *first[MOST_EACH] = { on->rank == 0 ? alone->part[x][0] : NULL };
    insist(x < C ? lay_team_copy(on->team, on->type, whole, (const void *const *)first, all->desc, all->part[x])
                 : lay_team_copy(on->team, on->type, all->desc, (const void *const *)all->part[x], whole, first));
}

/* C of the team has one place's bits. */
static int judge(const scene *on, side *alone, side *all, const lay_desc *whole)
{
    const size_t bytes = (size_t)(on->n * on->n) * lay_type_size(on->type);
    void *const wanted = malloc(bytes), *const got = malloc(bytes);
    int is_right = wanted && got;
    lay_desc *square = NULL;
    if (on->rank == 0) {
        multiply(on, alone);
        insist(lay_desc_natural(2, (const int64_t[]){ on->n, on->n }, &square));
        insist(lay_copy(on->type, square, alone->part[C][0], square, wanted, NULL));
    }
    multiply(on, all);
    deal(on, alone, all, whole, C);
    if (on->rank == 0) {
        insist(lay_copy(on->type, square, alone->part[C][0], square, got, NULL));
        is_right = memcmp(wanted, got, bytes) == 0;
    }
    lay_desc_destroy(square);
    free(wanted);
    free(got);
    MPI_Bcast(&is_right, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return is_right;
}

static int compare(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static void time_all(const scene *on, side *alone, side *all)
{
    for (int i = 0; i < on->rounds; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        if (on->rank == 0)
            multiply(on, alone);
        alone->seconds[i] = MPI_Wtime() - start;
        MPI_Barrier(MPI_COMM_WORLD);
        const double then = MPI_Wtime();
        multiply(on, all);
        all->seconds[i] = MPI_Wtime() - then;
    }
    qsort(alone->seconds, (size_t)on->rounds, sizeof(double), compare);
    qsort(all->seconds, (size_t)on->rounds, sizeof(double), compare);
}

static void report(const scene *on, const side *alone, const side *all, const char *name)
{
    static char text[20000];
    const int middle = on->rounds / 2;
    const double flops = 2e-12 * (double)on->n * (double)on->n * (double)on->n;
    lay_team_plan_explain(all->plan, text, sizeof text);
    printf("%s", text);
    printf("one place  %.3f ms (lowest %.3f), %.1f TFLOP/s\n", 1e3 * alone->seconds[middle], 1e3 * alone->seconds[0],
           flops / alone->seconds[middle]);
    printf("%d ranks of %d, by %s  %.3f ms (lowest %.3f), %.1f TFLOP/s, %.2f times as fast\n", on->ranks, on->each,
           name, 1e3 * all->seconds[middle], 1e3 * all->seconds[0], flops / all->seconds[middle],
           alone->seconds[middle] / all->seconds[middle]);
}

int main(int argc, char **argv)
{
    scene on = { .rank = 0 };
    side alone = { .team = NULL }, all;
    char text[200];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &on.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &on.ranks);
    if (argc < 6 || !read_type(argv[3], &on.type)) {
        fprintf(stderr, "rooms-bench devices|host PLACES_EACH f32|f64|f16|bf16 N ROUNDS [rows|columns|blocks]\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    const char *const name = argc > 6 ? argv[6] : "rows";
    on.each = atoi(argv[2]);
    on.n = atoll(argv[4]);
    on.rounds = atoi(argv[5]);
    if (on.each < 1 || on.each > MOST_EACH || on.n < 1 || on.rounds < 1 || on.rounds > MOST_ROUNDS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    open_teams(&on, strcmp(argv[1], "devices") == 0);
    write_layout(&on, name, text);
    open_side(&on, on.team, text, &all);
    lay_desc *const whole = open_whole(&on);
    if (on.rank == 0) {
        snprintf(text, sizeof text, "[%lld][%lld]", on.n, on.n);
        open_side(&on, on.alone, text, &alone);
        for (int x = A; x <= B; x++) {
            void *const numbers = make_numbers(&on, x);
            insist(lay_copy(on.type, alone.desc, numbers, alone.desc, alone.part[x][0], NULL));
            free(numbers);
        }
    }
    for (int x = A; x <= B; x++)
        deal(&on, &alone, &all, whole, x);
    const int is_right = judge(&on, &alone, &all, whole);
    if (is_right)
        time_all(&on, &alone, &all);
    if (on.rank == 0 && is_right)
        report(&on, &alone, &all, name);
    else if (on.rank == 0)
        printf("OTHER BITS\n");
    close_side(&all);
    if (on.rank == 0)
        close_side(&alone);
    lay_desc_destroy(whole);
    lay_team_destroy(on.alone);
    lay_team_destroy(on.team);
    MPI_Finalize();
    return !is_right;
}
