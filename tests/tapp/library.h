/* A TAPP library under test: opened by its path, its calls by their names. */
#ifndef LAY_TESTS_TAPP_LIBRARY_H
#define LAY_TESTS_TAPP_LIBRARY_H

#include "tapp.h"

typedef struct tapp_library {
    __typeof__(TAPP_check_success) *check_success;
    __typeof__(TAPP_explain_error) *explain_error;
    __typeof__(TAPP_create_handle) *create_handle;
    __typeof__(TAPP_destroy_handle) *destroy_handle;
    __typeof__(TAPP_create_executor) *create_executor;
    __typeof__(TAPP_destroy_executor) *destroy_executor;
    __typeof__(TAPP_create_tensor_info) *create_tensor_info;
    __typeof__(TAPP_destroy_tensor_info) *destroy_tensor_info;
    __typeof__(TAPP_get_nmodes) *get_nmodes;
    __typeof__(TAPP_set_nmodes) *set_nmodes;
    __typeof__(TAPP_get_extents) *get_extents;
    __typeof__(TAPP_set_extents) *set_extents;
    __typeof__(TAPP_get_strides) *get_strides;
    __typeof__(TAPP_set_strides) *set_strides;
    __typeof__(TAPP_create_tensor_product) *create_tensor_product;
    __typeof__(TAPP_destroy_tensor_product) *destroy_tensor_product;
    __typeof__(TAPP_execute_product) *execute_product;

    /* NULL where the library has no such call: the groups that need it count as refused. */
    __typeof__(TAPP_execute_batched_product) *execute_batched_product;
    __typeof__(TAPP_destroy_status) *destroy_status;
    __typeof__(TAPP_attr_set) *attr_set;
    __typeof__(TAPP_attr_get) *attr_get;
    __typeof__(TAPP_attr_clear) *attr_clear;
} tapp_library;

/* NULL, or why the library at path cannot be tested. */
const char *open_library(tapp_library *library, const char *path);

#endif
