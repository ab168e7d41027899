/* Which operands get an image, and how their images are laid out. */
#include "rewrite/image.h"

#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "layout/build.h"
#include "plan/branch.h"

enum { CANDIDATES = 7, ALIGNMENT = 64, AS_THEY_LIE = LAY_IMAGE_AS_IT_LIES };

static const char *const well = "operands are read and written well as they lie";

const lay_desc *lay_image_of(const lay_branch *branch, int operand)
{
    return lay_posed_operand(&branch->problem.posed, operand);
}

/* The longest segment of unit stride that a walk of the group's modes in the order of operand's strides has: 1 where
 * none of them is a unit. */
static int64_t find_segment(const lay_group *group, int operand)
{
    int64_t run = 1;
    for (int grown = 1; grown;) {
        grown = 0;
        for (int i = 0; i < group->count; i++)
            if (llabs(group->mode[i].stride[operand]) == run && group->mode[i].extent > 1) {
                run *= group->mode[i].extent;
                grown = 1;
            }
    }
    return run;
}

/* Whether C is written in segments shorter than the place's lines, whichever way round. */
static int is_scattered(const lay_problem *problem, const lay_image_place *place)
{
    const int64_t rows = max_of(problem->result_m.run, find_segment(&problem->m, LAY_RESULT));
    const int64_t columns = max_of(problem->result_n.run, find_segment(&problem->n, LAY_RESULT));
    return rows < min_of(problem->m.extent, place->line) && columns < min_of(problem->n.extent, place->line);
}

/* Whether an operand is read in short segments, its lines in their given order. */
static int is_gathered(const lay_axis *across, const lay_axis *along, const lay_image_place *place)
{
    return across->run < min_of(across->extent, place->across) && along->run < min_of(along->extent, place->along);
}

/* The same where its lines may come in the order in which it stores them. */
static int is_gathered_at_best(const lay_group *across, int operand, const lay_axis *axis, const lay_axis *along,
                               const lay_image_place *place)
{
    return is_gathered(axis, along, place) && find_segment(across, operand) < min_of(across->extent, place->across);
}

/* Every set. */
static int list_all(unsigned out[CANDIDATES])
{
    static const unsigned all[CANDIDATES] = { LAY_IMAGE_OF_C,
                                              LAY_IMAGE_OF_A,
                                              LAY_IMAGE_OF_B,
                                              LAY_IMAGE_OF_A | LAY_IMAGE_OF_B,
                                              LAY_IMAGE_OF_A | LAY_IMAGE_OF_C,
                                              LAY_IMAGE_OF_B | LAY_IMAGE_OF_C,
                                              LAY_IMAGE_OF_A | LAY_IMAGE_OF_B | LAY_IMAGE_OF_C };
    for (int i = 0; i < CANDIDATES; i++)
        out[i] = all[i];
    return CANDIDATES;
}

/* Sets of images that may be worth it: those of what is read badly; C's, whose lines are then in the operands' order,
 * not they in C's, alone and with those of what is read badly even so; and all three, which makes a plain product. How
 * many. */
static int list_candidates(const lay_problem *problem, const lay_image_place *place, unsigned out[CANDIDATES])
{
    const unsigned read = (is_gathered(&problem->left_m, &problem->left_k, place) ? LAY_IMAGE_OF_A : 0) |
                          (is_gathered(&problem->right_n, &problem->right_k, place) ? LAY_IMAGE_OF_B : 0);
    const unsigned at_best =
        (is_gathered_at_best(&problem->m, LAY_LEFT, &problem->left_m, &problem->left_k, place) ? LAY_IMAGE_OF_A : 0) |
        (is_gathered_at_best(&problem->n, LAY_RIGHT, &problem->right_n, &problem->right_k, place) ? LAY_IMAGE_OF_B : 0);
    const int scattered = is_scattered(problem, place);
    int count = 0;
    if (read)
        out[count++] = read;
    if (read || scattered)
        out[count++] = LAY_IMAGE_OF_C;
    if (at_best && at_best != (LAY_IMAGE_OF_A | LAY_IMAGE_OF_B))
        out[count++] = LAY_IMAGE_OF_C | at_best;
    if (read || scattered)
        out[count++] = LAY_IMAGE_OF_A | LAY_IMAGE_OF_B | LAY_IMAGE_OF_C;
    if (read && read != (LAY_IMAGE_OF_A | LAY_IMAGE_OF_B))
        out[count++] = LAY_IMAGE_OF_A | LAY_IMAGE_OF_B;
    return count;
}

