/* Turns of narrow products as a thread each brings them: the maps that the launcher makes and the kernels' own text on
 * the host, between a stand-in for the unit that copies. Every element of every turn is where the matrix units look for
 * it, steps behind k are zeros, and nothing else is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../random.h"
#include "base/arith.h"
#include "cuda/narrow/narrow_view.h"
#include "narrow_producers.h"

enum { MOST_TURNS = 65536, CASES = 600, NARROW_CASES = 500 };

/* Here a map is what it is made of. */
lay_status lay_tensor_encode(const lay_tensor *of, void *map)
{
    _Static_assert(sizeof *of <= 128, "room of a map");
    memcpy(map, of, sizeof *of);
    return LAY_OK;
}

/* An operand: its lines and steps in digits, and numbers that tell them apart. */
typedef struct matrix {
    lay_narrow_view view;
    int64_t lines, steps, bytes;
    char *memory;
    char *tail; /* of what is cut */
} matrix;

static int64_t offset_of(const lay_cuda_digits *digits, int64_t index)
{
    return index % digits->inner * digits->stride + index / digits->inner * digits->outer_stride;
}

static void number_at(int size, int64_t line, int64_t step, void *to)
{
    random_source from = random_case((uint64_t)line, (uint64_t)step);
    const uint64_t bits = random_bits(&from) | 1; /* not 0 */
    memcpy(to, &bits, (size_t)size);
}

/* In blocks where inner is no multiple of the extent's, as in_place says that views are. */
static lay_cuda_digits draw_digits(random_source *from, int unit, int64_t most)
{
    static const int inner[] = { 16, 32, 48, 64, 96, 128, 192, 256, 320 };
    if (random_one_in(from, 3)) /* one stride */
        return (lay_cuda_digits){ .inner = random_one_in(from, 2) ? random_in(from, 1, most)
                                                                  : 64 * random_in(from, 1, most / 64),
                                  .outer = 1 };
    lay_cuda_digits made = { .inner = random_of(from, inner) };
    made.inner = ceil_div(made.inner, unit) * unit;
    made.outer = random_in(from, 2, max_of(2, most / made.inner));
    return made;
}

/* Near inside, then far, then blocks of near and of far, in either order; with gaps. */
static void place(lay_cuda_digits *near, lay_cuda_digits *far, int64_t v, random_source *from, int64_t *elements)
{
    near->stride = 1;
    far->stride = (ceil_div(near->inner, v) + random_in(from, 0, 1)) * v;
    int64_t all = far->stride * far->inner;
    lay_cuda_digits *const order[] = { random_one_in(from, 2) ? near : far, NULL };
    lay_cuda_digits *const other = order[0] == near ? far : near;
    all += v * random_in(from, 0, 1);
    order[0]->outer_stride = all;
    all *= order[0]->outer;
    other->outer_stride = all;
    *elements = all * other->outer;
}

static int64_t find_most(const lay_cuda_digits *digits, int64_t count)
{
    int64_t most = 0;
    for (int64_t i = 0; i < count; i++)
        most = max_of(most, offset_of(digits, i));
    return most;
}

/* The last blocks are cut short where then nothing before the last turn lies behind the last element. */
static void cut(random_source *from, matrix *of, int64_t steps)
{
    lay_narrow_view *const view = &of->view;
    int64_t first;
    view->cut_lines = of->lines - (view->lines.outer > 1 ? random_in(from, 0, view->lines.inner - 1) : 0);
    view->cut_steps =
        steps ? steps : of->steps - (view->steps.outer > 1 ? random_in(from, 0, view->steps.inner - 1) : 0);
    const lay_narrow_view tail = lay_narrow_view_tail(view, &first);
    const int64_t most = find_most(&view->lines, view->cut_lines) + find_most(&view->steps, view->cut_steps);
    if (find_most(&view->lines, of->lines) + find_most(&view->steps, first) > most || first == 0) {
        view->cut_lines = view->cut_steps = 0;
        return;
    }
    of->lines = view->cut_lines;
    of->steps = view->cut_steps;
    of->bytes = (most + 1) * view->size;
    const size_t bytes = lay_narrow_image_size(view);
    of->tail = aligned_alloc(128, bytes);
    assert_non_null(of->tail);
    memset(of->tail, tail.steps.outer > 1 ? 0 : 0xff, bytes); /* whose blocks are whole, by zeros */
    for (int64_t line = 0; line < of->lines; line++)
        for (int64_t step = first; step < of->steps; step++) {
            const int64_t at = offset_of(&tail.lines, line) + offset_of(&tail.steps, step - first);
            assert_true((size_t)(at * view->size) < bytes);
            number_at(view->size, line, step, of->tail + at * view->size);
        }
}

