/* From three descriptors to a problem. */
#include "plan/problem.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "layout/desc.h"

const lay_node *lay_operand_map(const lay_desc *desc, int dimension)
{
    return lay_desc_map(desc, lay_desc_rank(desc) - 2 + dimension);
}

const lay_node *lay_operand_batch(const lay_desc *desc)
{
    return lay_desc_rank(desc) == 3 ? lay_desc_map(desc, 0) : NULL;
}

static lay_status check_rank(const lay_desc *desc, const char *name, const lay_desc *c)
{
    const int rank = lay_desc_rank(desc), rank_of_c = lay_desc_rank(c);
    if (rank != 2 && rank != 3)
        return lay_fail(LAY_ERR_RANK, "%s has rank %d; a product takes matrices, rank 2, or batches of them, rank 3",
                        name, rank);
    if (rank == 3 && rank_of_c == 2)
        return lay_fail(LAY_ERR_RANK,
                        "%s has rank 3, a batch of matrices, but C has rank 2: a batch has as many results", name);
    return LAY_OK;
}

static lay_status check_batch(const lay_desc *x, const char *name, const lay_desc *c)
{
    const lay_node *own = lay_operand_batch(x), *result = lay_operand_batch(c);
    if (own && own->extent != result->extent)
        return lay_fail(LAY_ERR_SHAPE, "%s has a batch of %lld matrices but C has a batch of %lld", name,
                        (long long)own->extent, (long long)result->extent);
    return LAY_OK;
}

static lay_status check_extents(const lay_desc *x, int i, const char *x_name, const lay_desc *y, int j,
                                const char *y_name)
{
    static const char *const side[] = { "rows", "columns" };
    const int64_t left = lay_operand_map(x, i)->extent, right = lay_operand_map(y, j)->extent;
    if (left != right)
        return lay_fail(LAY_ERR_SHAPE, "%s has %lld %s but %s has %lld %s", x_name, (long long)left, side[i], y_name,
                        (long long)right, side[j]);
    return LAY_OK;
}

lay_status lay_problem_check_bytes(lay_type type, const lay_desc *desc, const char *name)
{
    const int64_t most = (INT64_MAX >> 1) / (int64_t)lay_type_size(type) - 1;
    int64_t lowest, highest;
    lay_desc_span(desc, &lowest, &highest);
    if (lowest < -most || highest > most)
        return lay_fail(LAY_ERR_OVERFLOW, "%s has offsets that do not fit 63 bits in bytes", name);
    return LAY_OK;
}

lay_status lay_problem_check(const lay_types *types, const lay_desc *a, const lay_desc *b, const lay_desc *c,
                             const char *name)
{
    lay_status status;
    if (lay_type_size(types->result) == 0)
        return lay_fail(LAY_ERR_TYPE, "%d is no lay_type", (int)types->result);
    if (!a || !b || !c)
        return lay_fail(LAY_ERR_ARGUMENT, "desc_%c is NULL", !a ? 'a' : !b ? 'b' : 'c');
    if ((status = check_rank(c, "C", c)) || (status = check_rank(a, "A", c)) || (status = check_rank(b, "B", c)))
        return status;
    if ((status = check_extents(a, 1, "A", b, 0, "B")) || (status = check_extents(c, 0, "C", a, 0, "A")) ||
        (status = check_extents(c, 1, "C", b, 1, "B")) || (status = check_batch(a, "A", c)) ||
        (status = check_batch(b, "B", c)))
        return status;
    if ((status = lay_desc_refuse_places(a, "A")) || (status = lay_desc_refuse_places(b, "B")) ||
        (status = lay_desc_refuse_places(c, name)))
        return status;
    if ((status = lay_problem_check_bytes(types->left, a, "A")) ||
        (status = lay_problem_check_bytes(types->right, b, "B")) ||
        (status = lay_problem_check_bytes(types->result, c, name)))
        return status;
    const int injective = lay_desc_prove_injective(c);
    if (injective == 0)
        return lay_desc_refuse_shared(c, name);
    return injective < 0 ? LAY_ERR_MEMORY : LAY_OK;
}

static int has_unit_mode(const lay_group *group, int operand)
{
    for (int i = 0; i < group->count; i++)
        if (llabs(group->mode[i].stride[operand]) == 1)
            return 1;
    return 0;
}

