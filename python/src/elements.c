/* Element types by name, and scalars of them. */
#include <string.h>

#include "core.h"

static const struct {
    const char *name;
    lay_type type;
} types[] = { { "float32", LAY_F32 },   { "float64", LAY_F64 },   { "float16", LAY_F16 },
              { "bfloat16", LAY_BF16 }, { "complex64", LAY_C32 }, { "complex128", LAY_C64 } };

const char *core_type_name(lay_type type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].type == type)
            return types[i].name;
    return "no type";
}

static int read_name(const char *name, lay_type *type)
{
    const char *const dot = strrchr(name, '.'); /* "torch.float32" */
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, dot ? dot + 1 : name) == 0) {
            *type = types[i].type;
            return 1;
        }
    return 0;
}

/* What the object says of itself: numpy.dtype has a name, numpy.float32 a __name__, torch.float32 only a text. */
static PyObject *find_name(PyObject *of)
{
    static const char *const attributes[] = { "name", "__name__" };
    if (PyUnicode_Check(of))
        return Py_NewRef(of);
    for (int i = 0; i < 2; i++) {
        PyObject *const name = PyObject_GetAttrString(of, attributes[i]);
        if (name && PyUnicode_Check(name))
            return name;
        Py_XDECREF(name);
        PyErr_Clear();
    }
    return PyObject_Str(of);
}

int core_type_read(PyObject *name, lay_type *type)
{
    PyObject *const text = find_name(name);
    const char *const utf8 = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    const int is_known = utf8 && read_name(utf8, type);
    Py_XDECREF(text);
    if (!is_known && !PyErr_Occurred())
        core_refuse(LAY_ERR_TYPE,
                    "%R is no element type: float32, float64, float16, bfloat16, complex64 and complex128 are", name);
    return is_known;
}

static int is_double(lay_type type)
{
    return type == LAY_F64 || type == LAY_C64;
}

static int is_complex(lay_type type)
{
    return type == LAY_C32 || type == LAY_C64;
}

lay_type core_scalar_type(lay_type a, lay_type b, lay_type c)
{
    const int is_wide = is_double(a) || is_double(b) || is_double(c);
    if (is_complex(c))
        return is_wide ? LAY_C64 : LAY_C32;
    return is_wide ? LAY_F64 : LAY_F32;
}

int core_scalar_read(PyObject *number, double usual, lay_type type, core_scalar *scalar)
{
    double parts[2] = { usual, 0 };
    if (number && PyUnicode_Check(number)) { /* which complex() would read */
        PyErr_Format(PyExc_TypeError, "alpha and beta are numbers, not %R", number);
        return 0;
    }
    if (number && is_complex(type)) {
        /* Of any number, by its own __complex__ or __float__. */
        PyObject *const made = PyObject_CallFunctionObjArgs((PyObject *)&PyComplex_Type, number, NULL);
        if (!made)
            return 0;
        parts[0] = PyComplex_RealAsDouble(made);
        parts[1] = PyComplex_ImagAsDouble(made);
        Py_DECREF(made);
    } else if (number && (parts[0] = PyFloat_AsDouble(number)) == -1 && PyErr_Occurred()) {
        return 0;
    }
    for (int i = 0; i < 2; i++)
        if (is_double(type))
            scalar->f64[i] = parts[i];
        else
            scalar->f32[i] = (float)parts[i];
    return 1;
}
