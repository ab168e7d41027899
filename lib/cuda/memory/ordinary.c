/* Ordinary memory: the heap, where the kernel maps nothing else, and the calling thread's stack. */
#include "cuda/memory/ordinary.h"

#include <limits.h>

#ifdef __GLIBC__ /* whose sbrk(0) asks nobody */

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uintptr_t nowhere = UINTPTR_MAX;

/* Where the heap starts, for good: threads that find out at once write the same. 0: nobody has. */
static _Atomic uintptr_t heap_start;

/* The thread's own; first is 0 until it has asked. */
static _Thread_local struct {
    uintptr_t first, end;
} stack;

static uintptr_t read_heap_start(void)
{
    enum { NAME = 2, START_BRK = 47, ROOM = 2048 }; /* fields, as proc(5) numbers them */
    char text[ROOM];
    const int file = open("/proc/thread-self/stat", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return nowhere;
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = 0;
    const char *at = strrchr(text, ')'); /* a name may hold blanks */
    for (int field = NAME; at && field < START_BRK; field++)
        at = strchr(at + 1, ' ');
    const uintptr_t start = at ? (uintptr_t)strtoull(at + 1, NULL, 10) : 0;
    return start ? start : nowhere;
}

static void find_stack(void)
{
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    stack.first = stack.end = nowhere;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &lowest, &size) == 0 && lowest) {
        stack.first = (uintptr_t)lowest;
        stack.end = stack.first + size;
    }
    pthread_attr_destroy(&attributes);
}

/* The break is asked for each time: behind it, when it has fallen, anything may be mapped. */
static inline int are_in_heap(uintptr_t low, uintptr_t high)
{
    uintptr_t start = atomic_load_explicit(&heap_start, memory_order_relaxed);
    if (!start) {
        start = read_heap_start();
        atomic_store_explicit(&heap_start, start, memory_order_relaxed);
    }
    return low >= start && high < (uintptr_t)sbrk(0);
}

/* Above the frame, if that lies on the stack: a coroutine's does not. */
static inline int are_on_stack(uintptr_t frame, uintptr_t high)
{
    if (!stack.first)
        find_stack();
    return frame >= stack.first && high < stack.end;
}

/* Stacks and mappings lie close together, the heap far below them: so the break is not asked for in vain. Where that is
 * not so, memory is asked about that need not be. */
int lay_are_ordinary(const void *a, const void *b, const void *c)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b, z = (uintptr_t)c, frame = (uintptr_t)__builtin_frame_address(0);
    const uintptr_t least = x < y ? x : y, most = x < y ? y : x;
    const uintptr_t low = z < least ? z : least, high = z < most ? most : z;
    const uintptr_t near = frame >> 6; /* of 128 TiB: 2 */
    return low >= frame ? are_on_stack(frame, high) : high < frame - near && are_in_heap(low, high);
}

#else

int lay_are_ordinary(const void *a, const void *b, const void *c)
{
    (void)a, (void)b, (void)c;
    return 0;
}

#endif
