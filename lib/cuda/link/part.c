/* Whether a part of a product would be summed up as the whole of it is. */
#include "base/arith.h"
#include "cuda/memory/device.h"
#include "cuda/memory/promises.h"
#include "cuda/narrow/narrow_run.h"
#include "plan/problem.h"

#include <stdlib.h>
#include <string.h>

/* The same product, as if it were all there is. */
static lay_problem *pose_whole(const lay_problem *part)
{
    lay_problem *const whole = malloc(sizeof *whole); /* large: callers' stacks may be small */
    if (!whole)
        return NULL;
    *whole = *part;
    lay_problem_whole(part, &whole->m.extent, &whole->n.extent, &whole->k.extent);
    memset(whole->posed.whole, 0, sizeof whole->posed.whole);
    return whole;
}

/* Strict sums ask for the whole themselves; those of the matrix units have slices by what they compute. */
const char *lay_cuda_refuse_part(const lay_problem *problem, int number)
{
    const char *reason;
    const lay_device *const device = lay_device_get(number, &reason);
    if (!device || !lay_narrow_takes(problem))
        return device ? NULL : reason;
    lay_problem *const whole = pose_whole(problem);
    if (!whole)
        return "there is no memory to find out";
    const int is_same = lay_narrow_slices(problem, device) == lay_narrow_slices(whole, device);
    free(whole);
    return is_same ? NULL : "sums on the matrix units would be cut in other slices than the whole product's";
}
