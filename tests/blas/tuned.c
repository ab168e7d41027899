/* Plans that liblayblas remembers are made anew when tuned plans were loaded or forgotten, and else are not, but a
 * complex product's first plan, which is hasty. */
#include <complex.h>
#include <layoutgemm.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cblas_dgemm(int layout, int op_a, int op_b, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc);
void cblas_dgemv(int layout, int op_a, int m, int n, double alpha, const double *a, int lda, const double *x,
                 int step_x, double beta, double *y, int step_y);

void cblas_zgemm(int layout, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a, int lda,
                 const void *b, int ldb, const void *beta, void *c, int ldc);

static int plans, wrong;
static double ones[9 * 9];

static void listen(void *context, const char *line)
{
    (void)context;
    plans += strncmp(line, "layoutgemm,plan,", 16) == 0;
}

/* A product of matrices and one with a vector, twice each; of ones, so that each element is 9. */
static void *multiply(void *unused)
{
    double c[63], y[7];
    for (int i = 0; i < 2; i++) {
        cblas_dgemm(102, 111, 111, 7, 9, 9, 1, ones, 7, ones, 9, 0, c, 7);
        cblas_dgemv(102, 111, 7, 9, 1, ones, 7, ones, 1, 0, y, 1);
        wrong += c[0] != 9 || c[62] != 9 || y[6] != 9;
    }
    return unused;
}

/* Plans of so many complex products of one shape, all of the same bits. */
static int count_complex(int calls)
{
    enum { M = 19, N = 6, K = 23 };
    static double _Complex a[M * K], b[K * N], first[M * N];
    static int has_first;
    const double _Complex unit = 1, none = 0;
    const int before = plans;
    for (int i = 0; i < M * K; i++)
        a[i] = 1.0 / (i + 3) + I / (i + 7);
    for (int i = 0; i < K * N; i++)
        b[i] = 1.0 / (2 * i + 1) - I / (i + 2);
    for (int i = 0; i < calls; i++) {
        double _Complex c[M * N];
        cblas_zgemm(102, 112, 112, M, N, K, &unit, a, K, b, N, &none, c, M);
        if (!has_first)
            memcpy(first, c, sizeof c);
        has_first = 1;
        wrong += memcmp(first, c, sizeof c) != 0;
    }
    return plans - before;
}

static void expect(int *number, const char *name, int is_true)
{
    printf("%s %d - %s\n", is_true ? "ok" : "not ok", ++*number, name);
    wrong += !is_true;
}

static int count_plans(void)
{
    const int before = plans;
    multiply(NULL);
    return plans - before;
}

static int count_in_thread(void)
{
    const int before = plans;
    pthread_t thread;
    if (pthread_create(&thread, NULL, multiply, NULL) || pthread_join(thread, NULL))
        return -1;
    return plans - before;
}

int main(void)
{
    char name[] = "/tmp/tuned-XXXXXX";
    int number = 0;
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        ones[i] = 1;
    const int file = mkstemp(name);
    if (file < 0 || lay_log_set(LAY_LOG_PLANS, listen, NULL) != LAY_OK)
        return 1;
    close(file);
    multiply(NULL); /* LAY_TUNING is read meanwhile */
    lay_tuning_forget();
    expect(&number, "forgotten: a plan each", count_plans() == 2);
    expect(&number, "then none", count_plans() == 0);
    expect(&number, "nor in another thread", count_in_thread() == 0);
    const int is_saved = lay_tuning_save(name) == LAY_OK && lay_tuning_load(name) == LAY_OK;
    expect(&number, "loaded: a plan each, in another thread", is_saved && count_in_thread() == 2);
    expect(&number, "and this one finds them", count_plans() == 0);
    expect(&number, "a complex product's first plan", count_complex(1) == 1);
    expect(&number, "is made anew once it is met often", count_complex(40) == 1);
    expect(&number, "and stays", count_complex(40) == 0);
    expect(&number, "products are right", !wrong);
    printf("1..%d\n", number);
    unlink(name);
    return wrong != 0;
}
