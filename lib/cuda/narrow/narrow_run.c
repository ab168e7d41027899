/* The launches of a narrow product, one after the other in the caller's stream: images of operands that need them, and
 * the product. */
#include "cuda/narrow/narrow_run.h"

#include <cuda_runtime_api.h>
#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/offsets.h"
#include "cuda/launch/put.h"
#include "cuda/launch/units.h"
#include "cuda/memory/device.h"
#include "cuda/memory/memory.h"
#include "cuda/narrow/narrow_cost.h"
#include "cuda/narrow/narrow_view.h"

enum { ALIGNMENT = 256 }; /* of workspace; images are multiples of it */

/* One operand on its way into the arguments of a form's launch. */
typedef struct side {
    const lay_narrow_form *form;
    lay_narrow_view view;
    lay_cuda_class as;
    lay_cuda_offsets lines, steps;
    const lay_axis *line_axis, *step_axis;
    const void *first; /* the address of line 0, step 0 */
    int extent, count; /* lines, steps */
    lay_narrow_tile tile;
    void *image;
    void *taken; /* for this run alone: an image of an operand that would be read in place, were it aligned */
} side;

/* Tiles whose slices are added by the block that comes last. */
static size_t count_apart(const lay_narrow_form *form)
{
    const lay_launch *launch = &form->launch;
    return launch->kernel && launch->slices > 1 && form->cluster.together == 1
               ? (size_t)launch->tiles_m * (size_t)launch->tiles_n
               : 0;
}

