/* What lay bench prints before its table: the machine, how it times, what the columns mean. */
#ifndef HEAD_H
#define HEAD_H

#include "task.h"

void head_print(const args *given, const task *of);

/* What is timed beside ours in any problem. */
terms head_terms(const task *of);

/* Whether lines stand beneath lay's own in any problem. */
int head_has_others(const task *of);

/* A sentence where other programs keep CPUs busy that this run needs, else NULL. The text is kept until the next. */
const char *head_warning(const task *of, double load);

/* The load average of the last minute, NaN where it is not known. */
double head_load(void);

#endif
