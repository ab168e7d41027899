/* The interface in plain types and numbers, beside its header: a compiler that takes both has found them the same. */
#include "tapp.h"

#ifdef __cplusplus
#define SAME(what) static_assert(what, "")
extern "C" {
#else
#define SAME(what) _Static_assert(what, "")
#endif

bool TAPP_check_success(int);
size_t TAPP_explain_error(int, size_t, char *);
int TAPP_attr_set(intptr_t, int, void *);
int TAPP_attr_get(intptr_t, int, void **);
int TAPP_attr_clear(intptr_t, int);
int TAPP_create_executor(intptr_t *);
int TAPP_destroy_executor(intptr_t);
int TAPP_create_handle(intptr_t *);
int TAPP_destroy_handle(intptr_t);
int TAPP_destroy_status(intptr_t);
int TAPP_create_tensor_info(intptr_t *, int, int, const int64_t *, const int64_t *);
int TAPP_destroy_tensor_info(intptr_t);
int TAPP_get_nmodes(intptr_t);
int TAPP_set_nmodes(intptr_t, int);
void TAPP_get_extents(intptr_t, int64_t *);
int TAPP_set_extents(intptr_t, const int64_t *);
void TAPP_get_strides(intptr_t, int64_t *);
int TAPP_set_strides(intptr_t, const int64_t *);
int TAPP_create_tensor_product(intptr_t *, intptr_t, int, intptr_t, const int64_t *, int, intptr_t, const int64_t *,
                               int, intptr_t, const int64_t *, int, intptr_t, const int64_t *, int);
int TAPP_destroy_tensor_product(intptr_t);
int TAPP_execute_product(intptr_t, intptr_t, intptr_t *, const void *, const void *, const void *, const void *,
                         const void *, void *);
int TAPP_execute_batched_product(intptr_t, intptr_t, intptr_t *, int, const void *, const void **, const void **,
                                 const void *, const void **, void **);

SAME(TAPP_F32 == 0 && TAPP_F64 == 1 && TAPP_C32 == 2 && TAPP_C64 == 3 && TAPP_F16 == 4 && TAPP_BF16 == 5);
SAME(TAPP_FLOAT == 0 && TAPP_DOUBLE == 1 && TAPP_SCOMPLEX == 2 && TAPP_DCOMPLEX == 3);
SAME(TAPP_DEFAULT_PREC == -1 && TAPP_F32F32_ACCUM_F32 == 0 && TAPP_F64F64_ACCUM_F64 == 1);
SAME(TAPP_F16F16_ACCUM_F16 == 4 && TAPP_F16F16_ACCUM_F32 == 5 && TAPP_BF16BF16_ACCUM_F32 == 6);
SAME(TAPP_IDENTITY == 0 && TAPP_CONJUGATE == 1);

#ifdef __cplusplus
}
#endif
