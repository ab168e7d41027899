/* The producers' own text as C++ for the host: nothing is awaited, and what is copied is told to the test. */
#define AS_HOST_HAS_BARRIERS
#define LAY_KERNELS_CUDA_HOPPER_CLUSTER_CUH
#include <stdlib.h>

#include "narrow_producers.h"

#include "as_host.h"

static void insist_on_copy(const void *, const void *, int)
{
    abort();
}

static int own_rank, turns_begun, turn_bytes, expected_bytes;
static char *ring_begin;
static void (*told_box)(const producer_box *);

static unsigned shared_address(const void *pointer)
{
    return static_cast<unsigned>(reinterpret_cast<uintptr_t>(pointer));
}
static int cluster_rank()
{
    return own_rank;
}
static int cluster_number()
{
    return 0;
}
static int cluster_count()
{
    return 1;
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
static void barrier_wait(uint64_t *, int)
{
}
static void barrier_expect(uint64_t *, unsigned bytes)
{
    expected_bytes += static_cast<int>(bytes);
    turns_begun++;
}

static void tell(int blocks, void *to, const void *tensor, int rank, const int (&at)[5])
{
    const int place = static_cast<int>((static_cast<char *>(to) - ring_begin) % turn_bytes);
    const producer_box box = { turns_begun - 1, place, blocks, tensor, rank, { at[0], at[1], at[2], at[3], at[4] } };
    told_box(&box);
}
static void copy_box(void *to, const void *tensor, int x, int y, uint64_t *)
{
    tell(0, to, tensor, 2, { x, y, 0, 0, 0 });
}
static void copy_box(void *to, const void *tensor, int x, int y, int z, int w, uint64_t *)
{
    tell(0, to, tensor, 4, { x, y, z, w, 0 });
}
static void copy_box(void *to, const void *tensor, int x, int y, int z, int w, int v, uint64_t *)
{
    tell(0, to, tensor, 5, { x, y, z, w, v });
}
static void copy_box_to(int blocks, void *to, const void *tensor, int x, int y, uint64_t *)
{
    tell(blocks, to, tensor, 2, { x, y, 0, 0, 0 });
}
static void copy_box_to(int blocks, void *to, const void *tensor, int x, int y, int z, int w, uint64_t *)
{
    tell(blocks, to, tensor, 4, { x, y, z, w, 0 });
}
static void copy_box_to(int blocks, void *to, const void *tensor, int x, int y, int z, int w, int v, uint64_t *)
{
    tell(blocks, to, tensor, 5, { x, y, z, w, v });
}

enum piece_type { FP16, BF16, TF32 };

#include "cuda/narrow/produce.cuh"

alignas(1024) static char room[256 << 10];

template <typename S> static int run(const lay_narrow_args &args, void take_turn(const producer_turn *))
{
    const ring<S> own(room);
    const schedule<S> works(args);
    turn_bytes = S::turn_size;
    turns_begun = 0;
    ring_begin = own.turn;
    for (int number = works.first; number < works.count; number += works.apart) {
        const work unit = works.at(args, number);
        for (int turn = 0; turn < (told_box ? unit.turns : 1); turn++) {
            const producer_turn begun = { unit.i, unit.j, unit.step + turn * S::steps, turn, S::turn_size };
            take_turn(&begun);
        }
    }
    if (!told_box)
        return 1;
    expected_bytes = 0;
    const work first = works.at(args, works.first);
    int begun[2];
    for (int is_right = 0; is_right < 2; is_right++) {
        turns_begun = 0;
        if (args.bringing == LAY_NARROW_BY_WHOLES)
            produce_by<S, whole_box>(args, own, works, first, is_right);
        else if (args.bringing == LAY_NARROW_BY_PIECES)
            produce_by<S, pieces>(args, own, works, first, is_right);
        else
            produce_by<S, plain_boxes>(args, own, works, first, is_right);
        begun[is_right] = turns_begun;
    }
    const int bytes =
        args.bringing == LAY_NARROW_BY_WHOLES ? static_cast<int>(args.left.bytes + args.right.bytes) : turn_bytes;
    const int in_block = args.turns ? (args.left.inner_steps + S::steps - 1) / S::steps : 1;
    const int last = args.turns ? begun[0] / in_block : 0; /* turns of blocks */
    int less = 0;
    const lay_narrow_operand *const both[] = { &args.left, &args.right };
    for (const lay_narrow_operand *of : both)
        less += of->last.bytes ? static_cast<int>(of->bytes - of->last.bytes) : 0;
    return begun[0] == begun[1] && bytes <= turn_bytes && expected_bytes == begun[0] * bytes - last * less;
}

template <piece_type kind, int bm, int bn, int groups, int residents>
static int run_way(int way, const lay_narrow_args &args, void take_turn(const producer_turn *))
{
    switch (way) {
    case 0:
        return run<shape<kind, bm, bn, groups, residents, false, false>>(args, take_turn);
    case 2:
        return run<shape<kind, bm, bn, groups, residents, true, false>>(args, take_turn);
    default:
        if constexpr (kind == TF32)
            return 0;
        else if (way == 1)
            return run<shape<kind, bm, bn, groups, residents, false, true>>(args, take_turn);
        else
            return run<shape<kind, bm, bn, groups, residents, true, true>>(args, take_turn);
    }
}

const int producer_tiles[PRODUCER_TILES][3] = { { 2, 128, 256 }, { 2, 128, 192 }, { 2, 128, 160 }, { 2, 128, 64 },
                                                { 2, 64, 32 },   { 2, 64, 16 },   { 4, 128, 128 }, { 4, 64, 16 },
                                                { 2, 128, 144 }, { 2, 128, 112 }, { 2, 128, 240 } };

template <int lines> static int line_in(int is_right, const lay_narrow_args &args, int first, int line)
{
    return line_of<lines>(is_right ? args.strips_n : args.strips_m, first, line, is_right ? args.n : args.m);
}

int producer_line(int tile, int is_right, const lay_narrow_args *args, int first, int line)
{
    switch (producer_tiles[tile][1 + is_right]) {
    case 16:
        return line_in<16>(is_right, *args, first, line);
    case 32:
        return line_in<32>(is_right, *args, first, line);
    case 64:
        return line_in<64>(is_right, *args, first, line);
    case 112:
        return line_in<112>(is_right, *args, first, line);
    case 128:
        return line_in<128>(is_right, *args, first, line);
    case 144:
        return line_in<144>(is_right, *args, first, line);
    case 160:
        return line_in<160>(is_right, *args, first, line);
    case 192:
        return line_in<192>(is_right, *args, first, line);
    case 240:
        return line_in<240>(is_right, *args, first, line);
    default:
        return line_in<256>(is_right, *args, first, line);
    }
}

int producer_run(int tile, int way, int rank, const lay_narrow_args *args, void take_turn(const producer_turn *),
                 void take_box(const producer_box *))
{
    own_rank = rank;
    told_box = take_box;
    switch (tile) {
    case 0:
        return run_way<BF16, 128, 256, 2, 1>(way, *args, take_turn);
    case 1:
        return run_way<BF16, 128, 192, 2, 1>(way, *args, take_turn);
    case 2:
        return run_way<BF16, 128, 160, 2, 1>(way, *args, take_turn);
    case 3:
        return run_way<BF16, 128, 64, 2, 1>(way, *args, take_turn);
    case 4:
        return run_way<BF16, 64, 32, 1, 2>(way, *args, take_turn);
    case 5:
        return run_way<BF16, 64, 16, 1, 2>(way, *args, take_turn);
    case 6:
        return run_way<TF32, 128, 128, 2, 1>(way, *args, take_turn);
    case 7:
        return run_way<TF32, 64, 16, 1, 2>(way, *args, take_turn);
    case 8:
        return run_way<BF16, 128, 144, 2, 1>(way, *args, take_turn);
    case 10:
        return run_way<BF16, 128, 240, 2, 1>(way, *args, take_turn);
    default:
        return run_way<BF16, 128, 112, 2, 1>(way, *args, take_turn);
    }
}
