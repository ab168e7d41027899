/* What the matrix units are given of complex numbers, by the kernel's own text on the host: fed by all threads, read by
 * each lane, a fragment has the elements of the real product that the contract names, signs and the end of a slice
 * included, whatever the tile and the layout; and nothing else is read. */
#include <initializer_list>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

extern "C" {
#include <cmocka.h>
}

#include "../../random.h"
#include "as_host.h"
#include "unit_as_host.h"

enum { CASES = 400, MOST_EXTENT = 200, MOST_STEPS = 64, MOST_MEMORY = 1 << 18 };

/* ---- stand-ins for unit.cuh ------------------------------------------------------------------- */

namespace dmma
{

static void store_two(uint32_t, double, double)
{
}
static void copy_one(uint32_t to, const void *from, bool is_wanted)
{
    if (is_wanted) {
        insist_on_copy(NULL, from, 8);
        memcpy(at_shared(to), from, 8);
    }
}
static void copy_two(uint32_t to, const void *from, bool is_wanted)
{
    if (is_wanted) {
        insist_on_copy(NULL, from, 16);
        memcpy(at_shared(to), from, 16);
    }
}
static void copy_two_of_all(uint32_t to, const void *from, bool is_wanted)
{
    copy_two(to, from, is_wanted);
}
template <int, int> void meet()
{
}
template <int, int> void announce()
{
}
static void barrier_init(uint32_t, int)
{
}
static void barrier_arrive(uint32_t)
{
}
static void barrier_arrive_after_copies(uint32_t)
{
}
static void barrier_wait(uint32_t, int)
{
}
template <int> void give_registers()
{
}
template <int> void take_registers()
{
}

} // namespace dmma

#include "cuda/dmma/expanded.cuh"
#include "cuda/dmma/result.cuh"

/* ---- operands --------------------------------------------------------------------------------- */

struct array {
    int64_t across[MOST_EXTENT], along[MOST_STEPS];
    lay_cuda_offsets across_of, along_of;
    alignas(16) double memory[MOST_MEMORY]; /* NaN where no number is */
    int64_t zero;
};
static array left, right;

static int64_t lay_line(int64_t at[], lay_cuda_offsets *of, int extent, int64_t stride, bool has_table,
                        random_source *from)
{
    for (int i = 0; i < extent; i++)
        at[i] = i * stride;
    *of = { NULL, stride, 0, 0, 0, 0 };
    for (int i = extent - 1; has_table && i > 0; i--) {
        const int j = (int)random_in(from, 0, i);
        const int64_t other = at[i];
        at[i] = at[j];
        at[j] = other;
    }
    const int64_t first = at[0];
    for (int i = 0; i < extent; i++)
        at[i] -= first;
    if (has_table)
        *of = { at, 0, 0, 0, 0, 0 };
    return first;
}

static void lay_out(array *of, int extent, int steps, random_source *from)
{
    const bool is_along = random_one_in(from, 2);
    const int64_t apart = (is_along ? steps : extent) + random_in(from, 0, 3);
    of->zero = 2 * lay_line(of->across, &of->across_of, extent, is_along ? apart : 1, random_one_in(from, 3), from);
    of->zero += 2 * lay_line(of->along, &of->along_of, steps, is_along ? 1 : apart, random_one_in(from, 3), from);
    for (double &element : of->memory)
        element = NAN;
    for (int i = 0; i < extent; i++)
        for (int l = 0; l < steps; l++)
            for (int part = 0; part < 2; part++)
                of->memory[of->zero + 2 * (of->across[i] + of->along[l]) + part] = 1 + i + 1000 * l + 100000 * part;
}

static void insist_on_copy(const void *, const void *global, int bytes)
{
    for (const double *zeros : { dmma::nothing, dmma::nothing + 2 })
        if (global == zeros)
            return;
    for (const array *of : { &left, &right }) {
        const double *const from = static_cast<const double *>(global);
        if (from < of->memory || from >= of->memory + MOST_MEMORY)
            continue;
        assert_true((uintptr_t)global % bytes == 0);
        for (int e = 0; e < bytes / 8; e++)
            assert_false(isnan(from[e]));
        return;
    }
    fail_msg("a copy from nowhere");
}

