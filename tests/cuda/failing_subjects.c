/* What is asked for while CUDA fails, and what has to have become of it. */
#include "failing_subjects.h"

#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "elsewhere.h"

static cudaStream_t stream;
static remote products[3]; /* in tiles, and k in slices: tables, workspace. Of floats, and complex */
static remote *product;    /* the one that the subject has which was taken */
static operand source, target;
static elsewhere source_there, target_there;
static lay_plan *plan; /* where a subject has one */

static lay_status multiply(void)
{
    return remote_call(product);
}

static lay_status multiply_planned(void)
{
    lay_status status = remote_plan(product, &plan);
    if (status == LAY_OK)
        status = remote_run(product, plan);
    lay_plan_destroy(plan);
    plan = NULL;
    return status;
}

static lay_status reserve_and_multiply(void)
{
    lay_status status = remote_plan(product, &plan);
    if (status == LAY_OK && (status = lay_plan_reserve(plan)) == LAY_OK)
        status = remote_run(product, plan);
    lay_plan_destroy(plan);
    plan = NULL;
    return status;
}

static lay_status multiply_in_threads_stream(void)
{
    product->t.options.stream = cudaStreamPerThread;
    const lay_status status = remote_call(product);
    product->t.options.stream = stream;
    return status;
}

/* The same C with alpha = 0, and a beta that changes it: else nothing is called. */
static trial leave_out_product(void)
{
    const trial before = product->t;
    product->t.alpha = product->t.alpha_i = 0;
    product->t.beta = 3;
    return before;
}

static lay_status pack_and_multiply(void)
{
    const trial *t = &product->t;
    const trial_scalar alpha = trial_scalar_of_parts(t->type, t->alpha, t->alpha_i);
    const trial_scalar beta = trial_scalar_of_parts(t->type, t->beta, t->beta_i);
    lay_packed *a = NULL, *b = NULL;
    lay_status status = remote_plan(product, &plan);
    if (status == LAY_OK)
        status = lay_pack(plan, LAY_OPERAND_A, product->a.zero, &a);
    if (status == LAY_OK)
        status = lay_pack(plan, LAY_OPERAND_B, product->b.zero, &b);
    if (status == LAY_OK)
        status = lay_plan_run_packed(plan, &alpha, NULL, a, NULL, b, &beta, product->c.zero);
    lay_packed_destroy(a);
    lay_packed_destroy(b);
    lay_plan_destroy(plan);
    plan = NULL;
    return status;
}

static lay_status scale(void)
{
    const trial before = leave_out_product();
    const lay_status status = remote_call(product);
    product->t = before;
    return status;
}

/* Of f32, summed in f64: its operands get images. */
static lay_status multiply_widened(int is_reserved)
{
    const trial *t = &product->t;
    const double alpha = t->alpha, beta = t->beta;
    lay_product of = LAY_PRODUCT_INIT;
    of.type_a = of.type_b = of.type_c = t->type;
    of.a = t->in_a.desc;
    of.b = t->in_b.desc;
    of.c = t->out.desc;
    of.labels = "ik,kj->ij";
    of.sum_precision = LAY_SUM_F64;
    lay_status status = lay_plan_create_product(&of, &t->options, &plan);
    if (status == LAY_OK && is_reserved)
        status = lay_plan_reserve(plan);
    if (status == LAY_OK)
        status = lay_plan_run(plan, &alpha, product->a.zero, product->b.zero, &beta, product->c.zero);
    lay_plan_destroy(plan);
    plan = NULL;
    return status;
}

static lay_status multiply_mixed(void)
{
    return multiply_widened(0);
}

static lay_status reserve_and_multiply_mixed(void)
{
    return multiply_widened(1);
}

static int is_product_right(char *why, size_t size)
{
    return remote_is_right(product, why, size);
}

static int is_scaled_right(char *why, size_t size)
{
    const trial before = leave_out_product();
    const int is_right = remote_is_right(product, why, size);
    product->t = before;
    return is_right;
}

static int is_product_kept(void)
{
    elsewhere_read(&product->c);
    return operand_is_untouched(&product->t.out);
}

/* Where C is scaled before the product, a later launch may fail: then the sentence says so. */
static int is_product_kept_or_said(void)
{
    return is_product_kept() || strstr(lay_last_error(), "a part of C has been written");
}

static void restore_product(void)
{
    remote_restore(product);
}

static lay_status copy_between(const operand *from, void *from_zero, const operand *to, void *to_zero)
{
    lay_options options = LAY_OPTIONS_INIT;
    options.stream = stream;
    return lay_copy(from->type, from->desc, from_zero, to->desc, to_zero, &options);
}

static lay_status copy_there(void)
{
    return copy_between(&source, source_there.zero, &target, target_there.zero);
}

/* The source, negated twice. */
static lay_status blend_there(void)
{
    lay_options options = LAY_OPTIONS_INIT;
    const float minus = -1, none = 0;
    options.stream = stream;
    const lay_status status = lay_axpby(source.type, source.desc, &minus, source_there.zero, target.type, target.desc,
                                        &none, target_there.zero, 0, &options);
    return status ? status
                  : lay_axpby(target.type, target.desc, &none, NULL, target.type, target.desc, &minus,
                              target_there.zero, 0, &options);
}

/* To the device and back, between two layouts. */
static lay_status copy_across(void)
{
    const lay_status status = copy_between(&source, source.zero, &source, source_there.zero);
    return status ? status : copy_between(&source, source_there.zero, &target, target.zero);
}

