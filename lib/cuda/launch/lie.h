/* How a product's operands lie in memory, as far as the time of a launch hangs on it: found once, for all rows. */
#ifndef LAY_CUDA_LIE_H
#define LAY_CUDA_LIE_H

#include "cuda_strict.h"
#include "plan/problem.h"

/* Bytes of memory that pass together, and of a line of the caches. */
enum { LAY_CUDA_SECTOR = 32, LAY_CUDA_CACHE_LINE = 128 };

/* An operand that is read. */
typedef struct lay_cuda_read {
    lay_cuda_class class;
    int has_table;  /* across k */
    double lines;   /* of 128 bytes that 32 lanes touch, as a share of a lane's element, beyond the least there may be;
                     * 0 in vectors */
    double passing; /* bytes that pass for each of the operand's: sectors of 32 with gaps in them */
} lay_cuda_read;

/* C: sectors an element that lanes touch which go along its rows, or down its columns; the rest as above. */
typedef struct lay_cuda_written {
    double across, down, passing;
    int is_even;            /* by a stride each way, no table */
    int64_t least;          /* elements from one to the next, at most a sector's: between them nobody writes */
    int is_down;            /* lanes go down its columns, where a row of the table lets them */
    int together;           /* so many at a time */
    int full;               /* rows of a tile of which so go whole sectors: crossed ones need more; else 1 */
    int has_vectors;        /* at best: lay_launch's is_c_vector */
    int is_row, is_column;  /* neighbours in a row, or in a column and not in a row, lie side by side */
    int is_column_of_table; /* the same of columns alone, wherever they come from */
} lay_cuda_written;

typedef struct lay_cuda_lie {
    lay_cuda_read left, right;
    lay_cuda_written c;
    int has_table_k, is_segmented_k; /* along k either operand has a table; and both have segments or a stride */
} lay_cuda_lie;

/* Lines of the first cache, of 128 bytes, that neighbours along an axis touch, an element: above what whole lines have;
 * of 32 of them that lanes fetch one by one, or of 64 in vectors. */
double lay_cuda_lines(const lay_axis *axis, int64_t size, int are_vectors);

lay_cuda_lie lay_cuda_lie_of(const lay_problem *problem, lay_cuda_class left, lay_cuda_class right, int has_vectors,
                             unsigned down);

#endif
