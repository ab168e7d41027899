/* Thin products and those of few threads by the kernels' own text on the host, threads and barriers included: C has the
 * bits of the chain that the contract names, whatever the layout, the slices and the edges, and nothing else is read or
 * written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

extern "C" {
#include <cmocka.h>
}

#include "../../random.h"
#include "threads.h"

#include "as_host.h"
#include "unit_as_host.h"

enum { CASES = 36, MOST_EXTENT = 400, MOST_STEPS = 300, MOST_MEMORY = 1 << 19 };

template <int bytes> void copy_async(void *shared, const void *global)
{
    insist_on_copy(shared, global, bytes);
    threads::start({ shared, global, bytes, bytes });
}
template <int bytes> void copy_async_or_zero(void *shared, const void *global, bool is_there)
{
    if (is_there)
        insist_on_copy(shared, global, bytes);
    threads::start({ shared, global, bytes, is_there ? bytes : 0 });
}
static void end_group_async()
{
    threads::end_group();
}
static void wait_async()
{
    threads::end_group();
    threads::wait_but(0);
}
template <int more> void wait_async_but()
{
    threads::wait_but(more);
}

/* ---- stand-ins for dmma's unit.cuh ------------------------------------------------------------ */

namespace dmma
{

static void store_two(uint32_t to, double first, double second)
{
    at_shared(to)[0] = first;
    at_shared(to)[1] = second;
}
static void copy_one(uint32_t to, const void *from, bool is_wanted)
{
    if (is_wanted)
        copy_async<8>(at_shared(to), from);
}
static void copy_two(uint32_t to, const void *from, bool is_wanted)
{
    if (is_wanted)
        copy_async<16>(at_shared(to), from);
}
static void copy_two_of_all(uint32_t to, const void *from, bool is_wanted)
{
    copy_two(to, from, is_wanted);
}
static void end_copies()
{
    threads::end_group();
}
template <int more> void wait_copies_but()
{
    threads::wait_but(more);
}
template <int id, int threads> void meet()
{
    fibers::meet(fibers::named[id], threads);
}

/* In its 8 bytes: arrivals that are wanted, those that are missing, phases that are over. */
struct counts {
    uint16_t wanted, missing;
    uint32_t phase;
};
static counts *counts_of(uint32_t barrier)
{
    return reinterpret_cast<counts *>(at_shared(barrier));
}
static void barrier_init(uint32_t barrier, int arrivals)
{
    *counts_of(barrier) = { static_cast<uint16_t>(arrivals), static_cast<uint16_t>(arrivals), 0 };
}
static void barrier_arrive(uint32_t barrier)
{
    counts *const of = counts_of(barrier);
    if (--of->missing > 0)
        return;
    of->missing = of->wanted;
    of->phase++;
    fibers::wake(of);
}
static void barrier_arrive_after_copies(uint32_t barrier)
{
    threads::end_group();
    threads::wait_but(0);
    barrier_arrive(barrier);
}
static void barrier_wait(uint32_t barrier, int parity)
{
    while (static_cast<int>(counts_of(barrier)->phase & 1) == parity)
        fibers::await(counts_of(barrier));
}
template <int> void give_registers()
{
}
template <int> void take_registers()
{
}

} // namespace dmma

static uint3 gridDim;
static unsigned atomicOr(unsigned *at, unsigned bits)
{
    const unsigned old = *at;
    *at = old | bits;
    return old;
}
static unsigned atomicAnd(unsigned *at, unsigned bits)
{
    const unsigned old = *at;
    *at = old & bits;
    return old;
}
/* Who asks without adding may have asked before others came. */
static unsigned atomicAdd(unsigned *at, unsigned more)
{
    static int asked;
    const unsigned old = *at;
    *at = old + more;
    return more == 0 && ++asked % 2 ? 0 : old;
}
static void __nanosleep(int)
{
    fail_msg("a block waits for one that has not begun"); /* blocks run one after another */
}
inline void multiply_add(double (&sum)[4], const double (&left)[2][4], const double (&right)[2][2])
{
    multiply_add(sum, left[0], right[0]);
    multiply_add(sum, left[1], right[1]);
}

template <> double __ldg(const double *from);
template <> float __ldg(const float *from);

