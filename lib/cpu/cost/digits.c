/* Digits of an axis, the innermost one first, become loops. */
#include "cpu/cost/digits.h"

#include <math.h>

lay_cost_digits lay_cost_digits_of(const lay_axis *of)
{
    return (lay_cost_digits){ of, of->count - 1, 1 };
}

void lay_cost_visit(lay_visits *to, lay_cost_digits *from, double elements, int64_t size)
{
    while (from->next >= 0 && elements > 1) {
        const lay_leaf *leaf = &from->of->mode[from->next];
        const double steps = fmin((double)leaf->extent / from->done, elements);
        lay_visits_add(to, steps, (int64_t)((double)(leaf->stride * size) * from->done));
        elements /= steps;
        from->done *= steps;
        if (from->done >= (double)leaf->extent)
            *from = (lay_cost_digits){ from->of, from->next - 1, 1 };
    }
}
