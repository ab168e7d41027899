/* Plan: a product that runs many times, on arrays of one form. */
#include <string.h>

#include "core.h"

PyTypeObject *plan_type;

/* What an operand of a run must be: an array of one form, or one that holds a layout. */
typedef struct form {
    lay_type type;
    int is_layout, ndim;
    int64_t *extents, *strides; /* ndim each, in one block */
    int64_t lowest, highest;    /* of the layout */
} form;

typedef struct plan_object {
    PyObject_HEAD lay_plan *plan;
    form forms[OPERANDS], terms[TERMS]; /* a term's extents are NULL where there is none */
    lay_type scalars;
    PyObject *stream; /* an int, or NULL */
} plan_object;

static int keep_form(form *to, const operand *from, const lay_desc *layout)
{
    *to = (form){ .type = from->type, .is_layout = layout != NULL, .ndim = from->ndim };
    if (layout)
        lay_desc_span(layout, &to->lowest, &to->highest);
    const size_t bytes = (size_t)from->ndim * sizeof(int64_t);
    to->extents = PyMem_Malloc(2 * bytes + 1);
    if (!to->extents) {
        PyErr_NoMemory();
        return 0;
    }
    to->strides = to->extents + from->ndim;
    memcpy(to->extents, from->extents, bytes);
    memcpy(to->strides, from->strides, bytes);
    return 1;
}

static int keep(plan_object *self, const request *asked, const prepared *made, lay_sum_order order)
{
    for (int i = 0; i < OPERANDS; i++) {
        const int is_layout = made->descs[i] && !made->made[i];
        if (!keep_form(&self->forms[i], &made->operands[i], is_layout ? made->descs[i] : NULL))
            return 0;
    }
    for (int i = 0; i < TERMS && made->ending.is_there; i++)
        if (made->ending.terms[i].data && !keep_form(&self->terms[i], &made->ending.terms[i], NULL))
            return 0;
    self->scalars = core_scalar_type(self->forms[OF_A].type, self->forms[OF_B].type, self->forms[OF_C].type);
    self->stream = made->options.stream ? Py_NewRef(made->options.stream) : NULL;
    self->plan = prepared_plan(asked, made, order);
    return self->plan != NULL;
}

static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "",      "",          "",        "labels", "conjugated", "layouts",
                             "dtype", "sum_order", "options", "ending", NULL };
    request asked = { .takes_layouts = 1 };
    PyObject *layouts = NULL;
    const char *order = "labels";
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO|$zIOOsOO:Plan", names, &asked.operands[OF_A],
                                     &asked.operands[OF_B], &asked.operands[OF_C], &asked.labels, &asked.conjugated,
                                     &layouts, &asked.type, &order, &asked.options, &asked.ending) ||
        !layouts_read(layouts, OPERANDS, asked.layouts))
        return NULL;
    const int is_by_storage = strcmp(order, "storage") == 0;
    if (!is_by_storage && strcmp(order, "labels") != 0)
        return core_refuse(LAY_ERR_OPTION, "sum_order has no value '%s'", order);
    if (asked.type && Py_IsNone(asked.type))
        asked.type = NULL;
    prepared made;
    if (!prepare(&asked, &made))
        return NULL;
    plan_object *const self = (plan_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    const int is_good = self && keep(self, &asked, &made, is_by_storage ? LAY_SUM_BY_STORAGE : LAY_SUM_BY_LABELS);
    prepared_release(&made);
    if (is_good)
        return (PyObject *)self;
    Py_XDECREF((PyObject *)self);
    return NULL;
}

