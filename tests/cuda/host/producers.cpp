/* What simt90's producers bring to shared memory, by the kernel's own text on the host: whatever the layout, the slice
 * and the tile, a turn's place has the element that the contract names, and nothing else is read. And which rows of C
 * lanes write. */
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
#include "cuda/simt90/produce.cuh"

enum { CASES = 3000, TURNS = 5, BK = 32, MOST_STEPS = (TURNS - 1) * BK, MOST_SLICES = 3 };
enum { MOST_EXTENT = 600, MOST_MEMORY = 1 << 19 };

/* Room for a slice's turns and the one without data: none is written twice, though no thread waits for another. */
using wide = shape<128, 256, BK, TURNS>;
using tall = shape<256, 128, BK, TURNS>;

/* ---- operands --------------------------------------------------------------------------------- */

struct line {
    int extent;
    int64_t at[MOST_EXTENT];
    lay_cuda_offsets offsets;
};

/* Of which element i is 1.0f * i where an operand has one, NaN elsewhere. */
struct array {
    line across, along;
    alignas(16) float memory[MOST_MEMORY];
    int64_t zero; /* of both offsets */
};
static array operands[2];
static char text[300]; /* the case */

static void make_segments(line *of, int64_t stride, int64_t jump, int run)
{
    for (int i = 0; i < of->extent; i++)
        of->at[i] = i * stride + i / run * jump;
    of->offsets = { of->at, stride, jump, run, UINT32_MAX / (unsigned)run, 0 };
}

/* Groups of v are contiguous, in any order; the first lies at 0. What is left of one at the end is anywhere. */
static void make_table(line *of, int v, random_source *from)
{
    for (int i = 0; i < of->extent; i++) {
        const bool is_cut = i >= of->extent / v * v && random_one_in(from, 2);
        of->at[i] = i < v ? i : i % v && !is_cut ? of->at[i - 1] + 1 : v * random_in(from, -MOST_EXTENT, MOST_EXTENT);
    }
    of->offsets = { of->at, 0, 0, 0, 0, 0 };
}

/* Strides are multiples of unit but the inner one's, whose groups of v are contiguous. */
static void make_line(line *of, bool is_inner, int unit, int v, random_source *from)
{
    static const int runs[] = { 1, 2, 3, 5, 8, 16, 32, 64, 85 };
    const int64_t stride = is_inner && v > 1 ? 1 : unit * random_in(from, -40, 40);
    const int run = v * (int)random_of(from, runs);
    switch (random_in(from, 0, 3)) {
    case 0:
        return make_segments(of, stride, unit * random_in(from, -40, 40), run);
    case 1:
        if (is_inner)
            return make_table(of, v, from);
        make_table(of, 1, from);
        for (int i = 0; i < of->extent; i++)
            of->at[i] *= unit;
        return;
    default:
        make_segments(of, random_one_in(from, 6) && !is_inner ? 0 : stride, 0, 1);
        of->offsets.table = NULL;
        of->offsets.run = 0;
    }
}

static void lay_out(array *of)
{
    int64_t low = 0;
    for (int i = 0; i < of->across.extent; i++)
        low = of->across.at[i] < low ? of->across.at[i] : low;
    int64_t lower = 0;
    for (int p = 0; p < of->along.extent; p++)
        lower = of->along.at[p] < lower ? of->along.at[p] : lower;
    of->zero = (3 - low - lower) / 4 * 4;
    for (float &element : of->memory)
        element = NAN;
    for (int i = 0; i < of->across.extent; i++)
        for (int p = 0; p < of->along.extent; p++) {
            const int64_t at = of->zero + of->across.at[i] + of->along.at[p];
            assert_in_range(at, 0, MOST_MEMORY - 1);
            of->memory[at] = static_cast<float>(at);
        }
}

static void make_operand(array *of, lay_cuda_class as, int extent, int k, random_source *from)
{
    const bool is_vector = as == LAY_CUDA_ACROSS_VECTOR || as == LAY_CUDA_ALONG_VECTOR;
    const int v = is_vector ? 4 : 1;
    of->across.extent = extent;
    of->along.extent = k;
    make_line(&of->across, as == LAY_CUDA_ACROSS_VECTOR, v, v, from);
    make_line(&of->along, as == LAY_CUDA_ALONG_VECTOR, v, v, from);
    lay_out(of);
}

static void insist_on_copy(const void *shared, const void *global, int bytes)
{
    const float *const from = static_cast<const float *>(global);
    const array *const of = &operands[from >= operands[1].memory];
    const uintptr_t to = reinterpret_cast<uintptr_t>(shared), at = reinterpret_cast<uintptr_t>(global);
    if ((to | at) % static_cast<unsigned>(bytes) != 0)
        fail_msg("%s: a copy of %d bytes that is not aligned", text, bytes);
    if (from < of->memory || from + bytes / 4 > of->memory + MOST_MEMORY)
        fail_msg("%s: a copy from outside", text);
    for (int e = 0; e < bytes / 4; e++)
        if (isnan(from[e]))
            fail_msg("%s: thread %u reads what is no element", text, threadIdx.x);
}

/* ---- turns ------------------------------------------------------------------------------------ */

