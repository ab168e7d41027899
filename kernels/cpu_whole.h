/* How a product that one function of a kernel does whole (kernel.h, lay_whole) is cut into tiles: what the kernels do,
 * and what predicts their time counts. */
#ifndef LAY_CPU_WHOLE_H
#define LAY_CPU_WHOLE_H

#include <stdint.h>

enum { LAY_MOST_ACROSS = 4 /* registers */ };

/* Registers that a tile is wide at most, where each panel of columns meets all rows, and where each panel of rows meets
 * all columns; by its registers across, 0: less than one, the rows it may have. */
typedef struct lay_whole_tiles {
    int across, across_by_rows;
    int rows[LAY_MOST_ACROSS + 1];
} lay_whole_tiles;

/* A panel of columns: its registers across, 0: less than one; its columns; and where its last register begins: within
 * the one before, where columns are no multiple of a register's; or, where there is less than one, how many there are.
 */
typedef struct lay_span {
    int vecs;
    int64_t n, last;
} lay_span;

/* The next panel of `rest` columns: as wide as there may be, and rather two alike than a wide one and what is left. One
 * of less than a register is alone: two registers share columns before that. */
static inline lay_span lay_whole_across(int64_t rest, int width, int most)
{
    if (rest < width)
        return (lay_span){ 0, rest, rest };
    const int64_t all = (int64_t)((uint64_t)(rest + width - 1) / (uint64_t)width);
    const int vecs = (int)(all <= most ? all : all <= 2 * most ? (all + 1) / 2 : most);
    int64_t n = vecs * width < rest ? vecs * width : rest;
    if (n < rest && rest < n + width)
        n = rest - width;
    return (lay_span){ vecs, n, n - width };
}

/* The rows of the next tile, of `rest`. */
static inline int lay_whole_down(int64_t rest, int most)
{
    return (int)(rest <= most ? rest : rest >= 2 * most ? most : (rest + 1) / 2);
}

#endif