static void destroy(PyObject *object)
{
    plan_object *const self = (plan_object *)object;
    PyTypeObject *const type = Py_TYPE(object);
    lay_plan_destroy(self->plan);
    for (int i = 0; i < OPERANDS; i++)
        PyMem_Free(self->forms[i].extents);
    for (int i = 0; i < TERMS; i++)
        PyMem_Free(self->terms[i].extents);
    Py_XDECREF(self->stream);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static int refuse_form(const form *wanted, const operand *array, const char *name)
{
    PyObject *const tuples[] = { core_tuple(array->ndim, array->extents), core_tuple(array->ndim, array->strides),
                                 core_tuple(wanted->ndim, wanted->extents), core_tuple(wanted->ndim, wanted->strides) };
    if (tuples[0] && tuples[1] && tuples[2] && tuples[3])
        core_refuse(LAY_ERR_SHAPE, "%s has the shape %R and strides %R, in elements; the plan was made for %R and %R",
                    name, tuples[0], tuples[1], tuples[2], tuples[3]);
    for (int i = 0; i < 4; i++)
        Py_XDECREF(tuples[i]);
    return 0;
}

static int fits(const form *wanted, const operand *array, const char *name)
{
    const size_t bytes = (size_t)wanted->ndim * sizeof(int64_t);
    if (array->type != wanted->type) {
        core_refuse(LAY_ERR_TYPE, "%s has elements of %s, and the plan was made for %s", name,
                    core_type_name(array->type), core_type_name(wanted->type));
        return 0;
    }
    if (wanted->is_layout)
        return operand_holds(array, wanted->lowest, wanted->highest, name);
    if (array->ndim == wanted->ndim && memcmp(array->extents, wanted->extents, bytes) == 0 &&
        memcmp(array->strides, wanted->strides, bytes) == 0)
        return 1;
    return refuse_form(wanted, array, name);
}

/* Takes hold of an operand of a run, and sees that it is one. */
static int take(const plan_object *self, int which, PyObject *object, operand *array)
{
    if (!operand_take(array, object, operand_names[which], self->stream))
        return 0;
    if (fits(&self->forms[which], array, operand_names[which]) &&
        (which != OF_C || operand_is_writable(array, operand_names[which])))
        return 1;
    operand_release(array);
    *array = (operand){ .data = NULL };
    return 0;
}

/* A run's operands: arrays, or what was packed. */
typedef struct run_operands {
    operand arrays[OPERANDS], terms[TERMS];
    const lay_packed *packed[2];
} run_operands;

/* A scale or the bias of a run, there where the plan has one. */
static int take_term(const plan_object *self, int which, PyObject *object, operand *array)
{
    const form *const wanted = &self->terms[which];
    const int is_given = object && !Py_IsNone(object);
    if (is_given != (wanted->extents != NULL)) {
        core_refuse(LAY_ERR_ARGUMENT, is_given ? "the plan has no %s" : "%s is missing", term_names[which]);
        return 0;
    }
    if (!is_given)
        return 1;
    return operand_take(array, object, term_names[which], self->stream) && fits(wanted, array, term_names[which]);
}

static int take_terms(const plan_object *self, PyObject *scales, PyObject *bias, run_operands *of)
{
    PyObject *scale[2] = { NULL, NULL };
    if (scales && !PyArg_ParseTuple(scales, "|OO:scales", &scale[0], &scale[1]))
        return 0;
    return take_term(self, OF_SCALE, scale[0], &of->terms[OF_SCALE]) &&
           take_term(self, OF_OTHER_SCALE, scale[1], &of->terms[OF_OTHER_SCALE]) &&
           take_term(self, OF_BIAS, bias, &of->terms[OF_BIAS]);
}

static int take_all(const plan_object *self, PyObject *const objects[], run_operands *of)
{
    for (int i = 0; i < OPERANDS; i++) {
        if (i != OF_C && PyObject_TypeCheck(objects[i], packed_type))
            of->packed[i] = ((packed_object *)objects[i])->packed;
        else if (!take(self, i, objects[i], &of->arrays[i]))
            return 0;
    }
    return 1;
}

/* By the call that small products are short in, where it serves. */
static lay_status run_with(const lay_plan *plan, const core_scalar *alpha, const run_operands *of,
                           const core_scalar *beta)
{
    lay_arguments run = LAY_ARGUMENTS_INIT;
    if (!of->packed[OF_A] && !of->packed[OF_B] && !of->terms[OF_SCALE].data && !of->terms[OF_OTHER_SCALE].data &&
        !of->terms[OF_BIAS].data)
        return lay_plan_run(plan, alpha, of->arrays[OF_A].data, of->arrays[OF_B].data, beta, of->arrays[OF_C].data);
    run.alpha = alpha;
    run.a = of->arrays[OF_A].data;
    run.packed_a = of->packed[OF_A];
    run.b = of->arrays[OF_B].data;
    run.packed_b = of->packed[OF_B];
    run.beta = beta;
    run.c = run.d = of->arrays[OF_C].data;
    run.scale[0] = of->terms[OF_SCALE].data;
    run.scale[1] = of->terms[OF_OTHER_SCALE].data;
    run.bias = of->terms[OF_BIAS].data;
    return lay_plan_run_arguments(plan, &run);
}

static PyObject *call(PyObject *object, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "", "", "out", "alpha", "beta", "scales", "bias", NULL };
    plan_object *const self = (plan_object *)object;
    PyObject *objects[OPERANDS], *alpha = NULL, *beta = NULL, *scales = NULL, *bias = NULL;
    core_scalar x, y;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO|$OOO!O:Plan", names, &objects[OF_A], &objects[OF_B],
                                     &objects[OF_C], &alpha, &beta, &PyTuple_Type, &scales, &bias) ||
        !core_scalar_read(alpha, 1, self->scalars, &x) || !core_scalar_read(beta, 0, self->scalars, &y))
        return NULL;
    run_operands of = { .packed = { NULL } };
    lay_status status = LAY_ERR_ARGUMENT;
    if (take_all(self, objects, &of) && take_terms(self, scales, bias, &of)) {
        Py_BEGIN_ALLOW_THREADS status = run_with(self->plan, &x, &of, &y);
        Py_END_ALLOW_THREADS if (status != LAY_OK) core_raise(status);
    }
    for (int i = 0; i < OPERANDS; i++)
        operand_release(&of.arrays[i]);
    for (int i = 0; i < TERMS; i++)
        operand_release(&of.terms[i]);
    return status == LAY_OK ? Py_NewRef(objects[OF_C]) : NULL;
}

