/* Times of an earlier run in place of new ones: what other rates would have taken, without a clock. */
#ifndef MODEL_REPLAY_H
#define MODEL_REPLAY_H

#include <stdio.h>

#include "model_ways.h"

/* One line of a run's CSV. The strings lie in line. */
typedef struct model_line {
    char *line;
    size_t room;
    const char *suite, *text, *type, *ways;
    int threads;
} model_line;

/* The next line of a CSV that model-bench wrote. 0 at its end or where a line is none of its own: *is_bad says which.
 */
int model_line_read(FILE *csv, model_line *out, int *is_bad);
void model_line_free(model_line *of);

/* Fills seconds as the line has them, and missed with what it has besides. A way that it does not have is out, and its
 * seconds are INFINITY. */
void model_replay(model_choice *of, const model_line *line);

#endif
