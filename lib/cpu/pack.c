/* Packing by offset vectors: one filled for the steps along k, one for each panel across. What is
 * contiguous is found in the vectors, so a handful of packers serves every layout. */
#include "cpu/pack.h"

#include <string.h>

#include "base/arith.h"

int lay_offsets_are_unit(const int64_t offset[], int64_t count)
{
    int64_t jumps = 0;
    for (int64_t i = 1; i < count; i++)
        jumps |= offset[i] - offset[i - 1] - 1;
    return jumps == 0;
}

void lay_pack_panels(const lay_packing *packing, int64_t first, int64_t count, char *to)
{
    int64_t across[LAY_MAX_NR > LAY_MAX_MR ? LAY_MAX_NR : LAY_MAX_MR];
    for (int64_t i = 0; i < count; i += packing->width, to += packing->panel) {
        const int w = (int)min_of(packing->width, count - i);
        lay_axis_offsets(packing->across, first + i, w, across);
        const lay_panel panel = {
            .k = packing->k,
            .w = w,
            .src = packing->source,
            .across = across,
            .along = packing->along,
            .dst = to,
        };
        /* Kernels multiply the padding too: not by what was here before, which might raise flags or be slow. */
        if (w < packing->width)
            memset(to, 0, packing->panel);
        const lay_pack_class class = lay_offsets_are_unit(across, w) ? LAY_PACK_ACROSS
                                     : packing->is_along             ? LAY_PACK_ALONG
                                                                     : LAY_PACK_ANY;
        packing->pack[class](&panel);
    }
}