static matrix draw_matrix(random_source *from, int size, int is_across, int64_t most_lines, int64_t most_steps,
                          int64_t steps)
{
    const int turn = LAY_NARROW_LINE / size;
    matrix made = { .view = { .size = size, .is_across = is_across } };
    lay_narrow_view *const view = &made.view;
    int64_t elements;
    view->lines = draw_digits(from, is_across ? turn : 16, most_lines);
    if (steps == 0)
        view->steps = draw_digits(from, is_across ? 16 : turn, most_steps);
    else /* the other operand's, whole or in blocks that divide it */
        view->steps = (lay_cuda_digits){ .inner = steps, .outer = 1 };
    const int64_t unit = is_across ? 16 : turn;
    if (steps && steps % unit == 0 && random_one_in(from, 2)) {
        const int64_t units = steps / unit;
        int64_t inner = random_in(from, 1, units);
        while (units % inner != 0)
            inner--;
        view->steps = (lay_cuda_digits){ .inner = inner * unit, .outer = units / inner };
    }
    const int is_cut = size == 2 && random_one_in(from, 2);
    if (steps && is_cut && steps > 64 && random_one_in(from, 2))
        view->steps = (lay_cuda_digits){ .inner = 64, .outer = ceil_div(steps, 64) };
    if (steps && is_cut && !is_across && steps > 64 && random_one_in(from, 3))
        view->steps = (lay_cuda_digits){ .inner = 32, .outer = ceil_div(steps, 32) };
    place(is_across ? &view->lines : &view->steps, is_across ? &view->steps : &view->lines, 16 / size, from, &elements);
    made.lines = view->lines.inner * view->lines.outer;
    made.steps = view->steps.inner * view->steps.outer;
    made.bytes = elements * size;
    made.memory = aligned_alloc(128, (size_t)(ceil_div(made.bytes, 128) * 128));
    assert_non_null(made.memory);
    memset(made.memory, 0, (size_t)made.bytes);
    for (int64_t line = 0; line < made.lines; line++)
        for (int64_t step = 0; step < made.steps; step++)
            number_at(size, line, step,
                      made.memory + (offset_of(&view->lines, line) + offset_of(&view->steps, step)) * size);
    if (is_cut)
        cut(from, &made, steps);
    return made;
}

/* What the boxes of all turns have brought, of the operand that is looked at. */
static producer_turn turn[MOST_TURNS];
static int turns;
static char *brought; /* [turns][bytes], NULL: not yet */
static int64_t bytes_brought;
static const matrix *readable;
static const lay_narrow_seen *seen; /* as the matrix units do */
static int is_own, target;          /* whether the block that brings is the one that is looked at, and which that is */

static void take_turn(const producer_turn *begun)
{
    assert_true(turns < MOST_TURNS);
    turn[turns++] = *begun;
}

