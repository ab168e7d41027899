/* Whole tables of measurements on a device: what --report= names. */
#include "device_reports.h"

#include <string.h>

#include "device.h"
#include "tool.h"

static const struct {
    const char *name;
    int (*run)(const terms *under, FILE *csv);
} reports[] = {
    { "course", report_course },
    { "paper", report_paper },
    { "copies", report_copies },
    { "host", report_host },
};

int device_report(const char *name, const terms *under, FILE *csv)
{
    const device_facts *on = device_get();
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++)
        if (strcmp(name, reports[i].name) == 0) {
            printf("layoutgemm  %s\n", lay_version());
            printf("device      %s, CUDA %d.%d, driver for %d.%d; CUDA's start-up took %.0f ms\n", on->name,
                   on->runtime / 1000, on->runtime / 10 % 100, on->driver / 1000, on->driver / 10 % 100,
                   1e3 * on->start_up);
            printf("timing      medians of %d rounds; products judged before they are timed\n\n", under->rounds);
            return reports[i].run(under, csv);
        }
    return refuse("--report is one of course, paper, copies and host, not '%s'", name);
}
