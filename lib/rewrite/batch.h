/* What explanations of batches have in common. */
#ifndef LAY_REWRITE_BATCH_H
#define LAY_REWRITE_BATCH_H

#include "base/text.h"
#include "plan/modes.h"

/* "batch ...": how many products, and how their indices lie; without the end of the line. */
void lay_batch_explain_group(const lay_group *group, lay_text *text);

#endif
