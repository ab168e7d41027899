/* Two files of lay bench, row by row. */
#ifndef COMPARE_H
#define COMPARE_H

/* Prints the table. 0 where no line of lay's is slower, EXIT_FAILED where one is, or the exit status after a
 * sentence. */
int compare_files(const char *old_path, const char *new_path);

#define COMPARE_HELP                                                                                                   \
    "'lay bench --compare OLD NEW' reads two such files, CSV or JSON, and times nothing. Rows go together where\n"     \
    "problem, type, memory, threads, who and caches are the same. A line is slower or faster where the medians\n"      \
    "differ by more than 2 % and by more than the spread of either file; of a file without spreads that is\n"          \
    "what the lowest lies below the median. The speedup is the old median divided by the new. The exit status\n"       \
    "is 1 where a line of lay's is slower, 2 where a file cannot be read or no rows go together, else 0.\n"

#endif
