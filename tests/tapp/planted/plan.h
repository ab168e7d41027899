/* The plain library's plan: what a step of each label adds to the four offsets. */
#ifndef LAY_TESTS_TAPP_PLAN_H
#define LAY_TESTS_TAPP_PLAN_H

#include "plain.h"

enum { OF_A, OF_B, OF_C, OF_D, TENSORS };

typedef struct plain_label {
    int64_t name, extent, step[TENSORS];
    int is_in[TENSORS];
} plain_label;

typedef struct plain_plan {
    TAPP_datatype type[TENSORS];
    TAPP_element_op op[TENSORS];
    TAPP_prectype prec;
    int nout, nlabel; /* the labels of D come first */
    plain_label labels[TENSORS * PLAIN_MODES];
} plain_plan;

#endif
