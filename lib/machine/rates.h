/* What costs what: every measured number that steers the CPU's ways, in one struct with a row for each kind of machine.
 */
#ifndef LAY_MACHINE_RATES_H
#define LAY_MACHINE_RATES_H

#include "layoutgemm.h"

/* Doubles, of one core but where the table says otherwise; it has their units, and where they come from. */
typedef struct lay_rates {
#define R(name, ...) double name;
#include "machine/rates_table.h"
#undef R
} lay_rates;

/* Of this machine, or of the file that LAY_RATES names: lines of a name and a value, '#' begins a comment. A bad file
 * leaves the machine's own. */
const lay_rates *lay_rates_get(void);

/* LAY_ERR_OPTION, where LAY_RATES names a file that means nothing: the sentence has its line. */
lay_status lay_rates_check(void);

/* Whose they are: a kind of machine, or the file's name. */
const char *lay_rates_from(void);

/* The names of all rates, in the order of the struct, NULL behind the last, and each one's value in of. */
typedef struct lay_rate {
    const char *name;
    double least, most; /* that a file may say */
    int offset;         /* in lay_rates */
} lay_rate;
extern const lay_rate lay_rate_table[];

#endif
