/* How programs fail: one sentence on stderr, and an exit status. */
#ifndef COMPLAIN_H
#define COMPLAIN_H

#include "layoutgemm.h"

/* The exit status. Bad arguments, input files that cannot be used among them, are told from
 * failures that other arguments would not cure. */
enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_REFUSED = 2 };

/* What sentences begin with: "lay" if nothing else is said. */
void complain_as(const char *program);

/* What they are about until another or NULL is named: "problems.txt:3". It must outlive them. */
void complain_where(const char *where);

/* Whether stderr is within a line, which ends before a sentence. */
void complain_within_line(int is_within);

/* Each writes one sentence to stderr, as printf, and returns EXIT_FAILED or EXIT_REFUSED. */
__attribute__((format(printf, 1, 2))) int fail(const char *format, ...);
__attribute__((format(printf, 1, 2))) int refuse(const char *format, ...);

/* The library's last sentence, after where it happened: EXIT_FAILED when memory ran out, else
 * EXIT_REFUSED. */
int refuse_status(lay_status status, const char *where);

/* The same of what is not LAY_OK; EXIT_FINE of that. */
int refuse_unless_ok(lay_status status, const char *where);

#endif
