/* Offsets lead where descriptors say, and vectors are where they are promised. */
#include "planning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cuda/launch/launch.h"
#include "cuda/launch/offsets.h"
#include "plan/problem.h"

static int64_t walk_at(const lay_cuda_offsets *offsets, int64_t i)
{
    return offsets->table ? offsets->table[i] : i * offsets->stride;
}

/* Element (i, j) of desc, whose dimensions the problem may walk in another order, is found by some index of the
 * axes: the offsets of all elements are the same, as a sum and a sum of squares tell. */
typedef struct digest {
    int64_t count, sum;
    uint64_t squares;
} digest;

static void add_offset(digest *to, int64_t offset)
{
    to->count++;
    to->sum += offset;
    to->squares += (uint64_t)offset * (uint64_t)offset;
}

static digest digest_desc(const lay_desc *desc, int64_t rows, int64_t columns)
{
    digest of = { 0 };
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            add_offset(&of, lay_desc_offset(desc, 2, (int64_t[]){ i, j }));
    return of;
}

static digest digest_offsets(const lay_cuda_offsets *across, const lay_cuda_offsets *along, int64_t base, int64_t rows,
                             int64_t columns)
{
    digest of = { 0 };
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            add_offset(&of, base + walk_at(across, i) + walk_at(along, j));
    return of;
}

static void assert_same(digest x, digest y)
{
    assert_int_equal(x.count, y.count);
    assert_int_equal(x.sum, y.sum);
    assert_true(x.squares == y.squares);
}

void offsets_lead_to_every_element_once(void **state)
{
    (void)state;
    static lay_problem problem;
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(7, (uint64_t)number);
        operands of = make_operands(&from);
        lay_problem_make(LAY_F32, of.a, of.b, of.c, 0, &problem);
        const size_t bytes = lay_offsets_bytes(&problem);
        int64_t *tables = malloc(bytes + 1);
        lay_cuda_args args = { 0 };
        lay_offsets_fill(&problem, &args, tables, tables);
        assert_same(
            digest_desc(of.a, of.m, of.k),
            digest_offsets(&args.left_m, &args.left_k, lay_offsets_base(&problem.left_m, &problem.left_k), of.m, of.k));
        assert_same(digest_desc(of.b, of.k, of.n),
                    digest_offsets(&args.right_k, &args.right_n, lay_offsets_base(&problem.right_k, &problem.right_n),
                                   of.k, of.n));
        assert_same(digest_desc(of.c, of.m, of.n),
                    digest_offsets(&args.result_m, &args.result_n,
                                   lay_offsets_base(&problem.result_m, &problem.result_n), of.m, of.n));
        free(tables);
        free_operands(&of);
    }
}

/* As kernels find offsets that wait for no table: offset_now in cuda/element.cuh. */
static int64_t reckon(const lay_cuda_offsets *offsets, unsigned i)
{
    const unsigned run = (unsigned)offsets->run, low = (unsigned)((uint64_t)i * offsets->inverse >> 32);
    const unsigned segment = low + (i - low * run >= run);
    assert_int_equal(segment, i / run);
    return offsets->base + i * offsets->stride + segment * offsets->jump;
}

static void assert_reckoned(const lay_cuda_offsets *offsets, int64_t extent)
{
    for (int64_t i = 0; i < extent && offsets->run; i++)
        assert_int_equal(offsets->table[i], reckon(offsets, (unsigned)i));
}

/* Of the table and of what is left of it from any index on. */
static void assert_segments(const lay_cuda_offsets *offsets, int64_t extent, int *seen)
{
    if (offsets->run == 0)
        return;
    assert_non_null(offsets->table);
    assert_int_equal(offsets->base, 0);
    for (int64_t first = 0; first < extent; first++) {
        lay_cuda_offsets rest = *offsets;
        assert_int_equal(lay_offsets_go_on(&rest, first), 0);
        assert_int_equal(rest.run, first % offsets->run ? 0 : offsets->run);
        assert_ptr_equal(rest.table, offsets->table + first);
        assert_reckoned(&rest, extent - first);
    }
    ++*seen;
}

