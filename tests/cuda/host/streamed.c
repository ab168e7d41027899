/* Products whose operands pass through devices, one or several, without a GPU: between stand-ins that compute
 * (streams.h) the library's own way does all that it does with one. Right, with one device's bits, within the memory
 * that is allowed, whatever comes first and whatever fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/scalar.h"
#include "cuda/stream/staging.h"
#include "cuda/stream/stream_run.h"
#include "cuda/ways.h"
#include "plan/branch.h"
#include "plan/plan.h"
#include "plan/routes.h"

#include "../stream/streaming.h"
#include "streamed_table.h"
#include "streams.h"

enum { CASES = 600, MOST = 5 };

/* ---- running ---------------------------------------------------------------------------------- */

/* The branch of a plan whose operands lie in these places; all: every device has a part. */
static lay_branch *find_branch(const lay_plan *plan, const lay_place place[3], int all)
{
    const lay_places places = { .a = place[0], .b = place[1], .c = place[2], .device = 0 };
    lay_desc *const none[2] = { NULL, NULL };
    lay_problem *const problem = oracle_memory(sizeof *problem);
    lay_setting setting;
    const char *refusal;
    lay_route_pose(plan, &places, none, problem, &setting);
    setting.bench = all ? LAY_BENCH_ALL_DEVICES : 0;
    lay_branch *const found = lay_branch_find(problem, &setting, &refusal, NULL);
    free(problem);
    return found;
}

static const lay_stream_job *job_of(const lay_branch *branch)
{
    const lay_branch *const leaf = lay_branch_leaf(branch);
    assert_ptr_equal(leaf->way, &lay_way_stream);
    return leaf->job.data;
}

/* LAY_ERR_UNSUPPORTED with nothing written where there is no way. *parts: how many devices had one. */
static lay_status run(trial *t, const lay_place place[3], int all, int *parts)
{
    const lay_scalar alpha = lay_scalar_of(t->alpha, t->type), beta = lay_scalar_of(t->beta, t->type);
    lay_plan *plan = NULL;
    lay_status status =
        lay_plan_make(&streamed_table, t->type, t->in_a.desc, t->in_b.desc, t->out.desc, &t->options, &plan);
    lay_branch *const branch = status == LAY_OK ? find_branch(plan, place, all) : NULL;
    if (branch) {
        const lay_call call = {
            .alpha = &alpha, .left = t->in_a.zero, .right = t->in_b.zero, .beta = &beta, .c = t->out.zero
        };
        streams_begin();
        *parts = job_of(branch)->share.parts;
        status = branch->way->run(branch, &call);
        assert_true(streams_are_at_rest());
    } else if (status == LAY_OK) {
        status = LAY_ERR_UNSUPPORTED;
    }
    lay_branch_destroy(branch);
    lay_plan_destroy(plan);
    return status;
}

static const lay_place all_host[3] = { LAY_PLACE_HOST, LAY_PLACE_HOST, LAY_PLACE_HOST };

/* ---- random products -------------------------------------------------------------------------- */

static void choose(trial *t, int devices[MOST], random_source *from)
{
    static const lay_type types[] = { LAY_F32, LAY_F32, LAY_F64 };
    static const streaming_limits limits = { .types = types,
                                             .type_count = 3,
                                             .small = 40,
                                             .small_k = 60,
                                             .large = 120,
                                             .large_k = 300,
                                             .longest = 1500,
                                             .long_k = 40,
                                             .threads = 3,
                                             .least_memory = 16,
                                             .most_memory = 21 };
    streaming_choose(t, &limits, from);
    t->options.devices = devices;
    t->options.device_count = (int)random_in(from, 1, MOST);
    devices[0] = 0;
    for (int i = 1; i < MOST; i++)
        devices[i] = (int)random_in(from, 0, STREAMS_DEVICES - 1);
    const int slices = random_one_in(from, 3) ? (int)random_in(from, 2, 4) : 1;
    streams_now = (streams_setting){ .seed = random_bits(from),
                                     .slices = { slices, slices, slices },
                                     .is_lazy = random_one_in(from, 2),
                                     .still = -1,
                                     .calls = -1 };
}

