/* gemm_batch of many groups, more than are looked at in one go, each of its own shape and scalars: of small integers,
 * so that results must be exact, in whatever order threads have done them. */
#include <stdint.h>
#include <stdio.h>

#include "../random.h"

void dgemm_batch_64_(const char *op_a, const char *op_b, const int64_t *m, const int64_t *n, const int64_t *k,
                     const double *alpha, const double *const *a, const int64_t *lda, const double *const *b,
                     const int64_t *ldb, const double *beta, double *const *c, const int64_t *ldc, const int64_t *all,
                     const int64_t *count);
void cblas_dgemm_batch(int layout, const int *op_a, const int *op_b, const int *m, const int *n, const int *k,
                       const double *alpha, const double *const *a, const int *lda, const double *const *b,
                       const int *ldb, const double *beta, double *const *c, const int *ldc, int all, const int *count);

enum { GROUPS = 150, MOST_RUNS = 4, RUNS = GROUPS * MOST_RUNS, SIDE = 20, BLOCK = SIDE * SIDE };

/* Columns of all matrices lie SIDE apart; matrix i of an operand is block i of its memory. */
static double a[RUNS * BLOCK], b[RUNS * BLOCK], c[RUNS * BLOCK], wanted[RUNS * BLOCK];
static const double *at_a[RUNS], *at_b[RUNS];
static double *at_c[RUNS];
static int op_a[GROUPS], op_b[GROUPS], m[GROUPS], n[GROUPS], k[GROUPS], step[GROUPS], count[GROUPS];
static double alpha[GROUPS], beta[GROUPS];

static void draw(random_source *from)
{
    for (int i = 0; i < RUNS * BLOCK; i++) {
        a[i] = (double)random_in(from, -3, 3);
        b[i] = (double)random_in(from, -3, 3);
        c[i] = wanted[i] = (double)random_in(from, -3, 3);
    }
    for (int g = 0; g < GROUPS; g++) {
        op_a[g] = (int)random_in(from, 0, 1);
        op_b[g] = (int)random_in(from, 0, 1);
        m[g] = (int)random_in(from, random_one_in(from, 20) ? 0 : 1, SIDE);
        n[g] = (int)random_in(from, 1, SIDE);
        k[g] = (int)random_in(from, random_one_in(from, 20) ? 0 : 1, SIDE);
        step[g] = SIDE;
        count[g] = (int)random_in(from, random_one_in(from, 10) ? 0 : 1, MOST_RUNS);
        alpha[g] = (double)random_in(from, random_one_in(from, 20) ? 0 : 1, 3);
        beta[g] = (double)random_in(from, -1, 1);
    }
}

/* Addresses of all runs in a row. In turn: each run reads what one of the group before it wrote. */
static void place(int is_in_turn)
{
    for (int g = 0, run = 0; g < GROUPS; g++)
        for (int i = 0; i < count[g]; i++, run++) {
            at_a[run] = is_in_turn && run >= MOST_RUNS ? c + (run - MOST_RUNS) * BLOCK : a + run * BLOCK;
            at_b[run] = b + run * BLOCK;
            at_c[run] = c + run * BLOCK;
        }
}

static void work_out(void)
{
    for (int g = 0, run = 0; g < GROUPS; g++)
        for (int r = 0; r < count[g]; r++, run++) {
            const double *const left =
                at_a[run] >= c && at_a[run] < c + RUNS * BLOCK ? wanted + (at_a[run] - c) : at_a[run];
            for (int i = 0; i < m[g]; i++)
                for (int j = 0; j < n[g]; j++) {
                    double sum = 0, *const to = wanted + (at_c[run] - c) + i + j * SIDE;
                    for (int p = 0; p < k[g]; p++)
                        sum += left[op_a[g] ? p + i * SIDE : i + p * SIDE] *
                               at_b[run][op_b[g] ? j + p * SIDE : p + j * SIDE];
                    *to = alpha[g] * sum + beta[g] * *to;
                }
        }
}

static void call(int is_c)
{
    char letter_a[GROUPS], letter_b[GROUPS];
    int trans_a[GROUPS], trans_b[GROUPS];
    int64_t wide[5][GROUPS];
    const int64_t all = GROUPS;
    for (int g = 0; g < GROUPS; g++) {
        letter_a[g] = "NT"[op_a[g]], letter_b[g] = "NT"[op_b[g]];
        trans_a[g] = 111 + op_a[g], trans_b[g] = 111 + op_b[g];
        wide[0][g] = m[g], wide[1][g] = n[g], wide[2][g] = k[g], wide[3][g] = step[g], wide[4][g] = count[g];
    }
    if (is_c)
        cblas_dgemm_batch(102, trans_a, trans_b, m, n, k, alpha, at_a, step, at_b, step, beta, at_c, step, GROUPS,
                          count);
    else
        dgemm_batch_64_(letter_a, letter_b, wide[0], wide[1], wide[2], alpha, at_a, wide[3], at_b, wide[3], beta, at_c,
                        wide[3], &all, wide[4]);
}

int main(void)
{
    int failures = 0, number = 0;
    for (int is_in_turn = 0; is_in_turn < 2; is_in_turn++)
        for (int is_c = 0; is_c < 2; is_c++) {
            random_source from = random_case(1, (uint64_t)is_c);
            draw(&from);
            for (int g = 0; g < GROUPS && is_in_turn; g++) { /* numbers stay small: powers would not */
                alpha[g] = g % 4 == 0;
                beta[g] = 0;
            }
            place(is_in_turn);
            work_out();
            call(is_c);
            int is_right = 1;
            for (int i = 0; i < RUNS * BLOCK; i++)
                is_right &= c[i] == wanted[i];
            printf("%s %d - %d groups by %s, %s\n", is_right ? "ok" : "not ok", ++number, GROUPS,
                   is_c ? "CBLAS" : "Fortran", is_in_turn ? "each after the one before it" : "apart");
            failures += !is_right;
        }
    printf("1..%d\n", number);
    return failures != 0;
}
