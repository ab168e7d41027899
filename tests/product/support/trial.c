/* One product: numbers, call, verdict. */
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../cases.h"
#include "../../there.h"
#include "levels.h"

/* ---- numbers ---------------------------------------------------------------------------------- */

/* A value that the type holds exactly. */
static double as_type(lay_type type, double value)
{
    return oracle_round(type, value);
}

/* The same for alpha and beta. */
static double as_scalar(lay_type type, double value)
{
    return oracle_real(type) == LAY_F64 ? value : (double)(float)value;
}

static double some_special(random_source *from, int64_t extent)
{
    static const double values[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0 };
    return random_one_in(from, 4 + (int)extent) ? random_of(from, values) : (double)random_in(from, -4, 4);
}

/* Entry of a row (of A) or column (of B) that is p of k along the sum; grade is 1 for A, -1 for B. */
static double some_number(const trial *t, random_source *from, int64_t p, int grade)
{
    static const double tinies[] = {
        [LAY_F32] = 0x1p-70, [LAY_F64] = 0x1p-530, [LAY_F16] = 0x1p-9, [LAY_BF16] = 0x1p-60
    };
    const double tiny = tinies[oracle_real(t->type)];
    const int binades = t->type == LAY_F16 ? 20 : 40; /* of graded rows: FP16 has few */
    const double x = 2 * random_unit(from) - 1;
    switch (t->data) {
    case TRIAL_INTEGERS:
        return (double)random_in(from, -8, 8);
    case TRIAL_UNIT:
        return as_type(t->type, random_unit(from));
    case TRIAL_SIGNED:
        return as_type(t->type, x);
    case TRIAL_WIDE:
        return as_type(t->type, ldexp(x, (int)random_in(from, -10, 10)));
    case TRIAL_GRADED:
        return as_type(t->type, ldexp(x, grade * (int)(binades * p / (t->k > 0 ? t->k : 1) - binades / 2)));
    case TRIAL_TINY:
        return as_type(t->type, x * tiny * ldexp(1, (int)random_in(from, -8, 8)));
    default:
        return some_special(from, t->k);
    }
}

void trial_fill(trial *t, random_source *from)
{
    const int parts = oracle_parts(t->type);
    t->a = oracle_memory((size_t)(t->m * t->k * parts) * sizeof *t->a);
    t->b = oracle_memory((size_t)(t->k * t->n * parts) * sizeof *t->b);
    t->c = oracle_memory((size_t)(t->m * t->n * parts) * sizeof *t->c);
    for (int64_t at = 0; at < t->m * t->k * parts; at++)
        t->a[at] = some_number(t, from, at / parts % t->k, 1);
    for (int64_t at = 0; at < t->k * t->n * parts; at++)
        t->b[at] = some_number(t, from, at / parts / t->n, -1);
    for (int64_t at = 0; at < t->m * t->n * parts; at++)
        t->c[at] = some_number(t, from, 0, 0);
}

/* A broadcast or overlapping input cannot hold any matrix: the numbers become what it does hold. */
static void settle(operand *of, double *numbers)
{
    operand_read(of, numbers);
}

void trial_place(trial *t, lay_desc *a, lay_desc *b, lay_desc *c, operand_place place, random_source *from)
{
    t->in_a = operand_make(t->type, a, t->a, place, from);
    t->in_b = operand_make(t->type, b, t->b, place, from);
    t->out = operand_make(t->type, c, t->beta == 0 && t->beta_i == 0 ? NULL : t->c, place, from);
    settle(&t->in_a, t->a);
    settle(&t->in_b, t->b);
}

void trial_restore(trial *t)
{
    memcpy(t->out.memory, t->out.before, t->out.bytes);
}

void trial_unplace(trial *t)
{
    operand_free(&t->in_a);
    operand_free(&t->in_b);
    operand_free(&t->out);
}

void trial_free(trial *t)
{
    trial_unplace(t);
    free(t->a);
    free(t->b);
    free(t->c);
    t->a = t->b = t->c = NULL;
}

/* ---- call ------------------------------------------------------------------------------------- */

trial_scalar trial_scalar_of(lay_type type, double value)
{
    return trial_scalar_of_parts(type, value, 0);
}

trial_scalar trial_scalar_of_parts(lay_type type, double re, double im)
{
    trial_scalar scalar;
    if (oracle_real(type) == LAY_F64)
        scalar = (trial_scalar){ .c64 = { re, im } };
    else
        scalar = (trial_scalar){ .c32 = { (float)re, (float)im } };
    return scalar;
}

static lay_status run_planned(trial *t, const trial_scalar *alpha, const trial_scalar *beta)
{
    lay_plan *plan = NULL;
    lay_status status = lay_plan_create(t->type, t->in_a.desc, t->in_b.desc, t->out.desc, &t->options, &plan);
    if (status == LAY_OK)
        status = lay_plan_run(plan, alpha, t->in_a.zero, t->in_b.zero, beta, t->out.zero);
    lay_plan_destroy(plan);
    return status;
}

