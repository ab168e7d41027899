/* Products of a matrix of a 16-bit type with a vector, whose sums go in partial sums (plan/summation.h): the matrix is
 * read once, as it lies, and never written down in FP32. The vector and C may be of other types, FP32 among them. */
#ifndef LAY_CPU_NARROW_VECTOR_H
#define LAY_CPU_NARROW_VECTOR_H

#include "kernel.h"
#include "plan/way.h"
#include "storage/half.h"

/*   tasks of some lines and all pieces of k or, where lines are few, of all lines and some pieces, in parallel
 *     for g: some pieces of k, whose steps of the vector are widened    (pieces: LAY_PIECE_SIDE steps)
 *       for j: as many lines as are at hand together
 *         for p: blocks of a piece           (kc: a function of the piece's length alone, plan/summation.h)
 *           read them, as the matrix lies    -> the row's along or across function: sums[block][line]
 *         a piece's sum = (+0 + block) + block ..; total = piece + piece ..
 *     C = round(alpha total + beta C), of FP32 without the rounding */

/* How the matrix is read. */
typedef enum lay_narrow_reading {
    LAY_NARROW_ALONG,  /* lines contiguous along k */
    LAY_NARROW_ACROSS, /* lines side by side */
    LAY_NARROW_WIDENED /* neither: some lines of a block of k at a time are widened to where they are contiguous */
} lay_narrow_reading;

/* Plain data, a function of what it is chosen from. */
typedef struct lay_narrow_vector {
    const lay_kernel *kernel;                /* of FP32 */
    const lay_half_row *row, *x_row, *c_row; /* of the matrix, the vector and C; NULL: that is FP32 */
    int matrix;                              /* LAY_LEFT or LAY_RIGHT; the other one is the vector */
    lay_narrow_reading reading;
    int is_whole;                   /* the matrix has one stride along k */
    int64_t run_lines, run_k, step; /* of the matrix: lines side by side, steps a stride apart, and that stride */
    int64_t together;               /* pieces whose steps of the vector are widened at once */
    int64_t width;                  /* lines at a time */
    int64_t tasks, lines, pieces;   /* a task's own */
    int threads;
    size_t shared, task_bytes; /* bytes: of all pieces' sums where tasks share lines, and a task's own */
    double seconds;            /* predicted */
} lay_narrow_vector;

/* For a problem of partial sums whose matrix is of a 16-bit type, with an FP32 kernel of the level it is to be computed
 * at. */
lay_narrow_vector lay_narrow_vector_choose(const lay_problem *problem, const lay_kernel *kernel, int threads);

size_t lay_narrow_vector_workspace(const lay_narrow_vector *vector);

/* C = alpha left right + beta C. Cannot fail. workspace: aligned to 64 bytes. */
void lay_narrow_vector_run(const lay_problem *problem, const lay_narrow_vector *vector, const lay_call *call,
                           void *workspace);

/* "read where it is, lines contiguous along k" and the like. */
const char *lay_narrow_reading_name(lay_narrow_reading reading);

#endif
