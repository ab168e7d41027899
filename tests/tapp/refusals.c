/* What must be refused: problems spoilt in one place. Accepted with a result that makes sense is right only where it
 * is said. */
#include <string.h>

#include "groups.h"

/* RIGHT for what was refused with words and without a change of D. */
static outcome expect_refusal(const trial *of, tensor_problem *problem, int or_right, const char *what)
{
    outcome is = judge_product(of->library, problem, of->note);
    if (is == REFUSED)
        is = RIGHT;
    else if (!or_right && (is == RIGHT || strncmp(of->note, "D at", 4) == 0))
        is = wrong(of->note, what);
    free_problem(problem);
    return is;
}

/* One mode of A, B or D gets an extent of its own. Smaller, so that nobody leaves the memory. */
outcome check_extents(const trial *of)
{
    for (;;) {
        tensor_problem problem;
        make_problem(&problem, of->recipe, of->source);
        tensor *const all[] = { &problem.a, &problem.b, &problem.d };
        tensor *spoilt = all[random_in(of->source, 0, 2)];
        const int mode = spoilt->nmode ? (int)random_in(of->source, 0, spoilt->nmode - 1) : 0;
        int others = 0;
        for (int i = 0; spoilt->nmode && i < 3; i++)
            for (int other = 0; other < all[i]->nmode; other++)
                others += all[i]->label[other] == spoilt->label[mode] && (all[i] != spoilt || other != mode);
        if (others > 0) {
            spoilt->extents[mode]--;
            if (spoilt == &problem.d)
                problem.c.extents[mode]--;
            return expect_refusal(of, &problem, 0, "extents of one label that differ were accepted");
        }
        free_problem(&problem);
    }
}

/* A label that no input has: refused, or every one of its indices gets the product. */
outcome check_labels_of_d(const trial *of)
{
    tensor_problem problem;
    make_problem(&problem, of->recipe, of->source);
    const int mode = (int)random_in(of->source, 0, problem.d.nmode - 1), label = problem.nlabel++;
    problem.name[label] = 'Z';
    problem.extent[label] = problem.d.extents[mode];
    tensor *const outputs[] = { &problem.c, &problem.d };
    for (int i = 0; i < 2; i++) {
        outputs[i]->label[mode] = label;
        outputs[i]->names[mode] = problem.name[label];
        find_steps(outputs[i]);
    }
    return expect_refusal(of, &problem, 1, "");
}

/* C with a mode less, another label, another extent; or its modes in another order, which may be done right. */
outcome check_structure_of_c(const trial *of)
{
    tensor_problem problem;
    make_problem(&problem, of->recipe, of->source);
    tensor *c = &problem.c;
    const int last = c->nmode - 1, is_turned = random_one_in(of->source, 4) && last > 0;
    if (is_turned) {
        for (int i = 0, j = last; i < j; i++, j--) {
            const int64_t name = c->names[i], extent = c->extents[i], stride = c->strides[i];
            c->names[i] = c->names[j], c->extents[i] = c->extents[j], c->strides[i] = c->strides[j];
            c->names[j] = name, c->extents[j] = extent, c->strides[j] = stride;
        }
        return expect_refusal(of, &problem, 1, "");
    }
    switch (random_in(of->source, 0, 2)) {
    case 0:
        c->nmode--;
        break;
    case 1:
        c->names[last] = 'Z';
        break;
    default:
        c->extents[last]--;
    }
    return expect_refusal(of, &problem, 0, "a C that is not like D was accepted");
}

/* Several indices of D are one element. */
outcome check_aliased_d(const trial *of)
{
    for (;;) {
        tensor_problem problem;
        make_problem(&problem, of->recipe, of->source);
        tensor *d = &problem.d;
        const int one = (int)random_in(of->source, 0, d->nmode - 1),
                  other = (int)random_in(of->source, 0, d->nmode - 1);
        const int64_t stride = one == other ? 0 : d->strides[other];
        if (stride == 0 || stride < d->strides[one] || one == other) {
            d->strides[one] = stride;
            find_steps(d);
            return expect_refusal(of, &problem, 0, "a D that overlaps itself was accepted");
        }
        free_problem(&problem);
    }
}

/* No C, and beta is not 0: refused, or taken as D's own. */
outcome check_missing_c(const trial *of)
{
    tensor_problem problem;
    make_problem(&problem, of->recipe, of->source);
    problem.beta.re += problem.beta.re == 0 && problem.beta.im == 0;
    return expect_refusal(of, &problem, 1, "");
}

static outcome expect_no_info(const trial *of, int nmode, const int64_t extents[], const int64_t strides[])
{
    TAPP_tensor_info info = 0;
    const TAPP_error error = of->library->create_tensor_info(&info, TAPP_F32, nmode, extents, strides);
    if (of->library->check_success(error)) {
        of->library->destroy_tensor_info(info);
        return wrong(of->note, "an info with a negative number was made");
    }
    return refusal(of->library, error, of->note) == REFUSED ? RIGHT : WRONG;
}

outcome check_negative_modes(const trial *of)
{
    const int64_t ones[] = { 1 };
    return expect_no_info(of, (int)random_in(of->source, -9, -1), ones, ones);
}

outcome check_negative_extents(const trial *of)
{
    int64_t extents[MOST_MODES], strides[MOST_MODES];
    const int nmode = (int)random_in(of->source, 1, MOST_MODES);
    for (int i = 0; i < nmode; i++)
        extents[i] = random_in(of->source, 1, 4), strides[i] = 1;
    extents[random_in(of->source, 0, nmode - 1)] = random_in(of->source, -4, -1);
    return expect_no_info(of, nmode, extents, strides);
}
