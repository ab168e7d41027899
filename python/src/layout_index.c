/* layout[...]: whole numbers, slices and an ellipsis, one a root dimension, as with an array. */
#include "core.h"

/* The dimensions of the result on their way: those that stay, and those of one index that became part of another. */
typedef struct picked {
    lay_desc *kept[MAX_DIMS], *dropped[MAX_DIMS];
    int kept_count, dropped_count;
} picked;

static void forget(picked *of)
{
    for (int i = 0; i < of->kept_count; i++)
        lay_desc_destroy(of->kept[i]);
    for (int i = 0; i < of->dropped_count; i++)
        lay_desc_destroy(of->dropped[i]);
}

/* Every step-th index of a dimension: the first parts of tiles of step. */
static lay_status take_steps(lay_desc **dim, int64_t step)
{
    lay_desc *tiled, *made;
    lay_status status = lay_desc_tile(*dim, &step, &tiled);
    if (status != LAY_OK)
        return status;
    status = lay_desc_dim(tiled, "0_0", &made);
    lay_desc_destroy(tiled);
    if (status != LAY_OK)
        return status;
    lay_desc_destroy(*dim);
    *dim = made;
    return LAY_OK;
}

/* What `key` says about root dimension number of desc. 0 with an exception. */
static int pick(const lay_desc *desc, int number, PyObject *key, picked *out)
{
    char path[16];
    PyOS_snprintf(path, sizeof path, "%d", number);
    const int64_t extent = lay_desc_extent(desc, path);
    Py_ssize_t start = 0, stop = extent, step = 1, count = extent;
    const int is_slice = !key || PySlice_Check(key);
    if (key && is_slice) {
        if (PySlice_Unpack(key, &start, &stop, &step) < 0)
            return 0;
        count = PySlice_AdjustIndices(extent, &start, &stop, step);
    } else if (key) {
        const Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
        if (index == -1 && PyErr_Occurred())
            return 0;
        start = index < 0 ? index + extent : index;
        count = 1;
        if (start < 0 || start >= extent) {
            PyErr_Format(PyExc_IndexError, "index %zd of dimension %d, which has %lld", index, number,
                         (long long)extent);
            return 0;
        }
    }
    if (step < 0) {
        PyErr_Format(PyExc_IndexError, "a layout is not reversed by a slice: dimension %d, step %zd", number, step);
        return 0;
    }
    lay_desc *whole, *part;
    lay_status status = lay_desc_dim(desc, path, &whole);
    if (status == LAY_OK) {
        status = lay_desc_slice(whole, 0, start, count > 1 ? (count - 1) * step + 1 : count, &part);
        lay_desc_destroy(whole);
    }
    if (status == LAY_OK && step > 1 && count > 1 && (status = take_steps(&part, step)) != LAY_OK)
        lay_desc_destroy(part);
    if (status != LAY_OK) {
        core_raise(status);
        return 0;
    }
    if (is_slice)
        out->kept[out->kept_count++] = part;
    else
        out->dropped[out->dropped_count++] = part;
    return 1;
}

/* An element's offset: that of the only index of all parts. */
static PyObject *offset_of(const picked *of)
{
    int64_t sum = 0;
    const int64_t first = 0;
    for (int i = 0; i < of->dropped_count; i++)
        sum += lay_desc_offset(of->dropped[i], 1, &first);
    return PyLong_FromLongLong(sum);
}

/* Dropped dimensions have one index each, and where it lies: they become parts of the first that stays. */
static PyObject *join(picked *of)
{
    const lay_desc *parts[MAX_DIMS + 1];
    lay_desc *first = NULL, *made = NULL;
    lay_status status = LAY_OK;
    for (int i = 0; i < of->dropped_count; i++)
        parts[i] = of->dropped[i];
    parts[of->dropped_count] = of->kept[0];
    if (of->dropped_count > 0)
        status = lay_desc_join(of->dropped_count + 1, parts, &first);
    for (int i = 0; i < of->kept_count; i++)
        parts[i] = i == 0 && first ? first : of->kept[i];
    if (status == LAY_OK)
        status = lay_desc_join(of->kept_count, parts, &made);
    lay_desc_destroy(first);
    return status == LAY_OK ? layout_make(made) : core_raise(status);
}

static PyObject *index_by(const lay_desc *desc, PyObject *keys)
{
    const int rank = lay_desc_rank(desc);
    const Py_ssize_t count = PyTuple_Size(keys);
    Py_ssize_t named = 0;
    for (Py_ssize_t i = 0; i < count; i++)
        named += PyTuple_GetItem(keys, i) != Py_Ellipsis;
    if (named > rank || rank > MAX_DIMS || count - named > 1)
        return PyErr_Format(PyExc_IndexError, "%zd indices and %zd ellipses for a layout of rank %d", named,
                            count - named, rank);
    picked found = { .kept_count = 0 };
    int dim = 0, is_good = 1;
    for (Py_ssize_t i = 0; i < count && is_good; i++) {
        PyObject *const key = PyTuple_GetItem(keys, i);
        const int times = key == Py_Ellipsis ? rank - (int)named : 1;
        for (int j = 0; j < times && is_good; j++)
            is_good = pick(desc, dim++, key == Py_Ellipsis ? NULL : key, &found);
    }
    while (is_good && dim < rank)
        is_good = pick(desc, dim++, NULL, &found);
    PyObject *const made = !is_good ? NULL : found.kept_count > 0 ? join(&found) : offset_of(&found);
    forget(&found);
    return made;
}

PyObject *layout_index(PyObject *self, PyObject *key)
{
    const lay_desc *const desc = ((layout_object *)self)->desc;
    if (PyTuple_Check(key))
        return index_by(desc, key);
    PyObject *const keys = PyTuple_Pack(1, key);
    PyObject *const made = keys ? index_by(desc, keys) : NULL;
    Py_XDECREF(keys);
    return made;
}
