/* Complex products in FP32 on sm_90: simt90's producers and consumers, whose operands are complex numbers as they lie
 * (kernels/cuda_complex.h draws the real product that they are).
 *
 * A turn is `deep` numbers of both operands along k, [deep][2 bm + 4] and [deep][bn + 4] parts in shared memory. A
 * lane's fragment of one number along k has 8 of left and n / 2 of right; each pair of them is four multiply-adds, two
 * real steps in their order. So shared memory gives a third less than the real product's fragments take, and right is
 * read half as often. A turn that the sum ends in is not padded: no product of zeros suits both parts.
 *
 * Groups of consumers sum slices of k side by side, each with turns of its own. */
#ifndef LAY_KERNELS_CUDA_SIMT90_NUMBERS_CUH
#define LAY_KERNELS_CUDA_SIMT90_NUMBERS_CUH

#include "cuda/async.cuh"
#include "cuda/complex/numbers.cuh"
#include "cuda/simt90/barrier.cuh"
#include "cuda/simt90/tile.cuh"

namespace numbers
{

/* Of the 504 registers that a quarter of the multiprocessor has for three warps. */
enum { producer_registers = 72, consumer_registers = (504 - producer_registers) / 16 * 8 };

/* A warp has 64 rows and 4 n columns of the tile; a lane 8 x n of them: two rows in each quarter of the warp's, and
 * four columns, two numbers, in each piece of 16 columns. Lanes side by side lie so in shared memory. */
template <int bm_, int bn_, int turns_, int groups_, int n_> struct shape {
    static constexpr int bm = bm_, bn = bn_, turns = turns_, groups = groups_, n = n_, m = 8;
    static constexpr int deep = 16, bk = 2 * deep;
    static constexpr int warps_n = bn / (4 * n), group_warps = bm / 64 * warps_n;
    static_assert(groups * group_warps == consumers / 32 && warps_n * 4 * n == bn, "a warp for 64 x 4 n");
    /* Four more than a multiple of 32: eight numbers along k by two across fall into 32 banks. */
    static constexpr int pitch_m = 2 * bm + 4, pitch_n = bn + 4;
    static constexpr int left_size = deep * pitch_m, turn_size = left_size + deep * pitch_n;
    static constexpr int places = groups * turns; /* of turns: a group's lie one behind the other */
    static_assert(turns * turn_size >= bm * pitch_n, "the tile of C takes the place of the turns");
    static constexpr int shared = places * (turn_size * 4 + 2 * 8);
};

/* What of k the block sums, in numbers: one slice, or as many as there are groups, side by side. */
struct share {
    int first, count; /* slices */
    __device__ __forceinline__ share(const lay_cuda_args &args, bool is_together)
        : first(is_together ? 0 : blockIdx.z), count(is_together ? args.slices : 1)
    {
    }
    __device__ __forceinline__ steps of(const lay_cuda_args &args, int group) const
    {
        if (group >= count)
            return { 0, 0 };
        const steps own = steps_of(args, first + group);
        return { own.first / 2, own.last / 2 };
    }
};

/* ---- producers -------------------------------------------------------------------------------- */

struct operand {
    const char *base;
    const lay_cuda_offsets &across, &along;
    int first, extent; /* across: of the tile, and all */
    bool is_along;     /* lanes side by side go along k */