/* Behind so many sets those that are not among them. How many there are then. */
static int add_others(unsigned sets[CANDIDATES], int count)
{
    const int listed = count;
    unsigned all[CANDIDATES];
    list_all(all);
    for (int i = 0; i < CANDIDATES; i++) {
        int is_new = 1;
        for (int j = 0; j < listed; j++)
            is_new = is_new && sets[j] != all[i];
        if (is_new)
            sets[count++] = all[i];
    }
    return count;
}

/* Those sets that have an image of A or B, without C's: of complex numbers whose parts are steps, C has other elements
 * than what is copied. How many. */
static int leave_result(unsigned sets[CANDIDATES], int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const unsigned set = sets[i] & ~(unsigned)LAY_IMAGE_OF_C;
        int is_new = (set & (LAY_IMAGE_OF_A | LAY_IMAGE_OF_B)) != 0;
        for (int j = 0; j < kept; j++)
            is_new = is_new && sets[j] != set;
        if (is_new)
            sets[kept++] = set;
    }
    return kept;
}

/* Where each mode of a group goes in an image that has them in the order of operand's strides: its place counted in
 * lines. */
static void order_lines(const lay_group *group, int operand, int64_t lines[LAY_MAX_MODES])
{
    for (int i = 0; i < group->count; i++) {
        const int64_t own = llabs(group->mode[i].stride[operand]);
        lines[i] = 1;
        for (int j = 0; j < group->count; j++) {
            const int64_t other = llabs(group->mode[j].stride[operand]);
            if (other < own || (other == own && j > i))
                lines[i] *= group->mode[j].extent;
        }
    }
}

/* One dimension of an image, its lines step apart: in the order in which operand stores them, if they come in modes, or
 * else (operand < 0) in that of their indices. */
static lay_dim lay_out(lay_arena *arena, const lay_group *group, int operand, int64_t step)
{
    int64_t lines[LAY_MAX_MODES];
    lay_dim parts[LAY_MAX_MODES];
    const int is_plain = operand >= 0 && group->is_plain && group->count > 0;
    if (!is_plain)
        return (lay_dim){ lay_shape_leaf(arena, group->extent), lay_func_leaf(arena, group->extent, 0, step) };
    order_lines(group, operand, lines);
    for (int i = 0; i < group->count; i++) {
        parts[i].shape = lay_shape_leaf(arena, group->mode[i].extent);
        parts[i].func = lay_func_leaf(arena, group->mode[i].extent, 0, lines[i] * step);
    }
    return lay_dim_whole(arena, group->count, parts);
}

/* The dimensions of a product in the order of their indices. */
typedef struct dimensions {
    lay_group m, n, k;
} dimensions;

static void refine(const lay_posed *posed, dimensions *out)
{
    const lay_node *const m[] = { lay_operand_map(posed->a, 0), NULL, lay_operand_map(posed->c, 0) };
    const lay_node *const n[] = { NULL, lay_operand_map(posed->b, 1), lay_operand_map(posed->c, 1) };
    const lay_node *const k[] = { lay_operand_map(posed->a, 1), lay_operand_map(posed->b, 0), NULL };
    lay_group_refine(m, &out->m);
    lay_group_refine(n, &out->n);
    lay_group_refine(k, &out->k);
}

/* Elements from line to line, of so many each: whole lines of a cache, but for a batch's short ones, which are many. */
static int64_t find_pitch(int64_t near, int64_t unit, int64_t size, int is_batch)
{
    const int64_t page = 4096, pitch = round_up(near, unit);
    if (is_batch && near < 2 * unit)
        return near;
    return pitch * size % page == 0 ? pitch + unit : pitch; /* lines a page apart meet in the same sets of a cache */
}

