/* Making a plan: tensors with each label once, as descriptors; what TAPP forbids and contractions allow is refused. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"

enum { OF_A, OF_B, OF_C, OF_D, TENSORS };

/* A tensor whose labels are all different: diagonals have become one mode with the sum of the strides. */
typedef struct operand {
    const tapp_info *info;
    const int64_t *idx;
    TAPP_element_op op;
    int count;
    int64_t *labels, *extents, *strides; /* count each, in one block */
    lay_desc *desc;                      /* NULL: a scalar */
} operand;

static int place_of(const operand *in, int64_t label)
{
    for (int i = 0; i < in->count; i++)
        if (in->labels[i] == label)
            return i;
    return -1;
}

static TAPP_error take_operand(operand *of)
{
    const int nmode = of->info->nmode;
    if (nmode > 0 && !of->idx)
        return tapp_refuse(TAPP_CODE_ARGUMENT);
    const size_t room = nmode > 0 ? (size_t)nmode : 1;
    of->labels = calloc(3 * room, sizeof(*of->labels));
    if (!of->labels)
        return tapp_refuse(TAPP_CODE_MEMORY);
    of->extents = of->labels + room;
    of->strides = of->extents + room;
    for (int i = 0; i < nmode; i++) {
        int place = place_of(of, of->idx[i]);
        if (place < 0) {
            place = of->count++;
            of->labels[place] = of->idx[i];
            of->extents[place] = of->info->extents[i];
        }
        if (of->extents[place] != of->info->extents[i])
            return tapp_refuse(TAPP_CODE_EXTENTS);
        if (__builtin_add_overflow(of->strides[place], of->info->strides[i], &of->strides[place]))
            return tapp_refuse(TAPP_CODE_OVERFLOW);
    }
    return TAPP_CODE_SUCCESS;
}

static TAPP_error describe(operand *of)
{
    return of->count == 0 ? TAPP_CODE_SUCCESS
                          : tapp_error_of(lay_desc_strided(of->count, of->extents, of->strides, &of->desc));
}

static TAPP_error check_labels(const operand of[TENSORS])
{
    const tapp_info *c = of[OF_C].info, *d = of[OF_D].info;
    if (c->nmode != d->nmode || (c->nmode && memcmp(of[OF_C].idx, of[OF_D].idx, sizeof(int64_t) * (size_t)c->nmode)))
        return TAPP_CODE_C_UNLIKE_D;
    for (int i = 0; i < of[OF_D].count; i++)
        if (place_of(&of[OF_A], of[OF_D].labels[i]) < 0 && place_of(&of[OF_B], of[OF_D].labels[i]) < 0)
            return TAPP_CODE_LABEL_OF_D;
    return TAPP_CODE_SUCCESS;
}

/* Whether there is such a precision, and what sums are to be computed in: more than was asked for is right, too. */
static int find_precision(TAPP_prectype prec, lay_sum_precision *out)
{
    *out = prec == TAPP_F64F64_ACCUM_F64 ? LAY_SUM_F64 : LAY_SUM_BY_TYPES;
    return prec == TAPP_DEFAULT_PREC || prec == TAPP_F32F32_ACCUM_F32 || prec == TAPP_F64F64_ACCUM_F64 ||
           prec == TAPP_F16F16_ACCUM_F16 || prec == TAPP_F16F16_ACCUM_F32 || prec == TAPP_BF16BF16_ACCUM_F32;
}

static int type_of(TAPP_datatype type, lay_type *out)
{
    static const struct {
        int is_known;
        lay_type type;
    } types[] = {
        [TAPP_F32] = { 1, LAY_F32 }, [TAPP_F64] = { 1, LAY_F64 }, [TAPP_C32] = { 1, LAY_C32 },
        [TAPP_C64] = { 1, LAY_C64 }, [TAPP_F16] = { 1, LAY_F16 }, [TAPP_BF16] = { 1, LAY_BF16 },
    };
    *out = types[type].type;
    return types[type].is_known;
}

