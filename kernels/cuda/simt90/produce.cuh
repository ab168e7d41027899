/* The producers' loop: turn after turn into the ring, whichever way the operands are to be fetched. */
#ifndef LAY_KERNELS_CUDA_SIMT90_PRODUCE_CUH
#define LAY_KERNELS_CUDA_SIMT90_PRODUCE_CUH

#include "cuda/simt90/barrier.cuh"
#include "cuda/simt90/feed.cuh"

/* From a position of the ring on, which is a fresh ring's or where the last call left it. */
template <typename S, int left_kind, int right_kind>
__device__ __forceinline__ position<S> produce_as(const lay_cuda_args &args, const ring<S> &ring, place tile, steps own,
                                                  position<S> at)
{
    const operand left = { static_cast<const char *>(args.left),
                           args.left_m,
                           args.left_k,
                           without_table<S::bk>(args.left_k, own.first),
                           own.last,
                           tile.i,
                           args.m,
                           goes_along(right_kind) };
    const operand right = { static_cast<const char *>(args.right),
                            args.right_n,
                            args.right_k,
                            without_table<S::bk>(args.right_k, own.first),
                            own.last,
                            tile.j,
                            args.n,
                            goes_along(left_kind) };
    feed<left_kind, S::bm, S::bk, S::pitch_m, S::is_roomy> a;
    feed<right_kind, S::bn, S::bk, S::pitch_n, S::is_roomy> b;
    a.start(left, own.first);
    b.start(right, own.first);
    int a_until = left.steady.run - own.first % left.steady.run,
        b_until = right.steady.run - own.first % right.steady.run;
    int p = own.first;
#pragma unroll 1
    for (; p + S::bk <= own.last; p += S::bk) {
        float *to = ring.turn + at.slot * S::turn_size;
        barrier_wait(ring.empty + at.slot, at.parity);
        a.place(left, p, to);
        b.place(right, p, to + S::left_size);
        barrier_arrive_after_copies(ring.full + at.slot);
        pass_turn<S::bk>(left.steady, a.from, a_until);
        pass_turn<S::bk>(right.steady, b.from, b_until);
        at.go_on();
    }
    if (p < own.last) {
        float *to = ring.turn + at.slot * S::turn_size;
        barrier_wait(ring.empty + at.slot, at.parity);
        place_rest<S::bk, S::bm, S::pitch_m>(left, to, p, own.last, -0.0f);
        place_rest<S::bk, S::bn, S::pitch_n>(right, to + S::left_size, p, own.last, 0.0f);
        wait_async();
        barrier_arrive(ring.full + at.slot);
        at.go_on();
    }
    /* One turn without data: consumers read ahead without asking whether there is more. */
    barrier_wait(ring.empty + at.slot, at.parity);
    barrier_arrive(ring.full + at.slot);
    at.go_on();
    wait_async();
    return at;
}

template <typename S, int left_kind>
__device__ __forceinline__ position<S> produce_left(const lay_cuda_args &args, const ring<S> &ring, place tile,
                                                    steps own, position<S> at)
{
    switch (args.right_class) {
    case LAY_CUDA_ACROSS_VECTOR:
        return produce_as<S, left_kind, LAY_CUDA_ACROSS_VECTOR>(args, ring, tile, own, at);
    case LAY_CUDA_ALONG_VECTOR:
        return produce_as<S, left_kind, LAY_CUDA_ALONG_VECTOR>(args, ring, tile, own, at);
    case LAY_CUDA_ACROSS:
        return produce_as<S, left_kind, LAY_CUDA_ACROSS>(args, ring, tile, own, at);
    default:
        return produce_as<S, left_kind, LAY_CUDA_ALONG>(args, ring, tile, own, at);
    }
}

template <typename S>
__device__ __forceinline__ position<S> produce(const lay_cuda_args &args, const ring<S> &ring, place tile, steps own,
                                               position<S> at = { 0, 1 })
{
    switch (args.left_class) {
    case LAY_CUDA_ACROSS_VECTOR:
        return produce_left<S, LAY_CUDA_ACROSS_VECTOR>(args, ring, tile, own, at);
    case LAY_CUDA_ALONG_VECTOR:
        return produce_left<S, LAY_CUDA_ALONG_VECTOR>(args, ring, tile, own, at);
    case LAY_CUDA_ACROSS:
        return produce_left<S, LAY_CUDA_ACROSS>(args, ring, tile, own, at);
    default:
        return produce_left<S, LAY_CUDA_ALONG>(args, ring, tile, own, at);
    }
}

#endif
