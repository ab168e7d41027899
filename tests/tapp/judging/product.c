/* One product by the library under test, from infos to verdict. */
#include "product.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

static TAPP_error make_info(session *opened, const tensor *of, TAPP_tensor_info *made)
{
    const TAPP_error error = opened->library->create_tensor_info(made, of->type, of->nmode, of->extents, of->strides);
    opened->infos += opened->library->check_success(error);
    return error;
}

TAPP_error plan_session(session *opened, const tensor_problem *problem)
{
    const tensor *a = &problem->a, *b = &problem->b, *c = &problem->c, *d = &problem->d;
    const TAPP_error error = opened->library->create_tensor_product(
        &opened->plan, opened->handle, a->op, opened->a, a->names, b->op, opened->b, b->names, c->op, opened->c,
        c->names, d->op, opened->d, d->names, problem->types.prec);
    opened->has_plan = opened->library->check_success(error);
    return error;
}

TAPP_error open_session(session *opened, const tapp_library *library, const tensor_problem *problem)
{
    *opened = (session){ .library = library };
    TAPP_error error = library->create_handle(&opened->handle);
    if (!library->check_success(error))
        return error;
    opened->has_handle = 1;
    error = library->create_executor(&opened->executor);
    if (!library->check_success(error))
        return error;
    opened->has_executor = 1;
    const tensor *const tensors[] = { &problem->a, &problem->b, &problem->c, &problem->d };
    TAPP_tensor_info *const infos[] = { &opened->a, &opened->b, &opened->c, &opened->d };
    for (int i = 0; i < 4; i++) {
        error = make_info(opened, tensors[i], infos[i]);
        if (!library->check_success(error))
            return error;
    }
    return plan_session(opened, problem);
}

/* The first code that is no success, after all has been destroyed. */
TAPP_error close_session(session *opened)
{
    const tapp_library *library = opened->library;
    TAPP_error errors[7] = { 0 };
    const TAPP_tensor_info infos[] = { opened->a, opened->b, opened->c, opened->d };
    int count = 0;
    if (opened->has_plan)
        errors[count++] = library->destroy_tensor_product(opened->plan);
    for (int i = 0; i < opened->infos; i++)
        errors[count++] = library->destroy_tensor_info(infos[i]);
    if (opened->has_executor)
        errors[count++] = library->destroy_executor(opened->executor);
    if (opened->has_handle)
        errors[count++] = library->destroy_handle(opened->handle);
    for (int i = 0; i < count; i++)
        if (!library->check_success(errors[i]))
            return errors[i];
    return count ? errors[0] : 0;
}

TAPP_error execute(session *opened, const tensor_problem *problem)
{
    char alpha[16], beta[16];
    number_store(problem->d.type, alpha, 0, problem->alpha);
    number_store(problem->d.type, beta, 0, problem->beta);
    const void *c = problem->recipe->in_place ? problem->d.zero : problem->c.zero;
    if (problem->recipe->c_is_null)
        c = NULL;
    TAPP_status status = 0;
    const TAPP_error error = opened->library->execute_product(
        opened->plan, opened->executor, &status, alpha, problem->a.zero, problem->b.zero, beta, c, problem->d.zero);
    if (opened->library->check_success(error) && opened->library->destroy_status && status)
        opened->library->destroy_status(status);
    return error;
}

outcome wrong(char *note, const char *why)
{
    snprintf(note, NOTE_SIZE, "%s", why);
    return WRONG;
}

outcome refusal(const tapp_library *library, TAPP_error error, char *note)
{
    char words[256] = "";
    const size_t length = library->explain_error(error, 0, NULL);
    if (length == 0)
        return wrong(note, "refused without a word");
    library->explain_error(error, sizeof(words), words);
    words[sizeof(words) - 1] = 0;
    snprintf(note, NOTE_SIZE, "code %d: %s", error, words);
    return REFUSED;
}

static char *copy_of(const tensor *of)
{
    char *copy = test_memory(of->bytes);
    if (of->bytes)
        memcpy(copy, of->memory, of->bytes);
    return copy;
}

static int is_as_before(const tensor *of, const char *before)
{
    return of->bytes == 0 || memcmp(of->memory, before, of->bytes) == 0;
}

outcome judge_product(const tapp_library *library, tensor_problem *problem, char *note)
{
    session opened;
    char *const a = copy_of(&problem->a), *const b = copy_of(&problem->b), *const c = copy_of(&problem->c);
    char *const d = copy_of(&problem->d);
    TAPP_error error = open_session(&opened, library, problem);
    if (library->check_success(error))
        error = execute(&opened, problem);

    outcome is = RIGHT;
    if (!library->check_success(error)) {
        is = refusal(library, error, note);
        if (!is_as_before(&problem->d, d))
            is = wrong(note, "refused, and D was changed");
    } else if (!output_is_right(problem, d, note, NOTE_SIZE)) {
        is = WRONG;
    }
    if (!is_as_before(&problem->a, a) || !is_as_before(&problem->b, b) || !is_as_before(&problem->c, c))
        is = wrong(note, "an input was changed");
    error = close_session(&opened);
    if (is == RIGHT && !library->check_success(error))
        is = wrong(note, "objects were not destroyed with success");
    free(a);
    free(b);
    free(c);
    free(d);
    return is;
}
