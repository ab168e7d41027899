/* Applying an ending: lines of sums, in chunks that stay in L1, widened terms beside them. */
#include "rewrite/ending/ending.h"

#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "layout/desc.h"
#include "storage/change.h"
#include "storage/half.h"
#include "threads/parallel.h"

enum {
    CHUNK = 4096,     /* bytes of sums: they, three terms and a copy are a third of a first cache */
    MOST = CHUNK / 4, /* elements of a chunk */
    TASK = 1 << 15,   /* elements: as many as make a second thread worth its while */
    TERMS = LAY_END_TERMS
};

/* ---- where elements lie ------------------------------------------------------------------------- */

static void find_axis(const lay_node *map, lay_axis *axis, int *varies)
{
    lay_group group;
    *axis = (lay_axis){ .extent = 1 };
    *varies = 0;
    if (!map)
        return;
    lay_group_refine((const lay_node *[LAY_OPERANDS]){ [LAY_RESULT] = map }, &group);
    lay_axis_make(&group, LAY_RESULT, map, axis);
    *varies = axis->class == LAY_AXIS_TABLE;
    for (int i = 0; i < axis->count; i++)
        *varies |= axis->mode[i].stride != 0;
}

static void find_axes(const lay_desc *desc, lay_type type, lay_end_axes *out)
{
    const lay_node *const map[] = { lay_operand_batch(desc), lay_operand_map(desc, 0), lay_operand_map(desc, 1) };
    for (int i = 0; i < LAY_END_DIMENSIONS; i++)
        find_axis(map[i], &out->of[i], &out->varies[i]);
    out->type = type;
}

static const lay_ending_row *find_row(lay_isa isa)
{
    const lay_ending_row *found = NULL;
    for (int i = 0; i < lay_ending_row_count; i++)
        if (lay_isa_includes(isa, lay_ending_rows[i]->isa))
            found = lay_ending_rows[i];
    return found;
}

static int64_t nearest(const lay_axis *axis)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < axis->count; i++)
        least = min_of(least, axis->mode[i].stride < 0 ? -axis->mode[i].stride : axis->mode[i].stride);
    return least;
}

void lay_ender_make(const lay_end *end, const lay_types *types, const lay_desc *d, lay_isa isa, lay_ender *out)
{
    *out = (lay_ender){ .sum = types->sum,
                        .activation = end->activation,
                        .limits = { end->low, end->high },
                        .row = find_row(isa),
                        .blend = lay_blend_find(isa) };
    find_axes(d, types->result, &out->d);
    if (lay_size_of(types->result) == 2)
        out->half[TERMS] = lay_half_find(types->result, isa);
    for (int i = 0; i < TERMS; i++) {
        if (!(out->has_term[i] = end->term[i].desc != NULL))
            continue;
        find_axes(end->term[i].desc, end->term[i].type, &out->term[i]);
        if (lay_size_of(end->term[i].type) == 2)
            out->half[i] = lay_half_find(end->term[i].type, isa);
    }
    const lay_axis *m = &out->d.of[LAY_END_ROWS], *n = &out->d.of[LAY_END_COLUMNS];
    const int is_m = m->run != n->run ? m->run > n->run : nearest(m) < nearest(n);
    out->inner = is_m ? LAY_END_ROWS : LAY_END_COLUMNS;
}

/* ---- a chunk ------------------------------------------------------------------------------------ */

/* A chunk of a line of D, and what goes with it. */
typedef struct rooms {
    _Alignas(64) char line[CHUNK], term[TERMS][CHUNK], between[CHUNK], gathered[CHUNK];
    int64_t d_offset[MOST], term_offset[MOST];
} rooms;

static void gather(int64_t size, const char *from, const int64_t offset[], int64_t count, char *to)
{
    for (int64_t i = 0; i < count; i++)
        switch (size) { /* one that is known makes it a move */
        case 2:
            memcpy(to + 2 * i, from + 2 * offset[i], 2);
            break;
        case 4:
            memcpy(to + 4 * i, from + 4 * offset[i], 4);
            break;
        case 8:
            memcpy(to + 8 * i, from + 8 * offset[i], 8);
            break;
        default:
            memcpy(to + 16 * i, from + 16 * offset[i], 16);
        }
}

static void scatter(int64_t size, const char *from, char *to, const int64_t offset[], int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        switch (size) {
        case 2:
            memcpy(to + 2 * offset[i], from + 2 * i, 2);
            break;
        case 4:
            memcpy(to + 4 * offset[i], from + 4 * i, 4);
            break;
        case 8:
            memcpy(to + 8 * offset[i], from + 8 * i, 8);
            break;
        default:
            memcpy(to + 16 * offset[i], from + 16 * i, 16);
        }
}