static size_t counters_size(const lay_narrow_form *form)
{
    return (count_apart(form) * sizeof(unsigned) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t partial_size(const lay_narrow_form *form)
{
    const size_t tiles = count_apart(form);
    return tiles ? tiles * (size_t)form->launch.slices * (size_t)(form->launch.kernel->bm * form->launch.kernel->bn) *
                       sizeof(float)
                 : 0;
}

/* Images, sums of slices, and counters for runs that share none with others. */
static size_t workspace_of(const lay_narrow_form *form)
{
    return lay_narrow_image_size(&form->left) + lay_narrow_image_size(&form->right) + partial_size(form) +
           counters_size(form);
}

lay_needs lay_narrow_needs(const lay_problem *problem, const lay_narrow *narrow)
{
    const size_t counters = counters_size(&narrow->form), others = counters_size(&narrow->plain);
    return (lay_needs){ .tables = lay_offsets_bytes(problem),
                        .counters = counters > others ? counters : others,
                        .partial = workspace_of(&narrow->form) };
}

/* Whether vectors of its source are those of its image. */
static int is_packed_in_vectors(const side *own)
{
    return lay_launch_fall_back(own->as, own->first) ==
           (own->view.is_across ? LAY_CUDA_ACROSS_VECTOR : LAY_CUDA_ALONG_VECTOR);
}

static lay_narrow_pack_kind pack_of(const side *own, lay_type type, lay_type units)
{
    const int goes_across = own->as == LAY_CUDA_ACROSS_VECTOR || own->as == LAY_CUDA_ACROSS;
    if (units == LAY_F32)
        return goes_across && !own->view.is_across ? LAY_NARROW_TURN_32 : LAY_NARROW_COPY_32;
    return type != LAY_F32 ? LAY_NARROW_COPY_16 : units == LAY_F16 ? LAY_NARROW_F32_TO_F16 : LAY_NARROW_F32_TO_BF16;
}

/* Elements of 16 bits that are read as a word. */
static int count_together(const side *own, int nears)
{
    const lay_axis *near = own->view.is_across ? own->line_axis : own->step_axis;
    const lay_axis *far = own->view.is_across ? own->step_axis : own->line_axis;
    const int is_known = near->class != LAY_AXIS_TABLE && far->class != LAY_AXIS_TABLE;
    for (int v = 4; v > 1 && is_known; v /= 2)
        if (nears % v == 0 && (uintptr_t)own->first % ((size_t)v * 2) == 0 && lay_axis_is_in_vectors(near, far, v))
            return v;
    return 1;
}

static lay_narrow_pack_args describe_image(const side *own)
{
    const lay_narrow_view *view = &own->view;
    return (lay_narrow_pack_args){
        .from = own->first,
        .near = view->is_across ? own->lines : own->steps,
        .far = view->is_across ? own->steps : own->lines,
        .nears = view->is_across ? own->extent : own->count,
        .fars = view->is_across ? own->count : own->extent,
        .is_vector = is_packed_in_vectors(own),
        .together = view->size == 2 ? count_together(own, view->is_across ? own->extent : own->count) : 1,
        .run = (int)view->run,
        .run_inverse = view->run ? UINT32_MAX / (unsigned)view->run : 0,
        .run_apart = view->run_apart,
        .to = own->image,
        .pitch = view->is_across ? view->steps.stride : view->lines.stride,
    };
}

/* Of one operand, or of two by one kind of pass. */
static lay_status put_images(const lay_branch *branch, const side *const of[], int count, lay_narrow_pack_kind kind)
{
    const lay_launch *launch = &of[0]->form->launch;
    const int lines = kind == LAY_NARROW_RUNS_16 ? LAY_NARROW_PACK_LINES : 1; /* of a warp's part */
    lay_narrow_pack_both args = { 0 };
    int64_t parts = 0;
    for (int i = 0; i < count; i++) {
        args.of[i] = describe_image(of[i]);
        parts = max_of(parts, ceil_div(args.of[i].fars, lines) * ceil_div(args.of[i].nears, 256));
    }
    const int64_t blocks = ceil_div(parts, LAY_NARROW_PACK_THREADS / 32), most = 16 * launch->device->multiprocessors;
    lay_put pack = lay_put_of_pass(launch->kernel, (int)kind, min_of(blocks, most));
    pack.slices = count;
    return lay_put_kernel(&pack, &args, 1, branch->setting.options->stream);
}

/* The last turn of what is cut, as an operand of its own. */
static side tail_of(const side *own, lay_type type)
{
    side tail = *own;
    int64_t first;
    tail.view = lay_narrow_view_tail(&own->view, &first);
    tail.first = (const char *)own->first + lay_offsets_go_on(&tail.steps, first) * (int64_t)lay_type_size(type);
    tail.count = (int)(own->view.cut_steps - first);
    return tail;
}

/* Whether all lie together in runs, and not all in vectors. */
static int go_by_runs(const side *const of[], int count)
{
    int in_vectors = 1, in_runs = 1;
    for (int i = 0; i < count; i++) {
        in_vectors &= is_packed_in_vectors(of[i]);
        in_runs &= of[i]->view.run > 0;
    }
    return in_runs && !in_vectors;
}

/* Both of those that need one; in one launch where they can be, since each costs microseconds. */
static lay_status put_all_images(const lay_branch *branch, const side *left, const side *right)
{
    const lay_type type = branch->problem.types.left, units = ((const lay_narrow *)branch->job.data)->units;
    const side *const both[] = { left, right }, *of[2];
    side tail[2];
    int count = 0;
    for (int i = 0; i < 2; i++) {
        if (both[i]->view.cut_lines)
            tail[i] = tail_of(both[i], type);
        if (both[i]->view.cut_lines || both[i]->view.is_image)
            of[count++] = both[i]->view.is_image ? both[i] : &tail[i];
    }
    if (count == 0)
        return LAY_OK;
    const int both_in_runs = go_by_runs(of, count);
    const lay_narrow_pack_kind first = both_in_runs ? LAY_NARROW_RUNS_16 : pack_of(of[0], type, units);
    const lay_narrow_pack_kind last = both_in_runs ? LAY_NARROW_RUNS_16 : pack_of(of[count - 1], type, units);
    if (count == 1 || first == last)
        return put_images(branch, of, count, first);
    const lay_status status = put_images(branch, of, 1, first);
    return status ? status : put_images(branch, of + 1, 1, last);
}

/* With an image where one is needed. */
static lay_status find_place(const lay_branch *branch, side *own)
{
    if (own->view.is_image || (uintptr_t)own->first % 16 == 0)
        return LAY_OK;
    own->view = lay_narrow_view_unaligned(&own->view);
    const lay_status status = lay_device_take_once(branch->setting.device, lay_narrow_image_size(&own->view),
                                                   branch->setting.options->stream, LAY_UNITS_UNALIGNED, &own->taken);
    own->image = own->taken;
    return status;
}

/* Whoever brings them, for both. */
static lay_narrow_bringing bringing_of(const side *left, const side *right)
{
    if (left->form->launch.kernel->is_walked)
        return LAY_NARROW_BY_LANES;
    if (!lay_narrow_view_has_blocks(&left->view) && !lay_narrow_view_has_blocks(&right->view))
        return LAY_NARROW_BY_STRIDES;
    if (lay_narrow_view_is_whole(&left->view, left->tile) && lay_narrow_view_is_whole(&right->view, right->tile))
        return LAY_NARROW_BY_WHOLES;
    return lay_narrow_view_has_pieces(&left->view, left->tile) && lay_narrow_view_has_pieces(&right->view, right->tile)
               ? LAY_NARROW_BY_PIECES
               : LAY_NARROW_BY_LANES;
}

static lay_status fill_operand(const lay_branch *branch, const side *own, lay_narrow_bringing bringing,
                               lay_narrow_operand *to)
{
    const lay_narrow_boxes boxes = bringing == LAY_NARROW_BY_WHOLES      ? LAY_NARROW_WHOLE
                                   : bringing == LAY_NARROW_BY_PIECES    ? LAY_NARROW_PIECES
                                   : own->form->launch.kernel->is_walked ? LAY_NARROW_WALKED
                                                                         : LAY_NARROW_OF_BLOCKS;
    return lay_narrow_view_fill(&own->view, own->view.is_image ? own->image : own->first,
                                ((const lay_narrow *)branch->job.data)->units, own->tile, boxes, to);
}

/* The map of the last turn, or of each block's, where it has one. */
static lay_status fill_tail(const lay_branch *branch, const side *own, lay_narrow_bringing bringing,
                            lay_narrow_operand *of, lay_narrow_map *to)
{
    of->has_tail = own->view.cut_lines > 0;
    if (!of->has_tail && !of->last.bytes)
        return LAY_OK;
    lay_narrow_operand filled;
    side tail = of->has_tail ? tail_of(own, branch->problem.types.left) : *own;
    if (!of->has_tail)
        tail.view = lay_narrow_view_short(&own->view);
    const lay_status status = fill_operand(branch, &tail, bringing, &filled);
    memcpy(to->tensor, filled.tensor, sizeof to->tensor);
    return status;
}

static lay_status fill_operands(const lay_branch *branch, const side *left, const side *right, lay_narrow_args *args)
{
    lay_status status;
    args->bringing = bringing_of(left, right);
    if ((status = fill_operand(branch, left, args->bringing, &args->left)) == LAY_OK &&
        (status = fill_operand(branch, right, args->bringing, &args->right)) == LAY_OK &&
        (status = fill_tail(branch, left, args->bringing, &args->left, &args->left_tail)) == LAY_OK)
        status = fill_tail(branch, right, args->bringing, &args->right, &args->right_tail);
    return status;
}

/* Blocks: each takes every so many-th work, but of slices that are together it has one. */
static int64_t count_blocks(const lay_launch *launch, const lay_narrow_args *args, lay_narrow_cluster cluster)
{
    const int64_t most = (int64_t)launch->device->multiprocessors * launch->kernel->blocks_per_sm;
    const int64_t works = (int64_t)args->tiles_m * args->tiles_n * args->slices;
    if (args->is_together)
        return works;
    if (args->stays)
        return lay_narrow_staying_blocks(launch->kernel, args->m, args->n, args->stays, most);
    return args->cluster == 1 ? min_of(works, most)
                              : min_of((int64_t)args->in_slice * args->slices,
                                       lay_narrow_clusters_at_once(launch->kernel, cluster, launch->device)) *
                                    args->cluster;
}

static lay_status put_multiply(const lay_narrow_form *form, lay_narrow_args *args, void *stream)
{
    const lay_launch *launch = &form->launch;
    lay_put product = lay_put_of_row(launch->kernel, args->left.is_across, args->right.is_across,
                                     count_blocks(launch, args, form->cluster));
    product.cluster = args->cluster;
    return lay_put_kernel(&product, args, 1, stream);
}

/* Sums of slices that are apart, and zeros of their counters: the branch's own, or the run's. */
static lay_status place_sums(const lay_branch *branch, const lay_narrow_form *form, const lay_kept *own, char *room,
                             lay_narrow_args *args)
{
    if (!count_apart(form))
        return LAY_OK;
    args->partial = (float *)(void *)room;
    args->counters = own->counters;
    if (args->counters)
        return LAY_OK;
    args->counters = (unsigned *)(void *)(room + partial_size(form));
    const cudaError_t error = cudaMemsetAsync(args->counters, 0, counters_size(form), branch->setting.options->stream);
    return error == cudaSuccess ? LAY_OK : lay_cuda_failed(error, "cudaMemsetAsync");
}

/* Rows that go down C's memory are written so. */
static lay_cuda_offsets walked_offsets(const lay_narrow_walk *walk, lay_cuda_offsets plain)
{
    return walk->count > 0 && walk->own == 1 ? (lay_cuda_offsets){ .stride = 1 } : plain;
}

/* Of what lies in no vectors: at this run's address. */
static int c_together_of(const lay_narrow_form *form, const lay_narrow_args *args)
{
    if (args->is_c_vector || args->is_c_down || args->beta != 0 || args->slices > 1)
        return 0;
    return form->c_together == 2 && (uintptr_t)args->c % 4 != 0 ? 1 : form->c_together;
}

/* Where turns end. */
static void describe_turns(const lay_narrow_form *form, lay_narrow_args *args)
{
    const int64_t inner = form->left.ends, size = form->left.size, turn = LAY_NARROW_LINE / size;
    args->block_turns = args->last_groups = INT32_MAX;
    if (!inner)
        return;
    args->block_turns = (int)ceil_div(inner, turn);
    args->last_groups = (int)(inner % turn * size * 4 / LAY_NARROW_LINE);
    args->turns = (int)form->left.steps.outer * args->block_turns;
}

static lay_status put_form(const lay_branch *branch, const lay_narrow_form *form, lay_kept *own, const lay_call *call,
                           void *workspace)
{
    const lay_problem *problem = &branch->problem;
    const lay_launch *launch = &form->launch;
    void *stream = branch->setting.options->stream;
    char *const images = workspace;
    const size_t left_size = lay_narrow_image_size(&form->left), right_size = lay_narrow_image_size(&form->right);
    lay_cuda_args plain = { 0 };
    lay_offsets_fill(problem, &plain, own->block, NULL);
    lay_narrow_args args = { .m = (int)form->m,
                             .n = (int)form->n,
                             .k = (int)problem->k.extent,
                             .c_type = problem->types.result,
                             .c = lay_offsets_element(call->c, &problem->result_m, &problem->result_n,
                                                      problem->types.result),
                             .result_m = walked_offsets(&form->left.walk, plain.result_m),
                             .result_n = walked_offsets(&form->right.walk, plain.result_n),
                             .alpha = lay_scalar_read(call->alpha, problem->types.sum).f32,
                             .beta = lay_scalar_read(call->beta, problem->types.sum).f32,
                             .slices = launch->slices,
                             .slice_k = launch->slice_k,
                             .cluster = lay_narrow_cluster_blocks(form->cluster),
                             .is_together = form->cluster.together > 1,
                             .log_down = __builtin_ctz((unsigned)form->cluster.down),
                             .log_across = __builtin_ctz((unsigned)form->cluster.across),
                             .rows = form->left.walk,
                             .columns = form->right.walk };
    describe_turns(form, &args);
    args.stays = lay_narrow_staying(launch->kernel, args.m, args.n, args.k);
    lay_narrow_args_tile(&args, launch->kernel);
    args.is_c_vector = launch->is_c_vector && (uintptr_t)args.c % 16 == 0;
    args.is_c_down = form->is_c_down && (uintptr_t)args.c % 16 == 0 && (args.slices == 1 || !launch->kernel->is_walked);
    args.c_together = c_together_of(form, &args);
    side left = { .form = form,
                  .view = form->left,
                  .as = launch->left,
                  .lines = plain.left_m,
                  .steps = plain.left_k,
                  .line_axis = &problem->left_m,
                  .step_axis = &problem->left_k,
                  .first = lay_offsets_element(call->left, &problem->left_m, &problem->left_k, problem->types.left),
                  .extent = (int)problem->m.extent,
                  .count = (int)problem->k.extent,
                  .tile = { launch->kernel->bm, form->cluster.across, form->strips_left },
                  .image = images };
    side right = { .form = form,
                   .view = form->right,
                   .as = launch->right,
                   .lines = plain.right_n,
                   .steps = plain.right_k,
                   .line_axis = &problem->right_n,
                   .step_axis = &problem->right_k,
                   .first =
                       lay_offsets_element(call->right, &problem->right_k, &problem->right_n, problem->types.right),
                   .extent = (int)problem->n.extent,
                   .count = (int)problem->k.extent,
                   .tile = { launch->kernel->bn, form->cluster.down, form->strips_right },
                   .image = images + left_size };
    args.strips_m = lay_narrow_view_describe_strips(&left.view, left.tile);
    args.strips_n = lay_narrow_view_describe_strips(&right.view, right.tile);
    lay_status status;
    if ((status = find_place(branch, &left)) == LAY_OK && (status = find_place(branch, &right)) == LAY_OK &&
        (status = put_all_images(branch, &left, &right)) == LAY_OK &&
        (status = fill_operands(branch, &left, &right, &args)) == LAY_OK &&
        (status = place_sums(branch, form, own, images + left_size + right_size, &args)) == LAY_OK)
        status = put_multiply(form, &args, stream);
    lay_device_give(left.taken, stream);
    lay_device_give(right.taken, stream);
    return status;
}

/* Whether walks and narrow boxes have what they want: addresses that are multiples of 16 bytes, and strips a C that is
 * not read. */
static int is_aligned_for(const lay_problem *problem, const lay_narrow_form *form, const lay_call *call)
{
    const uintptr_t left =
        (uintptr_t)lay_offsets_element(call->left, &problem->left_m, &problem->left_k, problem->types.left);
    const uintptr_t right =
        (uintptr_t)lay_offsets_element(call->right, &problem->right_k, &problem->right_n, problem->types.right);
    const uintptr_t c =
        (uintptr_t)lay_offsets_element(call->c, &problem->result_m, &problem->result_n, problem->types.result);
    const int has_strips = form->strips_left || form->strips_right;
    return ((form->is_narrow || form->left.walk.count ? left : 0) |
            (form->is_narrow || form->right.walk.count ? right : 0) |
            (has_strips || form->left.walk.is_crossed ? c : 0)) %
                   16 ==
               0 &&
           !(has_strips && lay_scalar_read(call->beta, problem->types.sum).f32 != 0);
}

/* The form without walks, in memory of this run's own. */
static lay_status put_plain(const lay_branch *branch, lay_kept *own, const lay_call *call)
{
    const lay_narrow_form *form = &((const lay_narrow *)branch->job.data)->plain;
    void *stream = branch->setting.options->stream, *taken = NULL;
    const size_t bytes = workspace_of(form);
    lay_status status =
        bytes ? lay_device_take_once(branch->setting.device, bytes, stream, LAY_UNITS_UNALIGNED, &taken) : LAY_OK;
    if (status == LAY_OK)
        status = put_form(branch, form, own, call, taken);
    lay_device_give(taken, stream);
    return status;
}

static lay_status put_run(const lay_branch *branch, lay_kept *own, const lay_call *call, void *workspace)
{
    const lay_narrow *narrow = branch->job.data;
    return is_aligned_for(&branch->problem, &narrow->form, call) ? put_form(branch, &narrow->form, own, call, workspace)
                                                                 : put_plain(branch, own, call);
}

lay_status lay_narrow_multiply(lay_branch *branch, const lay_call *call)
{
    return lay_kept_run(branch, call, put_run, 1);
}

static lay_status load_form(const lay_branch *branch, const lay_narrow_form *form)
{
    const lay_cuda_kernel *row = form->launch.kernel;
    if (!row)
        return LAY_OK;
    const lay_status status =
        lay_launch_load_function(row->function[form->left.is_across][form->right.is_across], row->shared);
    return status ? status : lay_launch_load_others(row, branch->problem.types.result);
}

lay_status lay_narrow_load(const lay_branch *branch)
{
    const lay_narrow *narrow = branch->job.data;
    const lay_status status = load_form(branch, &narrow->form);
    return status ? status : load_form(branch, &narrow->plain);
}
