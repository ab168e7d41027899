/* What liblaytapp promises beyond TAPP: arguments that are no objects, NULL and unknown numbers are codes with a
 * sentence, and D is left alone. */
#include <stdio.h>
#include <string.h>

#include "tapp.h"

static int tests, failures;
static const int64_t extents[] = { 2 }, strides[] = { 1 }, label[] = { 'a' }, other[] = { 'b' };
static TAPP_handle handle;
static TAPP_executor executor;
static TAPP_tensor_info info;
static float a[] = { 1, 2 }, b[] = { 3, 4 }, c[] = { 5, 6 }, beside_d[] = { 0, 7, 8 };
static float *const d = beside_d + 1;
static const float one = 1;

static void report(int is_ok, const char *what, const char *words)
{
    printf("%s %d - %s: %s\n", is_ok ? "ok" : "not ok", ++tests, what, words);
    failures += !is_ok;
}

/* The sentence has the words. */
static void refused(TAPP_error error, const char *words, const char *what)
{
    char text[400] = "";
    TAPP_explain_error(error, sizeof(text), text);
    const int is_whole = d[0] == 7 && d[1] == 8;
    report(!TAPP_check_success(error) && strstr(text, words) && is_whole, what, is_whole ? text : "D was changed");
}

typedef struct request {
    TAPP_handle handle;
    TAPP_tensor_info a, d;
    const int64_t *idx_a, *idx_d;
    TAPP_element_op op;
    TAPP_prectype prec;
} request;

static TAPP_error plan_of(TAPP_tensor_product *plan, request of)
{
    return TAPP_create_tensor_product(plan, of.handle, of.op, of.a, of.idx_a, TAPP_IDENTITY, info, label, TAPP_IDENTITY,
                                      info, label, TAPP_IDENTITY, of.d, of.idx_d, of.prec);
}

static void refuse_infos(void)
{
    TAPP_tensor_info made = 0;
    refused(TAPP_create_tensor_info(NULL, TAPP_F32, 1, extents, strides), "NULL", "no place for an info");
    refused(TAPP_create_tensor_info(&made, TAPP_F32, 1, NULL, strides), "NULL", "no extents");
    refused(TAPP_create_tensor_info(&made, 17, 1, extents, strides), "no such type", "a type there is not");
    refused(TAPP_create_tensor_info(&made, TAPP_F32, -1, extents, strides), "modes is negative", "-1 modes");
    refused(TAPP_destroy_tensor_info(0), "not an object", "no info");
    refused(TAPP_destroy_tensor_info(handle), "not an object", "a handle for an info");
    refused(TAPP_destroy_executor(handle), "not an object", "a handle for an executor");
    static const intptr_t numbers[] = { 1, 16, 12345, -1 };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        refused(TAPP_destroy_tensor_info(numbers[i]), "not an object", "a number that is no info's");
        refused(TAPP_destroy_executor(numbers[i]), "not an object", "a number that is no executor's");
    }
    refused(TAPP_destroy_status(1), "not an object", "a status that nobody made");
    refused(TAPP_set_strides(info, NULL), "NULL", "no strides");
    report(TAPP_check_success(TAPP_create_tensor_info(&made, TAPP_F32, 0, NULL, NULL)), "a scalar has no extents", "");
    TAPP_get_extents(made, NULL);
    TAPP_get_strides(info, NULL); /* there is no place to write to: nothing happens */
    TAPP_destroy_tensor_info(made);
    refused(TAPP_attr_set(handle, 0, d), "no such attribute", "an attribute");
}

