/* Layout: a descriptor as an object of Python, immutable as it is. */
#include <stdlib.h>

#include "core.h"

PyTypeObject *layout_type;

PyObject *layout_make(lay_desc *desc)
{
    const allocfunc allocate = desc ? (allocfunc)PyType_GetSlot(layout_type, Py_tp_alloc) : NULL;
    layout_object *const made = allocate ? (layout_object *)allocate(layout_type, 0) : NULL;
    if (made)
        made->desc = desc;
    else
        lay_desc_destroy(desc);
    return (PyObject *)made;
}

/* What a call of the library made, or why it did not. */
static PyObject *made_by(lay_status status, lay_desc *desc)
{
    return status == LAY_OK ? layout_make(desc) : core_raise(status);
}

static const lay_desc *desc_of(PyObject *self)
{
    return ((layout_object *)self)->desc;
}

int layout_read(PyObject *object, const char *name, const lay_desc **desc)
{
    *desc = NULL;
    if (!object || Py_IsNone(object))
        return 1;
    if (!PyObject_TypeCheck(object, layout_type)) {
        PyErr_Format(PyExc_TypeError, "%s must be a Layout or None", name);
        return 0;
    }
    *desc = desc_of(object);
    return 1;
}

/* ---- made --------------------------------------------------------------------------------------- */

static PyObject *parse(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "text", NULL };
    const char *text;
    lay_desc *desc = NULL;
    (void)type;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "s:Layout", names, &text))
        return NULL;
    const lay_status status = lay_desc_parse(text, &desc);
    return made_by(status, desc);
}

static PyObject *of(PyObject *type, PyObject *array)
{
    operand taken;
    (void)type;
    PyObject *const stream = PyLong_FromLong(-1); /* its elements are not looked at */
    if (!stream || !operand_take(&taken, array, "array", stream)) {
        Py_XDECREF(stream);
        return NULL;
    }
    lay_desc *const desc = operand_desc(&taken);
    operand_release(&taken);
    Py_DECREF(stream);
    return layout_make(desc);
}

static PyObject *natural(PyObject *type, PyObject *args)
{
    int64_t extents[MAX_DIMS];
    lay_desc *desc = NULL;
    (void)type;
    const int rank = core_numbers_read(args, MAX_DIMS, extents, "extents");
    if (rank < 0)
        return NULL;
    const lay_status status = lay_desc_natural(rank, extents, &desc);
    return made_by(status, desc);
}

static PyObject *strided(PyObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "extents", "strides", NULL };
    PyObject *first, *second;
    int64_t extents[MAX_DIMS], strides[MAX_DIMS];
    lay_desc *desc = NULL;
    (void)type;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO:strided", names, &first, &second))
        return NULL;
    const int rank = core_numbers_read(first, MAX_DIMS, extents, "extents");
    const int count = rank < 0 ? -1 : core_numbers_read(second, MAX_DIMS, strides, "strides");
    if (count < 0)
        return NULL;
    if (count != rank)
        return core_refuse(LAY_ERR_RANK, "%d extents and %d strides", rank, count);
    const lay_status status = lay_desc_strided(rank, extents, strides, &desc);
    return made_by(status, desc);
}

static PyObject *join(PyObject *type, PyObject *args)
{
    const Py_ssize_t count = PyTuple_Size(args);
    const lay_desc *parts[MAX_DIMS];
    lay_desc *desc = NULL;
    (void)type;
    if (count > MAX_DIMS)
        return core_refuse(LAY_ERR_RANK, "%zd layouts, and %d are joined at most", count, MAX_DIMS);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *const part = PyTuple_GetItem(args, i);
        if (!layout_read(part, "each of join's arguments", &parts[i]))
            return NULL;
        if (!parts[i])
            return PyErr_Format(PyExc_TypeError, "join takes layouts");
    }
    const lay_status status = lay_desc_join((int)count, parts, &desc);
    return made_by(status, desc);
}

/* ---- views ------------------------------------------------------------------------------------- */

/* permute(1, 0) or permute((1, 0)). */
static PyObject *only_sequence(PyObject *args)
{
    PyObject *const first = PyTuple_Size(args) == 1 ? PyTuple_GetItem(args, 0) : NULL;
    return first && PySequence_Check(first) ? first : args;
}

