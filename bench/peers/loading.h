/* Other people's libraries by the names that they go by: the first of their files that the loader finds. */
#ifndef LOADING_H
#define LOADING_H

enum { LOADING_FILES = 4 };

typedef struct loading {
    const char *name;                 /* what the user calls it, NULL behind the last */
    const char *files[LOADING_FILES]; /* tried in turn; NULL behind the last */
    const char *source;               /* where it comes from */
} loading;

/* Loads the library that of names, or a file of the user's own where that is not NULL; flags are dlopen's. NULL after
 * writing why not to sentence: what was tried, and how to install it or what is wrong with the file. */
void *loading_open(const loading *of, const char *path, int flags, char *sentence, int size);

#endif
