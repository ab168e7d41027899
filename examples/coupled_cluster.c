/* Two terms of coupled cluster theory (CCSD), as its programs have them: residuals of doubles from integrals V and
 * amplitudes T, added up.
 *
 *     R[a,b,i,j] = F[a,b,i,j] + 1/2 sum over c, d of V[a,b,c,d] T[c,d,i,j]     the ladder
 *                             +     sum over c, k of T[a,c,i,k] V'[k,b,c,j]    a ring
 *
 * The ladder is a product of matrices as the tensors lie. The ring is none: its summed labels lie apart in both tensors
 * and its free ones are scattered over R. By labels it is one call all the same, without a transposed copy.
 *
 * Iterations repeat the same shapes, so plans are made once. The first one's D is another tensor than its C, so F is
 * read, R written, and no copy of F is made beforehand; the second one adds to R in place. */
#include <layoutgemm.h>
#include <stdio.h>

enum { O = 6, V = 10, ROUNDS = 3 }; /* occupied orbitals i, j, k; virtual ones a, b, c, d */

static double ladder[V][V][V][V], ring[O][V][V][O], start[V][V][O][O], amplitudes[V][V][O][O], residual[V][V][O][O];

static int plan(const char *labels, const lay_desc *a, const lay_desc *b, const lay_desc *c, const lay_desc *d,
                lay_plan **out)
{
    lay_product product = LAY_PRODUCT_INIT;
    product.type_a = product.type_b = product.type_c = product.type_d = LAY_F64;
    product.labels = labels;
    product.a = a;
    product.b = b;
    product.c = c;
    product.d = d;
    product.sum_order = LAY_SUM_BY_STORAGE; /* bits may rest on layouts here, and it is often sooner */
    return lay_plan_create_product(&product, NULL, out) != LAY_OK;
}

static double wanted(int a, int b, int i, int j)
{
    double sum = start[a][b][i][j];
    for (int c = 0; c < V; c++) {
        for (int d = 0; d < V; d++)
            sum += 0.5 * ladder[a][b][c][d] * amplitudes[c][d][i][j];
        for (int k = 0; k < O; k++)
            sum += amplitudes[a][c][i][k] * ring[k][b][c][j];
    }
    return sum;
}

/* Small even integers: every sum is exact. */
static void fill(double *to, int count, int seed)
{
    for (int at = 0; at < count; at++)
        to[at] = 2 * ((at * 7 + seed) % 9 - 4);
}

int main(void)
{
    lay_desc *vvvv = NULL, *ovvo = NULL, *vvoo = NULL;
    lay_plan *first = NULL, *second = NULL;
    const double one = 1, half = 0.5;
    int wrong = lay_desc_parse("[10][10][10][10]", &vvvv) || lay_desc_parse("[6][10][10][6]", &ovvo) ||
                lay_desc_parse("[10][10][6][6]", &vvoo) || plan("abcd,cdij->abij", vvvv, vvoo, vvoo, vvoo, &first) ||
                plan("acik,kbcj->abij", vvoo, ovvo, vvoo, NULL, &second);
    lay_desc_destroy(vvvv);
    lay_desc_destroy(ovvo);
    lay_desc_destroy(vvoo); /* plans keep nothing of them */

    fill(***ladder, V * V * V * V, 1);
    fill(***ring, O * V * V * O, 2);
    fill(***start, V * V * O * O, 3);
    for (int round = 0; round < ROUNDS && !wrong; round++) {
        fill(***amplitudes, V * V * O * O, 4 + round);
        wrong = lay_plan_run_product(first, &half, ladder, amplitudes, &one, start, residual) ||
                lay_plan_run(second, &one, amplitudes, ring, &one, residual);
        for (int at = 0; at < V * V * O * O && !wrong; at++)
            wrong = (&residual[0][0][0][0])[at] != wanted(at / (V * O * O), at / (O * O) % V, at / O % O, at % O);
    }
    if (wrong)
        fprintf(stderr, "%s\n", lay_last_error());
    lay_plan_destroy(first);
    lay_plan_destroy(second);
    printf("%s\n", wrong ? "WRONG" : "right");
    return wrong;
}
