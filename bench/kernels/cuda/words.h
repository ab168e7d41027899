/* The benches' arguments: lists of words, sizes, triples of layouts. */
#ifndef BENCH_CUDA_WORDS_H
#define BENCH_CUDA_WORDS_H

enum { MAX_WORDS = 64 };

typedef struct words {
    char *at[MAX_WORDS];
    int count;
} words;

/* Appends what stands between the commas of text, which is cut for it and must live as long. */
void words_split(char *text, words *out);

/* The same, where nothing was given. */
void words_add_usual(words *to, char *text);

/* Whether name is one of the words, or has one of them as a part; true where there are none. */
int words_have(const words *of, const char *name);
int words_have_part(const words *of, const char *name);

/* "N" or "MxNxK"; anything else ends the program with a sentence. */
void size_read(const char *text, int *m, int *n, int *k);

/* "row", or "row/col/row": three names, in room. */
void triple_read(const char *text, char room[64], char *out[3]);

#endif