static TAPP_error make_plan(const operand of[TENSORS], TAPP_prectype prec, tapp_product *made)
{
    lay_product product = LAY_PRODUCT_INIT;
    lay_type *const types[TENSORS] = { &product.type_a, &product.type_b, &product.type_c, &product.type_d };
    if (!find_precision(prec, &product.sum_precision))
        return TAPP_CODE_PRECISION;
    made->is_double = product.sum_precision == LAY_SUM_F64;
    for (int i = 0; i < TENSORS; i++) {
        if (!type_of(of[i].info->type, types[i]))
            return tapp_refuse(TAPP_CODE_TYPE);
        made->is_double |= *types[i] == LAY_F64 || *types[i] == LAY_C64;
    }
    product.a = of[OF_A].desc;
    product.b = of[OF_B].desc;
    product.c = of[OF_C].desc;
    product.d = of[OF_D].desc;
    product.has_d = 1; /* also where it is a scalar */
    product.labels_a = of[OF_A].labels;
    product.labels_b = of[OF_B].labels;
    product.labels_c = of[OF_C].labels;
    /* conj(alpha op(A) op(B) + beta op(C)): each factor by itself */
    made->is_conjugated = of[OF_D].op == TAPP_CONJUGATE;
    for (int i = 0; i < OF_D; i++)
        if ((of[i].op == TAPP_CONJUGATE) != made->is_conjugated)
            product.conjugated |= 1u << i;
    made->type_d = of[OF_D].info->type;
    return tapp_error_of(lay_plan_create_product(&product, NULL, &made->plan));
}

TAPP_error TAPP_create_tensor_product(TAPP_tensor_product *plan, TAPP_handle handle, TAPP_element_op op_A,
                                      TAPP_tensor_info A, const int64_t *idx_A, TAPP_element_op op_B,
                                      TAPP_tensor_info B, const int64_t *idx_B, TAPP_element_op op_C,
                                      TAPP_tensor_info C, const int64_t *idx_C, TAPP_element_op op_D,
                                      TAPP_tensor_info D, const int64_t *idx_D, TAPP_prectype prec)
{
    operand of[TENSORS] = {
        { .info = tapp_object_of(A, TAPP_IS_INFO), .idx = idx_A, .op = op_A },
        { .info = tapp_object_of(B, TAPP_IS_INFO), .idx = idx_B, .op = op_B },
        { .info = tapp_object_of(C, TAPP_IS_INFO), .idx = idx_C, .op = op_C },
        { .info = tapp_object_of(D, TAPP_IS_INFO), .idx = idx_D, .op = op_D },
    };
    if (!plan)
        return tapp_refuse(TAPP_CODE_ARGUMENT);
    if (!tapp_object_of(handle, TAPP_IS_HANDLE))
        return TAPP_CODE_OBJECT;
    for (int i = 0; i < TENSORS; i++) {
        if (!of[i].info)
            return TAPP_CODE_OBJECT;
        if (of[i].op != TAPP_IDENTITY && of[i].op != TAPP_CONJUGATE)
            return tapp_refuse(TAPP_CODE_ARGUMENT);
    }
    TAPP_error error = TAPP_CODE_SUCCESS;
    for (int i = 0; !error && i < TENSORS; i++)
        error = take_operand(&of[i]);
    if (!error)
        error = check_labels(of);
    for (int i = 0; !error && i < TENSORS; i++)
        error = describe(&of[i]);
    tapp_product *made = error ? NULL : calloc(1, sizeof(*made));
    if (!error && !made)
        error = tapp_refuse(TAPP_CODE_MEMORY);
    if (!error)
        error = make_plan(of, prec, made);
    for (int i = 0; i < TENSORS; i++) {
        lay_desc_destroy(of[i].desc);
        free(of[i].labels);
    }
    if (error) {
        free(made);
        return error;
    }
    made->object.kind = TAPP_IS_PRODUCT;
    *plan = (TAPP_tensor_product)made;
    return TAPP_CODE_SUCCESS;
}

TAPP_error TAPP_destroy_tensor_product(TAPP_tensor_product plan)
{
    tapp_product *of = tapp_object_of(plan, TAPP_IS_PRODUCT);
    if (!of)
        return TAPP_CODE_OBJECT;
    of->object.kind = 0;
    lay_plan_destroy(of->plan);
    free(of);
    return TAPP_CODE_SUCCESS;
}
