/* The notation: what texts mean, how descriptors are written, what is refused, where and why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "layout/desc.h"
#include "oracle.h"

/* Offsets worked out by hand. */
static void texts_mean_what_the_paper_says(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t m, n, i, j, offset, highest;
    } rows[] = {
        { "[[3][2]][4]", 6, 4, 5, 2, 5 * 4 + 2, 23 },
        { "[6][4]", 6, 4, 1, 3, 7, 23 },
        /* figure 16: two panels of 512 columns; row 1, column 600 is in panel 1, column 88 */
        { "A=[2][1024][512]; [#A_1][[#A_0][#A_2]]", 1024, 1024, 1, 600, 1024 * 512 + 512 + 88, 1048575 },
        /* Matrix1: four panels of 256 columns; column 700 is column 188 of panel 2 */
        { "A=[4][1024][256]; [#A_1][[#A_0][#A_2]]", 1024, 1024, 3, 700, 2 * 262144 + 3 * 256 + 188, 1048575 },
        /* Matrix2: blocks of 512 x 512; (600, 100) is (88, 100) of block (1, 0) */
        { "A=[2][2][512][512]; [[#A_0][#A_2]][[#A_1][#A_3]]", 1024, 1024, 600, 100, 2 * 262144 + 88 * 512 + 100,
          1048575 },
        { "S=[16][17]; [#S_0][16#S_1]", 16, 16, 15, 15, 15 * 17 + 15, 270 },
        { "T=[1024][1024]; [[64][[4][4]]#T_0][[32][32]#T_1]", 1024, 1024, 1000, 33, 1000 * 1024 + 33, 1048575 },
        { "A=[6][8]; B=[8][10]; [#A_0][#B_1]", 6, 10, 5, 9, 5 * 8 + 9, 49 },
        { "[100:128][96:1]", 100, 96, 99, 95, 99 * 128 + 95, 12767 },
        { "[100:1][96:128]", 100, 96, 99, 95, 99 + 95 * 128, 12259 },
        { "[1000:-8][8:1]", 1000, 8, 999, 7, -7992 + 7, 7 },
        { "[64:0][32:1]", 64, 32, 63, 31, 31, 31 },
        { "[4][3]; [#1][#0]", 3, 4, 2, 3, 3 * 3 + 2, 11 },
        { "[4][3]; [#_1][#_0]", 3, 4, 2, 3, 11, 11 },
        /* the radices 2 and 6 across those of 3 and 4: index 7 is digits 1, 3 */
        { "T=[3:1][4:10]; [[2][6]#T][1#T_0]", 12, 1, 7, 0, 31, 32 },
        { "A=[[3:100][5:1]]; [7@3#A][1#A_0_0]", 7, 1, 6, 0, 104, 104 },
        /* 11 indices in tiles of 4, the last one short */
        { "[11[3:100][4:1]][2:1000]", 11, 2, 10, 1, 202 + 1000, 1203 - 1 },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        lay_desc *const desc = oracle_parse(rows[r].text);
        claim(lay_desc_extent(desc, "0") == rows[r].m && lay_desc_extent(desc, "1") == rows[r].n, "%s", rows[r].text);
        const int64_t index[2] = { rows[r].i, rows[r].j }, number = rows[r].i * rows[r].n + rows[r].j;
        claim(lay_desc_offset(desc, 2, index) == rows[r].offset, "%s\n%lld", rows[r].text,
              (long long)lay_desc_offset(desc, 2, index));
        claim(lay_desc_offset(desc, 1, &number) == rows[r].offset, "%s", rows[r].text);
        int64_t low, high;
        lay_desc_span(desc, &low, &high);
        claim(high == rows[r].highest, "%s\n%lld", rows[r].text, (long long)high);
        lay_desc_destroy(desc);
    }
}

