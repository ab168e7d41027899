/* From what is asked of a product to what the library is called with. */
#include <string.h>

#include "core.h"

const char *const operand_names[OPERANDS] = { "a", "b", "out" };

static int is_absent(PyObject *object)
{
    return !object || Py_IsNone(object);
}

/* An operand of which there is a Layout alone: it holds whatever that has. */
static int take_layout(request *of, prepared *made, int which)
{
    if (!of->type) {
        PyErr_Format(PyExc_TypeError, "%s is a Layout: the elements' type must be given", operand_names[which]);
        return 0;
    }
    of->layouts[which] = ((layout_object *)of->operands[which])->desc;
    made->operands[which] = (operand){ .lowest = INT64_MIN, .highest = INT64_MAX };
    return core_type_read(of->type, &made->operands[which].type);
}

/* B's element where there is none: 1, of A's type. */
static int take_one(prepared *made)
{
    operand *const one = &made->operands[OF_B];
    const lay_type type = made->operands[OF_A].type;
    static const uint16_t half[] = { [LAY_F16] = 0x3c00, [LAY_BF16] = 0x3f80 };
    *one = (operand){ .type = type, .data = (char *)&made->one };
    if (type != LAY_F16 && type != LAY_BF16)
        return core_scalar_read(NULL, 1, type, &made->one);
    memcpy(&made->one, &half[type], sizeof half[type]);
    return 1;
}

static int take(request *of, prepared *made, int which)
{
    PyObject *const object = of->operands[which];
    if (which == OF_B && !object)
        return take_one(made);
    if (of->takes_layouts && PyObject_TypeCheck(object, layout_type))
        return take_layout(of, made, which);
    return operand_take(&made->operands[which], object, operand_names[which], made->options.stream);
}

/* Like A: of its library, and where it lies; of A's and B's type, or of what that library makes of the two. */
static PyObject *make_out(const request *of, const prepared *made)
{
    if (of->layouts[OF_C] || (of->takes_layouts && PyObject_TypeCheck(of->operands[OF_A], layout_type))) {
        PyErr_SetString(PyExc_TypeError, "out must be given where layouts are");
        return NULL;
    }
    PyObject *const extents = core_tuple(made->ndim, made->extents);
    PyObject *const helper = extents ? core_helper("empty") : NULL;
    PyObject *const other = made->operands[OF_A].type != made->operands[OF_B].type ? of->operands[OF_B] : NULL;
    PyObject *const out =
        helper ? PyObject_CallFunctionObjArgs(helper, of->operands[OF_A], extents, other, NULL) : NULL;
    Py_XDECREF(helper);
    Py_XDECREF(extents);
    return out;
}

static int take_out(request *of, prepared *made)
{
    PyObject *const out = is_absent(of->operands[OF_C]) ? make_out(of, made) : Py_NewRef(of->operands[OF_C]);
    if (!out)
        return 0;
    of->operands[OF_C] = out;
    made->out = out;
    return take(of, made, OF_C) && operand_is_writable(&made->operands[OF_C], "out");
}

/* A new array has nothing that could be kept. */
static int check_beta(const request *of)
{
    if (!of->keeps_out || !is_absent(of->operands[OF_C]))
        return 1;
    PyErr_SetString(PyExc_TypeError, "beta keeps something of out, and there is no out");
    return 0;
}

int prepare(const request *of, prepared *made)
{
    request whole = *of;
    if (!check_beta(of) || (of->labels && !labels_check(of->labels)))
        return 0;
    for (int i = 0; i < OPERANDS; i++) {
        made->operands[i] = (operand){ .data = NULL };
        made->descs[i] = made->made[i] = NULL;
    }
    made->out = NULL;
    if (!options_take(of->options, of->operands, OPERANDS, &made->options))
        return 0;
    made->ending.is_there = 0;
    if (take(&whole, made, OF_A) && take(&whole, made, OF_B) &&
        ending_take(of->ending, made->options.stream, &made->ending) &&
        (of->labels ? labels_describe(&whole, made) : matrices_describe(&whole, made)) && take_out(&whole, made) &&
        (of->labels ? labels_describe_result(&whole, made) : matrices_describe_result(&whole, made)))
        return 1;
    prepared_release(made);
    return 0;
}

void prepared_release(prepared *made)
{
    for (int i = 0; i < OPERANDS; i++) {
        lay_desc_destroy(made->made[i]);
        operand_release(&made->operands[i]);
    }
    if (made->ending.is_there)
        ending_release(&made->ending);
    Py_CLEAR(made->out);
    options_release(&made->options);
}

int prepared_fits(const prepared *made)
{
    const operand *const out = &made->operands[OF_C];
    int is_same = out->ndim == made->ndim;
    for (int i = 0; i < made->ndim && is_same; i++)
        is_same = out->extents[i] == made->extents[i];
    if (is_same)
        return 1;
    PyObject *const has = core_tuple(out->ndim, out->extents), *const wants = core_tuple(made->ndim, made->extents);
    if (has && wants)
        core_refuse(LAY_ERR_SHAPE, "out has the shape %R, and the product has %R", has, wants);
    Py_XDECREF(has);
    Py_XDECREF(wants);
    return 0;
}

int prepared_use_layout(const request *of, prepared *made, int which, int least_rank, int greatest_rank)
{
    const lay_desc *const desc = of->layouts[which];
    const int rank = lay_desc_rank(desc);
    int64_t lowest, highest;
    if (rank < least_rank || rank > greatest_rank) {
        if (least_rank == greatest_rank)
            core_refuse(LAY_ERR_RANK, "%s: its layout has rank %d, not %d", operand_names[which], rank, least_rank);
        else
            core_refuse(LAY_ERR_RANK, "%s: its layout has rank %d, not %d to %d", operand_names[which], rank,
                        least_rank, greatest_rank);
        return 0;
    }
    lay_desc_span(desc, &lowest, &highest);
    made->descs[which] = desc;
    return operand_holds(&made->operands[which], lowest, highest, operand_names[which]);
}

int layouts_read(PyObject *sequence, int count, const lay_desc *layouts[])
{
    static const char *const names[] = { "layouts[0]", "layouts[1]", "layouts[2]" };
    for (int i = 0; i < count; i++)
        layouts[i] = NULL;
    if (is_absent(sequence))
        return 1;
    const Py_ssize_t given = PyTuple_Check(sequence) ? PyTuple_Size(sequence) : -1; /* whose members stay as they are */
    if (given < 0 || given > count) {
        PyErr_Format(PyExc_TypeError, "layouts must be a tuple of at most %d, each a Layout or None", count);
        return 0;
    }
    for (int i = 0; i < given; i++)
        if (!layout_read(PyTuple_GetItem(sequence, i), names[i], &layouts[i]))
            return 0;
    return 1;
}
