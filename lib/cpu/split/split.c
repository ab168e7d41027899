/* Products by limbs on the CPU: who may have them, with which kernel, and why. */
#include "cpu/split/split.h"

#include <stdatomic.h>
#include <string.h>

#include "base/arith.h"
#include "base/list.h"
#include "base/status.h"
#include "cpu/scale.h"
#include "cpu/split/split_blocks.h"
#include "cpu/split/split_lines.h"
#include "cpu/split/split_packed.h"
#include "cpu/split/split_run.h"
#include "cpu/strict.h"
#include "cpu/ways.h"
#include "machine/amx.h"
#include "plan/options.h"
#include "plan/summation.h"
#include "threads/workspace.h"

static const char not_mine[] = "options.compute does not ask for split operands";

enum { LEAST_K = 8 };

/* NULL, or why row cannot serve, as a phrase. Asks the system for the matrix unit where the row needs it. */
static const char *refuse_row(const lay_cpu_split_row *row, const lay_setting *setting)
{
    const char *wanted = setting->options->kernel;
    if (wanted && wanted != row->name)
        return "options.kernel names another";
    if (lay_list_has(setting->options->skip, row->name))
        return "options.skip names it";
    if (!wanted && row->is_emulated)
        return "a model for tests: taken where options.kernel names it";
    const char *refusal = lay_machine_refuse(setting->choice, row->isa);
    return !refusal && row->isa == LAY_ISA_AMX ? lay_amx_refusal() : refusal;
}

/* Of the level that includes most, the table's last; the refusal is that one's, or the one's that was named. */
static const lay_cpu_split_row *find_row(const lay_setting *setting, const char **refusal)
{
    *refusal = "no kernel of this build splits its operands";
    const int last = lay_cpu_split_row_count - 1;
    for (int i = last; i >= 0; i--) {
        const lay_cpu_split_row *row = lay_cpu_split_rows[i];
        const char *reason = refuse_row(row, setting);
        if (!reason)
            return row;
        if (setting->options->kernel ? setting->options->kernel == row->name : i == last)
            *refusal = reason;
    }
    return NULL;
}

const char *lay_cpu_split_refuse(const lay_problem *problem, const lay_setting *setting)
{
    const char *reason;
    if (problem->types.left != LAY_F32)
        return "only f32 operands are split";
    if (setting->options->backend == LAY_BACKEND_CUDA)
        return "options.backend is CUDA";
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (setting->place[i] == LAY_PLACE_DEVICE)
            return "an operand lies in device memory";
    if (setting->named && setting->named->backend == LAY_BACKEND_CUDA)
        return "options.kernel names a CUDA kernel";
    return find_row(setting, &reason) ? NULL : reason;
}

/* Where the plain product is done sooner, by sizes alone: whole tiles are multiplied and every element is split.
 * Nanoseconds at about 2.6 GHz, whose ratio matters. Bits hang on them: they are no rates, which a file may change. */
static const char *refuse_sizes(const lay_problem *problem)
{
    static const double plain = 0.018, by_limbs = 0.0069, split = 0.35;
    const int64_t lines = LAY_CPU_SPLIT_LINES;
    const double m = (double)problem->m.extent, n = (double)problem->n.extent;
    const double tiles = (double)round_up(problem->m.extent, lines) * (double)round_up(problem->n.extent, lines);
    if (problem->k.extent < LEAST_K)
        return "k is so short that the plain sum is more accurate";
    return plain * m * n < by_limbs * tiles + split * (m + n)
               ? "the plain product of so few rows or columns is done sooner"
               : NULL;
}

static int is_given(const lay_cpu_split *split, const lay_setting *setting, int side)
{
    const lay_panels *panels = &setting->panels[side];
    return panels->split == split->row && panels->limbs == split->limbs && panels->is_right == (side == LAY_RIGHT);
}

/* Sizes and options alone. */
static const char *refuse(const lay_problem *problem, const lay_setting *setting)
{
    if (lay_compute_limbs(problem->compute) == 0)
        return not_mine;
    const char *reason = lay_cpu_split_refuse(problem, setting);
    return reason || setting->options->kernel ? reason : refuse_sizes(problem);
}

static const char *prepare(lay_branch *branch)
{
    const char *reason;
    const lay_setting *setting = &branch->setting;
    lay_cpu_split *split = branch->job.data;
    *split = (lay_cpu_split){ .row = find_row(setting, &reason),
                              .strict = lay_strict_find_plain(LAY_F32, setting->choice->isa, setting->options->skip),
                              .limbs = lay_compute_limbs(branch->problem.compute) };
    if (!split->strict)
        return "options.skip names all kernels for lines that limbs do not serve";
    for (int side = LAY_LEFT; side <= LAY_RIGHT; side++)
        split->is_given[side] = is_given(split, setting, side);
    lay_cpu_split_choose(&branch->problem, setting->threads, lay_machine_get(), &branch->job);
    return NULL;
}

