/* What plans and copies are predicted to take: lines that are fetched again, and images' copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/ways.h"
#include "machine/rates.h"
#include "plan/plan.h"
#include "rewrite/ways.h"
#include "storage/copy.h"

static const lay_order *const orders[] = { &lay_order_cpu, NULL };
static const lay_way *const no_image[] = { &lay_way_swept,  &lay_way_in_place,   &lay_way_packed, &lay_way_vector,
                                           &lay_way_slices, &lay_way_transposed, &lay_way_batch,  NULL };
static const lay_way *const only_in_place[] = { &lay_way_in_place, NULL };
static const lay_way *const with_image[] = { &lay_way_in_place, &lay_way_packed, &lay_way_image, NULL };
static const lay_way *const by_lanes[] = { &lay_way_lanes, NULL };
static const lay_way *const by_chunks[] = { &lay_way_chunks, &lay_way_in_place, &lay_way_packed, NULL };
static const lay_table no_images = { .orders = orders, .ways = no_image },
                       in_place = { .orders = orders, .ways = only_in_place },
                       images = { .orders = orders, .ways = with_image },
                       chunks = { .orders = orders, .ways = by_chunks }, lanes = { .orders = orders, .ways = by_lanes };

static lay_plan *make_for(int threads, const lay_table *table, const char *a, const char *b, const char *c)
{
    lay_options options = LAY_OPTIONS_INIT;
    lay_desc *desc[3];
    lay_plan *plan;
    const char *const notation[] = { a, b, c };
    options.threads = threads;
    for (int i = 0; i < 3; i++)
        assert_int_equal(lay_desc_parse(notation[i], &desc[i]), LAY_OK);
    assert_int_equal(lay_plan_make(table, LAY_F32, desc[0], desc[1], desc[2], &options, &plan), LAY_OK);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    return plan;
}

static lay_plan *make(const lay_table *table, const char *a, const char *b, const char *c)
{
    return make_for(1, table, a, b, c);
}

/* Seconds, and the threads that are kept busy. */
static lay_plan_info predict_for(int threads, const lay_table *table, const char *a, const char *b, const char *c)
{
    lay_plan_info info = LAY_PLAN_INFO_INIT;
    lay_plan *const plan = make_for(threads, table, a, b, c);
    assert_int_equal(lay_plan_query(plan, LAY_MEMORY_HOST, &info), LAY_OK);
    lay_plan_destroy(plan);
    return info;
}

static double predict_by(const lay_table *table, const char *a, const char *b, const char *c)
{
    return predict_for(1, table, a, b, c).seconds;
}

static void explain(const lay_table *table, const char *a, const char *b, const char *c, char *text, size_t size)
{
    lay_plan *const plan = make(table, a, b, c);
    assert_true(lay_plan_explain(plan, text, size) > 0);
    lay_plan_destroy(plan);
}

static double predict_batch(const char *a, const char *b, const char *c)
{
    return predict_by(&no_images, a, b, c);
}

/* Each panel of columns fetches a tile's lines again, 384 of AVX-512's: the first cache holds so many, but not
 * all in four of its sets. */
static void lines_of_a_tile_that_share_sets_are_fetched_again(void **state)
{
    (void)state;
    const char *const b = "[48:6144][6144:1]", *const c = "[16:6144][6144:1]";
    assert_true(predict_by(&in_place, "[16:131072][48:1024]", b, c) >
                1.2 * predict_by(&in_place, "[16:131088][48:1040]", b, c));
}

/* Rows of 28 lines whose steps go through all of them 16 times: a tile's stay in the first cache meanwhile. */
static void lines_that_later_steps_share_come_once(void **state)
{
    (void)state;
    const char *const b = "[448:64][64:1]", *const c = "[8192:64][64:1]";
    assert_true(predict_by(&in_place, "[8192:448][[16:1][28:16]]", b, c) <
                2 * predict_by(&in_place, "[8192:448][448:1]", b, c));
}

/* Whether an A that lies well has an image, where such are tried from so many ns on and have to be done in such a share
 * of the time. Its steps are pages apart, which is dear here, and so is packing. */
static int has_image(double least, double share)
{
    static char text[1 << 14];
    lay_rates *const rates = (lay_rates *)(uintptr_t)lay_rates_get();
    const lay_rates kept = *rates;
    rates->image_sets = least;
    rates->image_others = share;
    rates->page_second = 100;
    rates->pack_copied = 1000;
    explain(&images, "[512:1][512:2048]", "[512:512][512:1]", "[512:512][512:1]", text, sizeof text);
    *rates = kept;
    return strstr(text, "image     A as") != NULL;
}

