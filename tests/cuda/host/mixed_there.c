/* Products of several types in a device's memory, without a device: a stand-in (stand_in.h), with the library's own
 * ways of it, and one leaf that multiplies operands of one type. Every bit is the CPU's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../cases.h"
#include "../../oracle.h"
#include "../../random.h"
#include "base/status.h"
#include "cuda/ways.h"
#include "device/device.h"
#include "device/memory.h"
#include "plan/plan.h"
#include "rewrite/ways.h"
#include "stand_in.h"
#include "ways.h"

enum { TYPES = 6, CASES = 4000 };
enum { A, B, C, D, OPERANDS };

/* ---- a leaf: one type, or two 16-bit operands, by the CPU ----------------------------------------- */

static const char *refuse_order(const lay_problem *problem, const lay_setting *setting)
{
    (void)problem;
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (setting->place[i] != LAY_PLACE_DEVICE)
            return "an operand lies in host memory";
    return NULL;
}

/* As an order does that reads 16-bit operands as they are. */
static int mixes(const lay_problem *problem)
{
    const lay_types *types = &problem->types;
    return types->left == types->right && lay_type_size(types->left) == 2 && types->sum == LAY_F32;
}

static lay_status run_alone(const lay_branch *branch, const lay_call *call)
{
    const lay_posed *posed = &branch->problem.posed;
    const lay_asked asked = { .types = posed->types,
                              .a = posed->a,
                              .b = posed->b,
                              .c = posed->c,
                              .is_conjugated = { posed->is_conjugated[0], posed->is_conjugated[1] } };
    lay_options options = LAY_OPTIONS_INIT;
    lay_plan *plan = NULL;
    options.threads = 1;
    if (stand_in_fails())
        return lay_fail(LAY_ERR_DEVICE, "a launch failed");
    stand_in_begin();
    stand_in_hide(); /* to the CPU all memory is its own now */
    lay_status status = lay_plan_make_asked(&lay_all_ways, &asked, &options, &plan);
    if (status == LAY_OK)
        status = lay_plan_run(plan, call->alpha, call->left, call->right, call->beta, call->c);
    lay_plan_destroy(plan);
    stand_in_show();
    stand_in_end();
    return status;
}

static lay_status multiply(lay_branch *branch, const lay_call *call)
{
    return run_alone(branch, call);
}

static lay_status scale(lay_branch *branch, const lay_call *call)
{
    const lay_scalar none = { .c64 = { 0, 0 } };
    lay_call own = *call;
    own.alpha = &none;
    return run_alone(branch, &own);
}

static const lay_order order = {
    .name = "there", .backend = LAY_BACKEND_CUDA, .refuse = refuse_order, .mixes = mixes, .scale = scale
};

static const char *prepare(lay_branch *branch)
{
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (branch->setting.place[i] != LAY_PLACE_DEVICE)
            return "an operand lies in host memory";
    branch->job.kernel = "of these tests";
    branch->job.threads = 1;
    branch->job.seconds = 1e-6;
    if (lay_types_are_mixed(&branch->problem.types) && !mixes(&branch->problem))
        return "operands are to be converted first";
    return branch->problem.is_transposed ? "it multiplies as it is asked to" : NULL;
}

static void explain(const lay_branch *branch, lay_text *text)
{
    (void)branch, (void)text;
}

static const lay_way leaf = { .name = "leaf",
                              .order = &order,
                              .takes = LAY_TAKES_BATCH | LAY_TAKES_COMPLEX | LAY_TAKES_MIXED,
                              .prepare = prepare,
                              .run = multiply,
                              .explain = explain };

static const lay_table table = { .orders = (const lay_order *const[]){ &order, NULL },
                                 .ways = (const lay_way *const[]){ &leaf, &lay_way_addend, &lay_way_batch,
                                                                   &lay_way_parts, &lay_way_mixed,
                                                                   &lay_way_device_mixed, &lay_way_transposed, NULL } };

/* ---- a case ------------------------------------------------------------------------------------ */

typedef struct mixed_case {
    lay_types types;
    lay_desc *desc[OPERANDS];
    int has_d, is_conjugated[3];
    char *here[OPERANDS]; /* elements at offset 0 */
    size_t bytes[OPERANDS];
    void *at[OPERANDS]; /* their copies on the device */
    lay_scalar alpha, beta;
} mixed_case;

static lay_type type_of(const mixed_case *c, int operand)
{
    return operand == A   ? c->types.left
           : operand == B ? c->types.right
           : operand == C ? c->types.addend
                          : c->types.result;
}

/* The dimensions lie in memory in any order, with gaps now and then. */
static lay_desc *some_desc(int rank, const int64_t extents[], random_source *from, int64_t *elements)
{
    int64_t strides[3];
    int left[3] = { 0, 1, 2 };
    lay_desc *made;
    *elements = 1;
    for (int i = 0; i < rank; i++) {
        const int pick = (int)random_in(from, i, rank - 1), taken_one = left[pick];
        left[pick] = left[i];
        left[i] = taken_one;
        strides[taken_one] = *elements;
        *elements *= extents[taken_one] + (random_one_in(from, 3) ? random_in(from, 0, 3) : 0);
    }
    assert_int_equal(lay_desc_strided(rank, extents, strides, &made), LAY_OK);
    return made;
}

