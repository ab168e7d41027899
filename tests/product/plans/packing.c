/* Plans, packed operands, runs with them, and the bits of C. */
#include "packing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

lay_desc *packing_a_in_panels(const trial *t)
{
    const long long m = t->m, k = t->k;
    return layout_parse("A=[%lld][%lld][3]; U=[[#A_0][#A_2]][#A_1]; [%lld@0#U_0][#U_1]", (m + 2) / 3, k, m);
}

lay_desc *packing_b_in_panels(const trial *t)
{
    const long long n = t->n, k = t->k;
    return layout_parse("B=[%lld][%lld][3]; U=[#B_1][[#B_0][#B_2]]; [#U_0][%lld@0#U_1]", (n + 2) / 3, k, n);
}

void packing_place_for_panels(trial *t, int b, int c, random_source *from)
{
    trial_place(t, packing_a_in_panels(t), b ? layout_usual(b, t->k, t->n) : packing_b_in_panels(t),
                layout_usual(c, t->m, t->n), OPERAND_ANYWHERE, from);
}

const char *packing_explanation(const lay_plan *plan)
{
    static char text[200000];
    lay_plan_explain(plan, text, sizeof text);
    return text;
}

int packing_has_panels(const lay_plan *plan)
{
    return strstr(packing_explanation(plan), "packed    both") != NULL;
}

lay_plan *packing_plan(const trial *t)
{
    lay_plan *plan = NULL;
    if (lay_plan_create(t->type, t->in_a.desc, t->in_b.desc, t->out.desc, &t->options, &plan) != LAY_OK)
        fail_msg("%s", lay_last_error());
    return plan;
}

lay_packed *packing_pack(const lay_plan *plan, lay_operand which, const void *source)
{
    lay_packed *packed = NULL;
    if (lay_pack(plan, which, source, &packed) != LAY_OK)
        fail_msg("%s", lay_last_error());
    assert_non_null(packed);
    return packed;
}

lay_status packing_run(const trial *t, const lay_plan *plan, const lay_packed *a, const lay_packed *b)
{
    const trial_scalar alpha = trial_scalar_of(t->type, t->alpha), beta = trial_scalar_of(t->type, t->beta);
    return lay_plan_run_packed(plan, &alpha, a ? NULL : t->in_a.zero, a, b ? NULL : t->in_b.zero, b, &beta,
                               t->out.zero);
}

static char *bits_of(const trial *t)
{
    char *const bits = oracle_memory((size_t)(t->m * t->n) * lay_type_size(t->type));
    operand_bytes(&t->out, bits);
    oracle_unite_nans(t->type, bits, t->m * t->n);
    return bits;
}

char *packing_bits(trial *t, const lay_plan *plan, const lay_packed *a, const lay_packed *b)
{
    oracle_scatter(t->type, t->out.desc, t->out.zero, t->c);
    if (packing_run(t, plan, a, b) != LAY_OK)
        fail_msg("%s", lay_last_error());
    assert_true(operand_gaps_are_kept(&t->out));
    return bits_of(t);
}

void packing_expect_same(const trial *t, const char *wanted, char *got, const char *what)
{
    char story[6000];
    if (memcmp(wanted, got, (size_t)(t->m * t->n) * lay_type_size(t->type)) != 0) {
        trial_story(t, story, sizeof story);
        fail_msg("%s: other bits\n%s", what, story);
    }
    free(got);
}
