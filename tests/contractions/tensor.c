/* A tensor in its storage. */
#include "tensor.h"

#include <stdlib.h>
#include <string.h>

enum { MARGIN = 19 }; /* elements on both sides */

int next_index(int rank, const int64_t extent[], int64_t index[])
{
    for (int d = rank - 1; d >= 0; d--) {
        if (++index[d] < extent[d])
            return 1;
        index[d] = 0;
    }
    return 0;
}

/* An offset is the sum of what each dimension's index contributes: it is asked for once an index. */
static void find_offsets(tensor *of)
{
    int64_t index[MAX_RANK] = { 0 }, *part[MAX_RANK];
    of->offset = oracle_memory((size_t)of->count * sizeof *of->offset);
    if (of->count == 0)
        return;
    const int64_t origin = of->rank ? lay_desc_offset(of->desc, of->rank, index) : 0;
    for (int d = 0; d < of->rank; d++) {
        part[d] = oracle_memory((size_t)of->extent[d] * sizeof *part[d]);
        for (index[d] = 0; index[d] < of->extent[d]; index[d]++)
            part[d][index[d]] = lay_desc_offset(of->desc, of->rank, index) - origin;
        index[d] = 0;
    }
    for (int64_t at = 0; at < of->count; at++) {
        of->offset[at] = origin;
        for (int d = 0; d < of->rank; d++)
            of->offset[at] += part[d][index[d]];
        next_index(of->rank, of->extent, index);
    }
    for (int d = 0; d < of->rank; d++)
        free(part[d]);
}

tensor tensor_make(const element *kind, lay_desc *desc)
{
    tensor of = { .kind = kind, .desc = desc, .rank = desc ? lay_desc_rank(desc) : 0, .count = 1 };
    int64_t lowest = 0, highest = 0;
    for (int d = 0; d < of.rank; d++) {
        const char path[] = { (char)('0' + d), 0 };
        of.extent[d] = lay_desc_extent(desc, path);
        of.count *= of.extent[d];
    }
    if (desc)
        lay_desc_span(desc, &lowest, &highest);
    const size_t size = lay_type_size(kind->type);
    of.bytes = (size_t)(highest - lowest + 1 + 2 * MARGIN) * size;
    of.memory = oracle_memory(of.bytes);
    of.before = oracle_memory(of.bytes);
    of.zero = of.memory + (MARGIN - lowest) * (int64_t)size;
    memset(of.memory, 0xff, of.bytes);
    memcpy(of.before, of.memory, of.bytes);
    find_offsets(&of);
    return of;
}

void tensor_free(tensor *of)
{
    lay_desc_destroy(of->desc);
    free(of->offset);
    free(of->memory);
    free(of->before);
    *of = (tensor){ 0 };
}

void tensor_write(tensor *of, const number values[])
{
    for (int64_t at = 0; at < of->count; at++)
        element_store(of->kind, of->zero, of->offset[at], values[at]);
}

void tensor_read(const tensor *of, number values[])
{
    for (int64_t at = 0; at < of->count; at++)
        values[at] = element_load(of->kind, of->zero, of->offset[at]);
}

void tensor_fill(tensor *of, number value)
{
    for (int64_t at = 0; at < of->count; at++)
        element_store(of->kind, of->zero, of->offset[at], value);
}

static char *address(const tensor *of, int64_t at)
{
    return (char *)of->zero + of->offset[at] * (int64_t)lay_type_size(of->kind->type);
}

void tensor_bytes(const tensor *of, char *to)
{
    const size_t size = lay_type_size(of->kind->type);
    for (int64_t at = 0; at < of->count; at++, to += size)
        memcpy(to, address(of, at), size);
}

void tensor_remember(tensor *of)
{
    memcpy(of->before, of->memory, of->bytes);
}

/* Copies what the elements are now into the copy, which then is what all of memory must be. */
int tensor_gaps_are_kept(const tensor *of)
{
    for (int64_t at = 0; at < of->count; at++)
        memcpy(of->before + (address(of, at) - of->memory), address(of, at), lay_type_size(of->kind->type));
    return tensor_is_untouched(of);
}

int tensor_is_untouched(const tensor *of)
{
    return memcmp(of->memory, of->before, of->bytes) == 0;
}