static lay_status run_packed(trial *t, trial_way way, const trial_scalar *alpha, const trial_scalar *beta)
{
    const int is_a = way != TRIAL_PACKED_B, is_b = way != TRIAL_PACKED_A;
    lay_plan *plan = NULL;
    lay_packed *a = NULL, *b = NULL;
    lay_status status = lay_plan_create(t->type, t->in_a.desc, t->in_b.desc, t->out.desc, &t->options, &plan);
    if (status == LAY_OK && is_a)
        status = lay_pack(plan, LAY_OPERAND_A, t->in_a.zero, &a);
    if (status == LAY_OK && is_b)
        status = lay_pack(plan, LAY_OPERAND_B, t->in_b.zero, &b);
    if (status == LAY_OK)
        status = lay_plan_run_packed(plan, alpha, is_a ? NULL : t->in_a.zero, a, is_b ? NULL : t->in_b.zero, b, beta,
                                     t->out.zero);
    lay_packed_destroy(a);
    lay_packed_destroy(b);
    lay_plan_destroy(plan);
    return status;
}

static lay_status call(trial *t, trial_way way)
{
    const trial_scalar alpha = trial_scalar_of_parts(t->type, t->alpha, t->alpha_i);
    const trial_scalar beta = trial_scalar_of_parts(t->type, t->beta, t->beta_i);
    if (way == TRIAL_PLANNED)
        return run_planned(t, &alpha, &beta);
    if (way >= TRIAL_PACKED_A)
        return run_packed(t, way, &alpha, &beta);
    if (way == TRIAL_TYPED || lay_type_size(t->type) == 2)
        return lay_gemm(t->type, t->in_a.desc, t->in_b.desc, t->out.desc, &alpha, t->in_a.zero, t->in_b.zero, &beta,
                        t->out.zero, &t->options);
    if (oracle_parts(t->type) == 2)
        return (t->type == LAY_C32 ? lay_cgemm : lay_zgemm)(t->in_a.desc, t->in_b.desc, t->out.desc, &alpha,
                                                            t->in_a.zero, t->in_b.zero, &beta, t->out.zero,
                                                            &t->options);
    if (t->type == LAY_F32)
        return lay_sgemm(t->in_a.desc, t->in_b.desc, t->out.desc, alpha.f32, t->in_a.zero, t->in_b.zero, beta.f32,
                         t->out.zero, &t->options);
    return lay_dgemm(t->in_a.desc, t->in_b.desc, t->out.desc, alpha.f64, t->in_a.zero, t->in_b.zero, beta.f64,
                     t->out.zero, &t->options);
}

/* A trial's own mix of places, so that alone it has the one that it has among others. */
static unsigned mix_of(const trial *t)
{
    return (unsigned)(t->m + 3 * t->n + 5 * t->k + 11 * t->options.threads);
}

static there_block block_of(operand *of)
{
    return (there_block){ of->memory, of->bytes, &of->zero };
}

lay_status trial_run(trial *t, trial_way way)
{
    const there_block blocks[] = { block_of(&t->in_a), block_of(&t->in_b), block_of(&t->out) };
    there_send(3, blocks, mix_of(t), &t->options);
    const lay_status status = call(t, way);
    there_fetch();
    return status;
}

/* ---- verdict ---------------------------------------------------------------------------------- */

/* A broadcast along k makes all roundings of a sum equal: that is structure. */
static oracle_gate gate_of(const trial *t)
{
    if (t->data == TRIAL_INTEGERS && t->alpha == rint(t->alpha) && t->beta == rint(t->beta) &&
        t->alpha_i == rint(t->alpha_i) && t->beta_i == rint(t->beta_i))
        return ORACLE_EXACT;
    const int has_structure = t->data == TRIAL_INTEGERS || t->data == TRIAL_TINY || t->data == TRIAL_SPECIAL ||
                              !lay_desc_is_injective(t->in_a.desc) || !lay_desc_is_injective(t->in_b.desc);
    return has_structure ? ORACLE_HARD : ORACLE_RANDOM;
}

/* include/layoutgemm.h, lay_compute. */
static double rounded_by(lay_compute compute)
{
    return compute == LAY_COMPUTE_TF32   ? 0x1p-9
           : compute == LAY_COMPUTE_BF16 ? 0x1.01p-7
           : compute == LAY_COMPUTE_FP16 ? 0x1.01p-10
                                         : 0;
}

oracle_problem trial_problem(const trial *t, oracle_gate gate)
{
    return (oracle_problem){ .type = t->type,
                             .m = t->m,
                             .n = t->n,
                             .k = t->k,
                             .alpha = as_scalar(t->type, t->alpha),
                             .beta = as_scalar(t->type, t->beta),
                             .alpha_i = as_scalar(t->type, t->alpha_i),
                             .beta_i = as_scalar(t->type, t->beta_i),
                             .a = t->a,
                             .b = t->b,
                             .c = t->c,
                             .gate = gate,
                             .rounded = rounded_by(t->options.compute),
                             .is_one_chain = there_is_elsewhere() };
}

