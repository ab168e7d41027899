/* What lay bench was asked to do. */
#ifndef TASK_H
#define TASK_H

#include "bench/base/args.h"
#include "bench/contest/contest.h"
#include "bench/problems/suites.h"

enum { MAX_PROBLEMS = 1024, MAX_THREAD_COUNTS = 32, MAX_TYPES = 4 };

typedef struct task {
    problem problems[MAX_PROBLEMS];
    int problem_count;
    lay_type types[MAX_TYPES];
    int type_count;
    int threads[MAX_THREAD_COUNTS]; /* 0: the library's choice */
    int thread_count;
    peer peers[MAX_PEERS];
    const suite *suite; /* NULL: the problems are named */
    terms terms;        /* but for the type, the threads and the peers */
} task;

/* The terms first, then what else is needed where problems are timed. 0, or the exit status after a sentence;
 * task_clear in either case. */
int task_read_terms(const args *given, task *out);
int task_read(const args *given, task *out);
void task_clear(task *of);

#endif
