/* Products on the matrix units as they are: who may have them, and which tiles they get. */
#include <math.h>

#include "base/arith.h"
#include "base/text.h"
#include "cuda/launch/executor.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/offsets.h"
#include "cuda/launch/units.h"
#include "cuda/memory/device.h"
#include "cuda/narrow/narrow_around.h"
#include "cuda/narrow/narrow_cost.h"
#include "cuda/narrow/narrow_run.h"
#include "cuda/narrow/narrow_view.h"
#include "cuda/narrow/narrow_walk.h"
#include "cuda/ways.h"

static const char named_another[] = "options.kernel names another";
static const char not_mine[] = "is for 16-bit types, or f32 where options.compute asks for rounded operands";

enum { MOST_PARTS = 64 }; /* slices, 32 at most, with room to spare */

/* Of rows without walks, some of which settle slices, and of those with. */
static double cost_settling(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device)
{
    return row->is_walked || row->follows ? INFINITY : lay_narrow_cost(row, of, 0, device);
}
static double cost_plain(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device)
{
    return row->is_walked ? INFINITY : lay_narrow_cost(row, of, 0, device);
}
static double cost_plain_scattered(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device)
{
    return row->is_walked ? INFINITY : lay_narrow_cost(row, of, 1, device);
}
/* Those that have a multiprocessor alone write words. */
static double cost_plain_in_words(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device)
{
    return row->is_walked ? INFINITY : lay_narrow_cost(row, of, row->blocks_per_sm > 1, device);
}
static double cost_walked(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device)
{
    return row->is_walked ? lay_narrow_cost(row, of, 0, device) : INFINITY;
}

static const lay_cuda_kernel *find_row(const lay_cuda_shape *of, const lay_device *device, const char *wanted,
                                       double *seconds)
{
    return lay_units_find(LAY_CUDA_NARROW, of, device, wanted, cost_plain, seconds);
}

/* The type that the matrix units are to multiply, LAY_F32 as TF32; negative where they are not asked. */
static int find_units(const lay_problem *problem)
{
    const lay_compute compute = problem->compute;
    const int is_plain = compute == LAY_COMPUTE_AUTO || compute == LAY_COMPUTE_STRICT;
    switch (problem->types.left) {
    case LAY_F16:
    case LAY_BF16:
        return is_plain ? (int)problem->types.left : -1;
    case LAY_F32:
        return compute == LAY_COMPUTE_TF32   ? (int)LAY_F32
               : compute == LAY_COMPUTE_BF16 ? (int)LAY_BF16
               : compute == LAY_COMPUTE_FP16 ? (int)LAY_F16
                                             : -1;
    default:
        return -1;
    }
}

int lay_narrow_mixes(const lay_problem *problem)
{
    const lay_types *types = &problem->types;
    return types->left == types->right && types->left != LAY_F32 && types->sum == LAY_F32 && find_units(problem) >= 0;
}

int lay_narrow_takes(const lay_problem *problem)
{
    return find_units(problem) >= 0;
}

lay_type lay_narrow_units(const lay_problem *problem)
{
    return (lay_type)find_units(problem);
}

int lay_narrow_slices(const lay_problem *problem, const lay_device *device)
{
    static const int of_16_bits[] = { 1, 2, 3, 4, 5, 8, 12, 16, 24, 32 }, of_32[] = { 1, 2, 3, 4, 8, 12, 16, 24, 32 };
    const lay_type units = (lay_type)find_units(problem);
    const int is_32 = units == LAY_F32;
    const int *const tried = is_32 ? of_32 : of_16_bits;
    const size_t count = is_32 ? sizeof of_32 / sizeof of_32[0] : sizeof of_16_bits / sizeof of_16_bits[0];
    /* TF32's right is read along k alone: where all operands are by rows, B is the left one, and C often tall. */
    const lay_units_slicing by = { tried, count, LAY_CUDA_NARROW, cost_settling, is_32 };
    return lay_units_slices(problem, units, device, &by);
}

/* A kernel of batches, which another way of the order has. */
static int names_batches(const char *wanted)
{
    return wanted && lay_cuda_find_kernel(LAY_CUDA_BATCH, wanted);
}

