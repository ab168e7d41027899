/* Calls that differ in whether an operand is conjugated, and in nothing else, have plans of their own. Sets of
 * remembered plans are found by a hash, so there are enough shapes here for some such pairs to meet in one set. */
#include <complex.h>
#include <stdio.h>

#include "blas.h"

enum { COLUMNS = 102, TRANSPOSED = 112, CONJUGATED = 113, MOST = 24 };

static float _Complex a[MOST], b[MOST], c[MOST * MOST];

/* Of a column of i and a row of i, as it is or conjugated: each element is -1, or 1. */
static int is_right(int m, int n, int op_a, int op_b)
{
    static const float _Complex one = 1, zero = 0;
    const float wanted = op_a == op_b ? -1 : 1;
    cblas_cgemm(COLUMNS, op_a, op_b, m, n, 1, &one, a, 1, b, n, &zero, c, m);
    return c[0] == wanted && c[m * n - 1] == wanted;
}

int main(void)
{
    int wrong_a = 0, wrong_b = 0;
    for (int i = 0; i < MOST; i++)
        a[i] = b[i] = (float _Complex)I;
    for (int m = 1; m <= MOST; m++)
        for (int n = 1; n <= MOST; n++) {
            wrong_a += !is_right(m, n, TRANSPOSED, TRANSPOSED) + !is_right(m, n, CONJUGATED, TRANSPOSED);
            wrong_b += !is_right(m, n, TRANSPOSED, TRANSPOSED) + !is_right(m, n, TRANSPOSED, CONJUGATED);
        }
    printf("%s 1 - A conjugated or not: %d wrong\n", wrong_a ? "not ok" : "ok", wrong_a);
    printf("%s 2 - B conjugated or not: %d wrong\n1..2\n", wrong_b ? "not ok" : "ok", wrong_b);
    return wrong_a || wrong_b;
}
