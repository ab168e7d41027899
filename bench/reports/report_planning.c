/* How long lay_plan_create takes on the CPU: shapes, layouts, thread counts and modes. No operand has any memory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/timing/timing.h"
#include "reports.h"

/* Sizes as problems name them. What takes time is what is large, long, deeply nested, or nested so that radices do not
 * divide each other. */
static const char *const problems[] = {
    "64",
    "512",
    "4096",
    "10000",
    "65536",
    "1000x30000x20",
    "1000000x1000000x1",
    "10000000x16x2",
    "48x48x100000",
    "1x20000x20000",
    "16x40000x500",
    "4096:tiles64",
    "9000:tiles60,tiles100,row",
    "1024:interleaved",
    "16384:interleaved",
    "30030:primes",
};

static const int threads[] = { 1, 2, 16, 64, 256, 1024, 4096 };
enum { PROBLEMS = sizeof problems / sizeof problems[0], THREADS = sizeof threads / sizeof threads[0] };

static const struct {
    const char *name;
    lay_type type;
    lay_compute compute;
} modes[] = {
    { "f32", LAY_F32, LAY_COMPUTE_STRICT },
    { "f64", LAY_F64, LAY_COMPUTE_STRICT },
    { "bf16", LAY_BF16, LAY_COMPUTE_STRICT },
    { "split", LAY_F32, LAY_COMPUTE_F32_SPLIT },
};
enum { MODES = sizeof modes / sizeof modes[0] };

/* A matrix of 2^levels rows and columns whose digits take turns in memory, the finest last. */
static int interleave(char *text, size_t size, int levels)
{
    int at = snprintf(text, size, "A=");
    for (int i = 0; i < 2 * levels; i++)
        at += snprintf(text + at, size - (size_t)at, "[2]");
    at += snprintf(text + at, size - (size_t)at, "; ");
    for (int side = 0; side < 2; side++) {
        at += snprintf(text + at, size - (size_t)at, "[");
        for (int i = side; i < 2 * levels; i += 2)
            at += snprintf(text + at, size - (size_t)at, "[#A_%d]", i);
        at += snprintf(text + at, size - (size_t)at, "]");
    }
    return at;
}

/* 30030 rows and columns, each a number of six digits that lie in memory the other way round, of radices that rise or
 * fall: no digit of one operand's divides the other's. */
static void write_primes(char *text, size_t size, int is_falling)
{
    static const int primes[] = { 2, 3, 5, 7, 11, 13 };
    enum { DIGITS = sizeof primes / sizeof primes[0] };
    int at = 0;
    int64_t stride = 1;
    for (int side = 1; side >= 0; side--, stride = 30030) {
        char digits[200];
        int end = 0;
        for (int i = 0; i < DIGITS; i++) {
            const int radix = primes[is_falling ? DIGITS - 1 - i : i];
            end += snprintf(digits + end, sizeof digits - (size_t)end, "[%d:%" PRId64 "]", radix, stride);
            stride *= radix;
        }
        at += snprintf(text + at, size - (size_t)at, "[%s]", digits);
    }
}

/* The nested layouts of this report, written out, else the text as it is. */
static int expand(const char *text, char *out, size_t size)
{
    char each[3][400];
    if (strcmp(text, "30030:primes") == 0) {
        for (int i = 0; i < 3; i++)
            write_primes(each[i], sizeof each[i], i == 1);
        return snprintf(out, size, "30030:%s,%s,%s", each[0], each[1], each[2]);
    }
    const char *layout = strstr(text, ":interleaved");
    if (!layout)
        return snprintf(out, size, "%s", text);
    const int n = atoi(text);
    int levels = 0;
    while (1 << levels < n)
        levels++;
    interleave(each[0], sizeof each[0], levels);
    return snprintf(out, size, "%d:%s", n, each[0]);
}

/* The median of some plans, in seconds. Where this machine has no unit for split products, their model in C is named.
 */
static int time_plans(const terms *under, const problem *of, int mode, int count, double *seconds)
{
    double seen[MAX_ROUNDS];
    lay_options options = under->options;
    options.backend = LAY_BACKEND_CPU;
    options.threads = count;
    options.compute = modes[mode].compute;
    for (int i = 0; i < under->rounds; i++) {
        lay_plan *plan = NULL;
        const double start = seconds_now();
        lay_status status = lay_plan_create(modes[mode].type, of->desc[0], of->desc[1], of->desc[2], &options, &plan);
        seen[i] = seconds_now() - start;
        lay_plan_destroy(plan);
        if (status == LAY_ERR_UNSUPPORTED && options.compute == LAY_COMPUTE_F32_SPLIT && !options.kernel) {
            options.kernel = "lay_split_f32_32x32_c";
            i--;
        } else if (status != LAY_OK) {
            return refuse_status(status, of->text);
        }
    }
    *seconds = median(seen, under->rounds);
    return EXIT_FINE;
}

static int show_line(const terms *under, const problem *of, const char *name, int mode, double *most, FILE *csv)
{
    int status = EXIT_FINE;
    printf("%-26s  %-5s", name, modes[mode].name);
    for (int i = 0; i < THREADS && status == EXIT_FINE; i++) {
        double seconds = 0;
        status = time_plans(under, of, mode, threads[i], &seconds);
        if (status != EXIT_FINE)
            break;
        printf("  %7.1f", 1e6 * seconds);
        if (csv)
            fprintf(csv, "%s,%s,%d,%.2f\n", name, modes[mode].name, threads[i], 1e6 * seconds);
        *most = seconds > *most ? seconds : *most;
    }
    printf("\n");
    return status;
}

static int run(const terms *under, const sizes *of, FILE *csv)
{
    double most = 0;
    int status = EXIT_FINE;
    if (of->count)
        return refuse("--report=planning has problems of its own and takes no words");
    printf("microseconds of lay_plan_create, medians of %d\n\n%-26s  %-5s", under->rounds, "problem", "mode");
    for (int i = 0; i < THREADS; i++)
        printf("  %7d", threads[i]);
    printf("  threads\n");
    if (csv)
        fprintf(csv, "problem,mode,threads,microseconds\n");
    for (int i = 0; i < PROBLEMS && status == EXIT_FINE; i++) {
        char text[1400];
        problem one = { 0 };
        expand(problems[i], text, sizeof text);
        status = problem_read(text, "row", &one);
        for (int mode = 0; mode < MODES && status == EXIT_FINE; mode++)
            status = show_line(under, &one, problems[i], mode, &most, csv);
        problem_free(&one);
    }
    printf("\nthe longest: %.1f us\n", 1e6 * most);
    return status;
}

const report_row report_planning = {
    .name = "planning",
    .help = "what making a plan takes on the CPU, for 1 to 4096 threads",
    .least = 1,
    .run = run,
};
