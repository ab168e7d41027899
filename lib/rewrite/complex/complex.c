/* Which operand of a complex product is expanded, in which layout and blocks, and the real products that are left. */
#include "rewrite/complex/complex.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/status.h"
#include "cpu/scale.h"
#include "layout/build.h"
#include "plan/branch.h"

enum { ALIGNMENT = 64, LEAST_LINES = 64, MOST_BLOCKS = 64 };

static const char intricate[] = "a layout is more intricate than views of its parts can be";

/* ---- views ------------------------------------------------------------------------------------ */

enum { BATCH = -1, ROWS, COLUMNS, NEITHER }; /* dimensions of matrices */

/* Some of matrices' rows or columns, as lines of a group, and of whose strides. */
typedef struct part {
    int dimension; /* NEITHER: all */
    const lay_group *lines;
    int operand;
    int64_t first, count;
} part;

/* The lines from first on, count of them: whole digits, or some of one digit's values with all that lie inside. */
static const lay_func *take_digits(lay_arena *arena, const part *of, int64_t base)
{
    const lay_func *parts[LAY_MAX_MODES];
    int64_t first = of->first, count = of->count;
    for (int i = of->lines->count - 1; i >= 0; i--) {
        const lay_mode *const mode = &of->lines->mode[i];
        const int64_t taken = min_of(mode->extent, count), stride = mode->stride[of->operand];
        parts[i] = lay_func_leaf(arena, taken, 0, stride);
        base += first % mode->extent * stride;
        first /= mode->extent;
        count /= taken;
    }
    if (of->lines->count == 0)
        return lay_func_leaf(arena, of->count, base, 0);
    return lay_func_shift(arena, lay_func_list(arena, of->lines->count, parts), base);
}

/* The indices of a dimension that the part has. */
static lay_dim load(lay_arena *arena, const lay_desc *desc, int dimension, const part *of)
{
    const lay_node *const map = dimension == BATCH ? lay_operand_batch(desc) : lay_operand_map(desc, dimension);
    const lay_func *const whole = lay_func_load(arena, map);
    if (of->dimension != dimension)
        return (lay_dim){ lay_shape_leaf(arena, map->extent), whole };
    const lay_func *const some = of->lines->is_plain && of->count > 0
                                     ? take_digits(arena, of, lay_map_offset(map, 0))
                                     : lay_func_range(arena, whole, of->first, 1, of->count);
    return (lay_dim){ lay_shape_leaf(arena, of->count), some };
}

/* The parts of complex numbers as indices, the imaginary one behind the real one. */
static lay_dim append_parts(lay_arena *arena, lay_dim dim)
{
    const lay_func *const both[] = { dim.func, lay_func_leaf(arena, 2, 0, 1) };
    int64_t extent;
    if (!dim.shape || !fits_mul(dim.shape->extent, 2, &extent))
        return (lay_dim){ NULL, lay_arena_fail(arena, LAY_ERR_OVERFLOW, "the number of indices does not fit 63 bits") };
    return (lay_dim){ lay_shape_leaf(arena, extent), lay_func_list(arena, 2, both) };
}

/* A part of a complex matrix, or of each of a batch, seen as real numbers: dimension doubled has their parts (NEITHER:
 * it stays complex). NULL, or why there is none. */
static const char *view(const lay_desc *desc, const part *of, int doubled, lay_desc **out)
{
    lay_arena arena;
    lay_dim dims[3];
    int rank = 0;
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    arena.quiet = 1;
    for (int i = lay_operand_batch(desc) ? BATCH : ROWS; i <= COLUMNS; i++, rank++) {
        dims[rank] = load(&arena, desc, i, of);
        if (doubled != NEITHER)
            dims[rank].func = lay_func_scale(&arena, dims[rank].func, 2);
        if (doubled == i)
            dims[rank] = append_parts(&arena, dims[rank]);
    }
    const lay_status status = lay_desc_finish(&arena, rank, dims, out);
    return status == LAY_OK ? NULL : status == LAY_ERR_MEMORY ? lay_no_memory : intricate;
}

