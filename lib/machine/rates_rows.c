/* Rates, a row for each kind of machine: the columns of the table. */
#include "machine/rates_rows.h"

#include <stddef.h>
#include <string.h>

#include "levels.h"

static const lay_rates zen3 = {
#define R(name, least, most, zen3, zen4, zen5, spr, avx512, avx2, c) .name = zen3,
#include "machine/rates_table.h"
#undef R
};
static const lay_rates zen4 = {
#define R(name, least, most, zen3, zen4, zen5, spr, avx512, avx2, c) .name = zen4,
#include "machine/rates_table.h"
#undef R
};
static const lay_rates zen5 = {
#define R(name, least, most, zen3, zen4, zen5, spr, avx512, avx2, c) .name = zen5,
#include "machine/rates_table.h"
#undef R
};
static const lay_rates spr = {
#define R(name, least, most, zen3, zen4, zen5, spr, avx512, avx2, c) .name = spr,
#include "machine/rates_table.h"
#undef R
};
static const lay_rates avx512 = {
#define R(name, least, most, zen3, zen4, zen5, spr, avx512, avx2, c) .name = avx512,
#include "machine/rates_table.h"
#undef R
};
static const lay_rates avx2 = {
#define R(name, least, most, zen3, zen4, zen5, spr, avx512, avx2, c) .name = avx2,
#include "machine/rates_table.h"
#undef R
};
static const lay_rates portable = {
#define R(name, least, most, zen3, zen4, zen5, spr, avx512, avx2, c) .name = c,
#include "machine/rates_table.h"
#undef R
};

static const char amd[] = "AuthenticAMD", intel[] = "GenuineIntel";

/* Rows of CPUs, then of levels, the highest first. */
static const lay_rates_row rows[] = {
    { "zen3", amd, 0x19, 0x00, 0x0f, LAY_ISA_AVX2, &zen3 },
    { "zen3", amd, 0x19, 0x20, 0x5f, LAY_ISA_AVX2, &zen3 },
    { "zen4", amd, 0x19, 0x10, 0x1f, LAY_ISA_AVX512, &zen4 },
    { "zen4", amd, 0x19, 0x60, 0xaf, LAY_ISA_AVX512, &zen4 },
    { "zen5", amd, 0x1a, 0x00, 0xff, LAY_ISA_AVX512, &zen5 },
    { "spr", intel, 6, 143, 143, LAY_ISA_AVX512, &spr },
    { "spr", intel, 6, 207, 207, LAY_ISA_AVX512, &spr },
    { "spr", NULL, 0, 0, 0, LAY_ISA_AMX, &spr }, /* the only machine with tiles that was measured */
    { "avx512", NULL, 0, 0, 0, LAY_ISA_AVX512, &avx512 },
    { "avx2", NULL, 0, 0, 0, LAY_ISA_AVX2, &avx2 },
    { "c", NULL, 0, 0, 0, LAY_ISA_C, &portable },
};

static int is_of(const lay_rates_row *row, const lay_identity *own)
{
    return strcmp(own->vendor, row->vendor) == 0 && own->family == row->family && row->first_model <= own->model &&
           own->model <= row->last_model;
}

const lay_rates_row *lay_rates_row_for(const lay_identity *own, unsigned levels)
{
    for (const lay_rates_row *row = rows; row < rows + sizeof rows / sizeof rows[0]; row++)
        if (lay_isa_is_in(levels, row->isa) && (!row->vendor || (own && is_of(row, own))))
            return row;
    return NULL;
}
