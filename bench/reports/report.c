/* What a bench prints: a table on stdout, and its rows as CSV in a file. */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/choices.h"
#include "bench/base/complain.h"
#include "bench/base/element.h"
#include "bench/base/timing.h"

void report_start(report *to)
{
    printf("\n%-*s  type  threads  %-*s  %10s  %8s  %7s  %6s  %7s  %6s%s\n", to->problem_width, "problem",
           to->who_width, "who", "a call", "GFLOP/s", "of peak", "lay is", "at best", "of row",
           to->shows_kernels ? "  kernel" : "");
    if (to->csv)
        fprintf(to->csv,
                "problem,m,n,k,layout_a,layout_b,layout_c,type,memory,threads,who,kernels,rounds,calls,median_seconds,"
                "lowest_seconds,gflops,peak_gflops,share_of_peak,lay_is,lay_is_at_best,of_row,unit_gflops\n");
}

static void write_time(char text[16], double seconds)
{
    if (seconds < 1e-5)
        snprintf(text, 16, "%.0f ns", 1e9 * seconds);
    else if (seconds < 1e-2)
        snprintf(text, 16, "%.1f us", 1e6 * seconds);
    else
        snprintf(text, 16, "%.2f ms", 1e3 * seconds);
}

static void write_ratio(char text[16], double ratio)
{
    if (isnan(ratio))
        text[0] = 0;
    else
        snprintf(text, 16, "%.3f", ratio);
}

static double flops(lay_type type, const problem *of)
{
    return (element_parts(type) == 2 ? 8.0 : 2.0) * (double)of->m * (double)of->n * (double)of->k;
}

/* Our speed in terms of theirs: 1.1 says that they take 1.1 times as long as we. */
static double speed_over(const contest *what, const result *them)
{
    return median_ratio(them->seconds, what->results[0].seconds, what->rounds);
}

/* The same of everybody's fastest turns. */
static double best_speed_over(const contest *what, const result *them)
{
    return lowest(them->seconds, what->rounds) / lowest(what->results[0].seconds, what->rounds);
}

static const result *find_row(const contest *what)
{
    for (int i = 0; i < what->count; i++)
        if (what->results[i].role == ROLE_LAY_ROW)
            return &what->results[i];
    return NULL;
}

/* A field of CSV: a quote inside is doubled. */
static void write_field(FILE *csv, const char *text)
{
    fputc('"', csv);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', csv);
        fputc(*text, csv);
    }
    fputs("\",", csv);
}

/* Nothing for a figure that a row does not have. */
static void write_number(FILE *csv, double number, char end)
{
    if (!isnan(number))
        fprintf(csv, "%.4f", number);
    fputc(end, csv);
}

typedef struct figures {
    double seconds, gflops, peak, lay_is, at_best, of_row, unit;
} figures;

static void write_csv(FILE *csv, const terms *under, const problem *of, const result *r, const figures *f, int rounds)
{
    write_field(csv, of->text);
    fprintf(csv, "%" PRId64 ",%" PRId64 ",%" PRId64 ",", of->m, of->n, of->k);
    for (int i = 0; i < 3; i++)
        write_field(csv, of->notation[i]);
    fprintf(csv, "%s,%s,%d,", problem_type_name(under->type), choices_memory_name(under->memory),
            under->options.threads);
    write_field(csv, r->who);
    write_field(csv, r->peer ? r->peer->kernels : r->how);
    fprintf(csv, "%d,%" PRId64 ",%.6g,%.6g,%.5g,", rounds, r->calls, f->seconds, lowest(r->seconds, rounds), f->gflops);
    write_number(csv, f->peak, ',');
    write_number(csv, f->gflops / f->peak, ',');
    write_number(csv, f->lay_is, ',');
    write_number(csv, f->at_best, ',');
    write_number(csv, f->of_row, ',');
    write_number(csv, f->unit, '\n');
    fflush(csv);
}

/* A long one loses its end: the file has all of it. */
static void print_problem(const report *to, const char *text)
{
    const int fits = strlen(text) <= (size_t)to->problem_width;
    printf("%-*.*s%s", fits ? to->problem_width : to->problem_width - 2,
           fits ? to->problem_width : to->problem_width - 2, text, fits ? "" : "..");
}

