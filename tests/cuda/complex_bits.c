/* Complex products in device memory have the same bits with an image and without one, whatever the layout, the sizes
 * and what is conjugated; and what no row can do goes by an image. */
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../product/support/layouts.h"
#include "../random.h"
#include "cuda/ways.h"
#include "cuda_kernel.h"
#include "device/device.h"
#include "plan/branch.h"
#include "plan/plan.h"
#include "plan/routes.h"
#include "ways.h"

enum { DENSE = 8 }; /* A, B and C by rows or by columns */

static const int64_t shapes[][3] = {
    { 1, 1, 1 },         { 3, 5, 7 },          { 67, 33, 50 },   { 33, 67, 50 },     { 130, 129, 9 },
    { 256, 256, 256 },   { 300, 700, 129 },    { 700, 300, 65 }, { 512, 512, 512 },  { 511, 512, 513 },
    { 1000, 1000, 100 }, { 1024, 1024, 1024 }, { 2600, 90, 70 }, { 1500, 1500, 40 }, { 8, 3000, 300 },
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

typedef struct scene {
    lay_type type;
    int64_t m, n, k;
    int is_conjugated[2];
    lay_desc *desc[3];
    void *memory[3];      /* on the device; C as it was before */
    void *c;              /* C that is written */
    size_t bytes[3], off; /* off: bytes that operands begin behind a multiple of 256 */
} scene;

static void fill(scene *of, int operand, int is_tiny, random_source *from)
{
    const size_t parts = of->bytes[operand] / (of->type == LAY_C64 ? 8 : 4);
    char *const host = malloc(of->bytes[operand]);
    const double scale = !is_tiny ? 1 : of->type == LAY_C64 ? 0x1p-530 : 0x1p-72; /* products underflow, some to -0 */
    assert_non_null(host);
    for (size_t i = 0; i < parts; i++) {
        const double x = (2 * random_unit(from) - 1) * scale;
        if (of->type == LAY_C64)
            ((double *)host)[i] = x;
        else
            ((float *)host)[i] = (float)x;
    }
    assert_int_equal(cudaMalloc(&of->memory[operand], of->bytes[operand] + 256), cudaSuccess);
    assert_int_equal(
        cudaMemcpy((char *)of->memory[operand] + of->off, host, of->bytes[operand], cudaMemcpyHostToDevice),
        cudaSuccess);
    free(host);
}

static void make(scene *of, int layout, int is_tiny, random_source *from)
{
    const int64_t rows[] = { of->m, of->k, of->m }, columns[] = { of->k, of->n, of->n };
    for (int i = 0; i < 3; i++) {
        int64_t lowest, highest;
        of->desc[i] = layout_usual(layout >> i & 1, rows[i], columns[i]);
        lay_desc_span(of->desc[i], &lowest, &highest);
        of->bytes[i] = (size_t)(highest + 1) * lay_type_size(of->type);
        fill(of, i, is_tiny, from);
    }
    assert_int_equal(cudaMalloc(&of->c, of->bytes[2] + 256), cudaSuccess);
}

static void drop(scene *of)
{
    for (int i = 0; i < 3; i++) {
        lay_desc_destroy(of->desc[i]);
        cudaFree(of->memory[i]);
    }
    cudaFree(of->c);
}

/* C in host memory, by this way and the row that is named, if any; NULL where it refuses. *kernel: its name. */
static char *run(const scene *of, const lay_way *way, const char *named, const void *alpha, const void *beta,
                 const char **kernel)
{
    lay_options options = LAY_OPTIONS_INIT;
    options.kernel = named;
    lay_setting setting;
    lay_plan *plan;
    lay_desc *const none[2] = { NULL, NULL };
    const char *refusal;
    const lay_places places = lay_places_all(LAY_PLACE_DEVICE, 0);
    const lay_status status =
        lay_plan_make(&lay_all_ways, of->type, of->desc[0], of->desc[1], of->desc[2], &options, &plan);
    if (named && status == LAY_ERR_UNSUPPORTED) /* slices end where the row's turns do not */
        return NULL;
    assert_int_equal(status, LAY_OK);
    lay_problem *const problem = malloc(2 * sizeof *problem);
    lay_route_pose(plan, &places, none, &problem[0], &setting);
    lay_posed posed = problem[0].posed;
    memcpy(posed.is_conjugated, of->is_conjugated, sizeof posed.is_conjugated);
    lay_problem_pose(&posed, &problem[1]);
    lay_branch *const branch = lay_branch_make(way, &problem[1], &setting, &lay_order_device, &refusal);
    free(problem);
    char *made = NULL;
    if (branch) {
        const lay_call call = { .alpha = alpha,
                                .left = (char *)of->memory[0] + of->off,
                                .right = (char *)of->memory[1] + of->off,
                                .beta = beta,
                                .c = (char *)of->c + of->off };
        assert_int_equal(cudaMemcpy(call.c, (char *)of->memory[2] + of->off, of->bytes[2], cudaMemcpyDeviceToDevice),
                         cudaSuccess);
        if (branch->way->run(branch, &call) != LAY_OK)
            fail_msg("%s: %s", way->name, lay_last_error());
        assert_non_null(made = malloc(of->bytes[2]));
        assert_int_equal(cudaMemcpy(made, call.c, of->bytes[2], cudaMemcpyDeviceToHost), cudaSuccess);
        *kernel = branch->job.kernel;
        lay_branch_destroy(branch);
    }
    lay_plan_destroy(plan);
    return made;
}

/* 1 where a row computed it, the one that is named, if any. */
static int compare(const scene *of, const char *named, const double factors[4], const char *what)
{
    const float floats[] = { (float)factors[0], (float)factors[1], (float)factors[2], (float)factors[3] };
    const int is_double = of->type == LAY_C64;
    const void *const alpha = is_double ? (const void *)factors : (const void *)floats;
    const void *const beta = is_double ? (const void *)(factors + 2) : (const void *)(floats + 2);
    const char *kernel = "", *other;
    char *const got = run(of, &lay_way_complex_launch, named, alpha, beta, &kernel);
    char *const wanted = run(of, &lay_way_device_complex, NULL, alpha, beta, &other);
    assert_non_null(wanted);
    for (size_t i = 0; got && i < of->bytes[2]; i += 4)
        if (memcmp(got + i, wanted + i, 4) != 0)
            fail_msg("%s of type %d, %lld x %lld x %lld, %s, conjugated %d %d: word %zu of C differs", kernel,
                     (int)of->type, (long long)of->m, (long long)of->n, (long long)of->k, what, of->is_conjugated[0],
                     of->is_conjugated[1], i / 4);
    free(got);
    free(wanted);
    return got != NULL;
}

static void an_image_changes_no_bits(void **state)
{
    (void)state;
    static const double factors[][4] = { { 1, 0, 0, 0 }, { 0.75, 0, -1.25, 0 } };
    int served = 0, all = 0;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int type = 0; type < 2; type++)
            for (int layout = 0; layout < DENSE; layout++, all++) {
                random_source from = random_case(95, (uint64_t)(shape * 16 + type * 8 + layout));
                char what[40];
                scene of = { .type = type ? LAY_C64 : LAY_C32,
                             .m = shapes[shape][0],
                             .n = shapes[shape][1],
                             .k = shapes[shape][2],
                             .is_conjugated = { layout / 2 % 2 ^ shape % 2, (layout + shape / 2) % 2 } };
                snprintf(what, sizeof what, "layout %d", layout);
                make(&of, layout, shape % 3 == 1, &from);
                served += compare(&of, NULL, factors[(layout + shape) % 2], what);
                drop(&of);
            }
    print_message("# %d of %d without an image\n", served, all);
    assert_true(served > all / 2);
}