/* By types, sizes, options and places. */
static const char *refuse(const lay_problem *problem, const lay_setting *setting)
{
    const int units = find_units(problem);
    const char *reason;
    double seconds;
    if (units < 0)
        return not_mine;
    if ((reason = lay_cuda_refuse_setting(setting))) /* before CUDA is started */
        return reason;
    const lay_device *device = lay_device_get(setting->device, &reason);
    if (!device || (reason = lay_units_refuse(problem, device, MOST_PARTS)))
        return reason;
    const lay_cuda_shape of = lay_units_cut_of(problem, (lay_type)units, 1);
    const char *wanted = setting->options->kernel;
    return names_batches(wanted) || find_row(&of, device, wanted, &seconds) ||
                   lay_units_find(LAY_CUDA_NARROW, &of, device, wanted, cost_walked, &seconds)
               ? NULL
               : named_another;
}

/* Whether a block of a multiprocessor's own has one tile: then every row writes C whose rows are contiguous in vectors
 * (kernels/cuda/narrow/staged.cuh). */
static int is_single(const lay_cuda_kernel *row, const lay_narrow_form *form)
{
    const int64_t tiles = ceil_div(form->m, row->bm) * ceil_div(form->n, row->bn);
    return row->blocks_per_sm == 1 && tiles <= form->launch.device->multiprocessors;
}

/* Whether the product transposed reads less: right's lines, now contiguous in whole 128 bytes, are then those of a
 * tile alone (1536 by 128x160 13.4 us, transposed 12.7: bench/LOG.md, 143). */
static int reads_less_transposed(const lay_cuda_kernel *row, const lay_narrow_form *form)
{
    return form->may_transpose && row->bn % 64 != 0 && !form->left.is_across && form->right.is_across &&
           is_single(row, form);
}

static int is_cut(const lay_narrow_form *form)
{
    return form->left.cut_lines || form->right.cut_lines;
}

/* A tile's lines of an operand: in strips where that is the only way to have it by whole boxes. */
static lay_narrow_tile tile_of(const lay_narrow_view *view, int lines, int parts, int is_narrow)
{
    const lay_narrow_tile plain = { lines, parts, 0 };
    const int is_plain = !is_narrow || lay_narrow_view_is_whole(view, (lay_narrow_tile){ lines, 1, 0 });
    return is_plain ? plain : (lay_narrow_tile){ lines, parts, lay_narrow_view_strips(view, lines) };
}
static lay_narrow_tile rows_of(const lay_cuda_kernel *row, const lay_narrow_form *form, int parts)
{
    return tile_of(&form->left, row->bm, parts, form->is_narrow);
}
static lay_narrow_tile columns_of(const lay_cuda_kernel *row, const lay_narrow_form *form, int parts)
{
    return tile_of(&form->right, row->bn, parts, form->is_narrow);
}

/* Whether each turn is one box of each operand, or of each block's part. */
static int is_by_wholes(const lay_narrow_form *form, lay_narrow_tile rows, lay_narrow_tile columns)
{
    return lay_narrow_view_is_whole(&form->left, rows) && lay_narrow_view_is_whole(&form->right, columns);
}

static int has_blocks(const lay_narrow_form *form)
{
    return lay_narrow_view_has_blocks(&form->left) || lay_narrow_view_has_blocks(&form->right);
}

/* Whether a thread each brings turns. */
static int is_by_threads(const lay_cuda_kernel *row, const lay_narrow_form *form)
{
    const lay_narrow_tile rows = { row->bm, 1, 0 }, columns = { row->bn, 1, 0 };
    return !has_blocks(form) || is_by_wholes(form, rows, columns) ||
           (lay_narrow_view_has_pieces(&form->left, rows) && lay_narrow_view_has_pieces(&form->right, columns));
}

/* Whether whole boxes bring what such rows want, and C leaves as strips do where there are such. */
static int may_have_narrow(const lay_cuda_kernel *row, const lay_narrow_form *form)
{
    const lay_narrow_tile rows = rows_of(row, form, 1), columns = columns_of(row, form, 1);
    return is_by_wholes(form, rows, columns) &&
           ((!rows.strips && !columns.strips) ||
            (is_single(row, form) && form->is_c_short && (form->launch.is_c_vector || form->is_c_down)));
}

/* Whether a row writes C whose rows are contiguous in vectors: sums of slices are gathered, and then leave so. */
static int may_go_down(const lay_cuda_kernel *row, const lay_narrow_form *form)
{
    const int is_straight = row->leaves_down || form->is_gathered;
    return row->is_walked || (is_straight && form->is_c_even) || (!form->is_gathered && is_single(row, form));
}

