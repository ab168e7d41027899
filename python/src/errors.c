/* LayoutError: a status and a sentence, from the library or from here. */
#include "core.h"

PyObject *core_error;

static PyObject *raise(lay_status status, PyObject *sentence)
{
    PyObject *const error = sentence ? PyObject_CallFunctionObjArgs(core_error, sentence, NULL) : NULL;
    PyObject *const name = error ? PyUnicode_FromString(lay_status_name(status)) : NULL;
    if (name && PyObject_SetAttrString(error, "status", name) == 0)
        PyErr_SetObject(core_error, error);
    Py_XDECREF(name);
    Py_XDECREF(error);
    Py_XDECREF(sentence);
    return NULL;
}

PyObject *core_raise(lay_status status)
{
    return raise(status, PyUnicode_FromString(lay_last_error()));
}

PyObject *core_refuse(lay_status status, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    PyObject *const sentence = PyUnicode_FromFormatV(format, rest);
    va_end(rest);
    return raise(status, sentence);
}

int core_add_error(PyObject *module)
{
    core_error = PyErr_NewExceptionWithDoc("layoutgemm.LayoutError",
                                           "What the library refuses. status is its name, such as \"LAY_ERR_SHAPE\"; "
                                           "the text is its sentence.",
                                           PyExc_ValueError, NULL);
    if (!core_error || PyObject_SetAttrString(core_error, "status", Py_None) < 0)
        return 0;
    return PyModule_AddObjectRef(module, "LayoutError", core_error) == 0;
}
