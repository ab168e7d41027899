/* How operands lie, from what their first 32 indices touch. */
#include "cuda/launch/lie.h"

#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cuda/launch/offsets.h"

enum { LANES = 32, ROWS = 64 /* of a tile, at least, where lanes go down it */ };

static int64_t piece_of(int64_t offset, int64_t each)
{
    return offset >= 0 ? offset / each : -ceil_div(-offset, each);
}

/* Different pieces of `each` elements that the offsets are in. */
static int count_pieces(const int64_t offset[], int count, int64_t each)
{
    int pieces = 0;
    for (int i = 0; i < count; i++) {
        const int64_t own = piece_of(offset[i], each);
        int j = i - 1; /* neighbours are the likeliest */
        while (j >= 0 && piece_of(offset[j], each) != own)
            j--;
        pieces += j < 0;
    }
    return pieces;
}

/* Pieces of so many bytes an element that the first indices touch, up to most. */
static double touch_most(const lay_axis *axis, int64_t bytes, int64_t size, int64_t most)
{
    const int64_t each = bytes / size, count = min_of(axis->extent, most);
    if (count <= 1)
        return 1;
    if (lay_axis_is_even(axis)) {
        const int64_t stride = axis->count ? llabs(axis->mode[0].stride) : 0;
        return (double)min_of(count, (stride < each ? (count - 1) * stride / each : count) + 1) / (double)count;
    }
    int64_t offset[ROWS];
    lay_axis_offsets(axis, 0, count, offset);
    return (double)count_pieces(offset, (int)count, each) / (double)count;
}

/* The same of lanes side by side. */
static double touch(const lay_axis *axis, int64_t bytes, int64_t size)
{
    return touch_most(axis, bytes, size, LANES);
}

/* Of the better one of an operand's dimensions: what the other one skips, it touches. */
static double find_passing(const lay_axis *x, const lay_axis *y, int64_t size)
{
    const double full = LAY_CUDA_SECTOR / (double)size;
    const double sectors =
        fmin(x->extent > 1 ? touch(x, LAY_CUDA_SECTOR, size) : 1, y->extent > 1 ? touch(y, LAY_CUDA_SECTOR, size) : 1);
    return x->extent > 1 || y->extent > 1 ? fmin(fmax(1, sectors * full), full) : 1;
}

double lay_cuda_lines(const lay_axis *axis, int64_t size, int are_vectors)
{
    if (axis->extent <= 1 && are_vectors)
        return 0;
    const double whole =
        fmax((double)size / LAY_CUDA_CACHE_LINE, are_vectors ? 0 : 1.0 / LANES); /* of lanes side by side: a line */
    return fmax(0, touch_most(axis, LAY_CUDA_CACHE_LINE, size, are_vectors ? ROWS : LANES) - whole);
}

/* Of vectors along k, above what the steps of a turn touch that lie together: pairs of a c64 number lie apart, but
 * their lines are shared by the neighbours of four lanes. */
static double count_lines_along(const lay_axis *across, const lay_axis *along, int64_t size)
{
    enum { STEPS = 16, LINES = 4 };
    const double shared = across->extent > 1 ? touch_most(across, LAY_CUDA_CACHE_LINE, size, LINES) : 1;
    return fmax(0, touch_most(along, LAY_CUDA_CACHE_LINE, size, STEPS) * shared - 1.0 / STEPS);
}

/* Of vectors, too, whose lanes side by side may lie in as many segments. */
static double count_lines(lay_cuda_class class, const lay_axis *across, const lay_axis *along, int64_t size)
{
    switch (class) {
    case LAY_CUDA_ACROSS:
    case LAY_CUDA_ACROSS_VECTOR:
        return lay_cuda_lines(across, size, class == LAY_CUDA_ACROSS_VECTOR);
    case LAY_CUDA_ALONG:
        return lay_cuda_lines(along, size, 0);
    default:
        return count_lines_along(across, along, size);
    }
}

static lay_cuda_read read_of(lay_cuda_class class, const lay_axis *across, const lay_axis *along, int64_t size)
{
    const double lines = count_lines(class, across, along, size);
    return (lay_cuda_read){ .class = class,
                            .has_table = !lay_axis_is_even(across),
                            .lines = lines,
                            .passing = find_passing(across, along, size) };
}

/* 0 where there is no one stride. */
static int64_t stride_of(const lay_axis *axis)
{
    return lay_axis_is_even(axis) && axis->count ? axis->mode[0].stride : 0;
}

/* Neighbours lie side by side, by a stride or by a table. */
static int is_near(const lay_axis *axis)
{
    if (axis->class == LAY_AXIS_TABLE)
        return axis->run > 1;
    return axis->count > 0 && axis->mode[axis->count - 1].stride == 1;
}