/* The least stride of an operand along a dimension. */
static int64_t least_stride(const lay_group *group, int operand)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < group->count; i++)
        if (group->mode[i].extent > 1)
            least = min_of(least, llabs(group->mode[i].stride[operand]));
    return least;
}

/* Whether an image has its rows side by side: as the place likes it, or as the operand itself has them. */
static int is_laid_by_columns(const lay_image_place *place, const dimensions *of, unsigned which, int operand)
{
    const lay_group *const groups[LAY_OPERANDS][2] = { { &of->m, &of->k }, { &of->k, &of->n }, { &of->m, &of->n } };
    if (!(which & AS_THEY_LIE))
        return operand == LAY_LEFT && place->lines_first;
    return least_stride(groups[operand][0], operand) < least_stride(groups[operand][1], operand);
}

/* Whether any image of a set lies otherwise than the place likes it. */
static int lies_otherwise(const lay_image_place *place, const dimensions *of, unsigned which)
{
    for (int i = 0; i < LAY_OPERANDS; i++)
        if ((which >> i & 1) &&
            is_laid_by_columns(place, of, which | AS_THEY_LIE, i) != is_laid_by_columns(place, of, which, i))
            return 1;
    return 0;
}

/* Two dimensions, one of them with its lines side by side, and before them that of a batch. Rows and columns of C come
 * in the order of what has no image, and in C's own where all have one; k's steps in that of the sum. 0 where there is
 * no such layout, or no memory for it.
 */
static int describe(const lay_branch *branch, const lay_image_place *place, const dimensions *of, unsigned which,
                    int operand, lay_images *images)
{
    const lay_posed *posed = &branch->problem.posed;
    const lay_node *const batch = lay_operand_batch(lay_image_of(branch, operand));
    const lay_group *const groups[LAY_OPERANDS][2] = { { &of->m, &of->k }, { &of->k, &of->n }, { &of->m, &of->n } };
    const lay_group *rows = groups[operand][0], *columns = groups[operand][1];
    const int order[2] = { operand == LAY_RIGHT                                    ? -1
                           : (which & LAY_IMAGE_OF_C) && !(which & LAY_IMAGE_OF_A) ? LAY_LEFT
                                                                                   : LAY_RESULT,
                           operand == LAY_LEFT                                     ? -1
                           : (which & LAY_IMAGE_OF_C) && !(which & LAY_IMAGE_OF_B) ? LAY_RIGHT
                                                                                   : LAY_RESULT };
    const int is_by_columns = is_laid_by_columns(place, of, which, operand);
    const lay_group *near = is_by_columns ? rows : columns, *far = is_by_columns ? columns : rows;
    const int64_t size = lay_size_of(lay_types_at(&posed->types, operand)), unit = ALIGNMENT / size;
    int64_t pitch, matrix, bytes;
    if (!fits_add(near->extent, 2 * unit, &pitch) || !fits_mul(pitch, size, &bytes)) /* of a line */
        return 0;
    pitch = find_pitch(near->extent, unit, size, batch != NULL);
    if (!fits_mul(pitch, far->extent, &matrix) || !fits_mul(matrix, batch ? batch->extent : 1, &bytes) ||
        !fits_mul(bytes, size, &bytes) || !fits_add(bytes, ALIGNMENT - 1, &bytes))
        return 0;
    lay_arena arena;
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    const int64_t extent = batch ? batch->extent : 1;
    const lay_dim dims[] = { { lay_shape_leaf(&arena, extent), lay_func_leaf(&arena, extent, 0, matrix) },
                             lay_out(&arena, rows, order[0], is_by_columns ? 1 : pitch),
                             lay_out(&arena, columns, order[1], is_by_columns ? pitch : 1) };
    if (lay_desc_finish(&arena, batch ? 3 : 2, dims + !batch, &images->desc[operand]) != LAY_OK)
        return 0;
    images->at[operand] = images->bytes;
    images->bytes += (size_t)bytes / ALIGNMENT * ALIGNMENT;
    return 1;
}

