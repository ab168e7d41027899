/* Bad texts, descriptors, copies and allocations: the status, the fact that its sentence names, nothing written. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "support/layouts.h"
#include "support/refusal.h"

typedef struct bad_text {
    const char *text;
    lay_status status;
    const char *fact; /* in the sentence */
} bad_text;

static const bad_text bad_texts[] = {
    { "", LAY_ERR_SYNTAX, "at character 1" },
    { "[4", LAY_ERR_SYNTAX, "at character 3" },
    { "[4][6", LAY_ERR_SYNTAX, "at character 6" },
    { "4][6]", LAY_ERR_SYNTAX, "at character 1" },
    { "[4][6]x", LAY_ERR_SYNTAX, "at character 7" },
    { "[four][6]", LAY_ERR_SYNTAX, "an extent" },
    { "[4:][6]", LAY_ERR_SYNTAX, "a stride" },
    { "[4:6][6]", LAY_ERR_SYNTAX, "a stride" },
    { "A=[4][6]; [#A_0][5]", LAY_ERR_SYNTAX, "a guess" },
    { "A=[4][6]; [#A_2]", LAY_ERR_REFERENCE, "at character 15" },
    { "A=[4][6]; [#B_0]", LAY_ERR_REFERENCE, "named B" },
    { "A=[4][6]; [7#A_1]", LAY_ERR_EXTENT, "more indices" },
    { "A=[4][6]; [[3][3]#A_1]", LAY_ERR_EXTENT, "at character 11" },
    { "[-4][6]", LAY_ERR_EXTENT, "negative" },
    { "[99999999999999999999][6]", LAY_ERR_OVERFLOW, "63 bits" },
    { "[3000000000][3000000000][3]", LAY_ERR_OVERFLOW, "63 bits" },
    { "[3:9000000000000000000][2:1]", LAY_ERR_OVERFLOW, "63 bits" },
};

static void a_bad_text_is_refused_with_a_reason(void **state)
{
    (void)state;
    for (size_t q = 0; q < sizeof bad_texts / sizeof bad_texts[0]; q++) {
        lay_desc *const marker = (lay_desc *)(void *)&bad_texts, *out = marker;
        expect_refusal(bad_texts[q].text, lay_desc_parse(bad_texts[q].text, &out), bad_texts[q].status,
                       bad_texts[q].fact);
        assert_ptr_equal(out, marker);
    }
}

static void a_bad_extent_or_pointer_is_refused_with_a_reason(void **state)
{
    (void)state;
    lay_desc *desc = layout_parse("[6][8]"), *const marker = desc, *out = marker;
    const int64_t negative[] = { 4, -1 }, huge[] = { INT64_MAX, INT64_MAX }, fine[] = { 4, 6 };
    const int64_t zero[] = { 0, 2 }, far[] = { INT64_MAX, 1 };
    int64_t offset = 77;
    expect_refusal("negative extent", lay_desc_natural(2, negative, &out), LAY_ERR_EXTENT, "-1");
    expect_refusal("negative extent", lay_desc_strided(2, negative, fine, &out), LAY_ERR_EXTENT, "-1");
    expect_refusal("too many", lay_desc_natural(2, huge, &out), LAY_ERR_OVERFLOW, "63 bits");
    expect_refusal("too far", lay_desc_strided(2, fine, far, &out), LAY_ERR_OVERFLOW, "63 bits");
    expect_refusal("no dimension", lay_desc_natural(0, fine, &out), LAY_ERR_RANK, "0");
    expect_refusal("extents NULL", lay_desc_natural(2, NULL, &out), LAY_ERR_ARGUMENT, "NULL");
    expect_refusal("out NULL", lay_desc_natural(2, fine, NULL), LAY_ERR_ARGUMENT, "NULL");
    expect_refusal("text NULL", lay_desc_parse(NULL, &out), LAY_ERR_ARGUMENT, "NULL");
    expect_refusal("no such path", lay_desc_dim(desc, "2", &out), LAY_ERR_REFERENCE, "2");
    expect_refusal("slice too long", lay_desc_slice(desc, 0, 4, 3, &out), LAY_ERR_EXTENT, "6");
    expect_refusal("slice of dim 2", lay_desc_slice(desc, 2, 0, 1, &out), LAY_ERR_RANK, "2");
    expect_refusal("split", lay_desc_split(desc, 0, 2, fine, &out), LAY_ERR_EXTENT, "6");
    expect_refusal("perm", lay_desc_permute(desc, (int[]){ 1, 1 }, &out), LAY_ERR_ARGUMENT, "1");
    expect_refusal("tile of 0", lay_desc_tile(desc, zero, &out), LAY_ERR_ARGUMENT, "0");
    expect_refusal("not tiled", lay_desc_tile_at(desc, zero, &out, &offset), LAY_ERR_SHAPE, "tile");
    expect_refusal("desc NULL", lay_desc_slice(NULL, 0, 0, 1, &out), LAY_ERR_ARGUMENT, "NULL");
    assert_ptr_equal(out, marker);
    assert_int_equal(offset, 77);
    lay_desc_destroy(desc);
}

