/* Names in one text, with semicolons between them; spaces around a name are no part of it. */
#ifndef LAY_BASE_LIST_H
#define LAY_BASE_LIST_H

#include <stddef.h>

/* The next name from *at on, which moves behind it; its length, 0 where there is none. */
size_t lay_list_next(const char **at, const char **name);

/* Whether name is one of them. NULL: an empty list. */
int lay_list_has(const char *list, const char *name);

#endif
