/* Operands of trials in memory of another kind, gaps and all, and products of operands in device memory. */
#ifndef LAY_TESTS_CUDA_ELSEWHERE_H
#define LAY_TESTS_CUDA_ELSEWHERE_H

#include "../product/trial.h"
#include "device/place.h"

/* A copy of an operand's storage. */
typedef struct elsewhere {
    operand *of;
    lay_place place;
    char *block; /* NULL: the operand's own storage serves */
    void *zero;
} elsewhere;

elsewhere elsewhere_put(operand *of, lay_place place);

/* Between the operand's own storage, which the judge reads, and the copy. Both wait for the device. */
void elsewhere_write(const elsewhere *to);
void elsewhere_read(const elsewhere *from);

/* Reads it and gives it back. */
void elsewhere_fetch(elsewhere *from);
void elsewhere_free(elsewhere *gone);

/* A trial whose operands lie in device memory. It stays where it was made: the copies point into it. */
typedef struct afar {
    trial t;
    elsewhere a, b, c;
} afar;

/* The usual layouts of these numbers; of t the type, sizes, factors, data and options are taken. */
void afar_make(afar *x, const trial *t, const int layout[3], random_source *from);

/* The same for a trial that is filled and placed. */
void afar_send(afar *x);
void afar_free(afar *x);

lay_status afar_call(const afar *x);
lay_status afar_plan(const afar *x, lay_plan **plan);
lay_status afar_run(const afar *x, const lay_plan *plan);

/* All of it is read back; as trial_is_right. */
int afar_is_right(afar *x, char *why, size_t size);

/* The same, as the test's own claim. */
void afar_insist_on_right(afar *x);

/* Even strides, tables (layout 5 is in tiles), slices of k, both, a row: what products there are. */
typedef struct afar_shape {
    int64_t m, n, k;
    int layout;
} afar_shape;
enum { AFAR_SHAPES = 5 };
extern const afar_shape afar_shapes[AFAR_SHAPES];

/* C holds what it held when the trial was made, or with beta 0 anything. */
void afar_restore(afar *x);

/* C's elements as they are now, in bytes, which the caller frees; how many. */
char *afar_bits(afar *x);
size_t afar_size(const afar *x);

#endif