static lay_scalar some_factor(lay_type sum, random_source *from)
{
    static const double parts[] = { 0, 0, 1, 1, -1, 0.5, -3 };
    const double re = random_of(from, parts), im = random_one_in(from, 2) ? random_of(from, parts) : 0;
    return sum == LAY_F32   ? (lay_scalar){ .f32 = (float)re }
           : sum == LAY_F64 ? (lay_scalar){ .f64 = re }
           : sum == LAY_C32 ? (lay_scalar){ .c32 = { (float)re, (float)im } }
                            : (lay_scalar){ .c64 = { re, im } };
}

static void place(mixed_case *c, int operand, int64_t batch, int64_t rows, int64_t columns, random_source *from)
{
    const lay_type type = type_of(c, operand), part = lay_type_real(type);
    const int has_batch = batch > 0;
    const int64_t extents[] = { batch, rows, columns };
    int64_t elements;
    c->desc[operand] = some_desc(has_batch ? 3 : 2, has_batch ? extents : extents + 1, from, &elements);
    c->bytes[operand] = (size_t)(elements + 1) * lay_type_size(type);
    c->here[operand] = oracle_memory(c->bytes[operand]);
    for (size_t i = 0; i < c->bytes[operand] / lay_type_size(part); i++)
        oracle_store(part, c->here[operand], (int64_t)i, 2 * random_unit(from) - 1);
    assert_int_equal(stand_in_take(0, c->bytes[operand], NULL, &c->at[operand]), LAY_OK);
    stand_in_begin();
    memcpy(c->at[operand], c->here[operand], c->bytes[operand]);
    stand_in_end();
}

/* Fewer than 32 steps, so that the CPU has no order of its own for 16-bit matrices and vectors. */
static mixed_case make_case(random_source *from)
{
    mixed_case c = { .has_d = random_one_in(from, 2) };
    lay_type type[OPERANDS];
    do {
        for (int i = 0; i < OPERANDS; i++)
            type[i] = (lay_type)random_in(from, 0, TYPES - 1);
        type[C] = c.has_d ? type[C] : type[D];
    } while (lay_types_mix(type, 0, random_one_in(from, 4), &c.types) != LAY_OK);
    const int64_t batch = random_one_in(from, 3) ? random_in(from, 1, 4) : 0, m = random_in(from, 1, 40),
                  n = random_in(from, 1, 40), k = random_in(from, 1, 31);
    stand_in_clear();
    place(&c, A, random_one_in(from, 2) ? batch : 0, m, k, from);
    place(&c, B, random_one_in(from, 2) ? batch : 0, k, n, from);
    place(&c, C, batch, m, n, from);
    if (c.has_d)
        place(&c, D, batch, m, n, from);
    for (int i = 0; i < 3; i++)
        c.is_conjugated[i] = (i < 2 || c.has_d) && random_one_in(from, 3);
    c.alpha = some_factor(c.types.sum, from);
    c.beta = some_factor(c.types.sum, from);
    return c;
}

static void free_case(mixed_case *c)
{
    for (int i = 0; i < OPERANDS; i++) {
        lay_desc_destroy(c->desc[i]);
        free(c->here[i]);
    }
}

static int written_of(const mixed_case *c)
{
    return c->has_d ? D : C;
}

static lay_plan *make_plan(const mixed_case *c, const lay_table *ways)
{
    const lay_asked asked = { .types = c->types,
                              .a = c->desc[A],
                              .b = c->desc[B],
                              .c = c->desc[written_of(c)],
                              .addend = c->has_d ? c->desc[C] : NULL,
                              .is_conjugated = { c->is_conjugated[0], c->is_conjugated[1], c->is_conjugated[2] } };
    lay_options options = LAY_OPTIONS_INIT;
    lay_plan *plan = NULL;
    options.threads = 1;
    options.backend = ways == &table ? LAY_BACKEND_CUDA : LAY_BACKEND_CPU;
    if (lay_plan_make_asked(ways, &asked, &options, &plan) != LAY_OK)
        fail_msg("%s", lay_last_error());
    return plan;
}

static lay_status run(const mixed_case *c, const lay_plan *plan, void *const at[])
{
    return c->has_d ? lay_plan_run_product(plan, &c->alpha, at[A], at[B], &c->beta, at[C], at[D])
                    : lay_plan_run(plan, &c->alpha, at[A], at[B], &c->beta, at[C]);
}

/* What the CPU makes of it, in here[]. */
static void run_here(mixed_case *c)
{
    stand_in_hide();
    lay_plan *const plan = make_plan(c, &lay_all_ways);
    if (run(c, plan, (void *const[]){ c->here[A], c->here[B], c->here[C], c->here[D] }) != LAY_OK)
        fail_msg("%s", lay_last_error());
    lay_plan_destroy(plan);
    stand_in_show();
}