static void write_line(const report *to, const terms *under, const problem *of, const result *r, const figures *f)
{
    char time[16], share[16] = "", lay_is[16], at_best[16], of_row[16], threads[16];
    write_time(time, f->seconds);
    if (!isnan(f->peak))
        snprintf(share, sizeof share, "%.0f %%", 100 * f->gflops / f->peak);
    write_ratio(lay_is, f->lay_is);
    write_ratio(at_best, f->at_best);
    write_ratio(of_row, f->of_row);
    if (under->memory == LAY_MEMORY_DEVICE)
        snprintf(threads, sizeof threads, "GPU");
    else if (under->options.threads == 0)
        snprintf(threads, sizeof threads, "all");
    else
        snprintf(threads, sizeof threads, "%d", under->options.threads);
    const int first = r->role == ROLE_LAY;
    print_problem(to, first ? of->text : "");
    printf("  %-4s  %7s  %-*s  %10s  %8.1f  %7s  %6s  %7s  %6s%s%s\n", first ? problem_type_name(under->type) : "",
           first ? threads : "", to->who_width, r->who, time, f->gflops, share, lay_is, at_best, of_row,
           to->shows_kernels && *r->how ? "  " : "", to->shows_kernels ? r->how : "");
}

/* The lowest of our ratios to the peers of a role; infinite when there is none. */
static double lowest_ratio(const contest *what, role of)
{
    double least = INFINITY;
    for (int i = 1; i < what->count; i++)
        if (what->results[i].role == of)
            least = fmin(least, speed_over(what, &what->results[i]));
    return least;
}

static int keep_best(report *to, const problem *of, const contest *what)
{
    if (to->cases == to->room) {
        const int room = 2 * to->room + 16;
        void *more = realloc(to->best, (size_t)room * sizeof *to->best);
        if (!more)
            return fail("out of memory");
        to->best = more;
        to->room = room;
    }
    const result *row = find_row(what);
    const double direct = lowest_ratio(what, ROLE_PEER), copies = lowest_ratio(what, ROLE_COPIES);
    to->best[to->cases++] =
        (struct best){ .problem = of->text,
                       .ratio = { direct, copies, row ? speed_over(what, row) : INFINITY,
                                  lowest_ratio(what, ROLE_LAY_COPIES), of->labels ? fmin(direct, copies) : INFINITY } };
    return EXIT_FINE;
}

int report_contest(report *to, const terms *under, const problem *of, const contest *what)
{
    const result *row = find_row(what);
    for (int i = 0; i < what->count; i++) {
        const result *r = &what->results[i];
        figures f = { .seconds = median(r->seconds, what->rounds),
                      .peak = median(what->peak, what->rounds),
                      .unit = median(what->unit, what->rounds) };
        f.gflops = 1e-9 * flops(under->type, of) / f.seconds;
        f.lay_is = r->role == ROLE_LAY ? NAN : speed_over(what, r);
        f.at_best = r->role == ROLE_LAY ? NAN : best_speed_over(what, r);
        f.of_row = r->role == ROLE_LAY && row ? median_ratio(row->seconds, r->seconds, what->rounds) : NAN;
        write_line(to, under, of, r, &f);
        if (to->csv)
            write_csv(to->csv, under, of, r, &f, what->rounds);
    }
    const double unit = median(what->unit, what->rounds);
    if (!isnan(unit))
        printf("%-*s  matrix units alone, of random numbers in registers: %.1f GFLOP/s, of which lay reaches %.0f %%\n",
               to->problem_width, "", unit,
               1e-9 * flops(under->type, of) / median(what->results[0].seconds, what->rounds) / unit * 100);
    fflush(stdout);
    return keep_best(to, of, what);
}

static void sum_up(const report *to, int which, const char *what)
{
    const struct best *least = NULL;
    double product = 1;
    int count = 0;
    for (int i = 0; i < to->cases; i++) {
        const struct best *one = &to->best[i];
        if (isinf(one->ratio[which]))
            continue;
        least = least && least->ratio[which] <= one->ratio[which] ? least : one;
        product *= one->ratio[which];
        count++;
    }
    if (count)
        printf("lay against %s of each problem: lowest %.3f (%s), geometric mean %.3f, %d problem%s\n", what,
               least->ratio[which], least->problem, pow(product, 1.0 / count), count, count == 1 ? "" : "s");
}

void report_end(report *to)
{
    printf("\n");
    sum_up(to, 0, "the best peer");
    sum_up(to, 1, "the best peer + copies");
    sum_up(to, 2, "its own row-major product");
    sum_up(to, 3, "its own copies + row-major product");
    sum_up(to, 4, "the best of all peers");
    free(to->best);
}
