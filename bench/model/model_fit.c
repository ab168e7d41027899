/* Coordinate descent over the table of rates. */
#include "model_fit.h"

#include <math.h>
#include <stdint.h>

#include "machine/rates.h"

/* What it costs that a value is so far from where it began: few products know little of most rates. */
static double far_from(double value, double start)
{
    static const double pull = 0.002;
    return pull * log(value / start) * log(value / start);
}

/* Tries the value times factor and divided by it; the better one, if any is better than what was. */
static double try_rate(const lay_rate *rate, double *value, double start, double factor, double least,
                       double (*score)(void *of), void *of)
{
    const double was = *value, tried[] = { was * factor, was / factor };
    double kept = was, lowest = least + far_from(was, start);
    for (int i = 0; i < 2; i++) {
        *value = fmin(fmax(tried[i], rate->least), rate->most);
        const double now = score(of);
        if (now + far_from(*value, start) >= lowest)
            continue;
        lowest = now + far_from(*value, start);
        least = now;
        kept = *value;
    }
    *value = kept;
    return least;
}

static double *value_in(lay_rates *of, const lay_rate *rate)
{
    return (double *)(void *)((char *)of + rate->offset);
}

double model_fit(double (*score)(void *of), void *of)
{
    static const double factors[] = { 1.5, 1.2, 1.1 };
    /* the library's own, which it hands out as constant */
    lay_rates *const rates = (lay_rates *)(uintptr_t)lay_rates_get();
    lay_rates start = *rates;
    double least = score(of);
    for (int sweep = 0; sweep < (int)(sizeof factors / sizeof factors[0]); sweep++)
        for (const lay_rate *rate = lay_rate_table; rate->name; rate++) {
            double *const value = value_in(rates, rate);
            if (*value > 0)
                least = try_rate(rate, value, *value_in(&start, rate), factors[sweep], least, score, of);
        }
    return least;
}
