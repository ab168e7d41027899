/* A discrete Fourier transform of length P Q as two contractions of small matrices, with the twiddle factors between
 * them: the step from which fast transforms are made, for a whole batch at once and without a transposition.
 *
 * With the input's index n = Q p + q and the output's k = r + P s,
 *
 *     Y[r,q] = sum over p of X[p,q] w(P)^(p r)            a DFT of length P of every Q-th element
 *     Z[r,q] = Y[r,q] w(P Q)^(q r)                        twiddle factors
 *     X'[s,r] = sum over q of Z[r,q] w(Q)^(q s)           a DFT of length Q
 *
 * where w(n) = exp(-2 pi i / n). A vector is a matrix by its descriptor alone, [P][Q] before and [Q][P] after: the
 * shuffle of indices that fast transforms are known for is in the labels "bpq" and "bsr". The way back is the same with
 * every w conjugated, which is a flag. */
#include <complex.h>
#include <layoutgemm.h>
#include <math.h>
#include <stdio.h>

enum { BATCH = 3, P = 12, Q = 20, LENGTH = P * Q };

static double complex roots_p[P][P], twiddles[P][Q], roots_q[Q][Q];

static double complex root(int n, int power)
{
    const double angle = -2 * acos(-1) * (power % n) / n;
    return cos(angle) + I * sin(angle);
}

/* Labels of A, B and the result; all that is b is conjugated on the way back. */
static int contract(const char *labels, const char *a, const char *b, const char *c, int is_back, double factor,
                    const double complex *x, const double complex *y, double complex *out)
{
    lay_product product = LAY_PRODUCT_INIT;
    lay_desc *desc[3] = { NULL, NULL, NULL };
    lay_plan *plan = NULL;
    const double complex alpha = factor, zero = 0;
    int wrong = lay_desc_parse(a, &desc[0]) || lay_desc_parse(b, &desc[1]) || lay_desc_parse(c, &desc[2]);
    product.type_a = product.type_b = product.type_c = LAY_C64;
    product.a = desc[0];
    product.b = desc[1];
    product.c = desc[2];
    product.labels = labels;
    product.conjugated = is_back ? LAY_CONJUGATED_B : 0;
    wrong = wrong || lay_plan_create_product(&product, NULL, &plan) || lay_plan_run(plan, &alpha, x, y, &zero, out);
    if (wrong)
        fprintf(stderr, "%s\n", lay_last_error());
    lay_plan_destroy(plan);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    return wrong;
}

static int transform(int is_back, const double complex *x, double complex *out)
{
    static double complex y[BATCH * LENGTH], z[BATCH * LENGTH];
    const double factor = is_back ? 1.0 / LENGTH : 1;
    return contract("bpq,pr->brq", "[3][12][20]", "[12][12]", "[3][12][20]", is_back, factor, x, *roots_p, y) ||
           contract("brq,rq->brq", "[3][12][20]", "[12][20]", "[3][12][20]", is_back, 1, y, *twiddles, z) ||
           contract("brq,qs->bsr", "[3][12][20]", "[20][20]", "[3][20][12]", is_back, 1, z, *roots_q, out);
}

int main(void)
{
    static double complex x[BATCH * LENGTH], there[BATCH * LENGTH], back[BATCH * LENGTH];
    for (int at = 0; at < BATCH * LENGTH; at++)
        x[at] = (at * 17 % 31 - 15) + I * (at * 7 % 23 - 11);
    for (int r = 0; r < P; r++)
        for (int p = 0; p < P; p++)
            roots_p[p][r] = root(P, p * r);
    for (int q = 0; q < Q; q++) {
        for (int r = 0; r < P; r++)
            twiddles[r][q] = root(LENGTH, q * r);
        for (int s = 0; s < Q; s++)
            roots_q[q][s] = root(Q, q * s);
    }
    int wrong = transform(0, x, there) || transform(1, there, back);
    for (int b = 0; b < BATCH; b++)
        for (int k = 0; k < LENGTH; k++) {
            double complex sum = 0; /* by the definition */
            for (int n = 0; n < LENGTH; n++)
                sum += x[b * LENGTH + n] * root(LENGTH, n * k);
            wrong |= !(cabs(there[b * LENGTH + k] - sum) < 1e-10 * LENGTH);
            wrong |= !(cabs(back[b * LENGTH + k] - x[b * LENGTH + k]) < 1e-12);
        }
    printf("%s\n", wrong ? "WRONG" : "right");
    return wrong;
}
