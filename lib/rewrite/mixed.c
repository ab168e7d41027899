/* Which operands of a product of several types get images, in which blocks, and the products that are left. */
#include "rewrite/mixed.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "device/place.h"
#include "layout/build.h"
#include "plan/branch.h"

enum {
    ALIGNMENT = 64,
    LEAST_LINES = 64,
    LEAST_ACROSS = 512,
    MOST_BLOCKS = 64,
    NEAR_TIMES = 4,
    SMALL = 1 << 15 /* bytes */
};

/* ---- types ------------------------------------------------------------------------------------ */

/* The ways of the order read what A and B hold as it is. */
static int reads_as_they_are(const lay_branch *branch)
{
    const lay_order *order = branch->setting.order;
    return order->mixes && order->mixes(&branch->problem);
}

/* Real times complex knows no conjugation: the image has it. */
static int is_turned(const lay_branch *branch, int operand)
{
    const lay_types *types = &branch->problem.types;
    return operand != LAY_RESULT && lay_types_are_half_complex(types) && branch->problem.posed.is_conjugated[operand] &&
           lay_type_is_complex(lay_types_at(types, operand));
}

int lay_mixed_needs(const lay_branch *branch, int operand)
{
    const lay_types *types = &branch->problem.types;
    if (operand == LAY_RESULT)
        return types->result != types->sum;
    return !reads_as_they_are(branch) &&
           (lay_types_at(types, operand) != lay_types_widened(types, operand) || is_turned(branch, operand));
}

/* ---- blocks ----------------------------------------------------------------------------------- */

static const lay_desc *whole_of(const lay_branch *branch, int operand)
{
    const lay_posed *posed = &branch->problem.posed;
    return operand == LAY_LEFT ? posed->a : operand == LAY_RIGHT ? posed->b : posed->c;
}

/* The root dimension of an operand that is cut; -1: none. */
static int dimension_of(const lay_branch *branch, lay_cut cut, int operand)
{
    const int rank = lay_desc_rank(whole_of(branch, operand));
    switch (cut) {
    case LAY_CUT_BATCH:
        return rank == 3 ? 0 : -1;
    case LAY_CUT_ROWS:
        return operand == LAY_RIGHT ? -1 : rank - 2;
    case LAY_CUT_COLUMNS:
        return operand == LAY_LEFT ? -1 : rank - 1;
    default:
        return -1;
    }
}

static int64_t extent_of(const lay_branch *branch, lay_cut cut)
{
    const lay_problem *problem = &branch->problem;
    return cut == LAY_CUT_BATCH     ? problem->batch.extent
           : cut == LAY_CUT_ROWS    ? problem->m.extent
           : cut == LAY_CUT_COLUMNS ? problem->n.extent
                                    : 1;
}

/* NULL, or why there is no such part. */
static const char *take_part(const lay_desc *desc, int dimension, int64_t first, int64_t count, lay_desc **out)
{
    lay_arena arena;
    lay_dim dims[3];
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    arena.quiet = 1;
    for (int i = 0; i < lay_desc_rank(desc); i++)
        dims[i] = i == dimension ? lay_dim_slice(&arena, lay_dim_load(&arena, desc, i), first, count)
                                 : lay_dim_load(&arena, desc, i);
    const lay_status status = lay_desc_finish(&arena, lay_desc_rank(desc), dims, out);
    return status == LAY_OK           ? NULL
           : status == LAY_ERR_MEMORY ? lay_no_memory
                                      : "a layout is more intricate than views of its parts can be";
}

/* Whether columns lie next to each other in an operand rather than rows. */
static int is_by_rows(const lay_problem *problem, int operand)
{
    switch (operand) {
    case LAY_LEFT:
        return problem->left_k.run >= problem->left_m.run;
    case LAY_RIGHT:
        return problem->right_n.run >= problem->right_k.run;
    default:
        return problem->result_n.run >= problem->result_m.run;
    }
}

/* How an image lies: dense lines, a multiple of 64 bytes apart unless it is small. */
typedef struct frame {
    int rank;
    int64_t extents[3], strides[3];
    size_t bytes;
} frame;