/* ---- many runs ---------------------------------------------------------------------------------- */

/* The arrays of all runs, and their addresses as the library takes them. */
typedef struct many {
    Py_ssize_t count;
    operand *arrays; /* [OPERANDS * count] */
    void **at[OPERANDS];
} many;

/* 0 with an exception; what is taken by then is to be released. */
static int take_many(const plan_object *self, PyObject *const sequences[], many *of)
{
    const Py_ssize_t counts[] = { PySequence_Size(sequences[OF_A]), PySequence_Size(sequences[OF_B]),
                                  PySequence_Size(sequences[OF_C]) };
    if (PyErr_Occurred())
        return 0;
    if (counts[OF_A] != counts[OF_C] || counts[OF_B] != counts[OF_C]) {
        core_refuse(LAY_ERR_SHAPE, "%zd times a, %zd times b and %zd times out", counts[OF_A], counts[OF_B],
                    counts[OF_C]);
        return 0;
    }
    of->count = counts[OF_C];
    of->arrays = PyMem_Calloc((size_t)of->count * OPERANDS + 1, sizeof *of->arrays);
    of->at[0] = PyMem_Calloc((size_t)of->count * OPERANDS + 1, sizeof *of->at[0]);
    if (!of->arrays || !of->at[0]) {
        PyErr_NoMemory();
        return 0;
    }
    for (int which = 0; which < OPERANDS; which++) {
        of->at[which] = of->at[0] + which * of->count;
        for (Py_ssize_t i = 0; i < of->count; i++) {
            operand *const array = &of->arrays[which * of->count + i];
            PyObject *const object = PySequence_GetItem(sequences[which], i);
            const int is_taken = object && take(self, which, object, array);
            Py_XDECREF(object); /* what is held keeps its memory */
            if (!is_taken)
                return 0;
            of->at[which][i] = array->data;
        }
    }
    return 1;
}

static void release_many(many *of)
{
    for (Py_ssize_t i = 0; of->arrays && i < OPERANDS * of->count; i++)
        operand_release(&of->arrays[i]);
    PyMem_Free(of->arrays);
    PyMem_Free(of->at[0]);
}

