/* How far a run is, on a terminal. */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/complain.h"
#include "bench/reports/table.h"
#include "bench/timing/timing.h"

progress progress_start(int count, double weight)
{
    const char *terminal = getenv("TERM"), *colour = getenv("NO_COLOR");
    const int is_dumb = terminal && strcmp(terminal, "dumb") == 0;
    return (progress){ .is_shown = isatty(STDERR_FILENO) && !is_dumb,
                       .has_colour = !(colour && *colour),
                       .count = count,
                       .begin = seconds_now(),
                       .weight = weight };
}

static void write_left(const progress *of, char text[32])
{
    text[0] = 0;
    if (of->weight_done <= 0)
        return;
    const double left = (seconds_now() - of->begin) * (of->weight - of->weight_done) / of->weight_done;
    if (left < 90)
        snprintf(text, 32, ", about %.0f s left", left);
    else
        snprintf(text, 32, ", about %.0f min left", left / 60);
}

void progress_show(const progress *of, const char *text)
{
    char left[32], fitted[256];
    if (!of->is_shown)
        return;
    write_left(of, left);
    table_fit(text, 40, fitted);
    fprintf(stderr, "\r%s%d of %d: %s%s%s", of->has_colour ? "\x1b[2m" : "", of->done + 1, of->count, fitted, left,
            of->has_colour ? "\x1b[0m" : "");
    complain_within_line(1);
}

/* Blanks: a terminal without colours may know no way to clear a line. */
void progress_hide(const progress *of)
{
    if (of->is_shown)
        fprintf(stderr, "\r%*s\r", TABLE_WIDTH - 1, "");
    complain_within_line(0);
}

void progress_step(progress *of, double weight)
{
    of->done++;
    of->weight_done += weight;
}
