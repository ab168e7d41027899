/* The paper's figure 22: its kernel on row-major matrices, Matrix1 and Matrix2 over n, next to cuBLAS; and what the
 * planner takes for the same. */
#include <stdlib.h>

#include "bench/base/complain.h"
#include "bench/contest/contest_device.h"
#include "bench/peers/peer_cublas.h"
#include "bench/reports/reports.h"
#include "bench/timing/timing.h"

enum { LAYOUTS = 3, PLAYERS = 2 * LAYOUTS + 1, LINES = 20 };

static const char *const layouts[LAYOUTS] = { "row", "matrix1", "matrix2" };
static const char *const names[PLAYERS] = { "parray, row-major", "parray, Matrix1", "parray, Matrix2", "lay, row-major",
                                            "lay, Matrix1",      "lay, Matrix2",    "cuBLAS" };
static const char marks[PLAYERS + 1] = "r12RABc";

typedef struct scene {
    problem problems[LAYOUTS];
    ground grounds[LAYOUTS];
    player players[PLAYERS];
} scene;

static void clear(scene *of)
{
    for (int i = 0; i < PLAYERS; i++)
        player_clear(&of->players[i]);
    for (int i = 0; i < LAYOUTS; i++) {
        ground_clear(&of->grounds[i]);
        problem_free(&of->problems[i]);
    }
}

static int set(scene *on, int n, const terms *under, const peer *against)
{
    char text[16];
    lay_options options = under->options;
    options.stream = device_get()->stream;
    options.device = device_get()->number;
    snprintf(text, sizeof text, "%d", n);
    int status = EXIT_FINE;
    for (int i = 0; i < LAYOUTS && status == EXIT_FINE; i++) {
        status = problem_read(text, layouts[i], &on->problems[i]);
        if (status == EXIT_FINE)
            status = ground_create(LAY_F32, on->problems[i].desc, &on->grounds[i]);
    }
    for (int i = 0; i < 2 * LAYOUTS && status == EXIT_FINE; i++) {
        options.kernel = i < LAYOUTS ? "parray" : under->options.kernel;
        status = player_plan(&on->players[i], &on->grounds[i % LAYOUTS], &options);
    }
    if (status == EXIT_FINE)
        status = player_cublas(&on->players[2 * LAYOUTS], &on->grounds[0], against->cublas, NULL, &options);
    return status;
}

/* GFLOP/s of all at one n. */
static int measure(int n, const terms *under, const peer *against, double out[PLAYERS])
{
    char text[32];
    scene *on = calloc(1, sizeof *on);
    double *seconds = calloc((size_t)(PLAYERS * under->rounds), sizeof *seconds);
    snprintf(text, sizeof text, "n = %d", n);
    int status = on && seconds ? set(on, n, under, against) : fail("out of memory");
    for (int i = 0; i < PLAYERS && status == EXIT_FINE; i++)
        on->players[i].seconds = seconds + i * under->rounds;
    if (status == EXIT_FINE)
        status = players_check(on->players, names, PLAYERS, text);
    if (status == EXIT_FINE)
        status = players_race(on->players, PLAYERS, under->rounds, under->min_time, 0);
    for (int i = 0; i < PLAYERS && status == EXIT_FINE; i++)
        out[i] = 2e-9 * n * n * n / median(on->players[i].seconds, under->rounds);
    if (on)
        clear(on);
    free(on);
    free(seconds);
    return status;
}

static void draw(const sizes *of, double all[][PLAYERS])
{
    double most = 0;
    for (int p = 0; p < of->count; p++)
        for (int i = 0; i < PLAYERS; i++)
            most = all[p][i] > most ? all[p][i] : most;
    printf(
        "\nGFLOP/s over n; r 1 2: parray on row-major, Matrix1, Matrix2; R A B: lay's choice on these; c: cuBLAS\n\n");
    for (int line = LINES; line >= 0; line--) {
        printf("%7.0f |", most * line / LINES);
        for (int p = 0; p < of->count; p++) {
            char cell[PLAYERS + 1] = "";
            int used = 0;
            for (int i = 0; i < PLAYERS; i++)
                if ((int)(all[p][i] / most * LINES + 0.5) == line)
                    cell[used++] = marks[i];
            printf(" %-*s", (int)sizeof cell - 1, cell);
        }
        printf("\n");
    }
    printf("        +");
    for (int p = 0; p < of->count; p++)
        printf("--------");
    printf("\n         ");
    for (int p = 0; p < of->count; p++)
        printf(" %-7d", of->n[p]);
    printf("\n");
}

static int run(const terms *under, const sizes *of, FILE *csv)
{
    static double all[MAX_SIZES][PLAYERS];
    peer against;
    int status = peer_cublas_open(NULL, &against);
    if (status != EXIT_FINE)
        return status;
    printf("%s\n\nGFLOP/s\n%6s", against.about, "n");
    if (csv)
        fprintf(csv, "n,who,gflops,of_cublas\n");
    for (int i = 0; i < PLAYERS; i++)
        printf("  %17s", names[i]);
    printf("  %s\n", "parray of cuBLAS");
    for (int p = 0; p < of->count && status == EXIT_FINE; p++) {
        const int n = of->n[p];
        double *at = all[p], peer_is;
        status = measure(n, under, &against, at);
        if (status != EXIT_FINE)
            return status;
        peer_is = at[PLAYERS - 1];
        printf("%6d", n);
        for (int i = 0; i < PLAYERS; i++)
            printf("  %17.0f", at[i]);
        printf("  %.2f %.2f %.2f\n", at[0] / peer_is, at[1] / peer_is, at[2] / peer_is);
        fflush(stdout);
        for (int i = 0; i < PLAYERS && csv; i++)
            fprintf(csv, "%d,\"%s\",%.1f,%.4f\n", n, names[i], at[i], at[i] / peer_is);
    }
    draw(of, all);
    return status;
}

const report_row report_paper = {
    .name = "paper",
    .help = "figure 22: row-major, Matrix1 and Matrix2 by the paper's kernel, over n",
    .usual = { { 512, 1024, 1536, 2048, 2560, 3072, 3584, 4096, 4608, 5120, 5632, 6144, 6656, 7168, 7680, 8192 }, 16 },
    .least = 8,
    .is_on_device = 1,
    .run = run,
};
