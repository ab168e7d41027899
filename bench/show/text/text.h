/* The drawing of a layout on a terminal. */
#ifndef SHOW_TEXT_H
#define SHOW_TEXT_H

#include "bench/show/sheet.h"
#include "screen.h"

/* 0 when memory ran out. */
int text_draw(screen *on, const char *title, const lay_desc *desc, const sheet_look *how);

/* Its parts, a paragraph each. */
void text_tree(screen *on, const lay_desc *desc);
void text_blocks(screen *on, const sheet *of);
void text_matrix(screen *on, const sheet *of, int rows, int columns);
int text_storage(screen *on, const sheet *of);

/* Of a matrix of so many rows the columns that the screen has room for, at most as many; at least one. */
int text_matrix_fits(const screen *on, const sheet *of, int rows, int columns);

#endif