static void the_tree_can_be_asked_at_every_level(void **state)
{
    (void)state;
    lay_desc *const desc = oracle_parse("[[3][2]][4]");
    const int64_t leaf[3] = { 2, 1, 2 };
    assert_int_equal(lay_desc_offset(desc, 3, leaf), 22);
    assert_int_equal(lay_desc_extent(desc, ""), 24);
    assert_int_equal(lay_desc_extent(desc, "0_0"), 3);
    assert_int_equal(lay_desc_extent(desc, "0_1"), 2);
    assert_int_equal(lay_desc_parts(desc, "0"), 2);
    assert_int_equal(lay_desc_parts(desc, "0_1"), 0);
    assert_int_equal(lay_desc_is_contiguous(desc, ""), 1);
    assert_int_equal(lay_desc_is_contiguous(desc, "1"), 1);
    assert_int_equal(lay_desc_is_contiguous(desc, "0"), 0);
    assert_int_equal(lay_desc_extent(desc, "2"), -1);
    assert_int_equal(lay_desc_extent(desc, "0_"), -1);
    assert_int_equal(lay_desc_extent(desc, "_0"), -1);
    assert_int_equal(lay_desc_extent(desc, "0_99999999999999999999"), -1);
    assert_int_equal(lay_desc_extent(desc, "x"), -1);
    lay_desc_destroy(desc);
}

static void descriptors_are_written_plainly(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { " [ 6 ]\n[\t4 ] ", "[6][4]" },
        { "[6:4][4:1]", "[6][4]" },
        { "[[3:8][2:4]][4:1]", "[[3][2]][4]" },
        { "[[3:9][2:4]][4:1]", "[[3:9][2:4]][4:1]" },
        { "[1000:-8][8:1]", "[1000:-8][8:1]" },
        { "S=[16][17]; [#S_0][16#S_1]", "[16:17][16:1]" },
        { "A=[4][3]; [#A_1][#A_0]", "[3:1][4:3]" },
        { "A=[2][2][8][8]; [[#A_0][#A_2]][[#A_1][#A_3]]", "[[2:128][8:8]][[2:64][8:1]]" },
        { "T=[64][64]; [[4][[4][4]]#T_0][#T_1]", "[[4][[4][4]]][64]" },
        { "A=[8][4]; [5@3#A_0][#A_1]", "A=[8:4][4:1]; [5@3#A_0][#A_1]" },
        { "A=[[3:100][5:1]]; [7@3#A]", "A=[2:100][5:1]; [7@3#A]" },
        { "A=[[3:100][5:1]]; [10@5#A]", "A=[3:100][5:1]; [10@5[2][5]#A]" },
        { "A=[[3:100][5:-1]]; [1@2#A_0][5@8#A]", "A=[2:-2]; B=[3:100][5:-1]; [1@1#A_0][5@8#B]" },
        { "A=[2:7][5:2]; [[1@1#A_0][3#A_1]]", "A=[2:7][3:2]; B=[1@1#A_0][#A_1]; [[1][3]#B]" },
        { "A=[[3:1][4:10]]; [[2][6]#A]", "A=[3:1][4:10]; [[2][6]#A]" },
        { "[11[3][4]][5]", "[11[3][4]][5]" },
        { "[0][4]", "[0][4]" },
        { "[1]", "[1]" },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        lay_desc *const desc = oracle_parse(rows[r][0]);
        char text[300];
        claim(lay_desc_format(desc, text, sizeof text) == (int)strlen(rows[r][1]), "%s\n%s", rows[r][0], text);
        claim(strcmp(text, rows[r][1]) == 0, "%s\n%s", rows[r][0], text);
        lay_desc_destroy(desc);
    }
}