#include "cuda/dmma/alone_walk.cuh"
#include "cuda/dmma/persistent.cuh"
#include "cuda/thin/lanes.cuh"
#include "cuda/thin/row.cuh"
#include "cuda/thin/units.cuh"

/* ---- operands --------------------------------------------------------------------------------- */

template <typename T> struct axis {
    int64_t at[MOST_EXTENT];
    lay_cuda_offsets offsets;
};

/* Elements of an operand or of C; NaN where none is. */
template <typename T> struct array {
    axis<T> across, along;
    alignas(16) T memory[MOST_MEMORY];
    bool is_element[MOST_MEMORY];
    int64_t zero;

    T *element(int i, int p)
    {
        return memory + zero + across.at[i] + along.at[p];
    }
};
template <typename T> static array<T> left;
template <typename T> static array<T> right;
template <typename T> static array<T> result;
template <typename T> static array<T> before;

template <typename T> static void make_even(axis<T> *of, int extent, int64_t stride)
{
    for (int i = 0; i < extent; i++)
        of->at[i] = i * stride;
    of->offsets = { nullptr, stride, 0, 0, 0, 0 };
}

/* Groups of v in any order. */
template <typename T> static void make_table(axis<T> *of, int extent, int64_t stride, int v, random_source *from)
{
    make_even(of, extent, stride);
    for (int group = extent / v - 1; group > 0; group--) {
        const int other = (int)random_in(from, 0, group);
        for (int e = 0; e < v; e++) {
            const int64_t at = of->at[group * v + e];
            of->at[group * v + e] = of->at[other * v + e];
            of->at[other * v + e] = at;
        }
    }
    const int64_t first = of->at[0];
    for (int i = 0; i < extent; i++)
        of->at[i] -= first;
    of->offsets = { of->at, 0, 0, 0, 0, 0 };
}

/* Segments side by side, of which a kernel finds places without a table. */
template <typename T> static void make_segments(axis<T> *of, int extent, int64_t stride, int run, int64_t jump)
{
    for (int i = 0; i < extent; i++)
        of->at[i] = i * stride + i / run * jump;
    of->offsets = { of->at, stride, jump, run, UINT32_MAX / (unsigned)run, 0 };
}

template <typename T> static T unit(random_source *from)
{
    return static_cast<T>(random_in(from, -4096, 4096)) / 1000; /* no sum is exact */
}

static bool are_plain; /* no tables, whole vectors, and C in them: what kernels have code of its own for */

/* The near one of its dimensions in vectors of v, or anyhow (v = 1). */
template <typename T>
static void lay_out(array<T> *of, int across, int along, bool is_along, int v, random_source *from)
{
    const int near_extent = is_along ? along : across, far_extent = is_along ? across : along;
    axis<T> *const near = is_along ? &of->along : &of->across, *const far = is_along ? &of->across : &of->along;
    const int64_t step = v > 1 || random_one_in(from, 2) ? 1 : random_in(from, 2, 3);
    const int run = v * (int)random_in(from, 1, 8);
    const int64_t jump = !are_plain && random_one_in(from, 4) ? v * random_in(from, 0, 2) : 0;
    const int64_t apart = (near_extent * step + near_extent / run * jump + v - 1) / v * v + v * random_in(from, 0, 2);
    if (jump > 0)
        make_segments(near, near_extent, step, run, jump);
    else if (!are_plain && random_one_in(from, 4))
        make_table(near, near_extent, step, v, from);
    else
        make_even(near, near_extent, step);
    if (!are_plain && random_one_in(from, 3))
        make_table(far, far_extent, apart, 1, from);
    else
        make_even(far, far_extent, apart);
    int64_t low = 0, lower = 0, high = 0;
    for (int i = 0; i < across; i++)
        low = min(low, of->across.at[i]);
    for (int p = 0; p < along; p++)
        lower = min(lower, of->along.at[p]);
    of->zero = (-low - lower + 3) / 4 * 4 + (v > 1 ? 0 : random_in(from, 0, 3));
    memset(of->memory, 0xff, sizeof of->memory); /* NaN */
    memset(of->is_element, 0, sizeof of->is_element);
    for (int i = 0; i < across; i++)
        for (int p = 0; p < along; p++) {
            const int64_t at = of->element(i, p) - of->memory;
            assert_in_range(at, 0, MOST_MEMORY - 1);
            high = max(high, at);
            of->memory[at] = unit<T>(from);
            of->is_element[at] = true;
        }
}

