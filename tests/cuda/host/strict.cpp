/* Path STRICT of split products by the kernel's own text on the host: a block's threads are fibers, which wait for
 * each other. C has the bits of one chain a slice, slices added in order, whatever the sizes, tile after tile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include "../../random.h"
#include "fibers.h"

/* Threads of this test wait, where those of others run one after another. */
#define AS_HOST_HAS_BARRIERS
#define meet          meet_of_one
#define __syncwarp    syncwarp_of_one
#define __syncthreads syncthreads_of_one
#include "as_host.h"
#undef meet
#undef __syncwarp
#undef __syncthreads

/* ---- threads that wait -------------------------------------------------------------------------- */

enum { THREADS = 384, ADDING = 100 };
static uint3 gridDim;
static std::vector<uint64_t *> barriers; /* that are initialized */

template <int threads> void meet()
{
    fibers::meet(fibers::named[1], threads);
}
inline void __syncwarp()
{
    fibers::meet_warp();
}
inline void __syncthreads()
{
    fibers::meet_all();
}
template <int, int threads> void meet_numbered()
{
    static_assert(threads == THREADS, "all of a block");
    fibers::meet_all();
}

/* In its 8 bytes: arrivals that are wanted, those that are missing, phases that are over. */
struct counts {
    uint16_t wanted, missing;
    uint32_t phase;
};
static counts *counts_of(uint64_t *barrier)
{
    return reinterpret_cast<counts *>(barrier);
}
static bool is_barrier(uint64_t *at)
{
    return std::find(barriers.begin(), barriers.end(), at) != barriers.end();
}
static void barrier_end(uint64_t *barrier)
{
    if (!is_barrier(barrier))
        fail_msg("what was no barrier ends");
    barriers.erase(std::find(barriers.begin(), barriers.end(), barrier));
}
static void barrier_init(uint64_t *barrier, int arrivals)
{
    if (is_barrier(barrier))
        fail_msg("a barrier is initialized twice");
    barriers.push_back(barrier);
    *counts_of(barrier) = { static_cast<uint16_t>(arrivals), static_cast<uint16_t>(arrivals), 0 };
}
static void barrier_arrive(uint64_t *barrier)
{
    if (!is_barrier(barrier))
        fail_msg("an arrival where no barrier is");
    counts *const of = counts_of(barrier);
    if (--of->missing > 0)
        return;
    of->missing = of->wanted;
    of->phase++;
    fibers::wake(barrier);
}
static void barrier_arrive_after_copies(uint64_t *barrier)
{
    barrier_arrive(barrier);
}
static bool barrier_is_over(uint64_t *barrier, int parity)
{
    return static_cast<int>(counts_of(barrier)->phase & 1) != parity;
}
static void barrier_wait(uint64_t *barrier, int parity)
{
    while (!barrier_is_over(barrier, parity))
        fibers::await(barrier);
}
template <int> void give_registers()
{
}
template <int> void take_registers()
{
}
static std::vector<float> left, right, result;
static void insist_on_copy(const void *, const void *global, int bytes)
{
    const float *const from = static_cast<const float *>(global), *const behind = from + bytes / 4;
    if ((from < left.data() || behind > left.data() + left.size()) &&
        (from < right.data() || behind > right.data() + right.size()))
        fail_msg("a copy from outside");
}

#define LAY_KERNELS_CUDA_SPLIT_PTX_CUH
#include "cuda/split/strict.cuh"
#include "cuda/split/strict_sums.cuh"

/* ---- products ----------------------------------------------------------------------------------- */

static lay_cuda_split_args args;
alignas(16) static float shared[LAY_SPLIT_STRICT_SHARED / sizeof(float)];

static void compute()
{
    strict::compute_all(args, shared);
}

static float sum_of(const float *left, const float *right, int k, int n, int slice_k)
{
    float whole = 0;
    for (int first = 0; first < k; first += slice_k) {
        float sum = 0;
        for (int p = first; p < k && p < first + slice_k; p++)
            sum = fmaf(left[p], right[static_cast<size_t>(p) * n], sum);
        whole = first ? whole + sum : sum;
    }
    return whole;
}

static void fill(std::vector<float> &of, random_source *from)
{
    for (float &x : of)
        x = static_cast<float>(random_unit(from) - 0.5);
}

/* Row-major, so that a line of left goes by elements and one of right by vectors, if n is a multiple of 4. slice_k: 0
 * for one slice. */
static void insist_on_product(int m, int n, int k, int slice_k, int blocks, random_source *from)
{
    left.resize(static_cast<size_t>(m) * k);
    right.resize(static_cast<size_t>(k) * n);
    result.assign(static_cast<size_t>(m) * n, 7);
    fill(left, from);
    fill(right, from);
    args = {};
    args.m = m, args.n = n, args.k = k;
    args.left.from = left.data(), args.right.from = right.data(), args.c = result.data();
    args.left.across.stride = k, args.left.along.stride = 1;
    args.right.along.stride = n, args.right.across.stride = 1;
    args.result_m.stride = n, args.result_n.stride = 1;
    args.left.as = LAY_CUDA_ALONG;
    args.right.as = n % 4 == 0 ? LAY_CUDA_ACROSS_VECTOR : LAY_CUDA_ACROSS;
    args.alpha = 1.5f;
    args.is_c_vector = n % 4 == 0;
    args.strict_slice_k = slice_k ? slice_k : k;
    args.strict_slices = (k - 1) / args.strict_slice_k + 1;
    std::vector<float> partial(static_cast<size_t>(args.strict_slices) * m * n, NAN);
    args.strict_partial = partial.data();
    gridDim.x = static_cast<unsigned>(blocks);
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++) {
        barriers.clear();
        fibers::run(THREADS, compute);
    }
    if (args.strict_slices > 1)
        for (int thread = 0; thread < ADDING; thread++)
            strict_sums::add_all(args, thread, ADDING);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            const float wanted = 1.5f * sum_of(&left[static_cast<size_t>(i) * k], &right[j], k, n, args.strict_slice_k);
            if (memcmp(&wanted, &result[static_cast<size_t>(i) * n + j], sizeof wanted) != 0)
                fail_msg("%d x %d x %d in slices of %d, %d blocks: %g at %d, %d, not %g", m, n, k, args.strict_slice_k,
                         blocks, result[static_cast<size_t>(i) * n + j], i, j, wanted);
        }
}

static void a_sum_is_one_chain(void **)
{
    random_source from = random_case(127, 1);
    for (int k : { 1, 31, 32, 33, 64, 65, 96, 127, 130, 300 })
        insist_on_product(5, 12, k, 0, 1, &from);
}

static void tiles_follow_each_other(void **)
{
    random_source from = random_case(127, 2);
    for (int k : { 1, 40, 96, 128, 161 }) {
        insist_on_product(300, 280, k, 0, 1, &from);
        insist_on_product(130, 515, k, 0, 2, &from);
    }
}

static void slices_are_added_in_order(void **)
{
    random_source from = random_case(127, 3);
    for (int blocks = 1; blocks <= 5; blocks += 2) {
        insist_on_product(130, 20, 200, 64, blocks, &from);
        insist_on_product(20, 259, 160, 96, blocks, &from);
    }
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_is_one_chain),
        cmocka_unit_test(tiles_follow_each_other),
        cmocka_unit_test(slices_are_added_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
