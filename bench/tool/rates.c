/* lay rates: what this machine's rates are, in lines that LAY_RATES reads. Times of every way of many products tell
 * them: model-bench has both. */
#include <stdio.h>

#include "bench/timing/beside.h"
#include "tool.h"

static int measure(const args *given)
{
    enum { WORD = 64 };
    char each[WORD], seconds[WORD], fit[] = "--fit", *words[] = { NULL, fit, each, seconds, NULL };
    int64_t products = 12;
    double least = 0.04;
    if (given->word_count)
        return refuse("rates takes no words, '%s' was given", given->words[0]);
    int status = args_integer(given, "each", 1, 45, &products);
    if (status == EXIT_FINE)
        status = args_real(given, "seconds", &least);
    snprintf(each, sizeof each, "--each=%lld", (long long)products);
    snprintf(seconds, sizeof seconds, "--seconds=%g", least);
    return status == EXIT_FINE ? run_beside("model-bench", "rates", words) : status;
}

static const option rates_options[] = {
    { "each", 0, "N", "products of each of eight suites: 12 if not given" },
    { "seconds", 0, "S", "for each product, at least: 0.04 if not given" },
    { 0 },
};

const command rates_command = {
    .name = "rates",
    .usage = "[OPTIONS]",
    .summary = "measure the rates of this machine that plans rest on, in lines that LAY_RATES=FILE takes",
    .notes = "Takes under a minute on one CPU, which nobody else should use meanwhile.\n",
    .options = rates_options,
    .run = measure,
};
