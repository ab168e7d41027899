/* Random endings: every bit is that of a product whose D has the sums' type, ended here element by element. As
 * `endings SEED [CASES] [cut]`; cut: some plans must be cut in pieces. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/layouts.h"
#include "../support/operand.h"
#include "../support/trial.h"
#include "ended.h"

static uint64_t seed = 1;
static int64_t cases = 600;
static int must_cut, cuts, most = 40;

static const struct types {
    lay_type a, b, c, d, sum;
} kinds[] = {
    { LAY_F32, LAY_F32, LAY_F32, LAY_F32, LAY_F32 },    { LAY_F64, LAY_F64, LAY_F64, LAY_F64, LAY_F64 },
    { LAY_F16, LAY_F16, LAY_F16, LAY_F16, LAY_F32 },    { LAY_BF16, LAY_BF16, LAY_BF16, LAY_BF16, LAY_F32 },
    { LAY_C32, LAY_C32, LAY_C32, LAY_C32, LAY_C32 },    { LAY_C64, LAY_C64, LAY_C64, LAY_C64, LAY_C64 },
    { LAY_BF16, LAY_F16, LAY_F32, LAY_BF16, LAY_F32 },  { LAY_F32, LAY_F64, LAY_F32, LAY_F32, LAY_F64 },
    { LAY_BF16, LAY_BF16, LAY_BF16, LAY_F32, LAY_F32 }, { LAY_C32, LAY_F32, LAY_C32, LAY_C32, LAY_C32 },
};

/* What there is of a case. */
typedef struct tested {
    random_source from;
    struct types types;
    int64_t m, n, k;
    int has_d, is_conjugated;
    double alpha, beta;
    operand a, b, c, d; /* d: c's content, where it is not another tensor */
    double *values_c;
    ended_term term[ENDED_TERMS];
    lay_ending ending;
    lay_options options;
} tested;

static double *random_values(tested *of, int64_t count)
{
    double *values = oracle_memory((size_t)(count + 1) * sizeof *values);
    for (int64_t i = 0; i < count; i++)
        values[i] = oracle_round(LAY_BF16, 2 * random_unit(&of->from) - 1);
    return values;
}

static operand make_operand(tested *of, lay_type type, int64_t rows, int64_t columns, layout_use use, double **values)
{
    double *made = random_values(of, rows * columns * oracle_parts(type));
    const operand out =
        operand_make(type, layout_random(&of->from, use, rows, columns), made, OPERAND_ANYWHERE, &of->from);
    if (values)
        *values = made;
    else
        free(made);
    return out;
}

/* Types whose numbers sums have. */
static lay_type random_term_type(tested *of)
{
    static const lay_type any[] = { LAY_F32, LAY_F16, LAY_BF16, LAY_F64, LAY_C32, LAY_C64 };
    for (;;) {
        const lay_type type = random_of(&of->from, any);
        const int is_double = type == LAY_F64 || type == LAY_C64, is_complex = oracle_parts(type) == 2;
        if ((!is_double || oracle_real(of->types.sum) == LAY_F64) && (!is_complex || oracle_parts(of->types.sum) == 2))
            return type;
    }
}

static void choose_ending(tested *of)
{
    static const char *const labels[] = { "", "i", "j", "ij", "ji" };
    of->ending = (lay_ending)LAY_ENDING_INIT;
    for (int i = 0; i < ENDED_TERMS; i++)
        if (random_one_in(&of->from, 2))
            ended_make_term(&of->from, random_term_type(of), random_of(&of->from, labels), of->m, of->n, &of->term[i]);
    for (int i = 0; i < ENDED_TERMS; i++)
        *(i < 2 ? &of->ending.scale[i] : &of->ending.bias) = of->term[i].as_given;
    if (oracle_parts(of->types.sum) == 1)
        of->ending.activation = (lay_activation)random_in(&of->from, 0, LAY_ACTIVATION_CLAMP);
    of->ending.low = random_one_in(&of->from, 3) ? -INFINITY : -0.25;
    of->ending.high = random_one_in(&of->from, 3) ? INFINITY : 0.75;
}