static int is_the_same(char *why, size_t size)
{
    static float wanted[300 * 200], got[300 * 200];
    operand_bytes(&source, wanted);
    operand_bytes(&target, got);
    if (memcmp(wanted, got, sizeof got) == 0 && operand_gaps_are_kept(&target))
        return 1;
    snprintf(why, size, "the copy differs, or something outside of it was written");
    return 0;
}

static int is_copy_right(char *why, size_t size)
{
    elsewhere_read(&target_there);
    return is_the_same(why, size);
}

static int is_target_kept(void)
{
    elsewhere_read(&target_there);
    return operand_is_untouched(&target);
}

static void restore_target(void)
{
    memset(target.memory, 0x5a, target.bytes);
    memcpy(target.before, target.memory, target.bytes);
    elsewhere_write(&target_there);
}

/* Boxes go one by one: where the first may have been written the sentence says so. */
static int is_target_kept_or_said(void)
{
    return operand_is_untouched(&target) || strstr(lay_last_error(), "a part of the destination has been written");
}

static int is_anything(void)
{
    return 1;
}

static lay_status allocate(void)
{
    void *there = &there, *pinned = &there;
    void *const before = there;
    lay_status status = lay_alloc(LAY_F32, source.desc, LAY_MEMORY_DEVICE, &there);
    if (status != LAY_OK) {
        assert_ptr_equal(there, before);
        return status;
    }
    if ((status = lay_alloc(LAY_F32, source.desc, LAY_MEMORY_PINNED, &pinned)) == LAY_OK)
        lay_free(pinned);
    else
        assert_ptr_equal(pinned, before);
    lay_free(there);
    return status;
}

static int is_always_right(char *why, size_t size)
{
    (void)why, (void)size;
    return 1;
}

static void restore_nothing(void)
{
}

enum { REAL, COMPLEX, SCALED_FIRST };

const failing_subject failing_subjects[FAILING_SUBJECTS] = {
    { "a product", REAL, multiply, is_product_right, is_product_kept, restore_product },
    { "a planned product", REAL, multiply_planned, is_product_right, is_product_kept, restore_product },
    { "a reserved product", REAL, reserve_and_multiply, is_product_right, is_product_kept, restore_product },
    { "a product in a thread's stream", REAL, multiply_in_threads_stream, is_product_right, is_product_kept,
      restore_product },
    { "a product with packed operands", REAL, pack_and_multiply, is_product_right, is_product_kept, restore_product },
    { "no product", REAL, scale, is_scaled_right, is_product_kept, restore_product },
    { "a complex product", COMPLEX, multiply, is_product_right, is_product_kept, restore_product },
    { "a reserved complex product", COMPLEX, reserve_and_multiply, is_product_right, is_product_kept, restore_product },
    { "a complex product with packed operands", COMPLEX, pack_and_multiply, is_product_right, is_product_kept,
      restore_product },
    { "no complex product", COMPLEX, scale, is_scaled_right, is_product_kept, restore_product },
    { "a complex product, C scaled first", SCALED_FIRST, multiply, is_product_right, is_product_kept_or_said,
      restore_product },
    { "the same, reserved", SCALED_FIRST, reserve_and_multiply, is_product_right, is_product_kept_or_said,
      restore_product },
    { "a copy on the device", REAL, copy_there, is_copy_right, is_target_kept, restore_target },
    { "a product of several types", REAL, multiply_mixed, is_product_right, is_product_kept, restore_product },
    { "the same, reserved", REAL, reserve_and_multiply_mixed, is_product_right, is_product_kept, restore_product },
    { "a copy that changes elements", REAL, blend_there, is_copy_right, is_anything, restore_target },
    { "a copy there and back", REAL, copy_across, is_the_same, is_target_kept_or_said, restore_target },
    { "an allocation", REAL, allocate, is_always_right, is_anything, restore_nothing },
};

int failing_make(void)
{
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
        return -1;
    static const int layout[] = { 5, 5, 5 };
    random_source from = random_case(51, 0);
    for (int i = REAL; i <= SCALED_FIRST; i++) {
        const trial t = { .type = i == REAL      ? LAY_F32
                                  : i == COMPLEX ? LAY_C32
                                                 : LAY_C64,
                          .m = 40,
                          .n = 36,
                          .k = i == REAL ? 9000 : 900,
                          .alpha = 2,
                          .beta = 1,
                          .beta_i = i == SCALED_FIRST,
                          .data = TRIAL_INTEGERS,
                          .options = {
                              .struct_size = sizeof(lay_options), .device = LAY_DEVICE_AUTO, .stream = stream } };
        remote_make(&products[i], &t, layout, &from);
    }
    static double values[300 * 200];
    for (int i = 0; i < 300 * 200; i++)
        values[i] = (double)i;
    source = operand_make(LAY_F32, layout_usual(5, 300, 200), values, OPERAND_ANYWHERE, &from);
    target = operand_make(LAY_F32, layout_usual(4, 300, 200), NULL, OPERAND_ANYWHERE, &from);
    source_there = elsewhere_put(&source, LAY_PLACE_DEVICE);
    target_there = elsewhere_put(&target, LAY_PLACE_DEVICE);
    return 0;
}

int failing_free(void)
{
    for (int i = REAL; i <= SCALED_FIRST; i++)
        remote_free(&products[i]);
    elsewhere_free(&source_there);
    elsewhere_free(&target_there);
    operand_free(&source);
    operand_free(&target);
    return cudaStreamDestroy(stream) == cudaSuccess ? 0 : -1;
}

void failing_take(const failing_subject *of)
{
    product = &products[of->product];
}
