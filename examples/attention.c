/* Attention of a layer, without moving a tensor: scores, softmax, and the mix of values, for all batches and heads by
 * two calls.
 *
 * Tensors lie as a model has them, [batch][token][head][element]: the matrices of a head are slices of that, and a BLAS
 * would want a pointer and a loop for each. By labels a head is a batch label like any other.
 *
 * Six query heads share two heads of keys and values (grouped queries). The dimension of the heads of K and V is a tree
 * for that: [[2:D][3:0]] has six indices, and three neighbours read the same head, by a stride of 0. Nothing is
 * repeated in memory. */
#include <layoutgemm.h>
#include <math.h>
#include <stdio.h>

enum { BATCH = 2, TOKENS = 12, HEADS = 6, SHARED = 2, SIZE = 16 };

static float q[BATCH][TOKENS][HEADS][SIZE], k[BATCH][TOKENS][SHARED][SIZE], v[BATCH][TOKENS][SHARED][SIZE];
static float scores[BATCH][HEADS][TOKENS][TOKENS], mixed[BATCH][TOKENS][HEADS][SIZE];

static double number(int seed)
{
    return (double)(seed * 37 % 101) / 50 - 1;
}

/* What is asked of one head by plain loops: element e of token t. */
static double wanted(int b, int h, int t, int e)
{
    const int shared = h / (HEADS / SHARED);
    double weight[TOKENS], sum = 0, mix = 0;
    for (int s = 0; s <= t; s++) {
        double dot = 0;
        for (int i = 0; i < SIZE; i++)
            dot += (double)q[b][t][h][i] * k[b][s][shared][i];
        sum += weight[s] = exp(dot / sqrt(SIZE));
    }
    for (int s = 0; s <= t; s++)
        mix += weight[s] / sum * v[b][s][shared][e];
    return mix;
}

/* A token looks at itself and at those before it. */
static void soften(float *row, int t)
{
    float sum = 0;
    for (int s = 0; s < TOKENS; s++)
        sum += row[s] = s <= t ? expf(row[s]) : 0;
    for (int s = 0; s < TOKENS; s++)
        row[s] /= sum;
}

int main(void)
{
    for (int at = 0; at < BATCH * TOKENS * HEADS * SIZE; at++)
        (&q[0][0][0][0])[at] = (float)number(at);
    for (int at = 0; at < BATCH * TOKENS * SHARED * SIZE; at++) {
        (&k[0][0][0][0])[at] = (float)number(3 * at + 1);
        (&v[0][0][0][0])[at] = (float)number(5 * at + 2);
    }

    lay_desc *queries = NULL, *shared = NULL, *square = NULL;
    const float scale = 1 / sqrtf(SIZE), one = 1, zero = 0;
    int wrong = lay_desc_parse("[2][12][6][16]", &queries) || lay_desc_parse("[2][6][12][12]", &square) ||
                lay_desc_parse("[2:384][12:32][[2:16][3:0]][16:1]", &shared) ||
                lay_contract(LAY_F32, "bthe,bshe->bhts", queries, shared, square, &scale, q, k, &zero, scores, NULL);
    for (int row = 0; row < BATCH * HEADS * TOKENS; row++)
        soften(&scores[0][0][0][0] + row * TOKENS, row % TOKENS);
    wrong =
        wrong || lay_contract(LAY_F32, "bhts,bshe->bthe", square, shared, queries, &one, scores, v, &zero, mixed, NULL);
    if (wrong)
        fprintf(stderr, "%s\n", lay_last_error());
    lay_desc_destroy(queries);
    lay_desc_destroy(shared);
    lay_desc_destroy(square);

    for (int b = 0; b < BATCH; b++)
        for (int h = 0; h < HEADS; h++)
            for (int t = 0; t < TOKENS; t++)
                for (int e = 0; e < SIZE; e++)
                    wrong |= !(fabs(mixed[b][t][h][e] - wanted(b, h, t, e)) < 1e-5);
    printf("%s\n", wrong ? "WRONG" : "right");
    return wrong;
}
