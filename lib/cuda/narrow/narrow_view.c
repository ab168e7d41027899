/* What tensor copies can read, claim by claim; and the maps that tell them. */
#include "cuda/narrow/narrow_view.h"

#include <string.h>

#include "base/arith.h"

enum {
    LEAST_BOX = 16,   /* lines or steps: as many boxes as a turn has lanes for, whatever the row */
    LEAST_PIECE = 32, /* lines: a thread takes some hundred clocks for each (bench/LOG.md, 150) */
    MOST_BOX = 256,   /* of a tensor copy */
    WHOLE = 8,        /* lines or steps within which what is swizzled is whole */
    LEAST_WIDTH = 64  /* bytes of a box's contiguous dimension that is no tile's */
};
/* All strides but the contiguous one. */
static const char *refuse_strides(const lay_cuda_digits *near, const lay_cuda_digits *far, int64_t size)
{
    if (near->inner > 1 && near->stride != 1)
        return "neither lines nor steps are contiguous";
    if ((far->inner > 1 && !lay_cuda_can_step(far->stride, size)) ||
        (far->outer > 1 && !lay_cuda_can_step(far->outer_stride, size)) ||
        (near->outer > 1 && !lay_cuda_can_step(near->outer_stride, size)))
        return "a stride is no positive multiple of 16 bytes";
    return NULL;
}

static const char *refuse_along(const lay_cuda_digits *lines, const lay_cuda_digits *steps, int64_t size)
{
    if (steps->outer > 1 && steps->inner % (LAY_NARROW_LINE / size) != 0)
        return "blocks of steps are no multiple of 128 bytes";
    if (lines->outer > 1 && lines->inner % LEAST_BOX != 0)
        return "blocks of lines are no multiple of 16";
    return refuse_strides(steps, lines, size);
}

static const char *refuse_across(const lay_cuda_digits *lines, const lay_cuda_digits *steps, int64_t size, int is_left)
{
    if (size != 2 && !is_left)
        return "the matrix units want this type's steps contiguous";
    if (lines->outer > 1 && lines->inner % (LAY_NARROW_LINE / size) != 0)
        return "blocks of lines are no multiple of 128 bytes";
    if (steps->outer > 1 && steps->inner % LEAST_BOX != 0)
        return "blocks of steps are no multiple of 16";
    return refuse_strides(lines, steps, size);
}

/* Dense, in whole vectors. */
static lay_narrow_view image_of(int64_t lines, int64_t steps, int is_across, int size, const char *why)
{
    const int64_t v = 16 / size;
    return (lay_narrow_view){ .lines = { .inner = lines, .outer = 1, .stride = is_across ? 1 : round_up(steps, v) },
                              .steps = { .inner = steps, .outer = 1, .stride = is_across ? round_up(lines, v) : 1 },
                              .size = size,
                              .is_across = is_across,
                              .is_image = 1,
                              .why = why };
}

/* Whether whoever makes an image finds eights along such a dimension in runs. */
static int has_runs(const lay_cuda_digits *near)
{
    enum { EIGHT = 8 };
    return (near->inner == 1 || near->stride == 1) && (near->outer == 1 || near->inner >= EIGHT);
}

static lay_narrow_view with_runs(lay_narrow_view image, const lay_cuda_digits *near)
{
    if (image.size == 2 && has_runs(near)) {
        image.run = near->inner;
        image.run_apart = near->outer > 1 ? near->outer_stride : near->inner;
    }
    return image;
}

lay_narrow_view lay_narrow_view_unaligned(const lay_narrow_view *view)
{
    const int64_t lines = view->lines.inner * view->lines.outer, steps = view->steps.inner * view->steps.outer;
    const int64_t there_lines = view->cut_lines ? view->cut_lines : lines;
    const int64_t there_steps = view->cut_steps ? view->cut_steps : steps;
    lay_narrow_view image =
        image_of(there_lines, there_steps, view->is_across, view->size, "its address is no multiple of 16");
    image.run = view->run;
    image.run_apart = view->run_apart;
    return view->is_image ? image : with_runs(image, view->is_across ? &view->lines : &view->steps);
}

