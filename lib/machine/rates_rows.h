/* A row of rates: the machines that it is for. */
#ifndef LAY_MACHINE_RATES_ROWS_H
#define LAY_MACHINE_RATES_ROWS_H

#include "machine/identity.h"
#include "machine/rates.h"

typedef struct lay_rates_row {
    const char *name;
    const char *vendor; /* as cpuid says it; NULL: any CPU of the level */
    unsigned family, first_model, last_model;
    lay_isa isa; /* the least */
    const lay_rates *rates;
} lay_rates_row;

/* The CPU's own, else that of the highest of these levels. own: NULL where the CPU does not say what it is. */
const lay_rates_row *lay_rates_row_for(const lay_identity *own, unsigned levels);

#endif
