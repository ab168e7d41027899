/* Whole tables of measurements: what --report= names. */
#include "reports.h"

#include <string.h>

#include "bench/base/complain.h"
#include "bench/device/cuda_part.h"

static const report_row *const of_host[] = { &report_errors, &report_host_batches, &report_mixed,
                                             &report_model,  &report_planning,     &report_scale };
enum { OF_HOST = sizeof of_host / sizeof of_host[0] };

const report_row *report_at(int index)
{
    if (index < OF_HOST)
        return of_host[index];
    const report_row *const *of_device = cuda_of_tool ? cuda_of_tool->reports : NULL;
    for (index -= OF_HOST; of_device && *of_device && index > 0; index--)
        of_device++;
    return of_device ? *of_device : NULL;
}

int report_find(const char *name, const report_row **out)
{
    char names[256] = "";
    for (int i = 0; (*out = report_at(i)); i++) {
        if (strcmp((*out)->name, name) == 0)
            return EXIT_FINE;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", (*out)->name);
    }
    return refuse("--report is one of %s, not '%s'%s", names, name,
                  cuda_of_tool ? "" : "; others need CUDA, and this build of lay has no CUDA part");
}

void reports_print_help(void)
{
    for (int i = 0; report_at(i); i++)
        printf("  --report=%-11s %s\n", report_at(i)->name, report_at(i)->help);
    if (!cuda_of_tool)
        printf("  Other reports need CUDA, and this build of lay has no CUDA part.\n");
}
