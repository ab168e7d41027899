/* Products of operands in host memory that several devices share: the bits of one device alone, whatever the list, the
 * layouts, the cap on memory and the kind of product. On one GPU a list names it several times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "plan/branch.h"
#include "plan/plan.h"
#include "plan/routes.h"

#include "../elsewhere.h"

enum { CASES = 150, MOST = 4 };

static int device_count(void)
{
    const char *reason;
    return lay_device_count(&reason);
}

/* A tenth of the list's devices are the first once more, where there is another one. */
static void list_devices(int devices[MOST], random_source *from)
{
    const int count = device_count();
    for (int i = 0; i < MOST; i++)
        devices[i] = count == 1 || random_one_in(from, 10) ? 0 : i % count;
}

/* The plan's branch for such operands, of which every device of the list has a part; *parts: how many do. */
static lay_branch *find_branch(const lay_plan *plan, const lay_place place[3], int *parts)
{
    const lay_places places = { .a = place[0], .b = place[1], .c = place[2], .device = 0 };
    lay_desc *const none[2] = { NULL, NULL };
    lay_problem *const problem = oracle_memory(sizeof *problem);
    lay_setting setting;
    const char *refusal;
    lay_route_pose(plan, &places, none, problem, &setting);
    setting.bench = LAY_BENCH_ALL_DEVICES;
    lay_branch *const found = lay_branch_find(problem, &setting, &refusal, NULL);
    free(problem);
    *parts = found ? lay_branch_leaf(found)->job.devices : 0;
    return found;
}

static lay_status run(trial *t, const lay_place place[3], int *parts)
{
    const trial_scalar alpha = trial_scalar_of(t->type, t->alpha), beta = trial_scalar_of(t->type, t->beta);
    lay_plan *plan = NULL;
    lay_status status = lay_plan_create(t->type, t->in_a.desc, t->in_b.desc, t->out.desc, &t->options, &plan);
    lay_branch *const branch = status == LAY_OK ? find_branch(plan, place, parts) : NULL;
    elsewhere a = elsewhere_put(&t->in_a, place[0]), b = elsewhere_put(&t->in_b, place[1]),
              c = elsewhere_put(&t->out, place[2]);
    if (branch) {
        const lay_call call = { .alpha = &alpha, .left = a.zero, .right = b.zero, .beta = &beta, .c = c.zero };
        status = branch->way->run(branch, &call);
    } else if (status == LAY_OK) {
        status = LAY_ERR_UNSUPPORTED;
    }
    elsewhere_fetch(&a);
    elsewhere_fetch(&b);
    elsewhere_fetch(&c);
    lay_branch_destroy(branch);
    lay_plan_destroy(plan);
    return status;
}

/* ---- random products -------------------------------------------------------------------------- */

static void choose(trial *t, int devices[MOST], random_source *from)
{
    static const lay_type types[] = { LAY_F32, LAY_F32, LAY_F64, LAY_C32, LAY_C64 };
    static const double factors[] = { 0, 1, 1, -1, 2, -3 };
    const int64_t kind = random_in(from, 0, 9);
    t->type = random_of(from, types);
    t->data = random_one_in(from, 2) ? TRIAL_INTEGERS : TRIAL_SIGNED;
    t->m = random_in(from, 1, kind < 5 ? 90 : 400);
    t->n = random_in(from, 1, kind < 5 ? 90 : 400);
    t->k = random_in(from, 1, kind < 5 ? 90 : 400);
    if (kind == 9) { /* slices */
        t->m = random_in(from, 1, 70);
        t->n = random_in(from, 1, 70);
        t->k = random_in(from, 1000, 6000);
    } else if (kind == 8) { /* one long side */
        *(random_one_in(from, 2) ? &t->m : &t->n) = random_in(from, 1000, 3000);
        t->k = random_in(from, 1, 60);
    }
    t->alpha = random_of(from, factors);
    t->alpha = t->alpha == 0 ? 1 : t->alpha;
    t->beta = random_of(from, factors);
    t->options = (lay_options)LAY_OPTIONS_INIT;
    t->options.backend = LAY_BACKEND_CUDA;
    t->options.threads = (int)random_in(from, 1, 4);
    t->options.device_memory = random_one_in(from, 3) ? 0 : (size_t)1 << random_in(from, 17, 24);
    list_devices(devices, from);
    t->options.devices = devices;
    t->options.device_count = (int)random_in(from, 2, MOST);
}

static void give_up(const trial *t, uint64_t number, const char *why)
{
    char story[6000];
    trial_story(t, story, sizeof story);
    fail_msg("case %llu: %s\n  %s\n  %d devices, at most %zu bytes each", (unsigned long long)number, why, story,
             t->options.device_count, t->options.device_memory);
}

