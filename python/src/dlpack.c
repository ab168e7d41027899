/* Arrays by __dlpack__: their memory, on the CPU or a CUDA device, made ready for our stream. */
#include <string.h>

#include "core.h"

long long core_copies;

/* {"stream": stream}, and where the producer knows them the version and that nothing is to be copied. */
static PyObject *make_keywords(PyObject *stream, int is_versioned)
{
    PyObject *const keywords = PyDict_New();
    PyObject *const version = is_versioned ? Py_BuildValue("(ii)", 1, 1) : NULL;
    int failed = !keywords || (is_versioned && !version);
    if (!failed && stream)
        failed = PyDict_SetItemString(keywords, "stream", stream) < 0;
    if (!failed && is_versioned)
        failed = PyDict_SetItemString(keywords, "max_version", version) < 0 ||
                 PyDict_SetItemString(keywords, "copy", Py_False) < 0;
    Py_XDECREF(version);
    if (!failed)
        return keywords;
    Py_XDECREF(keywords);
    return NULL;
}

static PyObject *call(PyObject *method, PyObject *stream, int is_versioned)
{
    PyObject *const keywords = make_keywords(stream, is_versioned), *const none = PyTuple_New(0);
    PyObject *const capsule = keywords && none ? PyObject_Call(method, none, keywords) : NULL;
    Py_XDECREF(keywords);
    Py_XDECREF(none);
    return capsule;
}

/* Producers older than 2023's standard know the stream alone. */
static PyObject *ask(PyObject *method, PyObject *stream)
{
    PyObject *capsule = call(method, stream, 1);
    if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        capsule = call(method, stream, 0);
    }
    return capsule;
}

/* Streams are for devices: others' __dlpack__ need not take one. -1 with an exception. */
static int is_on_cuda(PyObject *object)
{
    PyObject *const method = PyObject_GetAttrString(object, "__dlpack_device__");
    if (!method) {
        PyErr_Clear();
        return 0;
    }
    int device = -1, number;
    PyObject *const pair = PyObject_CallNoArgs(method);
    Py_DECREF(method);
    PyObject *const first = pair ? PySequence_GetItem(pair, 0) : NULL;
    PyObject *const whole = first ? PyNumber_Long(first) : NULL; /* an enumerator of some producers */
    number = whole ? (int)PyLong_AsLong(whole) : -1;
    device = PyErr_Occurred() ? -1 : number == LAY_DL_CUDA || number == LAY_DL_CUDA_MANAGED;
    Py_XDECREF(whole);
    Py_XDECREF(first);
    Py_XDECREF(pair);
    return device;
}

/* A capsule without a version cannot say that its tensor is not to be written; JAX's never are. */
static int is_never_written(PyObject *object)
{
    PyObject *const module = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__module__");
    const char *const name = module && PyUnicode_Check(module) ? PyUnicode_AsUTF8AndSize(module, NULL) : NULL;
    const int is_so = name && strncmp(name, "jax", 3) == 0;
    PyErr_Clear();
    Py_XDECREF(module);
    return is_so;
}

/* The tensor in the capsule, which is ours from then on; NULL with an exception. */
static const lay_dl_tensor *open_capsule(operand *of, PyObject *capsule, const char *name)
{
    if (PyCapsule_IsValid(capsule, "dltensor")) {
        of->managed = PyCapsule_GetPointer(capsule, "dltensor");
        PyCapsule_SetName(capsule, "used_dltensor");
        return &of->managed->tensor;
    }
    if (!PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        core_refuse(LAY_ERR_ARGUMENT, "%s: what __dlpack__ gave is no capsule of a tensor that nobody took", name);
        return NULL;
    }
    of->versioned = PyCapsule_GetPointer(capsule, "dltensor_versioned");
    PyCapsule_SetName(capsule, "used_dltensor_versioned");
    if (of->versioned->major != 1) {
        core_refuse(LAY_ERR_UNSUPPORTED, "%s: its DLPack has version %u.%u, and 1 is known", name,
                    (unsigned)of->versioned->major, (unsigned)of->versioned->minor);
        return NULL;
    }
    of->is_read_only = (of->versioned->flags & LAY_DL_READ_ONLY) != 0;
    if (of->versioned->flags & LAY_DL_IS_COPIED) {
        core_copies++;
        of->is_read_only = 1; /* what is written there, nobody sees */
    }
    return &of->versioned->tensor;
}

/* By the library's own reading, which refuses what it cannot take. */
static int read_tensor(operand *of, const lay_dl_tensor *tensor, const char *name)
{
    lay_desc *desc;
    void *data;
    const lay_status status = lay_desc_from_dlpack(tensor, &desc, &of->type, &data);
    if (status != LAY_OK) {
        core_refuse(status, "%s: %s", name, lay_last_error());
        return 0;
    }
    lay_desc_destroy(desc);
    if (tensor->ndim > MAX_DIMS) {
        core_refuse(LAY_ERR_RANK, "%s has %d dimensions, and %d are taken", name, (int)tensor->ndim, MAX_DIMS);
        return 0;
    }
    of->data = data;
    of->ndim = tensor->ndim;
    int64_t natural = 1;
    for (int i = of->ndim - 1; i >= 0; i--) {
        of->extents[i] = tensor->extents[i];
        of->strides[i] = tensor->strides ? tensor->strides[i] : natural;
        natural = (int64_t)((uint64_t)natural * (uint64_t)of->extents[i]); /* was checked with the descriptor */
    }
    return 1;
}

int operand_from_dlpack(operand *of, PyObject *object, const char *name, PyObject *stream)
{
    PyObject *const method = PyObject_GetAttrString(object, "__dlpack__");
    if (!method) {
        PyErr_Clear();
        return -1;
    }
    const int is_cuda = is_on_cuda(object);
    PyObject *const capsule = is_cuda < 0 ? NULL : ask(method, is_cuda ? stream : NULL);
    Py_DECREF(method);
    if (!capsule)
        return 0;
    const lay_dl_tensor *const tensor = open_capsule(of, capsule, name);
    Py_DECREF(capsule);
    of->is_read_only |= of->managed && is_never_written(object);
    return tensor && read_tensor(of, tensor, name);
}
