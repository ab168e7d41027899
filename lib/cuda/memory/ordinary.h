/* Memory that is ordinary by its address alone, so that nobody need be asked whose it is. */
#ifndef LAY_CUDA_ORDINARY_H
#define LAY_CUDA_ORDINARY_H

/* Whether these bytes lie in the process' heap, below its break, or on the calling thread's stack, above the caller's
 * frame, and all in the same: no driver has put memory of its own there. It may have been page-locked since. 0 says
 * nothing. Some 5 ns; the first question about the heap, and a thread's first about a stack, take up to 0.1 ms. */
int lay_are_ordinary(const void *a, const void *b, const void *c);

#endif
