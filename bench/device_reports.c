/* Whole tables of measurements on a device: what --report= names. */
#include "device_reports.h"

#include <string.h>

#include "device.h"
#include "tool.h"

static const struct {
    const char *name;
    int (*run)(const terms *under, const sizes *of, FILE *csv);
    sizes usual;
} reports[] = {
    { "course", report_course, { { 512, 1024, 2048, 4096, 8192 }, 5 } },
    { "paper",
      report_paper,
      { { 512, 1024, 1536, 2048, 2560, 3072, 3584, 4096, 4608, 5120, 5632, 6144, 6656, 7168, 7680, 8192 }, 16 } },
    { "copies", report_copies, { { 1000, 4096, 8192 }, 3 } },
    { "host", report_host, { { 4096, 8192, 16384 }, 3 } },
    { "roof", report_roof, { { 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384 }, 10 } },
};

int device_report(const char *name, const terms *under, const sizes *given, FILE *csv)
{
    const device_facts *on = device_get();
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++)
        if (strcmp(name, reports[i].name) == 0) {
            printf("layoutgemm  %s\n", lay_version());
            printf("device      %s, CUDA %d.%d, driver for %d.%d; CUDA's start-up took %.0f ms\n", on->name,
                   on->runtime / 1000, on->runtime / 10 % 100, on->driver / 1000, on->driver / 10 % 100,
                   1e3 * on->start_up);
            printf("timing      medians of %d rounds; products judged before they are timed\n\n", under->rounds);
            return reports[i].run(under, given->count ? given : &reports[i].usual, csv);
        }
    return refuse("--report is one of course, paper, copies, host and roof, not '%s'", name);
}
