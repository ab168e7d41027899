/* The objects of the interface by themselves: handles, executors, infos, statuses, attributes. */
#include <string.h>

#include "groups.h"

/* What no library writes by itself: an object that keeps this was not made. */
#define POISON ((intptr_t)0x5a5a5a5a)

outcome check_handles(const trial *of)
{
    const tapp_library *library = of->library;
    TAPP_handle handles[2] = { POISON, POISON };
    TAPP_executor executors[2] = { POISON, POISON };
    for (int i = 0; i < 2; i++) {
        TAPP_error error = library->create_handle(&handles[i]);
        if (!library->check_success(error))
            return refusal(library, error, of->note);
        error = library->create_executor(&executors[i]);
        if (!library->check_success(error))
            return refusal(library, error, of->note);
    }
    for (int i = 0; i < 2; i++)
        if (handles[i] == POISON || executors[i] == POISON)
            return wrong(of->note, "success, and no handle or executor was written");
    for (int i = 0; i < 2; i++)
        if (!library->check_success(library->destroy_handle(handles[i])) ||
            !library->check_success(library->destroy_executor(executors[i])))
            return wrong(of->note, "a handle or executor was not destroyed with success");
    return RIGHT;
}

static void draw_modes(const trial *of, int nmode, int64_t extents[], int64_t strides[])
{
    for (int i = 0; i < nmode; i++) {
        extents[i] = random_in(of->source, 0, 9);
        strides[i] = random_in(of->source, -99, 99);
    }
}

static int tells(const tapp_library *library, TAPP_tensor_info info, int nmode, const int64_t extents[],
                 const int64_t strides[])
{
    int64_t told[MOST_MODES + 1];
    if (library->get_nmodes(info) != nmode)
        return 0;
    memset(told, UNSET, sizeof(told));
    library->get_extents(info, told);
    if (memcmp(told, extents, sizeof(told[0]) * (size_t)nmode) != 0 || told[nmode] != -1)
        return 0;
    memset(told, UNSET, sizeof(told));
    library->get_strides(info, told);
    return memcmp(told, strides, sizeof(told[0]) * (size_t)nmode) == 0 && told[nmode] == -1;
}

/* An info tells what it was made with, though the arrays are others by then, and what it was set to. */
outcome check_infos(const trial *of)
{
    const tapp_library *library = of->library;
    int64_t extents[MOST_MODES], strides[MOST_MODES], first_extents[MOST_MODES], first_strides[MOST_MODES];
    const int first = (int)random_in(of->source, 1, MOST_MODES), then = (int)random_in(of->source, 0, MOST_MODES);
    TAPP_tensor_info info = POISON;
    draw_modes(of, first, first_extents, first_strides);
    memcpy(extents, first_extents, sizeof(extents));
    memcpy(strides, first_strides, sizeof(strides));
    TAPP_error error =
        library->create_tensor_info(&info, (TAPP_datatype)random_in(of->source, 0, 3), first, extents, strides);
    if (!library->check_success(error))
        return refusal(library, error, of->note);
    memset(extents, UNSET, sizeof(extents));
    memset(strides, UNSET, sizeof(strides));
    if (info == POISON || !tells(library, info, first, first_extents, first_strides))
        return wrong(of->note, "an info does not tell what it was made with");

    draw_modes(of, then, extents, strides);
    const TAPP_error errors[] = { library->set_nmodes(info, then), library->set_extents(info, extents),
                                  library->set_strides(info, strides) };
    for (int i = 0; i < 3; i++)
        if (!library->check_success(errors[i])) {
            const outcome is = refusal(library, errors[i], of->note);
            library->destroy_tensor_info(info);
            return is;
        }
    if (!tells(library, info, then, extents, strides))
        return wrong(of->note, "an info does not tell what it was set to");
    if (library->check_success(library->set_nmodes(info, -1)) || !tells(library, info, then, extents, strides))
        return wrong(of->note, "an info took -1 modes");
    if (!library->check_success(library->destroy_tensor_info(info)))
        return wrong(of->note, "an info was not destroyed with success");
    return RIGHT;
}

/* The execution makes a status, which can be destroyed. */
outcome check_status(const trial *of)
{
    const tapp_library *library = of->library;
    if (!library->destroy_status) {
        wrong(of->note, "the library has no TAPP_destroy_status");
        return REFUSED;
    }
    tensor_problem problem;
    session opened;
    const char zeros[16] = { 0 };
    TAPP_status status = POISON;
    make_problem(&problem, of->recipe, of->source);
    TAPP_error error = open_session(&opened, library, &problem);
    if (library->check_success(error))
        error = library->execute_product(opened.plan, opened.executor, &status, zeros, problem.a.zero, problem.b.zero,
                                         zeros, problem.c.zero, problem.d.zero);
    outcome is = library->check_success(error) ? RIGHT : refusal(library, error, of->note);
    if (is == RIGHT && status == POISON)
        is = wrong(of->note, "an execution made no status");
    if (is == RIGHT && !library->check_success(library->destroy_status(status)))
        is = wrong(of->note, "a status was not destroyed with success");
    close_session(&opened);
    free_problem(&problem);
    return is;
}

/* Of a handle, for which the specification says neither that it has attributes nor which: a key is refused, or it
 * keeps its value until it is cleared. */
outcome check_attributes(const trial *of)
{
    const tapp_library *library = of->library;
    if (!library->attr_set || !library->attr_get || !library->attr_clear) {
        wrong(of->note, "the library has no TAPP_attr_set, TAPP_attr_get or TAPP_attr_clear");
        return REFUSED;
    }
    TAPP_handle handle = 0;
    TAPP_error error = library->create_handle(&handle);
    if (!library->check_success(error))
        return refusal(library, error, of->note);
    int values[2] = { 0, 0 };
    const TAPP_key key = (TAPP_key)random_in(of->source, 0, 3);
    outcome is = RIGHT;
    for (int i = 0; is == RIGHT && i < 2; i++) {
        void *told = NULL;
        error = library->attr_set(handle, key, &values[i]);
        if (!library->check_success(error))
            is = refusal(library, error, of->note);
        else if (!library->check_success(library->attr_get(handle, key, &told)) || told != &values[i])
            is = wrong(of->note, "an attribute that was set is not told");
    }
    if (is == RIGHT) {
        void *told = NULL;
        if (!library->check_success(library->attr_clear(handle, key)) ||
            (library->check_success(library->attr_get(handle, key, &told)) && told == &values[1]))
            is = wrong(of->note, "an attribute that was cleared is still told");
    }
    library->destroy_handle(handle);
    return is;
}