lay_narrow_view lay_narrow_view_along(const lay_narrow_view *view)
{
    lay_narrow_view image = lay_narrow_view_unaligned(view);
    return image_of(image.lines.inner, image.steps.inner, 0, view->size,
                    "the row that is named wants its steps contiguous");
}

lay_narrow_view lay_narrow_view_of(int is_left, const lay_axis *lines, const lay_axis *steps, lay_type units,
                                   int is_converted)
{
    lay_narrow_view view = { .size = (int)lay_type_size(units) };
    const char *along = is_converted ? "elements are rounded first" : NULL, *across = along;
    if (!along && !(along = across = lay_cuda_find_digits(lines, &view.lines)) &&
        !(along = across = lay_cuda_find_digits(steps, &view.steps))) {
        along = refuse_along(&view.lines, &view.steps, view.size);
        across = refuse_across(&view.lines, &view.steps, view.size, is_left);
    }
    view.is_across = along != NULL;
    view.why = !along || !across ? NULL : steps->run >= lines->run ? along : across;
    if (!view.why)
        return view;
    const int goes_across = (view.size == 2 || is_left) && lines->run > steps->run;
    const lay_narrow_view image = image_of(lines->extent, steps->extent, goes_across, view.size, view.why);
    lay_cuda_digits near;
    return is_converted || lay_cuda_find_cut_digits(goes_across ? lines : steps, &near) ? image
                                                                                        : with_runs(image, &near);
}

/* The farthest of the first so many indices, whose strides are positive. */
static int64_t find_farthest(const lay_cuda_digits *digits, int64_t count)
{
    const int64_t blocks = count / digits->inner * digits->inner;
    const int64_t last = lay_cuda_digits_offset(digits, count - 1);
    return blocks ? max_of(last, lay_cuda_digits_offset(digits, blocks - 1)) : last;
}

static int64_t find_tail(const lay_narrow_view *view)
{
    const int64_t turn = LAY_NARROW_LINE / view->size;
    return (view->cut_steps - 1) / turn * turn;
}

/* Whether all before the last turn is before the last element, lines that fill up the last block, too. */
static int is_within(const lay_narrow_view *view)
{
    const int64_t steps = find_tail(view);
    return steps > 0 &&
           find_farthest(&view->lines, view->lines.inner * view->lines.outer) + find_farthest(&view->steps, steps) <=
               find_farthest(&view->lines, view->cut_lines) + find_farthest(&view->steps, view->cut_steps);
}

lay_narrow_view lay_narrow_view_cut(int is_left, const lay_axis *lines, const lay_axis *steps, lay_type units)
{
    lay_narrow_view view = { .size = (int)lay_type_size(units) };
    if (view.size != 2 || lay_cuda_find_cut_digits(lines, &view.lines) || lay_cuda_find_cut_digits(steps, &view.steps))
        return (lay_narrow_view){ .size = 0 };
    view.is_across = refuse_along(&view.lines, &view.steps, view.size) != NULL;
    view.cut_lines = lines->extent;
    view.cut_steps = steps->extent;
    if ((view.is_across && refuse_across(&view.lines, &view.steps, view.size, is_left)) || !is_within(&view))
        return (lay_narrow_view){ .size = 0 };
    return view;
}

/* Steps of a block that turns are to end with. */
static int64_t find_ends(const lay_narrow_view *view)
{
    const int64_t inner = view->steps.inner, turn = LAY_NARROW_LINE / view->size;
    const int fits = inner % turn == 0 || (view->is_across ? turn % inner == 0 : inner * view->size == LEAST_WIDTH);
    return view->steps.outer == 1 || fits ? 0 : inner;
}

