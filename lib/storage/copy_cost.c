/* Time of a copy on the host: tasks, segments or transposed blocks, and what neither cache holds. */
#include <math.h>

#include "base/arith.h"
#include "machine/machine.h"
#include "machine/rates.h"
#include "machine/visits.h"
#include "storage/copy.h"

enum { VECTOR = 16 /* bytes that are transposed together */, BLOCK = 64 /* columns of a transposed block */ };

/* How many elements lie side by side in the source, or in the destination. */
static int64_t find_run(const lay_copy_axes *axes, int is_to)
{
    int64_t run = 1;
    for (int i = 0; i < axes->count; run *= axes->axis[i++].extent)
        if (axes->axis[i].from_map || (is_to ? axes->axis[i].to : axes->axis[i].from) != run)
            break;
    return run;
}

/* ns of moving elements in segments, each a call of memcpy or a move. */
static double move_segments(const lay_copy_job *job)
{
    const lay_rates *rates = lay_rates_get();
    const int64_t bytes = job->line * job->size;
    return (double)(job->elements / job->line) *
           ((bytes == 8 || bytes == 16 ? rates->copy_moved : rates->copy_segment) + (double)bytes * rates->copy_byte);
}

/* ns of blocks that are transposed: those elements by vectors that lie side by side in the source. */
static double transpose(const lay_copy_job *job)
{
    const lay_rates *rates = lay_rates_get();
    if (job->is_plain && lay_copy_is_line(job))
        return (double)job->elements * (job->columns.axis[0].to == 1 ? 1 : rates->copy_apart) * rates->copy_single;
    const int64_t width = VECTOR / job->size, run = find_run(&job->rows, 0);
    const int64_t across = min_of(job->columns.extent, BLOCK);
    const int is_written_well = find_run(&job->columns, 1) >= across;
    const double together = run % width == 0 ? 1 : fmax(0, 1 - (double)(width - 1) / (double)run);
    /* Where each column lies is found out once for all rows: for one by maps it shows. */
    const double columns = job->rows.extent == 1 ? rates->copy_segment : 0;
    const double each = together * (double)job->size * rates->copy_turned + (1 - together) * rates->copy_single +
                        (is_written_well ? rates->copy_segment / (double)across : rates->copy_single) + columns;
    return (double)job->elements * each;
}

/* Axes that are not yet in a loop. */
typedef struct rest {
    const lay_copy_axes *of;
    int next;
    double done; /* of the next one's extent */
} rest;

/* Up to so many elements more, as loops around what there is. */
static void visit(lay_visits *to, rest *from, double elements, int is_to, int64_t size)
{
    while (from->next < from->of->count && elements > 1) {
        const lay_copy_axis *axis = &from->of->axis[from->next];
        const double steps = fmin((double)axis->extent / from->done, elements);
        lay_visits_add(to, steps, (int64_t)((double)((is_to ? axis->to : axis->from) * size) * from->done));
        elements /= steps;
        from->done *= steps;
        if (from->done >= (double)axis->extent)
            *from = (rest){ from->of, from->next + 1, 1 };
    }
}

/* Seconds until one side's lines have come, in the order of the tasks. */
static double fetch(const lay_copy_job *job, int is_moved, int is_to, const lay_machine *machine)
{
    rest columns = { &job->columns, 0, 1 }, rows = { &job->rows, 0, 1 }, outers = { &job->outers, 0, 1 };
    const int64_t size = is_to ? job->size : job->from_size;
    lay_visits of = { .count = 0 };
    lay_visits_add(&of, (double)job->line, size);
    if (!is_moved && !is_to)
        visit(&of, &rows, LAY_COPY_ROWS, is_to, size);
    visit(&of, &columns, is_moved ? LAY_COPY_STRIP : LAY_COPY_BLOCK, is_to, size);
    visit(&of, &rows, LAY_COPY_ROWS, is_to, size);
    visit(&of, &columns, INFINITY, is_to, size);
    visit(&of, &rows, INFINITY, is_to, size);
    visit(&of, &outers, INFINITY, is_to, size);
    return lay_visits_predict(&of, machine);
}

double lay_copy_predict(const lay_copy_job *job, int threads)
{
    const lay_rates *rates = lay_rates_get();
    const lay_machine *machine = lay_machine_get();
    const int is_moved = job->line > 1 || (job->rows.extent == 1 && job->columns.extent == 1);
    const double tasks = (double)lay_copy_count_tasks(job) * rates->copy_task;
    const double change = job->is_plain ? 0 : (double)job->elements * rates->copy_changed;
    const double work = ((is_moved ? move_segments(job) : transpose(job)) + tasks + change) * 1e-9;
    const double lines = fetch(job, is_moved, 0, machine) + fetch(job, is_moved, 1, machine);
    return (fmax(work, lines) + (1 - rates->pack_overlap) * fmin(work, lines)) / lay_copy_count_threads(job, threads);
}
