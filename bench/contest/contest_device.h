/* Products of matrices in device memory, timed in turns by the device's own events. */
#ifndef CONTEST_DEVICE_H
#define CONTEST_DEVICE_H

#include "bench/device/device.h"
#include "bench/peers/cublas.h"
#include "contest.h"

int contest_on_device(const terms *under, const problem *of, contest *out);

/* What bounds products on the open device: its units' peak as clock and units say, GFLOP/s, NaN for a type or device
 * that is not known; what its memory gave in copies, GB/s, read and written. 0, or the exit status after a sentence. */
int roof_of_device(lay_type type, double *gflops, double *gbytes);

/* Three matrices: one set on the host to check against, and on the device as many, one behind the other, as outgrow
 * its L2 cache, so that small products do not find theirs there by accident. */
typedef struct ground {
    operand host[3];
    void *memory[3];
    char *block[3];   /* in it */
    size_t stride[3]; /* bytes from set to set */
    int sets;
    int is_prepared; /* host and the first set have what verdict_prepare puts there */
    int is_random;   /* all sets have random numbers */
} ground;

/* 0, or the exit status after a sentence; ground_clear in either case. Bare: without the set on the host, of any
 * rank. */
int ground_create(lay_type type, lay_desc *const desc[3], ground *out);
int ground_create_bare(lay_type type, lay_desc *const desc[3], ground *out);
void ground_clear(ground *of);
void *ground_zero(const ground *of, int which, int set); /* offset 0 of A, B or C */
int ground_fill_random(ground *of);
int ground_fill_wide(ground *of); /* with a few that are far smaller: no row or column but has one */

/* What verdict_prepare makes, in the first set; whether C there is A B. 0, or the exit status after a sentence. */
int ground_prepare(ground *of);
int ground_check(ground *of, const char *who, const char *text);

/* A contestant: one of the calls below on a ground, its other fields as the call needs them. */
typedef struct player {
    lay_status (*call)(void *self, int set);
    ground *on, *outer; /* outer: copied to and from */
    lay_options options;
    lay_plan *plan;
    int which;           /* of packed operands: bit 0 A, bit 1 B */
    lay_packed **packed; /* [sets][2] */
    const cublas *with;
    reading read;
    void *own; /* of a call that is made elsewhere */
    device_turn turn;
    double *seconds; /* [rounds] */
} player;

/* On matrices of `on`: the library with a plan that has reserved what it needs, the same of a contraction's dense
 * tensors, the same with packed operands, the library as its users call it, cuBLAS, and cuBLAS between copies from and
 * to outer. */
int player_plan(player *out, ground *on, const lay_options *options); /* 0, or the exit status after a sentence */
int player_labels(player *out, ground *on, const contraction *of, int is_by_storage, const lay_options *options);
int player_packed(player *out, ground *on, int which, const lay_options *options);
int player_own_copies(player *out, ground *on, ground *outer, const lay_options *options); /* player_plan's, too */
void player_call(player *out, ground *on, const lay_options *options);
int player_cublas(player *out, ground *on, const cublas *with, ground *outer, const lay_options *options);
void player_clear(player *of);

/* Checks all, then fills the grounds with random numbers. 0, or the exit status after a sentence. */
int players_check(player list[], const char *const who[], int count, const char *text);

/* Rounds of turns, each round beginning with another. */
int players_race(player list[], int count, int rounds, double min_time, int is_plain);

#endif
