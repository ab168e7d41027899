/* The sections of a page, each of one run. */
#ifndef PAGE_SECTIONS_H
#define PAGE_SECTIONS_H

#include <stdio.h>

#include "groups.h"
#include "page.h"

void section_machine(FILE *to, const page_run *of);
void section_summary(FILE *to, const groups *of);
void section_table(FILE *to, const groups *of);

/* Each returns 0 when memory ran out. A kind of groups at a time. */
int section_curves(FILE *to, const groups *of, int kind);
int section_roofline(FILE *to, const groups *of, int kind);
int section_layouts(FILE *to, const groups *of);

#endif