static void bring_element(const lay_tensor *of, const int64_t index[LAY_TENSOR_RANK], char *to, int size)
{
    int64_t offset = 0;
    int is_there = 1;
    for (int d = 0; d < of->rank; d++) {
        is_there &= index[d] >= 0 && index[d] < of->extent[d];
        offset += index[d] * (d ? of->stride[d - 1] : size);
    }
    if (!is_there) {
        memset(to, 0, (size_t)size);
        return;
    }
    const char *const from = (const char *)of->base + offset;
    assert_true(of->base == readable->tail ||
                (from >= readable->memory && from + size <= readable->memory + readable->bytes));
    memcpy(to, from, (size_t)size);
}

static void take_box(const producer_box *asked)
{
    lay_tensor of;
    memcpy(&of, asked->tensor, sizeof of);
    if ((of.base != readable->memory && of.base != readable->tail) ||
        !(asked->blocks ? asked->blocks >> target & 1 : is_own))
        return;
    const int size = readable->view.size;
    if (!brought)
        brought = malloc((size_t)turns * (size_t)turn[0].bytes);
    assert_non_null(brought);
    assert_int_equal(of.rank, asked->rank);
    const int width = seen->width;
    assert_int_equal(of.swizzle, width == 128 ? LAY_TENSOR_BY_128 : LAY_TENSOR_BY_64);
    assert_true(of.box[0] * size == width || (of.box[0] * size < width && !readable->view.is_across));
    assert_int_equal(asked->place % (8 * width), 0); /* what is swizzled is whole */
    int64_t in_box[LAY_TENSOR_RANK] = { 0 }, count = 1;
    for (int d = 0; d < of.rank; d++) {
        assert_in_range(of.box[d], 1, 256);
        count *= of.box[d];
    }
    bytes_brought += count * size;
    for (int64_t number = 0; number < count; number++) {
        int64_t index[LAY_TENSOR_RANK];
        for (int d = 0; d < of.rank; d++)
            index[d] = in_box[d] + asked->at[d];
        int64_t at = asked->place + number / of.box[0] * width + number % of.box[0] * size; /* with gaps */
        at ^= at / 128 % (width / 16) * 16;
        assert_true(at + size <= turn[asked->turn].bytes);
        bring_element(&of, index, brought + (int64_t)asked->turn * turn[0].bytes + at, size);
        for (int d = 0; d < of.rank && ++in_box[d] == of.box[d]; d++)
            in_box[d] = 0;
    }
}

/* Where the matrix units look for it: an instruction of 32 bytes of steps has eights of lines, or of steps where lines
 * are contiguous, each of which is one piece of the swizzle (PTX, matrix descriptors). */
static int64_t place_in_turn(const matrix *of, int line, int step)
{
    const int size = of->view.size, each = 32 / size, number = step / each, rest = step % each;
    const int64_t leading = (int64_t)(seen->low >> 16) * 16, stride = (int64_t)(seen->high & 0x3fff) * 16;
    const int64_t first = 16 * (int64_t)(number % 2 * (int)seen->next + number / 2 * (int)seen->next_both);
    const int together = seen->width / size;
    const int64_t at = of->view.is_across && size == 2 ? first + line / together * leading + line % together * size +
                                                             rest / 8 * stride + rest % 8 * seen->width
                       : of->view.is_across /* TF32, by lanes */
                           ? (int64_t)(line / together * together + step) * LAY_NARROW_LINE + line % together * size
                           : first + line / 8 * stride + line % 8 * seen->width + rest * size;
    assert_int_equal(seen->high >> 30, seen->width == 128 ? 1 : 2);
    return at ^ at / 128 % (seen->width / 16) * 16;
}

/* Steps that the matrix units are asked for. */
static int count_steps(const matrix *of, const producer_turn *begun)
{
    const int turn_steps = (int)(LAY_NARROW_LINE / of->view.size), ends = (int)of->view.ends;
    const int turns_of = (ends + turn_steps - 1) / turn_steps;
    return ends % turn_steps && begun->number % turns_of == turns_of - 1 ? ends % turn_steps : turn_steps;
}

