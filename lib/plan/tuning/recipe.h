/* Recipes: what a tuned plan says of each branch of a tree, from the root to who computes. */
#ifndef LAY_PLAN_TUNING_RECIPE_H
#define LAY_PLAN_TUNING_RECIPE_H

#include "base/text.h"
#include "plan/way.h"

enum { LAY_MOST_STEPS = 8 };

/* step[0] is nobody's: that of whom the root would be a child. A step without a way ends it. */
typedef struct lay_recipe {
    lay_step step[1 + LAY_MOST_STEPS + 1];
} lay_recipe;

/* A way, and nothing else. */
lay_step lay_step_of(const lay_way *way);

/* Of a tree as it is: who follows it makes the same tree. 0 where it is too deep. */
int lay_recipe_tell(const lay_branch *root, lay_recipe *recipe);

/* Steps. */
int lay_recipe_length(const lay_recipe *recipe);

/* "transposed / in-place kernel=lay_gemm_f32_12x32_avx512 threads=1 packed=0". */
void lay_recipe_write(const lay_recipe *recipe, lay_text *text);

/* Reads it again, for ways of an order; the text is written into. NULL, or what is wrong, as a phrase about word,
 * which then points into the text. *is_unknown: it may mean something to another version of the library. */
const char *lay_recipe_read(const lay_table *table, const lay_order *order, char *text, lay_recipe *recipe,
                            const char **word, int *is_unknown);

/* The name that files have for a tunable, and the least and most that it can be. */
typedef struct lay_tunable_row {
    const char *name;
    int64_t least, most;
} lay_tunable_row;
extern const lay_tunable_row lay_tunable_rows[LAY_TUNABLES];

#endif