static void a_bad_copy_is_refused_with_a_reason(void **state)
{
    (void)state;
    static double memory[400];
    double before[400];
    for (int i = 0; i < 400; i++)
        memory[i] = i;
    memcpy(before, memory, sizeof before);
    lay_desc *from = layout_parse("[4][5]"), *to = layout_parse("[4:1][5:4]"), *other = layout_parse("[5][4]");
    lay_desc *flat = layout_parse("[20]"), *broadcast = layout_parse("[4:0][5:1]");
    lay_desc *wide = layout_parse("[4:1500000000000000000][5:1]");
    double *const far = memory + 200;
    lay_options small = LAY_OPTIONS_INIT;
    small.struct_size = 3;
    expect_refusal("shape", lay_copy(LAY_F64, from, memory, other, far, NULL), LAY_ERR_SHAPE, "5");
    expect_refusal("rank", lay_copy(LAY_F64, from, memory, flat, far, NULL), LAY_ERR_RANK, "1");
    expect_refusal(
        "injective", lay_copy(LAY_F64, from, memory, broadcast, far, NULL), LAY_ERR_INJECTIVE,
        "the destination cannot be shown to give every index an element of its own: it has 4 rows with stride 0");
    expect_refusal("overlap", lay_copy(LAY_F64, from, memory, to, memory + 19, NULL), LAY_ERR_OVERLAP, "");
    expect_refusal("itself", lay_copy(LAY_F64, from, memory, from, memory, NULL), LAY_ERR_OVERLAP, "");
    expect_refusal("type", lay_copy((lay_type)6, from, memory, to, far, NULL), LAY_ERR_TYPE, "6");
    expect_refusal("src", lay_copy(LAY_F64, from, NULL, to, far, NULL), LAY_ERR_ARGUMENT, "src");
    expect_refusal("dst", lay_copy(LAY_F64, from, memory, to, NULL, NULL), LAY_ERR_ARGUMENT, "dst");
    expect_refusal("from", lay_copy(LAY_F64, NULL, memory, to, far, NULL), LAY_ERR_ARGUMENT, "from");
    expect_refusal("to", lay_copy(LAY_F64, from, memory, NULL, far, NULL), LAY_ERR_ARGUMENT, "to");
    expect_refusal("options", lay_copy(LAY_F64, from, memory, to, far, &small), LAY_ERR_OPTION, "struct_size is 3");
    expect_refusal("bytes", lay_copy(LAY_F64, wide, memory, to, far, NULL), LAY_ERR_OVERFLOW, "source");
    expect_refusal("bytes", lay_copy(LAY_F64, from, memory, wide, far, NULL), LAY_ERR_OVERFLOW, "destination");
    assert_memory_equal(memory, before, sizeof memory);
    lay_desc_destroy(wide);
    lay_desc_destroy(from);
    lay_desc_destroy(to);
    lay_desc_destroy(other);
    lay_desc_destroy(flat);
    lay_desc_destroy(broadcast);
}

