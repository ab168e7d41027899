/* Blocks whose operands come in boxes: tile after tile, slice after slice, the copies of the coming turns always on
 * their way. */
#ifndef LAY_KERNELS_CUDA_BATCH_BOXES_MULTIPLY_CUH
#define LAY_KERNELS_CUDA_BATCH_BOXES_MULTIPLY_CUH

#include "cuda/batch/boxes.cuh"
#include "cuda/batch/multiply.cuh"

namespace batch
{

/* Turns that are on their way before a block's first is read. A place is filled two turns after it was read, so that it
 * seldom waits for the others; of two places the turn after. */
template <class S> constexpr int turns_ahead = S::slots > 2 ? S::slots - 2 : 1;

/* A warp that does nothing but bring, the last of the block. */
template <class S> __device__ __forceinline__ void bring_all(box_feed<S> &coming)
{
    while (coming.next()) {
    }
}

/* The block's warps multiply, each at its own pace. Where S has no feeder the first of them brings turns as well, which
 * all of the others then wait for: its own products come behind some 600 clocks of a turn (bench/LOG.md, 106). */
template <class S> struct by_warps {
    static __device__ __forceinline__ void run(const lay_cuda_batch_boxed_args &boxed, const result_offsets &at,
                                               const box_ring<S> &ring, box_feed<S> &coming)
    {
        const lay_cuda_batch_args &args = boxed.of;
        if (S::has_feeder && threadIdx.x >= S::multipliers)
            return bring_all<S>(coming);
        const bool feeds = !S::has_feeder && __shfl_sync(~0u, threadIdx.x / 32, 0) == 0;
        const int turns_of_slice = (args.slice_k + S::bk - 1) / S::bk;
        if (feeds)
            for (int i = 0; i < turns_ahead<S>; i++)
                coming.next();
        typename S::sums sums(args, ring);
        box_place<S> here = { 0, 0 };
#pragma unroll 1
        for (int unit = blockIdx.x; unit < args.units; unit += gridDim.x) {
            int rest = args.k;
#pragma unroll 1
            for (bool is_first_slice = true;; is_first_slice = false) {
                sums.clear();
#pragma unroll 1
                for (int turn = 0; turn < turns_of_slice && rest > 0; turn++, rest -= S::bk) {
                    if (feeds)
                        coming.next();
                    barrier_wait(ring.full + here.slot, here.parity);
                    sums.add(ring.turn + here.slot * S::turn_size, rest);
                    __syncwarp();
                    if (threadIdx.x % 32 == 0)
                        barrier_arrive(ring.empty + here.slot);
                    here.go_on();
                }
                if (rest <= 0) {
                    sums.finish(is_first_slice);
                    break;
                }
                sums.fold(is_first_slice);
            }
            sums.write(args, at, place::of<S>(args, unit));
        }
    }
};

/* The same where a turn's first operands are loaded while the turn before is multiplied, that of the tile before, too:
 * what S has of them is its ahead. add_turn says when it has loaded all of a whole turn, by the call of a function;
 * add_rest is for a turn that k ends in. Small tiles are slower so. */
template <class S> struct by_warps_ahead {
    static __device__ __forceinline__ void run(const lay_cuda_batch_boxed_args &boxed, const result_offsets &at,
                                               const box_ring<S> &ring, box_feed<S> &coming)
    {
        const lay_cuda_batch_args &args = boxed.of;
        if (S::has_feeder && threadIdx.x >= S::multipliers)
            return bring_all<S>(coming);
        const bool feeds = !S::has_feeder && __shfl_sync(~0u, threadIdx.x / 32, 0) == 0;
        const int turns_of_slice = (args.slice_k + S::bk - 1) / S::bk;
        if (feeds)
            for (int i = 0; i < turns_ahead<S>; i++)
                coming.next();
        typename S::sums sums(args, ring);
        typename S::ahead first;
        box_place<S> here = { 0, 0 };
        if (static_cast<int>(blockIdx.x) >= args.units)
            return;
        barrier_wait(ring.full, 0);
        sums.load_first(ring.turn, first);
#pragma unroll 1
        for (int unit = blockIdx.x; unit < args.units; unit += gridDim.x) {
            int rest = args.k;
#pragma unroll 1
            for (bool is_first_slice = true;; is_first_slice = false) {
                sums.clear(); /* in a loop of its own: where it were a choice, sums would be waited for in each turn */
#pragma unroll 1
                for (int turn = 0; turn < turns_of_slice && rest > 0; turn++, rest -= S::bk) {
                    const uint32_t at_turn = ring.turn + here.slot * S::turn_size;
                    const bool is_last = rest <= S::bk && unit + static_cast<int>(gridDim.x) >= args.units;
                    const auto pass = [&] {
                        __syncwarp();
                        if (threadIdx.x % 32 == 0)
                            barrier_arrive(ring.empty + here.slot);
                        here.go_on();
                        if (!is_last) {
                            barrier_wait(ring.full + here.slot, here.parity);
                            sums.load_first(ring.turn + here.slot * S::turn_size, first);
                        }
                        __syncwarp(); /* barriers may have left lanes apart, and matrix units want all */
                    };
                    if (feeds)
                        coming.next();
                    __syncwarp();
                    if (rest >= S::bk) {
                        sums.add_turn(at_turn, first, pass);
                    } else {
                        sums.add_rest(at_turn, rest, first);
                        pass();
                    }
                }
                if (rest <= 0) {
                    sums.finish(is_first_slice);
                    break;
                }
                sums.fold(is_first_slice);
            }
            sums.write(args, at, place::of<S>(args, unit));
        }
    }
};

/* Groups of warps have slices side by side, and a warp besides them brings turns: for few products, whose blocks leave
 * a device's multiprocessors half empty. A round is a slice for each group; their sums meet in shared memory, where all
 * threads add them in ascending order, each its vectors of the tile. The ring has room for a round. */
template <class S> struct by_groups {
    using T = typename S::T;
    static constexpr int multipliers = S::multipliers, v = of_type<T>::vector;
    static constexpr int lines = S::bm, vectors = S::bn / v, own = (lines * vectors + multipliers - 1) / multipliers;
    static constexpr int pitch = S::bn + 64 / sizeof(T); /* lines side by side begin in different banks */

    static_assert(multipliers % vectors == 0, "a thread's vectors lie below each other");

    struct places {
        int first_row, first_column;

        __device__ __forceinline__ int row_of_tile(int i) const
        {
            return first_row + i * (multipliers / vectors);
        }
        __device__ __forceinline__ int row(int i) const
        {
            return row_of_tile(i) < lines ? row_of_tile(i) : 1 << 30; /* behind the end of C */
        }
        __device__ __forceinline__ int column(int) const
        {
            return first_column;
        }
    };

    /* A round's sums, from the first slice's on. */
    static __device__ __forceinline__ void add(const T *partial, const places &mine, int there, bool is_first,
                                               T (&total)[own][1][v])
    {
#pragma unroll
        for (int i = 0; i < own; i++) {
            const int row = mine.row_of_tile(i);
            if (row >= lines)
                continue;
            const T *from = partial + row * pitch + mine.first_column;
#pragma unroll
            for (int group = 0; group < S::groups; group++) {
                if (group >= there)
                    break;
                T one[v];
                S::sums::load_stored(from + group * lines * pitch, one);
#pragma unroll
                for (int e = 0; e < v; e++)
                    total[i][0][e] = is_first && group == 0 ? one[e] : total[i][0][e] + one[e];
            }
        }
    }

    static __device__ __forceinline__ void run(const lay_cuda_batch_boxed_args &boxed, const result_offsets &at,
                                               const box_ring<S> &ring, box_feed<S> &coming)
    {
        const lay_cuda_batch_args &args = boxed.of;
        if (threadIdx.x >= multipliers)
            return bring_all<S>(coming);
        T *const partial = reinterpret_cast<T *>(ring.behind);
        const int thread = threadIdx.x;
        const places mine = { thread / vectors, thread % vectors * v };
        const int group = threadIdx.x / S::group_threads;
        const int turns = (args.k + S::bk - 1) / S::bk, length = (args.slice_k + S::bk - 1) / S::bk;
        const int slices = (turns + length - 1) / length;
        typename S::sums sums(args, ring);
        unsigned before = 0; /* turns of tiles that are done */
#pragma unroll 1
        for (int unit = blockIdx.x; unit < args.units; unit += gridDim.x) {
            T total[own][1][v];
#pragma unroll 1
            for (int first = 0; first < slices; first += S::groups) {
                const int begin = (first + group) * length, end = min(begin + length, turns);
                sums.clear();
#pragma unroll 1
                for (int turn = begin; turn < end; turn++) {
                    const unsigned number = before + turn;
                    barrier_wait(ring.full + number % S::slots, number / S::slots % 2);
                    sums.add(ring.turn + number % S::slots * S::turn_size, args.k - turn * S::bk);
                }
                if (begin < turns)
                    sums.put(partial + group * lines * pitch, pitch);
                meet_some<multipliers>();
                if (threadIdx.x == 0)
                    for (int turn = first * length; turn < min((first + S::groups) * length, turns); turn++)
                        barrier_arrive(ring.empty + (before + turn) % S::slots);
                add(partial, mine, slices - first, first == 0, total);
                meet_some<multipliers>();
            }
            before += turns;
            write_sums<places, T, own, 1>(args, at, place::of<S>(args, unit), mine, total);
        }
    }
};

template <class S> __device__ __forceinline__ void multiply_boxed(const lay_cuda_batch_boxed_args &args, char *shared)
{
    constexpr uint32_t alignment = 1024; /* of what copies swizzle, and the matrix units read */
    shared += (alignment - address_of(shared) % alignment) % alignment;
    const box_ring<S> ring(shared);
    const result_offsets at(args.of, reinterpret_cast<int *>(ring.behind + S::shared_sums));
    if (threadIdx.x == 0)
        ring.make();
    if (threadIdx.x == 32) { /* of a block of one warp the first box waits for them */
        expect_tensor(args.left.tensor);
        expect_tensor(args.right.tensor);
    }
    at.fill<sizeof(typename S::T), S::threads>(args.of);
    box_feed<S> coming(args, ring);
    S::company::meet(); /* whose barriers are made */
    __syncthreads();
    begin_in_turn();
    S::by::run(args, at, ring, coming);
    S::company::meet(); /* nobody else's copies are on their way here */
}

} // namespace batch

#endif