const char *lay_complex_view(const lay_desc *desc, int doubled, lay_desc **out)
{
    static const part all = { .dimension = NEITHER };
    return view(desc, &all, doubled, out);
}

/* ---- blocks ----------------------------------------------------------------------------------- */

static const lay_desc *expanded(const lay_branch *branch, const lay_complex *own)
{
    return own->side == LAY_LEFT ? branch->problem.posed.a : branch->problem.posed.b;
}

static int64_t lines_of(const lay_branch *branch, const lay_complex *own)
{
    return own->side == LAY_LEFT ? branch->problem.m.extent : branch->problem.n.extent;
}

int64_t lay_complex_matrices(const lay_branch *branch, const lay_complex *own)
{
    return lay_operand_batch(expanded(branch, own)) ? branch->problem.batch.extent : 1;
}

int64_t lay_complex_segments(const lay_branch *branch, const lay_complex_block *block)
{
    const lay_complex *own = branch->job.data;
    return (own->is_along ? block->lines : branch->problem.k.extent) * lay_complex_matrices(branch, own);
}

int64_t lay_complex_length(const lay_branch *branch, const lay_complex_block *block)
{
    return ((const lay_complex *)branch->job.data)->is_along ? branch->problem.k.extent : block->lines;
}

/* Lines that an image of so many bytes has room for: a multiple of what panels have. */
static int64_t find_room(const lay_branch *branch, const lay_complex *own, size_t most_bytes)
{
    const int64_t lines = lines_of(branch, own), k = max_of(branch->problem.k.extent, 1);
    const int64_t line = 4 * k * lay_size_of(lay_type_real(branch->problem.types.left)); /* bytes of an image */
    const int64_t fitting = (int64_t)most_bytes / line / max_of(lay_complex_matrices(branch, own), 1);
    const int64_t least = ceil_div(lines, MOST_BLOCKS);
    const int64_t block = ceil_div(max_of(max_of(fitting, least), 1), LEAST_LINES) * LEAST_LINES;
    return max_of(min_of(block, lines), 1);
}

/* The expanded operand's lines as C stores them, so that a block's are near each other there. Where radices do not
 * divide they stay in the order of their indices. */
static void find_lines(const lay_branch *branch, const lay_complex *own, lay_group *out)
{
    const int is_left = own->side == LAY_LEFT, cut = is_left ? ROWS : COLUMNS;
    const lay_node *const operand = lay_operand_map(expanded(branch, own), cut);
    const lay_node *const result = lay_operand_map(branch->problem.posed.c, cut);
    lay_group_refine((const lay_node *[]){ is_left ? operand : NULL, is_left ? NULL : operand, result }, out);
    lay_group_order_by(out, LAY_RESULT);
}

/* How lines are cut: blocks of some values of one digit, with all that lie inside it. */
typedef struct cutting {
    int64_t extent, each, inside; /* of the digit; its values in a block; lines of one of them */
} cutting;

/* Blocks of at most so many lines, and of equal shares of the digit but where it is the innermost one. */
static cutting cut_lines(const lay_group *lines, int64_t most)
{
    int64_t inside = 1;
    for (int i = lines->count - 1; lines->is_plain && i >= 0; i--) {
        const int64_t extent = lines->mode[i].extent;
        if (extent * inside > most && inside > 1)
            return (cutting){ extent, ceil_div(extent, ceil_div(extent, max_of(most / inside, 1))), inside };
        if (extent * inside > most)
            return (cutting){ extent, most, 1 };
        inside *= extent;
    }
    return (cutting){ lines->extent, min_of(most, max_of(lines->extent, 1)), 1 };
}

static int64_t count_blocks(const lay_group *lines, const cutting *by)
{
    const int64_t around = lines->extent / max_of(by->extent * by->inside, 1);
    return max_of(around * ceil_div(by->extent, by->each), 1);
}

/* The lines of the block that begins there. */
static int64_t count_lines(const cutting *by, int64_t first)
{
    return min_of(by->each, by->extent - first / by->inside % max_of(by->extent, 1)) * by->inside;
}

/* Two dimensions of an image in elements of some type, one with unit stride, the other one pitch apart; of a batch one
 * matrix behind the other. */