/* The step that one of a turn's is; negative: none. */
static int64_t step_of(const matrix *of, const producer_turn *begun, int step)
{
    const int64_t ends = of->view.ends, turn_steps = LAY_NARROW_LINE / of->view.size;
    if (!ends)
        return begun->step + step < of->steps ? begun->step + step : -1;
    const int64_t turns_of = ceil_div(ends, turn_steps), in_block = begun->number % turns_of * turn_steps + step;
    return in_block < ends ? begun->number / turns_of * ends + in_block : -1;
}

static void insist_on_turns(const matrix *of, int tile, int first, const lay_narrow_args *args, int is_right,
                            uint64_t number)
{
    const int size = of->view.size;
    for (int t = 0; t < turns; t++)
        for (int line = 0; line < producer_tiles[tile][1 + is_right]; line++) {
            const int own = producer_line(tile, is_right, args, is_right ? turn[t].j : turn[t].i, line);
            for (int step = 0; own >= 0 && own < of->lines && step < count_steps(of, turn + t); step++) {
                const int64_t p = step_of(of, turn + t, step);
                char wanted[8] = { 0 };
                if (p >= 0)
                    number_at(size, own, p, wanted);
                const char *const got = brought + (int64_t)t * turn[0].bytes + first + place_in_turn(of, line, step);
                if (memcmp(got, wanted, (size_t)size) != 0)
                    fail_msg("case %llu: %s, line %d of tile %d, %d; step %d of %d", (unsigned long long)number,
                             is_right ? "right" : "left", line, turn[t].i, turn[t].j, step, turn[t].step);
            }
        }
}

static void fill_tail(const matrix *of, lay_narrow_tile tile, lay_narrow_boxes boxes, lay_narrow_operand *operand,
                      lay_narrow_map *map)
{
    if (!of->tail)
        return;
    int64_t first;
    lay_narrow_operand filled;
    const lay_narrow_view tail = lay_narrow_view_tail(&of->view, &first);
    assert_int_equal(lay_narrow_view_fill(&tail, of->tail, LAY_BF16, tile, boxes, &filled), LAY_OK);
    memcpy(map->tensor, filled.tensor, sizeof map->tensor);
    operand->has_tail = 1;
}

static int whole, shared, with_tail, in_pieces, shared_pieces, others, narrow, strips, ended, shared_narrow, shorter;

/* What each of a cluster's blocks gets of an operand, from all of them. */
static void insist_on_blocks(const matrix *of, int tile, int way, int ranks, const lay_narrow_args *args,
                             uint64_t number)
{
    const int is_right = of->memory == ((const lay_tensor *)(const void *)args->right.tensor)->base;
    const int rows = producer_tiles[tile][1], lines = producer_tiles[tile][1 + is_right];
    const int together = (is_right ? args->right : args->left).seen.width / of->view.size;
    readable = of;
    seen = is_right ? &args->right.seen : &args->left.seen;
    for (target = 0; target < ranks; target++) {
        bytes_brought = 0;
        for (int rank = 1; rank <= ranks; rank++) { /* its own turns are the last ones that are told */
            turns = 0;
            is_own = rank == ranks;
            assert_true(producer_run(tile, way, (target + rank) % ranks, args, take_turn, take_box));
        }
        insist_on_turns(of, tile, is_right ? rows * LAY_NARROW_LINE : 0, args, is_right, number);
        const int64_t in_turn = (of->view.is_across ? ceil_div(lines, together) * together : lines) * LAY_NARROW_LINE;
        const int64_t last = (is_right ? args->right : args->left).last.bytes;
        const int64_t blocks = last ? turns / ceil_div(of->view.ends, LAY_NARROW_LINE / of->view.size) : 0;
        assert_int_equal(bytes_brought, turns * in_turn - blocks * (in_turn - last));
        shorter += last > 0;
        free(brought);
        brought = NULL;
    }
}

