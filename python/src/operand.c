/* Arrays of any library, as an address with extents and strides: nothing is copied. */
#include "core.h"

int operand_set_strides(operand *of, const char *name, const Py_ssize_t extents[], const Py_ssize_t strides[])
{
    const Py_ssize_t size = (Py_ssize_t)lay_type_size(of->type);
    for (int i = 0; i < of->ndim; i++) {
        of->extents[i] = extents[i];
        of->strides[i] = extents[i] > 1 ? strides[i] / size : 0;
        if (extents[i] > 1 && strides[i] % size != 0) {
            core_refuse(LAY_ERR_ARGUMENT, "%s: dimension %d has a stride of %zd bytes, which is no multiple of %zd",
                        name, i, strides[i], size);
            return 0;
        }
    }
    return 1;
}

int operand_measure(operand *of, const char *name)
{
    const int is_complex = of->type == LAY_C32 || of->type == LAY_C64;
    const size_t alignment = lay_type_size(of->type) / (is_complex ? 2 : 1);
    int is_empty = 0;
    of->lowest = of->highest = 0;
    for (int i = 0; i < of->ndim; i++) {
        int64_t reach, *const end = of->strides[i] < 0 ? &of->lowest : &of->highest;
        if (of->extents[i] < 2) {
            of->strides[i] = 0; /* whatever it was: plans compare them */
            is_empty |= of->extents[i] == 0;
        } else if (__builtin_mul_overflow(of->extents[i] - 1, of->strides[i], &reach) ||
                   __builtin_add_overflow(*end, reach, end)) {
            core_refuse(LAY_ERR_OVERFLOW, "%s: dimension %d reaches further than 63 bits do", name, i);
            return 0;
        }
    }
    if (is_empty) {
        of->lowest = 0;
        of->highest = -1;
    } else if ((uintptr_t)of->data % alignment != 0) {
        core_refuse(LAY_ERR_ARGUMENT, "%s: its elements do not lie at multiples of %zu bytes", name, alignment);
        return 0;
    }
    return 1;
}

int operand_take(operand *of, PyObject *object, const char *name, PyObject *stream)
{
    *of = (operand){ .data = NULL };
    int is_taken = -1; /* by no way so far */
    if (PyObject_CheckBuffer(object))
        is_taken = operand_from_buffer(of, object, name);
    if (is_taken < 0)
        is_taken = operand_from_interface(of, object, name);
    if (is_taken < 0)
        is_taken = operand_from_dlpack(of, object, name, stream);
    if (is_taken < 0)
        PyErr_Format(PyExc_TypeError, "%s is no array: %R has neither a buffer nor __dlpack__", name,
                     (PyObject *)Py_TYPE(object));
    if (is_taken == 1 && operand_measure(of, name))
        return 1;
    operand_release(of);
    return 0;
}

/* A producer's own code runs here: it must not meet an exception that is on its way. */
static void give_back(operand *of)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (of->managed && of->managed->destroy)
        of->managed->destroy(of->managed);
    if (of->versioned && of->versioned->destroy)
        of->versioned->destroy(of->versioned);
    of->managed = NULL;
    of->versioned = NULL;
    PyErr_Restore(type, value, trace);
}

void operand_release(operand *of)
{
    if (of->buffer.obj)
        PyBuffer_Release(&of->buffer);
    Py_CLEAR(of->interface);
    if (of->managed || of->versioned)
        give_back(of);
}

lay_desc *operand_desc(const operand *of)
{
    lay_desc *desc = NULL;
    const lay_status status = lay_desc_strided(of->ndim, of->extents, of->strides, &desc);
    return status == LAY_OK ? desc : (lay_desc *)core_raise(status);
}

int operand_holds(const operand *of, int64_t lowest, int64_t highest, const char *name)
{
    if (highest < lowest || (lowest >= of->lowest && highest <= of->highest))
        return 1;
    core_refuse(LAY_ERR_EXTENT,
                "%s: its layout has offsets from %lld to %lld, and the array has those from %lld to %lld", name,
                (long long)lowest, (long long)highest, (long long)of->lowest, (long long)of->highest);
    return 0;
}

int operand_is_writable(const operand *of, const char *name)
{
    if (of->is_read_only)
        core_refuse(LAY_ERR_ARGUMENT, "%s is read-only", name);
    return !of->is_read_only;
}