static double part_of(const mixed_case *c, const lay_scalar *scalar, int number)
{
    const lay_type sum = c->types.sum;
    return sum == LAY_C64   ? scalar->c64[number]
           : sum == LAY_C32 ? (double)scalar->c32[number]
           : number         ? 0
           : sum == LAY_F64 ? scalar->f64
                            : (double)scalar->f32;
}

static void tell(const mixed_case *c, uint64_t nth, const char *why)
{
    fail_msg("case %llu: A %s B %s C %s D %s, sum %s, D apart %d, conjugated %d%d%d, alpha %g %g, beta %g %g: %s",
             (unsigned long long)nth, lay_type_name(c->types.left), lay_type_name(c->types.right),
             lay_type_name(c->types.addend), lay_type_name(c->types.result), lay_type_name(c->types.sum), c->has_d,
             c->is_conjugated[0], c->is_conjugated[1], c->is_conjugated[2], part_of(c, &c->alpha, 0),
             part_of(c, &c->alpha, 1), part_of(c, &c->beta, 0), part_of(c, &c->beta, 1), why);
}

/* All memory there is as it is here. */
static void insist_on_equal(const mixed_case *c, uint64_t nth)
{
    stand_in_begin();
    for (int i = 0; i < OPERANDS; i++)
        if (c->here[i] && memcmp(c->here[i], c->at[i], c->bytes[i]) != 0)
            tell(c, nth, i == written_of(c) ? "the result differs" : "an input has changed");
    stand_in_end();
}

static void every_set_of_types_has_the_bits_of_the_cpu(void **state)
{
    (void)state;
    const int cases = cases_at_most(CASES);
    for (int nth = 0; nth < cases; nth++) {
        random_source from = random_case(65, (uint64_t)nth);
        mixed_case c = make_case(&from);
        lay_plan *const plan = make_plan(&c, &table);
        assert_int_equal(lay_plan_reserve(plan), LAY_OK);
        if (run(&c, plan, c.at) != LAY_OK)
            tell(&c, (uint64_t)nth, lay_last_error());
        lay_plan_destroy(plan);
        run_here(&c);
        insist_on_equal(&c, (uint64_t)nth);
        free_case(&c);
    }
}

/* Of one call after the other; what was written is as it was, or the sentence says so. */
static void any_call_may_fail_once(void **state)
{
    (void)state;
    long failures = 0;
    for (uint64_t nth = 0; nth < 150; nth++)
        for (long call = 0, has_failed = 1; has_failed; call++) {
            random_source from = random_case(66, nth);
            mixed_case c = make_case(&from);
            lay_plan *const plan = make_plan(&c, &table);
            const int out = written_of(&c);
            stand_in_calls_left = call;
            const lay_status status = run(&c, plan, c.at);
            has_failed = stand_in_calls_left < 0;
            stand_in_calls_left = -1;
            if ((status != LAY_OK) != has_failed)
                tell(&c, nth, status ? lay_last_error() : "a failure was lost");
            stand_in_begin();
            if (has_failed && memcmp(c.here[out], c.at[out], c.bytes[out]) != 0 &&
                !strstr(lay_last_error(), "a part of C has been written"))
                tell(&c, nth, lay_last_error());
            stand_in_end();
            failures += has_failed;
            lay_plan_destroy(plan);
            free_case(&c);
        }
    assert_true(failures > 300);
}

/* Some operand here, the others there. */
static void operands_of_two_memories_are_refused(void **state)
{
    (void)state;
    int refused = 0;
    for (uint64_t nth = 0; nth < 600; nth++) {
        random_source from = random_case(67, nth);
        mixed_case c = make_case(&from);
        lay_plan *plan = NULL;
        void *at[OPERANDS];
        const int moved = (int)random_in(&from, 0, c.has_d ? D : C), out = written_of(&c);
        if (lay_types_are_mixed(&c.types)) {
            memcpy(at, c.at, sizeof at);
            at[moved] = c.here[moved];
            plan = make_plan(&c, &table);
            const lay_status status = run(&c, plan, at);
            if (status != LAY_OK) {
                if (status != LAY_ERR_UNSUPPORTED)
                    tell(&c, nth, lay_last_error());
                stand_in_begin();
                assert_memory_equal(c.here[out], c.at[out], c.bytes[out]);
                stand_in_end();
                refused++;
            }
        }
        lay_plan_destroy(plan);
        free_case(&c);
    }
    assert_true(refused > 150);
}

static int make_device(void **state)
{
    (void)state;
    return stand_in_make();
}

static int drop_device(void **state)
{
    (void)state;
    return stand_in_drop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_of_types_has_the_bits_of_the_cpu),
        cmocka_unit_test(any_call_may_fail_once),
        cmocka_unit_test(operands_of_two_memories_are_refused),
    };
    return cmocka_run_group_tests(tests, make_device, drop_device);
}
