/* The extension module layoutgemm._core: types, functions, and what the library says of itself. */
#include "core.h"

PyObject *core_helper(const char *name)
{
    static PyObject *module; /* for good */
    if (!module)
        module = PyImport_ImportModule("layoutgemm._arrays");
    PyObject *const found = module ? PyObject_GetAttrString(module, name) : NULL;
    return found;
}

static PyObject *version(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return PyUnicode_FromString(lay_version());
}

static PyObject *machine(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    const int length = lay_machine_explain(NULL, 0);
    char *const room = length >= 0 ? PyMem_Malloc((size_t)length + 1) : NULL;
    if (!room)
        return PyErr_NoMemory();
    lay_machine_explain(room, (size_t)length + 1);
    PyObject *const made = PyUnicode_FromString(room);
    PyMem_Free(room);
    return made;
}

static PyObject *cache_clear(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    Py_BEGIN_ALLOW_THREADS lay_cache_clear();
    Py_END_ALLOW_THREADS return Py_NewRef(Py_None);
}

static PyObject *copies(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return PyLong_FromLongLong(core_copies);
}

#define WITH_KEYWORDS(function) (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS

static PyMethodDef functions[] = {
    { "matmul", WITH_KEYWORDS(core_matmul),
      "matmul(a, b, /, out=None, *, alpha=1, beta=0, layouts=None, options=None)\n\n"
      "alpha a @ b + beta out, as numpy.matmul has it, on arrays of any strides; nothing is copied. layouts, (of a, of "
      "b, of out), say how indices map to storage where strides cannot." },
    { "contract", WITH_KEYWORDS(core_contract),
      "contract(labels, a, b, out=None, *, alpha=1, beta=0, conjugated=0, layouts=None, options=None): for einsum" },
    { "copy", WITH_KEYWORDS(core_copy),
      "copy(src, out, *, alpha=None, beta=None, conj=False, layouts=None, options=None)\n\n"
      "out = alpha src + beta out, element by element, whatever the two strides, layouts and types." },
    { "version", version, METH_NOARGS, "version(): of the library" },
    { "machine", machine, METH_NOARGS, "machine(): what the library found, as text" },
    { "cache_clear", cache_clear, METH_NOARGS, "cache_clear(): frees remembered plans and idle workspaces" },
    { "copies", copies, METH_NOARGS,
      "copies(): how many arrays were copied for a call since the start: none by this package; it counts those of "
      "libraries that hand over a copy where they were asked for their memory" },
    { NULL, NULL, 0, NULL },
};

static struct PyModuleDef definition = { PyModuleDef_HEAD_INIT, .m_name = "layoutgemm._core", .m_size = -1,
                                         .m_methods = functions };

static PyTypeObject *add_type(PyObject *module, PyType_Spec *spec)
{
    PyObject *const type = PyType_FromSpec(spec);
    if (type && PyModule_AddType(module, (PyTypeObject *)type) == 0)
        return (PyTypeObject *)type;
    Py_XDECREF(type);
    return NULL;
}

PyMODINIT_FUNC PyInit__core(void); /* Python declares it nowhere */

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *const module = PyModule_Create(&definition);
    if (module && core_add_error(module) && (layout_type = add_type(module, &layout_spec)) &&
        (options_type = add_type(module, &options_spec)) && (plan_type = add_type(module, &plan_spec)) &&
        (packed_type = add_type(module, &packed_spec)))
        return module;
    Py_XDECREF(module);
    return NULL;
}
