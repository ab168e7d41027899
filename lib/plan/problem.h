/* A problem: what three descriptors ask for, in modes. The kernels' view has a left operand (m x k),
 * a right one (k x n) and a result (m x n) whose n side is the vector side; B^T A^T = C^T, so the
 * caller's product may stand in it transposed, with the same bits. */
#ifndef LAY_PLAN_PROBLEM_H
#define LAY_PLAN_PROBLEM_H

#include <stdint.h>

#include "layoutgemm.h"
#include "plan/axis.h"
#include "plan/ending.h"
#include "plan/modes.h"
#include "plan/summation.h"
#include "plan/types.h"

/* A product as it is asked for. Who makes another of it copies this and says what is different: the rest, the order of
 * the sum above all, is inherited. */
typedef struct lay_posed {
    lay_types types;
    lay_compute compute;              /* LAY_COMPUTE_AUTO counts as strict */
    lay_sum sum;                      /* its order */
    int64_t whole[3];                 /* as lay_asked has it: m, n and k that the order of the sum hangs on */
    const lay_desc *a, *b, *c;        /* must live as long as the problem; C of rank 3 makes it a batch */
    const lay_desc *addend;           /* C, where it is another tensor than c, which is written then; else NULL */
    int is_m_in_order, is_n_in_order; /* C's rows or columns stay in the order of their indices: packed operands' do */
    int is_for_host;                  /* walked in an order that is kind to the CPU's caches */
    int is_conjugated[2];             /* LAY_LEFT: A, LAY_RIGHT: B; of a real type it means nothing */
    int is_addend_conjugated;         /* the same of the addend */
    const lay_end *end;               /* what becomes of the sums; NULL: nothing */
    int is_of_numbers;                /* A and B are real, but steps 2 p and 2 p + 1 are parts of complex numbers, */
    int is_a_first;                   /* and so C has, of complex elements (lay_kernel.numbers, of A's) */
} lay_posed;

static inline const lay_desc *lay_posed_operand(const lay_posed *posed, int which)
{
    return which == LAY_LEFT ? posed->a : which == LAY_RIGHT ? posed->b : posed->c;
}

typedef struct lay_problem {
    lay_posed posed;
    lay_types types;
    lay_compute compute;
    lay_sum sum;
    int is_transposed; /* left is the caller's B, right is A, result is C transposed */
    int is_batch;      /* so many products, of one shape each; else batch has one index */
    lay_group batch, m, n, k;
    lay_axis left_batch, right_batch, result_batch; /* stride 0: the operand is the same for every index */
    lay_axis left_m, left_k, right_k, right_n, result_m, result_n;
} lay_problem;

/* The function of an operand's rows (0) or columns (1), and of its index in the batch; NULL: it has none. */
const lay_node *lay_operand_map(const lay_desc *desc, int dimension);
const lay_node *lay_operand_batch(const lay_desc *desc);

/* LAY_ERR_OVERFLOW when an address of desc's elements, in bytes from offset 0, leaves 62 bits: what is
 * left is room for the address of offset 0. */
lay_status lay_problem_check_bytes(lay_type type, const lay_desc *desc, const char *name);

/* LAY_ERR_ARGUMENT, LAY_ERR_TYPE, LAY_ERR_RANK, LAY_ERR_SHAPE, LAY_ERR_OVERFLOW, LAY_ERR_INJECTIVE,
 * LAY_ERR_MEMORY. name: what sentences call c, "C" or "D". */
lay_status lay_problem_check(const lay_types *types, const lay_desc *a, const lay_desc *b, const lay_desc *c,
                             const char *name);

/* The problem of checked descriptors, as it is. */
void lay_problem_pose(const lay_posed *posed, lay_problem *problem);

/* Whether a complex product is one of A and B expanded, not of A expanded and B: 0 or 1 (docs/decisions/0021). */
int lay_problem_expands_right(int64_t m, int64_t n);

/* Extents that the order of the sum hangs on, the way round that the problem stands: of the whole product that it is a
 * part of, else its own. */
void lay_problem_whole(const lay_problem *problem, int64_t *m, int64_t *n, int64_t *k);

/* The same of a problem, for the order of the whole product that it is a part of. */
int lay_problem_expands(const lay_problem *problem);

/* Types and extents of the real product that a complex one is; all else is the complex one's. */
void lay_problem_as_real(const lay_problem *problem, lay_problem *real);

/* Types and extents of the product of one type that a product of several is, its order of the sum kept: real where one
 * of A and B is, and the other one's parts are rows or columns of their own. */
void lay_problem_as_one_type(const lay_problem *problem, lay_problem *one);

/* The same product the other way round, C^T = B^T A^T. */
void lay_problem_transpose(const lay_problem *problem, lay_problem *transposed);

/* A strict product in one type, one way round or the other, walked as a device would. */
void lay_problem_make(lay_type type, const lay_desc *a, const lay_desc *b, const lay_desc *c, int is_transposed,
                      lay_problem *problem);

/* "A", "B", "C": the caller's name of LAY_LEFT, LAY_RIGHT or LAY_RESULT. */
const char *lay_problem_operand(const lay_problem *problem, int operand);

/* 2 m n k, of complex numbers 8 m n k and of real times complex ones 4 m n k, of all of a batch, as a double: it may
 * exceed any integer. */
double lay_problem_flops(const lay_problem *problem);

#endif
