/* How a tile's slices are added by the kernels' own text on the host, threads and barriers included: in ascending
 * order, once, whichever block comes last to the tile, or by the blocks of a cluster, each its part; and how sums
 * become C in vectors, whether its rows are contiguous or its columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include "../../random.h"
#include "fibers.h"

#define AS_HOST_HAS_FIBERS
#define AS_HOST_HAS_BARRIERS
#define AS_HOST_HAS_CLUSTERS
#define LAY_KERNELS_CUDA_HALF_CUH
#define LAY_KERNELS_CUDA_HOPPER_CLUSTER_CUH
#define LAY_KERNELS_CUDA_HOPPER_MOVMATRIX_CUH
#include "as_host.h"

static void insist_on_copy(const void *, const void *, int)
{
    abort();
}

/* ---- stand-ins: two blocks at the same time, each with its barrier; or one of a cluster's, with all blocks' memory */

enum { BLOCKS = 2, MOST_TOGETHER = 8, ROOM = 64 << 10 };

static int own_block, own_rank;
static bool said[BLOCKS];
alignas(1024) static char rooms[MOST_TOGETHER][ROOM];
static unsigned received[MOST_TOGETHER];

static void set_thread(unsigned thread)
{
    own_block = static_cast<int>(thread) / fibers::now.each;
    threadIdx.x = thread % static_cast<unsigned>(fibers::now.each);
}
template <int threads> void some_meet()
{
    fibers::meet(fibers::named[own_block], threads);
}
template <int threads> bool some_ask(bool own)
{
    const int block = own_block;
    said[block] |= own;
    some_meet<threads>();
    const bool any = said[block];
    some_meet<threads>();
    said[block] = false;
    return any;
}
static unsigned count_up(unsigned *counter, unsigned most)
{
    return atomicInc(counter, most);
}
static void __syncwarp()
{
    fibers::meet_warp();
}
static void __syncthreads()
{
    abort();
}
struct uint4 {
    unsigned x, y, z, w;
};
static uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return { x, y, z, w };
}
template <typename T> void __stcg(T *to, T vector)
{
    assert_int_equal(reinterpret_cast<uintptr_t>(to) % sizeof vector, 0);
    *to = vector;
}
/* A word of each thread's, which others of its warp read. */
static unsigned shown[fibers::MOST];
template <typename F> unsigned among_lanes(unsigned word, F read)
{
    const int own = fibers::current(), first = own / fibers::WARP * fibers::WARP;
    shown[own] = word;
    fibers::meet_warp();
    const unsigned found = read(shown + first, own - first);
    fibers::meet_warp();
    return found;
}
static unsigned __shfl_xor_sync(unsigned, unsigned word, int apart)
{
    return among_lanes(word, [=](const unsigned *of, int lane) { return of[lane ^ apart]; });
}
[[maybe_unused]] static int64_t __shfl_sync(unsigned, int64_t, int)
{
    abort();
}
static unsigned transpose_eight(unsigned word)
{
    return among_lanes(word, [](const unsigned *of, int lane) {
        const int column = lane / 4, row = lane % 4 * 2, half = column % 2 * 16; /* two rows of a column */
        const unsigned above = of[row * 4 + column / 2] >> half, below = of[(row + 1) * 4 + column / 2] >> half;
        return (above & 0xffff) | below << 16;
    });
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
static void barrier_expect(uint64_t *, unsigned)
{
}
static unsigned shared_address(const void *)
{
    return 0;
}
static unsigned address_in(const void *own, int rank)
{
    const ptrdiff_t at = own ? static_cast<const char *>(own) - rooms[own_rank] : 0;
    return static_cast<unsigned>(rank * ROOM + at);
}
static void own_writes_are_made()
{
}
static void copy_bulk_to(unsigned there, const void *from, unsigned bytes, unsigned barrier_there)
{
    assert_true(there % 16 == 0 && bytes % 16 == 0 && there / ROOM == barrier_there / ROOM);
    memcpy(rooms[0] + there, from, bytes);
    received[there / ROOM] += bytes;
}
template <typename... Any> void copy_box(Any...)
{
}
template <typename... Any> void copy_box_to(Any...)
{
}

struct __half {
    float value;
};
struct __nv_bfloat16 {
    float value;
};
struct __half2 {
    uint16_t x, y;
};
using __nv_bfloat162 = __half2;
static uint16_t to_bf16(float x)
{
    const unsigned bits = __float_as_uint(x);
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
static __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return { to_bf16(x), to_bf16(y) };
}
[[maybe_unused]] static __half2 __floats2half2_rn(float, float)
{
    abort();
}
template <typename T> struct stored {
    static T narrow(float x)
    {
        return T{ x };
    }
};
template <typename T> void write_blended(T *to, float alpha, float sum, float)
{
    *to = T{ alpha * sum };
}

enum piece_type { FP16, BF16, TF32 };

#include "cuda/narrow/apart.cuh"

/* ---- sums --------------------------------------------------------------------------------------- */

/* A thread's number of a slice of a tile; zeros of either sign, too. */
static float number_of(uint64_t seed, int tile, int slice, int thread, int at)
{
    random_source from = random_case(seed, static_cast<uint64_t>(((tile * 32 + slice) * 512 + thread) * 256 + at));
    const int kind = static_cast<int>(random_in(&from, 0, 7));
    return kind == 0 ? -0.0f : kind == 1 ? 0.0f : static_cast<float>(random_unit(&from)) - 0.5f;
}
static float sum_of(uint64_t seed, int tile, int slices, int thread, int at)
{
    float sum = number_of(seed, tile, 0, thread, at);
    for (int slice = 1; slice < slices; slice++)
        sum += number_of(seed, tile, slice, thread, at);
    return sum;
}
static bool are_same(float x, float y)
{
    return memcmp(&x, &y, sizeof x) == 0;
}

template <typename S> struct tile_sums {
    float sum[S::parts][S::columns / 2];

    void fill(uint64_t seed, int tile, int slice, int thread)
    {
        for (int part = 0; part < S::parts; part++)
            for (int i = 0; i < S::columns / 2; i++)
                sum[part][i] = number_of(seed, tile, slice, thread, part * S::columns / 2 + i);
    }
};

/* Tiles of a C that the last row and column of them need not be in; two blocks, which have the units in any order. */
template <typename S> static void gather_all(uint64_t seed)
{
    random_source from = random_case(331, seed);
    const int down = static_cast<int>(random_in(&from, 1, 3)), across = static_cast<int>(random_in(&from, 1, 2));
    const int slices = static_cast<int>(random_in(&from, 2, 13)), tiles = down * across;
    std::vector<float4> partial(static_cast<size_t>(tiles * slices * apart<S>::slice_size));
    std::vector<unsigned> counters(static_cast<size_t>(tiles));
    std::vector<work> units[BLOCKS];
    std::vector<int> ends(static_cast<size_t>(tiles));
    lay_narrow_args args = {};
    args.m = (down - 1) * S::bm + 1;
    args.n = (across - 1) * S::bn + 1;
    args.slices = slices;
    args.tiles_n = across;
    args.partial = &partial[0].x;
    args.counters = counters.data();
    for (int number = 0; number < (down + 1) * across * slices; number++) {
        const int tile = number / slices;
        units[random_in(&from, 0, BLOCKS - 1)].push_back(
            { tile / across * S::bm, tile % across * S::bn, number % slices, 0, 1, tile });
    }
    for (std::vector<work> &own : units)
        for (size_t i = own.size(); i > 1; i--)
            std::swap(own[i - 1], own[static_cast<size_t>(random_in(&from, 0, static_cast<int64_t>(i) - 1))]);
    fibers::run(
        S::multipliers,
        [&] {
            for (const work &unit : units[own_block]) {
                const int thread = static_cast<int>(threadIdx.x);
                tile_sums<S> own;
                own.fill(seed, unit.tile, unit.slice, thread);
                if (!gather<S>(args, unit, own.sum))
                    continue;
                assert_true(unit.tile < tiles);
                ends[static_cast<size_t>(unit.tile)]++;
                for (int part = 0; part < S::parts; part++)
                    for (int i = 0; i < S::columns / 2; i++)
                        assert_true(are_same(own.sum[part][i],
                                             sum_of(seed, unit.tile, slices, thread, part * S::columns / 2 + i)));
            }
        },
        BLOCKS);
    for (int tile = 0; tile < tiles; tile++) {
        assert_int_equal(ends[static_cast<size_t>(tile)], S::multipliers); /* one block, all of its threads */
        assert_int_equal(counters[static_cast<size_t>(tile)], 0);
    }
}

static void the_last_block_of_a_tile_adds_its_slices(void **)
{
    for (uint64_t number = 0; number < 6; number++) {
        gather_all<shape<BF16, 64, 16, 1, 2, false, false>>(number);
        gather_all<shape<BF16, 64, 64, 1, 2, false, true>>(number);
        gather_all<shape<BF16, 128, 96, 2, 1, false, false>>(number);
    }
}

/* Each block of a cluster sends what it has, then adds what came. */
template <typename S> static void add_together(uint64_t seed, int slices)
{
    std::vector<float> c(S::bm * S::bn, -1);
    lay_narrow_args args = {};
    args.m = S::bm;
    args.n = S::bn;
    args.alpha = 1;
    args.c = c.data();
    args.c_type = LAY_F32;
    args.result_m.stride = S::bn;
    args.result_n.stride = 1;
    args.is_c_vector = seed % 2;
    args.cluster = slices;
    memset(received, 0, sizeof received);
    for (own_rank = 0; own_rank < slices; own_rank++)
        fibers::run(S::multipliers, [&] {
            tile_sums<S> own;
            own.fill(seed, 0, own_rank, static_cast<int>(threadIdx.x));
            units<S>(args).send(rooms[own_rank], nullptr, own.sum);
        });
    for (own_rank = 0; own_rank < slices; own_rank++)
        fibers::run(S::multipliers, [&] {
            const int group = static_cast<int>(threadIdx.x) / 128;
            assert_int_equal(received[own_rank], units<S>(args).bytes());
            add_slices_of<S>(args, rooms[own_rank], group % S::groups_down * 64 * S::parts,
                             group / S::groups_down * S::columns);
        });
    for (int thread = 0; thread < S::multipliers; thread++)
        for (int i = 0; i < S::columns / 2; i++) {
            const int row = thread / 32 * 16 + thread % 32 / 4 + i % 4 / 2 * 8;
            const int column = i / 4 * 8 + thread % 4 * 2 + i % 2;
            assert_true(are_same(c[static_cast<size_t>(row * S::bn + column)], sum_of(seed, 0, slices, thread, i)));
        }
}

static void blocks_of_a_cluster_add_a_part_each(void **)
{
    for (int slices = 2; slices <= MOST_TOGETHER; slices++) {
        add_together<shape<BF16, 64, 16, 1, 2, false, false>>(static_cast<uint64_t>(slices), slices);
        add_together<shape<BF16, 64, 32, 1, 2, false, false>>(static_cast<uint64_t>(slices) + 1, slices);
        add_together<shape<BF16, 128, 32, 2, 2, false, false>>(static_cast<uint64_t>(slices), slices);
    }
}

/* A matrix of 16 bits in which a tile is, or a part of one: rows or columns are contiguous, whole vectors of them. */
struct short_c {
    const int m, n;
    const bool is_down;
    const int pitch;
    std::vector<uint4> memory;

    enum { NOTHING = 0x7fc1 };

    short_c(int m, int n, bool is_down)
        : m(m), n(n), is_down(is_down), pitch((is_down ? m : n) + 8), memory(static_cast<size_t>(pitch * (m + n) / 8))
    {
        for (uint16_t *at = first(), *const end = at + memory.size() * 8; at < end; at++)
            *at = NOTHING;
    }
    uint16_t *first()
    {
        return reinterpret_cast<uint16_t *>(memory.data());
    }
    void describe(lay_narrow_args &args)
    {
        args.m = m;
        args.n = n;
        args.alpha = 0.75f;
        args.c = first();
        args.c_type = LAY_BF16;
        args.result_m.stride = is_down ? 1 : pitch;
        args.result_n.stride = is_down ? pitch : 1;
        args.is_c_vector = !is_down;
        args.is_c_down = is_down;
    }
    /* All of what tile 0 has of it, and nothing else. */
    template <typename S> void compare(uint64_t seed, int slices)
    {
        size_t count = 0;
        for (int thread = 0; thread < S::multipliers; thread++)
            for (int at = 0; at < S::parts * S::columns / 2; at++) {
                const int part = at / (S::columns / 2), i = at % (S::columns / 2), group = thread / 128;
                const int row = group % S::groups_down * 64 * S::parts + part * 64 + thread % 128 / 32 * 16 +
                                thread % 32 / 4 + i % 4 / 2 * 8;
                const int column = group / S::groups_down * S::columns + i / 4 * 8 + thread % 4 * 2 + i % 2;
                if (row >= m || column >= n)
                    continue;
                assert_int_equal(first()[is_down ? column * pitch + row : row * pitch + column],
                                 to_bf16(0.75f * sum_of(seed, 0, slices, thread, at)));
                count++;
            }
        assert_int_equal(count, std::min(m, int{ S::bm }) * std::min(n, int{ S::bn }));
        for (uint16_t *at = first(), *const end = at + memory.size() * 8; at < end; at++)
            count += *at == NOTHING;
        assert_int_equal(count, memory.size() * 8);
    }
};

/* Sizes of which a tile has all, or not: whole vectors along what is contiguous, any number across. */
template <typename S, typename F> static void for_each_size(F each)
{
    for (int is_down = 0; is_down < 2; is_down++)
        for (int number = 0; number < 3; number++) {
            random_source from = random_case(347, static_cast<uint64_t>((S::bm + S::bn) * 8 + is_down * 4 + number));
            int m = S::bm, n = S::bn;
            if (number > 0) {
                m = static_cast<int>(random_in(&from, 1, m));
                n = static_cast<int>(random_in(&from, 1, n));
                (is_down ? m : n) = ((is_down ? m : n) + 7) / 8 * 8;
            }
            each(short_c(m, n, is_down));
        }
}

/* A tile's sums, and those of a tile that there is not. */
template <typename S> static void leave()
{
    for_each_size<S>([](short_c c) {
        lay_narrow_args args = {};
        c.describe(args);
        fibers::run(S::multipliers, [&] {
            const int group = static_cast<int>(threadIdx.x) / 128;
            const int row = group % S::groups_down * 64 * S::parts, column = group / S::groups_down * S::columns;
            tile_sums<S> own;
            own.fill(5, 0, 0, static_cast<int>(threadIdx.x));
            assert_true(leaving_in_sectors<S>::may(args));
            leaving_in_sectors<S>().pass(args, LAY_NARROW_NO_TILE + row, LAY_NARROW_NO_TILE + column, own.sum);
            leaving_in_sectors<S>().pass(args, row, column, own.sum);
        });
        c.compare<S>(5, 1);
    });
}

static void sums_leave_in_vectors_down_c_and_across(void **)
{
    leave<shape<BF16, 64, 16, 1, 2, false, false>>();
    leave<shape<BF16, 64, 64, 1, 2, false, false>>();
    leave<shape<BF16, 128, 32, 2, 2, false, false>>();
    leave<shape<BF16, 128, 96, 2, 1, false, false>>();
    leave<shape<BF16, 256, 64, 2, 1, false, false>>();
}

/* The same of slices in a cluster, of which some have one unit more than others, or none. */
template <typename S> static void leave_together(int slices)
{
    for_each_size<S>([=](short_c c) {
        lay_narrow_args args = {};
        c.describe(args);
        args.cluster = slices;
        for (own_rank = 0; own_rank < slices; own_rank++)
            fibers::run(S::multipliers, [&] {
                tile_sums<S> own;
                own.fill(7, 0, own_rank, static_cast<int>(threadIdx.x));
                units<S>(args).send(rooms[own_rank], nullptr, own.sum);
            });
        for (own_rank = 0; own_rank < slices; own_rank++)
            fibers::run(S::multipliers, [&] {
                const int group = static_cast<int>(threadIdx.x) / 128;
                add_slices_of<S>(args, rooms[own_rank], group % S::groups_down * 64 * S::parts,
                                 group / S::groups_down * S::columns);
            });
        c.compare<S>(7, slices);
    });
}

static void parts_of_a_cluster_leave_in_vectors_down_c_and_across(void **)
{
    for (int slices = 2; slices <= MOST_TOGETHER; slices++) {
        leave_together<shape<BF16, 64, 16, 1, 2, false, false>>(slices);
        leave_together<shape<BF16, 64, 32, 1, 2, false, false>>(slices);
    }
    leave_together<shape<BF16, 128, 32, 2, 2, false, false>>(3);
}

int main()
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_last_block_of_a_tile_adds_its_slices),
                                        cmocka_unit_test(blocks_of_a_cluster_add_a_part_each),
                                        cmocka_unit_test(sums_leave_in_vectors_down_c_and_across),
                                        cmocka_unit_test(parts_of_a_cluster_leave_in_vectors_down_c_and_across) };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
