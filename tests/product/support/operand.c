/* A matrix in its storage: filled, fenced, read back, compared. */
#include "operand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MARGIN = 24, PAGE = 4096 };

/* A NaN that no arithmetic makes. */
static void fill_canaries(lay_type type, char *memory, size_t bytes)
{
    const uint16_t canary16 = 0xffad; /* of both types */
    const uint32_t canary32 = 0xffbadbad;
    const uint64_t canary64 = 0xfffbadbadbadbad0;
    type = oracle_real(type);
    const size_t size = lay_type_size(type);
    const void *const canary = type == LAY_F64   ? (const void *)&canary64
                               : type == LAY_F32 ? (const void *)&canary32
                                                 : (const void *)&canary16;
    for (size_t at = 0; at + size <= bytes; at += size)
        memcpy(memory + at, canary, size);
}

/* Memory of exactly these bytes between two pages that fault, against one of them. */
static char *map_fenced(operand *of, int high)
{
    const size_t pages = (of->bytes + PAGE - 1) / PAGE * PAGE;
    of->mapped = pages + 2 * PAGE;
    of->mapping = mmap(NULL, of->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (of->mapping == MAP_FAILED || mprotect(of->mapping, PAGE, PROT_NONE) != 0 ||
        mprotect(of->mapping + PAGE + pages, PAGE, PROT_NONE) != 0) {
        perror("a fenced mapping");
        abort();
    }
    return of->mapping + PAGE + (high ? pages - of->bytes : 0);
}

/* values NULL: NaN. */
void operand_write(operand *of, const double *values)
{
    const int parts = oracle_parts(of->type);
    const lay_type real = oracle_real(of->type);
    const double *next = values;
    for (int64_t i = 0; i < of->rows; i++)
        for (int64_t j = 0; j < of->columns; j++)
            for (int part = 0; part < parts; part++)
                oracle_store(real, of->zero, (of->row[i] + of->column[j]) * parts + part,
                             values ? *next++ : __builtin_nan(""));
}

operand operand_make(lay_type type, lay_desc *desc, const double *values, operand_place place, random_source *from)
{
    operand of = {
        .type = type, .desc = desc, .rows = lay_desc_extent(desc, "0"), .columns = lay_desc_extent(desc, "1")
    };
    const size_t size = lay_type_size(type);
    int64_t lowest, highest;
    lay_desc_span(desc, &lowest, &highest);
    const int64_t margin = place == OPERAND_ANYWHERE ? MARGIN + random_in(from, 0, 15) : 0;
    of.bytes = (size_t)(highest - lowest + 1 + 2 * margin) * size;
    of.memory = place == OPERAND_ANYWHERE ? oracle_memory(of.bytes) : map_fenced(&of, place == OPERAND_FLUSH_HIGH);
    fill_canaries(type, of.memory, of.bytes);
    of.zero = of.memory + (margin - lowest) * (int64_t)size;
    if (of.rows > 0 && of.columns > 0)
        oracle_offsets(desc, &of.row, &of.column);
    operand_write(&of, values);
    of.before = oracle_memory(of.bytes);
    memcpy(of.before, of.memory, of.bytes);
    return of;
}

void operand_free(operand *of)
{
    lay_desc_destroy(of->desc);
    free(of->row);
    free(of->column);
    free(of->before);
    if (of->mapping)
        munmap(of->mapping, of->mapped);
    else
        free(of->memory);
    *of = (operand){ 0 };
}

void operand_fill_bits(operand *of, random_source *from)
{
    for (size_t at = 0; at + 4 <= of->bytes; at += 4) {
        const uint32_t bits = (uint32_t)random_bits(from);
        memcpy(of->memory + at, &bits, sizeof bits);
    }
    memcpy(of->before, of->memory, of->bytes);
}

void operand_read(const operand *of, double *to)
{
    const int parts = oracle_parts(of->type);
    const lay_type real = oracle_real(of->type);
    for (int64_t i = 0; i < of->rows; i++)
        for (int64_t j = 0; j < of->columns; j++)
            for (int part = 0; part < parts; part++)
                *to++ = oracle_load(real, of->zero, (of->row[i] + of->column[j]) * parts + part);
}

void operand_bytes(const operand *of, void *to)
{
    const size_t size = lay_type_size(of->type);
    char *next = to;
    for (int64_t i = 0; i < of->rows; i++)
        for (int64_t j = 0; j < of->columns; j++, next += size)
            memcpy(next, (char *)of->zero + (of->row[i] + of->column[j]) * (int64_t)size, size);
}

/* Copies what the elements are now into the copy, which then is what all of memory must be. */
int operand_gaps_are_kept(const operand *of)
{
    const int64_t size = (int64_t)lay_type_size(of->type);
    for (int64_t i = 0; i < of->rows; i++)
        for (int64_t j = 0; j < of->columns; j++) {
            const char *const element = (char *)of->zero + (of->row[i] + of->column[j]) * size;
            memcpy(of->before + (element - of->memory), element, (size_t)size);
        }
    return operand_is_untouched(of);
}

int operand_is_untouched(const operand *of)
{
    return memcmp(of->memory, of->before, of->bytes) == 0;
}
