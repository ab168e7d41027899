/* A copy's job for the device's kernels: lines or tiles, words, blocks (kernels/cuda_copy.h). */
#include "cuda/copy/choose.h"

#include "base/arith.h"

enum { SHORT_LINE = 32 }; /* bytes from which lines fill sectors of memory by themselves */

/* Bytes of the tables of axes that have maps, for both sides. */
static size_t count_tables(const lay_copy_axes *axes)
{
    size_t bytes = 0;
    for (int i = 0; i < axes->count; i++)
        if (axes->axis[i].from_map)
            bytes += 2 * (size_t)axes->axis[i].extent * sizeof(int64_t);
    return bytes;
}

/* Appends a list's axes, of elements in so many parts; tables are filled at host, and lie at device later. Returns how
 * many. */
static int append_axes(const lay_copy_axes *axes, int parts, lay_cuda_copy_axis *out, int64_t **host,
                       const int64_t **device)
{
    int count = 0;
    for (int i = 0; i < axes->count; i++) {
        const lay_copy_axis *axis = &axes->axis[i];
        lay_cuda_copy_axis made = { .extent = axis->extent,
                                    .from.stride = axis->from * parts,
                                    .to.stride = axis->to * parts };
        if (axis->from_map) {
            lay_map_offsets(axis->from_map, 0, axis->extent, *host);
            lay_map_offsets(axis->to_map, 0, axis->extent, *host + axis->extent);
            for (int64_t j = 0; parts > 1 && j < 2 * axis->extent; j++)
                (*host)[j] *= parts;
            made.from.table = *device;
            made.to.table = *device + axis->extent;
            *host += 2 * axis->extent;
            *device += 2 * axis->extent;
        }
        if (axis->extent > 1 || axis->from_map)
            out[count++] = made;
    }
    return count;
}

/* The most bytes, from an element's on, to which both addresses and all strides are aligned. */
static int find_alignment(const lay_copy_job *job, const lay_cuda_copy_args *args)
{
    uintptr_t all = (uintptr_t)job->from | (uintptr_t)job->to | 16;
    for (int i = 0; i < args->columns + args->rows + args->outers; i++) {
        if (args->axis[i].from.table)
            return (int)args->size;
        all |= (uintptr_t)(args->axis[i].from.stride * args->size) | (uintptr_t)(args->axis[i].to.stride * args->size);
    }
    return (int)(all & -all);
}

static int log2_of(int64_t count)
{
    int log = 0;
    while (((int64_t)1 << log) < count)
        log++;
    return log;
}

static lay_cuda_copy_form choose_lines(const lay_copy_job *job, int alignment, lay_cuda_copy_args *args)
{
    const int64_t bytes = job->line * job->size;
    int word = alignment;
    while (bytes % word != 0)
        word /= 2;
    args->line = bytes / word;
    args->lines = job->elements / job->line;
    args->pieces = ceil_div(bytes, LAY_CUDA_COPY_BYTES);
    args->lines_per_block = args->pieces > 1 ? 1 : (int)min_of(LAY_CUDA_COPY_BYTES / bytes, LAY_CUDA_COPY_LINES);
    return (lay_cuda_copy_form){ .function = lay_cuda_copy_lines[log2_of(word) - 1],
                                 .blocks = ceil_div(args->lines, args->lines_per_block) * args->pieces,
                                 .threads = LAY_CUDA_COPY_THREADS };
}

/* As square as the lists allow, else as large. */
static void choose_tile(int word, lay_cuda_copy_args *args)
{
    const int room = log2_of(LAY_CUDA_COPY_BYTES / word), side = log2_of(LAY_CUDA_COPY_SIDE);
    const int columns = (int)min_of(log2_of(args->column_count), side),
              rows = (int)min_of(log2_of(args->row_count), side);
    args->log_columns = (int)min_of(columns, room / 2);
    args->log_rows = (int)min_of(rows, room - args->log_columns);
    args->log_columns = (int)min_of(columns, room - args->log_rows);
}