/* What whole boxes want of blocks: groups of steps that the matrix units add at once are of one. */
static int has_narrow_blocks(const lay_narrow_view *view)
{
    const int64_t turn = LAY_NARROW_LINE / view->size, ends = find_ends(view);
    return (view->lines.outer == 1 || view->lines.inner % LEAST_BOX == 0) &&
           (view->steps.outer == 1 || view->steps.inner % LEAST_BOX == 0) && (!ends || ends > turn);
}

lay_narrow_view lay_narrow_view_narrow(const lay_axis *lines, const lay_axis *steps, lay_type units)
{
    const lay_narrow_view none = { .size = 0 };
    lay_narrow_view view = { .size = (int)lay_type_size(units), .is_narrow = 1 };
    const int is_cut = lines->class == LAY_AXIS_TABLE || steps->class == LAY_AXIS_TABLE;
    if (view.size != 2 || lay_cuda_find_cut_digits(lines, &view.lines) || lay_cuda_find_cut_digits(steps, &view.steps))
        return none;
    view.is_across = refuse_strides(&view.steps, &view.lines, view.size) != NULL;
    if ((view.is_across && refuse_strides(&view.lines, &view.steps, view.size)) || !has_narrow_blocks(&view))
        return none;
    view.cut_lines = is_cut ? lines->extent : 0;
    view.cut_steps = is_cut ? steps->extent : 0;
    view.ends = find_ends(&view);
    return is_cut && (view.ends || !is_within(&view)) ? none : view;
}

/* Turns end with blocks of so many steps. */
static int end_with(lay_narrow_view *view, int64_t steps)
{
    lay_cuda_digits *own = &view->steps;
    if (own->outer == 1)
        *own = (lay_cuda_digits){
            .inner = steps, .outer = own->inner / steps, .stride = own->stride, .outer_stride = steps * own->stride
        };
    view->ends = steps;
    view->is_narrow = 1;
    return own->inner == steps && !view->cut_lines && (view->is_across || lay_cuda_can_step(steps, view->size));
}

int lay_narrow_views_end_together(lay_narrow_view *left, lay_narrow_view *right)
{
    const int64_t steps = max_of(left->ends, right->ends);
    return steps == 0 || (end_with(left, steps) && end_with(right, steps));
}

lay_narrow_view lay_narrow_view_tail(const lay_narrow_view *view, int64_t *first_step)
{
    const int64_t turn = LAY_NARROW_LINE / view->size, v = 16 / view->size;
    const int in_blocks = !view->is_across && view->steps.outer > 1 && view->steps.inner < turn; /* of zeros, too */
    const int64_t all = round_up(view->lines.inner * view->lines.outer, v);
    const int64_t stride = view->is_across ? 1 : turn;
    *first_step = find_tail(view);
    return (lay_narrow_view){ .lines = { .inner = view->lines.inner,
                                         .outer = view->lines.outer,
                                         .stride = stride,
                                         .outer_stride = view->lines.inner * stride },
                              .steps = { .inner = in_blocks ? view->steps.inner : view->cut_steps - *first_step,
                                         .outer = in_blocks ? turn / view->steps.inner : 1,
                                         .stride = view->is_across ? all : 1,
                                         .outer_stride = view->steps.inner },
                              .size = view->size,
                              .is_across = view->is_across,
                              .is_narrow = view->is_narrow,
                              .is_image = 1,
                              .why = "its last block is cut" };
}

lay_narrow_view lay_narrow_view_short(const lay_narrow_view *view)
{
    lay_narrow_view last = *view;
    last.short_steps = view->ends % (LAY_NARROW_LINE / view->size);
    return last;
}