    __device__ __forceinline__ const char *at(int i) const
    {
        return base + offset_now(across, min(first + i, extent - 1)) * 8;
    }
    /* Indices of the tile until a segment ends. */
    __device__ __forceinline__ int until() const
    {
        if (!across.table)
            return INT32_MAX;
        return across.run ? across.run - (first - quotient(first, across.run, across.inverse) * across.run) : 0;
    }
};

/* The left operand, number by number: 8 along k by 16 across at a time. */
template <bool is_vector, int width, int deep, int pitch> struct left_feed {
    enum { pieces = width / 16 };
    const char *from[pieces];
    int step, index, there; /* the thread's first, and indices from there to the edge */

    __device__ __forceinline__ explicit left_feed(const operand &of)
    {
        step = of.is_along ? threadIdx.x % 8 : threadIdx.x / 16;
        index = of.is_along ? threadIdx.x / 8 : threadIdx.x % 16;
        there = of.extent - of.first - index;
#pragma unroll
        for (int v = 0; v < pieces; v++)
            from[v] = of.at(index + 16 * v);
    }
    /* Numbers p and on, of which `rest` are there. */
    __device__ __forceinline__ void place(const operand &of, int p, int rest, float *to) const
    {
        to += step * pitch + 2 * index;
#pragma unroll
        for (int j = 0; j < deep / 8; j++)
            if (step + 8 * j < rest) {
                const int64_t along = offset_at(of.along, p + step + 8 * j) * 8;
#pragma unroll
                for (int v = 0; v < pieces; v++)
                    if (16 * v < there)
                        copy_async<8>(to + 8 * j * pitch + 32 * v, from[v] + along);
            }
    }
};

/* Two side by side across. */
template <int width, int deep, int pitch> struct left_feed<true, width, deep, pitch> {
    enum { lanes = width / 2, apart = producers / lanes };
    const char *from;
    int step, index, there;

    __device__ __forceinline__ explicit left_feed(const operand &of)
    {
        step = threadIdx.x / lanes;
        index = threadIdx.x % lanes * 2;
        there = of.extent - of.first - index;
        from = of.at(index);
    }
    __device__ __forceinline__ void place(const operand &of, int p, int rest, float *to) const
    {
        to += step * pitch + 2 * index;
#pragma unroll
        for (int j = 0; j < deep / apart; j++)
            if (step + apart * j < rest) {
                const int64_t along = offset_at(of.along, p + step + apart * j) * 8;
                if (there > 1)
                    copy_async<16>(to + apart * j * pitch, from + along);
                else if (there == 1)
                    copy_async<8>(to + apart * j * pitch, from + along);
            }
    }
};

/* The right operand, part by part: of numbers 2 q and 2 q + 1 both real parts, then both imaginary ones. Lanes side by
 * side have the two parts of a number, 8 numbers along k and 2 across, or 8 across and 2 along: 64 bytes lie together
 * whichever way numbers do, and all banks are met. */
template <int width, int deep, int pitch> struct right_feed {
    enum { each = 8, pieces = width / each, parts = deep / 8 };
    const char *from;
    int step, index, there;
    int until, run; /* of the thread's numbers: how many come before a segment ends, and how many a segment has */
    int64_t apart;  /* bytes from one of them to the next; 0: they come from a table, or lie in one place */
    int64_t jump;   /* more where a segment ends */

    __device__ __forceinline__ explicit right_feed(const operand &of)
    {
        const int t = threadIdx.x / 2;
        step = of.is_along ? t % 8 : t / 8;
        index = of.is_along ? t / 8 : t % 8;
        there = of.extent - of.first - index;
        until = of.until() / each;
        run = of.across.run / each;
        jump = until < pieces ? 8 * of.across.jump : 0;
        apart = until >= pieces || (of.until() % each == 0 && of.across.run % each == 0 && until > 0)
                    ? 8 * each * of.across.stride
                    : 0;
        from = of.at(index) + threadIdx.x % 2 * 4;
    }
    __device__ __forceinline__ void place(const operand &of, int p, int rest, float *to) const
    {
        to += step * pitch + index / 2 * 4 + index % 2 + threadIdx.x % 2 * 2;
        int64_t along[parts];
#pragma unroll
        for (int j = 0; j < parts; j++)
            along[j] = offset_at(of.along, min(p + step + 8 * j, p + rest - 1)) * 8;
        const bool is_whole = rest >= deep && there > (pieces - 1) * each;
        if (is_whole && apart == 8 * each && until >= pieces)
            return place_line(along, to);
        if (is_whole && apart != 0 && until >= pieces)
            return place_columns(along, to);
        if (is_whole && apart != 0)
            return place_segments(along, to);
        const char *at = from;
#pragma unroll 1
        for (int v = 0; v < pieces && v * each < there; v++) {
#pragma unroll
            for (int j = 0; j < parts; j++)
                if (step + 8 * j < rest)
                    copy_async<4>(to + 8 * j * pitch + 2 * each * v, at + along[j]);
            at = (apart && until >= pieces) || v + 1 == pieces ? at + apart
                                                               : of.at(index + (v + 1) * each) + threadIdx.x % 2 * 4;
        }
    }
    /* All of it, numbers side by side across. */
    __device__ __forceinline__ void place_line(const int64_t (&along)[parts], float *to) const
    {
#pragma unroll
        for (int j = 0; j < parts; j++) {
            const char *const at = from + along[j];
#pragma unroll
            for (int v = 0; v < pieces; v++)
                copy_async<4>(to + 8 * j * pitch + 2 * each * v, at + 8 * each * v);
        }
    }
    /* All of it, in segments of whole pieces. */
    __device__ __forceinline__ void place_segments(const int64_t (&along)[parts], float *to) const
    {
        const char *at = from;
        int left = until;
#pragma unroll 4
        for (int v = 0; v < pieces; v++) {
#pragma unroll
            for (int j = 0; j < parts; j++)
                copy_async<4>(to + 8 * j * pitch + 2 * each * v, at + along[j]);
            at += apart;
            if (--left == 0) {
                at += jump;
                left = run;
            }
        }
    }
    /* All of it, numbers a stride apart across. */
    __device__ __forceinline__ void place_columns(const int64_t (&along)[parts], float *to) const
    {
        const char *at = from;
#pragma unroll
        for (int v = 0; v < pieces; v++) {
#pragma unroll
            for (int j = 0; j < parts; j++)
                copy_async<4>(to + 8 * j * pitch + 2 * each * v, at + along[j]);
            at += apart;
        }
    }
};

/* The turns in shared memory, and the barriers of each: full when it may be read, empty when it may be written. */
template <typename S> struct ring {
    float *turn;
    uint64_t *full, *empty;

    __device__ __forceinline__ explicit ring(float *shared)
        : turn(shared), full(reinterpret_cast<uint64_t *>(shared + S::places * S::turn_size)), empty(full + S::places)
    {
    }
};

template <typename S, bool left_vector>
__device__ __forceinline__ void produce_as(const lay_cuda_args &args, const ring<S> &ring, place tile, share own)
{
    const operand left = { static_cast<const char *>(args.left), args.left_m, args.left_k, tile.i, args.m,
                           goes_along(args.left_class) };
    const operand right = { static_cast<const char *>(args.right), args.right_n, args.right_k, tile.j / 2, args.n / 2,
                            goes_along(args.right_class) };
    const left_feed<left_vector, S::bm, S::deep, S::pitch_m> a(left);
    const right_feed<S::bn / 2, S::deep, S::pitch_n> b(right);
    const steps longest = own.of(args, 0);
    int slot = 0, parity = 1;
#pragma unroll 1
    for (int done = 0; done < longest.last - longest.first; done += S::deep) {
#pragma unroll 1
        for (int group = 0; group < S::groups; group++) {
            const steps of = own.of(args, group);
            const int p = of.first + done, rest = of.last - p, at = group * S::turns + slot;
            if (rest <= 0)
                break; /* later slices are no longer */
            float *to = ring.turn + at * S::turn_size;
            barrier_wait(ring.empty + at, parity);
            a.place(left, p, rest, to);
            b.place(right, p, rest, to + S::left_size);
            barrier_arrive_after_copies(ring.full + at);
        }
        if (++slot == S::turns)
            slot = 0, parity ^= 1;
    }
    wait_async();
}

template <typename S>
__device__ __forceinline__ void produce(const lay_cuda_args &args, const ring<S> &ring, place tile, share own)
{
    if (args.left_class == LAY_CUDA_ACROSS_VECTOR)
        produce_as<S, true>(args, ring, tile, own);
    else
        produce_as<S, false>(args, ring, tile, own);
}

/* ---- consumers -------------------------------------------------------------------------------- */

/* What a lane sums, and where its pieces are. */
template <typename S> struct sums {
    float at[S::m][S::n];
    int i0, j0; /* in the tile, of at[0][0] */

    static __device__ __forceinline__ int row(int i)
    {
        return i / 2 * 16 + i % 2;
    }
    static __device__ __forceinline__ int column(int j)
    {
        return j / 4 * 16 + j % 4;
    }
    __device__ __forceinline__ explicit sums(int warp)
    {
        const int lane = threadIdx.x % 32;
        i0 = warp / S::warps_n * 64 + lane / 4 * 2;
        j0 = warp % S::warps_n * (4 * S::n) + lane % 4 * 4;
#pragma unroll
        for (int i = 0; i < S::m; i++)
#pragma unroll
            for (int j = 0; j < S::n; j++)
                at[i][j] = 0;
    }
};

/* Of left parts side by side, of right as they lie in shared memory. */
template <typename S> struct fragment {
    float a[2 * S::m], b[S::n];

    __device__ __forceinline__ void load(const float *left, const float *right)
    {
#pragma unroll
        for (int i = 0; i < S::m; i += 2)
            *reinterpret_cast<float4 *>(a + 2 * i) = *reinterpret_cast<const float4 *>(left + 2 * sums<S>::row(i));
#pragma unroll
        for (int j = 0; j < S::n; j += 4)
            *reinterpret_cast<float4 *>(b + j) = *reinterpret_cast<const float4 *>(right + sums<S>::column(j));
    }
};

/* Registers with even and with odd numbers are two banks, each of which gives one value a clock; a multiply-add needs
 * three. Row by row its part of left is at hand from the one before, right's parts go to and fro, and the sum must not
 * be in their bank: both parts of a number of right lie in one, so that holds in both steps (numbers_result.cuh). */
template <typename S, unsigned negated> __device__ __forceinline__ void step(sums<S> &sums, const fragment<S> &f)
{
#pragma unroll
    for (int s = 0; s < 2; s++)
#pragma unroll
        for (int row = 0; row < S::m; row++)
#pragma unroll
            for (int j = 0; j < S::n; j++) {
                const int i = s ? S::m - 1 - row : row, to = row % 2 ? S::n - 1 - j : j;
                const float x = f.a[2 * i + s];
                float &sum = sums.at[i][to];
                if (s == 0)
                    sum = to & 2 ? fmaf(x, with_sign<negated, 1>(f.b[to]), sum)
                                 : fmaf(x, with_sign<negated, 0>(f.b[to]), sum);
                else
                    sum = to & 2 ? fmaf(x, with_sign<negated, 3>(f.b[to ^ 2]), sum)
                                 : fmaf(x, with_sign<negated, 2>(f.b[to ^ 2]), sum);
            }
}

/* A group's slice of so many numbers. */
template <typename S, unsigned negated>
__device__ __forceinline__ void consume(const ring<S> &ring, int group, sums<S> &sums, int count)
{
    constexpr int unroll = 2, in_turn = S::deep / unroll; /* of four, ptxas has a tenth of the sums in right's bank */
    if (count <= 0)
        return;
    const bool leads = threadIdx.x % 32 == 0;
    uint64_t *const full = ring.full + group * S::turns, *const empty = ring.empty + group * S::turns;
    const float *left = ring.turn + group * S::turns * S::turn_size + 2 * sums.i0;
    const float *right = ring.turn + group * S::turns * S::turn_size + S::left_size + sums.j0;
    int slot = 0, parity = 0, until = in_turn, chunks = count / unroll;
    const int rest = count % unroll;
    asm volatile("" : "+r"(chunks)); /* counted, not worked out again each time */
    bool is_next_full = false;
    fragment<S> f[2];
    barrier_wait(full, 0);
    f[0].load(left, right);
#pragma unroll 1
    for (; chunks > 0; chunks--) {
        if (until == 1) { /* the answer takes a while */
            const int next = slot + 1 == S::turns ? 0 : slot + 1;
            is_next_full = barrier_is_over(full + next, next ? parity : parity ^ 1);
        }
#pragma unroll
        for (int p = 0; p < unroll - 1; p++) {
            f[(p + 1) % 2].load(left + (p + 1) * S::pitch_m, right + (p + 1) * S::pitch_n);
            step<S, negated>(sums, f[p % 2]);
        }
        left += unroll * S::pitch_m;
        right += unroll * S::pitch_n;
        if (--until == 0) {
            until = in_turn;
            __syncwarp();
            if (leads)
                barrier_arrive(empty + slot);
            left += S::turn_size - S::deep * S::pitch_m;
            right += S::turn_size - S::deep * S::pitch_n;
            if (++slot == S::turns) {
                slot = 0, parity ^= 1;
                left -= S::turns * S::turn_size;
                right -= S::turns * S::turn_size;
            }
            if (!is_next_full && (chunks > 1 || rest > 0))
                barrier_wait(full + slot, parity);
        }
        f[0].load(left, right); /* behind the end whatever lies there: it is not multiplied */
        step<S, negated>(sums, f[(unroll - 1) % 2]);
    }
#pragma unroll 1
    for (int p = 0; p < rest; p++) {
        step<S, negated>(sums, f[0]);
        left += S::pitch_m;
        right += S::pitch_n;
        if (p + 1 < rest)
            f[0].load(left, right);
    }
}

template <typename S>
__device__ __forceinline__ void consume_conjugated(const lay_cuda_args &args, const ring<S> &ring, int group,
                                                   sums<S> &sums, int count)
{
    switch (args.negated) { /* neither operand conjugated, left, right, both */
    case 4:
        return consume<S, 4>(ring, group, sums, count);
    case 8:
        return consume<S, 8>(ring, group, sums, count);
    case 2:
        return consume<S, 2>(ring, group, sums, count);
    default:
        return consume<S, 14>(ring, group, sums, count);
    }
}

} // namespace numbers

#endif
