/* One side of a matrix that is drawn: its extent, and where blocks begin. */
#ifndef SHOW_AXIS_H
#define SHOW_AXIS_H

#include <stdint.h>

#include "layoutgemm.h"

enum { AXIS_LEVELS = 64 };

/* Blocks of blocks: those of level l begin at multiples of period[l]. Where the tree of dimensions says nothing, there
 * is one level, whose blocks begin where offsets jump. */
typedef struct axis {
    int64_t extent;
    int levels;                  /* 0: all of it is one block */
    int64_t period[AXIS_LEVELS]; /* ascending, below extent; 0: cut says it */
    int is_broken[AXIS_LEVELS];  /* offsets jump there; else the tree alone has a border */
    int64_t *cut, cuts;          /* where blocks begin, but for the first; with period 0 alone */
} axis;

/* Root dimensions first to last - 1 of desc, as one index whose last part varies fastest. 0 when memory ran out. */
int axis_of_dims(const lay_desc *desc, int first, int last, axis *out);
void axis_free(axis *of);

/* Adds a level of blocks; periods come in ascending order, and those that part nothing are left out. */
void axis_add(axis *to, int64_t period, int is_broken);

/* How many levels have a block that begins at i: 0 inside of blocks, and for index 0. */
int axis_borders(const axis *of, int64_t i);

/* Of one level: how many blocks, which of them i is in, and where a block begins (the extent, for one too many). */
int64_t axis_blocks(const axis *of, int level);
int64_t axis_block(const axis *of, int level, int64_t i);
int64_t axis_begin(const axis *of, int level, int64_t block);

#endif
