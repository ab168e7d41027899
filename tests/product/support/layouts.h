/* Random layouts of a given shape, of every kind that the notation and the views can make. */
#ifndef LAY_TESTS_PRODUCT_LAYOUTS_H
#define LAY_TESTS_PRODUCT_LAYOUTS_H

#include <stddef.h>

#include "../../random.h"
#include "layoutgemm.h"

typedef enum layout_use {
    LAYOUT_INPUT, /* elements may share storage: broadcast, overlapping windows */
    LAYOUT_OUTPUT /* injective by construction */
} layout_use;

enum { LAYOUT_SPAN = 1 << 22 }; /* elements between the lowest and the highest, at most */

/* A descriptor of rows x columns that the caller destroys. */
lay_desc *layout_random(random_source *from, layout_use use, int64_t rows, int64_t columns);

/* One of a few usual layouts by its number, and how many there are: row-major, column-major, padded,
 * reversed, split in leaves that lie in another order, tiles, a slice of something larger. */
lay_desc *layout_usual(int number, int64_t rows, int64_t columns);
enum { LAYOUT_USUAL = 7 };

/* The descriptor of a text or of strides, which must be right. */
__attribute__((format(printf, 1, 2))) lay_desc *layout_parse(const char *format, ...);

/* The matrix of one index of a batch, which the caller destroys, and how many elements further on its offset 0 lies. Of
 * a matrix: itself, for each index. */
lay_desc *layout_of_index(const lay_desc *desc, int64_t index, int64_t *move);

/* The notation in a static buffer, one of a few that take turns. */
const char *layout_text(const lay_desc *desc);

#endif
