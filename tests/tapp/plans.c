/* Products by plans that live on: run again, side by side, in batches, of infos that were changed. */
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "judging/judge.h"

#define MOST_BATCHES 4

static outcome judge_run(session *opened, tensor_problem *problem, char *note)
{
    reset_output(problem);
    char *before = test_memory(problem->d.bytes);
    memcpy(before, problem->d.memory, problem->d.bytes);
    const TAPP_error error = execute(opened, problem);
    outcome is = RIGHT;
    if (!opened->library->check_success(error))
        is = refusal(opened->library, error, note);
    else if (!output_is_right(problem, before, note, NOTE_SIZE))
        is = WRONG;
    free(before);
    return is;
}

/* Two plans that live at the same time, the first run twice, with other numbers the second time. */
outcome check_plans(const trial *of)
{
    const tapp_library *library = of->library;
    tensor_problem one, other, again;
    session of_one, of_other;
    make_problem(&one, of->recipe, of->source);
    make_problem(&other, of->recipe, of->source);
    twin_problem(&again, &one, of->source);
    again.beta = again.alpha;

    TAPP_error error = open_session(&of_one, library, &one);
    outcome is = library->check_success(error) ? RIGHT : refusal(library, error, of->note);
    error = open_session(&of_other, library, &other);
    if (is == RIGHT && !library->check_success(error))
        is = refusal(library, error, of->note);
    is = is == RIGHT ? judge_run(&of_one, &one, of->note) : is;
    is = is == RIGHT ? judge_run(&of_other, &other, of->note) : is;
    is = is == RIGHT ? judge_run(&of_one, &again, of->note) : is;
    error = close_session(&of_one);
    if (is == RIGHT && !library->check_success(error))
        is = wrong(of->note, "a plan's objects were not destroyed with success");
    is = is == RIGHT ? judge_run(&of_other, &other, of->note) : is; /* the first is gone by now */
    close_session(&of_other);
    free_problem(&one);
    free_problem(&other);
    free_problem(&again);
    return is;
}

outcome check_batched(const trial *of)
{
    const tapp_library *library = of->library;
    if (!library->execute_batched_product) {
        wrong(of->note, "the library has no TAPP_execute_batched_product");
        return REFUSED;
    }
    tensor_problem problems[MOST_BATCHES];
    const int count = (int)random_in(of->source, 1, MOST_BATCHES);
    const int run = random_one_in(of->source, 8) ? 0 : count;
    const void *a[MOST_BATCHES], *b[MOST_BATCHES], *c[MOST_BATCHES];
    void *d[MOST_BATCHES];
    char *before[MOST_BATCHES], alpha[16], beta[16];
    for (int i = 0; i < count; i++) {
        if (i == 0)
            make_problem(&problems[i], of->recipe, of->source);
        else
            twin_problem(&problems[i], &problems[0], of->source);
        a[i] = problems[i].a.zero;
        b[i] = problems[i].b.zero;
        d[i] = problems[i].d.zero;
        c[i] = of->recipe->in_place ? d[i] : of->recipe->c_is_null ? NULL : problems[i].c.zero;
        before[i] = test_memory(problems[i].d.bytes);
        memcpy(before[i], problems[i].d.memory, problems[i].d.bytes);
    }
    number_store(problems[0].d.type, alpha, 0, problems[0].alpha);
    number_store(problems[0].d.type, beta, 0, problems[0].beta);

    session opened;
    TAPP_status status = 0;
    TAPP_error error = open_session(&opened, library, &problems[0]);
    if (library->check_success(error))
        error = library->execute_batched_product(opened.plan, opened.executor, &status, run, alpha, a, b, beta, c, d);
    outcome is = library->check_success(error) ? RIGHT : refusal(library, error, of->note);
    for (int i = 0; i < count; i++) {
        if (is == RIGHT && i < run && !output_is_right(&problems[i], before[i], of->note, NOTE_SIZE))
            is = WRONG;
        if (is != WRONG && (is == REFUSED || i >= run) &&
            memcmp(before[i], problems[i].d.memory, problems[i].d.bytes) != 0)
            is = wrong(of->note, "a D beyond the batch, or of one refused, was changed");
        free(before[i]);
        free_problem(&problems[i]);
    }
    if (is == RIGHT && library->destroy_status && status)
        library->destroy_status(status);
    close_session(&opened);
    return is;
}

/* Infos that were another tensor's until each property was set. */
outcome check_set_infos(const trial *of)
{
    const tapp_library *library = of->library;
    tensor_problem problem;
    session opened;
    make_problem(&problem, of->recipe, of->source);
    tensor_problem other = problem;
    other.a.nmode = 0; /* the product of a scalar is a plan of its own; only the infos are of use */
    TAPP_error error = open_session(&opened, library, &other);
    outcome is = opened.infos == 4 ? RIGHT : refusal(library, error, of->note);
    if (opened.has_plan)
        library->destroy_tensor_product(opened.plan);
    opened.has_plan = 0;
    if (is == RIGHT) {
        const TAPP_error errors[] = { library->set_nmodes(opened.a, problem.a.nmode),
                                      library->set_extents(opened.a, problem.a.extents),
                                      library->set_strides(opened.a, problem.a.strides) };
        for (int i = 0; i < 3; i++)
            if (is == RIGHT && !library->check_success(errors[i]))
                is = refusal(library, errors[i], of->note);
    }
    if (is == RIGHT) {
        error = plan_session(&opened, &problem);
        is = library->check_success(error) ? judge_run(&opened, &problem, of->note) : refusal(library, error, of->note);
    }
    close_session(&opened);
    free_problem(&problem);
    return is;
}
