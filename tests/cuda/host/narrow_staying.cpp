/* What stays in shared memory, and the other operand's turns beside it, by the kernel's own text on the host: where a
 * turn is looked for, there is what the tile wants, all along a block's tiles. */
#define AS_HOST_HAS_BARRIERS
#define LAY_KERNELS_CUDA_HOPPER_CLUSTER_CUH
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <vector>

extern "C" {
#include <cmocka.h>
}

#include "../../random.h"
#include "as_host.h"

/* ---- what a device has */

static int own_number, number_of_blocks;

static unsigned shared_address(const void *pointer)
{
    return static_cast<unsigned>(reinterpret_cast<uintptr_t>(pointer));
}
static int cluster_rank()
{
    return 0;
}
static int cluster_number()
{
    return own_number;
}
static int cluster_count()
{
    return number_of_blocks;
}
static int __ffs(int x)
{
    return __builtin_ffs(x);
}
[[maybe_unused]] static void __nanosleep(unsigned)
{
}
static void await_launch_before()
{
}

/* A box: after so many turns of the ring were asked for, 0 of what stays. */
struct brought {
    int turn, x, y;
    const void *tensor;
    char *to;
};
static std::vector<brought> boxes;
static int turns_begun;

static void barrier_wait(uint64_t *, int)
{
    turns_begun++;
}
static void barrier_expect(uint64_t *, unsigned)
{
}
static void copy_box(void *to, const void *tensor, int x, int y, uint64_t *)
{
    boxes.push_back({ turns_begun, x, y, tensor, static_cast<char *>(to) });
}
template <typename... Others> static void copy_box(void *, const void *, int, int, int, int, Others...)
{
    abort(); /* operands of these tests have one stride a dimension */
}
template <typename... Others> static void copy_box_to(int, void *, const void *, Others...)
{
    abort();
}

enum piece_type { FP16, BF16, TF32 };

#include "cuda/narrow/produce.cuh"

/* ---- a ring, line by line of 128 bytes */

struct line {
    const void *tensor;
    int number, step;
};
alignas(1024) static char room[256 << 10];
static line lines[sizeof room / LAY_NARROW_LINE];

static void take(const brought &box, int count)
{
    for (int i = 0; i < count; i++)
        lines[(box.to - room) / LAY_NARROW_LINE + i] = { box.tensor, box.y + i, box.x };
}

/* Of an operand of the tile's, from its first line on. */
static void insist_on_turn(const char *first, int count, const void *tensor, int number, int step)
{
    for (int i = 0; i < count; i++) {
        const line &found = lines[(first - room) / LAY_NARROW_LINE + i];
        assert_ptr_equal(found.tensor, tensor);
        assert_int_equal(found.number, number + i);
        assert_int_equal(found.step, step);
    }
}

/* All tiles of a block, each of which is met by as many. */
template <typename S> static void insist_on_block(const lay_narrow_args &args, std::vector<int> &met)
{
    const ring<S> ring(room);
    const schedule<S> works(args);
    const slots<S> slots(args);
    std::vector<brought> all;
    for (unsigned lane = 0; lane < 32; lane++) {
        threadIdx.x = S::multipliers + lane;
        turns_begun = 0;
        boxes.clear();
        produce<S, by_digits<S>>(args, ring, works, works.at(args, works.first));
        all.insert(all.end(), boxes.begin(), boxes.end());
    }
    assert_true(slots.all >= 3 && slots.all <= S::most_turns && slots.stay + slots.all * slots.size <= S::ring_size);
    position<S> at = { 0, 0 };
    const auto take_of = [&](int turn) {
        for (const brought &box : all)
            if (box.turn == turn)
                take(box, box.tensor == args.left.tensor ? args.left.box : args.right.box);
    };
    take_of(0);
    int begun = 0;
    for (int number = works.first; number < works.count; number += works.apart) {
        const work own = works.at(args, number);
        met[own.tile]++;
        for (int turn = 0; turn < own.turns; turn++) {
            take_of(++begun);
            insist_on_turn(ring.turn + slots.place(false, at.slot, turn), S::bm, args.left.tensor, own.i,
                           turn * S::steps);
            insist_on_turn(ring.turn + S::left_size + slots.place(true, at.slot, turn), S::bn, args.right.tensor, own.j,
                           turn * S::steps);
            at.go_on(slots.all);
        }
    }
}

template <int bm, int bn> static void insist_on_product(random_source *from)
{
    using S = shape<BF16, bm, bn, 2, 1, false, false, true, true>;
    enum { BLOCKS = 12, MOST = 5 };
    const int is_right = static_cast<int>(random_in(from, 0, 1)), few = static_cast<int>(random_in(from, 1, 4));
    const int many = static_cast<int>(random_in(from, 1, 100)), k = static_cast<int>(random_in(from, 1, 64 * MOST));
    const int down = is_right ? many : few, across = is_right ? few : many;
    static lay_narrow_args args;
    args = {};
    args.m = down * bm - static_cast<int>(random_in(from, 0, bm - 1));
    args.n = across * bn - static_cast<int>(random_in(from, 0, bn - 1));
    args.k = args.slice_k = k;
    args.slices = args.cluster = 1;
    args.stays =
        !random_one_in(from, 4) ? (is_right ? LAY_NARROW_RIGHT_STAYS : LAY_NARROW_LEFT_STAYS) : LAY_NARROW_NONE_STAYS;
    for (lay_narrow_operand *of : { &args.left, &args.right }) {
        of->box = 32;
        of->boxes = (of == &args.left ? bm : bn) / 32;
        of->inner_lines = of->inner_steps = INT32_MAX;
    }
    lay_cuda_kernel row = {};
    row.bm = bm;
    row.bn = bn;
    lay_narrow_args_tile(&args, &row);
    std::vector<int> met(static_cast<size_t>(down * across), 0);
    number_of_blocks = args.stays ? BLOCKS / few * few : BLOCKS;
    number_of_blocks = number_of_blocks < down * across ? number_of_blocks : down * across;
    for (own_number = 0; own_number < number_of_blocks; own_number++)
        insist_on_block<S>(args, met);
    for (const int times : met)
        assert_int_equal(times, 1);
}

static void what_stays_is_where_it_is_looked_for(void **)
{
    for (uint64_t number = 0; number < 60; number++) {
        random_source from = random_case(203, number);
        if (number % 2)
            insist_on_product<64, 256>(&from);
        else
            insist_on_product<128, 128>(&from);
    }
}

int main()
{
    const CMUnitTest tests[] = { cmocka_unit_test(what_stays_is_where_it_is_looked_for) };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
