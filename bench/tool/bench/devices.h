/* What the two benches of --devices share: the list, sizes, matrices of random numbers, and turns. */
#ifndef DEVICES_H
#define DEVICES_H

#include <stdint.h>

#include "bench/base/args.h"
#include "bench/contest/contest.h"
#include "bench/peers/several.h"
#include "layoutgemm.h"

enum { DEVICES_MOST = 64, DEVICES_SIZES = 16, DEVICES_PEERS = 4 };

/* Each 0, or the exit status after a sentence. */

/* Devices by number, and LAY_DEVICE_HOST (layoutgemm_team.h). */
int devices_read(const args *given, int list[DEVICES_MOST], int *count);

/* The words: sizes of square matrices, 4096 and 16384 where there are none. */
int devices_read_sizes(const args *given, int64_t sizes[DEVICES_SIZES], int *count);

/* What A and B repeat, the caller's to free. */
int devices_make_sample(lay_type type, void **sample);

/* A (0) or B (1), so many elements one behind the other. */
void devices_fill(lay_type type, const void *sample, int number, int64_t elements, void *to);

/* What --against names, for these devices; self is NULL of one that could not be opened, which has said why. */
int devices_open_peers(const args *given, const int list[], int count, several_peer peers[DEVICES_PEERS], int *opened);
void devices_close_peers(several_peer peers[], int count);

/* NULL where two results of n x n products are the same but for rounding, by a sample of their elements; else two that
 * are not, as a sentence. 16-bit types may be rounded more than once. */
const char *devices_compare(lay_type type, lay_compute compute, int64_t n, const void *wanted, const void *found);

/* One of several that take turns: so many calls a turn, and of each round the seconds of one. */
typedef struct devices_turns {
    int calls;
    double seconds[MAX_ROUNDS];
} devices_turns;

typedef int devices_call(void *context, int which);

/* All of them in turns, each round beginning with another; a turn lasts min_time by the first call of each. */
int devices_race(devices_call *call, void *context, devices_turns *const list[], int count, int rounds,
                 double min_time);

#endif