/* Whether a row reads operands as they lie, its tiles begin where boxes of right may, and C leaves as it is to. Boxes
 * of 16 lines cost more than tiles of odd sixteens gain: 1280 in blocks 12.3 us by 128x112, 9.6 by 128x128; and only
 * who goes by threads knows tails (bench/LOG.md, 150). */
static int may_have(const lay_cuda_kernel *row, const void *context)
{
    const lay_narrow_form *form = context;
    return row->function[form->left.is_across][form->right.is_across] &&
           (!row->groups || (!form->left.walk.is_crossed && !form->is_c_down)) &&
           (form->is_narrow ? may_have_narrow(row, form)
                            : ((!row->follows && !is_cut(form)) || is_by_threads(row, form)) &&
                                  lay_narrow_view_begins(&form->right, row->bn)) &&
           (!form->is_c_down || may_go_down(row, form)) && !reads_less_transposed(row, form);
}

/* Whether all clusters of tiles find place at once. */
static int has_room(const lay_cuda_kernel *row, lay_narrow_cluster cluster, const lay_narrow_form *form)
{
    const int64_t down = ceil_div(ceil_div(form->m, row->bm), cluster.down);
    return down * ceil_div(ceil_div(form->n, row->bn), cluster.across) <=
           lay_narrow_clusters_at_once(row, cluster, form->launch.device);
}

/* Whether turns may come to a cluster as they do to a block alone, or box by box to two. */
static int may_share(const lay_cuda_kernel *row, lay_narrow_cluster cluster, const void *context)
{
    const lay_narrow_form *form = context;
    const lay_narrow_tile rows = rows_of(row, form, 1), columns = columns_of(row, form, 1);
    const lay_narrow_tile own_rows = rows_of(row, form, cluster.across),
                          own_columns = columns_of(row, form, cluster.down);
    if (form->is_narrow)
        return is_by_wholes(form, own_rows, own_columns) &&
               ((!rows.strips && !columns.strips) || has_room(row, cluster, form));
    if (!lay_narrow_view_has_parts(&form->left, own_rows) || !lay_narrow_view_has_parts(&form->right, own_columns))
        return 0;
    if (!has_blocks(form))
        return 1;
    if (is_by_wholes(form, rows, columns))
        return is_by_wholes(form, own_rows, own_columns);
    return (cluster.down <= 2 && cluster.across == 1 && !is_cut(form)) ||
           (lay_narrow_view_has_pieces(&form->left, own_rows) && lay_narrow_view_has_pieces(&form->right, own_columns));
}

/* The cheapest row for such views; no kernel where none serves. */
static void take_row(const lay_problem *problem, lay_type units, int slices, const char *wanted, lay_units_cost *cost,
                     lay_narrow_form *form)
{
    const lay_device *device = form->launch.device;
    lay_cuda_shape of = lay_units_cut_of(problem, units, slices);
    of.m = form->m = lay_narrow_walked(&form->left, of.m);
    of.n = form->n = lay_narrow_walked(&form->right, of.n);
    lay_units_cost *const own = cost != cost_plain || units == LAY_F32 || !lay_narrow_is_scattered(NULL, form) ? cost
                                : form->c_together ? cost_plain_in_words
                                                   : cost_plain_scattered;
    const lay_cuda_kernel *row =
        lay_units_find_among(LAY_CUDA_NARROW, &of, device, wanted, may_have, form, own, &form->seconds);
    if (!row)
        return;
    lay_units_take(&form->launch, row, problem, &of);
    form->launch.tiles_m = (int)ceil_div(of.m, row->bm);
    form->launch.tiles_n = (int)ceil_div(of.n, row->bn);
    form->strips_left = rows_of(row, form, 1).strips;
    form->strips_right = columns_of(row, form, 1).strips;
    form->m = form->strips_left ? (int64_t)form->launch.tiles_m * row->bm : of.m;
    form->n = form->strips_right ? (int64_t)form->launch.tiles_n * row->bn : of.n;
    form->cluster = lay_narrow_cluster_of(row, &of, has_blocks(form), device, may_share, form);
    form->seconds += lay_narrow_cost_around(problem, form, device);
}

