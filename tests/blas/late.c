/* Both copies of the library, loaded by a program that is running, as a plugin or Python loads them: side by side, and
 * after they were let go. Each has to find its thread-local storage, of which a running process has little left. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

typedef void dgemm_fn(int layout, int op_a, int op_b, int m, int n, int k, double alpha, const double *a, int lda,
                      const double *b, int ldb, double beta, double *c, int ldc);

enum { M = 200, N = 3, MOST = 4 }; /* long and thin: in pieces, then whole */

static double ones[M * N];

static int is_right(dgemm_fn *multiply)
{
    double c[M * N] = { 0 };
    int wrong = 0;
    for (int round = 0; round < 3; round++) {
        multiply(102, 111, 111, M, N, N, 1, ones, M, ones, N, 0, c, M);
        for (int i = 0; i < M * N; i++)
            wrong += c[i] != N;
    }
    return !wrong;
}

static void *work(void *multiply)
{
    return is_right((dgemm_fn *)multiply) ? multiply : NULL;
}

static int is_right_in_a_thread(dgemm_fn *multiply)
{
    pthread_t thread;
    void *result = NULL;
    return pthread_create(&thread, NULL, work, (void *)multiply) == 0 && pthread_join(thread, &result) == 0 && result;
}

/* All at the same time. The sentence of what failed, or NULL. */
static const char *load_all(int count, char **names)
{
    void *handles[MOST];
    for (int i = 0; i < count; i++)
        if (!(handles[i] = dlopen(names[i], RTLD_NOW | RTLD_LOCAL)))
            return dlerror();
    for (int i = 0; i < count; i++) {
        dgemm_fn *const multiply = (dgemm_fn *)dlsym(handles[i], "cblas_dgemm");
        if (!multiply || !is_right(multiply) || !is_right_in_a_thread(multiply))
            return names[i];
    }
    for (int i = 0; i < count; i++)
        if (dlclose(handles[i]))
            return dlerror();
    return NULL;
}

int main(int count, char **names)
{
    if (count < 2 || count - 1 > MOST)
        return 1;
    for (int i = 0; i < M * N; i++)
        ones[i] = 1;
    const char *failed = NULL;
    for (int round = 0; round < 2 && !failed; round++)
        failed = load_all(count - 1, names + 1);
    printf("%s 1 - %d libraries that are loaded late%s%s\n1..1\n", failed ? "not ok" : "ok", count - 1,
           failed ? ": " : "", failed ? failed : "");
    return failed != NULL;
}