static void insist_on_case(uint64_t number)
{
    random_source from = random_case(126, number);
    const int tile = (int)random_in(&from, 0, PRODUCER_TILES - 1), size = producer_tiles[tile][0];
    const int way = size == 4 ? 2 * (int)random_in(&from, 0, 1) : (int)random_in(&from, 0, PRODUCER_WAYS - 1);
    const int is_shared = random_one_in(&from, 2);
    matrix left = draw_matrix(&from, size, way / 2, 300, 200, 0);
    matrix right = draw_matrix(&from, size, way % 2, 400, 0, left.steps);
    const lay_cuda_kernel row = { .bm = producer_tiles[tile][1], .bn = producer_tiles[tile][2] };
    const int log_down = is_shared ? (int)random_in(&from, 0, 2) : 0,
              log_across = is_shared ? (int)random_in(&from, 0, log_down == 2 ? 1 : 2) : 0;
    const int ranks = 1 << (log_down + log_across);
    const lay_narrow_tile rows = { row.bm, 1 << log_across, 0 }, columns = { row.bn, 1 << log_down, 0 };
    lay_narrow_args args = { .m = (int)left.lines,
                             .n = (int)right.lines,
                             .k = (int)left.steps,
                             .slices = 1,
                             .slice_k = (int)left.steps,
                             .cluster = ranks,
                             .log_down = log_down,
                             .log_across = log_across };
    const int is_cut = left.tail || right.tail;
    if (ranks == 1 && !is_cut && random_one_in(&from, 3)) {
        args.slices = (int)ceil_div(args.k, 64);
        args.slice_k = 64;
    }
    lay_narrow_args_tile(&args, &row);
    const int has_blocks = lay_narrow_view_has_blocks(&left.view) || lay_narrow_view_has_blocks(&right.view);
    const int is_whole = lay_narrow_view_is_whole(&left.view, rows) && lay_narrow_view_is_whole(&right.view, columns) &&
                         (has_blocks || random_one_in(&from, 2));
    const int has_pieces = !is_whole && has_blocks && lay_narrow_view_has_pieces(&left.view, rows) &&
                           lay_narrow_view_has_pieces(&right.view, columns);
    const lay_type units = size == 2 ? LAY_BF16 : LAY_F32;
    args.bringing = is_whole ? LAY_NARROW_BY_WHOLES : has_pieces ? LAY_NARROW_BY_PIECES : LAY_NARROW_BY_STRIDES;
    const lay_narrow_boxes boxes = is_whole ? LAY_NARROW_WHOLE : has_pieces ? LAY_NARROW_PIECES : LAY_NARROW_OF_BLOCKS;
    const int has_parts =
        lay_narrow_view_has_parts(&left.view, rows) && lay_narrow_view_has_parts(&right.view, columns);
    if (has_parts && (is_whole || has_pieces || (!is_cut && !has_blocks))) {
        assert_int_equal(lay_narrow_view_fill(&left.view, left.memory, units, rows, boxes, &args.left), LAY_OK);
        assert_int_equal(lay_narrow_view_fill(&right.view, right.memory, units, columns, boxes, &args.right), LAY_OK);
        fill_tail(&left, rows, boxes, &args.left, &args.left_tail);
        fill_tail(&right, columns, boxes, &args.right, &args.right_tail);
        with_tail += is_cut;
        whole += is_whole;
        shared += is_whole && ranks > 1;
        in_pieces += has_pieces;
        shared_pieces += has_pieces && ranks > 1;
        others += !is_whole && !has_pieces;
        insist_on_blocks(&left, tile, way, ranks, &args, number);
        insist_on_blocks(&right, tile, way, ranks, &args, number);
    }
    free(left.tail);
    free(right.tail);
    free(left.memory);
    free(right.memory);
}

static lay_axis axis_of(const lay_cuda_digits *digits)
{
    const int64_t all = digits->inner * digits->outer;
    lay_axis axis = { .class = LAY_AXIS_NESTED, .extent = all, .run = 1 };
    if (digits->outer > 1)
        axis.mode[axis.count++] = (lay_leaf){ .extent = digits->outer, .stride = digits->outer_stride };
    axis.mode[axis.count++] = (lay_leaf){ .extent = digits->inner, .stride = digits->stride };
    return axis;
}