size_t lay_narrow_image_size(const lay_narrow_view *view)
{
    int64_t first;
    if (view->cut_lines) {
        const lay_narrow_view tail = lay_narrow_view_tail(view, &first);
        const int64_t lines = view->is_across ? tail.steps.stride : tail.lines.inner * tail.lines.outer;
        return (size_t)round_up(lines * LAY_NARROW_LINE, 1024);
    }
    if (!view->is_image)
        return 0;
    const int64_t elements =
        view->is_across ? view->steps.inner * view->steps.stride : view->lines.inner * view->lines.stride;
    return (size_t)round_up(elements * view->size, 1024);
}

/* Of so many, all; or where they are in blocks, the largest power of two that divides both. */
static int box_of(const lay_cuda_digits *digits, int most)
{
    int box = digits->outer > 1 ? most & -most : most;
    while (digits->outer > 1 && digits->inner % box != 0)
        box /= 2;
    return box;
}

/* Lines of a turn in shared memory, 128 bytes each: those of a tile, or steps of groups of them. */
static int count_lines(const lay_narrow_view *view, int lines)
{
    const int together = (int)(LAY_NARROW_LINE / view->size);
    return view->is_across ? (int)round_up(lines, together) : lines;
}

/* So that a turn's boxes are dealt among blocks. */
static int part_box(const lay_narrow_view *view, lay_narrow_tile tile, int box)
{
    while (count_lines(view, tile.lines) / box % tile.parts != 0)
        box /= 2;
    return box;
}

/* Blocks of lines and of steps behind the two inner dimensions. */
static void add_all_blocks(const lay_narrow_view *view, lay_tensor *tensor)
{
    tensor->rank = 4;
    tensor->extent[2] = view->lines.outer;
    tensor->extent[3] = view->steps.outer;
    tensor->stride[1] = view->lines.outer > 1 ? view->lines.outer_stride * view->size : 16;
    tensor->stride[2] = view->steps.outer > 1 ? view->steps.outer_stride * view->size : 16;
}
static void add_blocks(const lay_narrow_view *view, lay_tensor *tensor)
{
    add_all_blocks(view, tensor);
    if (view->lines.outer == 1 && view->steps.outer == 1)
        tensor->rank = 2;
}

/* The other digits of a walk, and blocks of steps last. */
static void add_digits(const lay_narrow_view *view, lay_tensor *tensor)
{
    const lay_narrow_walk *walk = &view->walk;
    tensor->rank = LAY_TENSOR_RANK;
    for (int i = 1; i < LAY_NARROW_DIGITS; i++) {
        const int is_there = i < walk->count && view->apart[i] > 0;
        tensor->extent[1 + i] = is_there ? walk->extent[i] : 1;
        tensor->stride[i] = is_there ? view->apart[i] * view->size : 16;
    }
    if (walk->is_crossed) { /* all of a tile in one box */
        tensor->extent[3] *= LAY_NARROW_CROSSED;
        tensor->box[3] = LAY_NARROW_CROSSED;
    }
    if (view->steps.outer > 1) {
        tensor->extent[LAY_TENSOR_RANK - 1] = view->steps.outer;
        tensor->stride[LAY_TENSOR_RANK - 2] = view->steps.outer_stride * view->size;
    }
}

/* Elements of the contiguous dimension in a box. */
static int near_box(const lay_narrow_view *view)
{
    return view->walk.is_crossed ? LAY_NARROW_SECTOR : (int)(LAY_NARROW_LINE / view->size);
}

/* A box of blocks, each of a piece of it: whole blocks, or of one block a part. */
typedef struct lay_parts {
    int inner, outer;
} lay_parts;

static int can_part(const lay_cuda_digits *digits, int count)
{
    return digits->outer == 1 || digits->inner % count == 0 || count % digits->inner == 0;
}

static lay_parts part(const lay_cuda_digits *digits, int count)
{
    const int is_of_blocks = digits->outer > 1 && digits->inner < count;
    return is_of_blocks ? (lay_parts){ (int)digits->inner, count / (int)digits->inner } : (lay_parts){ count, 1 };
}

