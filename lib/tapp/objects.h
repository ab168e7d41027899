/* What TAPP's numbers of objects stand for. They begin with a mark of their kind: an argument that is another object is
 * an error. */
#ifndef LAY_TAPP_OBJECTS_H
#define LAY_TAPP_OBJECTS_H

#include "layoutgemm.h"
#include "tapp.h"

typedef enum tapp_kind {
    TAPP_IS_HANDLE = 0x1a7a0001,
    TAPP_IS_EXECUTOR = 0x1a7a0002,
    TAPP_IS_INFO = 0x1a7a0003,
    TAPP_IS_PRODUCT = 0x1a7a0004
} tapp_kind;

typedef struct tapp_object {
    tapp_kind kind;
} tapp_object;

typedef struct tapp_info {
    tapp_object object;
    TAPP_datatype type;
    int nmode;
    int64_t *extents, *strides; /* nmode each, in one block */
} tapp_info;

typedef struct tapp_product {
    tapp_object object;
    lay_plan *plan;
    TAPP_datatype type_d;
    int is_double;     /* computed in f64: so are the plan's scalars */
    int is_conjugated; /* the result: the inputs were turned instead, and so are the scalars */
} tapp_product;

/* The object, or NULL where the number is none of that kind. */
void *tapp_object_of(intptr_t number, tapp_kind kind);

/* The codes of this library. They are not specified: only TAPP_check_success and TAPP_explain_error know them. */
typedef enum tapp_code {
    TAPP_CODE_SUCCESS,
    TAPP_CODE_OBJECT,
    TAPP_CODE_ARGUMENT,
    TAPP_CODE_MODES,
    TAPP_CODE_NEGATIVE,
    TAPP_CODE_EXTENTS,
    TAPP_CODE_LABEL_OF_D,
    TAPP_CODE_C_UNLIKE_D,
    TAPP_CODE_OVERLAPS_ITSELF,
    TAPP_CODE_OVERLAP,
    TAPP_CODE_MISSING_C,
    TAPP_CODE_TYPE,
    TAPP_CODE_PRECISION,
    TAPP_CODE_KEY,
    TAPP_CODE_OVERFLOW,
    TAPP_CODE_MEMORY,
    TAPP_CODE_UNSUPPORTED,
    TAPP_CODE_DEVICE,
    TAPP_CODE_INNER,
    TAPP_CODES
} tapp_code;

/* The code for what a call of layoutgemm returned; its sentence is kept for this thread's TAPP_explain_error. */
TAPP_error tapp_error_of(lay_status status);

/* The code, of something that layoutgemm was not asked: what it said last is not about it. */
TAPP_error tapp_refuse(TAPP_error code);

#endif