template <typename T> static bool is_in(const array<T> &of, const void *global, int bytes)
{
    const T *const at = static_cast<const T *>(global);
    if (at < of.memory || at >= of.memory + MOST_MEMORY)
        return false;
    for (int e = 0; e < bytes / (int)sizeof(T); e++)
        assert_true(of.is_element[at - of.memory + e]);
    assert_true((uintptr_t)global % (unsigned)bytes == 0);
    return true;
}

static void insist_on_copy(const void *shared, const void *global, int bytes)
{
    assert_true((uintptr_t)shared % (unsigned)bytes == 0);
    if (global == &dmma::nothing[0] || global == &dmma::nothing[2])
        return;
    if (!is_in(left<double>, global, bytes) && !is_in(right<double>, global, bytes) &&
        !is_in(left<float>, global, bytes) && !is_in(right<float>, global, bytes))
        fail_msg("a copy from nowhere");
}

/* Elements that go to registers right away; the kernels' tables are no doubles. */
template <> double __ldg(const double *from)
{
    insist_on_copy(nullptr, from, sizeof *from);
    return *from;
}
template <> float __ldg(const float *from)
{
    insist_on_copy(nullptr, from, sizeof *from);
    return *from;
}

/* ---- products --------------------------------------------------------------------------------- */

template <typename T> static T value_of(const lay_cuda_scalar &scalar)
{
    return of_type<T>::read(scalar);
}
template <typename T> static void set(lay_cuda_scalar *scalar, T value)
{
    if constexpr (sizeof(T) == 8)
        scalar->f64 = value;
    else
        scalar->f32 = value;
}

template <typename T> static T sum_of(const lay_cuda_args &args, int slice, int i, int j)
{
    const steps own = steps_of(args, slice);
    T sum = args.resume ? static_cast<const T *>(args.resume)[(int64_t)i * args.n + j] : 0;
    for (int p = own.first; p < own.last; p++)
        sum = fma(*left<T>.element(i, p), *right<T>.element(j, p), sum);
    return sum;
}

template <typename T>
static void insist_on_bits(const char *name, const lay_cuda_args &args, int i, int j, T found, T wanted)
{
    if (memcmp(&found, &wanted, sizeof found) != 0)
        fail_msg("%s, %d x %d x %d, %d slices, classes %d and %d: (%d, %d) is %.17g, not %.17g", name, args.m, args.n,
                 args.k, args.slices, args.left_class, args.right_class, i, j, (double)found, (double)wanted);
}

