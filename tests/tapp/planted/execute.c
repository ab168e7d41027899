/* Running a plan of the plain library: element by element of D, each a sum. */
#include <string.h>

#include "plan.h"

typedef struct run {
    const plain_plan *plan;
    const void *a, *b, *c;
    void *d;
    number alpha, beta;
} run;

static number read(const run *of, int which, const void *zero, int64_t offset)
{
    static const char *const ignored[TENSORS] = { "A not conjugated", "B not conjugated", "C not conjugated", "" };
    TAPP_datatype type = of->plan->type[which];
    if (type == TAPP_BF16 && faulty("BF16 read as F16"))
        type = TAPP_F16;
    const number x = number_load(type, zero, offset);
    if (of->plan->op[which] == TAPP_CONJUGATE && !type_is_complex(type) && faulty("real conjugated by its sign"))
        return (number){ -x.re, 0 };
    return of->plan->op[which] == TAPP_CONJUGATE && !faulty(ignored[which]) ? number_conjugate(x) : x;
}

/* A factor as a precision has it; a fault where precisions are asked for. */
static number rounded(number x, TAPP_datatype to)
{
    char kept[16];
    number_store(to, kept, 0, x);
    return number_load(to, kept, 0);
}

static number add(const run *of, number sum, number product)
{
    if (of->plan->type[OF_D] == TAPP_C32 && faulty("C32 summed in F16"))
        return rounded((number){ sum.re + product.re, 0 }, TAPP_F16);
    if (of->plan->prec == TAPP_F64F64_ACCUM_F64 && faulty("precision F64 in F32"))
        return rounded(number_sum(sum, product), TAPP_C32);
    if (of->plan->prec == TAPP_F16F16_ACCUM_F32 && faulty("F16 summed in F16"))
        return rounded(number_sum(sum, product), TAPP_F16);
    if (faulty("all in F32"))
        return rounded(number_sum(sum, product), TAPP_C32);
    return number_sum(sum, product);
}

static void over_sum(const run *of, int label, int64_t a, int64_t b, number *sum)
{
    const plain_plan *plan = of->plan;
    if (label == plan->nlabel) {
        *sum = add(of, *sum, number_product(read(of, OF_A, of->a, a), read(of, OF_B, of->b, b)));
        return;
    }
    const plain_label *one = &plan->labels[label];
    const int is_isolated = !one->is_in[OF_A] || !one->is_in[OF_B];
    int64_t count = one->extent;
    if (is_isolated && faulty("isolated: the first alone"))
        count = count > 1 ? 1 : count;
    if (count == 0 && faulty("extents of 0 are 1"))
        count = 1;
    if (count > 16 && faulty("sums cut at 16"))
        count = 16;
    for (int64_t i = 0; i < count; i++)
        over_sum(of, label + 1, a + i * one->step[OF_A], b + i * one->step[OF_B], sum);
}

static void make_element(const run *of, const int64_t at[TENSORS])
{
    const plain_plan *plan = of->plan;
    number sum = { 0, 0 };
    over_sum(of, plan->nout, at[OF_A], at[OF_B], &sum);
    if (plan->type[OF_A] != plan->type[OF_B] && faulty("a mixture is real"))
        sum.im = 0;
    number value = number_product(of->alpha, sum);
    const int is_zero = of->beta.re == 0 && of->beta.im == 0;
    if (!is_zero || (of->c && faulty("C read where beta is 0")))
        if (!faulty("beta ignored"))
            value = number_sum(value, number_product(of->beta, read(of, OF_C, of->c, at[OF_C])));
    if (plan->op[OF_D] == TAPP_CONJUGATE && !faulty("D not conjugated"))
        value = number_conjugate(value);
    number_store(plan->type[OF_D], of->d, at[OF_D], value);
    if (faulty("one element too many"))
        number_store(plan->type[OF_D], of->d, at[OF_D] + 1, value);
}

static void over_output(const run *of, int label, const int64_t at[TENSORS])
{
    const plain_plan *plan = of->plan;
    if (label == plan->nout) {
        make_element(of, at);
        return;
    }
    const plain_label *one = &plan->labels[label];
    const int is_hadamard = one->is_in[OF_A] && one->is_in[OF_B];
    const int64_t count = is_hadamard && faulty("Hadamard: the first alone") && one->extent > 1 ? 1 : one->extent;
    for (int64_t i = 0; i < count; i++) {
        int64_t next[TENSORS];
        for (int which = 0; which < TENSORS; which++)
            next[which] = at[which] + i * one->step[which];
        over_output(of, label + 1, next);
    }
}

static TAPP_error run_plan(const run *of)
{
    const int64_t start[TENSORS] = { 0 };
    const int needs_c = of->beta.re != 0 || of->beta.im != 0;
    run in_place = *of;
    if (needs_c && !of->c && !faulty("missing C is 0"))
        return PLAIN_MISSING_C;
    if (needs_c && !of->c)
        in_place.beta = (number){ 0, 0 };
    if (of->plan->nout == of->plan->nlabel && of->plan->nout == 0 && faulty("scalars left alone"))
        return PLAIN_OK;
    if (of->c == of->d && faulty("D cleared first"))
        number_store(of->plan->type[OF_D], of->d, 0, (number){ 0, 0 });
    over_output(&in_place, 0, start);
    return PLAIN_OK;
}

TAPP_error TAPP_execute_product(TAPP_tensor_product plan, TAPP_executor exec, TAPP_status *status, const void *alpha,
                                const void *A, const void *B, const void *beta, const void *C, void *D)
{
    const plain_plan *planned = (const plain_plan *)plan;
    (void)exec;
    if (!faulty("no status written"))
        *status = 1;
    if (faulty("A written"))
        memset((void *)(intptr_t)A, 0, 1);
    const run one = {
        planned, A, B, C, D, number_load(planned->type[OF_D], alpha, 0), number_load(planned->type[OF_D], beta, 0)
    };
    return run_plan(&one);
}

TAPP_error TAPP_execute_batched_product(TAPP_tensor_product plan, TAPP_executor exec, TAPP_status *status,
                                        int num_batches, const void *alpha, const void **A, const void **B,
                                        const void *beta, const void **C, void **D)
{
    *status = 1;
    for (int i = 0; i < num_batches; i++) {
        const int from = faulty("a batch of the first A") ? 0 : i;
        const TAPP_error error = TAPP_execute_product(plan, exec, status, alpha, A[from], B[i], beta, C[i], D[i]);
        if (error)
            return error;
    }
    return PLAIN_OK;
}
