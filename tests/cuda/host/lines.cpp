/* What small FP32 tiles fetch by lines, by the kernel's own text on the host: whatever the segments, the slice and the
 * tile, a stage's place has the element that the contract names, and nothing else is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

extern "C" {
#include <cmocka.h>
}

#include "../../random.h"
#include "as_host.h"
#define LAY_KERNELS_CUDA_SIMT_COPY_CUH

enum { CASES = 4000, MOST_EXTENT = 300, MOST_STEPS = 160, MOST_STAGES = MOST_STEPS / 8, MOST_MEMORY = 1 << 20 };
enum { MOST_STAGE = 20000 };

/* ---- copies ------------------------------------------------------------------------------------ */

/* Shared addresses are bytes from its begin. */
alignas(16) static float shared[MOST_STAGES][MOST_STAGE];

static float *shared_at(uint32_t to)
{
    return &shared[0][0] + to / 4;
}
static const float *element_from(const float *from, int step, int times)
{
    return from + static_cast<int64_t>(step) * times;
}
static void copy_one(uint32_t to, const float *from, bool is_wanted)
{
    if (!is_wanted)
        return;
    insist_on_copy(shared_at(to), from, 4);
    *shared_at(to) = *from;
}
static void copy_first(uint32_t to, const float *from, int bytes, bool is_wanted)
{
    if (is_wanted)
        copy_async_first(shared_at(to), from, bytes);
}
static void copy_vector(uint32_t to, const float *from, bool is_wanted)
{
    if (is_wanted)
        copy_async<16>(shared_at(to), from);
}
/* The ring's, which goes by tables. */
static void copy_long(uint32_t, const int64_t *)
{
    abort();
}
static void store_long(uint32_t, int64_t)
{
    abort();
}

#include "cuda/simt/lines.cuh"

/* ---- an operand --------------------------------------------------------------------------------- */

struct line {
    int64_t at[MOST_EXTENT + MOST_STEPS];
    lay_cuda_offsets offsets;
};

/* Element i is 1.0f * i where the operand has one, NaN elsewhere. */
static line across, along;
alignas(16) static float memory[MOST_MEMORY];
static int64_t zero; /* of both offsets */
static char text[300];

static void insist_on_copy(const void *to, const void *global, int bytes)
{
    const float *const from = static_cast<const float *>(global);
    const uintptr_t both = reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(global);
    if (both % static_cast<unsigned>(bytes) != 0)
        fail_msg("%s: a copy of %d bytes that is not aligned", text, bytes);
    if (from < memory || from + bytes / 4 > memory + MOST_MEMORY)
        fail_msg("%s: a copy from outside", text);
    for (int e = 0; e < bytes / 4; e++)
        if (isnan(from[e]))
            fail_msg("%s: thread %u reads what is no element", text, threadIdx.x);
}

/* run: 0, or of segments. A launch that begins at a later segment has another first offset. */
static void make_line(line *of, int extent, int64_t stride, int run, int64_t jump, int64_t base)
{
    for (int i = 0; i < extent; i++)
        of->at[i] = run ? base + i * stride + i / run * jump : i * stride;
    of->offsets = { nullptr, stride, 0, 0, 0, 0 };
    if (run)
        of->offsets = { of->at, stride, jump, run, UINT32_MAX / static_cast<unsigned>(run), base };
}

/* Lines of `length` elements one after the other, in blocks of run_across by run_along, one behind the other. */
static void make_operand(bool is_along, int extent, int k, int run_across, int run_along, random_source *from)
{
    const int high = run_across ? run_across : extent, deep = run_along ? run_along : k;
    const int gap = static_cast<int>(random_in(from, 0, 3)) * 4, inner = is_along ? deep : high;
    const int64_t pitch = (inner + 3) / 4 * 4 + gap, block = pitch * (is_along ? high : deep);
    const int64_t wide = (k + deep - 1) / deep; /* blocks along k, which lie closer together */
    const int64_t base = random_one_in(from, 3) ? 4 * random_in(from, -9, 9) : 0;
    const int64_t step_across = is_along ? pitch : 1, step_along = is_along ? 1 : pitch;
    make_line(&across, extent, step_across, run_across, block * wide - high * step_across, base);
    make_line(&along, k, step_along, run_along, block - deep * step_along, random_one_in(from, 3) ? 8 : 0);
    std::fill(memory, memory + MOST_MEMORY, NAN);
    zero = 64;
    for (int i = 0; i < extent; i++)
        for (int p = 0; p < k; p++) {
            const int64_t at = zero + across.at[i] + along.at[p];
            assert_true(at >= 0 && at < MOST_MEMORY);
            memory[at] = static_cast<float>(at);
        }
}

/* ---- stages -------------------------------------------------------------------------------------- */

static int halved, straddling, by_lines; /* tiles that were */

template <int side, int bk_> struct square {
    static constexpr int bm = side, bn = side, bk = bk_;
    static constexpr bool is_told = true, is_wide = false;
};