static void drop(lay_images *images)
{
    for (int i = 0; i < LAY_OPERANDS; i++)
        lay_desc_destroy(images->desc[i]);
    *images = (lay_images){ .bytes = 0 };
}

/* The images of a set, and what copying takes. NULL, or why there are none. */
static const char *make(const lay_branch *branch, const lay_image_place *place, const dimensions *of, unsigned which,
                        lay_images *out)
{
    const lay_posed *posed = &branch->problem.posed;
    for (int i = 0; i < LAY_OPERANDS; i++) {
        if (!(which >> i & 1))
            continue;
        if (!describe(branch, place, of, which, i, out))
            return "an image would take more than there is";
        const lay_desc *own = lay_image_of(branch, i);
        const lay_type type = lay_types_at(&posed->types, i);
        const double seconds = i == LAY_RESULT ? place->predict_copy(branch, type, out->desc[i], own)
                                               : place->predict_copy(branch, type, own, out->desc[i]);
        if (seconds < 0)
            return "radices do not divide: a copy would go by tables";
        out->seconds += seconds;
    }
    if (out->bytes > place->kept_bytes)
        out->seconds += (double)out->bytes * place->fresh_byte;
    return out->bytes > place->most_bytes ? lay_too_large : NULL;
}

/* The product of the images by whoever does it soonest. limit: seconds that all may take. */
static lay_branch *find_child(const lay_branch *branch, const lay_images *images, double limit, lay_problem *problem)
{
    const char *refusal;
    lay_setting setting = branch->setting;
    lay_posed posed = branch->problem.posed;
    posed.a = images->desc[LAY_LEFT] ? images->desc[LAY_LEFT] : posed.a;
    posed.b = images->desc[LAY_RIGHT] ? images->desc[LAY_RIGHT] : posed.b;
    posed.c = images->desc[LAY_RESULT] ? images->desc[LAY_RESULT] : posed.c;
    setting.inside |= LAY_INSIDE_IMAGE;
    setting.bench %= LAY_BENCH_IMAGES;
    setting.limit = limit - images->seconds;
    lay_problem_pose(&posed, problem);
    return lay_branch_find(problem, &setting, &refusal, NULL);
}

/* What choosing needs: large, and callers' stacks may be small. */
typedef struct scratch {
    dimensions of;
    lay_problem problem;
} scratch;

/* Keeps this set's images and their child where they are done in this share of the time of those that are kept. NULL,
 * or why it has no images. */
static const char *try_set(lay_branch *branch, const lay_image_place *place, scratch *with, unsigned which,
                           double share)
{
    lay_images *const best = branch->job.data;
    lay_images images = { .bytes = 0 };
    const char *reason = make(branch, place, &with->of, which, &images);
    const double known = branch->setting.limit > 0 ? branch->setting.limit : INFINITY;
    const double most = share * (branch->child ? fmin(known, best->seconds + branch->child->job.seconds) : known);
    const int is_asked = !reason && images.seconds + place->least < most;
    lay_branch *child = is_asked ? find_child(branch, &images, most, &with->problem) : NULL;
    if (!child || images.seconds + child->job.seconds >= most) {
        lay_branch_destroy(child);
        drop(&images);
        return reason;
    }
    lay_branch_destroy(branch->child);
    drop(best);
    branch->child = child;
    images.which = which;
    *best = images;
    return NULL;
}

/* Of the candidates, that which is done soonest; those behind so many listed ones have to be worth more. */
static const char *choose(lay_branch *branch, const lay_image_place *place, const unsigned candidates[], int count,
                          int listed)
{
    const char *refusal = "no way multiplies the images sooner than another one does without";
    scratch *const with = malloc(sizeof *with);
    if (!with)
        return lay_no_memory;
    refine(&branch->problem.posed, &with->of);
    for (int i = 0; i < count; i++) {
        const double share = i < listed ? 1 : place->others;
        const char *reason = try_set(branch, place, with, candidates[i], share);
        if (lay_tuned(&branch->setting, LAY_TUNE_IMAGES) < 0 && place->may_lie_otherwise &&
            lies_otherwise(place, &with->of, candidates[i]))
            try_set(branch, place, with, candidates[i] | AS_THEY_LIE, share);
        refusal = reason ? reason : refusal;
    }
    free(with);
    return branch->child ? NULL : refusal;
}