static PyObject *run_many(PyObject *object, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "", "", "", "alpha", "beta", NULL };
    plan_object *const self = (plan_object *)object;
    PyObject *sequences[OPERANDS], *alpha = NULL, *beta = NULL;
    core_scalar x, y;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO|$OO:run_many", names, &sequences[OF_A], &sequences[OF_B],
                                     &sequences[OF_C], &alpha, &beta) ||
        !core_scalar_read(alpha, 1, self->scalars, &x) || !core_scalar_read(beta, 0, self->scalars, &y))
        return NULL;
    many of = { .count = 0 };
    lay_status status = LAY_ERR_ARGUMENT;
    if (take_many(self, sequences, &of)) {
        Py_BEGIN_ALLOW_THREADS status = lay_plan_run_many(self->plan, of.count, &x, (const void *const *)of.at[OF_A],
                                                          (const void *const *)of.at[OF_B], &y, of.at[OF_C], NULL);
        Py_END_ALLOW_THREADS if (status != LAY_OK) core_raise(status);
    }
    release_many(&of);
    return status == LAY_OK ? Py_NewRef(Py_None) : NULL;
}

/* ---- groups of runs ----------------------------------------------------------------------------- */

typedef struct group {
    many of;
    core_scalar alpha, beta;
} group;

static int take_group(PyObject *object, group *to, lay_runs *runs)
{
    PyObject *sequences[OPERANDS], *plan, *alpha = NULL, *beta = NULL;
    if (!PyTuple_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "a group is a tuple: plan, a, b, out and perhaps alpha, beta");
        return 0;
    }
    if (!PyArg_ParseTuple(object, "O!OOO|OO:run_groups", plan_type, &plan, &sequences[OF_A], &sequences[OF_B],
                          &sequences[OF_C], &alpha, &beta))
        return 0;
    const plan_object *const self = (plan_object *)plan;
    if (!core_scalar_read(alpha, 1, self->scalars, &to->alpha) ||
        !core_scalar_read(beta, 0, self->scalars, &to->beta) || !take_many(self, sequences, &to->of))
        return 0;
    *runs = (lay_runs){ .plan = self->plan,
                        .count = to->of.count,
                        .alpha = &to->alpha,
                        .a = (const void *const *)to->of.at[OF_A],
                        .b = (const void *const *)to->of.at[OF_B],
                        .beta = &to->beta,
                        .c = to->of.at[OF_C] };
    return 1;
}

PyObject *core_run_groups(PyObject *module, PyObject *object)
{
    (void)module;
    PyObject *const all = PySequence_Tuple(object); /* holds groups, and they their plans */
    if (!all)
        return NULL;
    const Py_ssize_t count = PyTuple_Size(all);
    group *const groups = PyMem_Calloc((size_t)count + 1, sizeof *groups);
    lay_runs *const runs = PyMem_Calloc((size_t)count + 1, sizeof *runs);
    lay_status status = LAY_ERR_ARGUMENT;
    Py_ssize_t taken = 0;
    if (!groups || !runs)
        PyErr_NoMemory();
    while (groups && runs && taken < count && take_group(PyTuple_GetItem(all, taken), &groups[taken], &runs[taken]))
        taken++;
    if (groups && runs && taken == count) {
        Py_BEGIN_ALLOW_THREADS status = lay_plan_run_groups(count, runs);
        Py_END_ALLOW_THREADS if (status != LAY_OK) core_raise(status);
    }
    for (Py_ssize_t i = 0; groups && i < count; i++)
        release_many(&groups[i].of);
    PyMem_Free(groups);
    PyMem_Free(runs);
    Py_DECREF(all);
    return status == LAY_OK ? Py_NewRef(Py_None) : NULL;
}

/* ---- the rest ----------------------------------------------------------------------------------- */

/* OF_A or OF_B of "a" or "b"; -1 with an exception. */
static int read_operand(const char *word, const char *what)
{
    if (strcmp(word, "a") == 0 || strcmp(word, "b") == 0)
        return *word == 'a' ? OF_A : OF_B;
    core_refuse(LAY_ERR_OPTION, "'%s' is no operand that %s: 'a' and 'b' are", word, what);
    return -1;
}

