/* Several benches at one device: who uses it holds a file's lock. */
#ifndef LOCK_H
#define LOCK_H

/* Waits until nobody else holds it; path NULL: there is none. 0, or the exit status after a sentence; lock_leave in
 * either case. */
int lock_take(const char *path, int *held);
void lock_leave(int *held);

#endif
