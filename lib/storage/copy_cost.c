/* Time of a copy on the host: tasks, segments or transposed blocks, and what neither cache holds. */
#include <math.h>

#include "base/arith.h"
#include "machine/machine.h"
#include "machine/rates.h"
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
    const int64_t width = VECTOR / job->size, run = find_run(&job->rows, 0);
    const int64_t across = min_of(job->columns.extent, BLOCK);
    const int is_written_well = find_run(&job->columns, 1) >= across;
    const double together = run % width == 0 ? 1 : fmax(0, 1 - (double)(width - 1) / (double)run);
    const double each = together * (double)job->size * rates->copy_turned + (1 - together) * rates->copy_single +
                        (is_written_well ? rates->copy_segment / (double)across : rates->copy_single);
    return (double)job->elements * each;
}

/* ns of an element that is not plainly copied, besides the copy (bench/LOG.md, section 47). */
static const double changed = 0.15;

double lay_copy_predict(const lay_copy_job *job, int threads)
{
    const lay_rates *rates = lay_rates_get();
    const lay_machine *machine = lay_machine_get();
    const double bytes = (double)job->elements * (double)job->size;
    const int is_moved = job->line > 1 || (job->rows.extent == 1 && job->columns.extent == 1);
    const double tasks = (double)lay_copy_count_tasks(job) * rates->copy_task;
    const double change = job->is_plain ? 0 : (double)job->elements * changed;
    const double work = ((is_moved ? move_segments(job) : transpose(job)) + tasks + change) * 1e-9;
    const double far = 2 * bytes > (double)machine->l3 ? (is_moved ? 1 : 2) * bytes / (rates->from_memory * 1e9) : 0;
    return (work + far) / lay_copy_count_threads(job, threads);
}
