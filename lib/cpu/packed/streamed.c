/* Streaming tiles of C: which results, and how. */
#include "cpu/packed/streamed.h"

#include "base/scalar.h"
#include "machine/machine.h"
#include "machine/rates.h"
#include "storage/stream.h"

int lay_is_streamed(const lay_problem *problem, const lay_part *part, const lay_call *call, int64_t kc)
{
    const double elements = (double)problem->m.extent * (double)problem->n.extent;
    const int is_whole = part->first == 0 && part->last >= problem->k.extent && problem->k.extent <= kc;
    return elements * (double)lay_type_size(problem->types.result) >= lay_rates_get()->streamed_bytes && is_whole &&
           !problem->posed.is_of_numbers && lay_scalar_is(call->beta, problem->types.sum, 0);
}

int lay_are_lines(uint64_t bits)
{
    return bits % LAY_LINE == 0;
}

/* Whole ones. */
static void stream_lines(char *to, const char *from, int64_t bytes)
{
    for (int64_t at = 0; at < bytes; at += LAY_LINE)
        stream_line(to + at, from + at);
}

void lay_stream_segments(const char *from, int64_t apart, char *to, const int64_t offset[], int64_t size, int count,
                         int64_t bytes)
{
    for (int i = 0; i < count; i++)
        stream_lines(to + offset[i] * size, from + i * apart, bytes);
}

int lay_stream_strided(const lay_kernel *kernel, const lay_strided *tile)
{
    _Alignas(LAY_LINE) char buffer[LAY_MAX_TILE_BYTES];
    const int64_t size = (int64_t)lay_type_size(kernel->type), row = tile->c_row * size, width = tile->n * size;
    const int is_one_stretch = tile->c_row == tile->n && tile->m * width >= 2 * LAY_LINE;
    if (!is_one_stretch && !lay_are_lines((uint64_t)(uintptr_t)tile->c | (uint64_t)row | (uint64_t)width))
        return 0;
    lay_strided inner = *tile;
    inner.c = buffer;
    inner.c_row = tile->n;
    kernel->strided(&inner);
    if (is_one_stretch)
        stream_bytes(tile->c, buffer, (size_t)(tile->m * width));
    else
        for (int i = 0; i < tile->m; i++)
            stream_lines((char *)tile->c + i * row, buffer + i * width, width);
    return 1;
}

void lay_end_streams(void)
{
    end_stream();
}
