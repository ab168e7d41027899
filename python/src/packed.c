/* Packed: an operand that meets many others, prepared once. */
#include "core.h"

PyTypeObject *packed_type;

PyObject *packed_make(lay_packed *packed)
{
    const allocfunc allocate = (allocfunc)PyType_GetSlot(packed_type, Py_tp_alloc);
    packed_object *const made = (packed_object *)allocate(packed_type, 0);
    if (made)
        made->packed = packed;
    else
        lay_packed_destroy(packed);
    return (PyObject *)made;
}

static void destroy(PyObject *self)
{
    PyTypeObject *const type = Py_TYPE(self);
    lay_packed_destroy(((packed_object *)self)->packed);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *nbytes(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(lay_packed_size(((packed_object *)self)->packed));
}

static PyGetSetDef attributes[] = {
    { "nbytes", nbytes, NULL, "bytes of memory that it holds", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc, "An operand that a plan packed (Plan.pack), for its place in the call of any plan that fits." },
    { Py_tp_dealloc, destroy },
    { Py_tp_getset, attributes },
    { 0, NULL },
};

PyType_Spec packed_spec = { .name = "layoutgemm.Packed",
                            .basicsize = sizeof(packed_object),
                            .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                            .slots = slots };