/* What a run found, for lay_plan_path: own points to one of them. */
static char found_limbs, found_plain;

static lay_status run(lay_branch *branch, const lay_call *call)
{
    void *taken = lay_strict_take_workspace(branch, call, NULL);
    if (!taken)
        return LAY_ERR_MEMORY;
    const int has_split = lay_cpu_split_run(&branch->problem, &branch->job, call, taken);
    lay_strict_give_workspace(call, NULL, taken);
    atomic_store(&branch->kept, has_split ? &found_limbs : &found_plain);
    return LAY_OK;
}

static lay_status find_path(const lay_branch *branch, lay_path *path)
{
    static const lay_path by_limbs[] = { LAY_PATH_STRICT, LAY_PATH_BF16X1, LAY_PATH_BF16X3, LAY_PATH_BF16X6 };
    const void *found = atomic_load(&((lay_branch *)branch)->kept);
    *path =
        !found ? LAY_PATH_NONE : by_limbs[found == &found_limbs ? ((const lay_cpu_split *)branch->job.data)->limbs : 0];
    return LAY_OK;
}

static lay_status scale(lay_branch *branch, const lay_call *call)
{
    lay_scale(&branch->problem, branch->setting.threads, call->beta, call->c);
    return LAY_OK;
}

static void add_packing(lay_text *text, const lay_branch *branch, int operand, const lay_axis *across,
                        const lay_axis *along)
{
    const lay_problem *problem = &branch->problem;
    if (((const lay_cpu_split *)branch->job.data)->is_given[operand]) {
        lay_text_add(text, "  %s was packed before, in limbs\n", lay_problem_operand(problem, operand));
        return;
    }
    const int is_across = across->run >= LAY_CPU_SPLIT_LINES || across->run >= across->extent;
    lay_text_add(text, "  %s in panels of %d: across %s, along k %s: %s\n", lay_problem_operand(problem, operand),
                 LAY_CPU_SPLIT_LINES, lay_axis_class_name(across->class), lay_axis_class_name(along->class),
                 is_across         ? "by vectors across"
                 : along->run >= 8 ? "by vectors along k"
                                   : "element by element");
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const lay_problem *problem = &branch->problem;
    const lay_cpu_split *split = branch->job.data;
    lay_text_add(text, "split in %d limbs of bfloat16, %d products\n", split->limbs,
                 split->limbs * (split->limbs + 1) / 2);
    add_packing(text, branch, LAY_LEFT, &problem->left_m, &problem->left_k);
    add_packing(text, branch, LAY_RIGHT, &problem->right_n, &problem->right_k);
    lay_text_add(text,
                 "lines     each row of A and column of B, in each block of k, by its own elements:\n"
                 "  exponents of %d to %d                 as they are\n"
                 "  at most %d binades                    scaled by a power of two\n"
                 "  more, or Inf or NaN among them        by %s\n",
                 LAY_CPU_SPLIT_LEAST, LAY_CPU_SPLIT_MOST, LAY_SPLIT_RANGE, split->strict->name);
    lay_text_add(text, "blocks    mc %lld nc %lld kc %lld, packed at once: %lld rows, %lld columns\n",
                 (long long)split->mc, (long long)split->nc, (long long)split->kc, (long long)split->mb,
                 (long long)split->nb);
    lay_text_add(text, "kernels\n");
    for (int i = 0; i < lay_cpu_split_row_count; i++) {
        const char *reason = refuse_row(lay_cpu_split_rows[i], &branch->setting);
        lay_text_add(text, "  %-28s %s%s\n", lay_cpu_split_rows[i]->name, reason ? "refused: " : "taken",
                     reason ? reason : "");
    }
}

static const char *find_kernel(const char *name)
{
    for (int i = 0; i < lay_cpu_split_row_count; i++)
        if (strcmp(lay_cpu_split_rows[i]->name, name) == 0)
            return lay_cpu_split_rows[i]->name;
    return NULL;
}

static void list_kernels(const lay_order *order, lay_text *text)
{
    for (int i = 0; i < lay_cpu_split_row_count; i++)
        lay_text_add(text, "kernel,%s,%s,%s,%s\n", lay_cpu_split_rows[i]->name, order->name, lay_type_name(LAY_F32),
                     lay_isa_name(lay_cpu_split_rows[i]->isa));
}

const lay_order lay_order_cpu_split = {
    .name = "cpu-split",
    .backend = LAY_BACKEND_CPU,
    .treatment = LAY_SPLIT_IN_LIMBS,
    .not_mine = not_mine,
    .refuse = refuse,
    .find_kernel = find_kernel,
    .list_kernels = list_kernels,
    .scale = scale,
};

const lay_way lay_way_cpu_split = {
    .name = "in limbs",
    .order = &lay_order_cpu_split,
    .data = sizeof(lay_cpu_split),
    .prepare = prepare,
    .run = run,
    .explain = explain,
    .find_path = find_path,
    .pack = lay_split_pack_operand,
};