static void what_lies_well_has_images_where_they_are_worth_it(void **state)
{
    (void)state;
    const double ten_seconds = 1e10;
    assert_true(has_image(0, 1));
    assert_false(has_image(ten_seconds, 1));
    assert_false(has_image(0, 0.01));
}

/* 2000 products of 32 x 32 x 32: of the same A and B again and again, of their own, and of such as lie between others.
 */
static void operands_that_another_index_drives_out_cost_their_lines(void **state)
{
    (void)state;
    const char *const c = "[2000:1024][32:32][32:1]", *const own = c, *const same = "[2000:0][32:32][32:1]";
    const char *const apart = "[2000:1][32:64000][32:2000]";
    assert_true(predict_batch(own, own, c) > predict_batch(same, same, c));
    assert_true(predict_batch(apart, apart, c) > 2 * predict_batch(own, own, c));
}

/* What a line beyond the second cache takes, times as long. */
static void slow_lines(lay_rates *rates, double times)
{
    rates->line_l3 *= times;
    rates->line_memory *= times;
    rates->from_l3 /= times;
    rates->from_memory /= times;
}

/* More seconds of a batch for lines that take a thousand times as long. */
static double predict_lines(const char *a, const char *b, const char *c)
{
    lay_rates *const rates = (lay_rates *)(uintptr_t)lay_rates_get(); /* the library's own, which it keeps constant */
    const lay_rates kept = *rates;
    const double before = predict_batch(a, b, c);
    slow_lines(rates, 1000);
    const double after = predict_batch(a, b, c);
    *rates = kept;
    return after - before;
}

/* A chunk's pieces have 256 bytes, pages apart: no prefetcher sees a fourth of their lines coming. */
static void lines_where_pieces_of_chunks_begin_come_late(void **state)
{
    (void)state;
    lay_rates *const rates = (lay_rates *)(uintptr_t)lay_rates_get();
    const lay_rates kept = *rates;
    const char *const apart = "[2000:1][32:64000][32:2000]";
    const double before = predict_by(&chunks, apart, apart, apart);
    rates->line_l2 *= 1000;
    rates->line_l3 *= 1000;
    rates->line_memory *= 1000;
    const double after = predict_by(&chunks, apart, apart, apart);
    *rates = kept;
    assert_true(after > 10 * before);
}

/* An A of each product's own has as many lines as its C, which come once and leave once: half of what C's take. */
static void lines_of_a_batchs_c_are_written_back(void **state)
{
    (void)state;
    const char *const own = "[2000:1024][32:32][32:1]", *const same = "[2000:0][32:32][32:1]";
    const double of_c = predict_lines(same, same, own), of_both = predict_lines(own, same, own);
    assert_true(of_c > 0 && of_both > 1.3 * of_c && of_both < 1.7 * of_c);
}

/* 2.4 GB of rows that are side by side in a tile, and 60 KB, which no line of has to come from memory. */
static void rows_begin_late_in_memory_alone(void **state)
{
    (void)state;
    lay_rates *const rates = (lay_rates *)(uintptr_t)lay_rates_get();
    const lay_rates kept = *rates;
    double seconds[2][2];
    for (int i = 0; i < 2; i++) {
        rates->lines_begun = 10 * i;
        seconds[0][i] = predict_by(&in_place, "[4000000:150][150:1]", "[150:16][16:1]", "[4000000:1][16:4000000]");
        seconds[1][i] = predict_by(&in_place, "[100:150][150:1]", "[150:16][16:1]", "[100:1][16:100]");
    }
    *rates = kept;
    assert_true(seconds[0][1] > 1.02 * seconds[0][0]);
    assert_true(seconds[1][1] <= seconds[1][0] && seconds[1][1] >= seconds[1][0]);
}

/* What rows that begin in memory take more, where memory has as much for all threads, or for each of two. */
static double find_late(int threads, double for_each)
{
    lay_rates *const rates = (lay_rates *)(uintptr_t)lay_rates_get();
    const lay_rates kept = *rates;
    double seconds[2];
    rates->memory_all = for_each * rates->from_memory;
    rates->line_memory = 1000; /* ns, beside which nothing counts */
    for (int i = 0; i < 2; i++) {
        rates->lines_begun = 10 * i;
        seconds[i] =
            predict_for(threads, &in_place, "[4000000:150][150:1]", "[150:16][16:1]", "[4000000:1][16:4000000]")
                .seconds;
    }
    *rates = kept;
    return seconds[1] - seconds[0];
}

