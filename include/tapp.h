/* tapp.h - the C interface of TAPP, the Tensor Algebra Processing Primitives (https://github.com/TAPPorg).
 *
 * One operation, on tensors of any rank whose modes are named by labels:
 *
 *     D = op_D( alpha op_A(A) op_B(B) + beta op_C(C) )
 *
 * A label in both inputs and not in D is summed over; in one input and D it is free; in all three it is a batch
 * (Hadamard); in one input alone it is summed there; twice in one tensor it means its diagonal. Labels of D occur in
 * A or B. C has the labels and extents of D, in D's order.
 *
 * The declarations follow commit 408bcaba4adb0a9fd1c292cf7dbe7d31bdb9b8d1 (13 February 2026, version 0.5.0) of
 * TAPPorg/reference-implementation: the names, the types of the arguments and the values are that commit's, so that a
 * program compiled with this header runs with any library that keeps to it, and the other way round. The sentences are
 * ours; "open" says what that commit does not settle.
 *
 * Objects are intptr_t: what they refer to is the library's. A call returns 0 or another code for which
 * TAPP_check_success is true, else a code that TAPP_explain_error puts in words. */
#ifndef TAPP_TAPP_H_ /* the guard of the specification's own header: whoever includes both has one of them */
#define TAPP_TAPP_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TAPP_EXPORT __attribute__((visibility("default")))
#else
#define TAPP_EXPORT
#endif

/* ---- Errors ----------------------------------------------------------------------------------- */
typedef int TAPP_error;

/* Whether the code is that of a success. Open: which codes there are besides. */
TAPP_EXPORT bool TAPP_check_success(TAPP_error error);

/* Writes the code's text to message: at most maxlen - 1 characters and a final 0, and returns how many characters,
 * the final 0 not counted. With maxlen 0 nothing is written, and the length of the whole text comes back. */
TAPP_EXPORT size_t TAPP_explain_error(TAPP_error error, size_t maxlen, char *message);

/* ---- Types ------------------------------------------------------------------------------------
 * How an element is stored. Numbers from 0x1000 on are the libraries' own. */
typedef int TAPP_datatype;
enum {
    TAPP_F32 = 0,  /* IEEE binary32 */
    TAPP_F64 = 1,  /* IEEE binary64 */
    TAPP_C32 = 2,  /* complex: two binary32, the real part first; 8 bytes */
    TAPP_C64 = 3,  /* complex: two binary64; 16 bytes */
    TAPP_F16 = 4,  /* IEEE binary16 */
    TAPP_BF16 = 5, /* the upper half of a binary32 */
    TAPP_FLOAT = TAPP_F32,
    TAPP_DOUBLE = TAPP_F64,
    TAPP_SCOMPLEX = TAPP_C32,
    TAPP_DCOMPLEX = TAPP_C64
};

/* How precisely a product is to be computed at least: of the factors, and of their sum. Adding to an output in memory
 * may have the output's own precision where that is less. */
typedef int TAPP_prectype;
enum {
    TAPP_DEFAULT_PREC = -1, /* no less than the least precise of the operands */
    TAPP_F32F32_ACCUM_F32 = 0,
    TAPP_F64F64_ACCUM_F64 = 1,
    TAPP_F16F16_ACCUM_F16 = 4,
    TAPP_F16F16_ACCUM_F32 = 5,
    TAPP_BF16BF16_ACCUM_F32 = 6
};

/* What happens to each element of an operand; nothing to real ones. Of D: to the result, last of all. */
typedef int TAPP_element_op;
enum { TAPP_IDENTITY = 0, TAPP_CONJUGATE = 1 };

/* ---- Attributes -------------------------------------------------------------------------------
 * Values behind keys. Open: which objects have attributes, and which keys there are. */
typedef intptr_t TAPP_attr;
typedef int TAPP_key;
TAPP_EXPORT TAPP_error TAPP_attr_set(TAPP_attr attr, TAPP_key key, void *value);
TAPP_EXPORT TAPP_error TAPP_attr_get(TAPP_attr attr, TAPP_key key, void **value);
TAPP_EXPORT TAPP_error TAPP_attr_clear(TAPP_attr attr, TAPP_key key);