static int are_unit(const int64_t offset[], int64_t count)
{
    for (int64_t i = 1; i < count; i++)
        if (offset[i] != offset[0] + i)
            return 0;
    return 1;
}

/* Where count elements from `first` on lie. 1: side by side from offset[0] on, which alone is filled, perhaps. */
static int find_offsets(const lay_axis *axis, int64_t first, int64_t count, int64_t offset[])
{
    if (axis->class == LAY_AXIS_UNIT) {
        offset[0] = lay_axis_offset(axis, first);
        return 1;
    }
    lay_axis_offsets(axis, first, count, offset);
    return are_unit(offset, count);
}

#define APPEND_ZEROS(real)                                                                                             \
    static void append_zeros_##real(const real *from, int64_t count, real *to)                                         \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            to[2 * i] = from[i];                                                                                       \
            to[2 * i + 1] = 0;                                                                                         \
        }                                                                                                              \
    }
APPEND_ZEROS(float)
APPEND_ZEROS(double)

/* Numbers of type, side by side, as the parts of sums are: where they lie, or in to. */
static const void *widen_parts(const lay_ender *by, const lay_half_row *half, lay_type type, const void *from,
                               int64_t count, void *between, void *to)
{
    const int is_double = lay_type_is_double(by->sum);
    if (lay_type_is_double(type) || (!half && !is_double))
        return from;
    if (half) {
        half->widen(from, 1, count, is_double ? between : to);
        from = between;
    }
    if (is_double)
        by->blend->widen(from, count, to);
    return to;
}

/* count elements of a term, side by side, as sums are. */
static const void *widen(const lay_ender *by, int term, const void *from, int64_t count, rooms *in)
{
    const lay_type type = by->term[term].type;
    const int is_complex = lay_type_is_complex(type), is_real = !is_complex && lay_type_is_complex(by->sum);
    const void *wide = widen_parts(by, by->half[term], lay_type_real(type), from, is_complex ? 2 * count : count,
                                   in->between, is_real ? in->line : in->term[term]);
    if (is_real && lay_type_is_double(by->sum))
        append_zeros_double(wide, count, (double *)(void *)in->term[term]);
    else if (is_real)
        append_zeros_float(wide, count, (float *)(void *)in->term[term]);
    return is_real ? in->term[term] : wide;
}

/* Elements of a term for a chunk of inner indices from `first` on, at the term's row. *step: 0 where one is for all. */
static const void *find_term(const lay_end_part *of, int term, int64_t row, int64_t first, int64_t count, rooms *in,
                             int64_t *step)
{
    const lay_end_axes *axes = &of->by->term[term];
    const int64_t size = lay_size_of(axes->type);
    const char *const from = (const char *)of->terms[term] + row * size;
    *step = axes->varies[of->by->inner];
    if (!*step)
        return widen(of->by, term, from + lay_axis_offset(&axes->of[of->by->inner], 0) * size, 1, in);
    if (find_offsets(&axes->of[of->by->inner], first, count, in->term_offset))
        return widen(of->by, term, from + in->term_offset[0] * size, count, in);
    gather(size, from, in->term_offset, count, in->gathered);
    const void *wide = widen(of->by, term, in->gathered, count, in);
    if (wide == in->gathered) /* which other terms need, too */
        wide = memcpy(in->term[term], wide, (size_t)(count * size));
    return wide;
}

static int number_of(lay_type sum)
{
    return sum == LAY_F32   ? LAY_ENDING_F32
           : sum == LAY_F64 ? LAY_ENDING_F64
           : sum == LAY_C32 ? LAY_ENDING_C32
                            : LAY_ENDING_C64;
}

static void end_line(const lay_ender *by, void *line, int64_t count, const void *const term[TERMS],
                     const int64_t step[TERMS])
{
    const int type = number_of(by->sum);
    for (int i = 0; i < LAY_END_SCALES; i++)
        if (by->has_term[i])
            by->row->multiply[type](line, count, term[i], step[i]);
    if (by->has_term[LAY_END_BIAS])
        by->row->add[type](line, count, term[LAY_END_BIAS], step[LAY_END_BIAS]);
    if (by->activation != LAY_ACTIVATION_NONE)
        by->row->activate[type][by->activation](line, count, by->limits);
}

/* Sums as D has them: side by side, where they lie or in to. */
static const void *narrow(const lay_ender *by, const void *line, int64_t count, rooms *in, void *to)
{
    const int is_double = lay_type_is_double(by->sum);
    const lay_half_row *half = by->half[TERMS];
    if (by->d.type == by->sum)
        return line;
    if (half) {
        if (is_double)
            by->blend->narrow_odd(line, count, (float *)(void *)in->between);
        half->round(is_double ? (const void *)in->between : line, count, to, 1);
    } else
        by->blend->narrow(line, lay_type_is_complex(by->sum) ? 2 * count : count, to);
    return to;
}

