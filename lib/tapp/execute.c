/* Running a plan, once or as a batch. */
#include <math.h>
#include <string.h>

#include "objects.h"

/* A scalar as the plan's runs take it: of D's type, widened to what sums are computed in. */
typedef union scalar {
    float single[2];
    double twice[2];
} scalar;

static float half_as_float(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                       : exponent     ? ldexpf((float)(1024 + fraction), exponent - 25)
                                      : ldexpf((float)fraction, -24);
    return bits & 0x8000 ? -size : size;
}

static scalar scalar_of(const tapp_product *product, const void *given)
{
    double twice[2] = { 0, 0 };
    float single[2] = { 0, 0 };
    uint16_t narrow;
    uint32_t widened;
    switch (product->type_d) {
    case TAPP_F16:
        memcpy(&narrow, given, sizeof(narrow));
        single[0] = half_as_float(narrow);
        break;
    case TAPP_BF16:
        memcpy(&narrow, given, sizeof(narrow));
        widened = (uint32_t)narrow << 16;
        memcpy(single, &widened, sizeof(widened));
        break;
    case TAPP_F32:
        memcpy(single, given, sizeof(single[0]));
        break;
    case TAPP_C32:
        memcpy(single, given, sizeof(single));
        break;
    case TAPP_F64:
        memcpy(twice, given, sizeof(twice[0]));
        break;
    default:
        memcpy(twice, given, sizeof(twice));
    }
    const int is_wide = product->type_d == TAPP_F64 || product->type_d == TAPP_C64;
    scalar of = { { 0, 0 } };
    for (int i = 0; i < 2; i++) {
        const double part = (i == 1 && product->is_conjugated ? -1.0 : 1.0) * (is_wide ? twice[i] : (double)single[i]);
        if (product->is_double)
            of.twice[i] = part;
        else
            of.single[i] = (float)part;
    }
    return of;
}

static int is_zero(const tapp_product *product, const scalar *of)
{
    return product->is_double ? of->twice[0] == 0 && of->twice[1] == 0 : of->single[0] == 0 && of->single[1] == 0;
}

TAPP_error TAPP_execute_product(TAPP_tensor_product plan, TAPP_executor exec, TAPP_status *status, const void *alpha,
                                const void *A, const void *B, const void *beta, const void *C, void *D)
{
    const void *a[] = { A }, *b[] = { B }, *c[] = { C };
    void *d[] = { D };
    return TAPP_execute_batched_product(plan, exec, status, 1, alpha, a, b, beta, c, d);
}

TAPP_error TAPP_execute_batched_product(TAPP_tensor_product plan, TAPP_executor exec, TAPP_status *status,
                                        int num_batches, const void *alpha, const void **A, const void **B,
                                        const void *beta, const void **C, void **D)
{
    const tapp_product *product = tapp_object_of(plan, TAPP_IS_PRODUCT);
    if (!product || !tapp_object_of(exec, TAPP_IS_EXECUTOR))
        return TAPP_CODE_OBJECT;
    if (!alpha || !beta || num_batches < 0)
        return tapp_refuse(TAPP_CODE_ARGUMENT);
    const scalar scale = scalar_of(product, alpha), keep = scalar_of(product, beta);
    for (int i = 0; !is_zero(product, &keep) && i < num_batches; i++)
        if (!C || !C[i])
            return TAPP_CODE_MISSING_C;
    /* C is not written: the plan has a D */
    const lay_status ran = lay_plan_run_many(product->plan, num_batches, &scale, (const void *const *)A,
                                             (const void *const *)B, &keep, (void *const *)C, D);
    if (ran == LAY_OK && status)
        *status = 0;
    return tapp_error_of(ran);
}
