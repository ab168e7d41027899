/* What a product of a matrix and a vector costs. */
#include "cpu/cost/cost.h"

#include <math.h>

#include "base/scalar.h"
#include "cpu/cost/bytes.h"
#include "cpu/cost/compute.h"
#include "machine/rates.h"

double lay_cost_vector(const lay_problem *problem, const lay_job *job, const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    const lay_blocked *blocks = job->data;
    const int wide = lay_cost_is_wide(blocks->kernel);
    const double slower[] = { /* than lines along k */
                              [LAY_VECTOR_ALONG] = 1,
                              [LAY_VECTOR_ACROSS] = rates->vector_across,
                              [LAY_VECTOR_PACKED] = rates->vector_packed * (wide ? rates->packed_wide : 1),
                              [LAY_VECTOR_PANELS] = rates->vector_panels
    };
    const double elements = lay_problem_flops(problem) / 2, bytes = elements * (double)lay_size_of(problem->types.left);
    const double compute = bytes / LAY_LINE * (wide ? rates->line_wide : rates->line_narrow) / lay_cost_clock(machine);
    const int is_far = bytes > (double)machine->l1;
    const double few = wide && is_far && elements < rates->few_lines * (double)problem->k.extent ? rates->few_wide : 1;
    const double work =
        slower[blocks->vector.reading] * few * lay_cost_overlap(lay_cost_bytes(bytes, bytes, machine), compute);
    return lay_cost_share(work, bytes > (double)machine->l3 ? bytes : 0, job->threads, rates->join * 1e-9) +
           rates->call_vector * 1e-9;
}