static lay_status describe(const lay_branch *branch, const lay_complex *own, int64_t lines, int64_t steps,
                           lay_desc **out)
{
    const int is_batch = lay_operand_batch(expanded(branch, own)) != NULL, is_left = own->side == LAY_LEFT;
    const int64_t across = own->is_along ? own->pitch : 1, along = own->is_along ? 1 : own->pitch;
    const int64_t matrix = (own->is_along ? lines : steps) * own->pitch;
    const int64_t extents[] = { lay_complex_matrices(branch, own), is_left ? lines : steps, is_left ? steps : lines };
    const int64_t strides[] = { matrix, is_left ? across : along, is_left ? along : across };
    return lay_desc_strided(is_batch ? 3 : 2, extents + !is_batch, strides + !is_batch, out);
}

/* All but the child. NULL, or why there is no such block. */
static const char *lay_out_block(const lay_branch *branch, const lay_complex *own, const lay_group *lines,
                                 int64_t first, lay_complex_block *block)
{
    const int64_t k = branch->problem.k.extent;
    const int cut = own->side == LAY_LEFT ? ROWS : COLUMNS; /* of the operand as of C */
    const part source = { cut, lines, own->side, first, block->lines },
               c = { cut, lines, LAY_RESULT, first, block->lines };
    const char *reason = view(expanded(branch, own), &source, NEITHER, &block->source);
    if (reason || (reason = view(branch->problem.posed.c, &c, cut, &block->c)))
        return reason;
    if (describe(branch, own, block->lines, k, &block->target) ||
        describe(branch, own, 2 * block->lines, 2 * k, &block->image))
        return lay_no_memory;
    return NULL;
}

/* The real product of a block by whoever does it soonest. */
static const char *find_child(const lay_branch *branch, const lay_complex *own, lay_complex_block *block)
{
    const char *refusal;
    lay_setting setting = branch->setting;
    lay_problem *problem = malloc(sizeof *problem); /* large: callers' stacks may be small */
    if (!problem)
        return lay_no_memory;
    lay_problem_as_real(&branch->problem, problem); /* of all blocks: they have one order of the sum */
    lay_posed posed = branch->problem.posed;
    posed.types = problem->types;
    posed.sum = problem->sum;
    memcpy(posed.whole, problem->posed.whole, sizeof posed.whole);
    posed.a = own->side == LAY_LEFT ? block->image : own->other;
    posed.b = own->side == LAY_LEFT ? own->other : block->image;
    posed.c = block->c;
    posed.is_m_in_order = posed.is_n_in_order = 0;
    setting.inside = 0;
    setting.panels[LAY_LEFT] = setting.panels[LAY_RIGHT] = (lay_panels){ .kernel = NULL };
    if (setting.place[own->side] != LAY_PLACE_DEVICE)
        setting.place[own->side] = LAY_PLACE_HOST;
    lay_problem_pose(&posed, problem);
    block->child = lay_branch_find(problem, &setting, &refusal, NULL);
    free(problem);
    return block->child ? NULL : refusal;
}

static void drop(lay_complex *own)
{
    for (int i = 0; i < own->count; i++) {
        lay_desc_destroy(own->block[i].source);
        lay_desc_destroy(own->block[i].target);
        lay_desc_destroy(own->block[i].image);
        lay_desc_destroy(own->block[i].c);
        lay_branch_destroy(own->block[i].child);
    }
    free(own->block);
    lay_desc_destroy(own->other);
    *own = (lay_complex){ .count = 0 };
}

static const char *fill_block(const lay_branch *branch, const lay_complex_place *place, const lay_complex *own,
                              const lay_group *lines, int64_t first, lay_complex_block *block)
{
    const char *reason = lay_out_block(branch, own, lines, first, block);
    if (reason)
        return reason;
    block->seconds = place->predict(branch, own, block);
    if (block->seconds < 0)
        return "radices do not divide: a copy would go by tables";
    return find_child(branch, own, block);
}

