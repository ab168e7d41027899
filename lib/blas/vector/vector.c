/* A complex gemv without a plan, with the bits that it has with one. */
#include <stddef.h>

#include "blas/product.h"
#include "blas/solve/solve.h"
#include "blas/vector/vector.h"

/* Elements up to which it is sooner than a plan that is at hand: bench/LOG.md, section 122. */
enum { MOST_ALONG = 1 << 16, MOST_ACROSS = 1 << 20 };

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

/* Blocks of k of the real product, whose steps are twice as many, and their length in complex steps. */
static int64_t count_blocks(int64_t k)
{
    return (k + LAYBLAS_VECTOR_STEPS - 1) / LAYBLAS_VECTOR_STEPS;
}

static int64_t block_of(int64_t k)
{
    enum { UNIT = 4 };
    const int64_t blocks = count_blocks(k), length = (2 * k + blocks - 1) / blocks;
    return (length + 2 * UNIT - 1) / (2 * UNIT) * UNIT;
}

static int is_real(int64_t form, const void *number)
{
    return (form & LAYBLAS_DOUBLE ? ((const double *)number)[1] : (double)((const float *)number)[1]) == 0;
}

/* One row is another order of the sum; few rows of many steps are summed up in slices. */
static int is_for(const layblas_shape *of, const void *alpha, const void *beta)
{
    enum { SLICED_ROWS = 64, SLICED_BLOCKS = 8 };
    return (of->form & LAYBLAS_COMPLEX) && of->m > 1 && of->k > 0 && is_real(of->form, beta) &&
           of->m <= (of->form & LAYBLAS_A_ALONG ? MOST_ALONG : MOST_ACROSS) / of->k &&
           (of->m > SLICED_ROWS || count_blocks(of->k) < SLICED_BLOCKS) && !layblas_is(of->form, alpha, 0);
}

int layblas_try_vector(const layblas_shape *shape, const void *alpha, const void *a, const void *x, const void *beta,
                       void *y)
{
    layblas_vector_fn *const run = is_for(shape, alpha, beta) ? find(shape->form) : NULL;
    const int64_t size = layblas_size(shape->form), block = block_of(shape->k);
    const int is_along = (shape->form & LAYBLAS_A_ALONG) != 0;
    for (int64_t p = 0; p < shape->k && run; p += block)
        run(&(const layblas_vector){ .rows = shape->m,
                                     .steps = shape->k - p < block ? shape->k - p : block,
                                     .alpha = alpha,
                                     .a = (const char *)a + p * (is_along ? 1 : shape->step_a) * size,
                                     .x = (const char *)x + p * shape->step_b * size,
                                     .beta = p == 0 ? beta : layblas_unit(shape->form, 0),
                                     .y = y,
                                     .a_step = shape->step_a,
                                     .x_step = shape->step_b,
                                     .y_step = shape->step_c,
                                     .is_along = is_along,
                                     .is_conjugated = (shape->form & LAYBLAS_CONJUGATED_A) != 0 });
    return run != NULL;
}