static void refuse_plans(void)
{
    const request right = { handle, info, info, label, label, TAPP_IDENTITY, TAPP_DEFAULT_PREC };
    TAPP_tensor_product plan = 0;
    request is = right;
    refused(plan_of(NULL, right), "NULL", "no place for a plan");
    is.handle = executor;
    refused(plan_of(&plan, is), "not an object", "an executor for a handle");
    is = right, is.a = 0;
    refused(plan_of(&plan, is), "not an object", "no info of A");
    is = right, is.idx_a = NULL;
    refused(plan_of(&plan, is), "NULL", "no labels of A");
    is = right, is.idx_d = other;
    refused(plan_of(&plan, is), "labels of D", "labels of D that C has not");
    is = right, is.op = 2;
    refused(plan_of(&plan, is), "operation unknown", "an operation there is not");
    is = right, is.prec = 3;
    refused(plan_of(&plan, is), "precision", "a precision there is not");
    TAPP_tensor_info complex_info = 0;
    TAPP_create_tensor_info(&complex_info, TAPP_C32, 1, extents, strides);
    is = right, is.a = complex_info;
    refused(plan_of(&plan, is), "do not go together", "a complex A for a real D");
    TAPP_destroy_tensor_info(complex_info);
    int64_t ones[200], labels[200];
    for (int i = 0; i < 200; i++)
        ones[i] = 1, labels[i] = i;
    TAPP_tensor_info deep = 0;
    TAPP_create_tensor_info(&deep, TAPP_F32, 200, ones, ones);
    is = right, is.a = deep, is.idx_a = labels;
    refused(plan_of(&plan, is), "does not do it. 200 dimensions", "more modes than a descriptor has");
    TAPP_destroy_tensor_info(deep);
}

static void refuse_runs(void)
{
    const request right = { handle, info, info, label, label, TAPP_IDENTITY, TAPP_DEFAULT_PREC };
    TAPP_tensor_product plan = 0;
    TAPP_status status = 0;
    const void *as[] = { a, NULL }, *bs[] = { b, b }, *cs[] = { c, c };
    void *ds[] = { d, d };
    char text[400] = "";
    plan_of(&plan, right);
    refused(TAPP_execute_product(0, executor, &status, &one, a, b, &one, c, d), "not an object", "no plan");
    refused(TAPP_execute_product(plan, 0, &status, &one, a, b, &one, c, d), "not an object", "no executor");
    refused(TAPP_execute_product(plan, 1, &status, &one, a, b, &one, c, d), "not an object", "1 for an executor");
    refused(TAPP_execute_product(plan, executor, &status, NULL, a, b, &one, c, d), "NULL", "no alpha");
    refused(TAPP_execute_product(plan, executor, &status, &one, NULL, b, &one, c, d), "NULL", "no A");
    refused(TAPP_execute_product(plan, executor, &status, &one, a, b, &one, c, NULL), "NULL", "no D");
    refused(TAPP_execute_product(plan, executor, &status, &one, a, b, &one, NULL, d), "C is NULL", "no C");
    refused(TAPP_execute_product(plan, executor, &status, &one, d, b, &one, c, d), "stays clear", "D over A");
    refused(TAPP_execute_product(plan, executor, &status, &one, a, b, &one, beside_d, d), "stays clear",
            "D over half of C");
    refused(TAPP_execute_batched_product(plan, executor, &status, -1, &one, as, bs, &one, cs, ds), "count negative",
            "-1 products");
    refused(TAPP_execute_batched_product(plan, executor, &status, 2, &one, as, bs, &one, cs, ds), "NULL",
            "no A in a batch");
    TAPP_explain_error(TAPP_execute_product(plan, executor, &status, NULL, a, b, &one, c, d), sizeof(text), text);
    report(strstr(text, "NULL") && !strstr(text, "a[1]"), "what was said of another call is not said again", text);
    const TAPP_error error = TAPP_execute_product(plan, executor, NULL, &one, a, b, &one, c, d);
    report(TAPP_check_success(error) && d[0] == 8 && d[1] == 14, "and right after all that", "without a status");
    d[0] = 7, d[1] = 8;
    report(TAPP_check_success(TAPP_destroy_tensor_product(plan)), "the plan", "destroyed");
}

int main(void)
{
    if (!TAPP_check_success(TAPP_create_handle(&handle)) || !TAPP_check_success(TAPP_create_executor(&executor)) ||
        !TAPP_check_success(TAPP_create_tensor_info(&info, TAPP_F32, 1, extents, strides))) {
        printf("Bail out! no objects\n");
        return 2;
    }
    refuse_infos();
    refuse_plans();
    refuse_runs();
    TAPP_destroy_tensor_info(info);
    TAPP_destroy_executor(executor);
    TAPP_destroy_handle(handle);
    printf("1..%d\n", tests);
    return failures > 0;
}
