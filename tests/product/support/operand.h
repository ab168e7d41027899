/* A matrix in its storage, with canaries wherever the layout has no element. */
#ifndef LAY_TESTS_PRODUCT_OPERAND_H
#define LAY_TESTS_PRODUCT_OPERAND_H

#include <stddef.h>

#include "../../oracle.h"
#include "../../random.h"

typedef struct operand {
    lay_type type;
    lay_desc *desc; /* owned */
    int64_t rows, columns;
    void *zero; /* address of offset 0 */
    int64_t *row, *column;
    char *memory, *before; /* all storage, and a copy of it as it was filled */
    size_t bytes;
    size_t mapped; /* the length of the mapping that memory lies in, with a page that faults on each side */
    char *mapping; /* NULL: memory is from malloc */
} operand;

typedef enum operand_place {
    OPERAND_ANYWHERE,  /* canaries around; aligned as its elements, no more */
    OPERAND_FLUSH_LOW, /* the lowest element lies behind a page that faults */
    OPERAND_FLUSH_HIGH /* the highest lies before one */
} operand_place;

/* Takes over desc. values is row-major; NULL makes every element NaN. The gaps are NaN of their own
 * bits: read into arithmetic they spoil the result, written they differ. */
operand operand_make(lay_type type, lay_desc *desc, const double *values, operand_place place, random_source *from);
void operand_free(operand *of);

/* Numbers of any bits all over its memory: a copy is no arithmetic, so NaNs keep theirs. */
void operand_fill_bits(operand *of, random_source *from);

/* The elements, row-major, of complex ones the parts. */
void operand_read(const operand *of, double *to);
void operand_write(operand *of, const double *values);

/* Their bytes, row-major. */
void operand_bytes(const operand *of, void *to);

/* 1 when nothing but elements has changed since the operand was made. */
int operand_gaps_are_kept(const operand *of);

/* 1 when nothing has changed. */
int operand_is_untouched(const operand *of);

#endif