/* A line of a part: the outer index `row`, of the batch's index b, count inner ones from first on. */
typedef struct chunk {
    int64_t b, row, first, count;
    int is_unit; /* D's elements lie side by side */
} chunk;

static void end_chunk(const lay_end_part *of, const chunk *at, const void *const term[TERMS], const int64_t step[TERMS],
                      rooms *in)
{
    const lay_ender *by = of->by;
    const int outer = LAY_END_ROWS + LAY_END_COLUMNS - by->inner;
    const int64_t size = lay_size_of(by->d.type), sum_size = lay_size_of(by->sum);
    char *const d =
        (char *)of->d +
        (lay_axis_offset(&by->d.of[LAY_END_BATCH], at->b) + lay_axis_offset(&by->d.of[outer], at->row)) * size;
    char *const side_by_side = at->is_unit ? d + in->d_offset[0] * size : NULL;
    char *line = in->line;
    if (of->sums)
        line =
            (char *)of->sums + ((at->b - of->first[LAY_END_BATCH]) * of->stride[LAY_END_BATCH] +
                                (at->row - of->first[outer]) * of->stride[outer] + at->first - of->first[by->inner]) *
                                   sum_size;
    else if (at->is_unit)
        line = side_by_side;
    else
        gather(size, d, in->d_offset, at->count, line);
    end_line(by, line, at->count, term, step);
    const void *const done = narrow(by, line, at->count, in, at->is_unit ? side_by_side : in->gathered);
    if (at->is_unit && done != side_by_side)
        memcpy(side_by_side, done, (size_t)(at->count * size));
    else if (!at->is_unit)
        scatter(size, done, d, in->d_offset, at->count);
}

/* Lines `row` .. `end` - 1 of a chunk's inner indices. */
static void end_lines(const lay_end_part *of, chunk at, int64_t end)
{
    const lay_ender *by = of->by;
    const int outer = LAY_END_ROWS + LAY_END_COLUMNS - by->inner;
    const void *term[TERMS] = { NULL };
    int64_t step[TERMS] = { 0 };
    rooms in;
    at.is_unit = find_offsets(&by->d.of[by->inner], at.first, at.count, in.d_offset);
    for (int64_t first = at.row; at.row < end; at.row++) {
        for (int i = 0; i < TERMS; i++) {
            const lay_end_axes *axes = &by->term[i];
            if (by->has_term[i] && (at.row == first || axes->varies[outer]))
                term[i] = find_term(
                    of, i, lay_axis_offset(&axes->of[LAY_END_BATCH], at.b) + lay_axis_offset(&axes->of[outer], at.row),
                    at.first, at.count, &in, &step[i]);
        }
        end_chunk(of, &at, term, step, &in);
    }
}

/* ---- all of it ---------------------------------------------------------------------------------- */

/* A part in tasks: some lines each. */
typedef struct tasks {
    const lay_end_part *part;
    int64_t lines, blocks; /* of a task; of a product */
} tasks;

/* Whether terms are read where they lie: then nothing is gained by a chunk's in several lines. */
static int are_direct(const lay_ender *by)
{
    for (int i = 0; i < TERMS; i++)
        if (by->has_term[i] && by->term[i].varies[by->inner] &&
            (by->term[i].type != by->sum || by->term[i].of[by->inner].class != LAY_AXIS_UNIT))
            return 0;
    return 1;
}

static void do_task(void *argument, int64_t number)
{
    const tasks *all = argument;
    const lay_end_part *of = all->part;
    const int inner = of->by->inner, outer = LAY_END_ROWS + LAY_END_COLUMNS - inner;
    const int64_t most = CHUNK / lay_size_of(of->by->sum), line = number % all->blocks * all->lines;
    const int64_t row = of->first[outer] + line, end = row + min_of(all->lines, of->count[outer] - line);
    chunk at = { .b = of->first[LAY_END_BATCH] + number / all->blocks, .row = row };
    const int64_t at_once = are_direct(of->by) && of->count[inner] > most ? 1 : all->lines;
    for (; at.row < end; at.row += at_once)
        for (int64_t q = 0; q < of->count[inner]; q += most) {
            at.first = of->first[inner] + q;
            at.count = min_of(most, of->count[inner] - q);
            end_lines(of, at, min_of(end, at.row + at_once));
        }
}

void lay_end_apply(const lay_end_part *part, int threads)
{
    const int inner = part->by->inner, outer = LAY_END_ROWS + LAY_END_COLUMNS - inner;
    tasks all = { .part = part, .lines = max_of(1, TASK / max_of(1, part->count[inner])) };
    all.blocks = ceil_div(part->count[outer], all.lines);
    lay_parallel_for(threads, part->count[LAY_END_BATCH] * all.blocks, do_task, &all);
}