/* Blocks of any sixteens, or none. */
static lay_cuda_digits draw_sixteens(random_source *from, int64_t most)
{
    static const int inner[] = { 16, 32, 32, 48, 64, 80, 96, 112, 144, 160, 208, 400 };
    lay_cuda_digits made = { .inner = 16 * random_in(from, 1, most / 16), .outer = 1 };
    if (random_one_in(from, 4))
        return made;
    made.inner = random_of(from, inner);
    made.outer = random_in(from, 2, max_of(2, most / made.inner));
    return made;
}

static matrix draw_narrow(random_source *from, int is_across, int64_t most, const lay_cuda_digits *steps)
{
    matrix made = { .view = { .size = 2, .is_across = is_across } };
    lay_narrow_view *const view = &made.view;
    int64_t elements;
    view->lines = draw_sixteens(from, most);
    view->steps = *steps;
    place(is_across ? &view->lines : &view->steps, is_across ? &view->steps : &view->lines, 8, from, &elements);
    made.lines = view->lines.inner * view->lines.outer;
    made.steps = view->steps.inner * view->steps.outer;
    made.bytes = elements * 2;
    made.memory = aligned_alloc(128, (size_t)(ceil_div(made.bytes, 128) * 128));
    assert_non_null(made.memory);
    for (int64_t line = 0; line < made.lines; line++)
        for (int64_t step = 0; step < made.steps; step++)
            number_at(2, line, step, made.memory + (offset_of(&view->lines, line) + offset_of(&view->steps, step)) * 2);
    const lay_axis lines = axis_of(&view->lines), k = axis_of(&view->steps);
    *view = lay_narrow_view_narrow(&lines, &k, LAY_BF16);
    return made;
}

/* Tiles have every line once. */
static void insist_on_lines(const matrix *of, int tile, int is_right, const lay_narrow_args *args)
{
    const int lines = producer_tiles[tile][1 + is_right], all = is_right ? args->n : args->m;
    unsigned char *const found = calloc((size_t)of->lines, 1);
    int64_t count = 0;
    assert_non_null(found);
    for (int first = 0; first < all; first += lines)
        for (int line = 0; line < lines; line++) {
            const int own = producer_line(tile, is_right, args, first, line);
            if (own < 0 || own >= of->lines)
                continue;
            assert_int_equal(found[own]++, 0);
            count++;
        }
    assert_int_equal(count, of->lines);
    free(found);
}

static void fill_short(const matrix *of, lay_narrow_tile tile, const lay_narrow_operand *operand, lay_narrow_map *map)
{
    lay_narrow_operand filled;
    const lay_narrow_view last = lay_narrow_view_short(&of->view);
    if (!operand->last.bytes)
        return;
    assert_int_equal(lay_narrow_view_fill(&last, of->memory, LAY_BF16, tile, LAY_NARROW_WHOLE, &filled), LAY_OK);
    memcpy(map->tensor, filled.tensor, sizeof map->tensor);
}

