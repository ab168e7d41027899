/* Another program of this build, which lies beside this one and is not installed. */
#ifndef BESIDE_H
#define BESIDE_H

/* Runs it with these words, the first of which is left free for its path and NULL behind the last. Its exit status, or
 * that of a refusal: why says who runs it ("--report=model"). */
int run_beside(const char *name, const char *why, char *words[]);

#endif
