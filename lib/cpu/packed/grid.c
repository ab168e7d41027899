/* The grid of tasks: every number of tasks along m and along n that differs, but for those that a bound rules out. */
#include "cpu/packed/grid.h"

#include <math.h>

#include "base/arith.h"

enum { FEW_THREADS = 16 }; /* each one's share is added up; of more, a bound on the busiest one's serves */

/* Kernel tiles' time: to fetch a panel; and a task's part that the others wait for (bench/LOG.md, 36). */
static const double fetch = 0.3, last = 0.75;

/* A grid as tasks are dealt: line after line of the tasks that follow each other. */
typedef struct lines {
    double height, width;         /* panels of a task, across its line and along it */
    double all_height, all_width; /* of all tasks */
    int64_t count, each;          /* lines, and tasks of a line */
} lines;

static lines lines_of(const lay_area *all, const lay_grid *tasks)
{
    const int64_t down = ceil_div(all->m_panels, tasks->rows), right = ceil_div(all->n_panels, tasks->columns);
    const double rows = (double)tasks->rows, columns = (double)tasks->columns;
    return tasks->is_by_columns ? (lines){ columns, rows, all->n, all->m, right, down }
                                : (lines){ rows, columns, all->m, all->n, down, right };
}

static double weigh(double m, double n)
{
    return m * n + fetch * (m + n);
}

/* The first number tasks: whole lines, and what is begun of the next. */
static double weigh_first(const lines *of, int64_t number)
{
    const int64_t whole = number / of->each, begun = number % of->each;
    const double done = fmin((double)whole * of->height, of->all_height);
    const double height = fmin(of->height, of->all_height - done);
    const double width = fmin((double)begun * of->width, of->all_width);
    return done * of->all_width + fetch * (done * (double)of->each + (double)whole * of->all_width) + height * width +
           fetch * (height * (double)begun + width);
}

/* The busiest thread's share. */
static double weigh_busiest(const lines *of, int threads)
{
    const int64_t tasks = of->count * of->each;
    double most = 0, before = 0;
    for (int thread = 1; thread <= threads; thread++) {
        const double now = weigh_first(of, tasks * thread / threads);
        most = fmax(most, now - before);
        before = now;
    }
    return most;
}

/* At most that: whole tasks, but for the last one of each line that they go through. */
static double bound_busiest(const lines *of, int threads)
{
    const int64_t share = ceil_div(of->count * of->each, threads);
    const double height = fmin(of->height, of->all_height), width = fmin(of->width, of->all_width);
    const double short_by = weigh(height, width) - weigh(height, of->all_width - (double)(of->each - 1) * of->width);
    return (double)share * weigh(height, width) - (double)(share / of->each) * short_by;
}

/* What threads do that all have as much to do, and wait. */
static double weigh_even(const lay_area *all, const lay_grid_limits *limits, const lay_grid *tasks, int threads)
{
    const int64_t down = ceil_div(all->m_panels, tasks->rows), right = ceil_div(all->n_panels, tasks->columns);
    const double rows = (double)tasks->rows, columns = (double)tasks->columns, count = (double)(down * right);
    if (limits->are_whole)
        return (count / threads + last) * weigh(rows, columns);
    return (all->m * all->n + fetch * (all->m * (double)right + all->n * (double)down)) / threads +
           last * rows * columns;
}

static double weigh_grid(const lay_area *all, const lay_grid_limits *limits, const lay_grid *tasks, int threads,
                         double even)
{
    const int64_t down = ceil_div(all->m_panels, tasks->rows), right = ceil_div(all->n_panels, tasks->columns);
    if (limits->are_whole)
        return fmax(even, (double)ceil_div(down * right, threads) * weigh((double)tasks->rows, (double)tasks->columns));
    const lines of = lines_of(all, tasks);
    const double most = bound_busiest(&of, threads);
    return fmax(even, most > even && threads <= FEW_THREADS ? weigh_busiest(&of, threads) : most);
}

double lay_grid_cost(const lay_area *all, const lay_grid_limits *limits, const lay_grid *tasks, int threads)
{
    return weigh_grid(all, limits, tasks, threads, weigh_even(all, limits, tasks, threads));
}

/* Panels of a task, fewer than part, that make another number of tasks; 0: there are none. */
static int64_t next_smaller(int64_t panels, int64_t part)
{
    return part == 1 ? 0 : ceil_div(panels, ceil_div(panels, part - 1));
}

/* Keeps tasks of so many rows and columns in best, if they are cheaper. */
static void keep_cheaper(const lay_area *all, const lay_grid_limits *limits, int threads, int64_t rows, int64_t columns,
                         lay_grid *best)
{
    lay_grid tasks = { .rows = rows, .columns = columns, .is_by_columns = limits->is_by_columns };
    const double even = weigh_even(all, limits, &tasks, threads);
    for (; even < best->cost && tasks.is_by_columns <= 1; tasks.is_by_columns++) {
        tasks.cost = weigh_grid(all, limits, &tasks, threads, even);
        if (tasks.cost < best->cost)
            *best = tasks;
    }
}

/* Tasks of rows panels of rows: those widths whose even share may be below best's cost. It is at least
 * level + by_parts / columns + by_task columns, so they lie between the roots of that. */
static void try_widths(const lay_area *all, const lay_grid_limits *limits, int threads, int64_t rows, lay_grid *best)
{
    const int64_t down = ceil_div(all->m_panels, rows), n = all->n_panels;
    const double level = (all->m * all->n + fetch * all->n * (double)down) / threads;
    const double by_parts = fetch * all->m * all->n / threads, by_task = last * (double)rows;
    const double room = best->cost - level, inside = room * room - 4 * by_parts * by_task;
    if (room <= 0 || inside < 0)
        return;
    const double widest = (room + sqrt(inside)) / (2 * by_task), narrowest = by_parts / by_task / widest;
    const int64_t most_right = max_of(1, min_of(limits->tasks / down, limits->most_right));
    const int64_t least = max_of(ceil_div(n, most_right), (int64_t)narrowest);
    const int64_t most = widest < (double)n ? max_of(1, (int64_t)widest) : n;
    for (int64_t columns = ceil_div(n, ceil_div(n, most)); columns >= max_of(1, least);
         columns = next_smaller(n, columns))
        keep_cheaper(all, limits, threads, rows, columns, best);
}

lay_grid lay_grid_choose(const lay_area *all, const lay_grid_limits *limits, int threads)
{
    const int64_t m = all->m_panels, least = ceil_div(m, max_of(1, limits->rows));
    lay_grid best = { .rows = ceil_div(m, least), .columns = all->n_panels, .cost = INFINITY };
    if (threads == 1)
        return best;
    for (int64_t rows = best.rows; rows && ceil_div(m, rows) <= max_of(limits->most_down, least);
         rows = next_smaller(m, rows))
        try_widths(all, limits, threads, rows, &best);
    return best;
}
