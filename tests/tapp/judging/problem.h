/* A random product of tensors as a test poses it: labels, four tensors in memory, two scalars. */
#ifndef LAY_TESTS_TAPP_PROBLEM_H
#define LAY_TESTS_TAPP_PROBLEM_H

#include "../../random.h"
#include "number.h"

#define MOST_MODES  8
#define MOST_LABELS (3 * MOST_MODES)

/* Every byte of a buffer that nobody has set: a NaN in each type, so that what is read by mistake shows. */
#define UNSET 0xff

typedef struct tensor {
    TAPP_datatype type;
    TAPP_element_op op;
    int nmode;
    int label[MOST_MODES]; /* of each mode: its place in the problem's list */
    int64_t names[MOST_MODES], extents[MOST_MODES], strides[MOST_MODES];
    int64_t step[MOST_LABELS]; /* what one step of a label adds to the offset: 0 where it has none, sums on diagonals */
    char *memory, *zero;       /* the buffer, and the element with all indices 0 */
    size_t bytes;
} tensor;

typedef struct typing {
    TAPP_datatype a, b, c, d;
    TAPP_prectype prec;
} typing;

typedef struct range {
    int least, most;
} range;

typedef enum storage { STORAGE_DENSE, STORAGE_PART, STORAGE_SLICE } storage;
typedef enum signs { SIGNS_PLUS, SIGNS_MINUS, SIGNS_MIXED } signs;

/* What the problems of a group have in common. Counts are of labels. */
typedef struct recipe {
    range contracted, hadamard, free, isolated; /* free and isolated: of each input */
    range repeated, repeated_in_d;              /* further modes that bear a label already there */
    int limited, limit;                         /* limited: one input has limit modes */
    range extent;                               /* {0, 0}: 1 to 6 */
    int is_equal;                               /* all extents are one number */
    int work;                                   /* at most so many products; 0: 3000 */
    storage storage;                            /* STORAGE_PART: of a larger tensor, STORAGE_SLICE: of higher rank */
    signs signs;                                /* of strides */
    int zero_strides;                           /* some in inputs and in C */
    int odd_ones;                               /* a mode of extent 1 has any stride */
    int any_op, any_name;                       /* conjugations; labels that are no letters */
    int beta_is_zero, c_is_null, in_place;      /* C is unset where beta is 0 */
    int one_input;                              /* A and B are the same memory */
    const typing *types;                        /* one of them is taken; NULL: F32, F64, C32 or C64 throughout */
    int type_count;
} recipe;

typedef struct tensor_problem {
    const recipe *recipe;
    typing types;
    int nlabel;
    int64_t name[MOST_LABELS], extent[MOST_LABELS];
    tensor a, b, c, d;
    number alpha, beta;
    int of_integers; /* small ones: sums are exact, whatever their order */
} tensor_problem;

void make_problem(tensor_problem *made, const recipe *from, random_source *source);
void free_problem(tensor_problem *problem);

/* The same product with other numbers, in memory of its own. */
void twin_problem(tensor_problem *twin, const tensor_problem *of, random_source *source);

/* D as before the product: unset, or what C is where they share memory. */
void reset_output(tensor_problem *problem);

/* Gives D and C the modes of D, from the first on, in the order of modes[], in memory of their own; refills C. */
void reorder_output(tensor_problem *problem, random_source *source, const int modes[]);

/* Walks count labels of a problem: places[] are in its list, at[] the indices, all 0 at first. 0 when all are done. */
int next_index(const tensor_problem *problem, int count, const int places[], int64_t at[]);

/* The labels of D, each once, and the others. Return how many. */
int labels_of_output(const tensor_problem *problem, int places[]);
int labels_summed(const tensor_problem *problem, int places[]);

/* As text, with all that is needed to see what was asked. */
void describe_problem(const tensor_problem *problem, char *text, size_t size);

/* labels.c: which modes the tensors have, by a recipe, and the extents of the labels. */
void draw_labels(tensor_problem *made, random_source *source);
void draw_extents(tensor_problem *made, random_source *source);

/* layout.c: strides and memory for modes whose labels and extents are set; and what a label's step is. */
typedef struct placing {
    storage storage;
    signs signs;
    int zero_strides, odd_ones;
} placing;
void place_tensor(tensor *placed, placing how, random_source *source);
void find_steps(tensor *of);

/* memory[0 .. bytes), or the end of the program: a test without memory has no result. */
void *test_memory(size_t bytes);

#endif
