/* Which of its 4 x 32 threads holds what in the paper's kernel: tests/cuda/host/parray_threads.cpp asks the kernel. */
#include "holder.h"

enum { LOOKED_AT = 1 << 16 }; /* indices of a side: what they do, the others are taken to do */

/* A thread has two neighbouring columns. */
int holder_of_sum(int64_t i, int64_t j)
{
    (void)i;
    return (int)(j % HOLDER_COLUMNS / 2);
}

int holder_of_tile(holder_way way, int v, int64_t i, int64_t p)
{
    const int row = (int)i, step = (int)p;
    switch (way) {
    case HOLDER_ACROSS_VECTOR:
        return (step * (HOLDER_ROWS / v) + row / v) % HOLDER_THREADS;
    case HOLDER_ALONG: /* eight lanes along a row, four such rows a warp */
        return step / 8 * HOLDER_LANES + row % 4 * 8 + step % 8;
    default:
        return (step * HOLDER_ROWS + row) % HOLDER_THREADS;
    }
}

/* One side of a matrix: where its indices lie. */
typedef struct side {
    const lay_desc *desc;
    int is_rows;
    int64_t count;
} side;

static int64_t place(const side *of, int64_t i)
{
    return lay_desc_offset(of->desc, 2, (const int64_t[]){ of->is_rows ? i : 0, of->is_rows ? 0 : i });
}

/* From one place to another; places are anywhere, and so it may wrap around. */
static int64_t apart(const side *of, int64_t from, int64_t to)
{
    return (int64_t)((uint64_t)place(of, to) - (uint64_t)place(of, from));
}

static int steps_by(const side *of, int v)
{
    for (int64_t i = 0; i < of->count; i++)
        if (apart(of, 0, i) % v != 0)
            return 0;
    return 1;
}

/* Each whole group of v is contiguous, and begins at a multiple of v from the first. */
static int goes_in_vectors(const side *of, int v)
{
    for (int64_t i = 0; i < of->count / v * v; i++)
        if (i % v ? apart(of, i - 1, i) != 1 : apart(of, 0, i) % v != 0)
            return 0;
    return 1;
}

/* The mean length of its segments of unit stride. */
static int64_t find_run(const side *of)
{
    int64_t segments = 1;
    for (int64_t i = 1; i < of->count; i++)
        segments += apart(of, i - 1, i) != 1;
    return of->count / segments;
}

static uint64_t find_step(const side *of)
{
    if (of->count < 2)
        return UINT64_MAX;
    const int64_t step = apart(of, 0, 1);
    return step < 0 ? -(uint64_t)step : (uint64_t)step;
}

static side side_of(const lay_desc *desc, int is_rows)
{
    const int64_t extent = lay_desc_extent(desc, is_rows ? "0" : "1");
    return (side){ desc, is_rows, extent < LOOKED_AT ? extent : LOOKED_AT };
}

holder_way holder_choose(const lay_desc *desc, int v)
{
    const side across = side_of(desc, 1), along = side_of(desc, 0);
    const int64_t across_vectors = goes_in_vectors(&across, v) && steps_by(&along, v) ? across.count / v : 0;
    const int64_t along_vectors = goes_in_vectors(&along, v) && steps_by(&across, v) ? along.count / v : 0;
    if (across_vectors || along_vectors)
        return across_vectors >= along_vectors ? HOLDER_ACROSS_VECTOR : HOLDER_ALONG;
    const int64_t run_across = find_run(&across), run_along = find_run(&along);
    if (run_across != run_along)
        return run_across > run_along ? HOLDER_ACROSS : HOLDER_ALONG;
    return find_step(&across) <= find_step(&along) ? HOLDER_ACROSS : HOLDER_ALONG;
}
