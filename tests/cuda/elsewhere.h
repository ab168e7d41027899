/* Operands of trials in memory of another kind, gaps and all, and products of operands in device memory. */
#ifndef LAY_TESTS_CUDA_ELSEWHERE_H
#define LAY_TESTS_CUDA_ELSEWHERE_H

#include "../product/support/trial.h"
#include "device/place.h"

/* A copy of an operand's storage. */
typedef struct elsewhere {
    operand *of;
    lay_place place;
    char *block; /* NULL: the operand's own storage serves */
    void *zero;
} elsewhere;

elsewhere elsewhere_put(operand *of, lay_place place);

/* Between the operand's own storage, which the oracle reads, and the copy. Both wait for the device. */
void elsewhere_write(const elsewhere *to);
void elsewhere_read(const elsewhere *from);

/* Reads it and gives it back. */
void elsewhere_fetch(elsewhere *from);
void elsewhere_free(elsewhere *gone);

/* A trial whose operands lie in device memory. It stays where it was made: the copies point into it. */
typedef struct remote {
    trial t;
    elsewhere a, b, c;
} remote;

/* The usual layouts of these numbers; of t the type, sizes, factors, data and options are taken. */
void remote_make(remote *x, const trial *t, const int layout[3], random_source *from);

/* The same of integers, f32, alpha and beta 1, of one layout and for a stream (cudaStream_t). Layout 5 is in tiles,
 * whose offsets come from tables. */
void remote_make_integers(remote *x, int64_t m, int64_t n, int64_t k, int layout, void *stream, random_source *from);

/* As remote_make for a trial that is filled and placed. */
void remote_send(remote *x);
void remote_free(remote *x);

lay_status remote_call(const remote *x);
lay_status remote_plan(const remote *x, lay_plan **plan);
lay_status remote_run(const remote *x, const lay_plan *plan);

/* Which path a run of its product takes, by a plan that is reserved and asked before and behind it. */
lay_path remote_path(remote *x);

/* All of it is read back; as trial_is_right. */
int remote_is_right(remote *x, char *why, size_t size);

/* The same, as the test's own claim. */
void remote_insist_on_right(remote *x);

/* Even strides, tables (layout 5 is in tiles), slices of k, both, a row: what products there are. */
typedef struct remote_shape {
    int64_t m, n, k;
    int layout;
} remote_shape;
enum { REMOTE_SHAPES = 5 };
extern const remote_shape remote_shapes[REMOTE_SHAPES];

/* C holds what it held when the trial was made, or with beta 0 anything. */
void remote_restore(remote *x);

/* C's elements as they are now, in bytes, which the caller frees; how many. */
char *remote_bits(remote *x);
size_t remote_size(const remote *x);

/* Whether they are those in *wanted, which has them from now on if it was NULL, and the caller frees. */
int remote_has_bits(remote *x, char **wanted);

#endif
