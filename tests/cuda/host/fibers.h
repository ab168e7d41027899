/* Threads of a block, or of two that are a cluster, on the host: fibers, one at work at a time, each until it has to
 * wait. Who waits says for what, and goes on when that is woken, in turn: nobody asks again and again. */
#ifndef LAY_TESTS_CUDA_FIBERS_H
#define LAY_TESTS_CUDA_FIBERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include <functional>

extern "C" {
#include <cmocka.h>
}

static void set_thread(unsigned thread); /* as_host.h's, which stands behind this */

namespace fibers
{

enum { MOST = 832, STACK = 1 << 16, WARP = 32, NAMED = 16, BLOCKS = 2 };

struct fiber {
    ucontext_t context; /* where it begins */
    void *at[5];        /* where it goes on, as __builtin_setjmp has it */
    const void *awaits; /* NULL: nothing */
    bool has_begun, is_over;
    alignas(16) char stack[STACK];
};

struct barrier {
    int came;
};

static fiber all[MOST], host;
static barrier of_all, of_block[BLOCKS], of_warp[MOST / WARP], named[NAMED];
static std::function<void()> work;

static struct {
    int count, each, current;              /* of all, of a block */
    int alive, alive_in[BLOCKS];           /* not over; in a block */
    int alive_of[MOST / WARP];             /* of a warp */
    int ready[MOST], first_ready, readies; /* a ring */
    int slow, turns;
} now;

static int current()
{
    return now.current;
}

/* What one fiber leaves in memory another finds: a compiler that looks into a change of fibers sees none of that. */
#ifdef __clang__
#define FIBERS_OPAQUE __attribute__((noinline, optnone))
#else
#define FIBERS_OPAQUE __attribute__((noipa))
#endif

/* Without the system's calls that swapcontext makes to keep a signal mask: a twentieth of its time. A sanitizer of
 * addresses knows swapcontext alone. */
#ifdef __SANITIZE_ADDRESS__
FIBERS_OPAQUE static void change(fiber *from, fiber *to)
{
    swapcontext(&from->context, &to->context);
}
#else
[[noreturn]] __attribute__((noinline)) static void jump(fiber *to)
{
    if (to->has_begun)
        __builtin_longjmp(to->at, 1);
    to->has_begun = true;
    setcontext(&to->context);
    __builtin_unreachable();
}

FIBERS_OPAQUE static void change(fiber *from, fiber *to)
{
    if (__builtin_setjmp(from->at) == 0)
        jump(to);
}
#endif

static void make_ready(int who)
{
    now.ready[(now.first_ready + now.readies++) % MOST] = who;
}

static int take_first()
{
    const int first = now.ready[now.first_ready];
    now.first_ready = (now.first_ready + 1) % MOST;
    now.readies--;
    return first;
}

/* Whose turn it is; the host's where nobody may go on. Of one warp nothing comes while anything else can; of another
 * one now and then: what does not wait for it goes wrong. */
static fiber *find_next()
{
    enum { LONG = 3000 };
    if (now.readies == 0)
        return &host;
    if (++now.turns % LONG == 0)
        now.slow = (now.slow + 1) % (now.count / WARP + 1);
    now.current = take_first();
    for (int i = now.readies; i > 0 && now.current / WARP == now.slow; i--) {
        make_ready(now.current);
        now.current = take_first();
    }
    set_thread(static_cast<unsigned>(now.current));
    return &all[now.current];
}

/* The fiber at work gives way. gcc 12 at -O3 keeps what it has read of static memory over the change. */
static void pass_on()
{
    fiber *const own = &all[now.current];
    change(own, find_next());
    asm volatile("" : : : "memory");
}

/* It waits until somebody wakes what. */
static void await(const void *what)
{
    all[now.current].awaits = what;
    pass_on();
}

static void wake(const void *what)
{
    for (int i = 0; i < now.count; i++)
        if (all[i].awaits == what) {
            all[i].awaits = nullptr;
            make_ready(i);
        }
}

static void open(barrier &at)
{
    at.came = 0;
    wake(&at);
}

/* As many must come. */
static void meet(barrier &at, int expected)
{
    if (++at.came == expected)
        open(at);
    else
        await(&at);
}

/* Those of the own block. */
static void meet_all()
{
    const int block = now.current / now.each;
    meet(of_block[block], now.alive_in[block]);
}

/* Those of all blocks, none of which is over. */
[[maybe_unused]] static void meet_everybody()
{
    meet(of_all, now.count);
}

static void meet_warp()
{
    meet(of_warp[now.current / WARP], now.alive_of[now.current / WARP]);
}

/* Nobody waits for who is over. */
static void leave()
{
    const int warp = now.current / WARP, block = now.current / now.each;
    all[now.current].is_over = true;
    now.alive--;
    now.alive_in[block]--;
    now.alive_of[warp]--;
    if (of_block[block].came > 0 && of_block[block].came == now.alive_in[block])
        open(of_block[block]);
    if (of_warp[warp].came > 0 && of_warp[warp].came == now.alive_of[warp])
        open(of_warp[warp]);
}

static void begin()
{
    for (;;) {
        work();
        leave();
        pass_on();
    }
}

/* By itself: getcontext may return twice, and locals around it may be lost. */
static void make(fiber &one)
{
    one.has_begun = false;
    getcontext(&one.context);
    one.context.uc_stack.ss_sp = one.stack;
    one.context.uc_stack.ss_size = STACK;
    one.context.uc_link = nullptr;
    makecontext(&one.context, begin, 0);
}

/* One that has ended begins again where it ended. */
static void prepare(int number)
{
    fiber &one = all[number];
    if (!one.is_over)
        make(one);
    one.awaits = nullptr;
    one.is_over = false;
    now.alive_of[number / WARP]++;
    make_ready(number);
}

/* So many blocks, all at the same time, of so many threads that each do this. */
static void run(int threads, const std::function<void()> &what, int blocks = 1)
{
    assert_true(blocks <= BLOCKS && threads * blocks <= MOST && (blocks == 1 || threads % WARP == 0));
    work = what;
    static int runs;
    now = {};
    now.each = threads;
    now.count = now.alive = threads * blocks;
    now.slow = runs++ % (now.count / WARP + 1);
    of_all = {};
    for (barrier &one : of_block)
        one = {};
    for (barrier &one : of_warp)
        one = {};
    for (barrier &one : named)
        one = {};
    for (int block = 0; block < blocks; block++)
        now.alive_in[block] = threads;
    for (int i = 0; i < now.count; i++)
        prepare(i);
    host.has_begun = true;
    change(&host, find_next());
    if (now.alive > 0)
        fail_msg("%s", "threads wait for each other for good");
}

} // namespace fibers

#endif
