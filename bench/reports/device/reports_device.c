/* Reports on a CUDA device. */
#include "bench/device/device.h"
#include "bench/reports/reports.h"

const report_row *const reports_of_device[] = { &report_batches, &report_course, &report_paper,  &report_copies,
                                                &report_host,    &report_roof,   &report_shapes, NULL };

void report_print_device(const terms *under)
{
    const device_facts *on = device_get();
    printf("layoutgemm  %s\n", lay_version());
    printf("device      %s, CUDA %d.%d, driver for %d.%d; CUDA's start-up took %.0f ms\n", on->name, on->runtime / 1000,
           on->runtime / 10 % 100, on->driver / 1000, on->driver / 10 % 100, 1e3 * on->start_up);
    printf("timing      medians of %d rounds; products checked before they are timed\n\n", under->rounds);
}
