/* Command lines for a shell, as they were given and for one problem alone. */
#ifndef REPEAT_H
#define REPEAT_H

#include "task.h"

/* The whole command line, quoted where a shell asks for it, in memory of its own; NULL when that runs out. */
char *repeat_line(const args *given);

/* That which times the index-th problem alone, in a type and on so many threads, on the terms it has now. The same. */
char *repeat_problem(const args *given, const task *of, int index, lay_type type, int threads);

#endif