static int64_t random_extent(tested *of)
{
    if (must_cut)
        return random_in(&of->from, most / 2, most);
    return random_one_in(&of->from, 30) ? 0 : random_in(&of->from, 1, random_one_in(&of->from, 3) ? 6 : most);
}

static void make_case(tested *of, uint64_t number)
{
    static const double alphas[] = { 1, -0.75, 1, 0 }, betas[] = { 0, 1, 0.5 };
    lay_isa isas[TRIAL_LEVELS];
    memset(of, 0, sizeof *of);
    of->from = random_case(seed, number);
    do /* sums in workspace come in pieces */
        of->types = random_of(&of->from, kinds);
    while (must_cut && of->types.d == of->types.sum);
    of->m = random_extent(of);
    of->n = random_extent(of);
    of->k = random_one_in(&of->from, 20) ? 0 : random_in(&of->from, 1, 30);
    of->alpha = random_of(&of->from, alphas);
    of->beta = random_of(&of->from, betas);
    of->has_d = of->types.c != of->types.d || random_one_in(&of->from, 2);
    of->is_conjugated = of->has_d && random_one_in(&of->from, 4);
    of->a = make_operand(of, of->types.a, of->m, of->k, LAYOUT_INPUT, NULL);
    of->b = make_operand(of, of->types.b, of->k, of->n, LAYOUT_INPUT, NULL);
    of->c = make_operand(of, of->types.c, of->m, of->n, of->has_d ? LAYOUT_INPUT : LAYOUT_OUTPUT, &of->values_c);
    if (of->has_d)
        of->d = make_operand(of, of->types.d, of->m, of->n, LAYOUT_OUTPUT, NULL);
    if (of->beta == 0 && !of->has_d) { /* C is not read */
        lay_desc *again = NULL;
        assert_int_equal(lay_desc_clone(of->c.desc, &again), LAY_OK);
        operand_free(&of->c);
        of->c = operand_make(of->types.c, again, NULL, OPERAND_ANYWHERE, &of->from);
    }
    choose_ending(of);
    of->options = (lay_options)LAY_OPTIONS_INIT;
    of->options.backend = LAY_BACKEND_CPU;
    of->options.threads = (int)random_in(&of->from, 1, 3);
    of->options.isa = isas[random_in(&of->from, 0, trial_isas(isas) - 1)];
}

static void free_case(tested *of)
{
    operand_free(&of->a);
    operand_free(&of->b);
    operand_free(&of->c);
    if (of->has_d)
        operand_free(&of->d);
    free(of->values_c);
    for (int i = 0; i < ENDED_TERMS; i++)
        ended_free_term(&of->term[i]);
}

static lay_product product_of(const tested *of)
{
    lay_product product = LAY_PRODUCT_INIT;
    product.labels = "ik,kj->ij";
    product.type_a = of->types.a;
    product.type_b = of->types.b;
    product.type_c = of->types.c;
    product.type_d = of->types.d;
    product.a = of->a.desc;
    product.b = of->b.desc;
    product.c = of->c.desc;
    product.d = of->has_d ? of->d.desc : NULL;
    product.conjugated = of->is_conjugated ? LAY_CONJUGATED_C : 0;
    product.sum_precision = oracle_real(of->types.sum) == LAY_F64 ? LAY_SUM_F64 : LAY_SUM_BY_TYPES;
    return product;
}

/* The sums: of the same product with a dense D of their type. */
static void find_sums(const tested *of, double *sums)
{
    lay_product product = product_of(of);
    lay_plan *plan = NULL;
    lay_desc *dense = layout_parse("[%lld][%lld]", (long long)of->m, (long long)of->n);
    void *const d = oracle_memory((size_t)(of->m * of->n + 1) * 16);
    const trial_scalar alpha = trial_scalar_of(of->types.sum, of->alpha),
                       beta = trial_scalar_of(of->types.sum, of->beta);
    product.d = dense;
    product.type_d = of->types.sum;
    if (lay_plan_create_product(&product, &of->options, &plan) != LAY_OK ||
        lay_plan_run_product(plan, &alpha, of->a.zero, of->b.zero, &beta, of->c.zero, d) != LAY_OK)
        fail_msg("%s", lay_last_error());
    for (int64_t at = 0; at < of->m * of->n * oracle_parts(of->types.sum); at++)
        sums[at] = oracle_load(oracle_real(of->types.sum), d, at);
    lay_plan_destroy(plan);
    lay_desc_destroy(dense);
    free(d);
}