static void give_up(const trial *t, uint64_t number, const char *why)
{
    char story[6000];
    trial_story(t, story, sizeof story);
    fail_msg("case %llu: %s\n  %s\n  on %d devices, at most %zu bytes each", (unsigned long long)number, why, story,
             t->options.device_count, t->options.device_memory);
}

static void place_operands(const trial *t, const lay_place place[3])
{
    const operand *const of[] = { &t->in_a, &t->in_b, &t->out };
    streams_forget_places();
    for (int i = 0; i < 3; i++)
        streams_place(of[i]->memory, of[i]->bytes, place[i]);
}

typedef struct request {
    uint64_t number; /* of the case */
    lay_place place[3];
    int parts; /* devices that had one */
} request;

static lay_status run_shared(trial *t, void *of)
{
    request *const asked = of;
    const lay_status status = run(t, asked->place, 1, &asked->parts);
    for (int i = 0; i < STREAMS_DEVICES; i++)
        if (status == LAY_OK && t->options.device_memory && streams_seen.most[i] > t->options.device_memory)
            give_up(t, asked->number, "a device's memory was exceeded");
    return status;
}

static lay_status run_alone(trial *t, void *of)
{
    const request *const asked = of;
    int parts = 0;
    t->options.device_count = 0;
    const lay_status status = run(t, all_host, 0, &parts);
    if (status == LAY_OK && parts != 1)
        give_up(t, asked->number, "not one device alone");
    return status;
}

/* How many devices had a part, 0 where the memory held not even the smallest tiles. */
static int run_case(uint64_t number, int is_mixed)
{
    random_source from = random_case(41 + (uint64_t)is_mixed, number);
    trial t = { 0 };
    int devices[MOST], is_done;
    request asked = { .number = number };
    lay_place *const place = asked.place;
    choose(&t, devices, &from);
    for (int i = 0; i < 3; i++)
        place[i] = (lay_place)random_in(&from, LAY_PLACE_HOST, is_mixed ? LAY_PLACE_DEVICE : LAY_PLACE_PINNED);
    if (is_mixed)
        place[random_in(&from, 0, 2)] = LAY_PLACE_PINNED;
    trial_fill(&t, &from);
    trial_place(&t, layout_random(&from, LAYOUT_INPUT, t.m, t.k), layout_random(&from, LAYOUT_INPUT, t.k, t.n),
                layout_random(&from, LAYOUT_OUTPUT, t.m, t.n), OPERAND_ANYWHERE, &from);
    place_operands(&t, place);
    const streaming_runs runs = { .run = run_shared, .wanted = run_alone, .of = &asked, .whose = "one device alone" };
    const char *const wrong = streaming_check(&t, &runs, &from, &is_done);
    if (wrong)
        give_up(&t, number, wrong);
    const int has_device = place[0] == LAY_PLACE_DEVICE || place[1] == LAY_PLACE_DEVICE || place[2] == LAY_PLACE_DEVICE;
    if (has_device && asked.parts > 1)
        give_up(&t, number, "operands in one device's memory went to others");
    trial_free(&t);
    return is_done ? asked.parts : 0;
}

static void any_devices_give_one_device_s_bits_within_their_memory(void **state)
{
    (void)state;
    const int cases = trial_rounds(CASES);
    int done = 0, shared = 0;
    for (int number = 0; number < cases; number++) {
        const int parts = run_case((uint64_t)number, 0);
        done += parts > 0;
        shared += parts > 1;
    }
    assert_true(done > cases * 7 / 10 && shared > cases / 2);
}

static void any_mix_of_places_is_one_device_s(void **state)
{
    (void)state;
    const int cases = trial_rounds(CASES);
    int done = 0;
    for (int number = 0; number < cases; number++)
        done += run_case((uint64_t)number, 1) > 0;
    assert_true(done > cases * 7 / 10);
}

/* ---- what one device does while another one does not ------------------------------------------ */

static void make(trial *t, int64_t m, int64_t n, int64_t k, const int devices[], int count)
{
    random_source from = random_case(44, 0);
    *t = (trial){ .type = LAY_F32, .m = m, .n = n, .k = k, .alpha = 1, .beta = 1, .data = TRIAL_INTEGERS };
    t->options = (lay_options)LAY_OPTIONS_INIT;
    t->options.backend = LAY_BACKEND_CUDA;
    t->options.threads = 2;
    t->options.devices = devices;
    t->options.device_count = count;
    trial_fill(t, &from);
    trial_place(t, layout_usual(0, m, k), layout_usual(1, k, n), layout_usual(0, m, n), OPERAND_ANYWHERE, &from);
    streams_now = (streams_setting){ .seed = 1, .slices = { 1, 1, 1 }, .still = -1, .calls = -1 };
    streams_forget_places();
}

