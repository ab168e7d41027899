/* The rows of a file that lay bench wrote earlier, CSV or JSON. */
#ifndef SAVED_H
#define SAVED_H

typedef struct saved_row {
    char *problem, *type, *memory, *threads, *who,
        *caches;                   /* what tells it from others; memory, caches: NULL in old files */
    double median, lowest, spread; /* 0: the file has none */
} saved_row;

typedef struct saved {
    saved_row *rows; /* [count] */
    int count, room;
} saved;

/* 0, or the exit status after a sentence; saved_free in either case. */
int saved_read(const char *path, saved *out);
void saved_free(saved *of);

/* For the readers of the two forms: a new row, and a figure or text of the last row by its key; keys that are not known
 * are passed over. 0, or the exit status after a sentence. */
int saved_add(saved *to);
int saved_set(saved *to, const char *key, const char *text);

/* The same whole file; 0, or the exit status after a sentence. */
int saved_read_json(const char *text, saved *out);

#endif