static void every_row_changes_no_bits(void **state)
{
    (void)state;
    static const double factors[][4] = { { 1, 0, 0, 0 }, { 0.75, 0, -1.25, 0 } };
    enum { EACH = 8 };
    int number = 0, total = 0;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_COMPLEX);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk)); number++) {
        int served = 0;
        for (int i = 0; i < EACH; i++) {
            random_source from = random_case(97, (uint64_t)(number * EACH + i));
            char what[40];
            scene of = { .type = row->type == LAY_F64 ? LAY_C64 : LAY_C32,
                         .m = random_in(&from, 1, 600),
                         .n = random_in(&from, 1, 600),
                         .k = random_in(&from, 1, 700),
                         .is_conjugated = { i / 2 % 2, i % 2 } };
            snprintf(what, sizeof what, "layout %d", i);
            make(&of, i, 0, &from);
            served += compare(&of, row->name, factors[i % 2], what);
            drop(&of);
        }
        print_message("# %s: %d of %d\n", row->name, served, EACH);
        total += served;
    }
    assert_true(total > number * EACH / 2);
}

static void what_no_row_can_do_has_an_image(void **state)
{
    (void)state;
    static const double factors[][4] = { { 1, 0, 0, 0 }, { 0.5, 0.25, 1, 0 }, { 1, 0, 0.5, -2 } };
    for (int number = 0; number < 12; number++) {
        random_source from = random_case(96, (uint64_t)number);
        char what[40];
        scene of = { .type = number % 2 ? LAY_C64 : LAY_C32, .m = 300, .n = 260 + number * 10, .k = 100 };
        of.off = number / 2 % 2 ? lay_type_size(of.type) / 2 : lay_type_size(of.type); /* between numbers; numbers */
        snprintf(what, sizeof what, "off by %zu", of.off);
        make(&of, number % DENSE, 0, &from);
        assert_true(compare(&of, NULL, factors[number % 3], what));
        drop(&of);
    }
}

int main(void)
{
    const char *reason = "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_changes_no_bits),
        cmocka_unit_test(every_row_changes_no_bits),
        cmocka_unit_test(what_no_row_can_do_has_an_image),
    };
    if (lay_device_count(&reason) == 0) {
        printf("1..0 # SKIP there is no GPU: %s\n", reason);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