/* Y = alpha X + beta Y. */
static void a_bad_axpby_is_refused_with_a_reason(void **state)
{
    (void)state;
    static double memory[400];
    double before[400];
    const double one = 1, zero = 0;
    for (int i = 0; i < 400; i++)
        memory[i] = i;
    memcpy(before, memory, sizeof before);
    lay_desc *x = layout_parse("[4][5]"), *y = layout_parse("[4:1][5:4]"), *other = layout_parse("[5][4]");
    lay_desc *flat = layout_parse("[20]"), *broadcast = layout_parse("[4:0][5:1]");
    lay_desc *wide = layout_parse("[4:1500000000000000000][5:1]");
    double *const far = memory + 200;
    lay_options small = LAY_OPTIONS_INIT, slow = LAY_OPTIONS_INIT;
    small.struct_size = 3;
    slow.threads = -1;
    expect_refusal("alpha", lay_axpby(LAY_F64, x, NULL, memory, LAY_F64, y, &zero, far, 0, NULL), LAY_ERR_ARGUMENT,
                   "alpha is NULL");
    expect_refusal("beta", lay_axpby(LAY_F64, x, &one, memory, LAY_F64, y, NULL, far, 0, NULL), LAY_ERR_ARGUMENT,
                   "beta is NULL");
    expect_refusal("desc_x", lay_axpby(LAY_F64, NULL, &one, memory, LAY_F64, y, &zero, far, 0, NULL), LAY_ERR_ARGUMENT,
                   "desc_x is NULL");
    expect_refusal("desc_y", lay_axpby(LAY_F64, x, &one, memory, LAY_F64, NULL, &zero, far, 0, NULL), LAY_ERR_ARGUMENT,
                   "desc_y is NULL");
    expect_refusal("x", lay_axpby(LAY_F64, x, &one, NULL, LAY_F64, y, &zero, far, 0, NULL), LAY_ERR_ARGUMENT,
                   "x is NULL");
    expect_refusal("y", lay_axpby(LAY_F64, x, &one, memory, LAY_F64, y, &zero, NULL, 0, NULL), LAY_ERR_ARGUMENT,
                   "y is NULL");
    expect_refusal("y alone", lay_axpby(LAY_F64, x, &zero, NULL, LAY_F64, y, &one, NULL, 0, NULL), LAY_ERR_ARGUMENT,
                   "y is NULL");
    expect_refusal("type of y", lay_axpby(LAY_F64, x, &one, memory, (lay_type)77, y, &zero, far, 0, NULL), LAY_ERR_TYPE,
                   "77 is no lay_type");
    expect_refusal("shape", lay_axpby(LAY_F64, x, &one, memory, LAY_F32, other, &zero, far, 0, NULL), LAY_ERR_SHAPE,
                   "5");
    expect_refusal("shape, X not read", lay_axpby(LAY_F64, other, &zero, NULL, LAY_F64, x, &one, far, 0, NULL),
                   LAY_ERR_SHAPE, "4");
    expect_refusal("rank", lay_axpby(LAY_F64, x, &one, memory, LAY_F32, flat, &zero, far, 0, NULL), LAY_ERR_RANK, "1");
    expect_refusal("injective", lay_axpby(LAY_F64, x, &one, memory, LAY_F64, broadcast, &one, far, 0, NULL),
                   LAY_ERR_INJECTIVE, "it has 4 rows with stride 0");
    expect_refusal("overlap", lay_axpby(LAY_F64, x, &one, memory, LAY_F64, y, &zero, memory + 19, 0, NULL),
                   LAY_ERR_OVERLAP, "clear of the source");
    expect_refusal("itself", lay_axpby(LAY_F64, x, &one, memory, LAY_F64, x, &one, memory, 0, NULL), LAY_ERR_OVERLAP,
                   "clear of the source");
    expect_refusal("itself, of another size", lay_axpby(LAY_F64, x, &one, memory, LAY_F32, x, &one, memory, 0, NULL),
                   LAY_ERR_OVERLAP, "clear of the source");
    expect_refusal("between, of another size",
                   lay_axpby(LAY_F64, y, &one, memory, LAY_F32, y, &one, (float *)memory + 39, 0, NULL),
                   LAY_ERR_OVERLAP, "clear of the source");
    expect_refusal("bytes of x", lay_axpby(LAY_F64, wide, &one, memory, LAY_F32, y, &zero, far, 0, NULL),
                   LAY_ERR_OVERFLOW, "source");
    expect_refusal("bytes of y", lay_axpby(LAY_F64, x, &one, memory, LAY_F64, wide, &zero, far, 0, NULL),
                   LAY_ERR_OVERFLOW, "destination");
    expect_refusal("complex to real", lay_axpby(LAY_C32, x, &one, memory, LAY_F64, y, &zero, far, 0, NULL),
                   LAY_ERR_TYPE, "c32 to f64");
    expect_refusal("type of x", lay_axpby((lay_type)-1, x, &one, memory, LAY_F64, y, &zero, far, 0, NULL), LAY_ERR_TYPE,
                   "-1 is no lay_type");
    expect_refusal("options", lay_axpby(LAY_F64, x, &one, memory, LAY_F64, y, &zero, far, 0, &small), LAY_ERR_OPTION,
                   "struct_size is 3");
    expect_refusal("threads", lay_axpby(LAY_F64, x, &one, memory, LAY_F64, y, &zero, far, 0, &slow), LAY_ERR_OPTION,
                   "-1");
    assert_memory_equal(memory, before, sizeof memory);
    lay_desc_destroy(wide);
    lay_desc_destroy(x);
    lay_desc_destroy(y);
    lay_desc_destroy(other);
    lay_desc_destroy(flat);
    lay_desc_destroy(broadcast);
}

