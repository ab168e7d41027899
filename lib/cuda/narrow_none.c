/* A build without code for compute capability 9.0: no kernels for 16-bit types. */
#include "cuda_narrow.h"

static const lay_narrow_row none[] = { { .name = NULL } };
const lay_narrow_row *const lay_narrow_rows[] = { none, none, none };
const void *const lay_narrow_pack[LAY_NARROW_PACKS];
