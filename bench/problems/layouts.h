/* Layouts by name, as notation: the one place that knows what a name stands for. */
#ifndef LAYOUTS_H
#define LAYOUTS_H

#include <stdint.h>

/* The notation of a layout for a matrix of that size, in memory of its own (NULL when that runs out); what has a
 * bracket is notation already. 1, or 0 where there is no such name. */
int layout_write(const char *name, int64_t rows, int64_t columns, char **out);

#define LAYOUT_HELP                                                                                                    \
    "  row        row-major\n"                                                                                         \
    "  col        column-major\n"                                                                                      \
    "  padded     row-major, each row 16 elements longer than needed; padcol: the same by columns\n"                   \
    "  odd        row-major, each row 1 element longer than needed; oddcol: the same by columns\n"                     \
    "  reversed   row-major, from the last element to the first\n"                                                     \
    "  panels     2 panels of columns side by side, each row-major (the paper's figure 16)\n"                          \
    "  matrix1    4 such panels (figure 18a)\n"                                                                        \
    "  matrix2    2 x 2 blocks, each row-major (figure 18b)\n"                                                         \
    "  tilesT     tiles of T x T, each row-major, tile after tile: tiles64; tilesRxC for R x C\n"                      \
    "  [...       a layout written out, as in [1024:1][1024:1024]\n"

#endif
