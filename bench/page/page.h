/* What lay bench measured, as one HTML file that needs nothing else: no scripts, no style sheets or fonts from
 * elsewhere. */
#ifndef PAGE_H
#define PAGE_H

#include "bench/saved/saved.h"

/* A run: its rows, and the file that they are from, or NULL. */
typedef struct page_run {
    saved rows;
    const char *from;
} page_run;

/* Sections for each run, one below the other; path "-" is standard output. 0, or the exit status after a sentence. */
int page_write(const page_run runs[], int count, const char *path);

#define PAGE_HELP                                                                                                      \
    "--html writes a page that needs nothing else: machine, versions, the table, speed and speedup over the size,\n"   \
    "a roofline with every problem on it, and the layouts, drawn beside their figures. For its slope, memory is\n"     \
    "read by as many threads before the first problem of a kind (a block twice the last cache's size), or copied\n"    \
    "on the device; --roof has the same measured for --json and --csv. With --from the page is made of such files,\n"  \
    "of whatever machine, and nothing is timed: 'lay bench --html=FILE --from=OLD.json'.\n"

#endif
