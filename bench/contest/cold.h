/* Caches without what a product needs. */
#ifndef COLD_H
#define COLD_H

/* Has as many threads read memory that is twice the last cache's size. 0, or the exit status after a sentence. */
int cold_prepare(void);
void cold_empty(int threads);

/* Bytes that are read; for the head of a table. */
double cold_bytes(void);

#endif
