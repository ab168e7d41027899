/* Pairs of blocks on neighbouring multiprocessors: their tiles lie below each other, and each brings half of right's
 * boxes for both. */
#ifndef LAY_KERNELS_CUDA_BATCH_PAIR_CUH
#define LAY_KERNELS_CUDA_BATCH_PAIR_CUH

#include "cuda/batch/boxes.cuh"
#include "cuda/hopper/cluster.cuh"

namespace batch
{

/* A unit is both tiles. */
struct paired {
    static constexpr int blocks = 2;

    template <class S> struct both_tiles {
        static constexpr int bm = 2 * S::bm, bn = S::bn;
    };

    static __device__ __forceinline__ int rank()
    {
        return cluster_rank();
    }
    static __device__ __forceinline__ int first_unit()
    {
        return cluster_number();
    }
    static __device__ __forceinline__ int units_apart()
    {
        return cluster_count();
    }
    template <class S> static __device__ __forceinline__ place place_of(const lay_cuda_batch_args &args, int unit)
    {
        place own = place::of<both_tiles<S>>(args, unit);
        own.i += rank() * S::bm;
        return own;
    }
    template <class... At> static __device__ __forceinline__ void bring_shared(At... at)
    {
        bring_box_to_both(at...);
    }
    static __device__ __forceinline__ void release(uint64_t *empty)
    {
        alone::release(empty);
        if (threadIdx.x % 128 == 32)
            barrier_arrive_at(address_in(empty, rank() ^ 1));
    }
    static __device__ __forceinline__ void meet()
    {
        __syncwarp();
        cluster_meet();
    }
};

} // namespace batch

#endif