static lay_status run(const tested *of, const lay_plan *plan, const trial_scalar *alpha, const trial_scalar *beta)
{
    lay_arguments arguments = LAY_ARGUMENTS_INIT;
    arguments.alpha = alpha;
    arguments.a = of->a.zero;
    arguments.b = of->b.zero;
    arguments.beta = beta;
    arguments.c = of->c.zero;
    arguments.d = of->has_d ? of->d.zero : of->c.zero;
    arguments.scale[0] = of->term[0].zero;
    arguments.scale[1] = of->term[1].zero;
    arguments.bias = of->term[2].zero;
    return lay_plan_run_arguments(plan, &arguments);
}

static void note_cut(const lay_plan *plan)
{
    static char text[1 << 16];
    assert_true(lay_plan_explain(plan, text, sizeof text) > 0);
    cuts += strstr(text, " pieces of ") != NULL;
}

static void check_case(uint64_t number)
{
    tested of;
    make_case(&of, number);
    const operand *out = of.has_d ? &of.d : &of.c;
    lay_product product = product_of(&of);
    lay_plan *plan = NULL;
    const int parts = oracle_parts(of.types.sum);
    const size_t room = (size_t)(of.m * of.n * parts + 2);
    double *sums = oracle_memory(room * sizeof *sums), *got = oracle_memory(room * sizeof *got);
    const trial_scalar alpha = trial_scalar_of(of.types.sum, of.alpha), beta = trial_scalar_of(of.types.sum, of.beta);
    find_sums(&of, sums);
    product.ending = &of.ending;
    if (lay_plan_create_product(&product, &of.options, &plan) != LAY_OK)
        fail_msg("case %llu: %s", (unsigned long long)number, lay_last_error());
    if (must_cut)
        note_cut(plan);
    if (run(&of, plan, &alpha, &beta) != LAY_OK)
        fail_msg("case %llu: %s", (unsigned long long)number, lay_last_error());
    operand_read(out, got);
    for (int64_t i = 0; i < of.m * of.n; i++) {
        double wanted[2], slack;
        ended_element(&of.ending, of.term, of.types.sum, of.types.d, i / of.n, i % of.n, sums + i * parts, wanted,
                      &slack);
        for (int p = 0; p < parts; p++)
            if (!(fabs(got[i * parts + p] - wanted[p]) <= slack))
                fail_msg("case %llu, type %d, %lld x %lld x %lld, element %lld %lld: %.17g, not %.17g (%.3g)",
                         (unsigned long long)number, (int)of.types.d, (long long)of.m, (long long)of.n, (long long)of.k,
                         (long long)(i / of.n), (long long)(i % of.n), got[i * parts + p], wanted[p], slack);
    }
    assert_true(operand_gaps_are_kept(out));
    assert_true(operand_is_untouched(&of.a) && operand_is_untouched(&of.b));
    assert_true(!of.has_d || operand_is_untouched(&of.c));
    lay_plan_destroy(plan);
    free(sums);
    free(got);
    free_case(&of);
}

static void random_endings_are_right(void **state)
{
    (void)state;
    for (int64_t i = 0; i < cases; i++)
        check_case((uint64_t)i);
    assert_true(!must_cut || cuts > cases / 10);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_endings_are_right) };
    if (argc > 1)
        seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        cases = strtoll(argv[2], NULL, 10);
    must_cut = argc > 3 && strcmp(argv[3], "cut") == 0;
    most = must_cut ? 150 : most;
    return cmocka_run_group_tests_name("endings", tests, NULL, NULL);
}