/* ---- fragments -------------------------------------------------------------------------------- */

static void insist(const char *what, int index, int step, double found, double wanted)
{
    if (memcmp(&found, &wanted, sizeof found) != 0)
        fail_msg("%s: index %d, step %d: %g, not %g", what, index, step, found, wanted);
}

/* Of a lane's rows 2 g and 2 g + 1 of 16, and its column of 8: image.cuh and chain_f64.cuh. */
template <class S, dmma::way left_way, dmma::way right_way>
static void read_one(int group, int turn, int tile_i, int tile_j, const lay_cuda_args &args, steps own)
{
    using namespace dmma;
    const int g = (int)threadIdx.x % 32 / 4, q = (int)threadIdx.x % 4;
    const expansion as = { args.negated, own.last - own.first };
    for (int row = 0; row < S::bm; row += S::wm)
        for (int column = 0; column < S::bn; column += S::wn) {
            const uint32_t part = (uint32_t)(8 * (turn * S::stage + group * S::part));
            reader<image_of<left_way>, S::bm, true> l(0, row);
            reader<image_of<right_way>, S::bn, false> r(8 * bk * S::bm, column, as);
            l.move((int)part);
            r.move((int)part);
            for (int t = 0; t < turn; t++)
                r.pass_turn();
            for (int s = 0; s < 2; s++) {
                for (int i = 0; i < S::wm / 16; i++) {
                    double found[4];
                    l.left(found, i, s);
                    for (int e = 0; e < 4; e++) {
                        const int at = tile_i + row + 16 * i + 2 * g + e % 2;
                        const int p = own.first + turn * bk + 8 * s + q + e / 2 * 4;
                        if (at < args.m)
                            insist("left", at, p, found[e],
                                   p < own.last
                                       ? left.memory[left.zero + 2 * (left.across[at] + left.along[p / 2]) + p % 2]
                                       : -0.0);
                    }
                }
                for (int j = 0; j < S::wn / 8; j++) {
                    double found[2];
                    r.right(found, j, s);
                    r.expand(found, s);
                    for (int h = 0; h < 2; h++) {
                        const int at = tile_j + column + 8 * j + g, p = own.first + turn * bk + 8 * s + q + 4 * h;
                        if (at >= args.n)
                            continue;
                        const int b = p % 2, t = at % 2;
                        const double number =
                            p < own.last
                                ? right.memory[right.zero + 2 * (right.across[at / 2] + right.along[p / 2]) + (b ^ t)]
                                : 0;
                        const bool is_negated = p < own.last && args.negated >> (2 * b + t) & 1;
                        insist("right", at, p, found[h], is_negated ? -number : number);
                    }
                }
            }
        }
}