/* The least stride of two axes, as far as it is known. */
static int64_t find_least(const lay_axis *x, const lay_axis *y)
{
    const lay_axis *const of[] = { x, y };
    int64_t least = INT64_MAX;
    for (int a = 0; a < 2; a++) {
        if (of[a]->class == LAY_AXIS_TABLE)
            least = of[a]->run > 1 ? 1 : least;
        for (int i = 0; of[a]->class != LAY_AXIS_TABLE && i < of[a]->count; i++)
            if (of[a]->mode[i].extent > 1)
                least = min_of(least, llabs(of[a]->mode[i].stride));
    }
    return least;
}

static int has_segments(const lay_axis *axis)
{
    return lay_axis_is_even(axis) || (axis->class == LAY_AXIS_NESTED && axis->count == 2);
}

static lay_cuda_lie lie_of(const lay_problem *problem, lay_cuda_class left, lay_cuda_class right, int has_vectors,
                           unsigned down)
{
    const int64_t size = (int64_t)lay_type_size(problem->types.left);
    const lay_axis *rows = &problem->result_m, *columns = &problem->result_n;
    const int is_even = lay_axis_is_even(rows) && lay_axis_is_even(columns);
    /* Measured on an H100 (bench/LOG.md, 82): of crossed rows each sector comes and goes by itself, unless several are
     * neighbours. */
    static const double crossed = 0.4;
    const int apart = 1 << (down >> 4 & 15);
    const int together = down & LAY_CUDA_DOWN_PAIRS ? 2 : 1; /* columns that a lane writes */
    const double row_sectors = touch_most(rows, LAY_CUDA_SECTOR, size, down ? ROWS : LANES) / together,
                 more = apart > 1 ? 1 + crossed * fmin(1, LAY_CUDA_SECTOR / (double)(apart * size)) : 1;
    lay_cuda_read left_read = read_of(left, &problem->left_m, &problem->left_k, size);
    left_read.passing *= more;
    return (lay_cuda_lie){
        .left = left_read,
        .right = read_of(right, &problem->right_n, &problem->right_k, size),
        .c = { .across = touch(columns, LAY_CUDA_SECTOR, size),
               .down = row_sectors,
               .passing = more * (down ? fmax(1, row_sectors * LAY_CUDA_SECTOR / (double)size)
                                       : find_passing(rows, columns, size)),
               .least = min_of(find_least(rows, columns), LAY_CUDA_SECTOR / size),
               .is_down = down != 0,
               .together = together,
               .full = apart > 1 ? apart * (int)(LAY_CUDA_SECTOR / size) : 1,
               .is_even = is_even,
               .has_vectors = has_vectors,
               .is_row = is_even && stride_of(columns) == 1,
               .is_column = is_even && stride_of(rows) == 1 && stride_of(columns) != 1,
               .is_column_of_table = problem->m.extent > 1 && is_near(rows) },
        .has_table_k = !lay_axis_is_even(&problem->left_k) || !lay_axis_is_even(&problem->right_k),
        .is_segmented_k = has_segments(&problem->left_k) && has_segments(&problem->right_k),
    };
}

/* Lanes of complex rows go by whole numbers, whatever their vectors: these touch no more lines than they must. */
static double count_single(lay_cuda_class class, const lay_cuda_read *operand)
{
    return class == LAY_CUDA_ACROSS_VECTOR || class == LAY_CUDA_ALONG_VECTOR ? 0 : operand->lines;
}

/* Per element of the real product that a complex one is: C and left have two of them a number, right has four. Lanes of
 * complex rows go by whole numbers, of c32 along k in left and across in right: operands that lie so cost nothing more,
 * whatever their vectors; left across counts as single elements do across, right along as they do along. Of c64 there
 * are lanes for either way, and only what is contiguous neither way counts. */
static void count_parts(const lay_problem *problem, lay_cuda_lie *lie)
{
    const int is_double = lay_type_is_double(problem->types.left);
    const int is_left_near = is_near(&problem->left_k) || (is_double && is_near(&problem->left_m));
    const int is_right_near = is_near(&problem->right_n) || (is_double && is_near(&problem->right_k));
    lie->left.class = is_left_near ? LAY_CUDA_ACROSS_VECTOR : LAY_CUDA_ACROSS;
    lie->right.class = is_right_near ? LAY_CUDA_ACROSS_VECTOR : LAY_CUDA_ALONG;
    lie->c.has_vectors = is_near(&problem->result_n);
    lie->left.lines /= 2;
    lie->right.lines /= 4;
    lie->right.passing /= 2;
    lie->c.across /= 2;
    lie->c.down /= 2;
}

lay_cuda_lie lay_cuda_lie_of(const lay_problem *problem, lay_cuda_class left, lay_cuda_class right, int has_vectors,
                             unsigned down)
{
    lay_cuda_lie lie = lie_of(problem, left, right, has_vectors, down);
    if (lay_type_is_complex(problem->types.left)) {
        lie.left.lines = count_single(left, &lie.left);
        lie.right.lines = count_single(right, &lie.right);
        count_parts(problem, &lie);
    }
    return lie;
}
