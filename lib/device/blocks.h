/* Blocks of memory behind the pointers that lay_alloc gave, whatever kind of memory they are of. */
#ifndef LAY_DEVICE_BLOCKS_H
#define LAY_DEVICE_BLOCKS_H

#include "device/driver.h"

extern const lay_block_source lay_block_host;

/* lay_alloc with its arguments checked, from a source that lives as long as the process. */
lay_status lay_alloc_from(const lay_block_source *source, lay_type type, const lay_desc *desc, void **out);

#endif
