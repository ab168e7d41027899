/* A tensor contraction is a product of two views: D[i][j][l] = sum over p, q of X[p][i][q] Y[q][j][l][p].
 *
 * The summed indices p and q lie apart in both tensors, and in another order in each. Naming them as one dimension,
 * [[p][q]], makes X an i x (p q) and Y a (p q) x (j l) matrix; nothing is transposed or copied beforehand. */
#include <layoutgemm.h>
#include <stdio.h>

enum { I = 20, J = 6, L = 9, P = 5, Q = 11 };

int main(void)
{
    static float x[P][I][Q], y[Q][J][L][P], d[I][J][L];
    for (int p = 0; p < P; p++)
        for (int q = 0; q < Q; q++) {
            for (int i = 0; i < I; i++)
                x[p][i][q] = (float)((p + 3 * i + 5 * q) % 7 - 3);
            for (int j = 0; j < J; j++)
                for (int l = 0; l < L; l++)
                    y[q][j][l][p] = (float)((2 * q + j + 4 * l + p) % 5 - 2);
        }

    lay_desc *view_x = NULL, *view_y = NULL, *view_d = NULL;
    int wrong = lay_desc_parse("X=[5][20][11]; [#X_1][[#X_0][#X_2]]", &view_x) ||
                lay_desc_parse("Y=[11][6][9][5]; [[#Y_3][#Y_0]][[#Y_1][#Y_2]]", &view_y) ||
                lay_desc_parse("[20][[6][9]]", &view_d) ||
                lay_sgemm(view_x, view_y, view_d, 1, **x, ***y, 0, **d, NULL);
    if (wrong)
        fprintf(stderr, "%s\n", lay_last_error());
    lay_desc_destroy(view_d);
    lay_desc_destroy(view_y);
    lay_desc_destroy(view_x);

    for (int i = 0; i < I; i++)
        for (int j = 0; j < J; j++)
            for (int l = 0; l < L; l++) {
                float sum = 0; /* small integers: exact */
                for (int p = 0; p < P; p++)
                    for (int q = 0; q < Q; q++)
                        sum += x[p][i][q] * y[q][j][l][p];
                wrong |= d[i][j][l] != sum;
            }
    printf("%s\n", wrong ? "WRONG" : "right");
    return wrong;
}
