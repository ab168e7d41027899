/* The extension module layoutgemm._core: types, functions, and what the library says of itself. */
#include "core.h"

#include <limits.h>

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

static PyObject *commit(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return PyUnicode_FromString(lay_version_commit());
}

/* What one of the library's functions that work as snprintf writes. */
static PyObject *read_text(int (*write)(char *text, size_t size))
{
    const int length = write(NULL, 0);
    char *const room = length >= 0 ? PyMem_Malloc((size_t)length + 1) : NULL;
    if (!room)
        return PyErr_NoMemory();
    write(room, (size_t)length + 1);
    PyObject *const made = PyUnicode_FromString(room);
    PyMem_Free(room);
    return made;
}

static PyObject *machine(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return read_text(lay_machine_explain);
}

static PyObject *implementations(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return read_text(lay_implementations);
}

static PyObject *cache_clear(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    Py_BEGIN_ALLOW_THREADS lay_cache_clear();
    Py_END_ALLOW_THREADS return Py_NewRef(Py_None);
}

static PyObject *cache_limit(PyObject *module, PyObject *argument)
{
    (void)module;
    const long plans = PyLong_AsLong(argument);
    if (plans == -1 && PyErr_Occurred())
        return NULL;
    const int limit = plans < INT_MIN ? INT_MIN : plans > INT_MAX ? INT_MAX : (int)plans;
    lay_status status;
    Py_BEGIN_ALLOW_THREADS status = lay_cache_limit(limit);
    Py_END_ALLOW_THREADS return status == LAY_OK ? Py_NewRef(Py_None) : core_raise(status);
}

static PyObject *cache_info(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    int plans, limit;
    lay_cache_query(&plans, &limit);
    return Py_BuildValue("(ii)", plans, limit);
}

/* By a path of any kind that os.fspath takes. */
static PyObject *with_file(PyObject *argument, lay_status (*call)(const char *path))
{
    PyObject *path;
    lay_status status;
    if (!PyUnicode_FSConverter(argument, &path))
        return NULL;
    const char *const name = PyBytes_AsString(path);
    Py_BEGIN_ALLOW_THREADS status = call(name);
    Py_END_ALLOW_THREADS Py_DECREF(path);
    return status == LAY_OK ? Py_NewRef(Py_None) : core_raise(status);
}

static PyObject *tuning_load(PyObject *module, PyObject *path)
{
    (void)module;
    return with_file(path, lay_tuning_load);
}

static PyObject *tuning_save(PyObject *module, PyObject *path)
{
    (void)module;
    return with_file(path, lay_tuning_save);
}

static PyObject *tuning_forget(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    lay_tuning_forget();
    return Py_NewRef(Py_None);
}

static PyObject *copies(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return PyLong_FromLongLong(core_copies);
}

#define WITH_KEYWORDS(function) (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS

static PyMethodDef functions[] = {
    { "matmul", WITH_KEYWORDS(core_matmul),
      "matmul(a, b, /, out=None, *, alpha=1, beta=0, layouts=None, options=None)\n--\n\n"
      "alpha a @ b + beta out, as numpy.matmul has it, on arrays of any strides; nothing is copied. layouts, (of a, of "
      "b, of out), say how indices map to storage where strides cannot." },
    { "contract", WITH_KEYWORDS(core_contract),
      "contract(labels, a, b, /, out=None, *, alpha=1, beta=0, conjugated=0, layouts=None, options=None, ending=None)"
      "\n--\n\nFor einsum" },
    { "copy", WITH_KEYWORDS(core_copy),
      "copy(src, /, out, *, alpha=1, beta=0, conj=False, layouts=None, options=None)\n--\n\n"
      "out = alpha src + beta out, element by element, whatever the two strides, layouts and types." },
    { "run_groups", core_run_groups, METH_O,
      "run_groups(groups, /)\n--\n\nOf each (plan, a, b, out, alpha=1, beta=0) what plan.run_many does, in one call" },
    { "draw", core_draw, METH_VARARGS, "draw(layout, title, by, type, zoom, grid, /)\n--\n\nAn SVG, for show" },
    { "version", version, METH_NOARGS, "version()\n--\n\nThe library's" },
    { "commit", commit, METH_NOARGS, "commit()\n--\n\nThe one that the library was built from; 'unknown' without git" },
    { "machine", machine, METH_NOARGS, "machine()\n--\n\nWhat the library found, as text" },
    { "implementations", implementations, METH_NOARGS, "implementations()\n--\n\nWays and kernels, lines of CSV" },
    { "cache_clear", cache_clear, METH_NOARGS, "cache_clear()\n--\n\nFrees remembered plans and idle workspaces" },
    { "cache_limit", cache_limit, METH_O, "cache_limit(plans, /)\n--\n\nHow many plans are remembered, 0 to 1024" },
    { "cache_info", cache_info, METH_NOARGS, "cache_info()\n--\n\nPlans that are remembered, and how many may be" },
    { "tuning_load", tuning_load, METH_O,
      "tuning_load(path, /)\n--\n\nAdds a file's tuned plans to what is remembered" },
    { "tuning_save", tuning_save, METH_O, "tuning_save(path, /)\n--\n\nWrites all that was measured or loaded" },
    { "tuning_forget", tuning_forget, METH_NOARGS, "tuning_forget()\n--\n\nForgets what was measured or loaded" },
    { "copies", copies, METH_NOARGS,
      "copies()\n--\n\n"
      "How many arrays were copied for a call since the start: none by this package; it counts those of libraries that "
      "hand over a copy where they were asked for their memory" },
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