/* Everything, for segments along k or across it. NULL, or why not; then own is empty. */
static const char *make(const lay_branch *branch, const lay_complex_place *place, const lay_group *lines,
                        size_t most_bytes, int is_along, lay_complex *own)
{
    const cutting by = cut_lines(lines, find_room(branch, own, most_bytes));
    const int64_t k = branch->problem.k.extent, count = count_blocks(lines, &by), most = by.each * by.inside;
    const int64_t size = lay_size_of(lay_type_real(branch->problem.types.left)), unit = ALIGNMENT / size, page = 4096;
    int64_t bytes;
    own->is_along = is_along;
    if (k > INT64_MAX / 64 || lines->extent > INT64_MAX / 64)
        return "an operand would have more elements than fit 63 bits";
    own->pitch = round_up(2 * (is_along ? k : most), unit);
    if (own->pitch * size % page == 0) /* segments a page apart meet in the same sets of a cache */
        own->pitch += unit;
    if (!fits_mul(own->pitch * size, 2 * (is_along ? most : k), &bytes) ||
        !fits_mul(bytes, lay_complex_matrices(branch, own), &bytes))
        return "an image would take more than there is";
    if (branch->problem.is_batch && (size_t)bytes > most_bytes)
        return "images of a batch would take more than a share of the memory";
    own->bytes = (size_t)bytes;
    const char *reason = own->side == LAY_LEFT ? lay_complex_view(branch->problem.posed.b, ROWS, &own->other)
                                               : lay_complex_view(branch->problem.posed.a, COLUMNS, &own->other);
    if (!reason && !(own->block = calloc((size_t)count, sizeof *own->block)))
        reason = lay_no_memory;
    for (int64_t i = 0, first = 0; i < count && !reason; i++) {
        lay_complex_block *const block = &own->block[own->count++];
        block->lines = count_lines(&by, first);
        reason = fill_block(branch, place, own, lines, first, block);
        first += block->lines;
    }
    if (reason)
        drop(own);
    return reason;
}

static double seconds_of(const lay_complex *own)
{
    double seconds = 0;
    for (int i = 0; i < own->count; i++)
        seconds += own->block[i].seconds + own->block[i].child->job.seconds;
    return seconds;
}

/* The operand is contiguous along k rather than across it, or has so few lines that an image across it would be padding
 * for the most part, where the place takes such along k. */
static int may_lie_along(const lay_problem *problem, const lay_complex_place *place, int side)
{
    const lay_axis *const along = side == LAY_LEFT ? &problem->left_k : &problem->right_k;
    const lay_axis *const across = side == LAY_LEFT ? &problem->left_m : &problem->right_n;
    const int is_thin = 2 * across->extent * lay_size_of(problem->types.left) <= ALIGNMENT;
    return along->run > across->run || (place->takes_thin_along && is_thin);
}

/* Whether blocks of either size are others. */
static int differ(const lay_branch *branch, const lay_complex *own, const size_t most_bytes[2])
{
    return most_bytes[1] && find_room(branch, own, most_bytes[1]) < find_room(branch, own, most_bytes[0]);
}

const char *lay_complex_prepare(lay_branch *branch, const lay_complex_place *place)
{
    const lay_problem *problem = &branch->problem;
    lay_complex *const own = branch->job.data;
    const int side = lay_problem_expands(problem) ? LAY_RIGHT : LAY_LEFT;
    const size_t most[] = { place->most_bytes, place->near_bytes };
    const char *reason = NULL;
    lay_group lines;
    own->count = 0;
    own->side = side;
    find_lines(branch, own, &lines);
    for (int i = 0; i < 4; i++) {
        lay_complex made = { .side = side };
        const int is_along = i / 2, is_near = i % 2;
        if ((is_along && !may_lie_along(problem, place, side)) || (is_near && !differ(branch, &made, most)))
            continue;
        const char *refusal = make(branch, place, &lines, most[is_near], is_along, &made);
        if (refusal)
            reason = refusal;
        else if (own->count && seconds_of(&made) >= seconds_of(own))
            drop(&made);
        else {
            drop(own);
            *own = made;
        }
    }
    if (!own->count)
        return reason;
    const lay_job *first = &own->block[0].child->job;
    lay_job *job = &branch->job;
    branch->child = own->block[0].child;
    own->block[0].child = NULL;
    job->kernel = first->kernel;
    job->threads = first->threads;
    job->is_prompt = first->is_prompt;
    job->seconds = first->seconds;
    for (int i = 0; i < own->count; i++)
        job->seconds += own->block[i].seconds + (i ? own->block[i].child->job.seconds : 0);
    return NULL;
}

