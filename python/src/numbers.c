/* Sequences of whole numbers, to and from Python. */
#include "core.h"

PyObject *core_tuple(int count, const int64_t numbers[])
{
    PyObject *const made = PyTuple_New(count);
    for (int i = 0; made && i < count; i++) {
        PyObject *const number = PyLong_FromLongLong(numbers[i]);
        if (!number || PyTuple_SetItem(made, i, number) < 0) {
            Py_DECREF(made);
            return NULL;
        }
    }
    return made;
}

int core_numbers_read(PyObject *sequence, int room, int64_t numbers[], const char *name)
{
    const Py_ssize_t count = PySequence_Check(sequence) ? PySequence_Size(sequence) : -1;
    if (count < 0 || count > room) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_TypeError, "%s must be a sequence of at most %d whole numbers", name, room);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *const item = PySequence_GetItem(sequence, i);
        PyObject *const whole = item ? PyNumber_Index(item) : NULL;
        numbers[i] = whole ? PyLong_AsLongLong(whole) : -1;
        Py_XDECREF(whole);
        Py_XDECREF(item);
        if (PyErr_Occurred())
            return -1;
    }
    return (int)count;
}
