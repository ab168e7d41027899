/* CUDA fails once in a product of operands in device memory, a reservation, an allocation or a copy: one call after the
 * other, by way of the linker. What was asked for is refused with CUDA's text, nothing of it is seen, nothing is
 * lost, and asked again it is done. */
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "elsewhere.h"

/* ---- calls that fail -------------------------------------------------------------------------- */

static long calls_left = -1; /* before one fails; negative: none does */
static const char *only;     /* the calls that may fail; NULL: all */
static const char *failed_call;
static cudaError_t failure;
static long alive; /* what was made and is not gone yet: blocks, streams, events */

static int fails(const char *call)
{
    if (calls_left < 0 || (only && strcmp(only, call) != 0) || calls_left-- > 0)
        return 0;
    failed_call = call;
    return 1;
}

#define LEAD(call, parameters, arguments)                                                                              \
    cudaError_t __real_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters                                                                               \
    {                                                                                                                  \
        return fails(#call) ? failure : __real_##call arguments;                                                       \
    }
/* Calls that make something, and those that end it. */
#define LEAD_MAKING(call, parameters, arguments)                                                                       \
    cudaError_t __real_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters                                                                               \
    {                                                                                                                  \
        const cudaError_t error = fails(#call) ? failure : __real_##call arguments;                                    \
        alive += error == cudaSuccess;                                                                                 \
        return error;                                                                                                  \
    }
#define LEAD_ENDING(call, parameters, arguments, what)                                                                 \
    cudaError_t __real_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters                                                                               \
    {                                                                                                                  \
        const cudaError_t error = __real_##call arguments;                                                             \
        alive -= what && error == cudaSuccess;                                                                         \
        return error;                                                                                                  \
    }
LEAD(cudaGetDevice, (int *device), (device))
LEAD(cudaFuncGetAttributes, (struct cudaFuncAttributes * to, const void *function), (to, function))
LEAD(cudaFuncSetAttribute, (const void *function, enum cudaFuncAttribute attribute, int value),
     (function, attribute, value))
LEAD(cudaMemPoolCreate, (cudaMemPool_t * to, const struct cudaMemPoolProps *asked), (to, asked))
LEAD(cudaMemPoolSetAttribute, (cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value),
     (pool, attribute, value))
LEAD_MAKING(cudaMallocFromPoolAsync, (void **to, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
            (to, bytes, pool, stream))
LEAD_MAKING(cudaMalloc, (void **to, size_t bytes), (to, bytes))
LEAD_MAKING(cudaHostAlloc, (void **to, size_t bytes, unsigned flags), (to, bytes, flags))
LEAD_ENDING(cudaFreeAsync, (void *block, cudaStream_t stream), (block, stream), block)
LEAD_ENDING(cudaFree, (void *block), (block), block)
LEAD_ENDING(cudaFreeHost, (void *block), (block), block)
LEAD(cudaMemcpyAsync, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream),
     (to, from, bytes, kind, stream))
LEAD(cudaMemsetAsync, (void *to, int value, size_t bytes, cudaStream_t stream), (to, value, bytes, stream))
LEAD(cudaLaunchKernel, (const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
     (function, grid, block, args, shared, stream))
LEAD_MAKING(cudaStreamCreateWithFlags, (cudaStream_t * to, unsigned flags), (to, flags))
LEAD_MAKING(cudaEventCreateWithFlags, (cudaEvent_t * to, unsigned flags), (to, flags))
LEAD_ENDING(cudaStreamDestroy, (cudaStream_t gone), (gone), 1)
LEAD_ENDING(cudaEventDestroy, (cudaEvent_t gone), (gone), 1)
LEAD(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
LEAD(cudaEventSynchronize, (cudaEvent_t event), (event))
LEAD(cudaStreamSynchronize, (cudaStream_t stream), (stream))

/* ---- what is asked for ------------------------------------------------------------------------ */

static cudaStream_t stream;
static remote products[3]; /* in tiles, and k in slices: tables, workspace. Of floats, and complex */
static remote *product;    /* the one that a subject has */
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

/* Boxes go back one by one: what came first may have been written. */
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
typedef struct subject {
    const char *name;
    int product; /* which */
    lay_status (*act)(void);
    int (*is_right)(char *why, size_t size);
    int (*is_kept)(void); /* the output, after a failure */
    void (*restore)(void);
} subject;

static const subject subjects[] = {
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
    { "a copy there and back", REAL, copy_across, is_the_same, is_anything, restore_target },
    { "an allocation", REAL, allocate, is_always_right, is_anything, restore_nothing },
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

/* ---- one failure ------------------------------------------------------------------------------ */

/* What the sentence has to have: the call. Of launches the kernel, of pools their creation. */
static int names_call(const char *story)
{
    if (strcmp(failed_call, "cudaLaunchKernel") == 0)
        return strstr(story, failed_call) || strstr(story, "gemm_") || strstr(story, "lay_cuda_");
    return strstr(story, strcmp(failed_call, "cudaMemPoolSetAttribute") ? failed_call : "cudaMemPool") != NULL;
}

/* A failure may be without harm: memory is asked for twice, and on leaving nobody needs the device's number. */
static int may_go_well(void)
{
    return strcmp(failed_call, "cudaGetDevice") == 0 ||
           (strcmp(failed_call, "cudaMallocFromPoolAsync") == 0 && failure == cudaErrorMemoryAllocation);
}

static void insist_on_refusal(const subject *of, lay_status status, long number)
{
    const char *const story = lay_last_error();
    const lay_status wanted = failure == cudaErrorMemoryAllocation ? LAY_ERR_MEMORY : LAY_ERR_DEVICE;
    if (status != wanted || !names_call(story) || !strstr(story, cudaGetErrorString(failure)))
        fail_msg("%s: %s failed as call %ld: %s, %s", of->name, failed_call, number, lay_status_name(status), story);
    if (!of->is_kept())
        fail_msg("%s: %s failed as call %ld, and something was written", of->name, failed_call, number);
    assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
}

/* With call number to fail; 0 when it was never made. */
static int fail_at(const subject *of, long number)
{
    char why[300];
    product = &products[of->product];
    lay_cache_clear(); /* so that plans and buffers are made anew, and may fail */
    of->restore();
    failed_call = NULL;
    calls_left = number;
    lay_status status = of->act();
    calls_left = -1;
    const int has_failed = failed_call != NULL;
    if (has_failed && (status != LAY_OK || !may_go_well())) {
        insist_on_refusal(of, status, number);
        of->restore();
        status = of->act();
    }
    if (status != LAY_OK)
        fail_msg("%s, after call %ld: %s", of->name, number, lay_last_error());
    if (!of->is_right(why, sizeof why))
        fail_msg("%s, after call %ld: %s", of->name, number, why);
    return has_failed;
}

/* ---- tests ------------------------------------------------------------------------------------ */

/* The first test: a pool is made once for all. */
static void a_pool_may_fail_to_be_made(void **state)
{
    (void)state;
    static const char *const calls[] = { "cudaMemPoolCreate", "cudaMemPoolSetAttribute" };
    failure = cudaErrorUnknown;
    product = &products[REAL];
    for (int i = 0; i < 2; i++) {
        only = calls[i];
        failed_call = NULL;
        restore_product();
        calls_left = 0;
        const lay_status status = multiply();
        calls_left = -1;
        assert_non_null(failed_call);
        insist_on_refusal(&subjects[0], status, 0);
    }
    only = NULL;
    calls_left = -1;
    char why[300];
    assert_int_equal(multiply(), LAY_OK);
    if (!is_product_right(why, sizeof why))
        fail_msg("%s", why);
}

static void fail_all(cudaError_t error)
{
    static const long least[SUBJECTS] = { 8, 8, 8, 8, 8, 5, 8, 8, 8, 5, 8, 8, 2, 8, 8, 4, 6, 2 };
    failure = error;
    for (int i = 0; i < SUBJECTS; i++) {
        long number = 0;
        lay_cache_clear();
        const long before = alive;
        while (fail_at(&subjects[i], number))
            number++;
        if (number < least[i])
            fail_msg("%s makes no more than %ld calls", subjects[i].name, number);
        lay_cache_clear();
        if (alive != before)
            fail_msg("%s: %ld blocks, streams or events were lost", subjects[i].name, alive - before);
    }
}

static void any_call_may_fail_once_and_nothing_is_lost(void **state)
{
    (void)state;
    fail_all(cudaErrorUnknown);
}

static void any_call_may_be_out_of_memory_once_and_nothing_is_lost(void **state)
{
    (void)state;
    fail_all(cudaErrorMemoryAllocation);
}

static void make_subjects(void)
{
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
}

static int make_all(void **state)
{
    (void)state;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
        return -1;
    make_subjects();
    return 0;
}

static int free_all(void **state)
{
    (void)state;
    for (int i = REAL; i <= SCALED_FIRST; i++)
        remote_free(&products[i]);
    elsewhere_free(&source_there);
    elsewhere_free(&target_there);
    operand_free(&source);
    operand_free(&target);
    return cudaStreamDestroy(stream) == cudaSuccess ? 0 : -1;
}

int main(void)
{
    const char *reason = "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pool_may_fail_to_be_made),
        cmocka_unit_test(any_call_may_fail_once_and_nothing_is_lost),
        cmocka_unit_test(any_call_may_be_out_of_memory_once_and_nothing_is_lost),
    };
    if (lay_device_count(&reason) == 0) {
        printf("1..0 # SKIP there is no GPU: %s\n", reason);
        return 0;
    }
    return cmocka_run_group_tests(tests, make_all, free_all);
}
