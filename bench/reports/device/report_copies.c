/* lay_copy between layouts in device memory, beside a plain copy of as many bytes. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/contest/contest_device.h"
#include "bench/reports/reports.h"
#include "bench/timing/timing.h"

static const char *const layouts[] = { "row", "col", "matrix2" };
enum { LAYOUTS = sizeof layouts / sizeof layouts[0], PAIRS = LAYOUTS * LAYOUTS, MAX_SEEN = 1001 };

typedef struct copier {
    const ground *from, *to; /* their first matrices */
    lay_options options;
    device_turn turn;
    double seconds[MAX_SEEN];
} copier;

static lay_status call_copy(void *of, int set)
{
    const copier *self = of;
    const operand *from = &self->from->host[0], *to = &self->to->host[1];
    return lay_copy(from->type, from->desc, ground_zero(self->from, 0, set), to->desc, ground_zero(self->to, 1, set),
                    &self->options);
}

/* In pieces: CUDA copies large blocks more slowly at once. */
static lay_status call_plain(void *of, int set)
{
    enum { PIECE = 128 << 20 };
    const copier *self = of;
    const operand *from = &self->from->host[0];
    const char *source = self->from->block[0] + self->from->stride[0] * (size_t)set;
    char *target = self->to->block[1] + self->to->stride[1] * (size_t)set;
    const size_t size = operand_size(from->desc, from->type);
    int status = EXIT_FINE;
    for (size_t at = 0; at < size && status == EXIT_FINE; at += PIECE)
        status = device_move(target + at, source + at, size - at < PIECE ? size - at : PIECE);
    return status == EXIT_FINE ? LAY_OK : LAY_ERR_DEVICE;
}

static int are_equal(const operand *a, const operand *b)
{
    const int is_float = a->type == LAY_F32;
    int wrong = 0;
#pragma omp parallel for reduction(| : wrong)
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < a->columns; j++) {
            const int64_t at = a->row[i] + a->column[j], bt = b->row[i] + b->column[j];
            wrong |= is_float ? ((const float *)a->zero)[at] != ((const float *)b->zero)[bt]
                              : ((const double *)a->zero)[at] != ((const double *)b->zero)[bt];
        }
    return !wrong;
}

static char *host_block(const operand *of)
{
    return (char *)of->zero + operand_lowest(of->desc, of->type);
}

static int check(copier *self, const char *from, const char *to)
{
    operand *a = &((ground *)self->from)->host[0], *b = &((ground *)self->to)->host[1];
    operand_fill_real(a, 1);
    operand_fill_nan(b);
    int status = device_upload(self->from->block[0], host_block(a), operand_size(a->desc, a->type));
    if (status == EXIT_FINE)
        status = device_upload(self->to->block[1], host_block(b), operand_size(b->desc, b->type));
    const lay_status done = status == EXIT_FINE ? self->turn.call(self, 0) : LAY_OK;
    if (done != LAY_OK)
        return refuse_status(done, "a copy in device memory");
    if (status == EXIT_FINE)
        status = device_download(host_block(b), self->to->block[1], operand_size(b->desc, b->type));
    if (status == EXIT_FINE && !are_equal(a, b))
        return fail("lay_copy from %s to %s is wrong", from, to);
    return status;
}

/* The plain copy comes last; all take turns with each other. */
static int race(const terms *under, lay_type type, int n, ground grounds[LAYOUTS], FILE *csv)
{
    static copier all[PAIRS + 1];
    device_turn *turns[PAIRS + 1];
    double *seconds[PAIRS + 1];
    int status = EXIT_FINE;
    for (int i = 0; i <= PAIRS && status == EXIT_FINE; i++) {
        const int from = i < PAIRS ? i / LAYOUTS : 0, to = i < PAIRS ? i % LAYOUTS : 0;
        all[i] = (copier){ .from = &grounds[from], .to = &grounds[to], .options = under->options };
        all[i].options.stream = device_get()->stream;
        all[i].options.device = device_get()->number;
        all[i].turn = (device_turn){ .call = i < PAIRS ? call_copy : call_plain, .self = &all[i] };
        all[i].turn.sets = grounds[from].sets < grounds[to].sets ? grounds[from].sets : grounds[to].sets;
        turns[i] = &all[i].turn;
        seconds[i] = all[i].seconds;
        if (i < PAIRS)
            status = check(&all[i], layouts[from], layouts[to]);
    }
    if (status == EXIT_FINE)
        status = device_race(turns, seconds, PAIRS + 1, under->rounds, under->min_time);
    const double bytes = 2.0 * n * n * (double)lay_type_size(type);
    for (int i = 0; i <= PAIRS && status == EXIT_FINE; i++) {
        const double each = median(all[i].seconds, under->rounds);
        const double share = median_ratio(all[PAIRS].seconds, all[i].seconds, under->rounds);
        const char *from = i < PAIRS ? layouts[i / LAYOUTS] : "plain copy", *to = i < PAIRS ? layouts[i % LAYOUTS] : "";
        printf("%6d  %-4s  %-10s  %-8s  %9.1f us  %7.0f GB/s  %6.3f%s\n", n, problem_type_name(type), from, to,
               1e6 * each, 1e-9 * bytes / each, share, all[i].turn.is_plain ? "  (no graph)" : "");
        if (csv)
            fprintf(csv, "%d,%s,%s,%s,%.3f,%.1f,%.4f\n", n, problem_type_name(type), from, to, 1e6 * each,
                    1e-9 * bytes / each, share);
    }
    for (int i = 0; i <= PAIRS; i++)
        device_turn_free(&all[i].turn);
    fflush(stdout);
    return status;
}

static int measure(const terms *under, lay_type type, int n, FILE *csv)
{
    char text[16];
    problem problems[LAYOUTS] = { 0 };
    ground grounds[LAYOUTS] = { 0 };
    int status = EXIT_FINE;
    snprintf(text, sizeof text, "%d", n);
    for (int i = 0; i < LAYOUTS && status == EXIT_FINE; i++) {
        status = problem_read(text, layouts[i], &problems[i]);
        if (status == EXIT_FINE)
            status = ground_create(type, problems[i].desc, &grounds[i]);
    }
    if (status == EXIT_FINE)
        status = race(under, type, n, grounds, csv);
    for (int i = 0; i < LAYOUTS; i++) {
        ground_clear(&grounds[i]);
        problem_free(&problems[i]);
    }
    return status;
}

static int run(const terms *under, const sizes *of, FILE *csv)
{
    int status = EXIT_FINE;
    printf("     n  type  from        to             a copy  read + written  of plain\n");
    if (csv)
        fprintf(csv, "n,type,from,to,microseconds,gigabytes_per_second,of_plain\n");
    for (int i = 0; i < of->count; i++)
        for (lay_type type = LAY_F32; type <= LAY_F64 && status == EXIT_FINE; type++)
            status = measure(under, type, of->n[i], csv);
    return status;
}

const report_row report_copies = {
    .name = "copies",
    .help = "lay_copy between layouts, beside a plain copy in device memory",
    .usual = { { 1000, 4096, 8192 }, 3 },
    .least = 8,
    .is_on_device = 1,
    .run = run,
};
