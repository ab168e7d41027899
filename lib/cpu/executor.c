/* The CPU executor: a kernel of the table, the blocks around it, and why. */
#include "cpu/executor.h"

#include <stdatomic.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "base/workspace.h"
#include "cpu/blocks.h"
#include "cpu/direct.h"
#include "cpu/packed.h"
#include "cpu/product.h"
#include "cpu/scale.h"
#include "cpu/slices.h"
#include "cpu/split.h"
#include "cpu/sweep.h"
#include "cpu/vector.h"
#include "plan/options.h"
#include "plan/summation.h"

/* NULL, or why the CPU cannot serve, as a phrase. */
static const char *refuse_setting(const lay_problem *problem, const lay_setting *setting)
{
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (setting->place[i] == LAY_PLACE_DEVICE)
            return "an operand lies in device memory";
    if (setting->options->backend == LAY_BACKEND_CUDA)
        return "options.backend is CUDA";
    if (lay_options_round(setting->options) && lay_compute_pieces(setting->options->compute) == 0)
        return "options.compute asks for rounded operands, which no kernel of the CPU takes";
    if (lay_compute_pieces(setting->options->compute) > 0)
        return setting->options->kernel ? "options.kernel names one that splits operands"
                                        : lay_cpu_split_refuse(problem, setting);
    return lay_options_names_cuda(setting->options) ? "options.kernel names a CUDA kernel" : NULL;
}

/* Whether the panels of an operand that has been packed, if one has, are this kernel's. A vector meets either side's.
 */
static int has_its_panels(const lay_kernel *kernel, const lay_problem *problem, const lay_setting *setting)
{
    for (int side = LAY_LEFT; side <= LAY_RIGHT; side++) {
        const lay_panels *panels = &setting->panels[side];
        if (panels->kernel &&
            (panels->kernel != kernel || (!problem->is_stranded && panels->is_right != (side == LAY_RIGHT))))
            return 0;
    }
    return 1;
}

static const char *const other_panels = "an operand is packed in other panels";

/* NULL, or why kernel cannot serve, as a phrase. */
static const char *refuse(const lay_kernel *kernel, const lay_problem *problem, const lay_setting *setting)
{
    const lay_machine *machine = lay_machine_get();
    const lay_choice *choice = setting->choice;
    if (kernel->type != problem->type)
        return "multiplies another type";
    if (setting->options->kernel && setting->options->kernel != kernel->name)
        return "options.kernel names another";
    if (kernel->isa > machine->isa)
        return machine->isa_limit;
    if (kernel->isa > choice->isa)
        return choice->isa_why;
    if (kernel->summation != lay_summation_choose(choice->isa))
        return "rounds in another order than this ISA level: equal bits rest on it";
    if (!has_its_panels(kernel, problem, setting))
        return other_panels;
    return NULL;
}

static void weigh_whole(const lay_problem *problem, const lay_kernel *kernel, const lay_setting *setting, int threads,
                        lay_job *job)
{
    const lay_machine *machine = lay_machine_get();
    const int has_panels = setting->panels[LAY_LEFT].kernel || setting->panels[LAY_RIGHT].kernel;
    const int is_long = problem->k.extent > kernel->unswept;
    if (!has_panels && ((is_long && !lay_sweep_choose(problem, kernel, threads, machine, job)) ||
                        !lay_direct_choose(problem, kernel, threads, machine, job)))
        return;
    lay_blocks_choose(problem, kernel, threads, machine, job);
    job->seconds = lay_blocks_cost(problem, job, machine);
}

static void weigh(const lay_problem *problem, const lay_kernel *kernel, const lay_setting *setting, lay_job *job)
{
    const int threads = setting->choice->threads;
    const int64_t k = problem->k.extent;
    if (problem->is_stranded) {
        lay_vector_choose(problem, setting, kernel, lay_machine_get(), job);
        return;
    }
    if (lay_summation_slice(problem->m.extent, problem->n.extent, k) >= k) {
        weigh_whole(problem, kernel, setting, threads, job);
        return;
    }
    weigh_whole(problem, kernel, setting, 1, job);
    lay_slices_choose(problem, threads, job);
}

static const char *prepare(const lay_problem *problem, const lay_setting *setting, lay_job *job)
{
    const char *refusal = refuse_setting(problem, setting), *wanted = setting->options->kernel;
    const lay_executor *const own = job->executor;
    job->kernel = NULL;
    if (refusal)
        return refusal;
    refusal = "the kernel table is empty";
    for (int i = 0; i < lay_kernel_count; i++) {
        const char *reason = refuse(lay_kernels[i], problem, setting);
        if (reason) {
            if ((!wanted || wanted == lay_kernels[i]->name) && refusal != other_panels)
                refusal = reason;
            continue;
        }
        lay_job candidate = { .executor = own };
        weigh(problem, lay_kernels[i], setting, &candidate);
        if (!job->kernel || candidate.seconds < job->seconds)
            *job = candidate;
    }
    return job->kernel ? NULL : refusal;
}