static PyObject *layout(PyObject *object, PyObject *args)
{
    static const char *const memories[] = { "host", "pinned", "device", NULL };
    plan_object *const self = (plan_object *)object;
    const char *word, *memory = "host";
    lay_desc *made = NULL;
    lay_status status;
    int which, kind = 0;
    if (!PyArg_ParseTuple(args, "s|s:layout", &word, &memory) || (which = read_operand(word, "has a layout")) < 0)
        return NULL;
    while (memories[kind] && strcmp(memories[kind], memory) != 0)
        kind++;
    if (!memories[kind])
        return core_refuse(LAY_ERR_OPTION, "'%s' is no memory: 'host', 'pinned' and 'device' are", memory);
    Py_BEGIN_ALLOW_THREADS status =
        lay_plan_layout(self->plan, which == OF_A ? LAY_OPERAND_A : LAY_OPERAND_B, (lay_memory)kind, &made);
    Py_END_ALLOW_THREADS return status == LAY_OK ? layout_make(made) : core_raise(status);
}

static PyObject *pack(PyObject *object, PyObject *args)
{
    plan_object *const self = (plan_object *)object;
    const char *word;
    PyObject *source;
    lay_packed *packed = NULL;
    operand array;
    if (!PyArg_ParseTuple(args, "sO:pack", &word, &source))
        return NULL;
    const int which = read_operand(word, "is packed");
    if (which < 0 || !take(self, which, source, &array))
        return NULL;
    lay_status status;
    Py_BEGIN_ALLOW_THREADS status =
        lay_pack(self->plan, which == OF_A ? LAY_OPERAND_A : LAY_OPERAND_B, array.data, &packed);
    Py_END_ALLOW_THREADS operand_release(&array);
    return status == LAY_OK ? packed_make(packed) : core_raise(status);
}

static PyObject *explain(PyObject *object, PyObject *none)
{
    const lay_plan *const plan = ((plan_object *)object)->plan;
    (void)none;
    const int length = lay_plan_explain(plan, NULL, 0);
    if (length < 0)
        return core_raise(LAY_ERR_MEMORY);
    char *const room = PyMem_Malloc((size_t)length + 1);
    if (!room)
        return PyErr_NoMemory();
    lay_plan_explain(plan, room, (size_t)length + 1); /* of another length by now where another thread ran it */
    PyObject *const made = PyUnicode_FromString(room);
    PyMem_Free(room);
    return made;
}

static PyObject *reserve(PyObject *object, PyObject *none)
{
    lay_status status;
    (void)none;
    Py_BEGIN_ALLOW_THREADS status = lay_plan_reserve(((plan_object *)object)->plan);
    Py_END_ALLOW_THREADS return status == LAY_OK ? Py_NewRef(Py_None) : core_raise(status);
}

static PyObject *path(PyObject *object, void *closure)
{
    static const char *const names[] = { "none", "strict", "fp16x3", "bf16x6", "bf16x3", "bf16x1" };
    lay_path found = LAY_PATH_NONE;
    lay_status status;
    (void)closure;
    Py_BEGIN_ALLOW_THREADS status = lay_plan_path(((plan_object *)object)->plan, &found);
    Py_END_ALLOW_THREADS if (status != LAY_OK) return core_raise(status);
    return PyUnicode_FromString((size_t)found < sizeof names / sizeof names[0] ? names[found] : "unknown");
}

static PyMethodDef methods[] = {
    { "run_many", (PyCFunction)(void (*)(void))run_many, METH_VARARGS | METH_KEYWORDS,
      "run_many(a, b, out, *, alpha=1, beta=0): as many products as the three sequences have arrays" },
    { "pack", pack, METH_VARARGS, "pack('a' or 'b', array): that operand, prepared once for many products" },
    { "layout", layout, METH_VARARGS,
      "layout('a' or 'b', memory='host', /): the Layout in which that operand is read soonest" },
    { "explain", explain, METH_NOARGS, "explain(): what was chosen and what was refused, with reasons" },
    { "reserve", reserve, METH_NOARGS, "reserve(): takes now what runs on device memory will need there" },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef attributes[] = {
    { "path", path, NULL, "how the values of the last run had it computed: 'none', 'strict', 'fp16x3', ...", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_new, make },        { Py_tp_dealloc, destroy },   { Py_tp_call, call },
    { Py_tp_methods, methods }, { Py_tp_getset, attributes }, { 0, NULL },
};

PyType_Spec plan_spec = { .name = "layoutgemm._core.Plan",
                          .basicsize = sizeof(plan_object),
                          .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                          .slots = slots };
