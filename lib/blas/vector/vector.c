/* A complex gemv without a plan, with the bits that it has with one. */
#include <stddef.h>

#include "blas/product.h"
#include "blas/solve/solve.h"
#include "blas/vector/vector.h"

/* Elements up to which it is sooner than a plan that is at hand: bench/LOG.md, section 122. */
enum { MOST_ALONG = 1 << 16, MOST_ACROSS = 1 << 18 };

static layblas_vector_fn *find(int64_t form)
{
#ifdef LAYBLAS_HAS_AVX2
    if (layblas_find_solve(1)) /* so the CPU and LAY_ISA allow */
        return form & LAYBLAS_DOUBLE ? layblas_vector_c64_avx2 : layblas_vector_c32_avx2;
#else
    (void)form;
#endif
    return NULL;
}

/* One row is another order of the sum. */
static int is_for(const layblas_shape *of, const void *alpha, const void *beta)
{
    const int is_double = (of->form & LAYBLAS_DOUBLE) != 0;
    const double imaginary = is_double ? ((const double *)beta)[1] : (double)((const float *)beta)[1];
    return (of->form & LAYBLAS_COMPLEX) && of->m > 1 && of->k > 0 && of->k <= LAYBLAS_VECTOR_STEPS && imaginary == 0 &&
           of->m * of->k <= (of->form & LAYBLAS_A_ALONG ? MOST_ALONG : MOST_ACROSS) && !layblas_is(of->form, alpha, 0);
}

int layblas_try_vector(const layblas_shape *shape, const void *alpha, const void *a, const void *x, const void *beta,
                       void *y)
{
    layblas_vector_fn *const run = is_for(shape, alpha, beta) ? find(shape->form) : NULL;
    if (run)
        run(&(const layblas_vector){ .rows = shape->m,
                                     .steps = shape->k,
                                     .alpha = alpha,
                                     .a = a,
                                     .x = x,
                                     .beta = beta,
                                     .y = y,
                                     .a_step = shape->step_a,
                                     .x_step = shape->step_b,
                                     .y_step = shape->step_c,
                                     .is_along = (shape->form & LAYBLAS_A_ALONG) != 0,
                                     .is_conjugated = (shape->form & LAYBLAS_CONJUGATED_A) != 0 });
    return run != NULL;
}