static void run_part(const lay_problem *problem, const lay_job *job, const lay_part *part, const lay_call *call,
                     void *workspace)
{
    static lay_run_part_fn *const run[] = {
        [LAY_PACKED_BOTH] = lay_product_run, [LAY_READ_IN_PLACE] = lay_direct_run, [LAY_SWEPT] = lay_sweep_run
    };
    run[job->of.cpu.way](problem, job, part, call, workspace);
}

void lay_cpu_multiply(lay_way *way, const lay_call *call, void *workspace)
{
    if (way->problem.is_stranded) {
        lay_vector_run(&way->problem, &way->job, call, workspace);
    } else if (way->job.of.cpu.slices > 1) {
        lay_slices_run(&way->problem, &way->job, call, run_part, workspace);
    } else {
        const lay_problem *problem = &way->problem;
        const lay_part all = { 0,
                               problem->k.extent,
                               &problem->result_m,
                               &problem->result_n,
                               way->job.of.cpu.direct.result_row,
                               way->job.of.cpu.direct.is_staged };
        run_part(problem, &way->job, &all, call, workspace);
    }
}

static lay_status multiply(lay_way *way, const lay_call *call)
{
    enum { SMALL = 8192 }; /* bytes: a tiny product needs no pool */
    _Alignas(64) char small[SMALL];
    const size_t bytes = way->job.workspace;
    void *taken = bytes > SMALL ? lay_workspace_take(bytes) : NULL;
    if (bytes > SMALL && !taken)
        return lay_fail(LAY_ERR_MEMORY, "no memory for a workspace of %zu bytes", bytes);
    lay_cpu_multiply(way, call, taken ? taken : small);
    lay_workspace_give(taken);
    if (!atomic_load_explicit(&way->own, memory_order_relaxed)) /* for lay_plan_path: it has run */
        atomic_store_explicit(&way->own, way, memory_order_relaxed);
    return LAY_OK;
}

static lay_status scale(lay_way *way, const lay_call *call)
{
    lay_scale(&way->problem, way->setting.choice->threads, call->beta, call->c);
    return LAY_OK;
}

static void add_packing(lay_text *text, const char *name, const lay_axis *across, const lay_axis *along, int width,
                        const char *when)
{
    static const char *const how[] = {
        [LAY_PACKED_COPIED] = "copied, unit stride across the panel",
        [LAY_PACKED_TURNED] = "turned in registers, unit stride along k",
        [LAY_PACKED_IN_PIECES] = "copied in pieces, short runs across the panel",
        [LAY_PACKED_BY_DIGITS] = "turned in registers, unit stride in an outer digit of k",
        [LAY_PACKED_GATHERED] = "gathered element by element",
    };
    lay_text_add(text, "  %s in panels of %d%s: across %s, along k %s: %s\n", name, width, when,
                 lay_axis_class_name(across->class), lay_axis_class_name(along->class),
                 how[lay_packing_find(across, along, width)]);
}

static void add_result(lay_text *text, const lay_problem *problem, int is_direct)
{
    lay_text_add(text, "  C rows %s, columns %s: %s\n", lay_axis_class_name(problem->result_m.class),
                 lay_axis_class_name(problem->result_n.class),
                 is_direct ? "tiles written in place" : "tiles that are not contiguous go through a buffer");
}

/* What is read in place, and between which seams. */
static void add_direct(lay_text *text, const lay_problem *problem, const lay_blocked *blocks)
{
    const lay_direct *direct = &blocks->direct;
    lay_text_add(text, "packed\n  %s not at all: rows %lld apart, steps %lld, in blocks of %lld rows and %lld steps\n",
                 lay_problem_operand(problem, LAY_LEFT), (long long)direct->left_row, (long long)direct->left_step,
                 (long long)direct->run_m, (long long)direct->run_k);
    if (direct->is_dotted)
        lay_text_add(text, "  %s not at all: columns contiguous along k, turned in registers and used at once\n",
                     lay_problem_operand(problem, LAY_RIGHT));
    else if (direct->beside)
        lay_text_add(text,
                     "  %s in panels of %d, up to %d at once, whose elements lie side by side: turned in registers\n",
                     lay_problem_operand(problem, LAY_RIGHT), blocks->kernel->nr, direct->beside);
    else if (direct->is_right_packed)
        add_packing(text, lay_problem_operand(problem, LAY_RIGHT), &problem->right_n, &problem->right_k,
                    blocks->kernel->nr, ", each just before it is used");
    else
        lay_text_add(text, "  %s not at all: columns contiguous in blocks of %lld, steps %lld apart\n",
                     lay_problem_operand(problem, LAY_RIGHT), (long long)direct->run_n, (long long)direct->right_step);
    add_result(text, problem, !direct->is_staged);
    lay_text_add(text, "blocks    mc %lld nc %lld kc %lld\n", (long long)blocks->mc, (long long)blocks->nc,
                 (long long)blocks->kc);
}