/* All but the innermost axis of a list step by vectors on a side, and that one by 1 and in whole vectors. */
static int goes_in_vectors(const lay_cuda_copy_args *args, int innermost, int is_to, int64_t v)
{
    for (int i = 0; i < args->columns + args->rows + args->outers; i++) {
        const lay_cuda_copy_offsets *offsets = is_to ? &args->axis[i].to : &args->axis[i].from;
        if (offsets->table || offsets->stride % v != (i == innermost && v > 1))
            return 0;
    }
    return args->axis[innermost].extent % v == 0 &&
           (is_to ? &args->axis[innermost].to : &args->axis[innermost].from)->stride == 1;
}

/* Where rows and columns lie, vectors of v words may be moved on both sides. */
static int can_move_vectors(const lay_copy_job *job, const lay_cuda_copy_args *args, int word, int64_t v)
{
    return word == args->size && args->columns > 0 && args->rows > 0 &&
           ((uintptr_t)job->from | (uintptr_t)job->to) % (uintptr_t)(v * word) == 0 &&
           goes_in_vectors(args, args->columns, 0, v) && goes_in_vectors(args, 0, 1, v);
}

/* The longest of them, up to 16 bytes; 1: none. */
static int find_vector(const lay_copy_job *job, const lay_cuda_copy_args *args, int word)
{
    int v = 16 / word;
    while (v > 1 && !can_move_vectors(job, args, word, v))
        v /= 2;
    return v;
}

/* A line becomes the first of the columns. */
static void put_line_first(int64_t elements, lay_cuda_copy_args *args)
{
    for (int i = args->columns + args->rows + args->outers; i > 0; i--)
        args->axis[i] = args->axis[i - 1];
    args->axis[0] = (lay_cuda_copy_axis){ .extent = elements, .from.stride = 1, .to.stride = 1 };
    args->columns++;
    args->column_count *= elements;
}

static lay_cuda_copy_form tile_form(const void *function, int word, int64_t outers, lay_cuda_copy_args *args)
{
    choose_tile(word, args);
    args->tiles_across = ceil_div(args->column_count, (int64_t)1 << args->log_columns);
    args->tiles_along = ceil_div(args->row_count, (int64_t)1 << args->log_rows);
    return (lay_cuda_copy_form){ .function = function,
                                 .blocks = args->tiles_across * args->tiles_along * outers,
                                 .threads = LAY_CUDA_COPY_THREADS,
                                 .shared = lay_cuda_copy_shared(args->log_columns, args->log_rows, word) };
}

static lay_cuda_copy_form choose_tiles(const lay_copy_job *job, int alignment, lay_cuda_copy_args *args)
{
    const int64_t line = job->line * job->size;                        /* bytes */
    const int is_word = line <= alignment && (line & (line - 1)) == 0; /* 2, 4, 8 or 16 */
    const int word = (int)(is_word ? line : args->size);
    args->column_count = job->columns.extent;
    args->row_count = job->rows.extent;
    if (!is_word)
        put_line_first(line / args->size, args);
    const int v = find_vector(job, args, word), size = log2_of(word) - 1;
    lay_cuda_copy_form made =
        tile_form(v > 1 ? lay_cuda_copy_tiles_by_vectors[size][log2_of(v) - 1] : lay_cuda_copy_tiles[size], word,
                  job->outers.extent, args);
    made.moved = v * word;
    return made;
}

/* Whether lines, on both sides, are whole vectors of v elements that lie at multiples of them. */
static int are_lines_in_vectors(const lay_copy_job *job, const lay_cuda_copy_args *args, int64_t v)
{
    if (job->line % v || (uintptr_t)job->from % (uintptr_t)(v * job->from_size) ||
        (uintptr_t)job->to % (uintptr_t)(v * job->size))
        return 0;
    for (int i = 0; i < args->columns + args->rows + args->outers; i++) {
        const lay_cuda_copy_axis *axis = &args->axis[i];
        if (axis->from.table || axis->from.stride % v || axis->to.stride % v)
            return 0;
    }
    return 1;
}

