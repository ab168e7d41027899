/* copy: one array to another of other strides, layout or type, scaled and added. */
#include "core.h"

enum { SOURCE, TARGET, SIDES };

typedef struct sides {
    operand arrays[SIDES];
    const lay_desc *descs[SIDES];
    lay_desc *made[SIDES];
} sides;

static const char *const side_names[SIDES] = { "src", "out" };

/* A scalar has one dimension of one index here. */
static int describe(sides *of, int side, const lay_desc *layout)
{
    operand *const array = &of->arrays[side];
    int64_t lowest, highest;
    if (layout) {
        lay_desc_span(layout, &lowest, &highest);
        of->descs[side] = layout;
        return operand_holds(array, lowest, highest, side_names[side]);
    }
    if (array->ndim == 0) {
        array->ndim = 1;
        array->extents[0] = 1;
        array->strides[0] = 0;
    }
    of->descs[side] = of->made[side] = operand_desc(array);
    return of->made[side] != NULL;
}

static lay_status run(const sides *of, PyObject *alpha, PyObject *beta, int is_conjugated, const lay_options *options)
{
    const operand *const x = &of->arrays[SOURCE], *const y = &of->arrays[TARGET];
    const lay_type type = core_scalar_type(x->type, x->type, y->type);
    core_scalar by, keep;
    lay_status status;
    if (!core_scalar_read(alpha, 1, type, &by) || !core_scalar_read(beta, 0, type, &keep))
        return LAY_ERR_ARGUMENT;
    Py_BEGIN_ALLOW_THREADS if (!alpha && !beta && !is_conjugated && x->type == y->type) status =
        lay_copy(x->type, of->descs[SOURCE], x->data, of->descs[TARGET], y->data, options);
    else status = lay_axpby(x->type, of->descs[SOURCE], &by, x->data, y->type, of->descs[TARGET], &keep, y->data,
                            is_conjugated, options);
    Py_END_ALLOW_THREADS return status;
}

PyObject *core_copy(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "", "out", "alpha", "beta", "conj", "layouts", "options", NULL };
    PyObject *objects[SIDES], *alpha = NULL, *beta = NULL, *layouts = NULL, *options = NULL;
    const lay_desc *given[SIDES];
    int is_conjugated = 0;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|$OOpOO:copy", names, &objects[SOURCE], &objects[TARGET],
                                     &alpha, &beta, &is_conjugated, &layouts, &options) ||
        !layouts_read(layouts, SIDES, given))
        return NULL;
    call_options taken;
    if (!options_take(options, objects, SIDES, &taken))
        return NULL;
    sides of = { .descs = { NULL } };
    int is_good = 1;
    for (int side = 0; side < SIDES && is_good; side++)
        is_good = operand_take(&of.arrays[side], objects[side], side_names[side], taken.stream) &&
                  describe(&of, side, given[side]);
    is_good = is_good && operand_is_writable(&of.arrays[TARGET], "out");
    if (is_good) {
        const lay_status status = run(&of, alpha, beta, is_conjugated, &taken.options);
        if (status != LAY_OK && !PyErr_Occurred())
            core_raise(status);
        is_good = status == LAY_OK;
    }
    for (int side = 0; side < SIDES; side++) {
        lay_desc_destroy(of.made[side]);
        operand_release(&of.arrays[side]);
    }
    options_release(&taken);
    return is_good ? Py_NewRef(objects[TARGET]) : NULL;
}