/* Whether C's indices along near lie in vectors, which some rows of the table write where these are its rows. */
static int goes_down(const lay_problem *problem, lay_type units, const lay_axis *near, const lay_axis *far)
{
    const int v = 16 / (int)lay_type_size(problem->types.result);
    return units != LAY_F32 && problem->types.result == units && near->extent % v == 0 &&
           lay_axis_is_in_vectors(near, far, v);
}

/* Views of blocks that are cut, in place of images: whether there is one. */
static int cut_views(const lay_problem *problem, lay_type units, lay_narrow_form *form)
{
    const lay_narrow_view left = lay_narrow_view_cut(1, &problem->left_m, &problem->left_k, units);
    const lay_narrow_view right = lay_narrow_view_cut(0, &problem->right_n, &problem->right_k, units);
    const int cuts_left = form->left.is_image && left.size, cuts_right = form->right.is_image && right.size;
    form->left = cuts_left ? left : form->left;
    form->right = cuts_right ? right : form->right;
    return cuts_left || cuts_right;
}

/* The same where whole boxes may be narrow, tiles have strips, or turns end with blocks. */
static int narrow_views(const lay_problem *problem, lay_type units, int is_converted, lay_narrow_form *form)
{
    const lay_narrow_view left = lay_narrow_view_narrow(&problem->left_m, &problem->left_k, units);
    const lay_narrow_view right = lay_narrow_view_narrow(&problem->right_n, &problem->right_k, units);
    if (is_converted || !left.size || !right.size)
        return 0;
    form->left = left;
    form->right = right;
    form->is_narrow = has_blocks(form);
    return form->is_narrow && lay_narrow_views_end_together(&form->left, &form->right);
}

/* Which views of operands: of blocks that fit, of those that are cut, too, or of whole boxes alone. */
enum views { FITTING, CUT, NARROW };

static lay_narrow_form form_of(const lay_problem *problem, const lay_device *device, lay_type units, int slices,
                               const char *wanted, enum views may)
{
    const int is_converted = problem->types.left != units;
    lay_narrow_form form = {
        .launch = lay_launch_on(problem, device),
        .left = lay_narrow_view_of(1, &problem->left_m, &problem->left_k, units, is_converted),
        .right = lay_narrow_view_of(0, &problem->right_n, &problem->right_k, units, is_converted),
        .is_c_short = problem->types.result == units && units != LAY_F32,
        .is_c_even = lay_axis_is_even(&problem->result_m) && lay_axis_is_even(&problem->result_n),
        .c_together = slices == 1 ? lay_narrow_together(problem, units, &problem->result_n, &problem->result_m) : 0,
        .c_together_down =
            slices == 1 ? lay_narrow_together(problem, units, &problem->result_m, &problem->result_n) : 0,
        .is_gathered = slices > 1,
        .seconds = INFINITY,
    };
    if ((may == CUT && !cut_views(problem, units, &form)) ||
        (may == NARROW && !narrow_views(problem, units, is_converted, &form)))
        return form;
    /* What is behind the last vector need not lie together. */
    form.may_transpose = !wanted && slices == 1 && goes_down(problem, units, &problem->result_n, &problem->result_m);
    form.launch.is_c_vector &= problem->n.extent % (16 / (int64_t)lay_type_size(problem->types.result)) == 0;
    take_row(problem, units, slices, wanted, cost_plain, &form);
    if (!form.launch.kernel && wanted && may != NARROW && lay_narrow_view_has_blocks(&form.right)) {
        form.right = lay_narrow_view_unaligned(&form.right);
        form.right.why = "tiles of the row that is named begin within its blocks";
        take_row(problem, units, slices, wanted, cost_plain, &form);
    }
    if (!form.launch.kernel && wanted && may != NARROW && form.right.is_across) {
        form.right = lay_narrow_view_along(&form.right);
        take_row(problem, units, slices, wanted, cost_plain, &form);
    }
    lay_narrow_form down = form;
    down.launch.kernel = NULL;
    down.is_c_down = goes_down(problem, units, &problem->result_m, &problem->result_n);
    down.may_transpose = 0;
    if (down.is_c_down)
        take_row(problem, units, slices, wanted, cost_plain, &down);
    return down.launch.kernel && down.seconds < form.seconds ? down : form;
}