/* Narrow boxes, strips of blocks, and turns that end with blocks. */
static void insist_on_narrow(uint64_t number)
{
    random_source from = random_case(172, number);
    int tile = (int)random_in(&from, 0, PRODUCER_TILES - 1);
    while (producer_tiles[tile][0] != 2)
        tile = (int)random_in(&from, 0, PRODUCER_TILES - 1);
    const int way = (int)random_in(&from, 0, PRODUCER_WAYS - 1);
    const lay_cuda_digits k = draw_sixteens(&from, 500), all = { .inner = k.inner * k.outer, .outer = 1 };
    const int has_left = random_one_in(&from, 2), has_right = !has_left || random_one_in(&from, 2);
    matrix left = draw_narrow(&from, way / 2, 600, has_left ? &k : &all);
    matrix right = draw_narrow(&from, way % 2, 600, has_right ? &k : &all);
    const lay_cuda_kernel row = { .bm = producer_tiles[tile][1], .bn = producer_tiles[tile][2] };
    const int is_shared = random_one_in(&from, 3), log_down = is_shared ? (int)random_in(&from, 0, 2) : 0,
              log_across = is_shared ? (int)random_in(&from, 0, 1) : 0, ranks = 1 << (log_down + log_across);
    lay_narrow_tile rows = { row.bm, 1 << log_across, 0 }, columns = { row.bn, 1 << log_down, 0 };
    if (left.view.size && right.view.size && left.view.is_across == way / 2 && right.view.is_across == way % 2 &&
        lay_narrow_views_end_together(&left.view, &right.view)) {
        if (!lay_narrow_view_is_whole(&left.view, (lay_narrow_tile){ row.bm, 1, 0 }))
            rows.strips = lay_narrow_view_strips(&left.view, row.bm);
        if (!lay_narrow_view_is_whole(&right.view, (lay_narrow_tile){ row.bn, 1, 0 }))
            columns.strips = lay_narrow_view_strips(&right.view, row.bn);
        lay_narrow_args args = { .m = (int)ceil_div(left.lines, row.bm) * row.bm,
                                 .n = (int)ceil_div(right.lines, row.bn) * row.bn,
                                 .k = (int)left.steps,
                                 .slices = 1,
                                 .slice_k = (int)left.steps,
                                 .cluster = ranks,
                                 .log_down = log_down,
                                 .log_across = log_across,
                                 .bringing = LAY_NARROW_BY_WHOLES };
        if (left.view.ends)
            args.turns = (int)(left.view.steps.outer * ceil_div(left.view.ends, 64));
        lay_narrow_args_tile(&args, &row);
        if (lay_narrow_view_is_whole(&left.view, rows) && lay_narrow_view_is_whole(&right.view, columns)) {
            assert_int_equal(
                lay_narrow_view_fill(&left.view, left.memory, LAY_BF16, rows, LAY_NARROW_WHOLE, &args.left), LAY_OK);
            assert_int_equal(
                lay_narrow_view_fill(&right.view, right.memory, LAY_BF16, columns, LAY_NARROW_WHOLE, &args.right),
                LAY_OK);
            fill_short(&left, rows, &args.left, &args.left_tail);
            fill_short(&right, columns, &args.right, &args.right_tail);
            args.strips_m = lay_narrow_view_describe_strips(&left.view, rows);
            args.strips_n = lay_narrow_view_describe_strips(&right.view, columns);
            insist_on_lines(&left, tile, 0, &args);
            insist_on_lines(&right, tile, 1, &args);
            insist_on_blocks(&left, tile, way, ranks, &args, number);
            insist_on_blocks(&right, tile, way, ranks, &args, number);
            const int is_narrow = args.left.seen.width < 128 || args.right.seen.width < 128;
            narrow += is_narrow;
            shared_narrow += is_narrow && ranks > 1;
            strips += rows.strips || columns.strips;
            ended += left.view.ends > 0;
        }
    }
    free(left.memory);
    free(right.memory);
}

static void narrow_turns_are_where_the_matrix_units_look(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < NARROW_CASES; number++)
        insist_on_narrow(number);
    assert_true(narrow > 50 && shared_narrow > 5 && strips > 50 && ended > 50 && shorter > 50);
}

static void turns_are_where_the_matrix_units_look(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < CASES; number++)
        insist_on_case(number);
    assert_true(whole > 100 && shared > 20 && with_tail > 50 && in_pieces > 50 && shared_pieces > 10 && others > 5);
}

