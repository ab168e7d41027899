/* What the files of the extension module share. Everything runs with the interpreter's lock held, but for the library's
 * own work on arrays. By the limited API of Python 3.11, so that one build serves every later version. */
#ifndef LAYOUTGEMM_PYTHON_CORE_H
#define LAYOUTGEMM_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <layoutgemm.h>
#include <layoutgemm_dlpack.h>

enum { MAX_DIMS = 64, OPERANDS = 3 }; /* NumPy's limit; A, B and C */

/* ---- errors ------------------------------------------------------------------------------------ */
extern PyObject *core_error; /* LayoutError */

/* Raises LayoutError with the status and the library's sentence, or a sentence of our own (PyErr_Format's %). NULL. */
PyObject *core_raise(lay_status status);
PyObject *core_refuse(lay_status status, const char *format, ...);
int core_add_error(PyObject *module);

/* ---- elements ---------------------------------------------------------------------------------- */
/* "float32" and the like, which NumPy and ml_dtypes say, too. */
const char *core_type_name(lay_type type);

/* Of such a name, or of anything that has one: numpy.dtype, numpy.float32, torch.float32. 0 with an exception. */
int core_type_read(PyObject *name, lay_type *type);

/* What a product's alpha and beta are: float or double as its sums are, complex where C is. */
lay_type core_scalar_type(lay_type a, lay_type b, lay_type c);

/* One element of type, of 16-bit types a float. */
typedef union core_scalar {
    float f32[2];
    double f64[2];
} core_scalar;

/* NULL stands for `usual`. 0 with an exception. */
int core_scalar_read(PyObject *number, double usual, lay_type type, core_scalar *scalar);

/* ---- operands ---------------------------------------------------------------------------------- */
/* An array: its memory, for as long as it is held. */
typedef struct operand {
    lay_type type;
    char *data; /* the element of index 0 in all dimensions */
    int ndim;
    int64_t extents[MAX_DIMS], strides[MAX_DIMS]; /* in elements; the stride of fewer than two is 0 */
    int64_t lowest, highest;                      /* offsets of its elements; 0, -1: there is none */
    int is_read_only;
    Py_buffer buffer;
    PyObject *interface; /* the capsule of __array_struct__ */
    lay_dl_managed *managed;
    lay_dl_managed_versioned *versioned;
} operand;

/* Takes hold of an array by the buffer protocol, by __array_struct__ (bfloat16) or by __dlpack__; an object of a device
 * makes what it holds ready for the stream. `name` is what sentences call it. 0 with an exception, then nothing is
 * held. */
int operand_take(operand *of, PyObject *object, const char *name, PyObject *stream);
void operand_release(operand *of);

/* The parts of it that have a file of their own. */
int operand_from_buffer(operand *of, PyObject *object, const char *name);
int operand_from_interface(operand *of, PyObject *object, const char *name);
int operand_from_dlpack(operand *of, PyObject *object, const char *name, PyObject *stream);

/* Strides in bytes become strides in elements. 0 with an exception. */
int operand_set_strides(operand *of, const char *name, const Py_ssize_t extents[], const Py_ssize_t strides[]);

/* Finds lowest and highest. 0 with an exception. */
int operand_measure(operand *of, const char *name);

/* The layout of all dimensions; NULL with an exception. */
lay_desc *operand_desc(const operand *of);

/* Whether offsets from lowest to highest lie within the array, offset 0 being its first element. 0 with an exception.
 */
int operand_holds(const operand *of, int64_t lowest, int64_t highest, const char *name);

int operand_is_writable(const operand *of, const char *name);

/* Copies that were made anywhere for an operand: none of ours; a producer's. */
extern long long core_copies;

/* ---- objects ----------------------------------------------------------------------------------- */
typedef struct layout_object {
    PyObject_HEAD lay_desc *desc;
} layout_object;
extern PyTypeObject *layout_type;
extern PyType_Spec layout_spec;

/* A Layout that owns desc; frees it where there is no memory. */
PyObject *layout_make(lay_desc *desc);

/* None gives NULL. 0 with an exception. */
int layout_read(PyObject *object, const char *name, const lay_desc **desc);

PyObject *layout_index(PyObject *self, PyObject *key);

/* A new reference to a tuple of `count` numbers. */
PyObject *core_tuple(int count, const int64_t numbers[]);

/* A sequence of at most `room` whole numbers; their count, -1 with an exception. */
int core_numbers_read(PyObject *sequence, int room, int64_t numbers[], const char *name);

