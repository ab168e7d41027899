/* Memory and threads run out under the OpenMP runtime, which would end the process: products go on with fewer threads.
 * This program's malloc is everybody's, the runtime's too, and has a budget. */
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "layoutgemm.h"

/* ---- malloc with a budget ---------------------------------------------------------------------- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static const long plenty = 1L << 60;
static _Atomic long live, budget = 1L << 60;
static _Atomic long until_failure = -1; /* allocations before the one that fails; negative: none does */

static int is_over(size_t size)
{
    const int is_refused = until_failure >= 0 && until_failure-- == 0;
    if (!is_refused && live + (long)size <= budget)
        return 0;
    errno = ENOMEM;
    return 1;
}

static void *counted(void *memory)
{
    live += memory ? (long)malloc_usable_size(memory) : 0;
    return memory;
}

LAY_API void *malloc(size_t size)
{
    return is_over(size) ? NULL : counted(__libc_malloc(size));
}

LAY_API void *calloc(size_t count, size_t size)
{
    return is_over(count * size) ? NULL : counted(__libc_calloc(count, size));
}

LAY_API void *realloc(void *memory, size_t size)
{
    const long before = memory ? (long)malloc_usable_size(memory) : 0;
    if ((long)size > before && is_over(size - (size_t)before))
        return NULL;
    void *const moved = __libc_realloc(memory, size);
    live += moved ? (long)malloc_usable_size(moved) - before : 0;
    return moved;
}

LAY_API void *memalign(size_t alignment, size_t size)
{
    return is_over(size) ? NULL : counted(__libc_memalign(alignment, size));
}

LAY_API void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

LAY_API int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *const memory = memalign(alignment, size);
    if (!memory)
        return ENOMEM;
    *out = memory;
    return 0;
}

LAY_API void free(void *memory)
{
    live -= memory ? (long)malloc_usable_size(memory) : 0;
    __libc_free(memory);
}

/* ---- products ---------------------------------------------------------------------------------- */

enum { N = 320, COMPLEX_N = 200, MAX_THREADS = 16 }; /* work for as many threads, which make_plans asks */

/* Squares of ones, and of 1 + i, whose product makes images of an operand. */
typedef struct kind {
    lay_type type;
    int n;
    float a[N * N], c[N * N];
    lay_plan *plan[MAX_THREADS + 1];
} kind;
static kind real = { .type = LAY_F32, .n = N }, numbers = { .type = LAY_C32, .n = COMPLEX_N };

static lay_status multiply(kind *of, int threads)
{
    static const float one[] = { 1, 0 }, zero[] = { 0, 0 };
    return lay_plan_run(of->plan[threads], one, of->a, of->a, zero, of->c);
}

static int is_right(const kind *of)
{
    const int parts = of->type == LAY_C32 ? 2 : 1; /* (1 + i) (1 + i) = 2 i */
    for (int i = 0; i < of->n * of->n * parts; i++)
        if (of->c[i] != (float)(parts == 1 ? of->n : i % 2 ? 2 * of->n : 0))
            return 0;
    return 1;
}

static int make_plans(kind *of)
{
    lay_desc *square = NULL;
    for (int i = 0; i < N * N; i++)
        of->a[i] = 1;
    if (lay_desc_natural(2, (int64_t[]){ of->n, of->n }, &square) != LAY_OK)
        return 0;
    for (int threads = 1; threads <= MAX_THREADS; threads++) {
        lay_options options = LAY_OPTIONS_INIT;
        options.threads = threads;
        lay_plan_info info = LAY_PLAN_INFO_INIT;
        if (lay_plan_create(of->type, square, square, square, &options, &of->plan[threads]) != LAY_OK ||
            lay_plan_query(of->plan[threads], LAY_MEMORY_HOST, &info) != LAY_OK || info.threads != threads)
            return 0;
    }
    lay_desc_destroy(square);
    return multiply(of, 1) == LAY_OK;
}