/* Boxes of contiguous lines are as many as fill a line of shared memory, or what a block of them has left. */
static void tiles_begin_where_boxes_may(void **state)
{
    (void)state;
    static const int tiles[] = { 16, 32, 64, 96, 128, 144, 160, 192, 224, 256 }, inner[] = { 64, 128, 192, 384 };
    enum { TURN = LAY_NARROW_LINE / 2 };
    int count = 0;
    for (size_t t = 0; t < sizeof tiles / sizeof tiles[0]; t++)
        for (size_t i = 0; i < sizeof inner / sizeof inner[0]; i++) {
            const lay_narrow_view view = { .lines = { .inner = inner[i], .outer = 99, .stride = 1 },
                                           .steps = { .inner = 64, .outer = 1 },
                                           .size = 2,
                                           .is_across = 1 };
            int is_straddled = 0;
            for (int first = 0; first < inner[i] * tiles[t]; first += tiles[t])
                for (int line = first; line < first + tiles[t]; line++) /* its box begins a multiple of TURN behind */
                    is_straddled |= (first + (line - first) / TURN * TURN) / inner[i] != line / inner[i];
            count += lay_narrow_view_begins(&view, tiles[t]);
            assert_true(!lay_narrow_view_begins(&view, tiles[t]) || !is_straddled);
            assert_true(lay_narrow_view_begins(&view, tiles[t]) || is_straddled);
        }
    assert_in_range(count, 1, 35);
}

/* Several bands of C, pairs, slices in turn and slices together. */
static void insist_on_works(uint64_t number)
{
    random_source from = random_case(127, number);
    const int tile = (int)random_in(&from, 0, PRODUCER_TILES - 1), kind = (int)random_in(&from, 0, 2);
    const lay_cuda_kernel row = { .bm = producer_tiles[tile][1], .bn = producer_tiles[tile][2] };
    const int most = random_one_in(&from, 4) ? 5000 : 500, slices = kind == 0 ? 1 : (int)random_in(&from, 1, 5);
    lay_narrow_args args = { .m = (int)random_in(&from, 1, 11000 - 2 * most),
                             .n = (int)random_in(&from, 1, most),
                             .k = slices * 128,
                             .slices = slices,
                             .slice_k = 128,
                             .is_together = kind == 2 && slices > 1 };
    if (kind == 0) {
        args.log_down = (int)random_in(&from, 0, 2);
        args.log_across = (int)random_in(&from, 0, 2);
    }
    args.cluster = kind == 2 ? slices : 1 << (args.log_down + args.log_across);
    lay_narrow_args_tile(&args, &row);
    const int ranks = args.cluster, down = (args.m + row.bm - 1) / row.bm, across = (args.n + row.bn - 1) / row.bn;
    unsigned char *const met = calloc((size_t)down * (size_t)across, (size_t)slices);
    int64_t count = 0;
    for (int rank = 0; rank < ranks; rank++) {
        turns = 0;
        assert_true(producer_run(tile, 0, rank, &args, take_turn, NULL));
        for (int t = 0; t < turns; t++) {
            const int i = turn[t].i / row.bm, j = turn[t].j / row.bn, slice = turn[t].step / 128;
            if (kind == 0 && (i >= down || j >= across))
                continue; /* a cluster's other tiles, which are not there */
            assert_true(i < down && j < across && slice < slices && turn[t].i % row.bm == 0 && turn[t].j % row.bn == 0);
            assert_int_equal(met[((size_t)slice * (size_t)down + (size_t)i) * (size_t)across + (size_t)j]++, 0);
            count++;
        }
    }
    assert_int_equal(count, (int64_t)down * across * slices);
    free(met);
}

static void works_are_every_tile_once(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 2000; number++)
        insist_on_works(number);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(turns_are_where_the_matrix_units_look),
                                        cmocka_unit_test(narrow_turns_are_where_the_matrix_units_look),
                                        cmocka_unit_test(tiles_begin_where_boxes_may),
                                        cmocka_unit_test(works_are_every_tile_once) };
    return cmocka_run_group_tests_name("narrow_boxes", tests, NULL, NULL);
}
