/* Products on 1 to 65,536 places, predicted. Only what lies beneath the public header has the cost model of a team's
 * plans: scale-bench asks it, a program that a build leaves beside the tool, and this report runs it. */
#include <stdio.h>

#include "bench/base/complain.h"
#include "bench/timing/beside.h"
#include "reports.h"

static int run(const terms *under, const sizes *of, FILE *csv)
{
    char path[64];
    char *words[] = { NULL, NULL, NULL };
    (void)under;
    if (of->count)
        return refuse("--report=scale has products of its own and takes no words; scale-bench takes options");
    if (csv) {
        snprintf(path, sizeof path, "--csv=/dev/fd/%d", fileno(csv));
        words[1] = path;
    }
    return run_beside("scale-bench", "--report=scale", words);
}

const report_row report_scale = {
    .name = "scale",
    .help = "products on 1 to 65,536 GPUs by a team's cost model: time, efficiency, bytes to the bound",
    .least = 1,
    .run = run,
};