void segments_have_the_tables_form(void **state)
{
    (void)state;
    static lay_problem problem;
    int seen = 0;
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(12, (uint64_t)number);
        operands of = make_operands(&from);
        lay_problem_make(LAY_F64, of.a, of.b, of.c, number % 2, &problem);
        int64_t *tables = malloc(lay_offsets_bytes(&problem) + 1);
        lay_cuda_args args = { 0 };
        lay_offsets_fill(&problem, &args, tables, tables);
        assert_segments(&args.left_m, problem.m.extent, &seen);
        assert_segments(&args.left_k, problem.k.extent, &seen);
        assert_segments(&args.right_k, problem.k.extent, &seen);
        assert_segments(&args.right_n, problem.n.extent, &seen);
        assert_segments(&args.result_m, problem.m.extent, &seen);
        assert_segments(&args.result_n, problem.n.extent, &seen);
        free(tables);
        free_operands(&of);
    }
    assert_true(seen > CASES / 10);
}

/* Each whole group of v across is contiguous and begins at a multiple of v from the first element, wherever along
 * stands: by looking at all of them. */
static int looks_like_vectors(const lay_axis *across, const lay_axis *along, int v)
{
    int64_t x[MAX_EXTENT], y[MAX_EXTENT];
    lay_axis_offsets(across, 0, across->extent, x);
    lay_axis_offsets(along, 0, along->extent, y);
    for (int64_t i = 0; i + v <= across->extent; i += v)
        for (int64_t j = 0; j < along->extent; j++)
            for (int e = 0; e < v; e++)
                if ((x[i] - x[0] + y[j] - y[0]) % v != 0 || x[i + e] != x[i] + e)
                    return 0;
    return 1;
}

void vectors_are_where_they_are_promised(void **state)
{
    (void)state;
    static lay_problem problem;
    int kept = 0, found = 0;
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(8, (uint64_t)number);
        operands of = make_operands(&from);
        const int v = random_one_in(&from, 2) ? 4 : 2;
        lay_problem_make(LAY_F32, of.a, of.b, of.c, 0, &problem);
        const lay_axis *const pair[][2] = { { &problem.left_m, &problem.left_k },
                                            { &problem.left_k, &problem.left_m },
                                            { &problem.right_n, &problem.right_k },
                                            { &problem.result_n, &problem.result_m } };
        for (int i = 0; i < 4; i++) {
            const int is_promised = lay_axis_is_in_vectors(pair[i][0], pair[i][1], v);
            const int is_so = looks_like_vectors(pair[i][0], pair[i][1], v);
            assert_false(is_promised && !is_so);
            if (pair[i][0]->extent >= v) {
                found += is_so;
                kept += is_promised;
            }
        }
        free_operands(&of);
    }
    assert_true(found > CASES / 10);
    assert_true(kept * 10 > found * 9); /* few are given away */
}

static lay_cuda_class classify(const char *text)
{
    lay_desc *desc = layout_parse("%s", text), *c = NULL;
    static lay_problem problem;
    const int64_t rows = lay_desc_extent(desc, "0"), columns = lay_desc_extent(desc, "1");
    lay_desc *b = NULL;
    assert_int_equal(lay_desc_natural(2, (int64_t[]){ columns, 8 }, &b), LAY_OK);
    assert_int_equal(lay_desc_natural(2, (int64_t[]){ rows, 8 }, &c), LAY_OK);
    lay_problem_make(LAY_F32, desc, b, c, 0, &problem);
    const lay_cuda_class class = lay_launch_classify(&problem.left_m, &problem.left_k, LAY_F32);
    lay_desc_destroy(desc);
    lay_desc_destroy(b);
    lay_desc_destroy(c);
    return class;
}

void usual_layouts_have_the_class_that_is_theirs(void **state)
{
    (void)state;
    assert_int_equal(classify("[64][64]"), LAY_CUDA_ALONG_VECTOR);
    assert_int_equal(classify("[64:1][64:64]"), LAY_CUDA_ACROSS_VECTOR);
    assert_int_equal(classify("[64:65][64:1]"), LAY_CUDA_ALONG);
    assert_int_equal(classify("[64:1][64:65]"), LAY_CUDA_ACROSS);
    assert_int_equal(classify("A=[2][2][32][32]; [[#A_0][#A_2]][[#A_1][#A_3]]"), LAY_CUDA_ALONG_VECTOR);
    assert_int_equal(classify("[1][64]"), LAY_CUDA_ALONG_VECTOR);
    assert_int_equal(classify("[64][1]"), LAY_CUDA_ACROSS_VECTOR);
    assert_int_equal(classify("[64:-64][64:1]"), LAY_CUDA_ALONG_VECTOR);
    assert_int_equal(classify("[64:64][64:-1]"), LAY_CUDA_ALONG);
}
