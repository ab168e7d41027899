/* Infos: the type, extents and strides of a tensor. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"

static tapp_info *info_of(TAPP_tensor_info number)
{
    return tapp_object_of(number, TAPP_IS_INFO);
}

static int has_negative(int count, const int64_t numbers[])
{
    for (int i = 0; i < count; i++)
        if (numbers[i] < 0)
            return 1;
    return 0;
}

/* Keeps what there is of the first modes; further ones have extent 1 and stride 0. */
static TAPP_error resize(tapp_info *info, int nmode)
{
    if (nmode < 0)
        return TAPP_CODE_MODES;
    int64_t *numbers = calloc(nmode ? 2 * (size_t)nmode : 1, sizeof(*numbers));
    if (!numbers)
        return tapp_refuse(TAPP_CODE_MEMORY);
    for (int i = 0; i < nmode; i++) {
        numbers[i] = i < info->nmode ? info->extents[i] : 1;
        numbers[nmode + i] = i < info->nmode ? info->strides[i] : 0;
    }
    free(info->extents);
    info->extents = numbers;
    info->strides = numbers + nmode;
    info->nmode = nmode;
    return TAPP_CODE_SUCCESS;
}

TAPP_error TAPP_create_tensor_info(TAPP_tensor_info *info, TAPP_datatype type, int nmode, const int64_t *extents,
                                   const int64_t *strides)
{
    if (!info || (nmode > 0 && (!extents || !strides)))
        return tapp_refuse(TAPP_CODE_ARGUMENT);
    if (type < TAPP_F32 || type > TAPP_BF16)
        return tapp_refuse(TAPP_CODE_TYPE);
    if (has_negative(nmode, extents))
        return tapp_refuse(TAPP_CODE_NEGATIVE);
    tapp_info *made = calloc(1, sizeof(*made));
    if (!made)
        return tapp_refuse(TAPP_CODE_MEMORY);
    *made = (tapp_info){ .object = { TAPP_IS_INFO }, .type = type };
    const TAPP_error error = resize(made, nmode);
    if (error) {
        free(made);
        return error;
    }
    if (nmode > 0) { /* else they may be NULL */
        memcpy(made->extents, extents, sizeof(*extents) * (size_t)nmode);
        memcpy(made->strides, strides, sizeof(*strides) * (size_t)nmode);
    }
    *info = (TAPP_tensor_info)made;
    return TAPP_CODE_SUCCESS;
}

TAPP_error TAPP_destroy_tensor_info(TAPP_tensor_info info)
{
    tapp_info *of = info_of(info);
    if (!of)
        return TAPP_CODE_OBJECT;
    of->object.kind = 0;
    free(of->extents);
    free(of);
    return TAPP_CODE_SUCCESS;
}

int TAPP_get_nmodes(TAPP_tensor_info info)
{
    const tapp_info *of = info_of(info);
    return of ? of->nmode : 0;
}

TAPP_error TAPP_set_nmodes(TAPP_tensor_info info, int nmodes)
{
    tapp_info *of = info_of(info);
    return of ? resize(of, nmodes) : TAPP_CODE_OBJECT;
}

void TAPP_get_extents(TAPP_tensor_info info, int64_t *extents)
{
    const tapp_info *of = info_of(info);
    if (of && extents && of->nmode > 0)
        memcpy(extents, of->extents, sizeof(*extents) * (size_t)of->nmode);
}

TAPP_error TAPP_set_extents(TAPP_tensor_info info, const int64_t *extents)
{
    tapp_info *of = info_of(info);
    if (!of || (of->nmode > 0 && !extents))
        return tapp_refuse(of ? TAPP_CODE_ARGUMENT : TAPP_CODE_OBJECT);
    if (has_negative(of->nmode, extents))
        return tapp_refuse(TAPP_CODE_NEGATIVE);
    if (of->nmode > 0)
        memcpy(of->extents, extents, sizeof(*extents) * (size_t)of->nmode);
    return TAPP_CODE_SUCCESS;
}

void TAPP_get_strides(TAPP_tensor_info info, int64_t *strides)
{
    const tapp_info *of = info_of(info);
    if (of && strides && of->nmode > 0)
        memcpy(strides, of->strides, sizeof(*strides) * (size_t)of->nmode);
}

TAPP_error TAPP_set_strides(TAPP_tensor_info info, const int64_t *strides)
{
    tapp_info *of = info_of(info);
    if (!of || (of->nmode > 0 && !strides))
        return tapp_refuse(of ? TAPP_CODE_ARGUMENT : TAPP_CODE_OBJECT);
    if (of->nmode > 0)
        memcpy(of->strides, strides, sizeof(*strides) * (size_t)of->nmode);
    return TAPP_CODE_SUCCESS;
}
