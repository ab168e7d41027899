/* Colours of groups, light enough for dark text. */
#include "colour.h"

#include <math.h>

static int32_t channel(double hue, double shift)
{
    const double light = 0.845, range = 0.125; /* of lightness; range keeps the darkest channel at 0.72 */
    return (int32_t)lround(255 * (light + range * cos(6.283185307179586 * (hue + shift))));
}

static int32_t colour_of_hue(double hue)
{
    return channel(hue, 0) << 16 | channel(hue, -1.0 / 3) << 8 | channel(hue, 1.0 / 3);
}

int32_t colour_of(int64_t group, int colours)
{
    /* Told apart by people who see few colours, too: light and less light ones alternate. */
    static const int32_t few[] = { 0xcfe3f7, 0xfde2b3, 0xc4ecd0, 0xf6c9cf, 0xe3d4f5, 0xf7f3b0, 0xb5e6e8, 0xe8d5c4 };
    enum { FEW = sizeof few / sizeof few[0] };
    if (colours > FEW)
        return colour_of_hue((double)(group % colours) / colours);
    const uint64_t number = (uint64_t)group; /* negative ones repeat as well */
    return few[(number + number / FEW * 3) % FEW];
}
