/* Command lines: a table of options in, the words given out. */
#ifndef ARGS_H
#define ARGS_H

#include <stdint.h>

#include "layoutgemm.h"

typedef struct option {
    const char *name;  /* without dashes; NULL ends a table */
    char letter;       /* its short form, or 0 */
    const char *value; /* what the help calls its value; NULL: it takes none */
    const char *help;
} option;

typedef struct args {
    const option *options;
    struct seen {
        const option *option;
        const char *value; /* "" where it takes none */
    } * seen;              /* in the order given */
    int seen_count;
    char **words; /* what is no option */
    int word_count;
    char **line; /* the whole command line of the program */
} args;

/* Reads argv[0..argc): --name=value, --name value, -l value; "--" ends the options. 0, or the exit
 * status after a sentence on stderr. args_free in either case. */
int args_read(const option *options, int argc, char **argv, args *out);
void args_free(args *given);

/* -h or --help; one of them among the arguments, before "--". */
int args_is_help(const char *word);
int args_ask_help(int argc, char **argv);

/* A line for each option. */
void args_print_options(const option *options);

/* The whole command line of a program that has but one command: reads it, or prints its help, or complains; ends the
 * program in the latter cases. Sentences begin with the program's name from now on. */
typedef struct program {
    const char *name;
    const char *usage; /* what follows the name */
    const char *about; /* what it does; what stands behind the options, which may be NULL */
    const char *notes;
    const option *options;
    int most_words; /* what is no option */
} program;
void args_read_all(const program *of, int argc, char **argv, args *out);

/* The last value given for an option of the table; NULL when it was not given. */
const char *args_value(const args *given, const char *name);
/* The index-th value of an option that may be repeated; NULL behind the last. */
const char *args_repeated(const args *given, const char *name, int index);

/* Options that say nothing together, or one that says nothing without another. */
typedef struct args_claim {
    const char *option;
    const char *with; /* "name" or "name=value" */
    int is_needed;    /* else it must not be there */
} args_claim;

/* Claims, up to one without an option: 0, or the exit status after a sentence on the first that does not hold. */
int args_check(const args *given, const args_claim claims[]);

/* A value in its range, or what *out held when the option is missing. 0, or the exit status after
 * a sentence. */
int args_integer(const args *given, const char *name, int64_t lowest, int64_t highest, int64_t *out);
int args_real(const args *given, const char *name, double *out);
int args_isa(const args *given, const char *name, lay_isa *out);

/* The words of a list, in memory of their own (one block: free(list)); NULL
 * when memory runs out. Empty words are kept, so that the reader can refuse them. */
char **list_split(const char *text, char between, int *count);

/* A whole number in decimal and nothing else. 1, or 0 when text is none or is out of range. */
int read_integer(const char *text, int64_t lowest, int64_t highest, int64_t *out);

#endif
