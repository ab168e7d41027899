/* Whose rates a CPU gets, by what it says of itself and by its ISA levels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "levels.h"
#include "machine/rates_rows.h"

static const char amd[] = "AuthenticAMD", intel[] = "GenuineIntel";

static const char *rates_of(const char *vendor, unsigned family, unsigned model, lay_isa isa)
{
    lay_identity own = { .family = family, .model = model };
    for (int i = 0; vendor[i]; i++)
        own.vendor[i] = vendor[i];
    return lay_rates_row_for(&own, lay_isa_set(isa))->name;
}

static void a_measured_model_has_its_own(void **state)
{
    (void)state;
    assert_string_equal(rates_of(amd, 0x19, 0x01, LAY_ISA_AVX2), "zen3");
    assert_string_equal(rates_of(amd, 0x19, 0x11, LAY_ISA_AVX512), "zen4");
    assert_string_equal(rates_of(amd, 0x19, 0x61, LAY_ISA_AVX512), "zen4");
    assert_string_equal(rates_of(amd, 0x1a, 0x02, LAY_ISA_AVX512), "zen5");
    assert_string_equal(rates_of(intel, 6, 143, LAY_ISA_AMX), "spr");
    assert_string_equal(rates_of(intel, 6, 207, LAY_ISA_AVX512), "spr"); /* where the system saves no tiles */
}

/* 167: what some virtual machines say. */
static void an_unknown_model_has_those_of_its_level(void **state)
{
    (void)state;
    assert_string_equal(rates_of(intel, 6, 167, LAY_ISA_AMX), "spr");
    assert_string_equal(rates_of(amd, 0x20, 1, LAY_ISA_AMX), "spr");
    assert_string_equal(rates_of(intel, 6, 167, LAY_ISA_AVX512), "avx512");
    assert_string_equal(rates_of(intel, 15, 143, LAY_ISA_AVX512), "avx512"); /* another family */
    assert_string_equal(rates_of(intel, 6, 142, LAY_ISA_AVX2), "avx2");
    assert_string_equal(rates_of(amd, 0x17, 0x31, LAY_ISA_AVX2), "avx2");
    assert_string_equal(rates_of(amd, 0x1a, 0x02, LAY_ISA_C), "c");
}

static void a_cpu_that_says_nothing_has_those_of_its_level(void **state)
{
    (void)state;
    assert_string_equal(lay_rates_row_for(NULL, lay_isa_set(LAY_ISA_AMX))->name, "spr");
    assert_string_equal(lay_rates_row_for(NULL, lay_isa_set(LAY_ISA_C))->name, "c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_measured_model_has_its_own),
        cmocka_unit_test(an_unknown_model_has_those_of_its_level),
        cmocka_unit_test(a_cpu_that_says_nothing_has_those_of_its_level),
    };
    return cmocka_run_group_tests_name("models", tests, NULL, NULL);
}
