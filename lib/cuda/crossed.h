/* Rows that two operands store in two orders. Where left has its unit stride in one mode of m and C in another, rows in
 * either's order are scattered in the other one. Walked crossed, a few of left's neighbours and then all of C's, a tile
 * has segments of both:
 *
 *      C's unit mode                    rows of a tile: 0 .. u - 1 go down, then the next u, to the right
 *     +--+--+--+--+--+--
 *   u |0 |u |2u|3u| ...               left is read in segments of u, C is written in segments of bm / u
 *     +--+--+--+--+--+--
 *     left's unit mode */
#ifndef LAY_CUDA_CROSSED_H
#define LAY_CUDA_CROSSED_H

#include "plan/problem.h"

/* The same product with its rows walked so, u a sector of left's neighbours or so many times that: no bit hangs on it.
 * More of them are fewer lines to read, and shorter segments to write. 0 where one order serves both, or cannot be cut.
 */
enum { LAY_CROSSED_MOST = 4 };
int lay_launch_cross(const lay_problem *problem, int times, lay_problem *out);

/* How lanes write C's columns, as lay_cuda_down says; 0 where they go along its rows. */
unsigned lay_launch_find_down(const lay_problem *problem);

#endif