static PyObject *permute(PyObject *self, PyObject *args)
{
    int64_t numbers[MAX_DIMS];
    int perm[MAX_DIMS];
    lay_desc *desc = NULL;
    const int count = core_numbers_read(only_sequence(args), MAX_DIMS, numbers, "axes"),
              rank = lay_desc_rank(desc_of(self));
    if (count < 0)
        return NULL;
    if (count != 0 && count != rank)
        return core_refuse(LAY_ERR_RANK, "%d axes, and the layout has rank %d", count, rank);
    for (int i = 0; i < count; i++)
        perm[i] =
            numbers[i] < -rank || numbers[i] >= rank ? -1 : (int)(numbers[i] < 0 ? numbers[i] + rank : numbers[i]);
    const lay_status status = lay_desc_permute(desc_of(self), count ? perm : NULL, &desc);
    return made_by(status, desc);
}

static PyObject *transpose(PyObject *self, void *closure)
{
    lay_desc *desc = NULL;
    (void)closure;
    const lay_status status = lay_desc_permute(desc_of(self), NULL, &desc);
    return made_by(status, desc);
}

static PyObject *split(PyObject *self, PyObject *args)
{
    PyObject *sequence;
    int dim;
    int64_t extents[MAX_DIMS];
    lay_desc *desc = NULL;
    if (!PyArg_ParseTuple(args, "iO:split", &dim, &sequence))
        return NULL;
    const int count = core_numbers_read(sequence, MAX_DIMS, extents, "extents");
    if (count < 0)
        return NULL;
    const lay_status status =
        lay_desc_split(desc_of(self), dim < 0 ? dim + lay_desc_rank(desc_of(self)) : dim, count, extents, &desc);
    return made_by(status, desc);
}

/* As many numbers as there are root dimensions. 0 with an exception. */
static int read_each(PyObject *self, PyObject *args, int64_t numbers[], const char *name)
{
    const int rank = lay_desc_rank(desc_of(self));
    const int count = core_numbers_read(only_sequence(args), MAX_DIMS, numbers, name);
    if (count >= 0 && count != rank)
        core_refuse(LAY_ERR_RANK, "%d %s, and the layout has rank %d", count, name, rank);
    return count == rank;
}

static PyObject *tile(PyObject *self, PyObject *args)
{
    int64_t extents[MAX_DIMS];
    lay_desc *desc = NULL;
    if (!read_each(self, args, extents, "tile extents"))
        return NULL;
    const lay_status status = lay_desc_tile(desc_of(self), extents, &desc);
    return made_by(status, desc);
}

static PyObject *tile_at(PyObject *self, PyObject *args)
{
    int64_t coords[MAX_DIMS], offset = 0;
    lay_desc *desc = NULL;
    if (!read_each(self, args, coords, "coordinates"))
        return NULL;
    const lay_status status = lay_desc_tile_at(desc_of(self), coords, &desc, &offset);
    PyObject *const made = made_by(status, desc);
    return made ? Py_BuildValue("(NL)", made, (long long)offset) : NULL;
}

static PyObject *part(PyObject *self, PyObject *args)
{
    const char *path;
    lay_desc *desc = NULL;
    if (!PyArg_ParseTuple(args, "s:part", &path))
        return NULL;
    const lay_status status = lay_desc_dim(desc_of(self), path, &desc);
    return made_by(status, desc);
}

/* ---- questions --------------------------------------------------------------------------------- */

static PyObject *extent_at(const lay_desc *desc, const char *path)
{
    const int64_t found = lay_desc_extent(desc, path);
    return found < 0 ? core_raise(LAY_ERR_REFERENCE) : PyLong_FromLongLong(found);
}

/* What `answer` says of each root dimension. */
static PyObject *of_each(PyObject *self, PyObject *(*answer)(const lay_desc *desc, const char *path))
{
    const int rank = lay_desc_rank(desc_of(self));
    PyObject *const made = PyTuple_New(rank);
    char path[16];
    for (int i = 0; made && i < rank; i++) {
        PyOS_snprintf(path, sizeof path, "%d", i);
        PyObject *const item = answer(desc_of(self), path);
        if (!item || PyTuple_SetItem(made, i, item) < 0) {
            Py_DECREF(made);
            return NULL;
        }
    }
    return made;
}