/* ---- Handles, executors, statuses -------------------------------------------------------------
 * A handle is the library as plans are made with it, an executor is who runs them, a status is what an execution
 * leaves behind. Open: whether an executor of 0 is allowed, and what a status tells. */
typedef intptr_t TAPP_handle;
TAPP_EXPORT TAPP_error TAPP_create_handle(TAPP_handle *handle);
TAPP_EXPORT TAPP_error TAPP_destroy_handle(TAPP_handle handle);

typedef intptr_t TAPP_executor;
TAPP_EXPORT TAPP_error TAPP_create_executor(TAPP_executor *exec);
TAPP_EXPORT TAPP_error TAPP_destroy_executor(TAPP_executor exec);

typedef intptr_t TAPP_status;
TAPP_EXPORT TAPP_error TAPP_destroy_status(TAPP_status status);

/* ---- Tensors ----------------------------------------------------------------------------------
 * nmode >= 0 modes, each with an extent >= 0 and a stride in elements, which may be negative or, in inputs, 0. The
 * address that products take is that of the element with all indices 0. */
typedef intptr_t TAPP_tensor_info;
TAPP_EXPORT TAPP_error TAPP_create_tensor_info(TAPP_tensor_info *info, TAPP_datatype type, int nmode,
                                               const int64_t *extents, const int64_t *strides);
TAPP_EXPORT TAPP_error TAPP_destroy_tensor_info(TAPP_tensor_info info);

/* Arrays have as many entries as the tensor has modes. After TAPP_set_nmodes extents and strides are to be set. */
TAPP_EXPORT int TAPP_get_nmodes(TAPP_tensor_info info);
TAPP_EXPORT TAPP_error TAPP_set_nmodes(TAPP_tensor_info info, int nmodes);
TAPP_EXPORT void TAPP_get_extents(TAPP_tensor_info info, int64_t *extents);
TAPP_EXPORT TAPP_error TAPP_set_extents(TAPP_tensor_info info, const int64_t *extents);
TAPP_EXPORT void TAPP_get_strides(TAPP_tensor_info info, int64_t *strides);
TAPP_EXPORT TAPP_error TAPP_set_strides(TAPP_tensor_info info, const int64_t *strides);

/* ---- Products --------------------------------------------------------------------------------- */

/* In C's place where D is to be updated. Open: whether that is allowed, unless beta is 0. */
#define TAPP_IN_PLACE NULL

/* A plan: idx_X has one label for each mode of X, any number that its tensors share. Open: whether the infos must
 * outlive the plan, and which errors are found here and which at execution. */
typedef intptr_t TAPP_tensor_product;
TAPP_EXPORT TAPP_error TAPP_create_tensor_product(TAPP_tensor_product *plan, TAPP_handle handle, TAPP_element_op op_A,
                                                  TAPP_tensor_info A, const int64_t *idx_A, TAPP_element_op op_B,
                                                  TAPP_tensor_info B, const int64_t *idx_B, TAPP_element_op op_C,
                                                  TAPP_tensor_info C, const int64_t *idx_C, TAPP_element_op op_D,
                                                  TAPP_tensor_info D, const int64_t *idx_D, TAPP_prectype prec);
TAPP_EXPORT TAPP_error TAPP_destroy_tensor_product(TAPP_tensor_product plan);

/* alpha and beta have D's type. Where beta is 0, C is not read and may be NULL. C may be D. The execution makes
 * *status. */
TAPP_EXPORT TAPP_error TAPP_execute_product(TAPP_tensor_product plan, TAPP_executor exec, TAPP_status *status,
                                            const void *alpha, const void *A, const void *B, const void *beta,
                                            const void *C, void *D);

/* The same num_batches times, with the addresses that stand in A[], B[], C[] and D[]. */
TAPP_EXPORT TAPP_error TAPP_execute_batched_product(TAPP_tensor_product plan, TAPP_executor exec, TAPP_status *status,
                                                    int num_batches, const void *alpha, const void **A, const void **B,
                                                    const void *beta, const void **C, void **D);

#ifdef __cplusplus
}
#endif

#endif
