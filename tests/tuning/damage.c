/* Files of tuned plans: written and read again; refused with line and reason where they are damaged or foreign. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "layoutgemm.h"
#include "plan/tuning/file.h"
#include "products.h"
#include "text.h"
#include "ways.h"

enum { ROOM = 1 << 16 };
static char good[ROOM]; /* a file of two products, as it was saved */
static char path[] = "/tmp/tuning-XXXXXX";

static void read_file(const char *from, char *to)
{
    FILE *const file = fopen(from, "r");
    assert_non_null(file);
    to[fread(to, 1, ROOM - 1, file)] = 0;
    fclose(file);
}

static void write_file(const char *text, size_t length)
{
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void measure(int number)
{
    lay_options options = LAY_OPTIONS_INIT;
    options.effort = LAY_EFFORT_MEASURE;
    options.effort_seconds = 0.005;
    product of = product_make(number);
    lay_plan_destroy(product_plan(&of, &options));
    product_free(&of);
}

static int make_good(void **state)
{
    (void)state;
    const int file = mkstemp(path);
    if (file < 0)
        return -1;
    close(file);
    measure(0);
    measure(2);
    if (lay_tuning_save(path) != LAY_OK)
        return -1;
    read_file(path, good);
    lay_tuning_forget();
    return 0;
}

static int remove_good(void **state)
{
    (void)state;
    return unlink(path);
}

/* The good text with its first `from` become `to`, checksums right or as they were. */
static const char *changed(const char *from, const char *to, int is_sealed)
{
    static char raw[2 * ROOM], sealed[2 * ROOM];
    const char *const at = strstr(good, from);
    assert_non_null(at);
    snprintf(raw, sizeof raw, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
    text_seal(raw, sealed);
    return is_sealed ? sealed : raw;
}

/* It is refused, by its name, and nothing is remembered. */
static void expect_refusal(const char *text, size_t length, const char *reason)
{
    lay_entries left;
    char file[64];
    write_file(text, length);
    snprintf(file, sizeof file, "%s, line ", path);
    if (lay_tuning_load(path) != LAY_ERR_OPTION)
        fail_msg("'%s' was expected, it is read", reason);
    if (strncmp(lay_last_error(), file, strlen(file)) != 0 || !strstr(lay_last_error(), reason))
        fail_msg("'%s' was expected, it says '%s'", reason, lay_last_error());
    assert_int_equal(lay_store_copy(&left), 1);
    assert_int_equal(left.count, 0);
    lay_entries_free(&left);
}

static void what_is_saved_is_loaded_and_saved_again_the_same(void **state)
{
    (void)state;
    char again[ROOM];
    write_file(good, strlen(good));
    assert_int_equal(lay_tuning_load(path), LAY_OK);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(lay_tuning_save(path), LAY_OK);
    read_file(path, again);
    assert_string_equal(again, good);
    assert_non_null(strstr(good, "\nend 2\n"));
    lay_tuning_forget();
}

static void a_damaged_file_is_refused_with_its_line_and_reason(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
        int is_sealed;
        const char *reason;
    } cases[] = {
        { "layoutgemm", "Layoutgemm", 0, "line 1: it does not begin with 'layoutgemm tuning 1'" },
        { "tuning 1", "tuning 2", 0, "line 1: its format is '2', this library reads 1" },
        { "library ", "librar ", 0, "line 2: the library's version is missing" },
        { "machine", "maschine", 0, "line 3: the machine is missing" },
        { " l1 ", " l1 1", 0, "line 3: it is of another machine" },
        { " m=60", " m=61", 0, "line 5: the line is damaged" },
        { "end 2\n", "", 0, "it was cut off" },
        { "end 2", "end 3", 0, "line 7: 'end 3', but there are 2 products before it" },
        { "end 2", "end 2\nproduct", 0, "line 8: there is more behind the end" },
        { "product ", "produce ", 0, "line 5: 'produce " },
        { "]; ", "]; magic / ", 1, "line 5: 'magic': there is no such way" },
        { "]; ", "]; in-place kernel=fast / ", 1, "line 5: 'kernel=fast': there is no such kernel" },
        { "]; ", "]; in-place zc=3 / ", 1, "line 5: 'zc=3': there is nothing of that name to decide" },
        { "]; ", "]; in-place images=3 / ", 1, "line 5: 'images=3': this way does not decide it" },
        { "]; ", "]; in-place threads=0 / ", 1, "line 5: 'threads=0': its number is none that it may have" },
        { "]; ", "]; in-place mc=3x / ", 1, "line 5: 'mc=3x': its number is none that it may have" },
        { "]; ", "]; in-place mc=-3 / ", 1, "line 5: 'mc=-3': its number is none that it may have" },
        { "]; ", "]; in-place mc=99999999999999999999 / ", 1, "line 5: 'mc=99999999999999999999': its number" },
        { "]; ", "]; in-place mc=2 mc=2 / ", 1, "line 5: 'mc=2': it was said before" },
        { "]; ", "]; transposed mc / ", 1, "line 5: 'mc': it needs '=' and what it is" },
        { "]; ", "]; / ", 1, "line 5: '/': the name of a way is missing before it" },
        { "]; ", "]; transposed / ; ", 1, "line 5: there is more than a product" },
        { "f32,f32,f32", "f32,f33,f32", 1, "line 5: there are no five types" },
        { " strict ", " loose ", 1, "line 5: there is no such way to compute" },
        { " - ", " -z ", 1, "line 5: what is conjugated is not said" },
        { " threads=", " threads=0", 1, "line 5: threads are no number from 1 to 4096" },
        { " m=60", " m=61", 1, "line 5: extents and strides are not those of a product" },
        { " sum=", " sum=-", 1, "line 5: the sum is not cut as sums are" },
        { " cpu ", " cpi ", 1, "there is no such order of the sum on the CPU" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const text = changed(cases[i].from, cases[i].to, cases[i].is_sealed);
        expect_refusal(text, strlen(text), cases[i].reason);
    }
}

static void files_that_are_no_texts_are_refused(void **state)
{
    (void)state;
    char text[ROOM];
    expect_refusal("", 0, "line 1: it does not begin with");
    expect_refusal("\n\n# mine\n", 9, "line 4: it does not begin with");
    memcpy(text, good, sizeof text);
    char *const second = strstr(text, "\nmachine") + 1;
    *second = 0;
    expect_refusal(text, strlen(good), "line 3: it is no text: a byte is 0");
    for (size_t length = 0; length < strlen(good); length += 13)
        if (length + 1 < strlen(good)) /* the last newline may be missing */
            expect_refusal(good, length, ": ");
}

static void a_product_that_comes_twice_is_refused(void **state)
{
    (void)state;
    char text[2 * ROOM];
    const char *const first = strstr(good, "product "), *const second = strstr(first + 1, "product ");
    snprintf(text, sizeof text, "%.*s%.*s%s", (int)(second - good), good, (int)(second - first), first, second);
    expect_refusal(text, strlen(text), "line 6: the product was there before");
}

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    assert_int_equal(lay_tuning_load(NULL), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_tuning_save(NULL), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_tuning_load("/nowhere/at/all"), LAY_ERR_OPTION);
    assert_string_equal(lay_last_error(), "/nowhere/at/all: No such file or directory");
    assert_int_equal(lay_tuning_load("/tmp"), LAY_ERR_OPTION);
    assert_non_null(strstr(lay_last_error(), "/tmp: it cannot be read"));
    assert_int_equal(lay_tuning_save("/nowhere/at/all"), LAY_ERR_OPTION);
    assert_non_null(strstr(lay_last_error(), "/nowhere/at/all cannot be written: No such file"));
}

/* What it did know goes in. */
static void what_only_another_version_can_know_is_left_out(void **state)
{
    (void)state;
    char head[64], other[ROOM], text[4000];
    const char *const version = strchr(strstr(good, "library "), ' ') + 1;
    snprintf(head, sizeof head, "library %.*s", (int)strcspn(version, "\n"), version);
    snprintf(other, sizeof other, "%s", good);
    memcpy(good, changed("]; ", "]; magic / ", 1), ROOM);
    memcpy(good, changed(head, "library 99.0.0", 0), ROOM);
    write_file(good, strlen(good));
    assert_int_equal(lay_tuning_load(path), LAY_OK);
    memcpy(good, other, sizeof other);
    product of = product_make(0);
    lay_plan *const plan = product_plan(&of, NULL);
    assert_true(lay_plan_explain(plan, text, sizeof text) > 0);
    assert_non_null(strstr(text, "tuning    none: it knows nothing of this product"));
    assert_non_null(strstr(text, "line 5 was left out: 'magic': there is no such way"));
    lay_plan_destroy(plan);
    product_free(&of);
    lay_tuning_forget();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_is_loaded_and_saved_again_the_same),
        cmocka_unit_test(a_damaged_file_is_refused_with_its_line_and_reason),
        cmocka_unit_test(files_that_are_no_texts_are_refused),
        cmocka_unit_test(a_product_that_comes_twice_is_refused),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(what_only_another_version_can_know_is_left_out),
    };
    return cmocka_run_group_tests_name("damage", tests, make_good, remove_good);
}
