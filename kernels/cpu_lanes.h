/* Many products at once on the CPU: a register's lanes are as many products, whose elements lie side by side. Planner
 * and kernels share this header, kernel.h and nothing else.
 *
 * Element (i, p) of A of product l lies at a[a_row[i] + a_step[p] + l], those of B at b[b_step[p] + b_column[j] + l],
 * those of C at c[c_row[i] + c_column[j] + l], 0 <= l < width. No element is touched but those; nothing is aligned but
 * as elements. Elements of C do not overlap; with *beta == 0 they are not read.
 *
 * Multiply: each element of C of each product has the sum and the update of a tile (kernel.h). Partial: the same of the
 * sum of blocks of kc steps, each with the partial sums of kernel.h: the blocks' sums are added in ascending order from
 * +0, each sum rounded.
 *
 * Copy: of row q of width elements, from + offset[q], register v to to + v * plane + q * lanes, q < count; what is no
 * whole register is copied as far as it goes. Put: the other way, from + v * plane + q * lanes to to + offset[q].
 * Beside: rows that are copied or put while tiles are multiplied, a part of one at each step; the kernel moves next on,
 * and leaves the last ones.
 * Parts: of pairs side by side, to[l] becomes the first one of l's pair, other[l] the second one; width is even.
 *
 * Turn: element q of product l, from[offset[q] + l], to to[l * plane + q], q < count, l < width; turn back the other
 * way. Bits are kept. */
#ifndef LAY_KERNELS_CPU_LANES_H
#define LAY_KERNELS_CPU_LANES_H

#include <stdint.h>

#include "kernel.h"

typedef struct lay_lanes_beside {
    int is_put;          /* else copied */
    int64_t next, count; /* rows; those before next are done */
    int64_t width;       /* a multiple of LAY_LANES_AT_ONCE registers, or nothing is done */
    const int64_t *offset;
    void *lying, *planes; /* what copy calls from and to, and put to and from */
    int64_t plane;
} lay_lanes_beside;
enum { LAY_LANES_AT_ONCE = 4 }; /* registers of a row that are copied at a step */

typedef struct lay_lanes {
    int64_t m, n, k, width; /* >= 1 */
    int64_t kc;             /* of partial: steps of a block, the last one shorter */
    const void *a, *b;
    void *c;
    const int64_t *a_row, *a_step, *b_step, *b_column, *c_row, *c_column;
    lay_lanes_beside *beside; /* of multiply, with a width of one register: in this order, */
    int besides;              /* so many */
    int is_far; /* C's lines are asked for before their sums are made: those that are near come sooner without */
    const void *alpha, *beta;
} lay_lanes;
typedef void lay_lanes_fn(const lay_lanes *of);
typedef void lay_lanes_copy_fn(const void *from, const int64_t *offset, int64_t count, int64_t width, void *to,
                               int64_t plane);
typedef void lay_lanes_put_fn(const void *from, int64_t plane, void *to, const int64_t *offset, int64_t count,
                              int64_t width);
typedef void lay_lanes_turn_fn(const void *from, const int64_t *offset, int64_t count, int64_t width, void *to,
                               int64_t plane);
typedef void lay_lanes_turn_back_fn(const void *from, int64_t plane, void *to, const int64_t *offset, int64_t count,
                                    int64_t width);
typedef void lay_lanes_parts_fn(const void *from, int64_t width, void *to, void *other);

typedef struct lay_lanes_row {
    const char *name; /* lay_lanes_<type>_<isa> */
    lay_type type;    /* LAY_F32 or LAY_F64 */
    lay_isa isa;      /* the level it needs */
    lay_summation summation;
    int lanes;  /* of a register */
    int half;   /* products that half a register takes where a batch ends; 0: a whole one does */
    int mr, nr; /* elements of C whose sums are in registers together */
    lay_lanes_fn *multiply, *partial;
    lay_lanes_copy_fn *copy;
    lay_lanes_put_fn *put;
    lay_lanes_parts_fn *parts;
    lay_lanes_turn_fn *turn;
    lay_lanes_turn_back_fn *turn_back;
} lay_lanes_row;

/* Every row of this build, C level first. */
extern const lay_lanes_row *const lay_lanes_rows[];
extern const int lay_lanes_row_count;

#endif
