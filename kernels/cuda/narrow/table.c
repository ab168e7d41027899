/* Every kind's rows. */
#include "cuda_narrow.h"

extern const lay_narrow_row lay_narrow_f16[], lay_narrow_bf16[], lay_narrow_tf32[];

const lay_narrow_row *const lay_narrow_rows[] = { lay_narrow_f16, lay_narrow_bf16, lay_narrow_tf32 };
