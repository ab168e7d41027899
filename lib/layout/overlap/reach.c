/* Whether a sum of bounded multiples can take a given value: a depth-first search over the terms,
 * largest stride first, cut by what the rest can still sum to and by its common divisor. */
#include "layout/overlap/reach.h"

#include <stdlib.h>

#include "base/arith.h"

typedef struct search {
    int n;
    const lay_term *term; /* strides positive, falling */
    /* What terms c .. n - 1 can sum to: multiples of divisor[c], 0 .. reach[c]; all of them if dense[c]. */
    lay_wide reach[LAY_MAX_TERMS + 1];
    int64_t divisor[LAY_MAX_TERMS + 1];
    char dense[LAY_MAX_TERMS + 1];
    int *budget;
} search;

/* a^-1 modulo m; a and m have no common divisor, m >= 1. */
static int64_t invert(int64_t a, int64_t m)
{
    lay_wide r0 = m, r1 = a % m, t0 = 0, t1 = 1;
    while (r1 != 0) {
        const lay_wide q = r0 / r1, r = r0 - q * r1, t = t0 - q * t1;
        r0 = r1;
        r1 = r;
        t0 = t1;
        t1 = t;
    }
    return (int64_t)(t0 < 0 ? t0 + m : t0) % m;
}

static int reach_from(const search *s, int c, lay_wide target)
{
    if (target < 0 || target > s->reach[c])
        return 0;
    if (target == 0)
        return 1;
    if (target % s->divisor[c] != 0) /* c < n here: nothing but 0 is reached by no terms */
        return 0;
    if (s->dense[c])
        return 1;
    /* stride * x = target modulo what the rest steps by: x = first modulo step */
    const int64_t stride = s->term[c].stride, rest = s->divisor[c + 1];
    const lay_wide step = rest / s->divisor[c];
    const lay_wide turn = target / s->divisor[c] % step;
    lay_wide x = turn * invert(stride / s->divisor[c], (int64_t)step) % step;
    const lay_wide lacking = target - s->reach[c + 1];
    const lay_wide least = lacking > 0 ? (lacking + stride - 1) / stride : 0;
    lay_wide most = target / stride;
    most = most < s->term[c].most ? most : s->term[c].most;
    if (x < least)
        x += (least - x + step - 1) / step * step;
    int answer = 0;
    for (; x <= most && answer != 1; x += step) {
        if (--*s->budget < 0)
            return -1;
        const int found = reach_from(s, c + 1, target - x * stride);
        answer = found != 0 ? found : answer;
    }
    return answer;
}

static int by_falling_stride(const void *a, const void *b)
{
    const int64_t x = ((const lay_term *)a)->stride, y = ((const lay_term *)b)->stride;
    return (x < y) - (x > y);
}

/* Strides made positive by counting the digit from its other end, useless terms dropped, equal
 * strides joined, sorted. Returns the number of terms. */
static int tidy_terms(int n, lay_term term[], lay_wide *target)
{
    int kept = 0;
    for (int c = 0; c < n; c++) {
        lay_term t = term[c];
        if (t.most == 0 || t.stride == 0)
            continue;
        if (t.stride < 0) {
            *target -= (lay_wide)t.stride * t.most;
            t.stride = -t.stride;
        }
        term[kept++] = t;
    }
    qsort(term, (size_t)kept, sizeof *term, by_falling_stride);
    int joined = 0;
    for (int c = 0; c < kept; c++) {
        int64_t most;
        if (joined > 0 && term[joined - 1].stride == term[c].stride &&
            fits_add(term[joined - 1].most, term[c].most, &most))
            term[joined - 1].most = most;
        else
            term[joined++] = term[c];
    }
    return joined;
}

int lay_sum_reaches(int n, lay_term terms[], lay_wide target, int *budget)
{
    if (n > LAY_MAX_TERMS)
        return -1;
    search s = { .n = tidy_terms(n, terms, &target), .term = terms, .budget = budget };
    s.reach[s.n] = 0;
    s.divisor[s.n] = 0;
    s.dense[s.n] = 1;
    for (int c = s.n - 1; c >= 0; c--) {
        const int64_t stride = terms[c].stride, rest = s.divisor[c + 1];
        s.reach[c] = s.reach[c + 1] + (lay_wide)stride * terms[c].most;
        s.divisor[c] = common_divisor(stride, rest);
        s.dense[c] = s.dense[c + 1] && (rest == 0 || (stride % rest == 0 && stride <= s.reach[c + 1] + rest));
    }
    return reach_from(&s, 0, target);
}