static void insist_on_right(trial *t)
{
    char why[300];
    if (!trial_is_right(t, why, sizeof why))
        fail_msg("%s", why);
}

static void a_device_that_stands_still_holds_up_no_other(void **state)
{
    static const int devices[] = { 0, 1, 2 };
    (void)state;
    for (int still = 0; still < 3; still++) {
        trial t;
        int parts = 0;
        make(&t, 240, 260, 300, devices, 3);
        t.options.device_memory = 40000; /* many tiles, k cut */
        streams_now.still = still;
        assert_int_equal(run(&t, all_host, 1, &parts), LAY_OK);
        assert_int_equal(parts, 3);
        insist_on_right(&t);
        const int others = streams_seen.launches[(still + 1) % 3] + streams_seen.launches[(still + 2) % 3];
        assert_true(others > 20 && streams_seen.launches[still] > 8);
        assert_int_equal(streams_seen.behind_still, others);
        trial_free(&t);
    }
}

/* Many tiles in few places, whose sums are several slices' or one's, and come in any order. */
static void tiles_that_take_turns_do_not_meet(void **state)
{
    static const int devices[] = { 0, 1 };
    (void)state;
    for (int number = 0; number < 48; number++) {
        trial t;
        int parts = 0;
        make(&t, 120, 100, number % 2 ? 70 : 200, devices, 2);
        t.beta = number & 4 ? 1 : 0;
        t.options.device_memory = number & 8 ? 30000 : 60000;
        const int slices = number % 3 ? 3 : 1;
        streams_now = (streams_setting){ .seed = (unsigned long long)number,
                                         .slices = { slices, slices, slices },
                                         .is_lazy = number & 1,
                                         .still = -1,
                                         .calls = -1 };
        assert_int_equal(run(&t, all_host, 1, &parts), LAY_OK);
        insist_on_right(&t);
        assert_true(streams_seen.launches[0] > 2 && streams_seen.launches[1] > 2);
        trial_free(&t);
    }
}

/* ---- rewriters -------------------------------------------------------------------------------- */

/* A batch, and complex numbers: each of the products that they become is shared. */
static void batches_and_complex_products_are_shared_too(void **state)
{
    enum { BATCH = 3, N = 40 };
    static const int devices[] = { 0, 1 };
    static float a[BATCH * N * N * 2], b[BATCH * N * N * 2], c[2][BATCH * N * N * 2];
    random_source from = random_case(45, 0);
    (void)state;
    for (int i = 0; i < BATCH * N * N * 2; i++) {
        a[i] = (float)random_unit(&from);
        b[i] = (float)random_unit(&from);
    }
    for (int is_complex = 0; is_complex <= 1; is_complex++) {
        const lay_type type = is_complex ? LAY_C32 : LAY_F32;
        lay_desc *const of = is_complex ? layout_usual(0, N, N) : layout_parse("[%d][%d][%d]", BATCH, N, N);
        const lay_scalar one = { .c32 = { 1, 0 } }, zero = { .c32 = { 0, 0 } };
        for (int count = 1; count <= 2; count++) {
            lay_options options = LAY_OPTIONS_INIT;
            lay_plan *plan = NULL;
            options.backend = LAY_BACKEND_CUDA;
            options.devices = devices;
            options.device_count = count;
            streams_now = (streams_setting){ .seed = 3, .slices = { 1, 1, 1 }, .still = -1, .calls = -1 };
            streams_forget_places();
            assert_int_equal(lay_plan_make(&streamed_table, type, of, of, of, &options, &plan), LAY_OK);
            lay_branch *const branch = find_branch(plan, all_host, 1);
            assert_non_null(branch);
            assert_int_equal(job_of(branch)->share.parts, count);
            const lay_call call = { .alpha = &one, .left = a, .right = b, .beta = &zero, .c = c[count - 1] };
            streams_begin();
            assert_int_equal(branch->way->run(branch, &call), LAY_OK);
            assert_true(streams_are_at_rest());
            assert_true((streams_seen.launches[1] > 0) == (count > 1));
            lay_branch_destroy(branch);
            lay_plan_destroy(plan);
        }
        assert_memory_equal(c[0], c[1], sizeof c[0]);
        lay_desc_destroy(of);
    }
}

