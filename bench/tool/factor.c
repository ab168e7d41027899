/* alpha and beta as a command line gives them. */
#include "factor.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/base/element.h"

/* A number that a double holds, and what stands behind it. 0 where there is none. */
static int take(const char *text, double *out, char **end)
{
    errno = 0;
    *out = strtod(text, end);
    return *end != text && !(errno && isinf(*out));
}

static int is_unit(const char *end)
{
    return strcmp(end, "j") == 0;
}

/* "x", "yj", "x+yj", "x-yj" */
static int parse(const char *text, factor *out)
{
    char *end;
    factor read = { 0, 0 };
    if (!take(text, &read.re, &end))
        return 0;
    if (is_unit(end)) {
        *out = (factor){ 0, read.re };
        return 1;
    }
    if (*end && (!strchr("+-", *end) || !take(end, &read.im, &end) || !is_unit(end)))
        return 0;
    *out = read;
    return 1;
}

int factor_read(const args *given, const char *name, factor *out)
{
    const char *text = args_value(given, name);
    if (!text || parse(text, out))
        return EXIT_FINE;
    return refuse("--%s is a number that a double holds, or two such as 1+2j, not '%s'", name, text);
}

static int is_too_large(double x)
{
    return isfinite(x) && isinf((float)x);
}

int factor_check(const char *name, factor value, lay_type type)
{
    if (value.im != 0 && element_parts(type) == 1)
        return refuse("--%s has an imaginary part, but the result is real", name);
    if (element_real(type) != LAY_F64 && (is_too_large(value.re) || is_too_large(value.im)))
        return refuse("--%s=%g is more than a float holds, which scales all types but float64 and complex128", name,
                      is_too_large(value.re) ? value.re : value.im);
    return EXIT_FINE;
}

factor_stored factor_store(factor value, lay_type type)
{
    return element_real(type) == LAY_F64 ? (factor_stored){ .wide = { value.re, value.im } }
                                         : (factor_stored){ .narrow = { (float)value.re, (float)value.im } };
}