static void add_blocked(lay_text *text, const lay_problem *problem, const lay_blocked *blocks, const char *reason)
{
    const lay_kernel *kernel = blocks->kernel;
    lay_text_add(text, "packed    both, because %s\n", reason);
    add_packing(text, lay_problem_operand(problem, LAY_LEFT), &problem->left_m, &problem->left_k, kernel->mr, "");
    add_packing(text, lay_problem_operand(problem, LAY_RIGHT), &problem->right_n, &problem->right_k, kernel->nr, "");
    add_result(text, problem, lay_result_is_direct(problem, kernel));
    lay_text_add(text, "blocks    mc %lld nc %lld kc %lld, packed at once: %lld rows, %lld columns\n",
                 (long long)blocks->mc, (long long)blocks->nc, (long long)blocks->kc, (long long)blocks->mb,
                 (long long)blocks->nb);
}

/* A matrix and a vector, and the order of their sums. */
static void add_vector(lay_text *text, const lay_problem *problem, const lay_blocked *blocks)
{
    const lay_vector *vector = &blocks->vector;
    lay_text_add(text, "vector    %s is %s; %s is %s\n", lay_problem_operand(problem, vector->matrix),
                 vector->is_line_copied ? "one line, copied to where it is contiguous"
                                        : lay_vector_reading_name(vector->reading),
                 lay_problem_operand(problem, 1 - vector->matrix),
                 vector->is_vector_copied ? "copied to where it is contiguous" : "read where it is");
    lay_text_add(text,
                 "sums      %lld blocks of k, %lld steps each, in %d strands each; their sums in ascending order\n",
                 (long long)ceil_div(problem->k.extent, blocks->kc), (long long)blocks->kc,
                 LAY_STRAND_BYTES / (int)lay_size_of(problem->type));
}

static void add_kernels(lay_text *text, const lay_way *way)
{
    const lay_problem *problem = &way->problem;
    for (int i = 0; i < lay_kernel_count; i++) {
        const lay_kernel *kernel = lay_kernels[i];
        const char *reason = refuse(kernel, problem, &way->setting);
        if (reason) {
            lay_text_add(text, "  %-28s refused: %s\n", kernel->name, reason);
            continue;
        }
        lay_job candidate = { .executor = way->job.executor };
        weigh(problem, kernel, &way->setting, &candidate);
        lay_text_add(text, "  %-28s %s, predicted %.3g us\n", kernel->name,
                     kernel == way->job.of.cpu.kernel ? "taken" : "refused: not cheaper", candidate.seconds * 1e6);
    }
}

static void explain(const lay_way *way, lay_text *text)
{
    const lay_problem *problem = &way->problem;
    const lay_blocked *blocks = &way->job.of.cpu;
    lay_job other;
    const char *reason =
        lay_direct_choose(problem, blocks->kernel, way->setting.choice->threads, lay_machine_get(), &other);
    if (blocks->way == LAY_WITH_VECTOR)
        add_vector(text, problem, blocks);
    else if (blocks->way != LAY_PACKED_BOTH)
        add_direct(text, problem, blocks);
    else
        add_blocked(text, problem, blocks, reason ? reason : "");
    if (way->job.at_once.multiply)
        lay_text_add(text, "at once   one function of the kernel does all of it, each panel of %s\n",
                     way->job.at_once.whole.is_by_rows ? "rows with all columns" : "columns with all rows");
    if (blocks->slices > 1)
        lay_text_add(text, "slices    %lld of %lld steps, since m and n are small and k is long; a grid each\n",
                     (long long)blocks->slices, (long long)blocks->slice_k);
    lay_text_add(text, "grid      %lld x %lld tasks of C for %d threads, dealt by %s\nkernels\n",
                 (long long)blocks->grid_m, (long long)blocks->grid_n, way->job.threads,
                 blocks->is_by_columns ? "columns" : "rows");
    add_kernels(text, way);
}

const lay_executor lay_executor_cpu = {
    .name = "cpu",
    .prepare = prepare,
    .multiply = multiply,
    .scale = scale,
    .explain = explain,
    .pack = lay_cpu_pack,
};
