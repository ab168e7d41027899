/* matmul and contract: products by one call, on plans that the library remembers. */
#include <string.h>

#include "core.h"

static int has_one_type(const prepared *made)
{
    return made->operands[OF_A].type == made->operands[OF_B].type &&
           made->operands[OF_A].type == made->operands[OF_C].type;
}

/* The labels of a product of matrices. */
static const char *labels_of_matrices(const prepared *made)
{
    const int a = lay_desc_rank(made->descs[OF_A]), b = lay_desc_rank(made->descs[OF_B]);
    if (a == 2 && b == 2)
        return "ik,kj->ij";
    return a == 2 ? "ik,bkj->bij" : b == 2 ? "bik,kj->bij" : "bik,bkj->bij";
}

lay_plan *prepared_plan(const request *of, const prepared *made, lay_sum_order order)
{
    lay_product product = LAY_PRODUCT_INIT;
    lay_plan *plan = NULL;
    const lay_desc *const *const descs = made->descs;
    lay_status status;
    if (!of->labels && !of->conjugated && has_one_type(made) && !made->ending.is_there) {
        status = lay_plan_create(made->operands[OF_A].type, descs[OF_A], descs[OF_B], descs[OF_C],
                                 &made->options.options, &plan);
        return status == LAY_OK ? plan : (lay_plan *)core_raise(status);
    }
    product.type_a = made->operands[OF_A].type;
    product.type_b = made->operands[OF_B].type;
    product.type_c = product.type_d = made->operands[OF_C].type;
    product.a = descs[OF_A];
    product.b = descs[OF_B];
    product.c = descs[OF_C];
    product.labels = of->labels ? of->labels : labels_of_matrices(made);
    product.conjugated = of->conjugated;
    product.sum_order = order;
    product.ending = made->ending.is_there ? &made->ending.ending : NULL;
    status = lay_plan_create_product(&product, &made->options.options, &plan);
    return status == LAY_OK ? plan : (lay_plan *)core_raise(status);
}

/* What the library remembers no plan of. */
static lay_status run_planned(const lay_plan *plan, const prepared *made, const core_scalar *alpha,
                              const core_scalar *beta)
{
    const operand *const of = made->operands, *const term = made->ending.terms;
    lay_arguments run = LAY_ARGUMENTS_INIT;
    lay_status status;
    run.alpha = alpha;
    run.a = of[OF_A].data;
    run.b = of[OF_B].data;
    run.beta = beta;
    run.c = run.d = of[OF_C].data;
    if (made->ending.is_there) {
        run.scale[0] = term[OF_SCALE].data;
        run.scale[1] = term[OF_OTHER_SCALE].data;
        run.bias = term[OF_BIAS].data;
    }
    Py_BEGIN_ALLOW_THREADS status = lay_plan_run_arguments(plan, &run);
    Py_END_ALLOW_THREADS return status;
}

static lay_status run_remembered(const request *asked, const prepared *made, const core_scalar *alpha,
                                 const core_scalar *beta)
{
    const operand *const of = made->operands;
    const lay_desc *const *const descs = made->descs;
    const lay_options *const options = &made->options.options;
    lay_status status;
    Py_BEGIN_ALLOW_THREADS status =
        asked->labels ? lay_contract(of[OF_A].type, asked->labels, descs[OF_A], descs[OF_B], descs[OF_C], alpha,
                                     of[OF_A].data, of[OF_B].data, beta, of[OF_C].data, options)
                      : lay_gemm(of[OF_A].type, descs[OF_A], descs[OF_B], descs[OF_C], alpha, of[OF_A].data,
                                 of[OF_B].data, beta, of[OF_C].data, options);
    Py_END_ALLOW_THREADS return status;
}

static int run(const request *asked, const prepared *made, PyObject *alpha, PyObject *beta)
{
    const lay_type type =
        core_scalar_type(made->operands[OF_A].type, made->operands[OF_B].type, made->operands[OF_C].type);
    core_scalar x, y;
    if (!core_scalar_read(alpha, 1, type, &x) || !core_scalar_read(beta, 0, type, &y))
        return 0;
    const int is_complex = type == LAY_C32 || type == LAY_C64; /* else no operand is */
    lay_plan *plan = NULL;
    lay_status status;
    if (has_one_type(made) && (!asked->conjugated || !is_complex) && !made->ending.is_there) {
        status = run_remembered(asked, made, &x, &y);
    } else {
        if (!(plan = prepared_plan(asked, made, LAY_SUM_BY_LABELS)))
            return 0;
        status = run_planned(plan, made, &x, &y);
        lay_plan_destroy(plan);
    }
    if (status != LAY_OK)
        core_raise(status);
    return status == LAY_OK;
}

static PyObject *multiply(request *asked, PyObject *alpha, PyObject *beta)
{
    prepared made;
    asked->keeps_out = beta && PyObject_IsTrue(beta) == 1; /* what is no number is refused later */
    PyErr_Clear();
    if (!prepare(asked, &made))
        return NULL;
    PyObject *const out = run(asked, &made, alpha, beta) ? Py_NewRef(made.out) : NULL;
    prepared_release(&made);
    return out;
}

PyObject *core_matmul(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "", "", "out", "alpha", "beta", "layouts", "options", NULL };
    request asked = { .labels = NULL };
    PyObject *alpha = NULL, *beta = NULL, *layouts = NULL;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|O$OOOO:matmul", names, &asked.operands[OF_A],
                                     &asked.operands[OF_B], &asked.operands[OF_C], &alpha, &beta, &layouts,
                                     &asked.options) ||
        !layouts_read(layouts, OPERANDS, asked.layouts))
        return NULL;
    return multiply(&asked, alpha, beta);
}

PyObject *core_contract(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "", "", "", "out", "alpha", "beta", "conjugated", "layouts", "options", "ending", NULL };
    request asked = { .labels = NULL };
    PyObject *alpha = NULL, *beta = NULL, *layouts = NULL;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "sOO|O$OOIOOO:contract", names, &asked.labels,
                                     &asked.operands[OF_A], &asked.operands[OF_B], &asked.operands[OF_C], &alpha, &beta,
                                     &asked.conjugated, &layouts, &asked.options, &asked.ending) ||
        !layouts_read(layouts, OPERANDS, asked.layouts))
        return NULL;
    if (Py_IsNone(asked.operands[OF_B]))
        asked.operands[OF_B] = NULL;
    return multiply(&asked, alpha, beta);
}
