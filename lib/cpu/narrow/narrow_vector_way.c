/* The way of 16-bit matrices that meet a vector. */
#include "base/text.h"
#include "cpu/narrow/narrow_vector.h"
#include "cpu/narrow/pieces.h"
#include "cpu/strict.h"
#include "cpu/ways.h"

/* The FP32 kernel that the options name, or the highest level's: the order has refused names that do not serve. */
static const lay_kernel *find_kernel(const lay_setting *setting)
{
    for (int i = 0; i < lay_kernel_count; i++)
        if (setting->options->kernel == lay_kernels[i]->name)
            return lay_kernels[i];
    return lay_strict_find_plain(LAY_F32, setting->choice->isa, setting->options->skip);
}

static const char *prepare(lay_branch *branch)
{
    lay_narrow_vector *own = branch->job.data;
    lay_job *job = &branch->job;
    if (branch->problem.is_transposed)
        return "either way round is the same work";
    if (lay_types_are_mixed(&branch->problem.types) && !lay_order_cpu_narrow.mixes(&branch->problem))
        return "reads a matrix of 16-bit numbers, and sums in FP32";
    if (!branch->problem.sum.has_partial_sums)
        return "multiplies a matrix by a vector, of 32 steps of k or more";
    const lay_kernel *const kernel = find_kernel(&branch->setting);
    if (!kernel)
        return "options.skip names all of its kernels";
    *own = lay_narrow_vector_choose(&branch->problem, kernel, branch->setting.threads);
    job->kernel = own->kernel->name;
    job->threads = own->threads;
    job->seconds = own->seconds;
    job->workspace = lay_narrow_vector_workspace(own);
    return NULL;
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    void *const workspace = lay_strict_take_workspace(branch, call, NULL);
    if (!workspace)
        return LAY_ERR_MEMORY;
    lay_narrow_vector_run(&branch->problem, branch->job.data, call, workspace);
    lay_strict_give_workspace(call, NULL, workspace);
    return LAY_OK;
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const lay_narrow_vector *own = branch->job.data;
    lay_text_add(
        text,
        "vector    %s is %s, by %s; %s is %s; C %s\n"
        "sums      pieces of %d steps, in blocks and partial sums as FP32 has them; their sums in ascending order\n"
        "  %lld tasks for %d threads\n",
        lay_problem_operand(&branch->problem, own->matrix), lay_narrow_reading_name(own->reading),
        own->reading == LAY_NARROW_WIDENED ? own->kernel->name : own->row->name,
        lay_problem_operand(&branch->problem, 1 - own->matrix), own->x_row ? "widened to FP32" : "FP32",
        own->c_row ? "rounded once" : "as it is summed", LAY_PIECE_SIDE, (long long)own->tasks, own->threads);
}

const lay_way lay_way_vector_widened = {
    .name = "vector, widened",
    .order = &lay_order_cpu_narrow,
    .takes = LAY_TAKES_MIXED,
    .data = sizeof(lay_narrow_vector),
    .prepare = prepare,
    .run = run,
    .explain = explain,
};