static void a_bad_allocation_is_refused_with_a_reason(void **state)
{
    (void)state;
    lay_desc *fine = layout_parse("[4][5]"), *large = layout_parse("[4:1500000000000000000][5:1]");
    lay_desc *more = layout_parse("[1000000][1000000][1000]"); /* 8 PB: no machine gives that */
    void *const marker = &fine, *out = marker;
    expect_refusal("type", lay_alloc((lay_type)6, fine, LAY_MEMORY_HOST, &out), LAY_ERR_TYPE, "6");
    expect_refusal("kind", lay_alloc(LAY_F64, fine, (lay_memory)3, &out), LAY_ERR_OPTION, "3");
    expect_refusal("desc", lay_alloc(LAY_F64, NULL, LAY_MEMORY_HOST, &out), LAY_ERR_ARGUMENT, "desc");
    expect_refusal("out", lay_alloc(LAY_F64, fine, LAY_MEMORY_HOST, NULL), LAY_ERR_ARGUMENT, "out");
    expect_refusal("span", lay_alloc(LAY_F64, large, LAY_MEMORY_HOST, &out), LAY_ERR_OVERFLOW, "63 bits");
    expect_refusal("memory", lay_alloc(LAY_F64, more, LAY_MEMORY_HOST, &out), LAY_ERR_MEMORY, "no memory");
    assert_ptr_equal(out, marker);
    lay_desc_destroy(fine);
    lay_desc_destroy(large);
    lay_desc_destroy(more);
}

static void every_status_has_its_name(void **state)
{
    (void)state;
    assert_string_equal(lay_status_name(LAY_OK), "LAY_OK");
    assert_string_equal(lay_status_name(LAY_ERR_SHAPE), "LAY_ERR_SHAPE");
    assert_string_equal(lay_status_name(LAY_ERR_UNSUPPORTED), "LAY_ERR_UNSUPPORTED");
    for (int q = LAY_OK; q < LAY_ERR_UNSUPPORTED; q++)
        for (int other = q + 1; other <= LAY_ERR_UNSUPPORTED; other++)
            assert_string_not_equal(lay_status_name((lay_status)q), lay_status_name((lay_status)other));
    assert_non_null(lay_status_name((lay_status)99));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_text_is_refused_with_a_reason),
        cmocka_unit_test(a_bad_extent_or_pointer_is_refused_with_a_reason),
        cmocka_unit_test(a_bad_copy_is_refused_with_a_reason),
        cmocka_unit_test(a_bad_axpby_is_refused_with_a_reason),
        cmocka_unit_test(a_bad_allocation_is_refused_with_a_reason),
        cmocka_unit_test(every_status_has_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