/* From a slot of the ring on. */
static void insist_on_turns(const array *of, const float *turn, int slot, int turn_size, int pitch, int width,
                            int first, steps own, float fill)
{
    for (int p = own.first; p < own.first + (own.last - own.first + BK - 1) / BK * BK; p++)
        for (int i = 0; i < width && first + i < of->across.extent; i++) {
            const int step = p - own.first;
            const float found = turn[(slot + step / BK) % TURNS * turn_size + step % BK * pitch + i];
            const float wanted =
                p < own.last ? static_cast<float>(of->zero + of->across.at[first + i] + of->along.at[p]) : fill;
            if (memcmp(&found, &wanted, sizeof found) != 0)
                fail_msg("%s: index %d, step %d: %g, not %g", text, first + i, p, found, wanted);
        }
}

template <typename S> static void produce_one(lay_cuda_class left, lay_cuda_class right, random_source *from)
{
    alignas(16) static float shared[S::shared / sizeof(float)];
    static const char *const names[] = { "across in vectors", "along in vectors", "across", "along" };
    lay_cuda_args args = {};
    args.m = static_cast<int>(random_in(from, 1, MOST_EXTENT));
    args.n = static_cast<int>(random_in(from, 1, MOST_EXTENT));
    args.k = static_cast<int>(random_in(from, 4, MOST_STEPS * MOST_SLICES));
    args.slices = (args.k + MOST_STEPS - 1) / MOST_STEPS;
    args.slice_k = args.slices > 1 ? MOST_STEPS : args.k;
    args.left_class = left;
    args.right_class = right;
    make_operand(&operands[0], left, args.m, args.k, from);
    make_operand(&operands[1], right, args.n, args.k, from);
    args.left = operands[0].memory + operands[0].zero;
    args.right = operands[1].memory + operands[1].zero;
    args.left_m = operands[0].across.offsets;
    args.left_k = operands[0].along.offsets;
    args.right_n = operands[1].across.offsets;
    args.right_k = operands[1].along.offsets;

    const place tile = { static_cast<int>(random_in(from, 0, (args.m - 1) / S::bm)) * S::bm,
                         static_cast<int>(random_in(from, 0, (args.n - 1) / S::bn)) * S::bn };
    const steps own = steps_of(args, static_cast<int>(random_in(from, 0, args.slices - 1)));
    const ring<S> ring(shared);
    snprintf(text, sizeof text, "left %s, right %s, %d x %d at %d, %d, steps %d to %d", names[left], names[right],
             args.m, args.n, tile.i, tile.j, own.first, own.last);
    memset(shared, 0, sizeof shared);
    for (int i = 0; i < S::turns * S::turn_size; i++)
        shared[i] = NAN;
    const int slot = static_cast<int>(random_in(from, 0, S::turns - 1)),
              parity = static_cast<int>(random_in(from, 0, 1));
    const int turns = (own.last - own.first + BK - 1) / BK + 1; /* and the one without data */
    for (threadIdx.x = 0; threadIdx.x < producers; threadIdx.x++) {
        const position<S> behind = produce<S>(args, ring, tile, own, { slot, parity });
        assert_int_equal(behind.slot, (slot + turns) % S::turns);
        assert_int_equal(behind.parity, parity ^ (slot + turns) / S::turns);
    }

    insist_on_turns(&operands[0], ring.turn, slot, S::turn_size, S::pitch_m, S::bm, tile.i, own, -0.0f);
    insist_on_turns(&operands[1], ring.turn + S::left_size, slot, S::turn_size, S::pitch_n, S::bn, tile.j, own, 0.0f);
    for (int i = 0; i < S::turns; i++)
        assert_int_equal(ring.full[(slot + i) % S::turns], i < turns ? producers : 0);
}

static void a_turn_has_the_elements_of_its_steps_however_they_lie(void **)
{
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(91, static_cast<uint64_t>(number));
        const lay_cuda_class left = static_cast<lay_cuda_class>(number % LAY_CUDA_CLASSES);
        const lay_cuda_class right = static_cast<lay_cuda_class>(number / LAY_CUDA_CLASSES % LAY_CUDA_CLASSES);
        if (number / (LAY_CUDA_CLASSES * LAY_CUDA_CLASSES) % 2)
            produce_one<wide>(left, right, &from);
        else
            produce_one<tall>(left, right, &from);
    }
}

/* Each rank has a row of its own, and as far as the tile lets them lanes lie apart as they are told. */
template <int rows> void insist_on_rows(int apart, int lanes)
{
    static bool is_written[rows];
    const lanes_down<rows> go(lay_cuda_down(apart, lanes));
    std::fill(is_written, is_written + rows, false);
    for (int rank = 0; rank < rows; rank++) {
        const int row = go.row(rank);
        assert_true(row >= 0 && row < rows && !is_written[row]);
        is_written[row] = true;
        if (rank % (1 << go.lanes))
            assert_int_equal(row - go.row(rank - 1), 1 << go.apart);
    }
}

static void lanes_down_columns_write_every_row_once(void **)
{
    for (int apart = 0; apart <= 5; apart++)
        for (int lanes = 0; lanes <= 5; lanes++) {
            insist_on_rows<16>(apart, lanes);
            insist_on_rows<32>(apart, lanes);
            insist_on_rows<48>(apart, lanes);
            insist_on_rows<64>(apart, lanes);
            insist_on_rows<96>(apart, lanes);
            insist_on_rows<256>(apart, lanes);
        }
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(lanes_down_columns_write_every_row_once),
        cmocka_unit_test(a_turn_has_the_elements_of_its_steps_however_they_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