static void threads_that_wait_for_memory_begin_rows_later(void **state)
{
    (void)state;
    assert_true(find_late(2, 1) > 1.9 * find_late(2, 2));
    assert_true(find_late(1, 1) < 1.1 * find_late(1, 2));
}

/* Whether a plan in place for two threads is cut so, where the third cache keeps such a share of its size. */
static int has_tasks(const char *tasks, double near_share, const char *a, const char *b, const char *c)
{
    lay_rates *const rates = (lay_rates *)(uintptr_t)lay_rates_get();
    const lay_rates kept = *rates;
    static char text[16384];
    rates->near_share = near_share;
    lay_plan *const plan = make_for(2, &in_place, a, b, c);
    assert_true(lay_plan_explain(plan, text, sizeof text) > 0);
    lay_plan_destroy(plan);
    *rates = kept;
    return strstr(text, tasks) != NULL;
}

/* A left in memory is fetched once by each task: a thread has one. */
static void a_left_in_memory_goes_by_once_a_thread(void **state)
{
    (void)state;
    const char *const a = "[96:2048][2048:1]", *const b = "[2048:1][4096:2048]", *const c = "[96:4096][4096:1]";
    assert_true(has_tasks("1 x 8 tasks", 1e6, a, b, c));
    assert_true(has_tasks("1 x 2 tasks", 1e-6, a, b, c));
}

/* A second thread where one takes as long as the rate says, and two less even if one has to be woken. */
static void two_threads_are_taken_by_their_time(void **state)
{
    (void)state;
    lay_rates *const rates = (lay_rates *)(uintptr_t)lay_rates_get();
    const lay_rates kept = *rates;
    const double never = 1e15, values[][2] = { { 0, 0 }, { never, 0 }, { 0, never } }; /* worth_two, wake */
    int threads[3];
    for (int i = 0; i < 3; i++) {
        rates->join = 0;
        rates->worth_two = values[i][0];
        rates->wake = values[i][1];
        threads[i] = predict_for(2, &in_place, "[72:72][72:1]", "[72:1][72:72]", "[72:72][72:1]").threads;
    }
    *rates = kept;
    assert_int_equal(threads[0], 2);
    assert_int_equal(threads[1], 1);
    assert_int_equal(threads[2], 1);
}

/* Rows of the third cache that both threads read: what multiplying does not hide of them counts, for one thread not. */
static void rows_that_threads_share_are_hidden_by_the_rate(void **state)
{
    (void)state;
    lay_rates *const rates = (lay_rates *)(uintptr_t)lay_rates_get();
    const lay_rates kept = *rates;
    double seconds[2][2];
    rates->near_share = 1e6;
    for (int i = 0; i < 2; i++)
        for (int threads = 1; threads <= 2; threads++) {
            rates->beside_hidden = i;
            seconds[threads - 1][i] =
                predict_for(threads, &in_place, "[6144:2048][2048:1]", "[2048:1][4096:2048]", "[6144:4096][4096:1]")
                    .seconds;
        }
    *rates = kept;
    assert_true(seconds[0][0] <= seconds[0][1] && seconds[0][0] >= seconds[0][1]);
    assert_true(seconds[1][0] > 1.01 * seconds[1][1]);
}

/* Two threads go through all of left's rows where the third cache keeps them, and through half of them each where it
 * does not; right's panels are packed. */
static void threads_have_rows_apart_where_left_is_large(void **state)
{
    (void)state;
    const char *const a = "[6144:2048][2048:1]", *const b = "[2048:1][4096:2048]", *const c = "[6144:4096][4096:1]";
    assert_true(has_tasks("1 x 8 tasks", 1e6, a, b, c));
    assert_true(has_tasks("2 x 4 tasks", 1e-6, a, b, c));
}

/* Seconds of a copy between two layouts, of f32. */
static double predict(const char *from_text, const char *to_text)
{
    static char nowhere;
    lay_copy_job job;
    lay_desc *from, *to;
    assert_int_equal(lay_desc_parse(from_text, &from), LAY_OK);
    assert_int_equal(lay_desc_parse(to_text, &to), LAY_OK);
    const lay_change none = lay_change_none(LAY_F32);
    lay_copy_prepare(&none, from, &nowhere, to, &nowhere, &job);
    const double seconds = lay_copy_predict(&job, 1);
    lay_desc_destroy(from);
    lay_desc_destroy(to);
    return seconds;
}

