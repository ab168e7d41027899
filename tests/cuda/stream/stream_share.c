/* How a product of host operands is shared among devices, from figures alone: no device is needed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../random.h"
#include "cuda/stream/stream_share.h"

enum { CASES = 2000, MOST = 8 };

/* Of the whole product, as an H200 asks. */
static lay_stream_ask ask_of(int64_t m, int64_t n, int64_t k)
{
    return (lay_stream_ask){ .m = m,
                             .n = n,
                             .k = k,
                             .size = 4,
                             .is_on_host = { 1, 1, 1 },
                             .reads_c = 1,
                             .slices = 1,
                             .slice_k = k,
                             .can_resume = 1,
                             .row_m = 128,
                             .row_n = 256,
                             .blocks_at_once = 132,
                             .memory = (size_t)126 << 30,
                             .link = 55e9,
                             .rate = 50e12,
                             .rates = lay_cuda_rates_get(&(lay_device){ .sm = 90 }) };
}

static void fill(lay_stream_ask ask[], int count, lay_stream_ask one)
{
    for (int i = 0; i < count; i++) {
        ask[i] = one;
        ask[i].device = i;
    }
}

/* Every element of C is one part's. */
static void check_parts(const lay_stream_share *share, int64_t m, int64_t n)
{
    int64_t elements = 0, end_m = 0, end_n = 0;
    assert_int_equal(share->down * share->across, share->parts);
    for (int part = 0; part < share->parts; part++) {
        const lay_range rows = lay_stream_share_rows(share, part, m);
        const lay_range columns = lay_stream_share_columns(share, part, n);
        assert_true(rows.count > 0 && columns.count > 0 && rows.count <= share->rows &&
                    columns.count <= share->columns);
        assert_int_equal(rows.first, part / share->across * share->rows);
        assert_int_equal(columns.first, part % share->across * share->columns);
        elements += rows.count * columns.count;
        end_m = rows.first + rows.count;
        end_n = columns.first + columns.count;
    }
    assert_true(end_m == m && end_n == n && elements == m * n);
}

static void parts_cover_c_and_fit_the_memory(void **state)
{
    (void)state;
    int shared = 0;
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(51, (uint64_t)number);
        lay_stream_ask ask[MOST], one = ask_of(random_in(&from, 1, 1 << random_in(&from, 1, 15)),
                                               random_in(&from, 1, 1 << random_in(&from, 1, 15)),
                                               random_in(&from, 1, 1 << random_in(&from, 1, 12)));
        const int count = (int)random_in(&from, 1, MOST), least = random_one_in(&from, 2) ? count : 1;
        double seconds[MOST];
        lay_stream_share share;
        one.memory = (size_t)1 << random_in(&from, 20, 36);
        fill(ask, count, one);
        for (int i = 1; i < count; i++)
            ask[i].device = (int)random_in(&from, 0, i);
        assert_true(lay_stream_share_choose(ask, count, least, &share, seconds));
        assert_in_range(share.parts, 1, count);
        check_parts(&share, one.m, one.n);
        shared += share.parts > 1;
        assert_true(isfinite(seconds[0]) && share.seconds == seconds[share.parts - 1]);
        for (int i = 0; i < count && least == 1; i++)
            assert_true(share.seconds <= seconds[i]);
        for (int i = share.parts; i < least; i++)
            assert_true(isinf(seconds[i]));
        for (int part = 0; part < share.parts; part++) {
            const lay_stream_ask own = lay_stream_share_ask(&share, ask, part);
            int alike = 0;
            for (int i = 0; i < share.parts; i++)
                alike += ask[i].device == ask[part].device;
            assert_int_equal(own.memory, one.memory / (size_t)alike);
            assert_int_equal(own.others, share.parts - 1);
            assert_int_equal(own.k, one.k);
        }
    }
    assert_true(shared > CASES / 4);
}

static lay_stream_share choose(int64_t m, int64_t n, int64_t k, int count, int least, double seconds[MOST])
{
    lay_stream_ask ask[MOST];
    lay_stream_share share;
    fill(ask, count, ask_of(m, n, k));
    assert_true(lay_stream_share_choose(ask, count, least, &share, seconds));
    return share;
}

static void large_products_are_shared_and_small_ones_are_not(void **state)
{
    double seconds[MOST];
    (void)state;
    assert_int_equal(choose(16384, 16384, 16384, 2, 1, seconds).parts, 2);
    assert_true(seconds[1] < seconds[0] / 1.8 && seconds[1] > seconds[0] / 2);
    assert_int_equal(choose(512, 512, 512, 2, 1, seconds).parts, 1);
    assert_true(seconds[1] >= seconds[0]);
}

static void parts_are_cut_so_that_the_fewest_pieces_travel(void **state)
{
    double seconds[MOST];
    (void)state;
    lay_stream_share share = choose(65536, 2048, 16384, 4, 4, seconds);
    assert_true(share.parts == 4 && share.down == 4 && share.across == 1 && share.rows == 16384);
    share = choose(2048, 65536, 16384, 4, 4, seconds);
    assert_true(share.parts == 4 && share.down == 1 && share.across == 4 && share.columns == 16384);
    share = choose(16384, 16384, 16384, 4, 4, seconds);
    assert_true(share.parts == 4 && share.down == 2 && share.across == 2);
}

/* What one thread's team packs for eight devices is more than it can; what devices copy by themselves is not. */
static void packing_limits_how_many_devices_pay(void **state)
{
    lay_stream_ask ask[MOST];
    lay_stream_share packed, copied;
    double seconds[MOST];
    (void)state;
    fill(ask, MOST, ask_of(16384, 16384, 16384));
    assert_true(lay_stream_share_choose(ask, MOST, 1, &packed, seconds));
    for (int i = 0; i < MOST; i++)
        for (int x = 0; x < LAY_OPERANDS; x++)
            ask[i].is_copied[x] = 1;
    assert_true(lay_stream_share_choose(ask, MOST, 1, &copied, seconds));
    assert_true(packed.parts > 1 && packed.parts < MOST);
    assert_true(copied.parts > packed.parts && copied.seconds < packed.seconds);
}

static void a_device_that_is_slow_is_left_out(void **state)
{
    lay_stream_ask ask[2];
    lay_stream_share share;
    double seconds[2];
    (void)state;
    fill(ask, 2, ask_of(16384, 16384, 16384));
    ask[1].rate /= 10;
    assert_true(lay_stream_share_choose(ask, 2, 1, &share, seconds));
    assert_int_equal(share.parts, 1);
    assert_true(seconds[1] > seconds[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_cover_c_and_fit_the_memory),
        cmocka_unit_test(large_products_are_shared_and_small_ones_are_not),
        cmocka_unit_test(parts_are_cut_so_that_the_fewest_pieces_travel),
        cmocka_unit_test(packing_limits_how_many_devices_pay),
        cmocka_unit_test(a_device_that_is_slow_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