/* Of so many indices of what is cut. 0 where it has more bytes than can be counted. */
static int lay_out(const lay_branch *branch, lay_cut cut, int64_t count, int operand, frame *out)
{
    const lay_desc *desc = whole_of(branch, operand);
    const int rank = lay_desc_rank(desc), by_rows = is_by_rows(&branch->problem, operand);
    const int near = by_rows ? rank - 1 : rank - 2, far = by_rows ? rank - 2 : rank - 1;
    const int64_t size = lay_size_of(lay_types_widened(&branch->problem.types, operand));
    const int64_t unit = max_of(ALIGNMENT / size, 1), page = 4096;
    int64_t pitch, bytes;
    out->rank = rank;
    for (int i = 0; i < rank; i++)
        out->extents[i] = i == dimension_of(branch, cut, operand) ? count : lay_desc_map(desc, i)->extent;
    if (!fits_add(out->extents[near], 2 * unit, &pitch))
        return 0;
    /* What the first cache holds lies as densely as operands often do, and is copied in one go. */
    const int is_small = out->extents[near] < SMALL && out->extents[far] < SMALL &&
                         out->extents[near] * out->extents[far] * size <= SMALL;
    pitch = is_small ? out->extents[near] : ceil_div(out->extents[near], unit) * unit;
    if (pitch * size % page == 0 && out->extents[far] > 1) /* lines a page apart meet in the same sets of a cache */
        pitch += unit;
    out->strides[near] = 1;
    out->strides[far] = pitch;
    if (!fits_mul(pitch, out->extents[far], &bytes))
        return 0;
    out->strides[0] = rank == 3 ? bytes : out->strides[0];
    if ((rank == 3 && !fits_mul(bytes, out->extents[0], &bytes)) || !fits_mul(bytes, size, &bytes) ||
        bytes > INT64_MAX / 8)
        return 0;
    out->bytes = ((size_t)bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return 1;
}

/* Bytes of the images of so many indices: of the operands that are cut, or of the others. */
static size_t count_bytes(const lay_branch *branch, lay_cut cut, int64_t count, int is_cut)
{
    size_t bytes = 0;
    frame of;
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (lay_mixed_needs(branch, i) && (dimension_of(branch, cut, i) >= 0) == is_cut)
            bytes += lay_out(branch, cut, count, i, &of) ? of.bytes : SIZE_MAX / 8;
    return bytes;
}

/* Of what is cut across its segments these are to stay long: 64 of a page-wide row cost three times the copy. */
static int64_t count_least(const lay_branch *branch, lay_cut cut)
{
    if (cut == LAY_CUT_BATCH)
        return 1;
    const int is_along =
        cut == LAY_CUT_ROWS ? is_by_rows(&branch->problem, LAY_LEFT) : !is_by_rows(&branch->problem, LAY_RIGHT);
    return is_along ? LEAST_LINES : LEAST_ACROSS;
}

/* Indices of a block whose images have at most so many bytes, but for few blocks: of rows and columns a multiple of
 * what panels have. */
static int64_t find_count(const lay_branch *branch, lay_cut cut, size_t most)
{
    const int64_t extent = extent_of(branch, cut), lines = count_least(branch, cut);
    const size_t each = max_of((int64_t)(count_bytes(branch, cut, lines, 1) / (size_t)lines), 1);
    const int64_t fitting = max_of(max_of((int64_t)(most / each), ceil_div(extent, MOST_BLOCKS)), 1);
    return max_of(min_of(ceil_div(fitting, lines) * lines, extent), 1);
}

static void drop(lay_mixed *own)
{
    for (int i = 0; i < own->count; i++) {
        lay_mixed_block *const block = &own->block[i];
        for (int j = 0; j < LAY_OPERANDS; j++) {
            lay_desc_destroy(block->part[j]);
            lay_desc_destroy(block->image[j]);
        }
        lay_desc_destroy(block->addend);
        lay_branch_destroy(block->child);
    }
    free(own->block);
    *own = (lay_mixed){ .count = 0 };
}

static lay_change change_of(const lay_branch *branch, int operand, int is_addend)
{
    const lay_types *types = &branch->problem.types;
    return (lay_change){ .from = is_addend ? types->addend : lay_types_at(types, operand),
                         .to = lay_types_widened(types, operand),
                         .is_conjugated =
                             is_addend ? branch->problem.posed.is_addend_conjugated : is_turned(branch, operand) };
}

/* Parts and images. NULL, or why there is no such block. */
static const char *lay_out_block(const lay_branch *branch, const lay_mixed_place *place, lay_cut cut, int64_t first,
                                 lay_mixed_block *block)
{
    const lay_desc *addend = branch->problem.posed.addend;
    for (int i = 0; i < LAY_OPERANDS; i++) {
        const int dimension = dimension_of(branch, cut, i), is_result = i == LAY_RESULT;
        const char *reason = NULL;
        frame of;
        if (dimension >= 0)
            reason = take_part(whole_of(branch, i), dimension, first, block->count, &block->part[i]);
        if (!reason && is_result && dimension >= 0 && addend)
            reason = take_part(addend, dimension, first, block->count, &block->addend);
        if (reason)
            return reason;
        if (!lay_mixed_needs(branch, i))
            continue;
        if (!lay_out(branch, cut, block->count, i, &of))
            return "an image would take more than there is";
        if (lay_desc_strided(of.rank, of.extents, of.strides, &block->image[i]) != LAY_OK)
            return lay_no_memory;
        if (dimension < 0 && first > 0)
            continue;
        lay_change change = change_of(branch, i, 0);
        const lay_desc *from = block->part[i] ? block->part[i] : whole_of(branch, i), *to = block->image[i];
        if (is_result) { /* C's one way */
            change = (lay_change){ .from = change.to, .to = change.from };
            to = from;
            from = block->image[i];
        }
        const double seconds = place->predict(branch, &change, from, to);
        if (seconds < 0)
            return "radices do not divide: a copy would go by tables";
        block->seconds += seconds;
    }
    return NULL;
}

/* The product of a block's images by whoever does it soonest. */
static const char *find_child(const lay_branch *branch, lay_place where, lay_mixed_block *block)
{
    const lay_desc *stands[LAY_OPERANDS];
    const char *refusal;
    lay_setting setting = branch->setting;
    lay_posed posed = branch->problem.posed;
    lay_problem *problem = malloc(sizeof *problem); /* large: callers' stacks may be small */
    if (!problem)
        return lay_no_memory;
    lay_type *const type[LAY_OPERANDS] = { &posed.types.left, &posed.types.right, &posed.types.result };
    for (int i = 0; i < LAY_OPERANDS; i++) {
        stands[i] = block->image[i] ? block->image[i] : block->part[i] ? block->part[i] : whole_of(branch, i);
        if (!block->image[i])
            continue;
        *type[i] = lay_types_widened(&branch->problem.types, i);
        setting.place[i] = where;
        if (i != LAY_RESULT && is_turned(branch, i))
            posed.is_conjugated[i] = 0;
    }
    posed.a = stands[LAY_LEFT];
    posed.b = stands[LAY_RIGHT];
    posed.c = stands[LAY_RESULT];
    posed.addend = NULL;
    posed.types.addend = posed.types.result;
    posed.is_m_in_order = posed.is_n_in_order = 0;
    setting.inside = 0;
    setting.panels[LAY_LEFT] = setting.panels[LAY_RIGHT] = (lay_panels){ .kernel = NULL };
    lay_problem_pose(&posed, problem);
    block->child = lay_branch_find(problem, &setting, &refusal, NULL);
    free(problem);
    return block->child ? NULL : refusal;
}

static const char *fill_block(const lay_branch *branch, const lay_mixed_place *place, lay_mixed *own, int64_t each)
{
    const int64_t first = own->count * each;
    lay_mixed_block *const block = &own->block[own->count++];
    block->count = min_of(each, extent_of(branch, own->cut) - first);
    const char *reason = lay_out_block(branch, place, own->cut, first, block);
    return reason ? reason : find_child(branch, place->where, block);
}

/* What all blocks take, as the first one does. */
static double predict(const lay_mixed *own, int64_t blocks)
{
    return (double)blocks * (own->block[0].seconds + own->block[0].child->job.seconds);
}

/* The first block. NULL, or why not; then own is empty. */
static const char *begin(const lay_branch *branch, const lay_mixed_place *place, lay_cut cut, int64_t each,
                         lay_mixed *own)
{
    const int64_t blocks = ceil_div(extent_of(branch, cut), each);
    frame of;
    *own = (lay_mixed){ .cut = cut };
    for (int i = 0; i < LAY_OPERANDS; i++) {
        if (!lay_mixed_needs(branch, i))
            continue;
        if (!lay_out(branch, cut, each, i, &of))
            return "an image would take more than there is";
        own->at[i] = own->bytes;
        own->bytes += of.bytes;
    }
    if (own->bytes > place->most_bytes)
        return "images would take too large a share of the memory";
    own->block = calloc((size_t)blocks, sizeof *own->block);
    const char *reason = own->block ? fill_block(branch, place, own, each) : lay_no_memory;
    if (reason)
        drop(own);
    return reason;
}

static const char *refuse(const lay_branch *branch)
{
    const lay_problem *problem = &branch->problem;
    int needs = 0;
    for (int i = 0; i < LAY_OPERANDS; i++)
        needs |= lay_mixed_needs(branch, i);
    if (problem->is_transposed)
        return "either way round is the same work";
    if (!needs)
        return "operands have the sum's type as they are";
    return problem->posed.addend && !lay_mixed_needs(branch, LAY_RESULT) ? "C is copied to D before" : NULL;
}

/* The cheapest cut's first block. */
static const char *choose(const lay_branch *branch, const lay_mixed_place *place, lay_mixed *best, int64_t *each)
{
    const size_t sizes[] = { place->most_bytes, place->near_bytes };
    const char *reason = NULL;
    double least = 0;
    for (lay_cut cut = LAY_CUT_NOTHING; cut <= LAY_CUT_COLUMNS; cut++)
        for (int i = 0; i < 2; i++) {
            const int is_batch = cut == LAY_CUT_BATCH, is_line = cut == LAY_CUT_ROWS || cut == LAY_CUT_COLUMNS;
            lay_mixed made;
            if ((i == 1 && sizes[i] == 0) || (is_line && (i == 0 || branch->problem.is_batch)) ||
                (is_batch && !branch->problem.is_batch) || (cut == LAY_CUT_NOTHING && i > 0) ||
                (cut != LAY_CUT_NOTHING && count_bytes(branch, cut, 1, 1) == 0))
                continue;
            const int64_t extent = extent_of(branch, cut), count = find_count(branch, cut, sizes[i]);
            if (cut != LAY_CUT_NOTHING && count >= extent)
                continue;
            /* Blocks of long segments that no near cache holds gain nothing for what cutting them costs. */
            if (is_line && count_least(branch, cut) == LEAST_ACROSS &&
                count_bytes(branch, cut, count, 1) > NEAR_TIMES * place->near_bytes)
                continue;
            const char *refusal = begin(branch, place, cut, count, &made);
            const double seconds = refusal ? 0 : predict(&made, ceil_div(extent, count));
            if (refusal)
                reason = refusal;
            else if (best->count && seconds >= least)
                drop(&made);
            else {
                drop(best);
                *best = made;
                *each = count;
                least = seconds;
            }
        }
    return best->count ? NULL : reason;
}

const char *lay_mixed_prepare(lay_branch *branch, const lay_mixed_place *place)
{
    lay_mixed *const own = branch->job.data;
    int64_t each = 1;
    const char *reason = refuse(branch);
    if (reason || (reason = choose(branch, place, own, &each)))
        return reason;
    const int64_t blocks = ceil_div(extent_of(branch, own->cut), each);
    while (own->count < blocks && !reason)
        reason = fill_block(branch, place, own, each);
    if (reason) {
        drop(own);
        return reason;
    }
    lay_job *const job = &branch->job;
    branch->child = own->block[0].child;
    own->block[0].child = NULL;
    job->kernel = branch->child->job.kernel;
    job->threads = branch->child->job.threads;
    job->is_prompt = branch->child->job.is_prompt;
    for (int i = 0; i < own->count; i++)
        job->seconds += own->block[i].seconds + lay_mixed_child(branch, i)->job.seconds;
    return NULL;
}

/* ---- a run ------------------------------------------------------------------------------------ */

lay_branch *lay_mixed_child(const lay_branch *branch, int block)
{
    return block ? ((const lay_mixed *)branch->job.data)->block[block].child : branch->child;
}

lay_status lay_mixed_check_addend(const lay_branch *branch, const lay_call *call)
{
    const lay_setting *setting = &branch->setting;
    int device = setting->device;
    if (!call->addend || !lay_place_may_differ())
        return LAY_OK;
    const lay_posed *posed = &branch->problem.posed;
    const int64_t first = lay_desc_offset(posed->addend, 1, &(int64_t){ 0 }) * lay_size_of(posed->types.addend);
    const int is_there = lay_place_find((const char *)call->addend + first, &device) == LAY_PLACE_DEVICE;
    const int is_device = setting->place[LAY_RESULT] == LAY_PLACE_DEVICE;
    if (is_there != is_device)
        return lay_fail(LAY_ERR_UNSUPPORTED, "C lies in %s memory, D in %s memory, and elements are converted in one",
                        is_there ? "device" : "host", is_device ? "device" : "host");
    return is_device && device != setting->device
               ? lay_fail(LAY_ERR_UNSUPPORTED, "C lies on device %d, but D on device %d", device, setting->device)
               : LAY_OK;
}

/* What lies at an operand's part of a block. */
static const lay_desc *part_of(const lay_branch *branch, const lay_mixed_block *block, int operand)
{
    return block->part[operand] ? block->part[operand] : whole_of(branch, operand);
}

int lay_mixed_copy_in(const lay_branch *branch, int number, int operand, const lay_call *call, char *images,
                      lay_mixed_copy *out)
{
    const lay_mixed *own = branch->job.data;
    const lay_mixed_block *block = &own->block[number];
    const lay_posed *posed = &branch->problem.posed;
    const int is_addend = operand == LAY_RESULT && call->addend;
    if (!block->image[operand])
        return 0;
    if (operand == LAY_RESULT ? lay_scalar_is(call->beta, posed->types.sum, 0) : number > 0 && !block->part[operand])
        return 0;
    *out = (lay_mixed_copy){ .change = change_of(branch, operand, is_addend),
                             .from = is_addend ? (block->addend ? block->addend : posed->addend)
                                               : part_of(branch, block, operand),
                             .to = block->image[operand],
                             .src = is_addend               ? call->addend
                                    : operand == LAY_RESULT ? call->c
                                    : operand == LAY_LEFT   ? call->left
                                                            : call->right,
                             .dst = images + own->at[operand] };
    return 1;
}

int lay_mixed_copy_out(const lay_branch *branch, int number, const lay_call *call, char *images, lay_mixed_copy *out)
{
    const lay_mixed *own = branch->job.data;
    const lay_mixed_block *block = &own->block[number];
    if (!block->image[LAY_RESULT])
        return 0;
    *out = (lay_mixed_copy){ .change = { .from = branch->problem.types.sum, .to = branch->problem.types.result },
                             .from = block->image[LAY_RESULT],
                             .to = part_of(branch, block, LAY_RESULT),
                             .src = images + own->at[LAY_RESULT],
                             .dst = call->c };
    return 1;
}

lay_call lay_mixed_call(const lay_branch *branch, int number, const lay_call *call, char *images)
{
    const lay_mixed *own = branch->job.data;
    const lay_mixed_block *block = &own->block[number];
    return (lay_call){ .alpha = call->alpha,
                       .left = block->image[LAY_LEFT] ? images + own->at[LAY_LEFT] : call->left,
                       .right = block->image[LAY_RIGHT] ? images + own->at[LAY_RIGHT] : call->right,
                       .beta = call->beta,
                       .c = block->image[LAY_RESULT] ? images + own->at[LAY_RESULT] : call->c };
}

/* In the sum's type, which may be wider than either. */
lay_mixed_copy lay_mixed_scale(const lay_branch *branch, const lay_call *call)
{
    static const double zero[2] = { 0, 0 }; /* of any type */
    const lay_posed *posed = &branch->problem.posed;
    const lay_types *types = &posed->types;
    const int is_added = call->addend != NULL;
    return (lay_mixed_copy){ .change = { .from = is_added ? types->addend : types->result,
                                         .to = types->result,
                                         .is_conjugated = is_added && posed->is_addend_conjugated,
                                         .alpha = is_added ? call->beta : zero,
                                         .beta = is_added ? zero : call->beta,
                                         .is_in_double = lay_type_is_double(types->sum) },
                             .from = is_added ? posed->addend : posed->c,
                             .to = posed->c,
                             .src = is_added ? call->addend : call->c,
                             .dst = call->c };
}

void lay_mixed_explain(const lay_branch *branch, lay_text *text)
{
    static const char *const names[] = { "", "indices of the batch", "rows", "columns" };
    const lay_mixed *own = branch->job.data;
    const lay_types *types = &branch->problem.types;
    double seconds = 0;
    for (int i = 0; i < own->count; i++)
        seconds += own->block[i].seconds;
    lay_text_add(text, "mixed     A %s, B %s, C %s, D %s, summed in %s\n", lay_type_name(types->left),
                 lay_type_name(types->right), lay_type_name(types->addend), lay_type_name(types->result),
                 lay_type_name(types->sum));
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (own->block[0].image[i]) {
            char layout[256];
            lay_desc_format(own->block[0].image[i], layout, sizeof layout);
            lay_text_add(text, "          %c %s %s\n", "ABD"[i], i == LAY_RESULT ? "rounded from" : "widened as",
                         layout);
        }
    if (own->count > 1)
        lay_text_add(text, "          in %d blocks of %lld %s\n", own->count, (long long)own->block[0].count,
                     names[own->cut]);
    lay_text_add(text, "          %zu bytes of images, predicted %.3g us\n", own->bytes, seconds * 1e6);
}

void lay_mixed_release(lay_branch *branch)
{
    drop(branch->job.data);
}
