/* What lanes need side by side comes there, widened or expanded on the way, and C goes back. */
#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/lanes/lanes_work.h"

/* Elements that lie from_step bytes apart to where they lie to_step bytes apart. */
#define MOVE(BYTES)                                                                                                    \
    static void move_##BYTES(const char *from, int64_t from_step, int64_t count, char *to, int64_t to_step)            \
    {                                                                                                                  \
        for (int64_t l = 0; l < count; l++, from += from_step, to += to_step)                                          \
            memcpy(to, from, BYTES);                                                                                   \
    }
MOVE(4)
MOVE(8)
MOVE(16)

static void move_elements(const char *from, int64_t from_step, int64_t count, int64_t size, char *to, int64_t to_step)
{
    (size == 4 ? move_4 : size == 8 ? move_8 : move_16)(from, from_step, count, to, to_step);
}

/* One line of an operand, of steps from .. from + count - 1 of its own, to [real steps][width]. */
static void bring_line(const lay_lanes_work *of, int side, const char *zero, const int64_t *step, int64_t count,
                       int64_t width, char *to)
{
    const lay_lanes_job *own = of->own;
    const int64_t stride = lay_lanes_mode(own)->stride[side], products = width / own->parts;
    const int64_t size = lay_size_of(of->branch->problem.types.left), row = own->width * lay_size_of(own->type);
    char line[LAY_LANES_MOST_BYTES];
    if (own->is_planar) {
        own->row->copy(zero, step, count, width, to, lay_lanes_pitch(own) * (side == LAY_LEFT ? own->mc : own->nc));
        return;
    }
    if (stride == 1 && own->expand && side == own->side && own->is_even[side]) {
        own->expand(&of->expansion, zero + step[0] * size, count > 1 ? (step[1] - step[0]) * size : 0, to, row,
                    products, count);
        return;
    }
    for (int64_t p = 0; p < count; p++, to += own->parts * row) {
        const char *from = zero + step[p] * size;
        if (own->half) {
            own->half->widen((const uint16_t *)(const void *)from, stride, products, (float *)(void *)to);
            continue;
        }
        if (stride != 1) {
            move_elements(from, stride * size, products, size, own->expand ? line : to, size);
            from = line;
        } else if (!own->expand) {
            memcpy(to, from, (size_t)(products * size));
        }
        if (own->expand && side == own->side)
            own->expand(&of->expansion, from, 0, to, row, products, 1);
        else if (own->expand)
            own->row->parts(from, width, to, to + row);
    }
}

void lay_lanes_bring(const lay_lanes_work *of, int side, const char *zero, const int64_t *line, int64_t lines,
                     const int64_t *step, int64_t count, int64_t width, char *to)
{
    const int64_t size = lay_size_of(of->branch->problem.types.left);
    const int64_t pitch = lay_lanes_pitch(of->own) * lay_size_of(of->own->type);
    for (int64_t i = 0; i < lines; i++, to += pitch)
        bring_line(of, side, zero + line[i] * size, step, count, width, to);
}

void lay_lanes_stage(const lay_lanes_work *of, const lay_lanes_chunk *at, const lay_lanes_share *mine, int64_t i,
                     int64_t j, const lay_lanes *block, int is_back)
{
    const lay_lanes_job *own = of->own;
    const int64_t size = lay_size_of(of->branch->problem.types.result), number = lay_size_of(own->type);
    const int64_t step = lay_lanes_mode(own)->stride[LAY_RESULT] * size;
    for (int64_t r = 0; r < block->m; r++)
        for (int64_t s = 0; s < block->n; s++) {
            char *const c = at->c + (of->at.result_m[i + r] + of->at.result_n[j + s]) * size;
            char *const sums = (char *)mine->sums + (of->at.sum_row[r] + of->at.sum_column[s]) * number;
            if (is_back)
                move_elements(sums, size, at->width / own->parts, size, c, step);
            else
                move_elements(c, step, at->width / own->parts, size, sums, size);
        }
}

void lay_lanes_put(const lay_lanes_work *of, const lay_lanes_chunk *at, const lay_lanes_share *mine, int64_t i,
                   int64_t j, const lay_lanes *block, int is_back)
{
    const lay_lanes_row *row = of->own->row;
    const int64_t size = lay_size_of(of->own->type), plane = lay_lanes_plane(of->own);
    for (int64_t r = 0; r < block->m; r++) {
        char *const c = at->c + of->at.result_m[i + r] * size;
        char *const sums = (char *)mine->sums + of->at.sum_row[r] * size;
        if (is_back)
            row->put(sums, plane, c, of->at.result_n + j, block->n, at->width);
        else
            row->copy(c, of->at.result_n + j, block->n, at->width, sums, plane);
    }
}
