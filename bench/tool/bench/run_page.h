/* --html: a page of this run, or of files of earlier ones. */
#ifndef RUN_PAGE_H
#define RUN_PAGE_H

#include <stdio.h>

#include "bench/base/args.h"

/* The rows of this run, as JSON in memory. */
typedef struct own_page {
    FILE *to; /* NULL: no page is asked for */
    char *text;
    size_t size;
} own_page;

/* Whether the page can be written is found out before anything is timed. 0, or the exit status after a sentence. */
int own_page_start(const args *given, own_page *out);

/* Writes the page, also of a run that broke off after some rows; status, or that of the failure. */
int own_page_end(const args *given, own_page *of, int status);

/* The page of the files of --from. 0, or the exit status after a sentence. */
int page_from_files(const args *given);

#endif
