/* Handles, executors, statuses and attributes. There is one way to run products, so the first two hold nothing; a
 * status has nothing to tell, for a run has ended when it returns; and no attribute is defined. */
#include <stdlib.h>

#include "objects.h"

/* Whether an object may lie there: 0, small numbers and odd ones are a program's own. */
static int may_be_object(intptr_t number)
{
    enum { FIRST_PAGE = 4096 };
    return (uintptr_t)number >= FIRST_PAGE && (uintptr_t)number % _Alignof(tapp_object) == 0;
}

void *tapp_object_of(intptr_t number, tapp_kind kind)
{
    tapp_object *object = may_be_object(number) ? (tapp_object *)number : NULL;
    return object && object->kind == kind ? object : NULL;
}

static TAPP_error create(intptr_t *out, tapp_kind kind)
{
    if (!out)
        return tapp_refuse(TAPP_CODE_ARGUMENT);
    tapp_object *made = malloc(sizeof(*made));
    if (!made)
        return tapp_refuse(TAPP_CODE_MEMORY);
    made->kind = kind;
    *out = (intptr_t)made;
    return TAPP_CODE_SUCCESS;
}

static TAPP_error destroy(intptr_t number, tapp_kind kind)
{
    tapp_object *object = tapp_object_of(number, kind);
    if (!object)
        return TAPP_CODE_OBJECT;
    object->kind = 0;
    free(object);
    return TAPP_CODE_SUCCESS;
}

TAPP_error TAPP_create_handle(TAPP_handle *handle)
{
    return create(handle, TAPP_IS_HANDLE);
}

TAPP_error TAPP_destroy_handle(TAPP_handle handle)
{
    return destroy(handle, TAPP_IS_HANDLE);
}

TAPP_error TAPP_create_executor(TAPP_executor *exec)
{
    return create(exec, TAPP_IS_EXECUTOR);
}

TAPP_error TAPP_destroy_executor(TAPP_executor exec)
{
    return destroy(exec, TAPP_IS_EXECUTOR);
}

TAPP_error TAPP_destroy_status(TAPP_status status)
{
    return status == 0 ? TAPP_CODE_SUCCESS : TAPP_CODE_OBJECT;
}

TAPP_error TAPP_attr_set(TAPP_attr attr, TAPP_key key, void *value)
{
    (void)attr, (void)key, (void)value;
    return TAPP_CODE_KEY;
}

TAPP_error TAPP_attr_get(TAPP_attr attr, TAPP_key key, void **value)
{
    (void)attr, (void)key, (void)value;
    return TAPP_CODE_KEY;
}

TAPP_error TAPP_attr_clear(TAPP_attr attr, TAPP_key key)
{
    (void)attr, (void)key;
    return TAPP_CODE_KEY;
}
