/* A large product in pieces: some digits of rows and columns become the index of a batch, so that each piece has images
 * of its own, in a workspace that is kept from run to run. k is never cut: the sum keeps its order. */
#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/ways.h"
#include "layout/build.h"
#include "machine/rates.h"
#include "plan/branch.h"
#include "rewrite/image.h"
#include "rewrite/ways.h"

enum { SIDES = 2, ROWS = 1, COLUMNS = 2, BOTH = ROWS | COLUMNS };

/* What the way prepared. */
typedef struct pieces {
    lay_desc *desc[LAY_OPERANDS]; /* batches of pieces of the caller's A, B and C; NULL: every piece has all of it */
    int64_t count;
    int sides; /* ROWS, COLUMNS: that are cut */
} pieces;

/* ---- cuts --------------------------------------------------------------------------------------- */

/* A digit of rows or columns that is cut: so many parts of so many of its values. */
typedef struct digit {
    int side, mode;
    int64_t parts, values;
} digit;

/* Rows and columns in the order of their indices, and how they are cut: the first digit is the outermost. */
typedef struct cutting {
    lay_group side[SIDES];
    int count;
    digit digit[SIDES * LAY_MAX_MODES];
} cutting;

static int operand_of(int side)
{
    return side == 0 ? LAY_LEFT : LAY_RIGHT;
}

static void refine(const lay_posed *posed, cutting *out)
{
    const lay_node *const m[] = { lay_operand_map(posed->a, 0), NULL, lay_operand_map(posed->c, 0) };
    const lay_node *const n[] = { NULL, lay_operand_map(posed->b, 1), lay_operand_map(posed->c, 1) };
    lay_group_refine(m, &out->side[0]);
    lay_group_refine(n, &out->side[1]);
    out->count = 0;
}

static const digit *find_digit(const cutting *cut, int side, int mode)
{
    for (int i = 0; i < cut->count; i++)
        if (cut->digit[i].side == side && cut->digit[i].mode == mode)
            return &cut->digit[i];
    return NULL;
}

/* The digit that is not cut yet whose values lie farthest apart in both operands, at least some lines of a cache: else
 * each piece would read and write parts of lines. 0: there is none. */
static int find_farthest(const cutting *cut, int sides, int64_t size, digit *out)
{
    enum { LINES = 256 /* bytes */ };
    int64_t farthest = LINES / size - 1;
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < cut->side[side].count && (sides >> side & 1); i++) {
            const lay_mode *mode = &cut->side[side].mode[i];
            const int64_t apart = min_of(llabs(mode->stride[operand_of(side)]), llabs(mode->stride[LAY_RESULT]));
            if (mode->extent < 2 || apart <= farthest || find_digit(cut, side, i))
                continue;
            farthest = apart;
            *out = (digit){ .side = side, .mode = i };
        }
    return farthest >= LINES / size;
}

static int64_t least_divisor(int64_t extent, double least)
{
    enum { FEW = 4096 };
    for (int64_t parts = 2; parts <= min_of(extent / 2, FEW); parts++)
        if (extent % parts == 0 && (double)parts >= least)
            return parts;
    return extent;
}

/* Bytes of a piece of C and of the operands that are cut. */
static double bytes_of(const cutting *cut, int sides, int64_t k, int64_t size)
{
    double extent[SIDES] = { (double)cut->side[0].extent, (double)cut->side[1].extent };
    for (int i = 0; i < cut->count; i++)
        extent[cut->digit[i].side] /= (double)cut->digit[i].parts;
    return (double)size * (extent[0] * extent[1] + ((sides & ROWS) ? extent[0] * (double)k : 0) +
                           ((sides & COLUMNS) ? extent[1] * (double)k : 0));
}

/* Digits of these sides, the farthest first, until a piece has at most so many bytes. 0: that cannot be, or is so. */
static int cut_digits(cutting *cut, int sides, int64_t k, int64_t size, double most_bytes)
{
    cut->count = 0;
    for (double bytes; (bytes = bytes_of(cut, sides, k, size)) > most_bytes;) {
        digit next;
        if (!find_farthest(cut, sides, size, &next))
            return 0;
        const int64_t extent = cut->side[next.side].mode[next.mode].extent;
        next.parts = least_divisor(extent, bytes / most_bytes);
        next.values = extent / next.parts;
        cut->digit[cut->count++] = next;
    }
    return cut->count > 0;
}

