/* Problems whose sizes are ranges, written out: "256..4096:x2" is 256, 512, 1024, 2048 and 4096. */
#ifndef SWEEP_H
#define SWEEP_H

typedef struct problem_list {
    char **texts; /* [count] */
    int count, room;
} problem_list;

/* Adds every problem that a text stands for, the first size varying slowest; a text without a range as it is. 0, or the
 * exit status after a sentence. problem_list_free in either case. */
int sweep_add(problem_list *to, const char *text, int most);

/* The same of each line of a file; "-" is standard input. A sentence on what cannot be read names file and line. */
int sweep_add_file(problem_list *to, const char *path, int most);

void problem_list_free(problem_list *of);

#define SWEEP_HELP                                                                                                     \
    "Each of SIZES may be a range, FIRST..LAST: 256..4096:x2 doubles from 256 to 4096, 100..1000:+100 goes up\n"       \
    "by 100, and without a step a range doubles. A range of N alone stays square, 64x256..1024:x2x512 is\n"            \
    "64x256x512, 64x512x512 and 64x1024x512; of several ranges all combinations are timed, the first size\n"           \
    "varying slowest. --problems=FILE has a problem in each line, ranges too; '-' is standard input. What\n"           \
    "follows a '#' at the beginning of a line or after a blank is a comment.\n"

#endif