static PyObject *extents(PyObject *self, void *closure)
{
    (void)closure;
    return of_each(self, extent_at);
}

static PyObject *stride_at(const lay_desc *desc, const char *path)
{
    int64_t stride;
    const int answer = lay_desc_stride(desc, path, &stride);
    if (answer < 0)
        return core_raise(LAY_ERR_REFERENCE);
    return answer ? PyLong_FromLongLong(stride) : Py_NewRef(Py_None);
}

static PyObject *strides(PyObject *self, void *closure)
{
    (void)closure;
    return of_each(self, stride_at);
}

static PyObject *size(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLongLong(lay_desc_extent(desc_of(self), ""));
}

static PyObject *rank(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(lay_desc_rank(desc_of(self)));
}

static PyObject *span(PyObject *self, void *closure)
{
    int64_t ends[2];
    (void)closure;
    lay_desc_span(desc_of(self), &ends[0], &ends[1]);
    return core_tuple(2, ends);
}

static PyObject *is_injective(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(lay_desc_is_injective(desc_of(self)) == 1);
}

static PyObject *extent(PyObject *self, PyObject *args)
{
    const char *path = "";
    if (!PyArg_ParseTuple(args, "|s:extent", &path))
        return NULL;
    return extent_at(desc_of(self), path);
}

static PyObject *parts(PyObject *self, PyObject *args)
{
    const char *path = "";
    if (!PyArg_ParseTuple(args, "|s:parts", &path))
        return NULL;
    const int found = lay_desc_parts(desc_of(self), path);
    return found < 0 ? core_raise(LAY_ERR_REFERENCE) : PyLong_FromLong(found);
}

static PyObject *stride(PyObject *self, PyObject *args)
{
    const char *path = "";
    return PyArg_ParseTuple(args, "|s:stride", &path) ? stride_at(desc_of(self), path) : NULL;
}

static PyObject *is_contiguous(PyObject *self, PyObject *args)
{
    const char *path = "";
    if (!PyArg_ParseTuple(args, "|s:is_contiguous", &path))
        return NULL;
    const int found = lay_desc_is_contiguous(desc_of(self), path);
    return found < 0 ? core_raise(LAY_ERR_REFERENCE) : PyBool_FromLong(found);
}

static PyObject *offset(PyObject *self, PyObject *args)
{
    int64_t index[2 * MAX_DIMS];
    const int count = core_numbers_read(only_sequence(args), 2 * MAX_DIMS, index, "indices");
    if (count < 0)
        return NULL;
    const int64_t found = lay_desc_offset(desc_of(self), count, index);
    return found == LAY_NO_OFFSET ? core_raise(LAY_ERR_EXTENT) : PyLong_FromLongLong(found);
}

/* ---- as any object of Python -------------------------------------------------------------------- */

static PyObject *text(PyObject *self)
{
    const int length = lay_desc_format(desc_of(self), NULL, 0);
    char *const room = length >= 0 ? PyMem_Malloc((size_t)length + 1) : NULL;
    if (!room)
        return PyErr_NoMemory();
    lay_desc_format(desc_of(self), room, (size_t)length + 1);
    PyObject *const made = PyUnicode_FromStringAndSize(room, length);
    PyMem_Free(room);
    return made;
}

static PyObject *represent(PyObject *self)
{
    PyObject *const notation = text(self);
    PyObject *const made = notation ? PyUnicode_FromFormat("Layout('%U')", notation) : NULL;
    Py_XDECREF(notation);
    return made;
}

static PyObject *reduce(PyObject *self, PyObject *none)
{
    (void)none;
    PyObject *const notation = text(self);
    return notation ? Py_BuildValue("(O(N))", (PyObject *)layout_type, notation) : NULL;
}

static PyObject *compare(PyObject *self, PyObject *other, int operation)
{
    if (!PyObject_TypeCheck(other, layout_type) || (operation != Py_EQ && operation != Py_NE))
        return Py_NewRef(Py_NotImplemented);
    return PyBool_FromLong((lay_desc_equal(desc_of(self), desc_of(other)) == 1) == (operation == Py_EQ));
}

