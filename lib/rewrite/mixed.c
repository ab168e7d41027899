/* Which blocks a product of several types is cut in, and the products that are left. */
#include "rewrite/mixed.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "plan/branch.h"
#include "rewrite/mixed_images.h"

enum { NEAR_TIMES = 4 };

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

/* Parts and images. NULL, or why there is no such block. */
static const char *lay_out_block(const lay_branch *branch, const lay_mixed_place *place, lay_cut cut, int64_t first,
                                 lay_mixed_block *block)
{
    const lay_desc *addend = branch->problem.posed.addend;
    for (int i = 0; i < LAY_OPERANDS; i++) {
        const int dimension = lay_mixed_dimension(branch, cut, i), is_result = i == LAY_RESULT;
        const char *reason = NULL;
        lay_mixed_frame of;
        if (dimension >= 0)
            reason = lay_mixed_part(lay_mixed_whole(branch, i), dimension, first, block->count, &block->part[i]);
        if (!reason && is_result && dimension >= 0 && addend)
            reason = lay_mixed_part(addend, dimension, first, block->count, &block->addend);
        if (reason)
            return reason;
        if (!lay_mixed_needs(branch, i))
            continue;
        if (!lay_mixed_lay_out(branch, cut, block->count, i, &of))
            return "an image would take more than there is";
        if (lay_desc_strided(of.rank, of.extents, of.strides, &block->image[i]) != LAY_OK)
            return lay_no_memory;
        if (dimension < 0 && first > 0)
            continue;
        lay_change change = lay_mixed_change(branch, i, 0);
        const lay_desc *from = block->part[i] ? block->part[i] : lay_mixed_whole(branch, i), *to = block->image[i];
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
        stands[i] = block->image[i] ? block->image[i] : block->part[i] ? block->part[i] : lay_mixed_whole(branch, i);
        if (!block->image[i])
            continue;
        *type[i] = lay_types_widened(&branch->problem.types, i);
        setting.place[i] = where;
        if (i != LAY_RESULT && lay_mixed_is_turned(branch, i))
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
    block->count = min_of(each, lay_mixed_extent(branch, own->cut) - first);
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
    const int64_t blocks = ceil_div(lay_mixed_extent(branch, cut), each);
    lay_mixed_frame of;
    *own = (lay_mixed){ .cut = cut };
    for (int i = 0; i < LAY_OPERANDS; i++) {
        if (!lay_mixed_needs(branch, i))
            continue;
        if (!lay_mixed_lay_out(branch, cut, each, i, &of))
            return "an image would take more than there is";
        own->at[i] = own->bytes;
        own->bytes += of.bytes;
    }
    if (own->bytes > place->most_bytes)
        return lay_too_large;
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
                (cut != LAY_CUT_NOTHING && lay_mixed_bytes(branch, cut, 1, 1) == 0))
                continue;
            const int64_t extent = lay_mixed_extent(branch, cut), count = lay_mixed_count(branch, cut, sizes[i]);
            if (cut != LAY_CUT_NOTHING && count >= extent)
                continue;
            /* Blocks of long segments that no near cache holds gain nothing for what cutting them costs. */
            if (is_line && lay_mixed_least(branch, cut) == LAY_MIXED_ACROSS &&
                lay_mixed_bytes(branch, cut, count, 1) > NEAR_TIMES * place->near_bytes)
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
    const int64_t blocks = ceil_div(lay_mixed_extent(branch, own->cut), each);
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