template <typename T, class S, class Tile>
static void multiply_one(const char *name, lay_cuda_class left_class, lay_cuda_class right_class, int most_k,
                         random_source *from, Tile multiply_tile)
{
    static T partial[3 * MOST_EXTENT * MOST_EXTENT], begun[MOST_EXTENT * MOST_EXTENT];
    constexpr int v = of_type<T>::vector;
    lay_cuda_args args = {};
    args.m = (int)random_in(from, 1, random_one_in(from, 2) ? MOST_EXTENT : 70);
    args.n = (int)random_in(from, 1, random_one_in(from, 3) ? 2 * S::bn : S::bn);
    args.k = (int)random_in(from, 1, random_one_in(from, 2) ? most_k : min(most_k, 40));
    are_plain = random_one_in(from, 2);
    if (are_plain) {
        args.n = (args.n + v - 1) / v * v;
        args.k = (args.k + v - 1) / v * v;
    }
    if (are_plain && S::is_walked) { /* nothing but whole tiles and turns */
        args.m = max(1, args.m / S::bm) * S::bm;
        args.n = (args.n + S::bn - 1) / S::bn * S::bn;
        args.k = (args.k + S::bk - 1) / S::bk * S::bk;
    }
    const int cut = S::is_persistent ? args.k / (int)random_in(from, 1, 5) : args.k / 2;
    args.slice_k = args.k > S::bk && !are_plain && random_one_in(from, S::is_persistent ? 1 : 3)
                       ? min(args.k, (cut + S::bk - 1) / S::bk * S::bk)
                       : args.k;
    args.slices = (args.k + args.slice_k - 1) / args.slice_k;
    args.left_class = left_class, args.right_class = right_class;
    const auto in_vectors = [](lay_cuda_class as) {
        return as == LAY_CUDA_ACROSS_VECTOR || as == LAY_CUDA_ALONG_VECTOR ? v : 1;
    };
    args.is_c_vector = are_plain || random_one_in(from, 2);
    lay_out(&left<T>, args.m, args.k, goes_along(left_class), in_vectors(left_class), from);
    lay_out(&right<T>, args.n, args.k, goes_along(right_class), in_vectors(right_class), from);
    lay_out(&result<T>, args.m, args.n, args.is_c_vector || random_one_in(from, 2), args.is_c_vector ? v : 1, from);
    if (random_one_in(from, 2)) /* right wherever C lies */
        args.down = (unsigned short)(lay_cuda_down((int)random_in(from, 0, 1) * (int)random_in(from, 0, 3),
                                                   (int)random_in(from, 0, 5)) |
                                     (args.is_c_vector && random_one_in(from, 2) ? LAY_CUDA_DOWN_PAIRS : 0));
    args.left = left<T>.memory + left<T>.zero, args.right = right<T>.memory + right<T>.zero;
    args.c = result<T>.memory + result<T>.zero;
    args.left_m = left<T>.across.offsets, args.left_k = left<T>.along.offsets;
    args.right_n = right<T>.across.offsets, args.right_k = right<T>.along.offsets;
    args.result_m = result<T>.across.offsets, args.result_n = result<T>.along.offsets;
    set<T>(&args.alpha, random_one_in(from, 2) ? 1 : unit<T>(from));
    set<T>(&args.beta, random_one_in(from, 2) ? 0 : unit<T>(from));
    unsigned counters[2 * 64 + 1] = {};
    const bool may_share = S::is_persistent && !random_one_in(from, 4);
    const bool are_counted = may_share || (args.slices > 1 && !S::is_persistent && random_one_in(from, 2));
    args.partial = args.slices > 1 || may_share ? partial : nullptr;
    args.counters = are_counted ? counters : nullptr;
    for (int i = 0; i < args.m * args.n; i++)
        begun[i] = unit<T>(from);
    args.resume = args.slices == 1 && !are_plain && random_one_in(from, 4) ? begun : nullptr;
    lay_cuda_kernel row = {};
    row.bm = S::bm, row.bn = S::bn, row.bk = S::bk, row.band = S::band;
    lay_cuda_args_tile(&args, &row);
    assert_true(args.tiles_m * args.tiles_n <= 64);
    before<T> = result<T>;
    memset(partial, 0xff, sizeof partial);
    gridDim.x = (unsigned)(args.tiles_m * args.tiles_n);
    if (S::is_persistent)
        gridDim.x = (unsigned)random_in(from, 1, gridDim.x);
    const unsigned kept = gridDim.x + (args.slices > 1 ? (unsigned)(args.tiles_m * args.tiles_n * args.slices) : 0);
    assert_true(!may_share || kept * S::bm * S::bn <= sizeof partial / sizeof *partial);
    threads::is_late = random_one_in(from, 2);
    for (blockIdx.z = 0; blockIdx.z < (may_share ? 1 : (unsigned)args.slices); blockIdx.z++)
        for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++) {
            memset(dmma::arena, 0xff, sizeof dmma::arena);
            threads::run(S::threads, [&] { multiply_tile(args); });
        }
    for (int i = 0; i < args.m; i++)
        for (int j = 0; j < args.n; j++) {
            T sum = 0, *const at = result<T>.element(i, j);
            const T *const old = before<T>.memory + (at - result<T>.memory);
            for (int slice = 0; slice < args.slices; slice++) {
                const T own = sum_of<T>(args, slice, i, j);
                sum = slice ? sum + own : own;
                if (args.partial && !may_share)
                    insist_on_bits(name, args, i, j, partial[((int64_t)slice * args.m + i) * args.n + j], own);
            }
            if (!args.partial || args.counters)
                insist_on_bits(name, args, i, j, *at, blend(value_of<T>(args.alpha), sum, value_of<T>(args.beta), old));
            else
                insist_on_bits(name, args, i, j, *at, *old);
            *at = *old;
        }
    assert_true(memcmp(result<T>.memory, before<T>.memory, sizeof result<T>.memory) == 0); /* and nothing else */
    for (const unsigned counter : counters)
        assert_int_equal(counter, 0);
}

