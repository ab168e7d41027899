/* Products of operands in host memory on a machine with a device: whoever is chosen, no product is refused. Plans are
 * made for a device that is made up; nothing runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../product/support/layouts.h"
#include "made_up.h"

#include "base/scalar.h"
#include "machine/machine.h"
#include "plan/plan.h"

/* Found once, and then the process's own: with more CPUs the way to a device and back pays later. */
static void have_cpus(int cpus)
{
    ((lay_machine *)(uintptr_t)lay_machine_get())->cpus = cpus;
}

enum { CASES = 150, COUNTS = 4, TYPES = 4, MOST = 3000 };

/* Squares first, then what the seed has. */
static void draw(int number, int64_t size[3])
{
    for (int i = 0; i < 3; i++)
        size[i] = number < 30 ? 100 * (number + 1) : 1 + rand() % MOST;
}

static int plan_case(lay_type type, int number, int *on_device)
{
    lay_options options = LAY_OPTIONS_INIT;
    lay_plan_info info = LAY_PLAN_INFO_INIT;
    lay_plan *plan = NULL;
    int64_t size[3];
    draw(number, size);
    options.isa = number % 2 ? LAY_ISA_AUTO : LAY_ISA_C;
    lay_desc *const a = layout_usual(number % 3, size[0], size[2]),
                    *const b = layout_usual(number / 3 % 3, size[2], size[1]),
                    *const c = layout_usual(0, size[0], size[1]);
    const lay_status status = lay_plan_create(type, a, b, c, &options, &plan);
    if (status != LAY_OK)
        print_error("%s, %d x %d x %d: %s\n", lay_type_name(type), (int)size[0], (int)size[1], (int)size[2],
                    lay_last_error());
    else if (lay_plan_query(plan, LAY_MEMORY_HOST, &info) == LAY_OK)
        *on_device += info.devices > 0;
    lay_plan_destroy(plan);
    lay_desc_destroy(a);
    lay_desc_destroy(b);
    lay_desc_destroy(c);
    return status == LAY_OK;
}

static void no_product_of_host_operands_is_refused(void **state)
{
    static const lay_type types[TYPES] = { LAY_F32, LAY_F64, LAY_C32, LAY_C64 };
    static const int cpus[COUNTS] = { 1, 8, 32, 128 };
    int refused = 0, on_device = 0;
    (void)state;
    srand(1);
    for (int i = 0; i < CASES * COUNTS * TYPES; i++) {
        have_cpus(cpus[i % COUNTS]);
        refused += !plan_case(types[i / COUNTS % TYPES], i / COUNTS / TYPES, &on_device);
    }
    assert_int_equal(refused, 0);
    assert_in_range(on_device, CASES, CASES * COUNTS * TYPES - CASES); /* both are asked often */
}

int main(void)
{
    made_up_install();
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_product_of_host_operands_is_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