/* ---- layouts of pieces -------------------------------------------------------------------------- */

/* Which of C's pieces there are, as an operand sees them. */
static lay_dim index_pieces(lay_arena *arena, const cutting *cut, int operand)
{
    const lay_func *parts[SIDES * LAY_MAX_MODES];
    int64_t extent = 1;
    for (int i = 0; i < cut->count; i++) {
        const digit *of = &cut->digit[i];
        const int64_t stride = cut->side[of->side].mode[of->mode].stride[operand];
        parts[i] = lay_func_leaf(arena, of->parts, 0, of->values * stride);
        extent *= of->parts;
    }
    return (lay_dim){ lay_shape_leaf(arena, extent), lay_func_list(arena, cut->count, parts) };
}

/* What a piece has of the rows or columns of an operand whose function of them is map. */
static lay_dim load_piece(lay_arena *arena, const cutting *cut, int side, int operand, const lay_node *map)
{
    const lay_group *const of = &cut->side[side];
    const lay_func *parts[LAY_MAX_MODES];
    int64_t extent = 1;
    for (int i = 0; i < of->count; i++) {
        const digit *found = find_digit(cut, side, i);
        const int64_t values = found ? found->values : of->mode[i].extent;
        parts[i] = lay_func_leaf(arena, values, 0, of->mode[i].stride[operand]);
        extent *= values;
    }
    const lay_func *const func =
        of->count ? lay_func_list(arena, of->count, parts) : lay_func_leaf(arena, of->extent, 0, 0);
    return (lay_dim){ lay_shape_leaf(arena, of->count ? extent : of->extent),
                      lay_func_shift(arena, func, lay_map_offset(map, 0)) };
}

static int is_cut(const cutting *cut, int side)
{
    for (int i = 0; i < cut->count; i++)
        if (cut->digit[i].side == side)
            return 1;
    return 0;
}

/* A, B or C as a batch of pieces, where it is cut. 0 without memory, or where there is no such layout. */
static int describe(const lay_posed *posed, const cutting *cut, int operand, lay_desc **out)
{
    static const int has[LAY_OPERANDS][SIDES] = {
        [LAY_LEFT] = { 1, 0 }, [LAY_RIGHT] = { 0, 1 }, [LAY_RESULT] = { 1, 1 }
    };
    const lay_desc *const of = lay_posed_operand(posed, operand);
    if (!(has[operand][0] && is_cut(cut, 0)) && !(has[operand][1] && is_cut(cut, 1)))
        return 1;
    lay_arena arena;
    lay_dim dims[1 + SIDES];
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    arena.quiet = 1;
    dims[0] = index_pieces(&arena, cut, operand);
    for (int side = 0; side < SIDES; side++)
        dims[1 + side] = has[operand][side] ? load_piece(&arena, cut, side, operand, lay_operand_map(of, side))
                                            : lay_dim_load(&arena, of, side);
    return lay_desc_finish(&arena, 1 + SIDES, dims, out) == LAY_OK;
}

/* ---- the way ------------------------------------------------------------------------------------ */

/* What choosing needs: large, and callers' stacks may be small. */
typedef struct scratch {
    cutting cut;
    lay_problem problem;
} scratch;

static void drop(pieces *own)
{
    for (int i = 0; i < LAY_OPERANDS; i++)
        lay_desc_destroy(own->desc[i]);
    *own = (pieces){ .count = 0 };
}

/* The pieces as a batch whose products have images. NULL: it is done without. */
static lay_branch *find_child(const lay_branch *branch, const pieces *own, lay_problem *problem)
{
    const char *refusal;
    lay_setting setting = branch->setting;
    lay_posed posed = branch->problem.posed;
    posed.a = own->desc[LAY_LEFT] ? own->desc[LAY_LEFT] : posed.a;
    posed.b = own->desc[LAY_RIGHT] ? own->desc[LAY_RIGHT] : posed.b;
    posed.c = own->desc[LAY_RESULT];
    setting.inside |= LAY_INSIDE_PIECES;
    if (branch->child) /* of other sides that are cut */
        setting.limit =
            setting.limit > 0 ? fmin(setting.limit, branch->child->job.seconds) : branch->child->job.seconds;
    lay_problem_pose(&posed, problem);
    lay_branch *made = lay_branch_make(&lay_way_batch, problem, &setting, branch->setting.order, &refusal);
    if (made && lay_image_is_of(made->child))
        return made;
    lay_branch_destroy(made);
    return NULL;
}

