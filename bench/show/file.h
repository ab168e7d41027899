/* Files as a whole. */
#ifndef SHOW_FILE_H
#define SHOW_FILE_H

#include <stdio.h>

/* Makes the file, or replaces it; path "-" is standard output. write: 0 when memory ran out. 0, or the exit status
 * after a sentence. */
int file_write(const char *path, int (*write)(const void *subject, FILE *to), const void *subject);

#endif
