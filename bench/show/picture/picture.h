/* The picture of a layout: its tree, its matrix with the line that visits the elements in the order of memory, its
 * storage. */
#ifndef SHOW_PICTURE_H
#define SHOW_PICTURE_H

#include "bench/show/sheet.h"
#include "scene.h"

/* Below what is there already. 0 when memory ran out. */
int picture_add(scene *to, const char *title, const lay_desc *desc, const sheet_look *how);

/* Each draws one part with its upper left corner at (x, y), and returns where it ends below. */
double picture_tree(scene *to, const lay_desc *desc, double x, double y);
/* room: as many blocks a line as are no wider together, at least one, and no more lines; 0: as picture_add has it. */
double picture_blocks(scene *to, const sheet *of, double x, double y, double room);
/* The first rows and columns. */
double picture_matrix(scene *to, const sheet *of, int rows, int columns, double x, double y);
/* Where the elements of a small sheet lie. */
double picture_storage(scene *to, const sheet *of, double x, double y);

#endif
