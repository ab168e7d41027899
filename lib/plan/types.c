/* Which element types mix, and what their sums are computed in. */
#include "plan/types.h"

#include "base/status.h"
#include "plan/modes.h"

lay_types lay_types_of(lay_type type)
{
    return (lay_types){ type, type, type, lay_size_of(type) > 2 ? type : LAY_F32, type };
}

lay_type lay_types_at(const lay_types *types, int operand)
{
    return operand == LAY_LEFT ? types->left : operand == LAY_RIGHT ? types->right : types->result;
}

static int is_wider(const lay_type of[4], int is_double)
{
    for (int i = 0; i < 4; i++)
        is_double |= lay_type_is_double(of[i]);
    return is_double;
}

lay_status lay_types_mix(const lay_type of[4], int has_d, int is_double, lay_types *out)
{
    const int is_complex[] = { lay_type_is_complex(of[0]), lay_type_is_complex(of[1]), lay_type_is_complex(of[2]),
                               lay_type_is_complex(of[3]) };
    const int is_wide = is_wider(of, is_double), product = is_complex[0] || is_complex[1];
    const char *const wide = lay_type_name(is_wide ? LAY_C64 : LAY_C32);
    const char output = has_d ? 'D' : 'C';
    if (product && !is_complex[3])
        return lay_fail(LAY_ERR_TYPE,
                        "%c is %s but %c is %s: complex products have no place in real numbers; %c may be %s",
                        is_complex[0] ? 'A' : 'B', lay_type_name(of[is_complex[0] ? 0 : 1]), output,
                        lay_type_name(of[3]), output, wide);
    if (!product && is_complex[3])
        return lay_fail(LAY_ERR_TYPE, "%c is %s but A and B are real: one of them may be %s, or %s %s", output,
                        lay_type_name(of[3]), wide, has_d ? "D and C" : "C",
                        lay_type_name(is_wide ? LAY_F64 : LAY_F32));
    if (is_complex[2] && !is_complex[3])
        return lay_fail(LAY_ERR_TYPE, "C is %s but D is %s: complex elements have no place in real ones; C may be %s",
                        lay_type_name(of[2]), lay_type_name(of[3]), lay_type_name(lay_type_real(of[2])));
    *out = (lay_types){ .left = of[0], .right = of[1], .result = of[3], .addend = of[2] };
    out->sum = is_complex[3] ? (is_wide ? LAY_C64 : LAY_C32) : is_wide ? LAY_F64 : LAY_F32;
    return LAY_OK;
}

int lay_types_are_mixed(const lay_types *types)
{
    const lay_types one = lay_types_of(types->left);
    return types->right != one.right || types->result != one.result || types->sum != one.sum ||
           (types->addend != types->result && types->result != types->sum);
}

lay_type lay_types_widened(const lay_types *types, int operand)
{
    const int is_complex = lay_type_is_complex(lay_types_at(types, operand));
    return is_complex ? types->sum : lay_type_real(types->sum);
}
