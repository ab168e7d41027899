/* The products of the public API, by way of remembered plans. */
#include "base/status.h"
#include "cache.h"
#include "device/memory.h"
#include "plan/options.h"
#include "threads/workspace.h"
#include "ways.h"

lay_status lay_gemm(lay_type type, const lay_desc *desc_a, const lay_desc *desc_b, const lay_desc *desc_c,
                    const void *alpha, const void *a, const void *b, const void *beta, void *c,
                    const lay_options *options)
{
    lay_options complete;
    const lay_order *named;
    lay_held *held;
    lay_status status;
    if ((status = lay_options_read(options, &lay_all_ways, &complete, &named)) ||
        (status = lay_cache_borrow(type, desc_a, desc_b, desc_c, &complete, &held)))
        return status;
    status = lay_plan_run(lay_held_plan(held), alpha, a, b, beta, c);
    lay_cache_return(held);
    return status;
}

lay_status lay_sgemm(const lay_desc *desc_a, const lay_desc *desc_b, const lay_desc *desc_c, float alpha,
                     const float *a, const float *b, float beta, float *c, const lay_options *options)
{
    return lay_gemm(LAY_F32, desc_a, desc_b, desc_c, &alpha, a, b, &beta, c, options);
}

lay_status lay_dgemm(const lay_desc *desc_a, const lay_desc *desc_b, const lay_desc *desc_c, double alpha,
                     const double *a, const double *b, double beta, double *c, const lay_options *options)
{
    return lay_gemm(LAY_F64, desc_a, desc_b, desc_c, &alpha, a, b, &beta, c, options);
}

lay_status lay_cgemm(const lay_desc *desc_a, const lay_desc *desc_b, const lay_desc *desc_c, const void *alpha,
                     const void *a, const void *b, const void *beta, void *c, const lay_options *options)
{
    return lay_gemm(LAY_C32, desc_a, desc_b, desc_c, alpha, a, b, beta, c, options);
}

lay_status lay_zgemm(const lay_desc *desc_a, const lay_desc *desc_b, const lay_desc *desc_c, const void *alpha,
                     const void *a, const void *b, const void *beta, void *c, const lay_options *options)
{
    return lay_gemm(LAY_C64, desc_a, desc_b, desc_c, alpha, a, b, beta, c, options);
}

void lay_cache_clear(void)
{
    lay_cache_forget();
    lay_workspace_clear();
    lay_device_clear();
}
