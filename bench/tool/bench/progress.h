/* How far a run is, on a terminal: a line on standard error that is rewritten. Elsewhere nothing is written. */
#ifndef PROGRESS_H
#define PROGRESS_H

typedef struct progress {
    int is_shown, has_colour;
    int done, count;
    double begin, weight_done, weight; /* in what the weights of progress_start are in */
} progress;

/* count steps that take some time together. */
progress progress_start(int count, double weight);

/* Before a step; before anything else is printed; behind a step. */
void progress_show(const progress *of, const char *text);
void progress_hide(const progress *of);
void progress_step(progress *of, double weight);

#endif
