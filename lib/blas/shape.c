/* A plan of a shape: its operands as descriptors. */
#include "blas/shape.h"

typedef struct matrix {
    int64_t rows, columns, step, count, stride;
    int is_by_rows, is_vector;
} matrix;

static lay_status describe(const matrix *of, lay_desc **out)
{
    const int is_batch = of->count > 0;
    const int64_t extents[] = { of->count, of->rows, of->columns };
    const int64_t strides[] = { of->stride, of->is_by_rows || of->is_vector ? of->step : 1,
                                of->is_by_rows || of->is_vector ? 1 : of->step };
    return lay_desc_strided(is_batch ? 3 : 2, extents + !is_batch, strides + !is_batch, out);
}

static lay_status make_conjugated(const layblas_shape *shape, const lay_desc *a, const lay_desc *b, const lay_desc *c,
                                  const lay_options *options, lay_plan **plan)
{
    const lay_type type = layblas_type(shape);
    lay_product product = LAY_PRODUCT_INIT;
    product.type_a = product.type_b = product.type_c = product.type_d = type;
    product.a = a;
    product.b = b;
    product.c = c;
    product.labels = shape->form & LAYBLAS_BATCH ? "bik,bkj->bij" : "ik,kj->ij";
    product.conjugated = (shape->form & LAYBLAS_CONJUGATED_A ? LAY_CONJUGATED_A : 0) |
                         (shape->form & LAYBLAS_CONJUGATED_B ? LAY_CONJUGATED_B : 0);
    return lay_plan_create_product(&product, options, plan);
}

lay_status layblas_make_plan(const layblas_shape *shape, int is_hasty, lay_plan **plan)
{
    const int64_t form = shape->form;
    const int is_vector = (form & LAYBLAS_VECTORS) != 0;
    const matrix a = { shape->m, shape->k, shape->step_a, shape->count, shape->stride_a, (form & LAYBLAS_A_ALONG) != 0,
                       0 };
    const matrix b = { shape->k, shape->n, shape->step_b, shape->count, shape->stride_b, (form & LAYBLAS_B_ALONG) == 0,
                       is_vector };
    const matrix c = { shape->m,     shape->n,        shape->step_c,
                       shape->count, shape->stride_c, (form & LAYBLAS_C_BY_ROWS) != 0,
                       is_vector };
    lay_desc *desc_a = NULL, *desc_b = NULL, *desc_c = NULL;
    lay_options options = LAY_OPTIONS_INIT;
    lay_status status;
    if (is_hasty)
        options.skip = "image"; /* of complex products five sixths of what a plan costs */
    if ((status = describe(&a, &desc_a)) || (status = describe(&b, &desc_b)) || (status = describe(&c, &desc_c)))
        goto done;
    status = form & (LAYBLAS_CONJUGATED_A | LAYBLAS_CONJUGATED_B)
                 ? make_conjugated(shape, desc_a, desc_b, desc_c, &options, plan)
                 : lay_plan_create(layblas_type(shape), desc_a, desc_b, desc_c, &options, plan);
done:
    lay_desc_destroy(desc_a);
    lay_desc_destroy(desc_b);
    lay_desc_destroy(desc_c);
    return status;
}
