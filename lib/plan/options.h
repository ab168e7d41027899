/* A caller's options, checked and made complete. */
#ifndef LAY_PLAN_OPTIONS_H
#define LAY_PLAN_OPTIONS_H

#include "layoutgemm.h"

/* Every field of options that the caller's struct_size covers, the rest at their defaults; NULL
 * gives the defaults. LAY_ERR_OPTION. */
lay_status lay_options_read(const lay_options *options, lay_options *complete);

#endif