/* The same for elements that change: a word is one of the type that they are computed in. */
static lay_cuda_copy_form choose_changed_lines(const lay_copy_job *job, lay_cuda_copy_args *args)
{
    const int number = lay_cuda_changed_number(job->sum_type);
    const int64_t room = LAY_CUDA_COPY_BYTES / lay_size_of(job->sum_type);
    args->line = job->line;
    args->lines = job->elements / job->line;
    args->pieces = ceil_div(job->line, room);
    args->lines_per_block = args->pieces > 1 ? 1 : (int)min_of(room / job->line, LAY_CUDA_COPY_LINES);
    const int64_t v = 16 / lay_size_of(job->sum_type);
    const void *const *functions =
        v > 1 && are_lines_in_vectors(job, args, v) ? lay_cuda_changed_lines_by_vectors : lay_cuda_changed_lines;
    return (lay_cuda_copy_form){ .function = functions[number],
                                 .blocks = ceil_div(args->lines, args->lines_per_block) * args->pieces,
                                 .threads = LAY_CUDA_COPY_THREADS };
}

static lay_cuda_copy_form choose_changed_tiles(const lay_copy_job *job, lay_cuda_copy_args *args)
{
    const int word = (int)lay_size_of(job->sum_type);
    args->column_count = job->columns.extent;
    args->row_count = job->rows.extent;
    if (job->line > 1)
        put_line_first(job->line, args);
    return tile_form(lay_cuda_changed_tiles[lay_cuda_changed_number(job->sum_type)], word, job->outers.extent, args);
}

/* A part of a scalar. */
static double number_of(const lay_scalar *scalar, lay_type type, int is_imaginary)
{
    if (!lay_type_is_complex(type))
        return is_imaginary ? 0 : type == LAY_F64 ? scalar->f64 : (double)scalar->f32;
    return is_imaginary ? lay_scalar_imaginary(scalar, type) : lay_scalar_real(scalar, type);
}

/* Complex numbers at an address that is no multiple of their size. */
static int is_apart(lay_type type, const void *at)
{
    return lay_type_is_complex(type) && (uintptr_t)at % (uintptr_t)lay_size_of(type) != 0;
}

static lay_cuda_change change_of(const lay_copy_job *job)
{
    const lay_type sum = job->sum_type;
    lay_cuda_change made = { .from = job->from_type,
                             .to = job->to_type,
                             .from_size = job->from_size,
                             .from_is_apart = is_apart(job->from_type, job->from),
                             .to_is_apart = is_apart(job->to_type, job->to),
                             .is_conjugated = job->is_conjugated && lay_type_is_complex(job->from_type),
                             .reads_from = job->reads_from,
                             .reads_to = job->reads_to,
                             .is_one = !job->reads_to && lay_scalar_is(&job->alpha, sum, 1) };
    made.alpha[0] = number_of(&job->alpha, sum, 0);
    made.alpha[1] = number_of(&job->alpha, sum, 1);
    made.beta[0] = number_of(&job->beta, sum, 0);
    made.beta[1] = number_of(&job->beta, sum, 1);
    return made;
}

size_t lay_cuda_copy_count_tables(const lay_copy_job *job)
{
    return count_tables(&job->columns) + count_tables(&job->rows) + count_tables(&job->outers);
}

lay_cuda_copy_form lay_cuda_copy_choose(const lay_copy_job *job, int64_t *host, const int64_t *device,
                                        lay_cuda_copy_args *args)
{
    /* Words lie at multiples of their size. Complex numbers need not, but their parts do. */
    const uintptr_t places = (uintptr_t)job->from | (uintptr_t)job->to;
    const int parts = job->is_plain && job->size >= 8 && places % (uintptr_t)job->size ? 2 : 1;
    *args = (lay_cuda_copy_args){ .from = job->from, .to = job->to, .size = job->size / parts };
    args->columns = append_axes(&job->columns, parts, args->axis, &host, &device);
    args->rows = append_axes(&job->rows, parts, args->axis + args->columns, &host, &device);
    args->outers = append_axes(&job->outers, parts, args->axis + args->columns + args->rows, &host, &device);
    if (!job->is_plain) {
        args->change = change_of(job);
        return job->line * min_of(job->size, job->from_size) >= SHORT_LINE ? choose_changed_lines(job, args)
                                                                           : choose_changed_tiles(job, args);
    }
    const int alignment = find_alignment(job, args);
    return job->line * job->size >= SHORT_LINE ? choose_lines(job, alignment, args)
                                               : choose_tiles(job, alignment, args);
}