int trial_is_kept(const trial *t)
{
    return operand_gaps_are_kept(&t->out) && operand_is_untouched(&t->in_a) && operand_is_untouched(&t->in_b);
}

int trial_is_right(const trial *t, char *why, size_t size)
{
    const oracle_problem problem = trial_problem(t, gate_of(t));
    double *const got = oracle_memory((size_t)(t->m * t->n * oracle_parts(t->type)) * sizeof *got);
    oracle_miss miss;
    operand_read(&t->out, got);
    const int right = oracle_product(&problem, got, &miss);
    free(got);
    if (!right)
        return snprintf(why, size, "C(%lld,%lld) is %.17g, not %.17g within %g", (long long)miss.i, (long long)miss.j,
                        miss.got, miss.wanted, miss.bound),
               0;
    if (!operand_gaps_are_kept(&t->out))
        return snprintf(why, size, "something outside of the elements of C was written"), 0;
    if (!operand_is_untouched(&t->in_a) || !operand_is_untouched(&t->in_b))
        return snprintf(why, size, "A or B was written"), 0;
    return 1;
}

void trial_story(const trial *t, char *story, size_t size)
{
    static const char *const types[] = { "f32", "f64", "f16", "bf16", "c32", "c64" };
    static const char *const data[] = { "whole", "unit", "signed", "wide", "graded", "tiny", "special" };
    snprintf(story, size, "%s %lldx%lldx%lld alpha=%g%+gi beta=%g%+gi %s isa=%s threads=%d\n  A %s\n  B %s\n  C %s",
             types[t->type], (long long)t->m, (long long)t->n, (long long)t->k, t->alpha, t->alpha_i, t->beta,
             t->beta_i, data[t->data], lay_isa_name(t->options.isa), t->options.threads, layout_text(t->in_a.desc),
             layout_text(t->in_b.desc), layout_text(t->out.desc));
}

int64_t trial_cases(void)
{
    return cases_asked(TRIAL_CASES);
}

int trial_rounds(int usual)
{
    const int64_t cases = trial_cases(), share = usual * cases / TRIAL_CASES;
    return cases >= TRIAL_CASES ? usual : share > usual / 50 ? (int)share : usual / 50 + 1;
}

int trial_isas(lay_isa isas[TRIAL_LEVELS])
{
    static lay_isa known[TRIAL_LEVELS];
    static int count;
    char text[4000], *word, *rest;
    if (count > 0) {
        memcpy(isas, known, sizeof known);
        return count;
    }
    lay_machine_explain(text, sizeof text);
    word = strstr(text, "\nlevels ");
    assert_non_null(word);
    word[strcspn(word + 1, "\n") + 1] = 0;
    strtok_r(word, " ,", &rest);
    while (count < TRIAL_LEVELS && (word = strtok_r(NULL, " ,", &rest)))
        known[count++] = lay_isa_named(word);
    assert_int_equal(known[0], LAY_ISA_C);
    memcpy(isas, known, sizeof known);
    return count;
}

int trial_keep_promises(const char *group, const trial_promise promises[], int count)
{
    enum { MOST = 16 };
    static lay_isa isas[TRIAL_LEVELS];
    static char names[TRIAL_LEVELS * MOST][120];
    struct CMUnitTest tests[TRIAL_LEVELS * MOST] = { { 0 } };
    const int all = trial_isas(isas), levels = there_is_elsewhere() ? 1 : all; /* the CPU's are nothing to a device */
    if (count > MOST)
        abort();
    for (int q = 0; q < levels * count; q++) {
        snprintf(names[q], sizeof names[q], "%s: %s", lay_isa_name(isas[q / count]), promises[q % count].name);
        tests[q] = (struct CMUnitTest){ .name = names[q],
                                        .test_func = promises[q % count].test,
                                        .initial_state = &isas[q / count] };
    }
    return _cmocka_run_group_tests(group, tests, (size_t)(levels * count), NULL, NULL);
}

const char *const trial_splitting[TRIAL_SPLITTING] = { "lay_split_f32_32x32_c", "lay_split_f32_32x32_amx" };
const lay_compute trial_split_modes[TRIAL_SPLIT_MODES] = { LAY_COMPUTE_F32_SPLIT, LAY_COMPUTE_BF16X3,
                                                           LAY_COMPUTE_BF16 };

int trial_splits_here(const char *kernel)
{
    lay_desc *square = layout_usual(0, 40, 40);
    lay_plan *plan = NULL;
    lay_options options = LAY_OPTIONS_INIT;
    options.compute = LAY_COMPUTE_F32_SPLIT;
    options.kernel = kernel;
    const lay_status status = lay_plan_create(LAY_F32, square, square, square, &options, &plan);
    lay_plan_destroy(plan);
    lay_desc_destroy(square);
    return status == LAY_OK;
}