/* Keeps the pieces that with->cut makes where they are done sooner than those that are kept. */
static void try_cut(lay_branch *branch, scratch *with, int sides)
{
    pieces *const best = branch->job.data;
    pieces made = { .count = 1, .sides = sides };
    lay_branch *child = NULL;
    int is_described = 1;
    for (int i = 0; i < with->cut.count; i++)
        made.count *= with->cut.digit[i].parts;
    for (int i = 0; i < LAY_OPERANDS && is_described; i++)
        is_described = describe(&branch->problem.posed, &with->cut, i, &made.desc[i]);
    if (is_described)
        child = find_child(branch, &made, &with->problem);
    if (!child || (branch->child && child->job.seconds >= branch->child->job.seconds)) {
        lay_branch_destroy(child);
        drop(&made);
        return;
    }
    lay_branch_destroy(branch->child);
    drop(best);
    branch->child = child;
    *best = made;
}

static const char *refuse(const lay_branch *branch)
{
    const lay_problem *problem = &branch->problem;
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    if (branch->setting.inside)
        return "is part of another way's work";
    if (problem->posed.is_m_in_order || problem->posed.is_n_in_order)
        return "an operand is packed";
    if (problem->is_transposed || problem->sum.has_partial_sums)
        return "a product with a vector reads its matrix once";
    if ((m * n + m * k + n * k) * (double)lay_size_of(problem->types.result) <= lay_rates_get()->piece_bytes)
        return "the operands have no more bytes than a piece may have";
    if (!problem->m.is_plain || !problem->n.is_plain || !problem->k.is_plain)
        return "radices do not divide: a copy would go by tables";
    return NULL;
}

/* Whether the whole product has images, of no more bytes than a piece may have. */
static int is_small(const lay_branch *branch)
{
    const char *refusal;
    lay_setting setting = branch->setting;
    setting.limit = 0; /* what it takes is another question */
    lay_branch *whole = lay_branch_make(&lay_way_image, &branch->problem, &setting, setting.order, &refusal);
    const int is_kept = whole && (double)whole->job.workspace <= lay_rates_get()->piece_bytes;
    lay_branch_destroy(whole);
    return is_kept;
}

static const char *prepare(lay_branch *branch)
{
    const int64_t size = lay_size_of(branch->problem.types.result), k = branch->problem.k.extent;
    const int64_t tuned = lay_tuned(&branch->setting, LAY_TUNE_PIECES);
    const char *reason = refuse(branch);
    if (reason)
        return reason;
    if (tuned < 0 && is_small(branch))
        return "images of the whole are no larger than a piece may be";
    scratch *const with = malloc(sizeof *with);
    if (!with)
        return lay_no_memory;
    refine(&branch->problem.posed, &with->cut);
    for (int sides = ROWS; sides <= BOTH; sides++)
        if ((tuned < 0 || tuned == sides) && cut_digits(&with->cut, sides, k, size, lay_rates_get()->piece_bytes))
            try_cut(branch, with, sides);
    free(with);
    if (!branch->child)
        return "no piece gains by images";
    void *const own = branch->job.data;
    branch->job = branch->child->job;
    branch->job.data = own;
    return NULL;
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    return branch->child->way->run(branch->child, call);
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const pieces *own = branch->job.data;
    lay_text_add(text, "pieces    %lld of C, so that images stay small\n", (long long)own->count);
}

static void tell(const lay_branch *branch, lay_step *step)
{
    step->value[LAY_TUNE_PIECES] = ((const pieces *)branch->job.data)->sides;
}

static void release(lay_branch *branch)
{
    drop(branch->job.data);
}

const lay_way lay_way_pieces = {
    .name = "pieces",
    .order = &lay_order_cpu,
    .takes = LAY_TAKES_GRID,
    .tunes = 1 << LAY_TUNE_PIECES,
    .tell = tell,
    .data = sizeof(pieces),
    .prepare = prepare,
    .run = run,
    .explain = explain,
    .release = release,
};