typedef struct options_object {
    PyObject_HEAD lay_options options;
    PyObject *kernel; /* bytes that options.kernel points to */
    PyObject *skip;   /* and options.skip */
    PyObject *stream; /* an int, or None: found out for each call */
    int devices[LAY_DEVICES_MOST];
} options_object;
extern PyTypeObject *options_type;
extern PyType_Spec options_spec;

/* The options of a call, NULL or None being none; the stream is that of the first of the arrays that has one. */
typedef struct call_options {
    lay_options options;
    PyObject *stream; /* for __dlpack__, an int; NULL: no operand lies on a device, as far as it says */
} call_options;
int options_take(PyObject *object, PyObject *const arrays[], int count, call_options *taken);
void options_release(call_options *taken);

/* ---- products ---------------------------------------------------------------------------------- */
enum { OF_A, OF_B, OF_C };

/* What a product ends with: scales and a bias, arrays that are held, and an activation. */
enum { OF_SCALE, OF_OTHER_SCALE, OF_BIAS, TERMS };
extern const char *const term_names[TERMS];
typedef struct core_ending {
    int is_there;
    lay_ending ending; /* its labels lie in the caller's objects */
    operand terms[TERMS];
    lay_desc *descs[TERMS];
} core_ending;

/* Of (scale, scale, bias, activation, low, high), a term being (array, labels) or None; None and NULL are no ending. 0
 * with an exception, then nothing is held. */
int ending_take(PyObject *given, PyObject *stream, core_ending *to);
void ending_release(core_ending *of);

/* What is asked of a product, before the arrays are looked at. */
typedef struct request {
    PyObject *operands[OPERANDS]; /* B's is NULL where there is none; C's NULL or None: made */
    const lay_desc *layouts[OPERANDS];
    const char *labels; /* "ab,bc->ac", without spaces; NULL: matrices, as numpy.matmul has them */
    unsigned conjugated;
    PyObject *options;
    int takes_layouts; /* an operand may be a Layout, of elements of `type`: for a plan */
    PyObject *type;    /* NULL: that of the arrays */
    int keeps_out;     /* C must be there */
    PyObject *ending;  /* NULL or None: there is none */
} request;

/* What the library is called with: the arrays, held, and their descriptors. */
typedef struct prepared {
    operand operands[OPERANDS];
    const lay_desc *descs[OPERANDS]; /* NULL: a scalar of a contraction */
    lay_desc *made[OPERANDS];        /* those of them that were made here */
    PyObject *out;                   /* a new reference to C's array; NULL where it is a Layout */
    call_options options;
    core_ending ending;
    int ndim; /* of C */
    int64_t extents[MAX_DIMS];
    core_scalar one; /* B's element where there is none */
} prepared;

extern const char *const operand_names[OPERANDS];

/* 0 with an exception, then nothing is held. */
int prepare(const request *of, prepared *made);
void prepared_release(prepared *made);

/* The descriptors of A and B, and C's extents; once C's array is there, its descriptor. 0 with an exception. Matrices:
 * as many batch dimensions as the longest has, broadcast. */
int matrices_describe(const request *of, prepared *made);
int matrices_describe_result(const request *of, prepared *made);
int labels_check(const char *labels); /* whether they are a text as a request has it */
int labels_describe(const request *of, prepared *made);
int labels_describe_result(const request *of, prepared *made);

/* Whether C's array has the extents that it must have. 0 with an exception. */
int prepared_fits(const prepared *made);

/* The caller's layout of an operand is its descriptor, if the array holds it and the rank is right. */
int prepared_use_layout(const request *of, prepared *made, int which, int least_rank, int greatest_rank);

/* The plan of what is prepared; NULL with an exception. */
lay_plan *prepared_plan(const request *of, const prepared *made, lay_sum_order order);

/* (A's, B's, C's), each a Layout or None; fewer are None. 0 with an exception. */
int layouts_read(PyObject *sequence, int count, const lay_desc *layouts[]);

typedef struct packed_object {
    PyObject_HEAD lay_packed *packed;
} packed_object;
extern PyTypeObject *plan_type, *packed_type;
extern PyType_Spec plan_spec, packed_spec;

PyObject *packed_make(lay_packed *packed);

PyObject *core_matmul(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *core_contract(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *core_copy(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *core_draw(PyObject *module, PyObject *args);
PyObject *core_run_groups(PyObject *module, PyObject *groups);

/* Python's half of the work, layoutgemm._arrays. New references. */
PyObject *core_helper(const char *name);

#endif