/* A base of one dimension or of another: the sum is what counts. */
static void a_base_may_lie_in_any_dimension(void **state)
{
    (void)state;
    lay_desc *const first = oracle_parse("A=[2:5]; B=[3:0]; [1@1#A][#B]");
    lay_desc *const second = oracle_parse("A=[1:0]; B=[2:5][3:0]; [#A][[1@1#B_0][#B_1]]");
    lay_desc *const none = oracle_parse("[1:0][3:0]");
    size_t size_first, size_second;
    const void *const key_first = lay_desc_key(first, &size_first), *const key_second =
                                                                        lay_desc_key(second, &size_second);
    assert_int_equal(lay_desc_equal(first, second), 1);
    assert_int_equal(lay_desc_equal(first, none), 0);
    assert_int_equal(size_first, size_second);
    assert_memory_equal(key_first, key_second, size_first);
    lay_desc_destroy(first);
    lay_desc_destroy(second);
    lay_desc_destroy(none);
}

static void bad_texts_are_refused_where_they_are_bad(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        lay_status status;
        int at;
        const char *word;
    } rows[] = {
        { "", LAY_ERR_SYNTAX, 1, "'[' or a name" },
        { "   ", LAY_ERR_SYNTAX, 4, "end of the text" },
        { "[", LAY_ERR_SYNTAX, 2, "an extent" },
        { "[]", LAY_ERR_SYNTAX, 2, "an extent" },
        { "[4", LAY_ERR_SYNTAX, 3, "']'" },
        { "[4]x", LAY_ERR_SYNTAX, 4, "'x' is there" },
        { "[4]]", LAY_ERR_SYNTAX, 4, "']' is there" },
        { "[4:]", LAY_ERR_SYNTAX, 4, "a stride" },
        { "[4:x]", LAY_ERR_SYNTAX, 4, "a stride" },
        { "[4:--1]", LAY_ERR_SYNTAX, 5, "a stride" },
        { "[4:1", LAY_ERR_SYNTAX, 5, "']'" },
        { "[4:1][3]", LAY_ERR_SYNTAX, 6, "a stride is expected" },
        { "[4][3:1]", LAY_ERR_SYNTAX, 4, "no stride" },
        { "[4][[3:1]]", LAY_ERR_SYNTAX, 5, "no stride" },
        { "[[3]", LAY_ERR_SYNTAX, 5, "']'" },
        { "[4 5]", LAY_ERR_SYNTAX, 4, "'5' is there" },
        { "[4]\x80", LAY_ERR_SYNTAX, 4, "strange" },
        { "[-1]", LAY_ERR_EXTENT, 2, "negative" },
        { "[4][ -3 ]", LAY_ERR_EXTENT, 6, "negative" },
        { "[9223372036854775808]", LAY_ERR_OVERFLOW, 2, "63 bits" },
        { "[2:9223372036854775808]", LAY_ERR_OVERFLOW, 4, "63 bits" },
        { "[3037000500][3037000500]", LAY_ERR_OVERFLOW, 1, "63 bits" },
        { "[2:9223372036854775807][2:1]", LAY_ERR_OVERFLOW, 1, "63 bits" },
        { "[4][9223372036854775807][2]", LAY_ERR_OVERFLOW, 1, "63 bits" },
        { "A", LAY_ERR_SYNTAX, 2, "'='" },
        { "A=", LAY_ERR_SYNTAX, 3, "'['" },
        { "A=[4]", LAY_ERR_SYNTAX, 6, "';'" },
        { "A=[4];", LAY_ERR_SYNTAX, 7, "'['" },
        { "A=[4]; A=[5]; [#A]", LAY_ERR_SYNTAX, 8, "this name" },
        { "1=[4]; [4]", LAY_ERR_SYNTAX, 1, "'['" },
        { "A=[4]; [#B]", LAY_ERR_REFERENCE, 10, "named B" },
        { "A=[4]; [#A_1]", LAY_ERR_REFERENCE, 12, "no dimension" },
        { "A=[4]; [#A_0_0]", LAY_ERR_REFERENCE, 14, "no dimension" },
        { "A=[4]; [#A_]", LAY_ERR_SYNTAX, 12, "number of a dimension" },
        { "A=[4]; [#A_-1]", LAY_ERR_SYNTAX, 12, "number of a dimension" },
        { "A=[4]; [#A_99999999999999999999]", LAY_ERR_OVERFLOW, 12, "63 bits" },
        { "[#A]", LAY_ERR_REFERENCE, 3, "named A" },
        { "[#0]", LAY_ERR_REFERENCE, 3, "no unnamed" },
        { "A=[4]; [#0]", LAY_ERR_REFERENCE, 10, "no unnamed" },
        { "[4]; [5]; [#0]", LAY_ERR_REFERENCE, 13, "several" },
        { "[4]; [#1]", LAY_ERR_REFERENCE, 8, "no dimension" },
        { "A=[4]; [5#A]", LAY_ERR_EXTENT, 8, "more indices" },
        { "A=[4]; [3@2#A]", LAY_ERR_EXTENT, 8, "more indices" },
        { "A=[4]; [0@5#A]", LAY_ERR_EXTENT, 8, "more indices" },
        { "A=[4]; [9223372036854775807@1#A]", LAY_ERR_EXTENT, 8, "more indices" },
        { "[3[2][3]]", LAY_ERR_EXTENT, 1, "idle indices" },
        { "[2[1][3]]", LAY_ERR_EXTENT, 1, "idle indices" },
        { "[3[1][2][3]]", LAY_ERR_EXTENT, 1, "idle indices" },
        { "A=[4]; [-1#A]", LAY_ERR_EXTENT, 9, "negative" },
        { "A=[4]; [1@-1#A]", LAY_ERR_EXTENT, 11, "negative" },
        { "A=[4]; [1@#A]", LAY_ERR_SYNTAX, 11, "first index" },
        { "A=[4]; [1@0]", LAY_ERR_SYNTAX, 12, "'[' or '#'" },
        { "A=[4]; [1@0[1]]", LAY_ERR_SYNTAX, 15, "'#'" },
        { "A=[4]; [[3][2]#A]", LAY_ERR_EXTENT, 8, "more indices" },
        { "A=[4]; [3@2[3]#A]", LAY_ERR_EXTENT, 8, "more indices" },
        { "A=[12]; [[2][3:1]#A]", LAY_ERR_SYNTAX, 13, "no stride" },
        { "A=[12]; [[2][#A]#A]", LAY_ERR_SYNTAX, 13, "not a reference" },
        { "A=[4]; [#A][3]", LAY_ERR_SYNTAX, 12, "would be a guess" },
        { "A=[4]; [#A][3:1]", LAY_ERR_SYNTAX, 12, "would be a guess" },
        { "A=[4]; [3][#A]", LAY_ERR_SYNTAX, 11, "not a reference" },
        { "A=[4]; [[3][#A]]", LAY_ERR_SYNTAX, 12, "not a reference" },
        { "[7[3][2]]", LAY_ERR_EXTENT, 1, "7 indices" },
        { "[4[3][2]]", LAY_ERR_EXTENT, 1, "idle" },
        { "[5][0[3][2]]", LAY_ERR_EXTENT, 4, "idle" },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        lay_desc *const untouched = (lay_desc *)&untouched, *desc = untouched;
        const lay_status status = lay_desc_parse(rows[r].text, &desc);
        claim(status == rows[r].status, "%s\n%s: %s", rows[r].text, lay_status_name(status), lay_last_error());
        claim(desc == untouched, "%s", rows[r].text);
        int at = 0;
        claim(sscanf(lay_last_error(), "at character %d:", &at) == 1 && at == rows[r].at, "%s\n%s", rows[r].text,
              lay_last_error());
        claim(strstr(lay_last_error(), rows[r].word), "%s\n%s", rows[r].text, lay_last_error());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_mean_what_the_paper_says),
        cmocka_unit_test(the_tree_can_be_asked_at_every_level),
        cmocka_unit_test(descriptors_are_written_plainly),
        cmocka_unit_test(a_base_may_lie_in_any_dimension),
        cmocka_unit_test(bad_texts_are_refused_where_they_are_bad),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("layout notation", tests, NULL, NULL);
}
