/* A row of rates: the machines that it is for. */
#ifndef LAY_MACHINE_RATES_ROWS_H
#define LAY_MACHINE_RATES_ROWS_H

#include "machine/rates.h"

typedef struct lay_rates_row {
    const char *name;
    const char *vendor; /* as cpuid says it; NULL: any CPU of the level */
    unsigned family, first_model, last_model;
    lay_isa isa; /* the least */
    const lay_rates *rates;
} lay_rates_row;

/* Rows of CPUs, then of levels, the highest first; a NULL name ends them. */
extern const lay_rates_row lay_rates_rows[];

#endif
