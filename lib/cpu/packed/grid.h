/* How a block of C is cut into tasks that threads share: the grid whose busiest thread has the least to do. */
#ifndef LAY_CPU_GRID_H
#define LAY_CPU_GRID_H

#include <stdint.h>

/* A block of C in panels: of rows, and of columns. The last panels may be short. */
typedef struct lay_area {
    double m, n;                /* as many panels as its elements fill: 2.5 are two whole ones and half of one */
    int64_t m_panels, n_panels; /* the same rounded up */
} lay_area;

/* What a grid must keep to. */
typedef struct lay_grid_limits {
    int64_t rows;                         /* panels of a task at most */
    int64_t most_down, most_right, tasks; /* tasks at most: along m, along n, together */
    int is_by_columns;                    /* tasks are dealt by columns; 0: either way */
    int are_whole;                        /* short panels cost as much as whole ones */
} lay_grid_limits;

/* Tasks of rows x columns panels, dealt to threads as lay_parallel_for does. */
typedef struct lay_grid {
    int64_t rows, columns;
    int is_by_columns; /* task i + 1 is the next one down, so that threads share out the columns */
    double cost;       /* of the busiest thread, in kernel tiles' time */
} lay_grid;

/* One thread: as few tasks as serve. Takes some microseconds, for however many threads and panels. */
lay_grid lay_grid_choose(const lay_area *all, const lay_grid_limits *limits, int threads);

/* What a grid costs: the busiest thread's share; or, where threads are not equally fast, an even share and most of the
 * last task that the others wait for. For many threads at most this. */
double lay_grid_cost(const lay_area *all, const lay_grid_limits *limits, const lay_grid *tasks, int threads);

#endif