/* A process of its own has so many bytes left and multiplies with other threads than before, three times. */
static int lives_with(kind *of, long bytes, int before, int threads)
{
    const pid_t child = fork();
    if (child == 0) {
        if (multiply(of, before) != LAY_OK)
            _exit(1);
        budget = live + bytes;
        for (int i = 0; i < 3; i++) {
            const lay_status status = multiply(of, i == 1 ? before : threads);
            if (status != LAY_OK && status != LAY_ERR_MEMORY)
                _exit(2);
        }
        budget = plenty;
        _exit(multiply(of, threads) == LAY_OK && is_right(of) ? 0 : 3);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void no_budget_ends_the_process(void **state)
{
    (void)state;
    static const int counts[][2] = { { 2, 4 }, { 4, 2 }, { 4, MAX_THREADS }, { MAX_THREADS, 3 } };
    for (size_t q = 0; q < sizeof counts / sizeof counts[0]; q++)
        for (long bytes = 0; bytes < 16000; bytes += 160) {
            kind *const of = bytes % 640 == 0 ? &numbers : &real;
            if (!lives_with(of, bytes, counts[q][0], counts[q][1]))
                fail_msg("type %d, %d threads after %d, %ld bytes left", (int)of->type, counts[q][1], counts[q][0],
                         bytes);
        }
}

/* What is mapped now, in bytes; 0 when the system does not say. */
static long mapped(void)
{
    long pages = 0;
    FILE *const file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/* OpenMP's stacks do not fit beside what is mapped, which is much where the library holds a device's code, or only
 * some of them do. */
static void no_address_space_ends_the_process(void **state)
{
    (void)state;
    for (int mib = 25; mib <= 1600; mib *= 2) {
        const pid_t child = fork();
        if (child == 0) {
            const rlim_t most = (rlim_t)mapped() + ((rlim_t)mib << 20);
            const struct rlimit limit = { most, most };
            if (setrlimit(RLIMIT_AS, &limit) != 0)
                _exit(1);
            for (int i = 0; i < 20; i++)
                if (multiply(&real, i % 2 ? 2 : 4 + i / 4) != LAY_OK || !is_right(&real) ||
                    multiply(&numbers, i % 2 ? 2 : 4 + i / 4) != LAY_OK || !is_right(&numbers))
                    _exit(2);
            _exit(0);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0)
            fail_msg("%d MiB more of address space: status %d", mib, status);
    }
}

/* Ways that there is no memory for are given up; a plan that is made by another one is a success. */
static void plans_made_without_some_memory_leave_the_last_sentence_alone(void **state)
{
    (void)state;
    static const int64_t extents[2][4] = { { 6, 7, 5, 8 }, { 8, 4, 7, 9 } }, c_extents[] = { 6, 4, 5, 9 };
    lay_product product = LAY_PRODUCT_INIT;
    lay_desc *a = NULL, *b = NULL, *c = NULL, *none = NULL;
    int made = 0, refused = 0;
    assert_int_equal(lay_desc_natural(4, extents[0], &a), LAY_OK);
    assert_int_equal(lay_desc_natural(4, extents[1], &b), LAY_OK);
    assert_int_equal(lay_desc_natural(4, c_extents, &c), LAY_OK);
    product.a = a, product.b = b, product.c = c;
    product.labels = "aecf,fbed->abcd";
    for (int number = 0, is_done = 0; !is_done; number++) {
        lay_plan *plan = NULL;
        assert_int_equal(lay_desc_parse("[", &none), LAY_ERR_SYNTAX);
        char before[400];
        snprintf(before, sizeof before, "%s", lay_last_error());
        until_failure = number;
        const lay_status status = lay_plan_create_product(&product, NULL, &plan);
        is_done = until_failure >= 0;
        until_failure = -1;
        assert_true(status == LAY_OK || status == LAY_ERR_MEMORY);
        assert_int_equal(!plan, status != LAY_OK);
        made += status == LAY_OK;
        refused += status == LAY_ERR_MEMORY;
        if (status == LAY_OK)
            assert_string_equal(lay_last_error(), before);
        lay_plan_destroy(plan);
    }
    assert_true(made > 1 && refused > 0);
    lay_desc_destroy(a);
    lay_desc_destroy(b);
    lay_desc_destroy(c);
}

int main(void)
{
    if (!make_plans(&real) || !make_plans(&numbers))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_budget_ends_the_process),
        cmocka_unit_test(no_address_space_ends_the_process),
        cmocka_unit_test(plans_made_without_some_memory_leave_the_last_sentence_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