/* The same of a dimension whose unit is so many lines. */
static lay_cuda_digits in_groups(const lay_cuda_digits *lines, int together)
{
    return (lay_cuda_digits){ .inner = lines->inner / together, .outer = lines->outer };
}

/* Bytes of the contiguous dimension that a tile's box has side by side; 0: there is no such box. */
static int width_of(const lay_narrow_view *view, lay_narrow_tile tile)
{
    const int64_t lines = view->lines.inner * view->size, steps = view->steps.inner * view->size;
    if (!view->is_across)
        return view->steps.outer == 1 || view->ends || steps % LAY_NARROW_LINE == 0 ? LAY_NARROW_LINE
               : steps == LEAST_WIDTH                                               ? LEAST_WIDTH
                                                                                    : 0;
    if (tile.strips) {
        const int width = tile.lines / tile.strips * view->size;
        return width == LAY_NARROW_LINE || width == LEAST_WIDTH ? width : 0;
    }
    return view->lines.outer == 1 || lines % LAY_NARROW_LINE == 0 ? LAY_NARROW_LINE
           : lines % LEAST_WIDTH == 0                             ? LEAST_WIDTH
                                                                  : 0;
}

/* What a block brings of a turn: a part of the lines, of the blocks that a tile has strips of, or of the steps.
 * pieces: of less than LAY_NARROW_LINE, steps of all lines that follow each other. */
typedef struct lay_share {
    int width, lines, groups, strips, steps, pieces;
} lay_share;

static lay_share share_of(const lay_narrow_view *view, lay_narrow_tile tile)
{
    const int turn = (int)(LAY_NARROW_LINE / view->size), width = width_of(view, tile);
    if (!width)
        return (lay_share){ .width = 0 };
    const int all_pieces = LAY_NARROW_LINE / width, groups = (int)ceil_div(tile.lines, width / view->size);
    lay_share own = { width, tile.lines, view->is_across ? groups : 1, tile.strips, turn, all_pieces };
    if (tile.parts == 1)
        return own;
    if (!view->is_across && width < LAY_NARROW_LINE) {
        own.pieces = all_pieces / tile.parts;
    } else if (tile.strips) {
        own.strips = tile.strips / tile.parts;
        own.lines = tile.lines / tile.strips * own.strips;
        own.groups = own.strips;
    } else if (!view->is_across || groups % tile.parts == 0) {
        own.lines = tile.lines / tile.parts;
        own.groups /= view->is_across ? tile.parts : 1;
    } else {
        own.steps = turn / tile.parts;
    }
    return own;
}

int lay_narrow_view_has_parts(const lay_narrow_view *view, lay_narrow_tile tile)
{
    const lay_share share = share_of(view, tile);
    if (!view->is_across && share.width < LAY_NARROW_LINE)
        return share.width && share.pieces * share.width * tile.parts == LAY_NARROW_LINE;
    if (tile.strips && tile.parts > 1)
        return tile.strips % tile.parts == 0;
    return view->is_across ? share.steps % WHOLE == 0 : tile.lines % (tile.parts * WHOLE) == 0;
}

int lay_narrow_view_has_blocks(const lay_narrow_view *view)
{
    return view->lines.outer > 1 || view->steps.outer > 1;
}

/* Whether tiles of so many lines begin with boxes of so many, or within one. */
static int begins(const lay_narrow_view *view, int lines, int box)
{
    return view->lines.outer == 1 || lines % box == 0 || box % lines == 0 || view->lines.inner % lines == 0;
}

int lay_narrow_view_begins(const lay_narrow_view *view, int lines)
{
    return !view->is_across || begins(view, lines, (int)(LAY_NARROW_LINE / view->size));
}