template <class S, dmma::way left_way, dmma::way right_way> static void feed_ways(random_source *from)
{
    using namespace dmma;
    static int64_t across[S::bm + S::bn], along[2 * 2 * feeders];
    static const unsigned signs[] = { 4, 8, 2, 14 };
    lay_cuda_args args = {};
    const int m = (int)random_in(from, 1, MOST_EXTENT), n = (int)random_in(from, 1, MOST_EXTENT / 2);
    const int slices = (int)random_in(from, 1, S::groups), turns = 2;
    const int each = slices > 1 ? 8 * (int)random_in(from, 1, turns) : (int)random_in(from, 1, 8 * turns);
    const int k = (slices - 1) * each + (int)random_in(from, 1, each);
    args.m = m, args.n = 2 * n, args.k = 2 * k;
    args.slices = slices, args.slice_k = slices > 1 ? 2 * each : 2 * k;
    args.negated = signs[random_in(from, 0, 3)];
    lay_out(&left, m, k, from);
    lay_out(&right, n, k, from);
    args.left = left.memory + left.zero, args.right = right.memory + right.zero;
    args.left_m = left.across_of, args.left_k = left.along_of;
    args.right_n = right.across_of, args.right_k = right.along_of;
    const tile_of tile = { (int)random_in(from, 0, (args.m - 1) / S::bm) * S::bm,
                           (int)random_in(from, 0, (args.n - 1) / S::bn) * S::bn };
    static_assert(2 * S::stage * 8 <= sizeof arena, "two stages");
    for (double &element : arena)
        element = NAN;
    for (int i = 0; i < S::bm + S::bn; i++)
        across[i] = i < S::bm ? element<S>(args.left_m, min(tile.i + i, args.m - 1))
                              : element_across<S>(args.right_n, min(tile.j + i - S::bm, args.n - 1));
    for (threadIdx.x = 0; threadIdx.x < feeders; threadIdx.x++)
        steps_ahead<S::groups, true>(args, along,
                                     steps_of(args, min((int)threadIdx.x / (feeders / S::groups), slices - 1)));
    for (threadIdx.x = 0; threadIdx.x < feeders; threadIdx.x++) {
        feed<left_way, S::bm, true> a(args.left, across, args.left_m, args.m - tile.i, false, 0);
        feed<right_way, S::bn, false> b(args.right, across + S::bm, args.right_n, args.n - tile.j, false,
                                        8 * bk * S::bm);
        a.begin();
        b.begin();
        for (int turn = 0; turn < turns; turn++)
            for (int group = 0; group < slices; group++) {
                const steps own = steps_of(args, group);
                const int rest = own.last - own.first - turn * bk;
                const int64_t *const at = along + group * (feeders / S::groups) + turn * bk;
                const uint32_t to = (uint32_t)(8 * (turn * S::stage + group * S::part));
                if (rest >= bk) {
                    a.copy(to, a.look(at));
                    b.copy(to, b.look(at + feeders));
                } else if (rest > 0) {
                    a.copy_rest(to, a.look(at), rest);
                    b.copy_rest(to, b.look(at + feeders), rest);
                }
            }
    }
    for (threadIdx.x = 0; threadIdx.x < 32; threadIdx.x++)
        for (int group = 0; group < slices; group++) {
            const steps own = steps_of(args, group);
            for (int turn = 0; turn < (own.last - own.first + bk - 1) / bk; turn++)
                read_one<S, left_way, right_way>(group, turn, tile.i, tile.j, args, own);
        }
}

/* Each way of either operand, however it lies: a way is a matter of speed. */
template <class S> static void feed_one(random_source *from)
{
    using namespace dmma;
    switch (random_in(from, 0, 3)) {
    case 0:
        return feed_ways<S, NUMBERS, EXPANDED>(from);
    case 1:
        return feed_ways<S, NUMBERS, EXPANDED_ALONG>(from);
    case 2:
        return feed_ways<S, NUMBERS_ACROSS, EXPANDED>(from);
    default:
        return feed_ways<S, NUMBERS_ACROSS, EXPANDED_ALONG>(from);
    }
}

using dmma::of_numbers;
using dmma::shape;

static void a_fragment_has_the_numbers_of_its_steps(void **)
{
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(94, static_cast<uint64_t>(number));
        switch (number % 8) {
        case 0:
            feed_one<of_numbers<shape<128, 128, 64, 32, 1, 6, 1, 56, 224>>>(&from);
            break;
        case 1:
            feed_one<of_numbers<shape<128, 64, 32, 32, 1, 6, 1, 72, 200>>>(&from);
            break;
        case 2:
            feed_one<of_numbers<shape<32, 32, 16, 16, 1, 8, 2>>>(&from);
            break;
        case 3:
            feed_one<of_numbers<shape<96, 48, 48, 24, 2, 5, 1>>>(&from);
            break;
        case 4:
            feed_one<of_numbers<shape<48, 32, 48, 16, 4, 4, 1>>>(&from);
            break;
        case 5:
            feed_one<of_numbers<shape<64, 64, 32, 32, 2, 6, 1>>>(&from);
            break;
        case 6:
            feed_one<of_numbers<shape<32, 64, 32, 32, 4, 6, 1>>>(&from);
            break;
        default:
            feed_one<of_numbers<shape<16, 16, 16, 16, 4, 8, 2>>>(&from);
        }
    }
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_fragment_has_the_numbers_of_its_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
