/* The rows of a file that lay bench wrote earlier, CSV or JSON. */
#ifndef SAVED_H
#define SAVED_H

typedef struct saved_row {
    char *problem, *type, *memory, *threads, *who,
        *caches;                   /* what tells it from others; memory, caches: NULL in old files */
    double median, lowest, spread; /* 0: the file has none, here and below */
    double m, n, k;
    char *layout[3]; /* of A, B and C; NULL: the file has none */
    char *kernels;
    double gflops, peak, unit, speedup; /* as their columns in rows.h */
    double roof_gflops, roof_gbytes;
} saved_row;

enum { SAVED_WARNINGS = 4 };

/* What a JSON file says of its run; NULL: nothing. */
typedef struct saved_head {
    char *version, *command, *machine, *load, *complete, *rounds;
    char *warning[SAVED_WARNINGS];
    int warnings;
} saved_head;

typedef struct saved {
    saved_row *rows; /* [count] */
    int count, room;
    saved_head head;
} saved;

/* 0, or the exit status after a sentence; saved_free in either case. */
int saved_read(const char *path, saved *out);
/* The same of a text that a run of this process has just written, JSON. */
int saved_read_own(const char *text, saved *out);
void saved_free(saved *of);

/* For the readers of the two forms: a new row, and a figure or text of the last row by its key; keys that are not known
 * are passed over. 0, or the exit status after a sentence. */
int saved_add(saved *to);
int saved_set(saved *to, const char *key, const char *text);
/* Of the head, its key, or "warnings" for one more of them. */
int saved_set_head(saved *to, const char *key, const char *text);

/* The same whole file; 0, or the exit status after a sentence. */
int saved_read_json(const char *text, saved *out);

#endif
