/* A caller's options, checked and made complete. */
#ifndef LAY_PLAN_OPTIONS_H
#define LAY_PLAN_OPTIONS_H

#include "layoutgemm.h"
#include "plan/way.h"

/* Every field of options that the caller's struct_size covers, the rest at their defaults; NULL
 * gives the defaults. A kernel's name becomes the table's own text, a list of one device that device, so that
 * complete outlives the call, but for skip, which is the caller's text. *named: the order whose kernel that is, NULL
 * where none is named. LAY_ERR_OPTION, LAY_ERR_UNSUPPORTED. */
lay_status lay_options_read(const lay_options *options, const lay_table *table, lay_options *complete,
                            const lay_order **named);

/* Of complete options. */
int lay_options_equal(const lay_options *x, const lay_options *y);

/* How many limbs of bfloat16 compute makes of an f32 element; 0: it takes it as it is. */
int lay_compute_limbs(lay_compute compute);

/* 1 when operands are rounded to fewer bits: LAY_COMPUTE_TF32, _BF16, _FP16. */
int lay_compute_rounds(lay_compute compute);

/* LAY_OK, or LAY_ERR_UNSUPPORTED where complete options need a device (backend, the named kernel, device by its number)
 * and there is no such. With LAY_BACKEND_CPU or a CPU's kernel none is needed. */
lay_status lay_options_check_device(const lay_options *options, const lay_order *named);

#endif
