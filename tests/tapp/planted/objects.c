/* Handles, executors, statuses, attributes, infos and the texts of errors of the plain library. */
#include <stdlib.h>
#include <string.h>

#include "plain.h"

#define KEYS 4

static const char *const texts[PLAIN_ERRORS] = {
    [PLAIN_OK] = "Nothing is wrong.",
    [PLAIN_NEGATIVE] = "A count of modes or an extent is negative.",
    [PLAIN_TOO_MANY] = "There are more modes than this library takes.",
    [PLAIN_EXTENTS] = "One label has two extents.",
    [PLAIN_LABEL_OF_D] = "D has a label that neither A nor B has.",
    [PLAIN_STRUCTURE] = "C has other modes than D.",
    [PLAIN_ALIASED] = "Several indices of D are one element.",
    [PLAIN_MISSING_C] = "C is NULL, and beta is not 0.",
    [PLAIN_NO_KEY] = "There is no such attribute.",
};

int faulty(const char *name)
{
    const char *planted = getenv("TAPP_FAULT");
    return planted && strcmp(planted, name) == 0;
}

bool TAPP_check_success(TAPP_error error)
{
    return error == PLAIN_OK;
}

size_t TAPP_explain_error(TAPP_error error, size_t maxlen, char *message)
{
    const char *text = error >= 0 && error < PLAIN_ERRORS ? texts[error] : "No code of this library.";
    const size_t length = strlen(text);
    if (maxlen == 0)
        return length;
    const size_t written = length < maxlen - 1 ? length : maxlen - 1;
    memcpy(message, text, written);
    if (!faulty("text without an end") || written == length)
        message[written] = 0;
    return faulty("text counted with its end") ? written + 1 : written;
}

/* A handle is its attributes. */
TAPP_error TAPP_create_handle(TAPP_handle *handle)
{
    if (faulty("no handle written"))
        return PLAIN_OK;
    *handle = (TAPP_handle)calloc(KEYS, sizeof(void *));
    return PLAIN_OK;
}

TAPP_error TAPP_destroy_handle(TAPP_handle handle)
{
    if (!faulty("no handle written"))
        free((void *)handle);
    return PLAIN_OK;
}

TAPP_error TAPP_attr_set(TAPP_attr attr, TAPP_key key, void *value)
{
    if (key < 0 || key >= KEYS)
        return PLAIN_NO_KEY;
    void **kept = (void **)attr + key;
    if (!*kept || !faulty("attribute set once"))
        *kept = value;
    return PLAIN_OK;
}

TAPP_error TAPP_attr_get(TAPP_attr attr, TAPP_key key, void **value)
{
    if (key < 0 || key >= KEYS || !((void **)attr)[key])
        return PLAIN_NO_KEY;
    *value = ((void **)attr)[key];
    return PLAIN_OK;
}

TAPP_error TAPP_attr_clear(TAPP_attr attr, TAPP_key key)
{
    if (key < 0 || key >= KEYS)
        return PLAIN_NO_KEY;
    if (!faulty("attribute not cleared"))
        ((void **)attr)[key] = NULL;
    return PLAIN_OK;
}

TAPP_error TAPP_create_executor(TAPP_executor *exec)
{
    *exec = 1;
    return PLAIN_OK;
}

TAPP_error TAPP_destroy_executor(TAPP_executor exec)
{
    return exec == 1 ? PLAIN_OK : PLAIN_NO_KEY;
}

TAPP_error TAPP_destroy_status(TAPP_status status)
{
    return status == 1 ? PLAIN_OK : PLAIN_NO_KEY;
}

TAPP_error TAPP_create_tensor_info(TAPP_tensor_info *info, TAPP_datatype type, int nmode, const int64_t *extents,
                                   const int64_t *strides)
{
    if (nmode < 0 && !faulty("negative modes"))
        return PLAIN_NEGATIVE;
    plain_info *made = calloc(1, sizeof(*made));
    made->type = type;
    TAPP_error error = TAPP_set_nmodes((TAPP_tensor_info)made, nmode < 0 ? 0 : nmode);
    error = error ? error : TAPP_set_extents((TAPP_tensor_info)made, extents);
    if (!error)
        memcpy(made->strides, strides, sizeof(strides[0]) * (size_t)made->nmode);
    *info = (TAPP_tensor_info)made;
    if (error)
        free(made);
    return error;
}

TAPP_error TAPP_destroy_tensor_info(TAPP_tensor_info info)
{
    free((void *)info);
    return PLAIN_OK;
}

int TAPP_get_nmodes(TAPP_tensor_info info)
{
    return ((const plain_info *)info)->nmode;
}

TAPP_error TAPP_set_nmodes(TAPP_tensor_info info, int nmodes)
{
    if (nmodes < 0 || nmodes > PLAIN_MODES)
        return nmodes < 0 ? PLAIN_NEGATIVE : PLAIN_TOO_MANY;
    ((plain_info *)info)->nmode = nmodes;
    return PLAIN_OK;
}

void TAPP_get_extents(TAPP_tensor_info info, int64_t *extents)
{
    const plain_info *of = (const plain_info *)info;
    memcpy(extents, of->extents, sizeof(extents[0]) * (size_t)of->nmode);
}

TAPP_error TAPP_set_extents(TAPP_tensor_info info, const int64_t *extents)
{
    plain_info *of = (plain_info *)info;
    for (int i = 0; i < of->nmode; i++)
        if (extents[i] < 0 && !faulty("negative extents"))
            return PLAIN_NEGATIVE;
    memcpy(of->extents, extents, sizeof(extents[0]) * (size_t)of->nmode);
    return PLAIN_OK;
}

void TAPP_get_strides(TAPP_tensor_info info, int64_t *strides)
{
    const plain_info *of = (const plain_info *)info;
    memcpy(strides, of->strides, sizeof(strides[0]) * (size_t)of->nmode);
}

TAPP_error TAPP_set_strides(TAPP_tensor_info info, const int64_t *strides)
{
    plain_info *of = (plain_info *)info;
    if (!faulty("strides not set"))
        memcpy(of->strides, strides, sizeof(strides[0]) * (size_t)of->nmode);
    return PLAIN_OK;
}
