/* Predicted against measured, and the planner's regret. Only what lies beneath the public header can make every way
 * that a product might have been computed: model-bench does it, a program that a build leaves beside the tool, and this
 * report runs it. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/choices.h"
#include "bench/base/complain.h"
#include "bench/timing/beside.h"
#include "levels.h"
#include "reports.h"

enum { MOST_WORDS = 10, WORD = 64 };

/* What it is asked for, in words of its own. */
typedef struct words {
    char text[MOST_WORDS][WORD];
    char *list[MOST_WORDS + 2]; /* with the program's path before and NULL behind */
    int count;
} words;

__attribute__((format(printf, 2, 3))) static void add(words *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to->text[to->count], WORD, format, arguments);
    va_end(arguments);
    to->list[to->count + 1] = to->text[to->count];
    to->count++;
}

static void write_words(const terms *under, FILE *csv, words *out)
{
    if (under->options.threads > 0)
        add(out, "--threads=%d", under->options.threads);
    if (under->options.isa != LAY_ISA_AUTO)
        add(out, "--isa=%s", lay_isa_name(under->options.isa));
    if (csv)
        add(out, "--csv=/dev/fd/%d", fileno(csv));
    if (under->memory == LAY_MEMORY_HOST)
        return;
    add(out, "--memory=%s", choices_memory_name(under->memory));
    add(out, "--compute=%s", choices_compute_name(under->options.compute));
    if (under->options.device != LAY_DEVICE_AUTO)
        add(out, "--device=%d", under->options.device);
}

static int run(const terms *under, const sizes *of, FILE *csv)
{
    words given = { .count = 0 };
    if (of->count)
        return refuse("--report=model has problems of its own and takes no words; model-bench takes them");
    write_words(under, csv, &given);
    return run_beside("model-bench", "--report=model", given.list);
}

const report_row report_model = {
    .name = "model",
    .help = "predicted against measured seconds, and the time of the way taken over the best one's; in\n"
            "                       host memory, or with --memory=device",
    .least = 1,
    .takes_memory = 1,
    .run = run,
};