/* Whether tiles of lines one after the other have such boxes. */
static int has_whole_lines(const lay_narrow_view *view, lay_narrow_tile tile, lay_share share)
{
    const int turn = (int)(LAY_NARROW_LINE / view->size), together = share.width / view->size;
    if (!view->is_across)
        return can_part(&view->lines, share.lines);
    if (tile.lines <= together)
        return begins(view, tile.lines, together);
    const lay_cuda_digits groups = in_groups(&view->lines, together);
    return tile.lines % together == 0 && view->lines.inner % together == 0 && share.steps == turn &&
           can_part(&groups, share.groups);
}

int lay_narrow_view_is_whole(const lay_narrow_view *view, lay_narrow_tile tile)
{
    const int turn = (int)(LAY_NARROW_LINE / view->size);
    const lay_share share = share_of(view, tile);
    if (!share.width || !lay_narrow_view_has_parts(view, tile) || (!tile.strips && !has_whole_lines(view, tile, share)))
        return 0;
    return !view->is_across || view->ends || (can_part(&view->steps, turn) && can_part(&view->steps, share.steps));
}

int lay_narrow_view_strips(const lay_narrow_view *view, int lines)
{
    if (view->lines.outer == 1 || view->cut_lines)
        return 0;
    const int64_t tiles = ceil_div(view->lines.inner * view->lines.outer, lines);
    for (int strips = 1; strips <= lines / WHOLE; strips++) {
        const lay_narrow_tile tile = { lines, 1, strips };
        const int own = lines / strips;
        if (own * strips == lines && own % WHOLE == 0 && lay_narrow_view_is_whole(view, tile) &&
            ceil_div(view->lines.inner, own) * ceil_div(view->lines.outer, strips) == tiles)
            return strips;
    }
    return 0;
}

lay_narrow_strips lay_narrow_view_describe_strips(const lay_narrow_view *view, lay_narrow_tile tile)
{
    if (!tile.strips)
        return (lay_narrow_strips){ .blocks = 0 };
    const int own = tile.lines / tile.strips, in_block = (int)ceil_div(view->lines.inner, own);
    return (lay_narrow_strips){ .blocks = tile.strips,
                                .own = own,
                                .inner = (int)view->lines.inner,
                                .outer = (int)view->lines.outer,
                                .in_block = in_block,
                                .inverse = UINT32_MAX / (unsigned)in_block,
                                .own_inverse = 65536 / (unsigned)own + 1 };
}

int lay_narrow_view_has_pieces(const lay_narrow_view *view, lay_narrow_tile tile)
{
    const int turn = (int)(LAY_NARROW_LINE / view->size);
    if (view->steps.outer > 1 && view->steps.inner % turn != 0)
        return 0;
    if (view->is_across)
        return lay_narrow_view_begins(view, tile.lines) && ceil_div(tile.lines, turn) % tile.parts == 0;
    const int box = part_box(view, tile, box_of(&view->lines, tile.lines));
    return box >= LEAST_PIECE && box % WHOLE == 0;
}

/* Lines of a box, within a block and of several; of strips each block's. */
static lay_parts lines_of(const lay_narrow_view *view, lay_narrow_tile tile, lay_share share)
{
    return tile.strips ? (lay_parts){ tile.lines / tile.strips, share.strips } : part(&view->lines, share.lines);
}

/* With k contiguous: whole blocks of lines in the box, and of narrow steps. */
static void box_along(const lay_narrow_view *view, lay_narrow_tile tile, lay_tensor *tensor)
{
    const lay_share share = share_of(view, tile);
    const lay_parts lines = lines_of(view, tile, share);
    add_all_blocks(view, tensor);
    tensor->box[0] = view->short_steps ? (int)view->short_steps : share.width / view->size;
    tensor->box[1] = lines.inner;
    tensor->box[2] = lines.outer;
    tensor->box[3] = share.pieces;
}

