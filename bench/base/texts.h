/* Texts: the library's in memory of their own, and as XML writes them. */
#ifndef TEXTS_H
#define TEXTS_H

#include <stdio.h>

#include "layoutgemm.h"

/* What snprintf-like functions of the library say, in full; NULL when memory runs out. The caller
 * frees it. */
char *text_of_desc(const lay_desc *desc);
char *text_of_plan(const lay_plan *plan);
char *text_of_machine(void);

/* printf into memory of its own; NULL when that runs out. The caller frees it. */
__attribute__((format(printf, 1, 2))) char *text_write(const char *format, ...);

/* What stands between tags; characters that XML does not know become blanks. */
void text_write_xml(const char *text, FILE *to);

#endif
