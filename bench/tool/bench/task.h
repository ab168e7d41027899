/* What lay bench was asked to do. */
#ifndef TASK_H
#define TASK_H

#include "bench/base/args.h"
#include "bench/contest/contest.h"
#include "bench/problems/suites.h"

enum { MAX_PROBLEMS = 1024, MAX_THREAD_COUNTS = 32, MAX_TYPES = 6 };

typedef struct task {
    problem problems[MAX_PROBLEMS];
    const suite *part[MAX_PROBLEMS]; /* of the suite that a problem is of; NULL: it is named */
    int only[MAX_PROBLEMS];          /* the one type that it is timed in; -1: all of them */
    int problem_count;
    lay_type types[MAX_TYPES];
    int type_count;
    int threads[MAX_THREAD_COUNTS]; /* 0: the library's choice */
    int thread_count;
    int has_threads; /* they are asked for */
    peer peers[MAX_PEERS];
    const suite *suite; /* NULL: the problems are named */
    terms terms;        /* but for the type, the threads, the peers and what a part of a suite asks for */
} task;

/* The terms first, then what else is needed where problems are timed. 0, or the exit status after a sentence;
 * task_clear in either case. */
int task_read_terms(const args *given, task *out);
int task_read(const args *given, task *out);
void task_clear(task *of);

/* On which terms the index-th problem is timed: what is asked for goes before what its part of a suite has. */
terms task_terms(const task *of, int index, lay_type type, int threads);

/* Whether the index-th problem is timed in a type. */
int task_is_of_type(const task *of, int index, lay_type type);

#endif
