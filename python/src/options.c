/* Options: how a product is computed, and in which stream. */
#include "core.h"

#include <limits.h>

PyTypeObject *options_type;

/* The value of a word in a list that NULL ends, LAY_OPTION's own order; -1 with an exception. */
static int read_word(const char *word, const char *const words[], const char *name)
{
    for (int i = 0; words[i]; i++)
        if (PyOS_stricmp(words[i], word) == 0)
            return i;
    core_refuse(LAY_ERR_OPTION, "%s has no value '%s'", name, word);
    return -1;
}

static int read_words(lay_options *options, const char *backend, const char *compute, const char *isa,
                      const char *effort)
{
    static const char *const backends[] = { "auto", "cpu", "cuda", NULL }, *const computes[] = { "auto",   "strict",
                                                                                                 "split",  "tf32",
                                                                                                 "bf16",   "fp16",
                                                                                                 "bf16x3", NULL },
                             *const isas[] = { "auto", "c", "avx2", "avx512", "amx", NULL },
                             *const efforts[] = { "estimate", "measure", NULL };
    const int values[] = { read_word(backend, backends, "backend"), read_word(compute, computes, "compute"),
                           read_word(isa, isas, "isa"), read_word(effort, efforts, "effort") };
    options->backend = (lay_backend)values[0];
    options->compute = (lay_compute)values[1];
    options->isa = (lay_isa)values[2];
    options->effort = (lay_effort)values[3];
    return values[0] >= 0 && values[1] >= 0 && values[2] >= 0 && values[3] >= 0;
}

/* A text, or names of which it is made: new bytes, or NULL with an exception. */
static PyObject *read_skip(PyObject *skip)
{
    if (PyUnicode_Check(skip))
        return PyUnicode_AsUTF8String(skip);
    PyObject *const separator = PyUnicode_FromString(";");
    PyObject *const joined = separator ? PyUnicode_Join(separator, skip) : NULL;
    PyObject *const bytes = joined ? PyUnicode_AsUTF8String(joined) : NULL;
    Py_XDECREF(separator);
    Py_XDECREF(joined);
    return bytes;
}

/* *text: what points into *bytes, NULL for none. 0 with an exception. */
static int keep_text(PyObject *made, const char **text, PyObject **bytes)
{
    *bytes = made;
    *text = made ? PyBytes_AsString(made) : NULL;
    return made != NULL && *text != NULL;
}

/* Whole numbers, which the library judges. 0 with an exception. */
static int read_devices(PyObject *sequence, options_object *made)
{
    int64_t numbers[LAY_DEVICES_MOST];
    const int count = core_numbers_read(sequence, LAY_DEVICES_MOST, numbers, "devices");
    for (int i = 0; i < count; i++) {
        if (numbers[i] < INT_MIN || numbers[i] > INT_MAX) {
            core_refuse(LAY_ERR_OPTION, "devices[%d] is %lld, which is no device", i, (long long)numbers[i]);
            return 0;
        }
        made->devices[i] = (int)numbers[i];
    }
    made->options.devices = made->devices;
    made->options.device_count = count;
    return count >= 0;
}

static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "threads", "backend", "compute", "isa",  "device",    "stream",  "kernel", "device_memory",
                             "effort",  "time",    "skip",    "grid", "alignment", "devices", NULL };
    lay_options options = LAY_OPTIONS_INIT;
    const char *backend = "auto", *compute = "auto", *isa = "auto", *effort = "estimate", *kernel = NULL;
    PyObject *stream = Py_None, *skip = Py_None, *devices = Py_None;
    Py_ssize_t device_memory = 0, alignment = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$isssiOznsdO(ii)nO:Options", names, &options.threads, &backend,
                                     &compute, &isa, &options.device, &stream, &kernel, &device_memory, &effort,
                                     &options.effort_seconds, &skip, &options.grid_m, &options.grid_n, &alignment,
                                     &devices) ||
        !read_words(&options, backend, compute, isa, effort))
        return NULL;
    if (!Py_IsNone(stream) && !PyLong_Check(stream))
        return PyErr_Format(PyExc_TypeError, "stream must be a whole number, a cudaStream_t, or None");
    if (device_memory < 0)
        return core_refuse(LAY_ERR_OPTION, "device_memory is %zd", device_memory);
    if (alignment < 0)
        return core_refuse(LAY_ERR_OPTION, "alignment is %zd", alignment);
    options.device_memory = (size_t)device_memory;
    options.alignment = (size_t)alignment;
    options_object *const made = (options_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!made)
        return NULL;
    made->options = options;
    made->stream = Py_NewRef(stream);
    if ((kernel && !keep_text(PyBytes_FromString(kernel), &made->options.kernel, &made->kernel)) ||
        (!Py_IsNone(skip) && !keep_text(read_skip(skip), &made->options.skip, &made->skip)) ||
        (!Py_IsNone(devices) && !read_devices(devices, made))) {
        Py_DECREF(made);
        return NULL;
    }
    return (PyObject *)made;
}

