/* A TAPP library that does nothing: each call returns 0, and nothing else happens. The test must fail it in every
 * group: built once with a TAPP_check_success that calls every code a success, and once with one that calls none so. */
#include "tapp.h"

#ifndef CHECKED
#define CHECKED true
#endif

bool TAPP_check_success(TAPP_error error)
{
    (void)error;
    return CHECKED;
}

size_t TAPP_explain_error(TAPP_error error, size_t maxlen, char *message)
{
    (void)error, (void)maxlen, (void)message;
    return 0;
}

TAPP_error TAPP_attr_set(TAPP_attr attr, TAPP_key key, void *value)
{
    (void)attr, (void)key, (void)value;
    return 0;
}

TAPP_error TAPP_attr_get(TAPP_attr attr, TAPP_key key, void **value)
{
    (void)attr, (void)key, (void)value;
    return 0;
}

TAPP_error TAPP_attr_clear(TAPP_attr attr, TAPP_key key)
{
    (void)attr, (void)key;
    return 0;
}

TAPP_error TAPP_create_handle(TAPP_handle *handle)
{
    (void)handle;
    return 0;
}

TAPP_error TAPP_destroy_handle(TAPP_handle handle)
{
    (void)handle;
    return 0;
}

TAPP_error TAPP_create_executor(TAPP_executor *exec)
{
    (void)exec;
    return 0;
}

TAPP_error TAPP_destroy_executor(TAPP_executor exec)
{
    (void)exec;
    return 0;
}

TAPP_error TAPP_destroy_status(TAPP_status status)
{
    (void)status;
    return 0;
}

TAPP_error TAPP_create_tensor_info(TAPP_tensor_info *info, TAPP_datatype type, int nmode, const int64_t *extents,
                                   const int64_t *strides)
{
    (void)info, (void)type, (void)nmode, (void)extents, (void)strides;
    return 0;
}

TAPP_error TAPP_destroy_tensor_info(TAPP_tensor_info info)
{
    (void)info;
    return 0;
}

int TAPP_get_nmodes(TAPP_tensor_info info)
{
    (void)info;
    return 0;
}

TAPP_error TAPP_set_nmodes(TAPP_tensor_info info, int nmodes)
{
    (void)info, (void)nmodes;
    return 0;
}

void TAPP_get_extents(TAPP_tensor_info info, int64_t *extents)
{
    (void)info, (void)extents;
}

TAPP_error TAPP_set_extents(TAPP_tensor_info info, const int64_t *extents)
{
    (void)info, (void)extents;
    return 0;
}

void TAPP_get_strides(TAPP_tensor_info info, int64_t *strides)
{
    (void)info, (void)strides;
}

TAPP_error TAPP_set_strides(TAPP_tensor_info info, const int64_t *strides)
{
    (void)info, (void)strides;
    return 0;
}

TAPP_error TAPP_create_tensor_product(TAPP_tensor_product *plan, TAPP_handle handle, TAPP_element_op op_A,
                                      TAPP_tensor_info A, const int64_t *idx_A, TAPP_element_op op_B,
                                      TAPP_tensor_info B, const int64_t *idx_B, TAPP_element_op op_C,
                                      TAPP_tensor_info C, const int64_t *idx_C, TAPP_element_op op_D,
                                      TAPP_tensor_info D, const int64_t *idx_D, TAPP_prectype prec)
{
    (void)plan, (void)handle, (void)op_A, (void)A, (void)idx_A, (void)op_B, (void)B, (void)idx_B, (void)op_C, (void)C,
        (void)idx_C, (void)op_D, (void)D, (void)idx_D, (void)prec;
    return 0;
}

TAPP_error TAPP_destroy_tensor_product(TAPP_tensor_product plan)
{
    (void)plan;
    return 0;
}

TAPP_error TAPP_execute_product(TAPP_tensor_product plan, TAPP_executor exec, TAPP_status *status, const void *alpha,
                                const void *A, const void *B, const void *beta, const void *C, void *D)
{
    (void)plan, (void)exec, (void)status, (void)alpha, (void)A, (void)B, (void)beta, (void)C, (void)D;
    return 0;
}

TAPP_error TAPP_execute_batched_product(TAPP_tensor_product plan, TAPP_executor exec, TAPP_status *status,
                                        int num_batches, const void *alpha, const void **A, const void **B,
                                        const void *beta, const void **C, void **D)
{
    (void)plan, (void)exec, (void)status, (void)num_batches, (void)alpha, (void)A, (void)B, (void)beta, (void)C,
        (void)D;
    return 0;
}