template <lay_cuda_class way, int side, int bk, int threads>
static void fetch_tile(const lay_cuda_args &args, int first)
{
    constexpr int pitch = side + 4;
    using Lines = typename choose_lines<way, side, bk, pitch, threads, false, true>::type;
    static_assert(Lines::fits && image_row(bk, pitch) <= MOST_STAGE, "stages have room");
    const steps own = steps_of(args, args.slices - 1);
    operand left = { static_cast<const float *>(args.left),
                     args.left_m,
                     args.left_k,
                     first,
                     args.m,
                     own,
                     goes_along(way),
                     INT32_MAX,
                     0 };
    operand right = {
        static_cast<const float *>(args.right), args.right_n, args.right_k, 0, args.n, own, true, INT32_MAX, 0
    };
    using Right = typename choose_lines<LAY_CUDA_ALONG, side, bk, pitch, threads, false, true>::type;
    if (!go_by_lines<square<side, bk>, Lines, Right>(args, left, right))
        return;
    by_lines++;
    halved += left.straddles && !Lines::may_straddle;
    straddling += left.straddles && Lines::may_straddle;
    std::fill(&shared[0][0], &shared[0][0] + MOST_STAGES * MOST_STAGE, NAN);
    const int stages = (own.last - own.first + bk - 1) / bk;
    for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++) {
        Lines lines(left, static_cast<int>(threadIdx.x));
        for (int stage = 0; stage < stages; stage++)
            lines.begin(static_cast<uint32_t>(stage) * MOST_STAGE * 4, 0);
    }
    for (int p = own.first; p < own.last; p++)
        for (int i = 0; i < side && first + i < args.m; i++) {
            const int step = p - own.first;
            const float found = shared[step / bk][image_row(static_cast<unsigned>(step % bk), pitch) + i];
            const float wanted = static_cast<float>(zero + across.at[first + i] + along.at[p]);
            if (memcmp(&found, &wanted, sizeof found) != 0)
                fail_msg("%s: tile at %d, index %d, step %d: %g, not %g", text, first, i, p, found, wanted);
        }
}

template <lay_cuda_class way, int side, int bk, int threads> static void fetch_one(random_source *from)
{
    static const int runs_across[] = { 0, 0, side / 2, side, 2 * side, 3 * side, 8, 12, 20, 24 };
    static const int runs_along[] = { 0, 0, bk, 2 * bk, 5 * bk, bk / 2 };
    lay_cuda_args args = {};
    lay_cuda_kernel row = {};
    row.bm = row.bn = side, row.bk = bk;
    args.m = static_cast<int>(random_in(from, 1, MOST_EXTENT / 4)) * 4;
    args.n = 1;
    args.k = static_cast<int>(random_in(from, 1, MOST_STEPS / 4)) * 4;
    args.slice_k = static_cast<int>(random_in(from, 1, 6)) * bk;
    args.slices = (args.k + args.slice_k - 1) / args.slice_k;
    const int run_across = static_cast<int>(random_of(from, runs_across)),
              run_along = static_cast<int>(random_of(from, runs_along));
    make_operand(goes_along(way), args.m, args.k, run_across, run_along, from);
    args.left = memory + zero;
    args.left_m = across.offsets, args.left_k = along.offsets;
    args.right = memory;
    args.right_n = { nullptr, args.k, 0, 0, 0, 0 }, args.right_k = { nullptr, 1, 0, 0, 0, 0 };
    args.left_class = way, args.right_class = LAY_CUDA_ALONG;
    lay_cuda_args_tile(&args, &row);
    snprintf(text, sizeof text, "class %d, tile of %d x %d, %d x %d in segments of %d and %d, steps from %d", way, side,
             bk, args.m, args.k, run_across, run_along, (args.slices - 1) * args.slice_k);
    assert_int_equal(args.lies & LAY_CUDA_IN_LINES, run_along % bk == 0);
    for (int first = 0; first < args.m; first += side)
        fetch_tile<way, side, bk, threads>(args, first);
}

template <int side, int bk, int threads> static void fetch_each(int number, random_source *from)
{
    switch (number % LAY_CUDA_CLASSES) {
    case LAY_CUDA_ACROSS_VECTOR:
        return fetch_one<LAY_CUDA_ACROSS_VECTOR, side, bk, threads>(from);
    case LAY_CUDA_ALONG_VECTOR:
        return fetch_one<LAY_CUDA_ALONG_VECTOR, side, bk, threads>(from);
    case LAY_CUDA_ACROSS:
        return fetch_one<LAY_CUDA_ACROSS, side, bk, threads>(from);
    default:
        return fetch_one<LAY_CUDA_ALONG, side, bk, threads>(from);
    }
}

static void a_stage_has_the_elements_of_its_lines_wherever_segments_end(void **)
{
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(127, static_cast<uint64_t>(number));
        switch (number / LAY_CUDA_CLASSES % 4) {
        case 0:
            fetch_each<64, 8, 32>(number, &from);
            break;
        case 1:
            fetch_each<32, 8, 32>(number, &from);
            break;
        case 2:
            fetch_each<16, 8, 32>(number, &from);
            break;
        default:
            fetch_each<64, 16, 128>(number, &from);
        }
    }
    assert_true(by_lines > CASES && halved > 30 && straddling > 30);
}

int main()
{
    const CMUnitTest tests[] = { cmocka_unit_test(a_stage_has_the_elements_of_its_lines_wherever_segments_end) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
