/* A run of batches by lanes under way: what its files share. */
#ifndef LAY_CPU_LANES_WORK_H
#define LAY_CPU_LANES_WORK_H

#include "cpu/lanes/lanes.h"

/* Offsets of a product's elements, of its operands and of what is brought together. */
typedef struct lay_lanes_tables {
    int64_t *left_m, *left_k, *right_k, *right_n, *result_m, *result_n; /* in elements */
    int64_t *numbers_m, *numbers_n; /* C's in numbers, where those are not its elements */
    int64_t *left_row, *right_column, *step, *sum_row, *sum_column; /* of blocks, of full width; in numbers */
    /* All elements of a product as they lie in planes, where chunks come beside others. */
    int64_t *left, *right, *result;
} lay_lanes_tables;

/* A run under way. */
typedef struct lay_lanes_work {
    const lay_branch *branch;
    const lay_lanes_job *own;
    const lay_call *call;
    lay_lanes_tables at;
    char *shares;
    int64_t tasks, threads;
    lay_expansion expansion; /* of complex types, */
    lay_scalar alpha, beta;  /* which are the real product's */
} lay_lanes_work;

/* A thread's own. */
typedef struct lay_lanes_share {
    char *left, *right;
    void *sums; /* a block of C, if it is not written in place */
} lay_lanes_share;

/* A chunk of a run: where its first product's matrices begin, and what a block of it is. */
typedef struct lay_lanes_chunk {
    const char *left, *right;
    char *c;
    int64_t width; /* numbers */
} lay_lanes_chunk;

/* The tables, in a room of lay_lanes_table_bytes. */
lay_lanes_tables lay_lanes_make_tables(const lay_problem *problem, const lay_lanes_job *own, int64_t *room);

/* So many lines of an operand, count steps of each, to where a thread has them together. */
void lay_lanes_bring(const lay_lanes_work *of, int side, const char *zero, const int64_t *line, int64_t lines,
                     const int64_t *step, int64_t count, int64_t width, char *to);

/* A block of C from row i and column j on, whose products do not lie side by side, to where they do; or back. */
void lay_lanes_stage(const lay_lanes_work *of, const lay_lanes_chunk *at, const lay_lanes_share *mine, int64_t i,
                     int64_t j, const lay_lanes *block, int is_back);

/* The same where products lie side by side, register by register in the buffer. */
void lay_lanes_put(const lay_lanes_work *of, const lay_lanes_chunk *at, const lay_lanes_share *mine, int64_t i,
                   int64_t j, const lay_lanes *block, int is_back);

#endif
