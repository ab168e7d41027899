/* C of a product whose alpha is 0, on a device that is made up: whoever scales it, however A, B and C are read
 * otherwise, every element is scaled once, by tables that its branch has. The launch is done here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../cases.h"
#include "../../product/support/layouts.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/offsets.h"
#include "cuda/launch/put.h"
#include "cuda/launch/rows.h"
#include "made_up.h"
#include "plan/branch.h"
#include "plan/plan.h"

enum { CASES = 800, MOST = 600 };

static int launches;

/* Without a device: what a branch keeps is here. */
lay_status __wrap_lay_kept_run(lay_branch *branch, const lay_call *call, lay_kept_put *put, int has_product);
lay_status __wrap_lay_kept_run(lay_branch *branch, const lay_call *call, lay_kept_put *put, int has_product)
{
    assert_int_equal(has_product, 0);
    assert_int_equal(branch->job.needs.tables, lay_offsets_bytes(&branch->problem));
    lay_kept own = { .block = malloc(branch->job.needs.tables + 1) };
    assert_non_null(own.block);
    lay_offsets_fill(&branch->problem, NULL, NULL, own.block);
    const lay_status status = put(branch, &own, call, NULL);
    free(own.block);
    return status;
}

static int64_t offset_of(const lay_cuda_offsets *of, int64_t i)
{
    return of->table ? of->table[i] : i * of->stride;
}

/* By -1: the sign's bit, of whatever type. */
static void turn(lay_type type, char *c, int64_t offset)
{
    const size_t size = lay_type_size(type);
    c[(offset + 1) * (int64_t)size - 1] = (char)(c[(offset + 1) * (int64_t)size - 1] ^ 0x80);
}

lay_status __wrap_lay_put_kernel(const lay_put *of, void *args, int is_early, void *stream);
lay_status __wrap_lay_put_kernel(const lay_put *of, void *args, int is_early, void *stream)
{
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_F16, LAY_BF16 };
    const lay_cuda_args *scaled = args;
    (void)is_early, (void)stream;
    assert_string_equal(of->name, "lay_cuda_scale");
    int type = 0;
    while (lay_cuda_scale[types[type]] != of->function)
        assert_true(++type < 4);
    for (int64_t i = 0; i < scaled->m; i++)
        for (int64_t j = 0; j < scaled->n; j++)
            turn(types[type], scaled->c, offset_of(&scaled->result_m, i) + offset_of(&scaled->result_n, j));
    launches++;
    return LAY_OK;
}

/* Whether one of A, B and C is copied first where the product is multiplied. */
static int has_image(const lay_branch *branch)
{
    while (branch && strcmp(branch->way->name, "image") != 0)
        branch = branch->child;
    return branch != NULL;
}

/* A build without code for 9.0 has no rows for 16-bit types. */
static int has_narrow_rows(void)
{
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
    return lay_cuda_next(&walk) != NULL;
}

/* 1 where the product has images. */
static int compare(random_source *from)
{
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_F16, LAY_BF16 };
    const lay_type type = types[random_in(from, 0, has_narrow_rows() ? 3 : 1)];
    const int64_t m = random_in(from, 1, MOST), n = random_in(from, 1, MOST), k = random_in(from, 1, MOST);
    lay_desc *const a = layout_random(from, LAYOUT_INPUT, m, k), *const b = layout_random(from, LAYOUT_INPUT, k, n),
                    *const c = layout_random(from, LAYOUT_OUTPUT, m, n);
    const lay_places places = lay_places_all(LAY_PLACE_DEVICE, 0);
    const double zero = 0, minus_one = -1;
    const float zero_f32 = 0, minus_one_f32 = -1;
    const int64_t size = (int64_t)lay_type_size(type);
    lay_options options = LAY_OPTIONS_INIT;
    lay_plan *plan = NULL;
    lay_route *route = NULL;
    int64_t lowest, highest;
    options.backend = LAY_BACKEND_CUDA;
    assert_int_equal(lay_plan_create(type, a, b, c, &options, &plan), LAY_OK);
    assert_int_equal(lay_plan_find_route(plan, &places, &route), LAY_OK);
    lay_desc_span(c, &lowest, &highest);
    const int64_t bytes = (highest - lowest + 1) * size;
    char *const scaled = calloc(1, (size_t)bytes), *const wanted = calloc(1, (size_t)bytes);
    const lay_call call = { .alpha = type == LAY_F64 ? (const void *)&zero : &zero_f32,
                            .beta = type == LAY_F64 ? (const void *)&minus_one : &minus_one_f32,
                            .c = (void *)((uintptr_t)scaled - (uintptr_t)(lowest * size)) };
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            turn(type, wanted, lay_desc_offset(c, 2, (const int64_t[]){ i, j }) - lowest);
    launches = 0;
    assert_int_equal(lay_branch_scale(route->root, &call), LAY_OK);
    assert_int_equal(launches, 1);
    assert_memory_equal(scaled, wanted, (size_t)bytes);
    const int found = has_image(route->root);
    free(scaled);
    free(wanted);
    lay_plan_destroy(plan);
    lay_desc_destroy(a);
    lay_desc_destroy(b);
    lay_desc_destroy(c);
    return found;
}

static void c_is_scaled_whoever_multiplies(void **state)
{
    (void)state;
    const int cases = cases_at_most(CASES);
    int images = 0;
    for (int number = 0; number < cases; number++) {
        random_source from = random_case(331, (uint64_t)number);
        images += compare(&from);
    }
    if (cases == CASES && has_narrow_rows())
        assert_true(images > cases / 40);
}

int main(void)
{
    made_up_install();
    const struct CMUnitTest tests[] = { cmocka_unit_test(c_is_scaled_whoever_multiplies) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