/* ---- a run ------------------------------------------------------------------------------------ */

/* With B expanded: a complex row (x, y) of A times (re z, im z) and (-im z, re z) has x z in its parts and y i z; with
 * segments along k the image is transposed. A conjugated other operand has -y for y. */
static void find_signs(const lay_branch *branch, lay_expansion *made)
{
    const lay_complex *own = branch->job.data;
    const int *is_conjugated = branch->problem.posed.is_conjugated;
    const int is_other = is_conjugated[own->side == LAY_LEFT ? LAY_RIGHT : LAY_LEFT];
    made->is_conjugated = is_conjugated[own->side];
    made->first_negated[0] = 0;
    made->first_negated[1] = own->is_along && !is_other;
    made->second_negated[0] = !own->is_along && !is_other;
    made->second_negated[1] = is_other;
}

/* A complex scalar's real part, or 1. */
static void set_real(const void *scalar, int is_one, lay_type type, lay_scalar *to)
{
    if (type == LAY_C64)
        to->f64 = is_one ? 1 : *(const double *)scalar;
    else
        to->f32 = is_one ? 1 : *(const float *)scalar;
}

/* Written where they are to be: a copy of what has just been written in pieces waits for these, which tiny products
 * would show. */
void lay_complex_part(const lay_call *call, lay_type type, lay_complex_scalars *out)
{
    const int has_factor = !(lay_scalar_imaginary(call->alpha, type) == 0);
    const int is_scaled = !(lay_scalar_imaginary(call->beta, type) == 0);
    set_real(call->alpha, has_factor, type, &out->alpha);
    set_real(call->beta, is_scaled, type, &out->beta);
    out->is_scaled_first = is_scaled;
    out->expansion.has_factor = has_factor;
    out->expansion.factor[0] = has_factor ? lay_scalar_real(call->alpha, type) : 1;
    out->expansion.factor[1] = has_factor ? lay_scalar_imaginary(call->alpha, type) : 0;
}

void lay_complex_scale_first(const lay_branch *branch, const lay_complex_scalars *scalars, const lay_call *call)
{
    if (scalars->is_scaled_first)
        lay_scale(&branch->problem, branch->setting.threads, call->beta, call->c);
}

void lay_complex_split(const lay_branch *branch, const lay_call *call, lay_complex_scalars *out)
{
    lay_complex_part(call, branch->problem.types.sum, out);
    find_signs(branch, &out->expansion);
}

lay_call lay_complex_call(const lay_branch *branch, const lay_complex_scalars *scalars, const lay_call *call,
                          const void *image)
{
    const int is_left = ((const lay_complex *)branch->job.data)->side == LAY_LEFT;
    return (lay_call){ .alpha = &scalars->alpha,
                       .left = is_left ? image : call->left,
                       .right = is_left ? call->right : image,
                       .beta = &scalars->beta,
                       .c = call->c };
}

void lay_complex_explain(const lay_branch *branch, lay_text *text)
{
    const lay_complex *own = branch->job.data;
    char layout[256];
    double seconds = 0;
    for (int i = 0; i < own->count; i++)
        seconds += own->block[i].seconds;
    lay_desc_format(own->block[0].image, layout, sizeof layout);
    lay_text_add(text, "complex   %c expanded to real numbers, twice as long and as wide, as %s%s\n",
                 own->side == LAY_LEFT ? 'A' : 'B', layout, own->count > 1 ? ", in blocks" : "");
    lay_text_add(text, "          %d image%s of up to %zu bytes, predicted %.3g us\n", own->count,
                 own->count > 1 ? "s" : "", own->bytes, seconds * 1e6);
}

void lay_complex_release(lay_branch *branch)
{
    drop(branch->job.data);
}