template <class S> struct of_band : S {
    static constexpr int band = 1;
    static constexpr bool is_walked = false, is_persistent = false;
};
template <class S> struct of_dmma : S {
    static constexpr int bm = S::bm * S::walk, band = dmma::band, bk = dmma::bk;
    static constexpr bool is_walked = S::walk > 1, is_persistent = false;
};
template <class S> struct of_persistent : S {
    static constexpr int band = dmma::band, bk = dmma::bk;
    static constexpr bool is_walked = false, is_persistent = true;
};

template <class S> static int most_steps()
{
    return S::max_k > 0 && S::max_k < MOST_STEPS ? S::max_k : MOST_STEPS;
}

static void *shared()
{
    return dmma::arena;
}

template <class S> static void multiply_units(const char *name, int number, random_source *from)
{
    static_assert(S::shared <= sizeof dmma::arena, "the room");
    const lay_cuda_class left_class = (lay_cuda_class)(number % LAY_CUDA_CLASSES);
    const lay_cuda_class right_class = (lay_cuda_class)(number / LAY_CUDA_CLASSES % LAY_CUDA_CLASSES);
    multiply_one<double, of_band<S>>(name, left_class, right_class, most_steps<S>(), from,
                                     [](const lay_cuda_args &args) {
                                         thin::multiply_tile<S>(args, static_cast<double2 *>(shared()));
                                         thin::add_counted<S>(args);
                                     });
}

template <class S> static void multiply_lanes(const char *name, int number, random_source *from)
{
    static_assert(S::shared <= sizeof dmma::arena, "the room");
    const lay_cuda_class left_class = (lay_cuda_class)(number % LAY_CUDA_CLASSES);
    const lay_cuda_class right_class = (lay_cuda_class)(number / LAY_CUDA_CLASSES % LAY_CUDA_CLASSES);
    multiply_one<float, of_band<S>>(name, left_class, right_class, most_steps<S>(), from,
                                    [&](const lay_cuda_args &args) {
                                        if (left_class == LAY_CUDA_ALONG_VECTOR)
                                            thin::multiply_tile<S, true>(args, static_cast<float *>(shared()));
                                        else
                                            thin::multiply_tile<S, false>(args, static_cast<float *>(shared()));
                                        thin::add_counted<S>(args);
                                    });
}

template <class S, dmma::way left_way, dmma::way right_way>
static void multiply_ways(const char *name, lay_cuda_class left_class, lay_cuda_class right_class, random_source *from)
{
    static_assert(S::shared <= sizeof dmma::arena, "the room");
    if constexpr (S::threads == 32 * S::warps) /* nobody feeds alone */
        multiply_one<double, of_dmma<S>>(
            name, left_class, right_class, MOST_STEPS, from,
            [](const lay_cuda_args &args) { dmma::multiply_block<S, left_way, right_way>(args, dmma::arena); });
    else
        multiply_one<double, of_persistent<S>>(name, left_class, right_class, MOST_STEPS, from,
                                               [](const lay_cuda_args &args) {
                                                   static dmma::shares own;
                                                   dmma::multiply_all<S, left_way, right_way>(args, dmma::arena, own);
                                               });
}

template <class S, dmma::way left_way>
static void multiply_right_ways(const char *name, lay_cuda_class left_class, int number, random_source *from)
{
    switch (number / LAY_CUDA_CLASSES % LAY_CUDA_CLASSES) {
    case LAY_CUDA_ACROSS_VECTOR:
        return multiply_ways<S, left_way, dmma::ACROSS>(name, left_class, LAY_CUDA_ACROSS_VECTOR, from);
    case LAY_CUDA_ALONG_VECTOR:
        return multiply_ways<S, left_way, dmma::ALONG>(name, left_class, LAY_CUDA_ALONG_VECTOR, from);
    case LAY_CUDA_ACROSS:
        return multiply_ways<S, left_way, dmma::SINGLE>(name, left_class, LAY_CUDA_ACROSS, from);
    default:
        return multiply_ways<S, left_way, dmma::SINGLE>(name, left_class, LAY_CUDA_ALONG, from);
    }
}

