/* NumPy's file format: an array's type, shape and order in a header, then its elements. */
#ifndef NPY_H
#define NPY_H

#include <stdint.h>

#include "layoutgemm.h"

enum { NPY_MAX_RANK = 64, NPY_MAX_HEADER = 2048 }; /* NumPy 2 has as many; before it was 32 */

typedef struct npy {
    lay_type type;
    int fortran; /* the first index varies fastest, not the last */
    int rank;
    int64_t shape[NPY_MAX_RANK];
    int64_t count; /* elements */
    void *data;    /* in the order of the file; npy_free */
} npy;

/* Reads a file of format version 1, 2 or 3 that holds little-endian float16, 32 or 64 or complex64 or 128; standard
 * input where path is
 * "-". 0, or the exit status after a sentence; out->data is NULL then. */
int npy_read(const char *path, npy *out);
void npy_free(npy *array);

/* Writes array to path through a temporary file beside it, which takes path's place when it is
 * whole; or to standard output where path is "-". 0, or the exit status after a sentence; path keeps
 * what it held then. */
int npy_write(const char *path, const npy *array);

/* Whether path looks as if npy_write could write it: asked before the work that makes the array. */
int npy_check_output(const char *path);

#endif