static const char *refuse(const lay_branch *branch)
{
    enum { LEAST_FLOPS = 1 << 14 };
    const lay_posed *posed = &branch->problem.posed;
    if (branch->setting.inside & ~(unsigned)LAY_INSIDE_PIECES)
        return "is part of another way's work";
    if (branch->setting.inside && branch->problem.is_batch)
        return "pieces have images of their own";
    if (posed->is_m_in_order || posed->is_n_in_order)
        return "an operand is packed";
    if (branch->problem.is_transposed || branch->problem.sum.has_partial_sums)
        return "a product with a vector reads its matrix once";
    if (lay_problem_flops(&branch->problem) < LEAST_FLOPS)
        return "copies take longer than so small a product";
    return NULL;
}

const char *lay_image_prepare(lay_branch *branch, const lay_image_place *place)
{
    unsigned candidates[CANDIDATES];
    const char *reason = refuse(branch);
    if (reason)
        return reason;
    if (!branch->problem.m.is_plain || !branch->problem.n.is_plain || !branch->problem.k.is_plain ||
        !branch->problem.batch.is_plain)
        return "radices do not divide: a copy would go by tables";
    const int64_t tuned = lay_tuned(&branch->setting, LAY_TUNE_IMAGES);
    const unsigned asked = tuned >= 0 ? (unsigned)tuned : branch->setting.bench / LAY_BENCH_IMAGES;
    if (tuned >= 0 && !(asked & ~(unsigned)AS_THEY_LIE))
        return "tuning has no images for it";
    int count = asked                   ? 1
                : place->tries_all_sets ? list_all(candidates)
                                        : list_candidates(&branch->problem, place, candidates);
    if (asked)
        candidates[0] = asked;
    if (branch->problem.posed.is_of_numbers)
        count = leave_result(candidates, count);
    const int listed = count;
    if (place->others > 0 && !asked)
        count = add_others(candidates, listed);
    if (branch->problem.posed.is_of_numbers)
        count = leave_result(candidates, count);
    if (!count)
        return well;
    if ((reason = choose(branch, place, candidates, count, listed)))
        return reason;
    const lay_images *images = branch->job.data;
    const lay_job *child = &branch->child->job;
    branch->job.kernel = child->kernel;
    branch->job.threads = child->threads;
    branch->job.seconds = child->seconds + images->seconds;
    return NULL;
}

int lay_image_is_of(const lay_branch *branch)
{
    return branch && branch->way->explain == lay_image_explain;
}

lay_call lay_image_call(const lay_images *images, const lay_call *call, char *block)
{
    lay_call inner = *call;
    inner.workspace = NULL;
    if (images->desc[LAY_LEFT])
        inner.left = block + images->at[LAY_LEFT];
    if (images->desc[LAY_RIGHT])
        inner.right = block + images->at[LAY_RIGHT];
    if (images->desc[LAY_RESULT])
        inner.c = block + images->at[LAY_RESULT];
    return inner;
}

void lay_image_explain(const lay_branch *branch, lay_text *text)
{
    static const char *const why[LAY_OPERANDS] = { "it is contiguous in too short segments for what reads it",
                                                   "it is contiguous in too short segments for what reads it",
                                                   "tiles would scatter; copied back behind the product" };
    const lay_images *images = branch->job.data;
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (images->desc[i]) {
            char layout[256];
            lay_desc_format(images->desc[i], layout, sizeof layout);
            lay_text_add(text, "image     %c as %s: %s\n", "ABC"[i], layout, why[i]);
        }
    lay_text_add(text, "          %zu bytes, copies predicted %.3g us\n", images->bytes, images->seconds * 1e6);
}

void lay_image_tell(const lay_branch *branch, lay_step *step)
{
    step->value[LAY_TUNE_IMAGES] = ((const lay_images *)branch->job.data)->which;
}

void lay_image_release(lay_branch *branch)
{
    drop(branch->job.data);
}
