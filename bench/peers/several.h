/* Other people's products over several devices of one process. */
#ifndef SEVERAL_H
#define SEVERAL_H

#include <stdint.h>

#include "layoutgemm.h"

/* C = A B of n x n matrices by rows. Of a grid of places each has parts by rows too, of blocks that are dealt out in
 * turn; 1 x 1: the first device has all of them. */
typedef struct several_problem {
    lay_type type;
    int64_t n;
    int down, across;      /* places along rows and along columns, numbered by rows */
    int64_t rows, columns; /* of a block */
    int64_t line;          /* elements from row to row at a place */
    void *const *part[3];  /* A, B, C: at each place */
} several_problem;

enum { SEVERAL_SLOTS = 8 };

/* One of them, with products in slots. Functions return NULL, or why not, as a sentence that lasts until the next call.
 */
typedef struct several_peer {
    char name[32], about[256];
    int takes_parts; /* of a grid of places; else matrices of the first device */
    void *self;
    const char *(*prepare)(void *self, int slot, const several_problem *of); /* in place of what was there */
    const char *(*run)(void *self, int slot);                                /* waits for C */
    void (*close)(void *self);
} several_peer;

/* Loads cublasxt or cublasmp, or one of their files, and opens it for these devices, no two alike. It is never
 * unloaded. */
const char *several_open(const char *name, int count, const int devices[], several_peer *out);

/* The two. path NULL: the library that the loader finds. */
const char *cublasxt_open(const char *path, int count, const int devices[], several_peer *out);
const char *cublasmp_open(const char *path, int count, const int devices[], several_peer *out);

#endif
