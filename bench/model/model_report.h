/* What came out of many products: regret, and predicted against measured seconds. */
#ifndef MODEL_REPORT_H
#define MODEL_REPORT_H

#include <stdio.h>

#include "bench/problems/problem.h"
#include "model_place.h"

enum { MODEL_TALLIES = 128 };

/* A product as it came out. */
typedef struct model_outcome {
    const char *suite;
    char *text;
    lay_type type;
    int threads;
    double regret, regret_of_sum, seconds, best_seconds; /* of_sum: beside ways of equal bits */
    double best_predicted;
    char taken[MODEL_WAY_TEXT], best[MODEL_WAY_TEXT];
} model_outcome;

/* Predicted over measured, of all ways of a name. */
typedef struct model_tally {
    char name[MODEL_NAME];
    int count;
    double sum, squares; /* of logarithms */
} model_tally;

typedef struct model_report {
    FILE *csv;
    model_outcome *list;
    int count, room;
    model_tally tallies[MODEL_TALLIES];
    int names;
    int unknown; /* products whose way was not timed by the run that is replayed */
} model_report;

/* Adds a product whose ways are timed, and its line of the CSV where there is one. 0, or the exit status after a
 * sentence.
 */
int model_note(model_report *to, const char *suite, const problem *of, const model_operands *on,
               const lay_options *options, const model_choice *ways);

/* Regret by suites, predictions by ways, and so many products with the most regret. Sorts the list. */
void model_report_print(model_report *of, int worst);

/* Mean regret, a little for the worst, for those above 1.1 and for predictions that are off: less is better. */
double model_report_score(const model_report *of);

void model_report_free(model_report *of);

#endif
