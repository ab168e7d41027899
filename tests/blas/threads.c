/* Threads that come and go, each with shapes of all and of its own; and a child of a process whose threads are at it.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

void cblas_dgemm(int layout, int op_a, int op_b, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc);

enum { THREADS = 4, GENERATIONS = 3, MOST = 14, ROUNDS = 2 };

static double ones[MOST * (MOST + THREADS)];

/* Of ones every element is k. 14^3 shapes are more than are remembered, so that they go while others take them. */
static int multiply_all(int own)
{
    double c[MOST * (MOST + THREADS)];
    int wrong = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int m = 1; m <= MOST; m++)
            for (int n = 1; n <= MOST; n++)
                for (int k = 1; k <= MOST; k++) {
                    cblas_dgemm(102, 111, 111, m, n, k, 1, ones, MOST, ones, MOST, 0, c, MOST + own % 2);
                    wrong += c[0] != k || c[(n - 1) * (MOST + own % 2) + m - 1] != k;
                }
    return wrong;
}

static void *work(void *number)
{
    return (void *)(size_t)multiply_all(*(const int *)number);
}

static int run_generation(void)
{
    static const int number[THREADS] = { 0, 1, 2, 3 };
    pthread_t thread[THREADS];
    int wrong = 0;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, work, (void *)(size_t)&number[i]))
            return 1;
    const pid_t child = fork();
    if (child == 0) {
        alarm(60); /* a lock left behind ends the child, not the patience of whoever tests */
        _exit(multiply_all(0) != 0);
    }
    int status = 1;
    wrong += waitpid(child, &status, 0) != child || status != 0;
    for (int i = 0; i < THREADS; i++) {
        void *result;
        wrong += pthread_join(thread[i], &result) != 0 || result != NULL;
    }
    return wrong;
}

int main(void)
{
    int wrong = 0;
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        ones[i] = 1;
#ifdef __clang__ /* its OpenMP runtime cannot be forked while it starts */
    wrong += multiply_all(0);
#endif
    for (int i = 0; i < GENERATIONS; i++)
        wrong += run_generation();
    printf("%s 1 - products of %d threads, three times, and of a child beside them\n1..1\n", wrong ? "not ok" : "ok",
           THREADS);
    return wrong != 0;
}
