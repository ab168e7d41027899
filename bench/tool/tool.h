/* A command of the tool, and how commands fail. */
#ifndef TOOL_H
#define TOOL_H

#include "bench/base/args.h"

/* The exit status. Bad arguments, input files that cannot be used among them, are told from
 * failures that other arguments would not cure. */
enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_REFUSED = 2 };

typedef struct command {
    const char *name;
    const char *usage;        /* what follows the name */
    const char *summary;      /* one line */
    const char *notes;        /* the rest of its help, may be NULL */
    void (*print_more)(void); /* what of it is made from tables, may be NULL */
    const option *options;
    int (*run)(const args *given);
} command;

extern const command show_command, gemm_command, bench_command, explain_command, info_command;

/* Each writes one sentence to stderr, as printf, and returns EXIT_FAILED or EXIT_REFUSED. */
__attribute__((format(printf, 1, 2))) int fail(const char *format, ...);
__attribute__((format(printf, 1, 2))) int refuse(const char *format, ...);

/* The library's last sentence, after where it happened: EXIT_FAILED when memory ran out, else
 * EXIT_REFUSED. */
int refuse_status(lay_status status, const char *where);

/* What snprintf-like functions of the library say, in full; NULL when memory runs out. The caller
 * frees it. */
char *text_of_desc(const lay_desc *desc);
char *text_of_plan(const lay_plan *plan);
char *text_of_machine(void);

#endif