/* The same points in an order that is kinder to caches: rows as C stores them where C is most of the memory; columns,
 * behind one segment of C's, as the right operand stores them, so that its lines are used up while they are near. But
 * for what has to stay in the order of the indices. */
static void order_for_caches(lay_problem *problem)
{
    enum { RESULT_TIMES = 32 }; /* n so many times k: C is what takes the time */
    const lay_posed *posed = &problem->posed;
    const int near = problem->is_transposed ? 1 : 0, far = 1 - near;
    const int is_m_in_order = problem->is_transposed ? posed->is_n_in_order : posed->is_m_in_order;
    const int is_n_in_order = problem->is_transposed ? posed->is_m_in_order : posed->is_n_in_order;
    const lay_desc *left = problem->is_transposed ? posed->b : posed->a,
                   *right = problem->is_transposed ? posed->a : posed->b;
    if (!is_m_in_order && problem->n.extent / RESULT_TIMES >= problem->k.extent) {
        lay_group_order_by(&problem->m, LAY_RESULT);
        lay_axis_make(&problem->m, LAY_LEFT, lay_operand_map(left, near), &problem->left_m);
        lay_axis_make(&problem->m, LAY_RESULT, lay_operand_map(posed->c, near), &problem->result_m);
    }
    if (!is_n_in_order && lay_group_bring_near(&problem->n, LAY_RIGHT, LAY_RESULT)) {
        lay_axis_make(&problem->n, LAY_RIGHT, lay_operand_map(right, far), &problem->right_n);
        lay_axis_make(&problem->n, LAY_RESULT, lay_operand_map(posed->c, far), &problem->result_n);
    }
}

static void pose_batch(lay_problem *problem, const lay_desc *left, const lay_desc *right, const lay_desc *result)
{
    const lay_node *const map[] = { lay_operand_batch(left), lay_operand_batch(right), lay_operand_batch(result) };
    lay_axis *const axis[] = { &problem->left_batch, &problem->right_batch, &problem->result_batch };
    problem->is_batch = map[LAY_RESULT] != NULL;
    problem->batch = (lay_group){ .extent = 1, .is_plain = 1 };
    if (problem->is_batch)
        lay_group_refine(map, &problem->batch);
    for (int i = 0; i < LAY_OPERANDS; i++)
        lay_axis_make(&problem->batch, i, map[i], axis[i]);
}

static void pose(const lay_posed *posed, int is_transposed, lay_problem *problem)
{
    const int near = is_transposed ? 1 : 0, far = 1 - near; /* root dimensions of C along m and n, and so on */
    const int is_m_in_order = is_transposed ? posed->is_n_in_order : posed->is_m_in_order;
    const int is_n_in_order = is_transposed ? posed->is_m_in_order : posed->is_n_in_order;
    const lay_desc *left = is_transposed ? posed->b : posed->a, *right = is_transposed ? posed->a : posed->b;
    const lay_node *left_m = lay_operand_map(left, near), *left_k = lay_operand_map(left, far);
    const lay_node *right_k = lay_operand_map(right, near), *right_n = lay_operand_map(right, far);
    const lay_node *result_m = lay_operand_map(posed->c, near), *result_n = lay_operand_map(posed->c, far);

    problem->posed = *posed;
    problem->types = posed->types;
    if (is_transposed) {
        problem->types.left = posed->types.right;
        problem->types.right = posed->types.left;
    }
    problem->compute = posed->compute;
    problem->sum = posed->sum;
    problem->is_transposed = is_transposed;
    pose_batch(problem, left, right, posed->c);
    lay_group_refine((const lay_node *[]){ left_m, NULL, result_m }, &problem->m);
    lay_group_refine((const lay_node *[]){ NULL, right_n, result_n }, &problem->n);
    lay_group_refine((const lay_node *[]){ left_k, right_k, NULL }, &problem->k);
    /* Rows as the left operand stores them when that makes panels of contiguous pieces, else as C
     * stores them; columns as C stores them, for its vectors. The order along k is the sum's. */
    if (!is_m_in_order)
        lay_group_order_by(&problem->m, has_unit_mode(&problem->m, LAY_LEFT) ? LAY_LEFT : LAY_RESULT);
    if (!is_n_in_order)
        lay_group_order_by(&problem->n, LAY_RESULT);

    lay_axis_make(&problem->m, LAY_LEFT, left_m, &problem->left_m);
    lay_axis_make(&problem->k, LAY_LEFT, left_k, &problem->left_k);
    lay_axis_make(&problem->k, LAY_RIGHT, right_k, &problem->right_k);
    lay_axis_make(&problem->n, LAY_RIGHT, right_n, &problem->right_n);
    lay_axis_make(&problem->m, LAY_RESULT, result_m, &problem->result_m);
    lay_axis_make(&problem->n, LAY_RESULT, result_n, &problem->result_n);
    if (posed->is_for_host)
        order_for_caches(problem);
}