/* ---- failures --------------------------------------------------------------------------------- */

/* With call number to fail, for want of memory or not; 0 when it was never made. */
static int fail_at(long number, int lacks)
{
    static const int devices[] = { 0, 1, 0 };
    trial t;
    int parts = 0;
    make(&t, 60, 50, 90, devices, 3);
    t.options.device_memory = 20000;
    streams_now.calls = number;
    streams_now.lacks = lacks;
    lay_staging_clear(); /* so that streams, events and buffers are made anew, and may fail */
    lay_status status = run(&t, all_host, 1, &parts);
    const int has_failed = streams_seen.has_failed;
    streams_now.calls = -1;
    if (has_failed && status != LAY_OK) {
        assert_int_equal(status, lacks ? LAY_ERR_MEMORY : LAY_ERR_DEVICE);
        /* With half of the memory the smallest tiles may not fit. */
        assert_true(strstr(lay_last_error(), "made to fail") ||
                    (lacks && strstr(lay_last_error(), "do not hold the smallest tiles")));
        if (!operand_is_untouched(&t.out) && !strstr(lay_last_error(), "a part of C has been written"))
            fail_msg("call %ld failed: C was written without a word", number);
        trial_restore(&t);
        status = run(&t, all_host, 1, &parts);
    } else if (has_failed) {
        assert_true(lacks); /* tried again with less */
    }
    assert_int_equal(status, LAY_OK);
    insist_on_right(&t);
    trial_free(&t);
    return has_failed;
}

static void any_call_may_fail_once(void **state)
{
    (void)state;
    for (int lacks = 0; lacks <= 1; lacks++) {
        long number = 0;
        while (fail_at(number, lacks))
            number += number < 80 ? 1 : 37;
        assert_true(number > 300);
    }
    lay_staging_clear();
}

/* ---- places ----------------------------------------------------------------------------------- */

static void operands_in_a_device_s_memory_are_that_device_s(void **state)
{
    static const int devices[] = { 1, 0 };
    (void)state;
    trial t;
    make(&t, 30, 30, 30, devices, 2);
    lay_plan *plan = NULL;
    const lay_scalar one = { .f32 = 1 };
    streams_place(t.in_a.memory, t.in_a.bytes, LAY_PLACE_DEVICE); /* device 0's */
    assert_int_equal(lay_plan_make(&streamed_table, LAY_F32, t.in_a.desc, t.in_b.desc, t.out.desc, &t.options, &plan),
                     LAY_OK);
    assert_int_equal(lay_plan_run(plan, &one, t.in_a.zero, t.in_b.zero, &one, t.out.zero), LAY_ERR_ARGUMENT);
    assert_non_null(strstr(lay_last_error(), "A lies on device 0, but options.devices begins with 1"));
    assert_true(operand_is_untouched(&t.out));
    lay_plan_destroy(plan);
    t.options.devices = (const int[]){ 0, 1 };
    streams_begin();
    assert_int_equal(lay_plan_make(&streamed_table, LAY_F32, t.in_a.desc, t.in_b.desc, t.out.desc, &t.options, &plan),
                     LAY_OK);
    assert_int_equal(lay_plan_run(plan, &one, t.in_a.zero, t.in_b.zero, &one, t.out.zero), LAY_OK);
    insist_on_right(&t);
    assert_int_equal(streams_seen.launches[1] + streams_seen.launches[2], 0);
    lay_plan_destroy(plan);
    trial_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_devices_give_one_device_s_bits_within_their_memory),
        cmocka_unit_test(any_mix_of_places_is_one_device_s),
        cmocka_unit_test(a_device_that_stands_still_holds_up_no_other),
        cmocka_unit_test(tiles_that_take_turns_do_not_meet),
        cmocka_unit_test(batches_and_complex_products_are_shared_too),
        cmocka_unit_test(any_call_may_fail_once),
        cmocka_unit_test(operands_in_a_device_s_memory_are_that_device_s),
    };
    streams_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
