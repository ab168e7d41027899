/* Memory that nobody need be asked about: the heap as far as it reaches now, and the calling thread's stack above its
 * frame, whoever else has a stack. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include "cuda/memory/ordinary.h"

enum { PAGE = 4096, COROUTINE = 64 * PAGE };

static int is_ordinary(const void *address)
{
    return lay_are_ordinary(address, address, address);
}

static char *map(size_t bytes)
{
    char *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(mapped, MAP_FAILED);
    return mapped;
}

static void the_heap_is_ordinary_up_to_its_break(void **state)
{
    (void)state;
    char *grown = sbrk(2 * PAGE);
    assert_true(is_ordinary(grown));
    assert_true(is_ordinary(grown + 2 * PAGE - 1));
    assert_false(is_ordinary(grown + 2 * PAGE));
    sbrk(-PAGE);
    assert_true(is_ordinary(grown + PAGE - 1));
    assert_false(is_ordinary(grown + PAGE));
}

static void what_is_mapped_or_the_programs_is_asked_about(void **state)
{
    (void)state;
    static char of_the_program;
    char *mapped = map(PAGE);
    assert_false(is_ordinary(mapped));
    assert_false(is_ordinary(&of_the_program));
    assert_false(is_ordinary(NULL));
    munmap(mapped, PAGE);
}

/* The stack's end, as the thread's own. */
static char *find_end(void)
{
    pthread_attr_t attributes;
    void *lowest;
    size_t size;
    assert_int_equal(pthread_getattr_np(pthread_self(), &attributes), 0);
    assert_int_equal(pthread_attr_getstack(&attributes, &lowest, &size), 0);
    pthread_attr_destroy(&attributes);
    return (char *)lowest + size;
}

/* In each order. */
static int are_ordinary(const void *a, const void *b, const void *c)
{
    const int are = lay_are_ordinary(a, b, c);
    assert_int_equal(lay_are_ordinary(b, c, a), are);
    assert_int_equal(lay_are_ordinary(c, a, b), are);
    assert_int_equal(lay_are_ordinary(c, b, a), are);
    return are;
}

static void each_of_three_counts(void **state)
{
    (void)state;
    const char *frame = __builtin_frame_address(0), *grown = sbrk(PAGE), *mapped = map(PAGE);
    assert_true(are_ordinary(grown, grown + 1, grown + PAGE - 1));
    assert_false(are_ordinary(grown, grown + 1, grown + PAGE));
    assert_false(are_ordinary(grown, grown + 1, mapped));
    assert_true(are_ordinary(frame, frame + 1, frame + 2));
    assert_false(are_ordinary(frame, frame + 1, find_end()));
    assert_false(are_ordinary(frame, frame + 1, mapped));
    assert_false(are_ordinary(frame, frame + 1, NULL));
    munmap((void *)mapped, PAGE);
}

static int is_stack_known(void)
{
    const char *frame = __builtin_frame_address(0), *end = find_end();
    return is_ordinary(frame) && is_ordinary(end - 1) && !is_ordinary(end) && !is_ordinary(frame - 16 * PAGE);
}

/* A thread that waits with its frame in sight. */
typedef struct other {
    const char *frame, *starter;
    pthread_barrier_t met;
    int is_own_known, is_starter_known;
} other;

static void *show_frame(void *argument)
{
    other *of = argument;
    of->frame = __builtin_frame_address(0);
    of->is_own_known = is_stack_known();
    of->is_starter_known = is_ordinary(of->starter);
    pthread_barrier_wait(&of->met);
    pthread_barrier_wait(&of->met);
    return NULL;
}

static void a_thread_knows_its_own_stack_and_no_other(void **state)
{
    (void)state;
    other of = { .starter = __builtin_frame_address(0) };
    pthread_t thread;
    pthread_barrier_init(&of.met, NULL, 2);
    assert_true(is_stack_known());
    assert_int_equal(pthread_create(&thread, NULL, show_frame, &of), 0);
    pthread_barrier_wait(&of.met);
    assert_false(is_ordinary(of.frame));
    pthread_barrier_wait(&of.met);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&of.met);
    assert_true(of.is_own_known);
    assert_false(of.is_starter_known);
}

static ucontext_t outside, inside;
static const char *between, *outer_frame;
static int known_inside;

static void ask_inside(void)
{
    known_inside = is_ordinary(between) + is_ordinary(outer_frame);
}

/* Its frame lies below all that lies between it and the thread's stack. */
static void a_coroutine_takes_nothing_between_the_stacks_for_its_own(void **state)
{
    (void)state;
    char *mapped = map(COROUTINE + PAGE);
    between = mapped + COROUTINE;
    outer_frame = __builtin_frame_address(0);
    assert_int_equal(getcontext(&inside), 0);
    inside.uc_stack.ss_sp = mapped;
    inside.uc_stack.ss_size = COROUTINE;
    inside.uc_link = &outside;
    makecontext(&inside, ask_inside, 0);
    known_inside = -1;
    assert_int_equal(swapcontext(&outside, &inside), 0);
    assert_int_equal(known_inside, 0);
    assert_true(is_ordinary(outer_frame));
    munmap(mapped, COROUTINE + PAGE);
}

static void *fork_and_ask(void *argument)
{
    int *status = argument;
    const int is_known = is_stack_known();
    const pid_t child = fork();
    if (child == 0)
        _exit(is_known && is_stack_known() ? 0 : 1);
    waitpid(child, status, 0);
    return NULL;
}

static void a_forked_child_knows_the_stack_that_it_goes_on_with(void **state)
{
    (void)state;
    pthread_t thread;
    int status = -1;
    assert_int_equal(pthread_create(&thread, NULL, fork_and_ask, &status), 0);
    pthread_join(thread, NULL);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_heap_is_ordinary_up_to_its_break),
        cmocka_unit_test(what_is_mapped_or_the_programs_is_asked_about),
        cmocka_unit_test(each_of_three_counts),
        cmocka_unit_test(a_thread_knows_its_own_stack_and_no_other),
        cmocka_unit_test(a_coroutine_takes_nothing_between_the_stacks_for_its_own),
        cmocka_unit_test(a_forked_child_knows_the_stack_that_it_goes_on_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
