/* The way of an operand without vectors into shared memory where its elements lie in lines: one walk goes by 1, the
 * other by any stride. A thread's copies then have few addresses, and what they differ in is known when this is
 * compiled: 1.5 to 2 instructions a copy, where fetch_ones needs 5 to 6 (bench/LOG.md). */
#ifndef LAY_KERNELS_CUDA_SIMT_LINES_CUH
#define LAY_KERNELS_CUDA_SIMT_LINES_CUH

#include "cuda/simt/ring.cuh"
#include "cuda/simt/tile.cuh"

/* Lines along k are those of indices across, others those of steps. So many lanes side by side go along a line: 8
 * along k, as a step's row of the image is 4 banks behind the last one's; else all. */
template <bool is_along, int across, int bk, int pitch, int threads> struct fetch_lines {
    static constexpr int side = is_along || across % 16 != 0 ? 8 : across % 32 != 0 ? 16 : 32;
    static constexpr int apart = threads / side; /* lines from one of a thread's to its next */
    static constexpr int lines = (is_along ? across : bk) / apart, pieces = (is_along ? bk : across) / side;
    static_assert((is_along ? across : bk) % apart == 0 && across % side == 0, "shares are equal");
    static_assert(is_along || apart % 8 == 0 || 8 % apart == 0, "a line's rows of the image have one distance");

    static constexpr bool holds = false, uses_ring = false;

    const float *base;  /* of the thread's place in the coming stage's first line, or the tile's */
    int stride;         /* from line to line */
    int line[is_along ? lines : 1]; /* where the thread's lines lie: not evenly at the operand's edge */
    int there;          /* indices from the thread's first to the operand's edge, for lines of indices */
    int left;           /* steps from the stage's first to the end of the slice: the same for all threads */
    int own;            /* the thread's first step of a stage */
    uint32_t slot;

    /* Both walks are strides, and places of a tile are 32 bits apart. */
    static __device__ __forceinline__ bool serves(const operand &of)
    {
        const lay_cuda_walk &line = is_along ? of.along : of.across, &other = is_along ? of.across : of.along;
        const int64_t far = 1 << 22;
        return !line.table && !other.table && line.stride == 1 && static_cast<uint64_t>(other.stride + far) < 2 * far;
    }

    __device__ __forceinline__ fetch_lines(const operand &of, int thread)
    {
        const int near = thread % side, far = thread / side; /* along the line, and which line */
        const lay_cuda_walk &other = is_along ? of.across : of.along;
        stride = static_cast<int>(other.stride);
        slot = (is_along ? image_row(near, pitch) + far : image_row(far, pitch) + near) * 4;
        left = of.own.last - of.own.first;
        own = is_along ? near : far;
        there = of.extent - of.first - near;
        base = of.base + (is_along ? of.own.first : of.first) + near;
        base += (is_along ? of.first : of.own.first + far) * other.stride;
#pragma unroll
        for (int i = 0; is_along && i < lines; i++)
            line[i] = min(far + i * apart, of.extent - of.first - 1) * stride;
    }

    static __device__ __forceinline__ bool is_plain(const operand &) { return true; }

    __device__ __forceinline__ void begin_plain(uint32_t to, uint32_t)
    {
        if (left >= bk)
            begin_stage<true>(to);
        else
            begin_stage<false>(to);
        base += is_along ? bk : static_cast<int64_t>(bk) * stride;
        left -= bk;
    }

    template <bool is_full> __device__ __forceinline__ void begin_stage(uint32_t to)
    {
#pragma unroll
        for (int l = 0; l < lines; l++) {
            const float *at = element_from(base, is_along ? line[l] : l * apart * stride);
#pragma unroll
            for (int piece = 0; piece < pieces; piece++) {
                const uint32_t into = to + slot +
                                      (is_along ? image_row(piece * side, pitch) + l * apart
                                                : image_row(l * apart, pitch) + piece * side) * 4;
                if (is_along)
                    copy_one(into, at + piece * side, is_full || own + piece * side < left);
                else
                    copy_one(into, at + piece * side, piece * side < there && (is_full || own + l * apart < left));
            }
        }
    }
    __device__ __forceinline__ void begin(uint32_t to, uint32_t offsets) { begin_plain(to, offsets); }
    __device__ __forceinline__ void end(uint32_t) {}

};

#endif
