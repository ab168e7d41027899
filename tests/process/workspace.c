/* Scratch memory is kept for the next caller, whatever sizes came before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "threads/workspace.h"

enum { KIB = 1 << 10 };

static int allocations;

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __real_aligned_alloc(alignment, size);
}

static void use(size_t bytes)
{
    void *const scratch = lay_workspace_take(bytes);
    assert_non_null(scratch);
    assert_int_equal((uintptr_t)scratch % 64, 0);
    memset(scratch, 1, bytes);
    lay_workspace_give(scratch);
}

static int count_allocations(size_t bytes)
{
    allocations = 0;
    use(bytes);
    return allocations;
}

static void many_small_sizes_leave_a_place_for_a_large_one(void **state)
{
    (void)state;
    lay_workspace_clear();
    for (int q = 1; q <= 40; q++)
        use((size_t)q * 16 * KIB);
    assert_int_equal(count_allocations(4000 * KIB), 1);
    assert_int_equal(count_allocations(4000 * KIB), 0);
    assert_int_equal(count_allocations(40 * 16 * KIB), 0);
    assert_int_equal(count_allocations(1), 0);
}

/* 300 MB, of which 256 MiB may lie idle: what is left serves the largest. */
static void idle_memory_has_a_limit(void **state)
{
    (void)state;
    void *scratch[10];
    lay_workspace_clear();
    for (int q = 0; q < 10; q++)
        assert_non_null(scratch[q] = lay_workspace_take((size_t)(29000 + q) * KIB));
    for (int q = 0; q < 10; q++)
        lay_workspace_give(scratch[q]);
    allocations = 0;
    for (int q = 9; q >= 0; q--)
        scratch[q] = lay_workspace_take((size_t)(29000 + q) * KIB);
    assert_in_range(allocations, 1, 3);
    for (int q = 0; q < 10; q++)
        lay_workspace_give(scratch[q]);
    use((size_t)300000 * KIB);
    assert_int_equal(count_allocations((size_t)300000 * KIB), 1); /* too much to keep */
    lay_workspace_clear();
    assert_int_equal(count_allocations(KIB), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_small_sizes_leave_a_place_for_a_large_one),
        cmocka_unit_test(idle_memory_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