void lay_problem_pose(const lay_posed *posed, lay_problem *problem)
{
    pose(posed, 0, problem);
}

/* The smaller one: what is expanded is copied. Of extents alone, for the order of the sum hangs on it. */
int lay_problem_expands_right(int64_t m, int64_t n)
{
    return n <= m;
}

void lay_problem_whole(const lay_problem *problem, int64_t *m, int64_t *n, int64_t *k)
{
    const int64_t *const whole = problem->posed.whole;
    *m = problem->m.extent;
    *n = problem->n.extent;
    *k = whole[2] > 0 ? whole[2] : problem->k.extent;
    if (whole[0] > 0 && whole[1] > 0) {
        *m = whole[problem->is_transposed];
        *n = whole[!problem->is_transposed];
    }
}

int lay_problem_expands(const lay_problem *problem)
{
    int64_t m, n, k;
    lay_problem_whole(problem, &m, &n, &k);
    return lay_problem_expands_right(m, n);
}

static int64_t twice(int64_t extent)
{
    return 2 * min_of(extent, INT64_MAX / 2);
}

void lay_problem_as_real(const lay_problem *problem, lay_problem *real)
{
    const lay_type type = lay_type_real(problem->types.left);
    const int is_right = lay_problem_expands(problem);
    int64_t m, n, k;
    lay_problem_whole(problem, &m, &n, &k);
    *real = *problem;
    real->types = lay_types_of(type);
    real->k.extent = twice(problem->k.extent);
    real->m.extent = is_right ? problem->m.extent : twice(problem->m.extent);
    real->n.extent = is_right ? twice(problem->n.extent) : problem->n.extent;
    const int doubled = problem->is_transposed == is_right ? 0 : 1; /* rows or columns of the caller's C */
    real->posed.whole[doubled] = twice(problem->posed.whole[doubled]);
    real->posed.whole[2] = twice(problem->posed.whole[2]);
    real->sum = lay_sum_within(lay_sum_of(is_right ? m : twice(m), is_right ? twice(n) : n, twice(k)), real->k.extent);
}

void lay_problem_as_one_type(const lay_problem *problem, lay_problem *one)
{
    const int is_left = lay_type_is_complex(problem->types.left), is_right = lay_type_is_complex(problem->types.right);
    *one = *problem;
    one->types = lay_types_of(is_left && is_right ? problem->types.sum : lay_type_real(problem->types.sum));
    if (is_left && !is_right)
        one->m.extent = twice(problem->m.extent);
    if (is_right && !is_left)
        one->n.extent = twice(problem->n.extent);
}

void lay_problem_transpose(const lay_problem *problem, lay_problem *transposed)
{
    pose(&problem->posed, !problem->is_transposed, transposed);
}

void lay_problem_make(lay_type type, const lay_desc *a, const lay_desc *b, const lay_desc *c, int is_transposed,
                      lay_problem *problem)
{
    const int64_t m = lay_operand_map(c, 0)->extent, n = lay_operand_map(c, 1)->extent;
    const int64_t k = lay_operand_map(a, 1)->extent;
    const lay_posed posed = {
        .types = lay_types_of(type), .compute = LAY_COMPUTE_STRICT, .sum = lay_sum_of(m, n, k), .a = a, .b = b, .c = c
    };
    pose(&posed, is_transposed, problem);
}

const char *lay_problem_operand(const lay_problem *problem, int operand)
{
    if (operand == LAY_RESULT)
        return "C";
    return (operand == LAY_LEFT) != problem->is_transposed ? "A" : "B";
}

double lay_problem_flops(const lay_problem *problem)
{
    const int parts = lay_type_is_complex(problem->types.left) + lay_type_is_complex(problem->types.right);
    const double each = parts == 2 ? 8 : parts == 1 || problem->posed.is_of_numbers ? 4 : 2;
    return each * (double)problem->batch.extent * (double)problem->m.extent * (double)problem->n.extent *
           (double)problem->k.extent;
}
