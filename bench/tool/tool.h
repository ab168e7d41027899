/* A command of the tool. */
#ifndef TOOL_H
#define TOOL_H

#include "bench/base/args.h"
#include "bench/base/complain.h"
#include "bench/base/texts.h"

typedef struct command {
    const char *name;
    const char *usage;        /* what follows the name */
    const char *summary;      /* one line */
    const char *notes;        /* the rest of its help, may be NULL */
    void (*print_more)(void); /* what of it is made from tables, may be NULL */
    const option *options;
    int (*run)(const args *given);
} command;

extern const command show_command, gemm_command, contract_command, bench_command, explain_command, info_command,
    rates_command, tune_command;

/* choices_read, and no device's number in a build that has no devices. */
int read_choices(const args *given, lay_options *out);

#endif
