/* Files that lay bench writes beside what it prints. */
#ifndef FILES_H
#define FILES_H

#include <stdio.h>

#include "bench/base/args.h"

/* A file for what is printed on standard output in another form: there, it would be mixed up with that. NULL where the
 * option name is not given. 0, or the exit status after a sentence. */
int open_file(const args *given, const char *name, FILE **out);

/* A line that could not be written out when it was printed counts too: status, or that of the failure. */
int close_file(FILE *file, const char *path, int status);

/* The picture is drawn last: whether it can be written is found out first. */
int try_picture(const args *given, const char *name);

#endif