static void copies_are_costed_by_the_rates(void **state)
{
    (void)state;
    static const char *const from[] = { "[96:96][96:1]", "[96:1][96:96]", "[96:3][96:288]", "[12:8][8:96][96:1]" };
    static const char *const to[] = { "[96:112][96:1]", "[96:112][96:1]", "[96:112][96:1]", "[12:768][8:1][96:8]" };
    lay_rates *const rates = (lay_rates *)(uintptr_t)lay_rates_get(); /* the library's own, which it keeps constant */
    const lay_rates kept = *rates;
    for (int i = 0; i < 4; i++) {
        const double before = predict(from[i], to[i]);
        for (const lay_rate *rate = lay_rate_table; rate->name; rate++)
            if (strncmp(rate->name, "copy_", 5) == 0 || strncmp(rate->name, "line_", 5) == 0 ||
                strcmp(rate->name, "page_found") == 0)
                *(double *)(void *)((char *)rates + rate->offset) *= 3;
            else if (strncmp(rate->name, "from_", 5) == 0)
                *(double *)(void *)((char *)rates + rate->offset) /= 3;
        const double after = predict(from[i], to[i]);
        *rates = kept;
        assert_true(after > 2.999 * before && after < 3.001 * before);
    }
}

static void lines_are_copied_sooner_than_they_are_transposed(void **state)
{
    (void)state;
    const double lines = predict("[96:96][96:1]", "[96:112][96:1]"),
                 turned = predict("[96:1][96:96]", "[96:112][96:1]");
    assert_true(lines < turned && turned < predict("[96:3][96:288]", "[96:112][96:1]"));
}

/* All of it from its end: one row of single elements a stride apart, whose offsets nobody looks up. */
static void what_is_reversed_as_a_whole_looks_up_no_offsets(void **state)
{
    (void)state;
    assert_true(predict("[96:-96][96:-1]", "[96:96][96:1]") < 2 * predict("[96:96][96:-1]", "[96:96][96:1]"));
}

/* Hadamard's product: a line of A and one of B are no crowd in a set, and each is read once. */
static void what_is_read_once_is_not_brought_together(void **state)
{
    (void)state;
    char text[10000];
    explain(&lanes, "[1000000][1][1]", "[1000000][1][1]", "[1000000][1][1]", text, sizeof text);
    if (!strstr(text, "neither A nor B brought together"))
        fail_msg("%s", text);
}

/* An image of one column across which nothing lies side by side would be padding for the most part. */
static void images_of_complex_vectors_lie_along_them(void **state)
{
    (void)state;
    enum { STEPS = 100000 };
    static const char *const layouts[] = { "[1][100000]", "[100000:3][1:1]", "[1][1]" };
    lay_plan_info info = LAY_PLAN_INFO_INIT;
    lay_desc *desc[3];
    lay_plan *plan;
    for (int i = 0; i < 3; i++)
        assert_int_equal(lay_desc_parse(layouts[i], &desc[i]), LAY_OK);
    assert_int_equal(lay_plan_create(LAY_C32, desc[0], desc[1], desc[2], NULL, &plan), LAY_OK);
    assert_int_equal(lay_plan_query(plan, LAY_MEMORY_HOST, &info), LAY_OK);
    assert_true(info.workspace < (size_t)4 * STEPS * 2 * sizeof(float)); /* twice four real numbers for each */
    lay_plan_destroy(plan);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_a_tile_that_share_sets_are_fetched_again),
        cmocka_unit_test(lines_that_later_steps_share_come_once),
        cmocka_unit_test(what_lies_well_has_images_where_they_are_worth_it),
        cmocka_unit_test(lines_where_pieces_of_chunks_begin_come_late),
        cmocka_unit_test(operands_that_another_index_drives_out_cost_their_lines),
        cmocka_unit_test(lines_of_a_batchs_c_are_written_back),
        cmocka_unit_test(rows_begin_late_in_memory_alone),
        cmocka_unit_test(threads_that_wait_for_memory_begin_rows_later),
        cmocka_unit_test(a_left_in_memory_goes_by_once_a_thread),
        cmocka_unit_test(two_threads_are_taken_by_their_time),
        cmocka_unit_test(rows_that_threads_share_are_hidden_by_the_rate),
        cmocka_unit_test(threads_have_rows_apart_where_left_is_large),
        cmocka_unit_test(copies_are_costed_by_the_rates),
        cmocka_unit_test(lines_are_copied_sooner_than_they_are_transposed),
        cmocka_unit_test(what_is_reversed_as_a_whole_looks_up_no_offsets),
        cmocka_unit_test(what_is_read_once_is_not_brought_together),
        cmocka_unit_test(images_of_complex_vectors_lie_along_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