/* Rows that are named may want what blocks that are cut do not allow. */
static lay_narrow_form plain_form(const lay_problem *problem, const lay_device *device, lay_type units, int slices,
                                  const char *wanted)
{
    const lay_narrow_form whole = form_of(problem, device, units, slices, wanted, FITTING);
    if (slices > 1 || problem->types.left != units || (!whole.left.is_image && !whole.right.is_image))
        return whole;
    const lay_narrow_form cut = form_of(problem, device, units, slices, wanted, CUT);
    return cut.launch.kernel && cut.seconds < whole.seconds ? cut : whole;
}

/* A view for rows with walks: as it is without where that is one digit, or an image is the only way. */
static lay_narrow_view walk_view(const lay_problem *problem, int is_left, int may_walk, const lay_narrow_view *plain)
{
    lay_narrow_view walked;
    const int is_single = !plain->is_image && !plain->cut_lines && plain->lines.outer == 1;
    if (!is_single && may_walk && !lay_narrow_walk_of(problem, is_left, &walked))
        return walked;
    /* C may want its rows crossed even so. */
    if (is_left && is_single && may_walk && !lay_narrow_walk_of(problem, 1, &walked) && walked.walk.is_crossed)
        return walked;
    if (is_single || plain->is_image)
        return *plain;
    walked = lay_narrow_view_unaligned(plain);
    walked.why = "its blocks are not walked";
    return walked;
}

/* The same by rows that take walks: which is for what has images without them, or C in another order than left. */
static lay_narrow_form walked_form(const lay_problem *problem, const lay_narrow_form *plain, lay_type units, int slices,
                                   const char *wanted)
{
    lay_narrow_form form = { .launch = plain->launch, .seconds = INFINITY };
    form.launch.kernel = NULL;
    form.left = walk_view(problem, 1, 1, &plain->left);
    form.right = walk_view(problem, 0, 1, &plain->right);
    if (form.right.walk.count)
        form.launch.is_c_vector = lay_narrow_walks_vectors(problem, &form.right);
    form.is_c_down = !form.launch.is_c_vector && lay_narrow_walks_down(problem, &form.left);
    take_row(problem, units, slices, wanted, cost_walked, &form);
    if (!form.launch.kernel && wanted) { /* a row that is named may cross no rows, nor write down its tiles */
        form.left = walk_view(problem, 1, 0, &plain->left);
        form.is_c_down = 0;
        take_row(problem, units, slices, wanted, cost_walked, &form);
    }
    return form;
}

static int has_walks(const lay_narrow_form *form)
{
    return form->left.walk.count || form->right.walk.count;
}

/* Whether rows with walks have what others do not. */
static int is_for_walks(lay_type units, const lay_narrow_form *form)
{
    const lay_cuda_kernel *row = form->launch.kernel;
    return units != LAY_F32 && row && (has_walks(form) || row->groups);
}

static const char *prepare(lay_branch *branch)
{
    const lay_problem *problem = &branch->problem;
    const lay_setting *setting = &branch->setting;
    const char *reason = NULL, *wanted = setting->options->kernel;
    lay_job *job = &branch->job;
    const lay_type units = (lay_type)find_units(problem);
    lay_narrow *narrow = job->data;
    const lay_device *device = lay_device_get(setting->device, &reason);
    if (!device)
        return reason;
    if (lay_types_are_mixed(&problem->types) && !lay_narrow_mixes(problem))
        return "takes operands of one type alone";
    if (names_batches(wanted))
        return named_another;
    const int slices = lay_narrow_slices(problem, device);
    *narrow = (lay_narrow){ .units = units, .form = plain_form(problem, device, units, slices, wanted) };
    const int is_named = !narrow->form.launch.kernel; /* a row with walks */
    const lay_narrow_form plain = is_named ? plain_form(problem, device, units, slices, NULL) : narrow->form;
    const lay_narrow_form walked = walked_form(problem, &plain, units, slices, wanted);
    if (is_named || (is_for_walks(units, &walked) && walked.seconds < plain.seconds)) {
        narrow->form = walked;
        narrow->plain = plain;
    }
    const lay_narrow_form wholes =
        slices > 1 ? (lay_narrow_form){ 0 } : form_of(problem, device, units, slices, wanted, NARROW);
    if (wholes.launch.kernel && wholes.seconds < narrow->form.seconds) {
        narrow->form = wholes;
        narrow->plain = plain;
    }
    if (!narrow->form.launch.kernel)
        return "the row that is named does not read or write what lies so, or cannot cut k in slices as the size wants";
    job->seconds = narrow->form.seconds;
    job->needs = lay_narrow_needs(problem, narrow);
    job->workspace = job->needs.tables + job->needs.counters + job->needs.partial;
    job->kernel = narrow->form.launch.kernel->name;
    job->threads = 1;
    return NULL;
}

