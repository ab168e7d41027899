/* Opening a TAPP library. */
#include "library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct call {
    const char *name;
    size_t place; /* of its pointer in tapp_library */
    int is_optional;
} call;

/* What the reference implementation has none of is optional. */
static const call calls[] = {
    { "TAPP_check_success", offsetof(tapp_library, check_success), 0 },
    { "TAPP_explain_error", offsetof(tapp_library, explain_error), 0 },
    { "TAPP_create_handle", offsetof(tapp_library, create_handle), 0 },
    { "TAPP_destroy_handle", offsetof(tapp_library, destroy_handle), 0 },
    { "TAPP_create_executor", offsetof(tapp_library, create_executor), 0 },
    { "TAPP_destroy_executor", offsetof(tapp_library, destroy_executor), 0 },
    { "TAPP_create_tensor_info", offsetof(tapp_library, create_tensor_info), 0 },
    { "TAPP_destroy_tensor_info", offsetof(tapp_library, destroy_tensor_info), 0 },
    { "TAPP_get_nmodes", offsetof(tapp_library, get_nmodes), 0 },
    { "TAPP_set_nmodes", offsetof(tapp_library, set_nmodes), 0 },
    { "TAPP_get_extents", offsetof(tapp_library, get_extents), 0 },
    { "TAPP_set_extents", offsetof(tapp_library, set_extents), 0 },
    { "TAPP_get_strides", offsetof(tapp_library, get_strides), 0 },
    { "TAPP_set_strides", offsetof(tapp_library, set_strides), 0 },
    { "TAPP_create_tensor_product", offsetof(tapp_library, create_tensor_product), 0 },
    { "TAPP_destroy_tensor_product", offsetof(tapp_library, destroy_tensor_product), 0 },
    { "TAPP_execute_product", offsetof(tapp_library, execute_product), 0 },
    { "TAPP_execute_batched_product", offsetof(tapp_library, execute_batched_product), 1 },
    { "TAPP_destroy_status", offsetof(tapp_library, destroy_status), 1 },
    { "TAPP_attr_set", offsetof(tapp_library, attr_set), 1 },
    { "TAPP_attr_get", offsetof(tapp_library, attr_get), 1 },
    { "TAPP_attr_clear", offsetof(tapp_library, attr_clear), 1 },
};

const char *open_library(tapp_library *library, const char *path)
{
    static char reason[256];
    void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!opened)
        return dlerror();
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls)[0]; i++) {
        void *found = dlsym(opened, calls[i].name);
        if (!found && !calls[i].is_optional) {
            snprintf(reason, sizeof(reason), "%s has no %s", path, calls[i].name);
            return reason;
        }
        memcpy((char *)library + calls[i].place, &found, sizeof(found));
    }
    return NULL;
}
