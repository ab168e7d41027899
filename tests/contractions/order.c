/* The order of the sum: by labels it is the promised one, by storage that of the larger input; and plans say so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contraction.h"

/* C[m][n] = A[m][x][y] B[y][x][n], the number of a label being its place in "mnxy". */
enum { M, N, X, Y, LABELS };

static contraction make(const element *kind, int64_t x, int64_t y, const char *names, lay_sum_order order)
{
    contraction c = { .kind = kind,
                      .data = NUMBERS_WIDE,
                      .alpha = { 1, 0 },
                      .labels = LABELS,
                      .extent = { 5, 4, x, y },
                      .rank = { 3, 3, 2 },
                      .label = { { M, X, Y }, { Y, X, N }, { M, N } },
                      .is_text = 1,
                      .order = order,
                      .options = LAY_OPTIONS_INIT };
    random_source from = { 7 };
    for (int i = 0; i < LABELS; i++) {
        c.name[i] = names[i];
        c.axis[i] = axis_make(&from, c.extent[i], 0);
    }
    contraction_spell(&c, &from);
    contraction_fill(&c, &from);
    for (int which = A; which <= C; which++) {
        axis axes[MAX_RANK];
        for (int d = 0; d < c.rank[which]; d++)
            axes[d] = c.axis[c.label[which][d]];
        c.of[which] = tensor_make(kind, storage_plain(c.rank[which], axes));
        tensor_write(&c.of[which], c.value[which]);
    }
    return c;
}

/* That its bits are those of the order in which `last` varies fastest, and are not those of the other. */
static void expect_last(contraction *c, int last)
{
    char got[160], one[160], other[160]; /* 5 x 4 elements of at most 8 bytes */
    const size_t bytes = 20 * lay_type_size(c->kind->type);
    const int with_x_last[] = { Y, X }, with_y_last[] = { X, Y };
    assert_int_equal(contraction_call(c, CALL_RUN_PRODUCT), LAY_OK);
    contraction_bytes(c, got);
    contraction_by_matrices(c, last == X ? with_x_last : with_y_last, one);
    contraction_by_matrices(c, last == X ? with_y_last : with_x_last, other);
    assert_memory_equal(got, one, bytes);
    assert_memory_not_equal(got, other, bytes);
    contraction_free(c);
}

static void the_longest_label_varies_fastest(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) { /* f32 and f64 */
        contraction long_x = make(&elements[i], 20, 19, "mnxy", LAY_SUM_BY_LABELS);
        contraction long_y = make(&elements[i], 19, 20, "mnyx", LAY_SUM_BY_LABELS);
        expect_last(&long_x, X);
        expect_last(&long_y, Y);
    }
}

static void of_equally_long_labels_the_greater_varies_fastest(void **state)
{
    (void)state;
    contraction greater_y = make(&elements[0], 20, 20, "mnxy", LAY_SUM_BY_LABELS);
    contraction greater_x = make(&elements[0], 20, 20, "mnaZ", LAY_SUM_BY_LABELS);
    expect_last(&greater_y, Y);
    expect_last(&greater_x, X);
}

/* Where A is larger y varies fastest, in B x does; by labels it would be the other one. */
static void by_storage_the_larger_input_decides(void **state)
{
    (void)state;
    contraction larger_a = make(&elements[0], 20, 19, "mnxy", LAY_SUM_BY_STORAGE);
    expect_last(&larger_a, Y);
    contraction larger_b = make(&elements[0], 19, 20, "mnxy", LAY_SUM_BY_STORAGE);
    contraction_free_tensors(&larger_b);
    larger_b.extent[M] = 4;
    larger_b.extent[N] = 5;
    random_source from = { 8 };
    contraction_fill(&larger_b, &from);
    for (int which = A; which <= C; which++) {
        axis axes[MAX_RANK];
        for (int d = 0; d < larger_b.rank[which]; d++)
            axes[d] = (axis){ .extent = larger_b.extent[larger_b.label[which][d]] };
        larger_b.of[which] = tensor_make(larger_b.kind, storage_plain(larger_b.rank[which], axes));
        tensor_write(&larger_b.of[which], larger_b.value[which]);
    }
    expect_last(&larger_b, X);
}

/* "labels   rows m; columns n; summed y x; in an order by ..." */
static void plans_say_their_order(void **state)
{
    (void)state;
    static const struct {
        lay_sum_order order;
        const char *said;
    } cases[] = {
        { LAY_SUM_BY_LABELS, "rows 'm'; columns 'n'; summed 'y' 'x'; in an order by labels and extents" },
        { LAY_SUM_BY_STORAGE, "rows 'm'; columns 'n'; summed 'x' 'y'; in an order by storage" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[20000];
        contraction c = make(&elements[0], 20, 19, "mnxy", cases[i].order);
        const lay_product product = contraction_product(&c);
        lay_plan *plan = NULL;
        assert_int_equal(lay_plan_create_product(&product, &c.options, &plan), LAY_OK);
        assert_in_range(lay_plan_explain(plan, text, sizeof text), 1, sizeof text - 1);
        if (!strstr(text, cases[i].said) || !strstr(text, "the other order, with other bits: predicted"))
            fail_msg("\"%s\" does not say \"%s\" and what the other order costs", text, cases[i].said);
        lay_plan_destroy(plan);
        contraction_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_label_varies_fastest),
        cmocka_unit_test(of_equally_long_labels_the_greater_varies_fastest),
        cmocka_unit_test(by_storage_the_larger_input_decides),
        cmocka_unit_test(plans_say_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
