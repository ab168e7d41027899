/* The grid of tasks: by going through every task of every grid, none has a busiest thread with less to do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../random.h"
#include "base/arith.h"
#include "cpu/packed/grid.h"

static const double fetch = 0.3, last = 0.75;

static double weigh_task(const lay_area *all, const lay_grid *tasks, int are_whole, int64_t number)
{
    const int64_t down = ceil_div(all->m_panels, tasks->rows), right = ceil_div(all->n_panels, tasks->columns);
    const int64_t i = tasks->is_by_columns ? number % down : number / right;
    const int64_t j = tasks->is_by_columns ? number / down : number % right;
    const double m = fmin(all->m - (double)(i * tasks->rows), (double)tasks->rows);
    const double n = fmin(all->n - (double)(j * tasks->columns), (double)tasks->columns);
    return are_whole ? (double)(tasks->rows * tasks->columns) + fetch * (double)(tasks->rows + tasks->columns)
                     : m * n + fetch * (m + n);
}

/* As lay_parallel_for deals tasks out. */
static double weigh_grid(const lay_area *all, const lay_grid *tasks, int are_whole, int threads)
{
    const int64_t count = ceil_div(all->m_panels, tasks->rows) * ceil_div(all->n_panels, tasks->columns);
    double most = 0, sum = 0;
    for (int64_t thread = 0, number = 0; thread < threads; thread++) {
        double share = 0;
        for (; number < count * (thread + 1) / threads; number++)
            share += weigh_task(all, tasks, are_whole, number);
        most = fmax(most, share);
        sum += share;
    }
    const double rows = (double)tasks->rows, columns = (double)tasks->columns;
    return fmax(most, sum / threads + last * (rows * columns + (are_whole ? fetch * (rows + columns) : 0)));
}

static int is_allowed(const lay_area *all, const lay_grid_limits *limits, int64_t rows, int64_t columns)
{
    const int64_t down = ceil_div(all->m_panels, rows), right = ceil_div(all->n_panels, columns);
    return rows <= limits->rows && down <= limits->most_down && right <= limits->most_right &&
           down * right <= limits->tasks;
}

static double find_cheapest(const lay_area *all, const lay_grid_limits *limits, int threads)
{
    double least = INFINITY;
    for (int64_t rows = 1; rows <= all->m_panels; rows++)
        for (int64_t columns = 1; columns <= all->n_panels; columns++)
            for (int is_by_columns = limits->is_by_columns;
                 is_by_columns <= 1 && is_allowed(all, limits, rows, columns); is_by_columns++) {
                const lay_grid other = { rows, columns, is_by_columns, 0 };
                least = fmin(least, weigh_grid(all, &other, limits->are_whole, threads));
            }
    return least;
}

static lay_area some_area(random_source *from, int64_t most, int is_whole)
{
    const int64_t m = random_in(from, 1, most), n = random_in(from, 1, most);
    return (lay_area){ (double)m - (is_whole ? 0 : (double)random_in(from, 0, 11) / 12),
                       (double)n - (is_whole ? 0 : (double)random_in(from, 0, 3) / 4), m, n };
}

static lay_grid_limits some_limits(random_source *from, const lay_area *all, int threads, int are_whole)
{
    const int64_t rows = random_in(from, 1, 20), least = ceil_div(all->m_panels, rows), parts = 4 * threads;
    const int64_t tasks = are_whole ? (least + parts) * parts : (least + 4) * threads;
    return (lay_grid_limits){ .rows = rows,
                              .most_down = are_whole ? least + parts : tasks,
                              .most_right = parts,
                              .tasks = tasks,
                              .is_by_columns = are_whole,
                              .are_whole = are_whole };
}

static void the_busiest_thread_of_no_other_grid_has_less_to_do(void **state)
{
    (void)state;
    for (int number = 0; number < 1500; number++) {
        random_source from = random_case(301, (uint64_t)number);
        const int threads = (int)random_in(&from, 2, 16), are_whole = number % 3 == 0;
        const lay_area all = some_area(&from, number % 10 ? 30 : 70, are_whole);
        const lay_grid_limits limits = some_limits(&from, &all, threads, are_whole);
        const lay_grid grid = lay_grid_choose(&all, &limits, threads);
        const double real = weigh_grid(&all, &grid, are_whole, threads);
        assert_true(is_allowed(&all, &limits, grid.rows, grid.columns));
        assert_true(fabs(grid.cost - real) <= 1e-9 * real);
        assert_true(real <= find_cheapest(&all, &limits, threads) * (1 + 1e-9));
    }
}

/* Of many threads the cost is a bound: not below what the busiest one does, and not far above. */
static void many_threads_have_a_grid_that_is_nearly_as_good(void **state)
{
    enum { CASES = 200 };
    double worst = 1, sum = 0;
    (void)state;
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(302, (uint64_t)number);
        const int threads = (int)random_in(&from, 17, 200);
        const lay_area all = some_area(&from, 60, 0);
        const lay_grid_limits limits = some_limits(&from, &all, threads, 0);
        const lay_grid grid = lay_grid_choose(&all, &limits, threads);
        const double real = weigh_grid(&all, &grid, 0, threads), least = find_cheapest(&all, &limits, threads);
        assert_true(is_allowed(&all, &limits, grid.rows, grid.columns));
        assert_true(real <= grid.cost * (1 + 1e-9));
        worst = fmax(worst, real / least);
        sum += real / least;
    }
    if (worst > 1.3 || sum > 1.01 * CASES)
        fail_msg("grids cost up to %.3f times as much as the best one, %.4f on average", worst, sum / CASES);
}

static void one_thread_has_as_few_tasks_as_serve(void **state)
{
    (void)state;
    for (int number = 0; number < 200; number++) {
        random_source from = random_case(303, (uint64_t)number);
        const lay_area all = some_area(&from, 500, 0);
        const lay_grid_limits limits = some_limits(&from, &all, 1, 0);
        const lay_grid grid = lay_grid_choose(&all, &limits, 1);
        assert_true(grid.rows <= limits.rows);
        assert_int_equal(ceil_div(all.m_panels, grid.rows), ceil_div(all.m_panels, limits.rows));
        assert_int_equal(grid.columns, all.n_panels);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_busiest_thread_of_no_other_grid_has_less_to_do),
        cmocka_unit_test(many_threads_have_a_grid_that_is_nearly_as_good),
        cmocka_unit_test(one_thread_has_as_few_tasks_as_serve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
