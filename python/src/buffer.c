/* Arrays by Python's buffer protocol; and by NumPy's __array_struct__ where that has no word for the element. */
#include <string.h>

#include "core.h"

/* struct's letters, and NumPy's Z for complex numbers. */
static int read_format(const char *format, Py_ssize_t size, lay_type *type)
{
    static const struct {
        const char *format;
        lay_type type;
    } known[] = { { "f", LAY_F32 },  { "d", LAY_F64 }, { "e", LAY_F16 }, { "Zf", LAY_C32 },
                  { "Zd", LAY_C64 }, { "F", LAY_C32 }, { "D", LAY_C64 } };
    if (format[0] == '@' || format[0] == '=' || format[0] == (PY_LITTLE_ENDIAN ? '<' : '>'))
        format++;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].format, format) == 0 && (Py_ssize_t)lay_type_size(known[i].type) == size) {
            *type = known[i].type;
            return 1;
        }
    return 0;
}

static void refuse_format(PyObject *object, const char *format, const char *name)
{
    PyObject *const type = PyObject_GetAttrString(object, "dtype");
    PyErr_Clear();
    if (type)
        core_refuse(LAY_ERR_TYPE,
                    "%s has elements of %S: float32, float64, complex64, complex128, float16 and "
                    "bfloat16, in this machine's byte order, are taken",
                    name, type);
    else
        core_refuse(LAY_ERR_TYPE, "%s has elements of the format '%s': 'f', 'd', 'e', 'Zf' and 'Zd' are taken", name,
                    format);
    Py_XDECREF(type);
}

/* 1; 0 with an exception; -1 where the object cannot say what its elements are. */
int operand_from_buffer(operand *of, PyObject *object, const char *name)
{
    Py_buffer *const buffer = &of->buffer;
    if (PyObject_GetBuffer(object, buffer, PyBUF_FULL_RO) < 0) {
        if (!PyErr_ExceptionMatches(PyExc_ValueError) && !PyErr_ExceptionMatches(PyExc_BufferError) &&
            !PyErr_ExceptionMatches(PyExc_TypeError))
            return 0;
        PyErr_Clear();
        buffer->obj = NULL;
        return -1;
    }
    const char *const format = buffer->format ? buffer->format : "B";
    if (!read_format(format, buffer->itemsize, &of->type)) {
        refuse_format(object, format, name);
        return 0;
    }
    if (buffer->suboffsets || buffer->ndim > MAX_DIMS || (buffer->ndim > 0 && !buffer->strides)) {
        core_refuse(LAY_ERR_ARGUMENT, "%s: a buffer without strides, of several blocks or of %d dimensions", name,
                    buffer->ndim);
        return 0;
    }
    of->data = buffer->buf;
    of->ndim = buffer->ndim;
    of->is_read_only = buffer->readonly;
    return operand_set_strides(of, name, buffer->shape, buffer->strides);
}

/* NumPy's PyArrayInterface, as its documents have it. */
typedef struct array_interface {
    int two, ndim;
    char kind;
    int itemsize, flags;
    Py_ssize_t *extents, *strides;
    void *data;
    PyObject *description;
} array_interface;

enum { IS_NATIVE = 0x200, IS_WRITABLE = 0x400 };

static int is_bfloat16(PyObject *object)
{
    PyObject *const type = PyObject_GetAttrString(object, "dtype");
    PyObject *const name = type ? PyObject_GetAttrString(type, "name") : NULL;
    const int is_so = name && PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "bfloat16") == 0;
    PyErr_Clear();
    Py_XDECREF(name);
    Py_XDECREF(type);
    return is_so;
}

/* For ml_dtypes.bfloat16 alone: other types have buffers. */
int operand_from_interface(operand *of, PyObject *object, const char *name)
{
    PyObject *const capsule = PyObject_GetAttrString(object, "__array_struct__");
    if (!capsule) {
        PyErr_Clear();
        return -1;
    }
    of->interface = capsule;
    const array_interface *const found = PyCapsule_CheckExact(capsule) ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    if (!found || found->two != 2 || found->ndim > MAX_DIMS) {
        PyErr_Clear();
        core_refuse(LAY_ERR_ARGUMENT, "%s: what __array_struct__ gave is none", name);
        return 0;
    }
    if (!is_bfloat16(object) || found->itemsize != 2 || !(found->flags & IS_NATIVE)) {
        refuse_format(object, "?", name);
        return 0;
    }
    of->type = LAY_BF16;
    of->data = found->data;
    of->ndim = found->ndim;
    of->is_read_only = !(found->flags & IS_WRITABLE);
    return operand_set_strides(of, name, found->extents, found->strides);
}
