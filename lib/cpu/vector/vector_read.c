/* One function a reading, each for some lines and blocks. */
#include "cpu/vector/vector_read.h"

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/packed/pack.h"
#include "cpu/packed/packed.h"
#include "plan/summation.h"
#include "threads/workspace.h"

/* Some lines and the steps of one block or, where the matrix is read along and they are one segment, of several. */
typedef struct piece {
    int64_t first, n, from, to;
    char *sums;
    int64_t row;
    char *room, *panel; /* the kernel's, and that of a packed panel */
} piece;

static const char *element_at(const lay_vector_work *of, const void *zero, int64_t index)
{
    return (const char *)zero + index * lay_size_of(of->problem->types.left);
}

/* Steps that lie a stride apart together; their x begins at x[own->from]. */
static int find_segments(const lay_vector_work *of, const piece *own, lay_segment out[LAY_KC])
{
    const int64_t run = of->blocks->vector.run_k;
    int count = 0;
    for (int64_t p = own->from, end; p < own->to; p = end) {
        end = run < own->to ? min_of(own->to, (p / run + 1) * run) : own->to;
        out[count++] =
            (lay_segment){ .count = end - p, .from_a = p - own->from, .from_b = lay_axis_offset(of->steps, p) };
    }
    return count;
}

/* Where lines begin. */
static void find_lines(const lay_axis *lines, int64_t first, int64_t n, int64_t out[])
{
    if (lines->class == LAY_AXIS_TABLE || lines->count > 1) {
        lay_axis_offsets(lines, first, n, out);
        return;
    }
    const int64_t stride = lines->count ? lines->mode[0].stride : 0;
    out[0] = lay_axis_offset(lines, first);
    for (int64_t j = 1; j < n; j++) /* multiplications would show */
        out[j] = out[j - 1] + stride;
}

static void sum_along(const lay_vector_work *of, const piece *own)
{
    int64_t line[LAY_VECTOR_LINES];
    lay_segment segment[LAY_KC];
    find_lines(of->lines, own->first, own->n, line);
    const lay_along along = { .k = own->to - own->from,
                              .kc = of->blocks->kc,
                              .segment = segment,
                              .segments = find_segments(of, own, segment),
                              .n = own->n,
                              .line = line,
                              .x = element_at(of, of->x, own->from - of->x_first),
                              .b = of->matrix,
                              .sums = own->sums,
                              .sums_row = own->row };
    of->blocks->kernel->along(&along);
}

/* n lines side by side at b. */
static void sum_panel(const lay_vector_work *of, const piece *own, const lay_segment *segment, int segments,
                      const void *b, int64_t step, int64_t n, int64_t at)
{
    const lay_across across = { .segment = segment,
                                .segments = segments,
                                .n = n,
                                .x = element_at(of, of->x, own->from - of->x_first),
                                .b = b,
                                .b_step = step,
                                .sums = own->sums + at * lay_size_of(of->problem->types.sum),
                                .room = own->room };
    of->blocks->kernel->across(&across);
}

static void sum_across(const lay_vector_work *of, const piece *own)
{
    const lay_vector *vector = &of->blocks->vector;
    const int64_t run = vector->run_lines, last = own->first + own->n;
    lay_segment segment[LAY_KC];
    const int segments = find_segments(of, own, segment);
    for (int64_t j = own->first, n; j < last; j += n) {
        n = min_of(last - j, (j / run + 1) * run - j);
        sum_panel(of, own, segment, segments, element_at(of, of->matrix, lay_axis_offset(of->lines, j)), vector->step,
                  n, j - own->first);
    }
}

static void sum_packed(const lay_vector_work *of, const piece *own)
{
    const lay_kernel *kernel = of->blocks->kernel;
    const int64_t k = own->to - own->from, last = own->first + own->n;
    const lay_segment all = { .count = k };
    int64_t along[LAY_KC], across[LAY_MAX_NR];
    lay_axis_offsets(of->steps, own->from, k, along);
    const int is_along = lay_offsets_are_unit(along, k);
    for (int64_t j = own->first, n; j < last; j += n) {
        n = min_of(kernel->nr, last - j);
        lay_axis_offsets(of->lines, j, n, across);
        const lay_panel panel = {
            .k = k, .w = (int)n, .src = of->matrix, .across = across, .along = along, .dst = own->panel
        };
        kernel->pack_b[lay_offsets_are_unit(across, n) ? LAY_PACK_ACROSS
                       : is_along                      ? LAY_PACK_ALONG
                                                       : LAY_PACK_ANY](&panel);
        sum_panel(of, own, &all, 1, own->panel, kernel->nr, n, j - own->first);
    }
}

static void sum_panels(const lay_vector_work *of, const piece *own)
{
    const lay_panels_shape shape = lay_packed_shape(of->packed);
    const int64_t width = shape.width, last = own->first + own->n;
    const char *const block = element_at(of, of->packed->elements, own->from / shape.steps * shape.block);
    const lay_segment all = { .count = own->to - own->from };
    for (int64_t j = own->first, n; j < last; j += n) {
        n = min_of(width - j % width, last - j);
        sum_panel(of, own, &all, 1, element_at(of, block, j / width * shape.panel + j % width), width, n,
                  j - own->first);
    }
}

/* The across function's. */
static size_t room_of(const lay_vector *vector)
{
    const int64_t lines = vector->width + LAY_PARTIAL_LINES;
    return vector->reading == LAY_VECTOR_ALONG ? 0 : (size_t)(lines * LAY_PARTIAL_BYTES);
}

void lay_vector_sum(const lay_vector_work *of, int64_t first, int64_t n, int64_t from, int64_t to, char *sums,
                    int64_t row, char *room)
{
    static void (*const sum[])(const lay_vector_work *of, const piece *own) = {
        [LAY_VECTOR_ALONG] = sum_along,
        [LAY_VECTOR_ACROSS] = sum_across,
        [LAY_VECTOR_PACKED] = sum_packed,
        [LAY_VECTOR_PANELS] = sum_panels,
    };
    const lay_vector *vector = &of->blocks->vector;
    const int64_t kc = of->blocks->kc, size = lay_size_of(of->problem->types.sum);
    const int is_whole = vector->reading == LAY_VECTOR_ALONG && vector->run_k >= of->problem->k.extent;
    piece own = { .first = first, .n = n, .sums = sums, .row = row, .room = room, .panel = room + room_of(vector) };
    for (int64_t p = from; p < to; p = own.to, own.sums += row * size) {
        own.from = p;
        own.to = is_whole ? to : min_of(p + kc, to);
        sum[vector->reading](of, &own);
    }
}

size_t lay_vector_scratch(const lay_problem *problem, const lay_blocked *blocks)
{
    const int64_t panel = blocks->kc * blocks->kernel->nr * lay_size_of(problem->types.left);
    return room_of(&blocks->vector) +
           (blocks->vector.reading == LAY_VECTOR_PACKED ? lay_workspace_part((size_t)panel) : 0);
}