static void destroy(PyObject *self)
{
    PyTypeObject *const type = Py_TYPE(self);
    Py_XDECREF(((options_object *)self)->kernel);
    Py_XDECREF(((options_object *)self)->skip);
    Py_XDECREF(((options_object *)self)->stream);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* The current stream of the first array that lies on a device, as its own library says: a new reference, or NULL, with
 * an exception or without. Arrays with a buffer lie in host memory. */
static PyObject *find_stream(PyObject *const arrays[], int count)
{
    for (int i = 0; i < count; i++) {
        if (!arrays[i] || Py_IsNone(arrays[i]) || PyObject_CheckBuffer(arrays[i]) ||
            !PyObject_HasAttrString(arrays[i], "__dlpack_device__"))
            continue;
        PyObject *const helper = core_helper("current_stream");
        PyObject *const stream = helper ? PyObject_CallFunctionObjArgs(helper, arrays[i], NULL) : NULL;
        Py_XDECREF(helper);
        if (!stream || !Py_IsNone(stream))
            return stream;
        Py_DECREF(stream);
    }
    return NULL;
}

int options_take(PyObject *object, PyObject *const arrays[], int count, call_options *taken)
{
    const int is_given = object && !Py_IsNone(object);
    *taken = (call_options){ LAY_OPTIONS_INIT, NULL };
    if (is_given && !PyObject_TypeCheck(object, options_type)) {
        PyErr_Format(PyExc_TypeError, "options must be an Options or None");
        return 0;
    }
    if (is_given)
        taken->options = ((options_object *)object)->options;
    if (is_given && !Py_IsNone(((options_object *)object)->stream))
        taken->stream = Py_NewRef(((options_object *)object)->stream);
    else
        taken->stream = find_stream(arrays, count);
    if (!taken->stream)
        return !PyErr_Occurred();
    /* 1 is CUDA's own number for the default stream, and DLPack's; 0 means nothing to DLPack. */
    taken->options.stream = PyLong_AsVoidPtr(taken->stream);
    if (taken->options.stream == NULL && !PyErr_Occurred()) {
        Py_DECREF(taken->stream);
        taken->stream = PyLong_FromLong(1);
    } else if (taken->options.stream == (void *)1) {
        taken->options.stream = NULL;
    }
    if (PyErr_Occurred()) {
        options_release(taken);
        return 0;
    }
    return 1;
}

void options_release(call_options *taken)
{
    Py_CLEAR(taken->stream);
}

static PyType_Slot slots[] = {
    { Py_tp_doc,
      "Options(*, threads=0, backend='auto', compute='auto', isa='auto', device=-1, stream=None, "
      "kernel=None, device_memory=0, effort='estimate', time=0, skip=None, grid=(0, 0), alignment=0, "
      "devices=None): lay_options of the C library. skip: a text or a sequence of names; devices: a sequence "
      "of numbers." },
    { Py_tp_new, make },
    { Py_tp_dealloc, destroy },
    { 0, NULL },
};

PyType_Spec options_spec = { .name = "layoutgemm.Options",
                             .basicsize = sizeof(options_object),
                             .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                             .slots = slots };