/* How many devices had a part; 0 where the cap held not even the smallest tiles. */
static int run_case(uint64_t number)
{
    random_source from = random_case(61, number);
    trial t = { 0 };
    char why[300];
    int devices[MOST], parts = 0, alone = 0;
    lay_place place[3];
    choose(&t, devices, &from);
    for (int i = 0; i < 3; i++)
        place[i] = (lay_place)random_in(&from, LAY_PLACE_HOST, LAY_PLACE_PINNED);
    trial_fill(&t, &from);
    trial_place(&t, layout_random(&from, LAYOUT_INPUT, t.m, t.k), layout_random(&from, LAYOUT_INPUT, t.k, t.n),
                layout_random(&from, LAYOUT_OUTPUT, t.m, t.n), OPERAND_ANYWHERE, &from);
    const size_t bytes = (size_t)(t.m * t.n) * lay_type_size(t.type);
    char *const shared = oracle_memory(bytes), *const wanted = oracle_memory(bytes);
    const lay_status status = run(&t, place, &parts);
    if (status == LAY_ERR_UNSUPPORTED && t.options.device_memory) {
        if (!operand_is_untouched(&t.out))
            give_up(&t, number, "a refused product wrote C");
        parts = 0;
    } else if (status != LAY_OK) {
        give_up(&t, number, lay_last_error());
    } else {
        if (t.data == TRIAL_INTEGERS && !trial_is_right(&t, why, sizeof why))
            give_up(&t, number, why);
        if (!trial_is_kept(&t))
            give_up(&t, number, "something outside of the elements of C was written");
        operand_bytes(&t.out, shared);
        trial other = t;
        other.options.device_count = 1;
        other.options.device_memory = 0;
        trial_place(&other, layout_usual(1, t.m, t.k), layout_usual(0, t.k, t.n), layout_usual(0, t.m, t.n),
                    OPERAND_ANYWHERE, &from);
        if (run(&other, place, &alone) != LAY_OK)
            give_up(&other, number, lay_last_error());
        operand_bytes(&other.out, wanted);
        if (memcmp(shared, wanted, bytes) != 0)
            give_up(&t, number, "the bits are not those of one device alone");
        trial_unplace(&other);
    }
    free(shared);
    free(wanted);
    trial_free(&t);
    return parts;
}

static void any_list_gives_one_device_s_bits(void **state)
{
    (void)state;
    const int cases = trial_rounds(CASES);
    int done = 0, shared = 0;
    for (int number = 0; number < cases; number++) {
        const int parts = run_case((uint64_t)number);
        done += parts > 0;
        shared += parts > 1;
    }
    assert_true(done > cases * 7 / 10 && shared > cases / 2);
}

/* ---- by the public calls ---------------------------------------------------------------------- */

/* 8192 is so large that two GPUs of a kind are predicted to be done sooner than one. */
static void a_large_product_is_shared_by_lay_gemm_too(void **state)
{
    enum { N = 8192 };
    static const size_t bytes = (size_t)N * N * sizeof(float);
    const int devices[] = { 0, device_count() > 1 };
    float *const a = oracle_memory(bytes), *const b = oracle_memory(bytes);
    float *const one = oracle_memory(bytes), *const two = oracle_memory(bytes);
    lay_desc *const square = layout_usual(0, N, N);
    lay_options options = LAY_OPTIONS_INIT;
    lay_plan_info info = LAY_PLAN_INFO_INIT;
    lay_plan *plan = NULL;
    random_source from = random_case(62, 0);
    (void)state;
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)random_unit(&from);
        b[i] = (float)random_unit(&from);
    }
    options.devices = devices;
    options.device_count = 1;
    options.backend = LAY_BACKEND_CUDA;
    assert_int_equal(lay_sgemm(square, square, square, 1, a, b, 0, one, &options), LAY_OK);
    options.device_count = 2;
    assert_int_equal(lay_plan_create(LAY_F32, square, square, square, &options, &plan), LAY_OK);
    assert_int_equal(lay_plan_query(plan, LAY_MEMORY_HOST, &info), LAY_OK);
    assert_int_equal(info.devices, 2);
    assert_int_equal(lay_sgemm(square, square, square, 1, a, b, 0, two, &options), LAY_OK);
    assert_memory_equal(one, two, bytes);
    lay_plan_destroy(plan);
    lay_desc_destroy(square);
    free(a);
    free(b);
    free(one);
    free(two);
}

static void what_cannot_be_shared_is_refused_and_C_stays(void **state)
{
    (void)state;
    const int absent[] = { 0, 63 };
    lay_desc *const square = layout_usual(0, 4, 4);
    float x[16] = { 0 }, c[16] = { 7 };
    lay_options options = LAY_OPTIONS_INIT;
    options.devices = absent;
    options.device_count = 2;
    assert_int_equal(lay_sgemm(square, square, square, 1, x, x, 0, c, &options), LAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(lay_last_error(), "options.devices[1] is 63"));
    assert_float_equal(c[0], 7, 0);
    lay_desc_destroy(square);
}

int main(void)
{
    const char *reason = "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_list_gives_one_device_s_bits),
        cmocka_unit_test(a_large_product_is_shared_by_lay_gemm_too),
        cmocka_unit_test(what_cannot_be_shared_is_refused_and_C_stays),
    };
    if (lay_device_count(&reason) == 0) {
        printf("1..0 # SKIP %s\n", reason);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