static void add_operand(lay_text *text, const char *name, const lay_narrow_view *view, int strips)
{
    lay_text_add(text, "  %s %s, %s contiguous%s%s%s", name, view->is_image ? "from an image" : "in place",
                 view->is_across ? "rows or columns" : "steps of k", view->is_image ? ": " : "",
                 view->is_image ? view->why : "", view->cut_lines ? ", the last of them from an image" : "");
    if (view->walk.count)
        lay_text_add(text, ", walked by groups of %d%s", 1 << view->walk.log_together,
                     view->walk.is_crossed ? " across those of C" : "");
    if (strips)
        lay_text_add(text, ", in strips of %d block%s a tile", strips, strips > 1 ? "s" : "");
    if (view->ends)
        lay_text_add(text, ", in turns that end with blocks of %lld", (long long)view->ends);
    lay_text_add(text, "\n");
}

static void explain_rows(const lay_narrow_form *form, const lay_cuda_shape *of, const char *wanted, lay_text *text)
{
    const lay_launch *launch = &form->launch;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        if (row->type != of->type)
            continue;
        const char *refusal = lay_cuda_refuse(row, of, launch->device, wanted);
        if (!refusal && !may_have(row, form))
            refusal = "does not read or write what lies so";
        if (!refusal && row != launch->kernel && row->is_walked && !row->groups && !has_walks(form))
            refusal = "nothing is walked";
        lay_cuda_explain_row(text, row, refusal, row == launch->kernel,
                             lay_narrow_cost(row, of, lay_narrow_is_scattered(row, form), launch->device), " alone");
    }
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const lay_problem *problem = &branch->problem;
    const lay_narrow *narrow = branch->job.data;
    const lay_narrow_form *form = &narrow->form;
    lay_cuda_shape of = lay_units_cut_of(problem, narrow->units, form->launch.slices);
    of.m = form->m;
    of.n = form->n;
    lay_text_add(text, "read\n");
    add_operand(text, lay_problem_operand(problem, LAY_LEFT), &form->left, form->strips_left);
    add_operand(text, lay_problem_operand(problem, LAY_RIGHT), &form->right, form->strips_right);
    lay_text_add(text, "  C %s\n",
                 form->is_c_down                                         ? "written down tiles in 16-byte vectors"
                 : form->launch.is_c_vector                              ? "written in 16-byte vectors"
                 : lay_narrow_leaves_in_words(form->launch.kernel, form) ? "written in words along its rows"
                                                                         : "written element by element");
    lay_launch_explain_grid(&form->launch, text);
    if (form->cluster.together > 1)
        lay_text_add(text, ", added by clusters of %d blocks", form->cluster.together);
    else if (form->launch.slices > 1)
        lay_text_add(text, ", added by each tile's last block");
    else if (lay_narrow_cluster_blocks(form->cluster) > 1)
        lay_text_add(text, ", in clusters of %d x %d tiles that share what they read", form->cluster.down,
                     form->cluster.across);
    lay_units_explain_memory(&branch->job.needs, text);
    explain_rows(form, &of, branch->setting.options->kernel, text);
}

static const char *find_kernel(const char *name)
{
    return lay_cuda_find_kernel(LAY_CUDA_NARROW, name);
}

static void list_kernels(const lay_order *order, lay_text *text)
{
    lay_cuda_list_kernels(LAY_CUDA_NARROW, order->name, text);
}

const lay_order lay_order_device_narrow = {
    .name = "narrow",
    .backend = LAY_BACKEND_CUDA,
    .treatment = LAY_ROUNDED,
    .not_mine = not_mine,
    .refuse = refuse,
    .mixes = lay_narrow_mixes,
    .find_kernel = find_kernel,
    .list_kernels = list_kernels,
    .scale = lay_cuda_put_scale,
};

const lay_way lay_way_device_narrow = {
    .name = "matrix units",
    .order = &lay_order_device_narrow,
    .takes = LAY_TAKES_MIXED,
    .data = sizeof(lay_narrow),
    .prepare = prepare,
    .run = lay_narrow_multiply,
    .explain = explain,
    .load = lay_narrow_load,
    .reserve = lay_kept_reserve,
    .release = lay_kept_release,
};