/* With lines contiguous: lines, steps, blocks of steps, blocks of lines; or groups of lines before these. */
static void box_across(const lay_narrow_view *view, lay_narrow_tile tile, lay_tensor *tensor)
{
    const lay_share share = share_of(view, tile);
    const int together = share.width / view->size, is_grouped = tile.lines > LAY_NARROW_LINE / view->size;
    const int last = is_grouped ? 4 : 3;
    const lay_parts steps = view->short_steps ? (lay_parts){ (int)view->short_steps, 1 }
                            : view->ends      ? (lay_parts){ share.steps, 1 }
                                              : part(&view->steps, share.steps);
    tensor->rank = last + 1;
    tensor->box[0] = together;
    tensor->extent[2] = view->steps.outer;
    tensor->stride[1] = view->steps.outer > 1 ? view->steps.outer_stride * view->size : 16;
    tensor->box[1] = steps.inner;
    tensor->box[2] = steps.outer;
    tensor->extent[last] = view->lines.outer;
    tensor->stride[last - 1] = view->lines.outer > 1 ? view->lines.outer_stride * view->size : 16;
    const lay_cuda_digits in_boxes = in_groups(&view->lines, together);
    const lay_parts groups = view->short_steps ? (lay_parts){ 1, 1 }
                             : tile.strips     ? (lay_parts){ 1, share.strips }
                                               : part(&in_boxes, share.groups);
    tensor->box[last] = groups.outer;
    if (!is_grouped)
        return;
    tensor->extent[0] = tile.strips ? view->lines.inner : together;
    tensor->extent[3] = tile.strips ? 1 : in_boxes.inner;
    tensor->stride[2] = share.width;
    tensor->box[3] = groups.inner;
}

static void fill_inverses(lay_narrow_operand *operand)
{
    operand->lines_inverse = UINT32_MAX / (unsigned)operand->inner_lines;
    operand->steps_inverse = UINT32_MAX / (unsigned)operand->inner_steps;
}

/* Where a block's part of a turn is, from the one before. */
static lay_narrow_part part_of(const lay_narrow_view *view, lay_narrow_tile tile, lay_share share)
{
    const int turn = (int)(LAY_NARROW_LINE / view->size);
    const int lines = view->is_across ? share.groups * share.width / view->size : share.lines;
    if (tile.parts == 1)
        return (lay_narrow_part){ 0 };
    if (!view->is_across && share.width < LAY_NARROW_LINE)
        return (lay_narrow_part){ .place = share.pieces * share.width * tile.lines, .outer_step = share.pieces };
    if (tile.strips)
        return (lay_narrow_part){ .place = share.lines * LAY_NARROW_LINE, .outer_line = share.strips };
    if (share.steps == turn)
        return (lay_narrow_part){ .place = lines * LAY_NARROW_LINE, .line = lines };
    return (lay_narrow_part){ .place = share.steps * share.width, .step = share.steps };
}

/* Of a block's last turn: none where the parts that blocks bring are of its steps. */
static lay_narrow_short last_of(const lay_narrow_view *view, lay_narrow_tile tile, lay_share share, unsigned bytes)
{
    const int turn = (int)(LAY_NARROW_LINE / view->size), steps = (int)(view->ends % turn);
    const int together = share.width / view->size;
    if (steps == 0 || share.steps != turn)
        return (lay_narrow_short){ 0 };
    return (lay_narrow_short){ .bytes = bytes * (unsigned)steps / (unsigned)turn,
                               .boxes = view->is_across ? share.groups : 1,
                               .place = share.width * turn,
                               .groups = view->is_across && !tile.strips ? (int)view->lines.inner / together : 1 };
}

