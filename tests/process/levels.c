/* ISA levels are sets: what they include, what two have in common, and which one this machine has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "levels.h"
#include "machine/isa.h"

#define LEVEL(name, isa, set) isa,
static const lay_isa levels[] = { LAY_ISA_LEVELS(LEVEL) };
#undef LEVEL
enum { LEVELS = sizeof levels / sizeof levels[0] };

static void every_level_includes_itself_and_c(void **state)
{
    (void)state;
    for (int i = 0; i < LEVELS; i++) {
        assert_true(lay_isa_includes(levels[i], levels[i]));
        assert_true(lay_isa_includes(levels[i], LAY_ISA_C));
        assert_int_equal(lay_isa_named(lay_isa_name(levels[i])), levels[i]);
    }
}

/* And all that those include: a kernel's level is asked for, and nothing beneath it. */
static void what_a_level_includes_stands_before_it(void **state)
{
    (void)state;
    for (int i = 0; i < LEVELS; i++)
        for (int j = 0; j < LEVELS; j++)
            if (lay_isa_includes(levels[i], levels[j])) {
                assert_true(j <= i);
                assert_int_equal(lay_isa_set(levels[j]) & ~lay_isa_set(levels[i]), 0);
            }
}

/* Levels that stand side by side have in common what both include. */
static void the_last_of_what_two_levels_have_in_common_both_include(void **state)
{
    (void)state;
    for (int i = 0; i < LEVELS; i++)
        for (int j = 0; j < LEVELS; j++) {
            const lay_isa common = lay_isa_last(lay_isa_set(levels[i]) & lay_isa_set(levels[j]));
            assert_true(lay_isa_includes(levels[i], common) && lay_isa_includes(levels[j], common));
            if (lay_isa_includes(levels[i], levels[j]))
                assert_int_equal(common, levels[j]);
        }
}

static void no_level_is_nothing(void **state)
{
    (void)state;
    assert_int_equal(lay_isa_set(LAY_ISA_AUTO), 0);
    assert_int_equal(lay_isa_set((lay_isa)99), 0);
    assert_string_equal(lay_isa_name((lay_isa)99), "auto");
    assert_int_equal(lay_isa_named("sse"), LAY_ISA_AUTO);
}

#if LAY_X86
/* The flags of the first CPU, as Linux shows what the CPU has and the system lets programs use. */
static int has_flags(const char *wanted)
{
    static char line[16384];
    char words[200], *word, *rest;
    FILE *const file = fopen("/proc/cpuinfo", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) && strncmp(line, "flags", 5) != 0)
        ;
    fclose(file);
    line[strcspn(line, "\n")] = ' ';
    snprintf(words, sizeof words, "%s", wanted);
    for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char whole[64];
        snprintf(whole, sizeof whole, " %s ", word);
        if (!strstr(line, whole))
            return 0;
    }
    return 1;
}

static void the_machine_has_the_levels_that_linux_shows(void **state)
{
    static const struct {
        lay_isa isa;
        const char *flags;
    } needs[] = { { LAY_ISA_AVX2, "avx avx2 fma f16c" },
                  { LAY_ISA_AVX512, "avx512f avx512vl avx512dq avx512bw" },
                  { LAY_ISA_AMX, "amx_tile amx_bf16" } };
    (void)state;
    const char *limit = NULL;
    const unsigned found = lay_isa_find(&limit);
    int is_there = strcmp(limit, "this build has no kernels of one") != 0;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0] && is_there; i++) {
        is_there = has_flags(needs[i].flags); /* each includes the one before */
        assert_int_equal(lay_isa_is_in(found, needs[i].isa), is_there);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_includes_itself_and_c),
        cmocka_unit_test(what_a_level_includes_stands_before_it),
        cmocka_unit_test(the_last_of_what_two_levels_have_in_common_both_include),
        cmocka_unit_test(no_level_is_nothing),
#if LAY_X86
        cmocka_unit_test(the_machine_has_the_levels_that_linux_shows),
#endif
    };
    return cmocka_run_group_tests_name("levels", tests, NULL, NULL);
}
