/* Images of elements that lie together in runs, by the kernel's own text on the host: wherever runs begin, each eight
 * has its elements, zeros stand behind the last, and no vector reaches out of a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

extern "C" {
#include <cmocka.h>
}

#include "../../random.h"
#include "as_host.h"

enum { CASES = 5000, ROOM = 1 << 15, MOST_NEARS = 400 };

struct uint4 {
    unsigned x, y, z, w;
};
static uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return { x, y, z, w };
}
static unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
    return static_cast<unsigned>((static_cast<uint64_t>(high) << 32 | low) >> by % 32);
}
static void insist_on_copy(const void *, const void *, int)
{
    abort();
}

alignas(64) static uint16_t memory[ROOM];
static bool is_readable[ROOM];

static uint4 load_if(bool is_wanted, const uint4 *from)
{
    uint4 vector = { ~0u, ~0u, ~0u, ~0u };
    if (!is_wanted)
        return vector;
    const auto at = reinterpret_cast<const uint16_t *>(from) - memory;
    assert_int_equal(at % 8, 0);
    for (int i = 0; i < 8; i++)
        assert_true(at + i >= 0 && at + i < ROOM && is_readable[at + i]);
    memcpy(&vector, from, sizeof vector);
    return vector;
}

#include "cuda/narrow/runs.cuh"

static int within, others;

static void insist_on_line(const lay_narrow_pack_args &args, int base, int number)
{
    const uint16_t *const line = memory + base;
    for (int first = 0; first < args.nears + 16; first += 8) {
        const near_eight near(args, first);
        assert_int_equal(near.is_there, first < args.nears);
        if (!near.is_there)
            continue;
        uint4 eight;
        if (near.is_within) {
            vectors_around both;
            both.load(line + near.offset, true);
            eight = both.get();
        } else {
            eight = near.load_elements(args, line);
        }
        (near.is_within ? within : others)++;
        uint16_t got[8];
        memcpy(got, &eight, sizeof got);
        for (int i = 0; i < 8; i++) {
            const int at = first + i;
            if (got[i] != (at < args.nears ? line[at / args.run * args.run_apart + at % args.run] : 0))
                fail_msg("case %d: runs of %d, %d in all, element %d", number, args.run, args.nears, at);
        }
    }
}

static void eights_have_their_elements_wherever_runs_begin(void **)
{
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(205, static_cast<uint64_t>(number));
        lay_narrow_pack_args args = {};
        args.run = static_cast<int>(random_in(&from, 8, random_one_in(&from, 2) ? 300 : 40));
        args.nears = static_cast<int>(random_in(&from, 1, MOST_NEARS));
        args.run_inverse = UINT32_MAX / static_cast<unsigned>(args.run);
        args.run_apart = args.run + random_in(&from, 0, 40);
        const int base = static_cast<int>(random_in(&from, 0, 40));
        for (int i = 0; i < ROOM; i++) {
            memory[i] = static_cast<uint16_t>(random_bits(&from));
            is_readable[i] = false;
        }
        for (int i = 0; i < args.nears; i++)
            is_readable[base + i / args.run * args.run_apart + i % args.run] = true;
        insist_on_line(args, base, number);
    }
    assert_true(within > CASES && others > CASES);
}

int main()
{
    const CMUnitTest tests[] = { cmocka_unit_test(eights_have_their_elements_wherever_runs_begin) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