/* Of what equal layouts have in common, however they are nested: extents, and where some elements are. */
static Py_hash_t hash(PyObject *self)
{
    const int64_t total = lay_desc_extent(desc_of(self), "");
    int64_t places[4] = { total, 0, 0, 0 };
    for (int i = 1; i < 4 && total > 0; i++) {
        const int64_t number = i == 1 ? 0 : i == 2 ? total / 2 : total - 1;
        places[i] = lay_desc_offset(desc_of(self), 1, &number);
    }
    PyObject *const extent_tuple = of_each(self, extent_at), *const place_tuple = core_tuple(4, places);
    PyObject *const both = extent_tuple && place_tuple ? PyTuple_Pack(2, extent_tuple, place_tuple) : NULL;
    const Py_hash_t made = both ? PyObject_Hash(both) : -1;
    Py_XDECREF(both);
    Py_XDECREF(extent_tuple);
    Py_XDECREF(place_tuple);
    return made;
}

static void destroy(PyObject *self)
{
    PyTypeObject *const type = Py_TYPE(self);
    lay_desc_destroy(((layout_object *)self)->desc);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    { "of", of, METH_O | METH_CLASS, "of(array): the layout that its strides are" },
    { "natural", natural, METH_VARARGS | METH_CLASS, "natural(*extents): row-major and dense" },
    { "strided", (PyCFunction)(void (*)(void))strided, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
      "strided(extents, strides): one stride a dimension, in elements" },
    { "join", join, METH_VARARGS | METH_CLASS, "join(*layouts): each, whole, becomes one root dimension" },
    { "permute", permute, METH_VARARGS, "permute(*axes): root dimensions in another order; without axes reversed" },
    { "split", split, METH_VARARGS, "split(dim, extents): root dimension dim in the shape of these extents" },
    { "tile", tile, METH_VARARGS, "tile(*extents): each root dimension n becomes [[ceil(n/t)][t]]" },
    { "tile_at", tile_at, METH_VARARGS, "tile_at(*coords): the tile's own layout, and the offset where it starts" },
    { "part", part, METH_VARARGS, "part(path): the dimension there, such as \"0_1\", as a layout of rank 1" },
    { "extent", extent, METH_VARARGS, "extent(path=\"\"): of the dimension there; of all without one" },
    { "parts", parts, METH_VARARGS, "parts(path=\"\"): how many dimensions the one there has; 0 for a leaf" },
    { "stride", stride, METH_VARARGS, "stride(path=\"\"): of the dimension there; None if it has no constant one" },
    { "is_contiguous", is_contiguous, METH_VARARGS, "is_contiguous(path=\"\"): whether it has unit stride throughout" },
    { "offset", offset, METH_VARARGS,
      "offset(*index): of an element: one index, its number in row-major order; or one a root dimension; or one a "
      "leaf" },
    { "__reduce__", reduce, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef attributes[] = {
    { "T", transpose, NULL, "root dimensions in reverse order", NULL },
    { "extents", extents, NULL, "of the root dimensions", NULL },
    { "strides", strides, NULL, "of the root dimensions; None where there is no constant one", NULL },
    { "size", size, NULL, "the number of elements", NULL },
    { "rank", rank, NULL, "the number of root dimensions", NULL },
    { "span", span, NULL, "the lowest and highest offset; (0, -1) where there is no element", NULL },
    { "is_injective", is_injective, NULL, "whether no two indices share an element, as far as a search can show",
      NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc, "Layout(text): a function from index to element offset, by its notation: '[6][4]', "
                 "'A=[2][2][3][3]; [[#A_0][#A_2]][[#A_1][#A_3]]'." },
    { Py_tp_new, parse },
    { Py_tp_dealloc, destroy },
    { Py_tp_repr, represent },
    { Py_tp_str, text },
    { Py_tp_hash, hash },
    { Py_tp_richcompare, compare },
    { Py_mp_subscript, layout_index },
    { Py_tp_methods, methods },
    { Py_tp_getset, attributes },
    { 0, NULL },
};

PyType_Spec layout_spec = { .name = "layoutgemm.Layout",
                            .basicsize = sizeof(layout_object),
                            .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                            .slots = slots };
