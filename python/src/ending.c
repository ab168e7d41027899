/* Endings: scales, a bias and an activation, from Python's half (layoutgemm._ending). */
#include "core.h"

const char *const term_names[TERMS] = { "scales[0]", "scales[1]", "bias" };

/* (array, labels), or None. */
static int take_term(PyObject *given, core_ending *to, int which, PyObject *stream)
{
    lay_ending_tensor *const tensor = which == OF_BIAS ? &to->ending.bias : &to->ending.scale[which];
    operand *const array = &to->terms[which];
    PyObject *object;
    const char *labels;
    if (Py_IsNone(given))
        return 1;
    if (!PyArg_ParseTuple(given, "Os:ending", &object, &labels) ||
        !operand_take(array, object, term_names[which], stream) ||
        (array->ndim > 0 && !(to->descs[which] = operand_desc(array))))
        return 0;
    *tensor = (lay_ending_tensor){ .desc = to->descs[which], .labels = labels, .type = array->type };
    return 1;
}

int ending_take(PyObject *given, PyObject *stream, core_ending *to)
{
    PyObject *terms[TERMS];
    int activation;
    double low, high;
    *to = (core_ending){ .ending = LAY_ENDING_INIT };
    if (!given || Py_IsNone(given))
        return 1;
    if (!PyArg_ParseTuple(given, "OOOidd:ending", &terms[0], &terms[1], &terms[2], &activation, &low, &high))
        return 0;
    to->is_there = 1;
    to->ending.activation = (lay_activation)activation;
    to->ending.low = low;
    to->ending.high = high;
    for (int i = 0; i < TERMS; i++)
        if (!take_term(terms[i], to, i, stream)) {
            ending_release(to);
            return 0;
        }
    return 1;
}

void ending_release(core_ending *of)
{
    for (int i = 0; i < TERMS; i++) {
        lay_desc_destroy(of->descs[i]);
        of->descs[i] = NULL;
        operand_release(&of->terms[i]);
    }
    of->is_there = 0;
}