template <class S> static void multiply_alone(const char *name, int number, random_source *from)
{
    switch (number % LAY_CUDA_CLASSES) {
    case LAY_CUDA_ACROSS_VECTOR:
        return multiply_right_ways<S, dmma::ACROSS>(name, LAY_CUDA_ACROSS_VECTOR, number, from);
    case LAY_CUDA_ALONG_VECTOR:
        return multiply_right_ways<S, dmma::ALONG>(name, LAY_CUDA_ALONG_VECTOR, number, from);
    case LAY_CUDA_ACROSS:
        return multiply_right_ways<S, dmma::SINGLE>(name, LAY_CUDA_ACROSS, number, from);
    default:
        return multiply_right_ways<S, dmma::SINGLE>(name, LAY_CUDA_ALONG, number, from);
    }
}

static void thin_products_of_doubles_have_the_bits_of_their_chains(void **)
{
    for (int number = 0; number < 2 * CASES; number++) {
        random_source from = random_case(95, (uint64_t)number);
        multiply_units<thin::units_shape<1, 2, 1, 4, 7>>("128x8", number, &from);
        multiply_units<thin::units_shape<2, 1, 2, 4, 8>>("64x16", number, &from);
        multiply_units<thin::units_shape<4, 1, 4, 8, 2>>("128x32", number, &from);
        multiply_units<thin::units_shape<8, 1, 2, 8, 2>>("128x64", number, &from);
        multiply_units<thin::units_shape<2, 1, 16, 4, 2, true>>("64x16x128", number, &from);
        multiply_units<thin::units_shape<8, 1, 4, 4, 4, true>>("64x64x32", number, &from);
    }
}

static void thin_products_of_floats_have_the_bits_of_their_chains(void **)
{
    for (int number = 0; number < 2 * CASES; number++) {
        random_source from = random_case(96, (uint64_t)number);
        multiply_lanes<thin::lanes_shape<8, 8, 8, 4, 5>>("256x8", number, &from);
        multiply_lanes<thin::lanes_shape<16, 4, 16, 4, 5>>("128x16", number, &from);
        multiply_lanes<thin::lanes_shape<32, 4, 32, 8, 2>>("256x32", number, &from);
        multiply_lanes<thin::lanes_shape<8, 4, 32, 4, 4, 512, 0>>("128x8", number, &from);
        multiply_lanes<thin::lanes_shape<32, 4, 32, 8, 2, 128, 256, 3>>("768x32", number, &from);
    }
}

static void tiles_of_few_threads_have_the_bits_of_their_chains(void **)
{
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(97, (uint64_t)number);
        multiply_alone<dmma::shape_alone<128, 64, 64, 32, 3, 2>>("128x64w4", number, &from);
        multiply_alone<dmma::shape_alone<64, 64, 32, 32, 3, 3>>("64x64w4", number, &from);
        multiply_alone<dmma::shape_alone<64, 32, 32, 16, 3, 4>>("64x32w4", number, &from);
    }
}

static void walks_down_tiles_have_the_bits_of_their_chains(void **)
{
    for (int number = 0; number < 3 * CASES; number++) {
        random_source from = random_case(98, (uint64_t)number);
        multiply_alone<dmma::shape_alone<128, 64, 64, 32, 4, 2, 2>>("256x64w4", number, &from);
    }
}

static void persistent_blocks_have_the_bits_of_their_chains(void **)
{
    for (int number = 0; number < 2 * CASES; number++) {
        random_source from = random_case(99, (uint64_t)number);
        multiply_alone<dmma::shape_persistent<dmma::shape<64, 32, 32, 32, 1, 3, 1>>>("64x32p", number, &from);
        multiply_alone<dmma::shape_persistent<dmma::shape<32, 32, 32, 32, 1, 2, 1>>>("32x32p", number, &from);
    }
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(thin_products_of_doubles_have_the_bits_of_their_chains),
        cmocka_unit_test(thin_products_of_floats_have_the_bits_of_their_chains),
        cmocka_unit_test(tiles_of_few_threads_have_the_bits_of_their_chains),
        cmocka_unit_test(walks_down_tiles_have_the_bits_of_their_chains),
        cmocka_unit_test(persistent_blocks_have_the_bits_of_their_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
