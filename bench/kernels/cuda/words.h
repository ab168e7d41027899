/* The benches' arguments: lists of words, sizes, triples of layouts. */
#ifndef BENCH_CUDA_WORDS_H
#define BENCH_CUDA_WORDS_H

#include <stdint.h>

#include "bench/base/args.h"

enum { MAX_WORDS = 64 };

/* Options that benches of kernels share. */
#define WORD_OPTIONS                                                                                                   \
    { "sizes", 0, "LIST", "N or MxNxK, with commas" },                                                                 \
        { "layouts", 0, "LIST", "check: each operand in each; time: each for all three, or LEFT/RIGHT/RESULT" },       \
        { "against", 0, "LIBRARY", "cublas, or the path of a libcublas" },                                             \
        { "rounds", 0, "N", "of the timing; 9 if not given" },                                                         \
    {                                                                                                                  \
        "beta", 0, "X", "of C = A B + beta C; 0 if not given"                                                          \
    }

typedef struct words {
    char *at[MAX_WORDS];
    int count;
} words;

/* What stands between the commas of an option's values, or of usual where it was not given (NULL: nothing). The words
 * live until the program ends. */
void words_read(const args *given, const char *name, const char *usual, words *out);

/* Whether name is one of the words, or has one of them as a part; true where there are none. */
int words_have(const words *of, const char *name);
int words_have_part(const words *of, const char *name);

/* Numbers in their range, or what they are without the option. These and what follows end the program with a sentence.
 */
int64_t number_read(const args *given, const char *name, int64_t lowest, int64_t highest, int64_t usual);
double real_read(const args *given, const char *name, double usual);
int count_read(const char *text); /* a word: 1 to 2^20 */

/* "N" or "MxNxK". */
void size_read(const char *text, int *m, int *n, int *k);

/* "row", or "row/col/row": three names, in room. */
void triple_read(const char *text, char room[64], char *out[3]);

#endif