/* How a kernel steps from one whole box to the next. */
static void fill_whole(const lay_narrow_view *view, lay_narrow_tile tile, lay_narrow_operand *operand)
{
    const lay_share share = share_of(view, tile);
    const int turn = (int)(LAY_NARROW_LINE / view->size), inner = operand->inner_steps;
    const int together = share.width / view->size; /* lines, where they are contiguous */
    if (tile.strips) {
        operand->strip = tile.lines / tile.strips;
        operand->strip_blocks = tile.strips;
        operand->inner_lines = (int)ceil_div(view->lines.inner, operand->strip) * tile.lines;
    }
    operand->boxes = 1;
    fill_inverses(operand);
    operand->back = inner < turn ? turn : view->ends ? (int)round_up(inner, turn) : inner;
    operand->carry = inner < turn ? turn / inner : 1;
    operand->log_group = view->is_across && !tile.strips ? __builtin_ctz((unsigned)together) : 30;
    operand->bytes = (unsigned)(view->is_across ? round_up(tile.lines, together) : tile.lines) * LAY_NARROW_LINE;
    operand->part = part_of(view, tile, share);
    operand->last = last_of(view, tile, share, operand->bytes);
    operand->seen = lay_narrow_seen_of(view->is_across, share.width, tile.lines);
}

static lay_tensor_swizzle swizzle_of(int width)
{
    return width == LAY_NARROW_LINE ? LAY_TENSOR_BY_128 : width == LEAST_WIDTH ? LAY_TENSOR_BY_64 : LAY_TENSOR_BY_32;
}

lay_status lay_narrow_view_fill(const lay_narrow_view *view, const void *first, lay_type units, lay_narrow_tile tile,
                                lay_narrow_boxes boxes, lay_narrow_operand *operand)
{
    static const lay_tensor_type types[] = {
        [LAY_F16] = LAY_TENSOR_F16, [LAY_BF16] = LAY_TENSOR_BF16, [LAY_F32] = LAY_TENSOR_TF32
    };
    const lay_cuda_digits *near = view->is_across ? &view->lines : &view->steps;
    const lay_cuda_digits *far = view->is_across ? &view->steps : &view->lines;
    const int64_t size = view->size;
    const int turn = (int)(LAY_NARROW_LINE / size), together = near_box(view), lines = tile.lines;
    operand->is_across = view->is_across;
    operand->box = !view->is_across && view->walk.count ? (int)min_of(lines, 1 << view->walk.log_together)
                                                        : box_of(far, view->is_across    ? turn
                                                                      : lines < MOST_BOX ? lines
                                                                                         : MOST_BOX);
    if (tile.parts > 1 && (boxes == LAY_NARROW_PIECES || lay_narrow_view_has_blocks(view)))
        operand->box = part_box(view, tile, operand->box);
    else if (tile.parts > 1)
        operand->box = view->is_across ? share_of(view, tile).steps : share_of(view, tile).lines;
    operand->boxes = view->walk.is_crossed ? 1 : count_lines(view, lines) / operand->box;
    operand->inner_lines = lay_cuda_inner_of(&view->lines);
    operand->inner_steps = lay_cuda_inner_of(&view->steps);
    operand->seen = lay_narrow_seen_of(view->is_across, together * (int)size, lines);
    if (boxes == LAY_NARROW_WHOLE)
        fill_whole(view, tile, operand);
    lay_tensor tensor = { .type = types[units],
                          .swizzle = swizzle_of(operand->seen.width),
                          .base = first,
                          .extent = { near->inner, far->inner },
                          .stride = { far->inner > 1 ? far->stride * size : 16 },
                          .box = { together, operand->box, 1, 1, 1 } };
    if (boxes == LAY_NARROW_WALKED)
        add_digits(view, &tensor);
    else if (boxes == LAY_NARROW_OF_BLOCKS)
        add_blocks(view, &tensor);
    else if (boxes == LAY_NARROW_PIECES)
        add_all_blocks(view, &tensor);
    else if (view->is_across)
        box_across(view, tile, &tensor);
    else
        box_along(view, tile, &tensor);
    if (boxes == LAY_NARROW_PIECES)
        fill_inverses(operand);
    return lay_tensor_encode(&tensor, operand->tensor);
}
