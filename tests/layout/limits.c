/* Sizes near 2^63, texts that mean harm, mistakes in calls, and memory that runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "layout/desc.h"
#include "oracle.h"

/* malloc, linked in front of the real one (-Wl,--wrap=malloc): fails once *left reaches 0, counts bytes. */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
static long calls_left = -1;
static size_t bytes_asked;

void *__wrap_malloc(size_t size)
{
    bytes_asked += size;
    return calls_left >= 0 && calls_left-- == 0 ? NULL : __real_malloc(size);
}

static void sizes_up_to_63_bits_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t number, offset, lowest, highest;
    } rows[] = {
        { "[9223372036854775807]", INT64_MAX - 1, INT64_MAX - 1, 0, INT64_MAX - 1 },
        { "[9223372036854775807:-1]", INT64_MAX - 1, -(INT64_MAX - 1), -(INT64_MAX - 1), 0 },
        { "[2:9223372036854775807]", 1, INT64_MAX, 0, INT64_MAX },
        { "[2:-9223372036854775807]", 1, -INT64_MAX, -INT64_MAX, 0 },
        { "[2:9223372036854775806][2:1]", 3, INT64_MAX, 0, INT64_MAX },
        { "[3037000499][3037000499]", 5, 5, 0, INT64_C(3037000499) * 3037000499 - 1 },
        { "[4611686018427387903][2]", INT64_MAX - 2, INT64_MAX - 2, 0, INT64_MAX - 2 },
        { "[2][4611686018427387903]", INT64_MAX - 2, INT64_MAX - 2, 0, INT64_MAX - 2 },
        { "[0][9223372036854775807]", -1, 0, 0, -1 },
        { "[9223372036854775807:0][0:9223372036854775807]", -1, 0, 0, -1 },
        { "A=[9223372036854775807]; [1@9223372036854775806#A]", 0, INT64_MAX - 1, INT64_MAX - 1, INT64_MAX - 1 },
        { "A=[[4611686018427387903:1][2:4611686018427387903]]; [9223372036854775801@3#A]", 0,
          INT64_C(4611686018427387903) + 1, 2, INT64_MAX - 3 },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        lay_desc *const desc = oracle_parse(rows[r].text);
        int64_t low, high;
        lay_desc_span(desc, &low, &high);
        claim(low == rows[r].lowest && high == rows[r].highest, "%s\n%lld to %lld", rows[r].text, (long long)low,
              (long long)high);
        if (rows[r].number >= 0)
            claim(lay_desc_offset(desc, 1, &rows[r].number) == rows[r].offset, "%s\n%lld", rows[r].text,
                  (long long)lay_desc_offset(desc, 1, &rows[r].number));
        char text[300];
        lay_desc_format(desc, text, sizeof text);
        lay_desc *const again = oracle_parse(text);
        claim(lay_desc_equal(desc, again), "%s\n%s", rows[r].text, text);
        lay_desc_destroy(again);
        lay_desc_destroy(desc);
    }
}

/* Both ways of giving numbers; all one element too far. */
static void sizes_past_63_bits_are_refused(void **state)
{
    (void)state;
    static const struct {
        int ndim;
        int64_t extents[3], strides[3];
    } rows[] = {
        { 1, { 3 }, { INT64_C(1) << 62 } },
        { 1, { 2 }, { INT64_MIN } },
        { 1, { INT64_MAX }, { 2 } },
        { 2, { 2, 2 }, { INT64_MAX, 1 } },
        { 2, { 2, 2 }, { INT64_MIN + 1, -1 } },
        { 2, { 2, 2 }, { INT64_MAX, -1 } }, /* fits 63 bits only in one order of adding */
        { 2, { INT64_MAX, 2 }, { 0, 0 } },
        { 3, { INT64_C(1) << 21, INT64_C(1) << 21, INT64_C(1) << 21 }, { 0, 0, 0 } },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        lay_desc *desc = NULL;
        claim(lay_desc_strided(rows[r].ndim, rows[r].extents, rows[r].strides, &desc) == LAY_ERR_OVERFLOW, "row %d",
              (int)r);
        claim(!desc && strstr(lay_last_error(), "63 bits"), "row %d: %s", (int)r, lay_last_error());
        char text[300];
        size_t length = 0;
        for (int i = 0; i < rows[r].ndim; i++)
            length += (size_t)snprintf(text + length, sizeof text - length, "[%lld:%lld]",
                                       (long long)rows[r].extents[i], (long long)rows[r].strides[i]);
        claim(lay_desc_parse(text, &desc) == LAY_ERR_OVERFLOW && !desc, "%s: %s", text, lay_last_error());
    }
    const int64_t natural[3] = { INT64_C(1) << 31, INT64_C(1) << 31, 2 };
    lay_desc *desc = NULL;
    assert_int_equal(lay_desc_natural(3, natural, &desc), LAY_ERR_OVERFLOW);
    assert_int_equal(lay_desc_natural(2, natural, &desc), LAY_OK);
    lay_desc *split = NULL;
    const int64_t large[3] = { INT64_C(1) << 31, INT64_C(1) << 31, 4 };
    assert_int_equal(lay_desc_split(desc, 0, 3, large, &split), LAY_ERR_OVERFLOW);
    const lay_desc *const twice[2] = { desc, desc };
    assert_int_equal(lay_desc_join(2, twice, &split), LAY_ERR_OVERFLOW);
    assert_null(split);
    lay_desc_destroy(desc);
}

static void empty_layouts_answer_every_question(void **state)
{
    (void)state;
    lay_desc *const desc = oracle_parse("[3][[0][4]][5]");
    int64_t low, high, stride, zero[4] = { 0 };
    lay_desc_span(desc, &low, &high);
    assert_int_equal(low, 0);
    assert_int_equal(high, -1);
    assert_int_equal(lay_desc_extent(desc, ""), 0);
    assert_int_equal(lay_desc_extent(desc, "1_1"), 4);
    assert_int_equal(lay_desc_is_injective(desc), 1);
    assert_int_equal(lay_desc_is_contiguous(desc, ""), 1);
    assert_int_equal(lay_desc_stride(desc, "2", &stride), 1);
    assert_int_equal(stride, 1);
    for (int n = 1; n <= 4; n++)
        assert_true(lay_desc_offset(desc, n, zero) == LAY_NO_OFFSET);
    lay_desc *tiled = NULL, *tile = NULL;
    int64_t offset = 99;
    const int64_t sizes[3] = { 2, 3, 9 };
    assert_int_equal(lay_desc_tile(desc, sizes, &tiled), LAY_OK);
    assert_int_equal(lay_desc_extent(tiled, "1_0"), 0);
    assert_int_equal(lay_desc_extent(tiled, "1_1"), 3);
    assert_int_equal(lay_desc_tile_at(tiled, zero, &tile, &offset), LAY_ERR_EXTENT);
    assert_null(tile);
    assert_int_equal(offset, 99);
    lay_desc_destroy(tiled);
    lay_desc_destroy(desc);
}

/* Each mistake: its status, a sentence with this word in it, and outputs as they were. */
static void mistakes_get_a_status_and_a_sentence(void **state)
{
    (void)state;
    lay_desc *const desc = oracle_parse("[[3][2]][4]"), *const tiled = oracle_parse("[[2][3]][[2][2]]");
    lay_desc *const none = (lay_desc *)&none, *out = none;
    const int64_t extents[2] = { 3, 4 }, negative[2] = { 3, -4 }, zero[2] = { 0, 0 }, two[2] = { 2, 2 };
    const int64_t past[2] = { 0, 2 }, before[2] = { -1, 0 };
    const int twice[2] = { 1, 1 }, far[2] = { 0, 2 };
    const lay_desc *const parts[2] = { desc, NULL };
    int64_t offset = 99;
#define REFUSED(call, expected, word)                                                                                  \
    claim((call) == (expected) && strstr(lay_last_error(), word) && out == none && offset == 99, "%s", lay_last_error())
    REFUSED(lay_desc_parse(NULL, &out), LAY_ERR_ARGUMENT, "text is NULL");
    REFUSED(lay_desc_parse("[4]", NULL), LAY_ERR_ARGUMENT, "out is NULL");
    REFUSED(lay_desc_natural(2, NULL, &out), LAY_ERR_ARGUMENT, "extents is NULL");
    REFUSED(lay_desc_natural(2, extents, NULL), LAY_ERR_ARGUMENT, "out is NULL");
    REFUSED(lay_desc_natural(0, extents, &out), LAY_ERR_RANK, "0 dimensions");
    REFUSED(lay_desc_natural(-1, extents, &out), LAY_ERR_RANK, "-1 dimensions");
    REFUSED(lay_desc_natural(1000000, extents, &out), LAY_ERR_RANK, "1000000 dimensions");
    REFUSED(lay_desc_natural(2, negative, &out), LAY_ERR_EXTENT, "dimension 1");
    REFUSED(lay_desc_strided(2, extents, NULL, &out), LAY_ERR_ARGUMENT, "strides is NULL");
    REFUSED(lay_desc_strided(2, negative, extents, &out), LAY_ERR_EXTENT, "negative");
    REFUSED(lay_desc_dim(NULL, "0", &out), LAY_ERR_ARGUMENT, "desc is NULL");
    REFUSED(lay_desc_dim(desc, "0", NULL), LAY_ERR_ARGUMENT, "out is NULL");
    REFUSED(lay_desc_dim(desc, "2", &out), LAY_ERR_REFERENCE, "\"2\" leads");
    REFUSED(lay_desc_dim(desc, "0_2", &out), LAY_ERR_REFERENCE, "\"0_2\" leads");
    REFUSED(lay_desc_dim(desc, "1_0", &out), LAY_ERR_REFERENCE, "leads");
    REFUSED(lay_desc_dim(desc, "0__1", &out), LAY_ERR_REFERENCE, "no path");
    REFUSED(lay_desc_join(2, NULL, &out), LAY_ERR_ARGUMENT, "parts is NULL");
    REFUSED(lay_desc_join(2, parts, &out), LAY_ERR_ARGUMENT, "parts[1] is NULL");
    REFUSED(lay_desc_join(0, parts, &out), LAY_ERR_RANK, "0 parts");
    REFUSED(lay_desc_join(1, parts, NULL), LAY_ERR_ARGUMENT, "out is NULL");
    REFUSED(lay_desc_permute(desc, twice, &out), LAY_ERR_ARGUMENT, "perm[1] = 1");
    REFUSED(lay_desc_permute(desc, far, &out), LAY_ERR_ARGUMENT, "perm[1] = 2");
    REFUSED(lay_desc_permute(NULL, twice, &out), LAY_ERR_ARGUMENT, "desc is NULL");
    REFUSED(lay_desc_split(desc, 2, 2, extents, &out), LAY_ERR_RANK, "no root dimension 2");
    REFUSED(lay_desc_split(desc, 0, 0, extents, &out), LAY_ERR_RANK, "0 parts");
    REFUSED(lay_desc_split(desc, 0, 2, extents, &out), LAY_ERR_EXTENT, "12 indices for a dimension of 6");
    REFUSED(lay_desc_split(desc, 0, 2, negative, &out), LAY_ERR_EXTENT, "part 1");
    REFUSED(lay_desc_split(desc, 0, 2, NULL, &out), LAY_ERR_ARGUMENT, "extents is NULL");
    REFUSED(lay_desc_slice(desc, -1, 0, 1, &out), LAY_ERR_RANK, "no root dimension -1");
    REFUSED(lay_desc_slice(desc, 0, -1, 1, &out), LAY_ERR_EXTENT, "from -1 on");
    REFUSED(lay_desc_slice(desc, 0, 0, -1, &out), LAY_ERR_EXTENT, "-1 indices");
    REFUSED(lay_desc_slice(desc, 0, 3, 4, &out), LAY_ERR_EXTENT, "4 indices from 3 on, of a dimension of 6");
    REFUSED(lay_desc_slice(desc, 0, INT64_MAX, INT64_MAX, &out), LAY_ERR_EXTENT, "indices");
    REFUSED(lay_desc_slice(desc, 0, 1, INT64_MAX, &out), LAY_ERR_EXTENT, "indices");
    REFUSED(lay_desc_tile(desc, zero, &out), LAY_ERR_ARGUMENT, "tile[0] is 0");
    REFUSED(lay_desc_tile(desc, NULL, &out), LAY_ERR_ARGUMENT, "tile is NULL");
    REFUSED(lay_desc_tile_at(desc, zero, &out, &offset), LAY_ERR_SHAPE, "dimension 1 has 0 parts");
    REFUSED(lay_desc_tile_at(tiled, past, &out, &offset), LAY_ERR_EXTENT, "coords[1] is 2");
    REFUSED(lay_desc_tile_at(tiled, before, &out, &offset), LAY_ERR_EXTENT, "coords[0] is -1");
    REFUSED(lay_desc_tile_at(tiled, NULL, &out, &offset), LAY_ERR_ARGUMENT, "coords is NULL");
    REFUSED(lay_desc_tile_at(tiled, zero, &out, NULL), LAY_ERR_ARGUMENT, "offset is NULL");
    REFUSED(lay_desc_format(NULL, NULL, 0), -1, "desc is NULL");
    REFUSED(lay_desc_format(desc, NULL, 9), -1, "text is NULL");
    REFUSED(lay_desc_offset(desc, 1, NULL), LAY_NO_OFFSET, "index is NULL");
    REFUSED(lay_desc_offset(NULL, 1, two), LAY_NO_OFFSET, "desc is NULL");
    REFUSED(lay_desc_offset(desc, 4, two), LAY_NO_OFFSET, "4 indices, where 1, 2 (rank) or 3 (leaves)");
    REFUSED(lay_desc_offset(desc, 2, before), LAY_NO_OFFSET, "index -1, number 0");
    REFUSED(lay_desc_rank(NULL), 0, "desc is NULL");
    REFUSED(lay_desc_parts(NULL, ""), -1, "desc is NULL");
    REFUSED(lay_desc_extent(NULL, ""), -1, "desc is NULL");
    REFUSED(lay_desc_stride(NULL, "", NULL), -1, "desc is NULL");
    REFUSED(lay_desc_is_contiguous(desc, "7"), -1, "\"7\" leads");
    REFUSED(lay_desc_is_injective(NULL), 0, "desc is NULL");
    int64_t low = 5, high = 5;
    lay_desc_span(NULL, &low, &high);
    assert_true(low == 0 && high == -1);
    lay_desc_destroy(NULL);
    lay_desc_destroy(tiled);
    lay_desc_destroy(desc);
}

static char *repeat(const char *head, const char *body, int times, const char *tail)
{
    char *const text = calloc(1, strlen(head) + strlen(body) * (size_t)times + strlen(tail) + 1);
    strcpy(text, head);
    for (int i = 0; i < times; i++)
        memcpy(text + strlen(head) + strlen(body) * (size_t)i, body, strlen(body));
    strcat(text, tail);
    return text;
}

/* Whatever the text, at most some 64 KiB and a millisecond (ten here, for slow machines). */
static void hostile_texts_cost_little(void **state)
{
    (void)state;
    char *doubled = repeat("B0=[1][1];", "", 0, ""), *ragged = repeat("A0=[7:1];", "", 0, "");
    for (int i = 1; i <= 25; i++) {
        char next[100];
        snprintf(next, sizeof next, "B%d=[#B%d][#B%d];", i, i - 1, i - 1);
        char *const more = repeat(doubled, next, 1, "");
        free(doubled);
        doubled = more;
        snprintf(next, sizeof next, "R%d=[3:%d];T%d=[#R%d][#A%d];A%d=[7@4#T%d];", i, i + 7, i, i, i - 1, i, i);
        char *const deeper = repeat(ragged, next, 1, "");
        free(ragged);
        ragged = deeper;
    }
    char *const texts[] = {
        repeat("", "[", 60000, ""),
        repeat("", "[1]", 20000, ""),
        repeat("", " ", 65000, "[4]"),
        repeat("", " ", 70000, "[4]"),
        repeat("[", "9", 60000, "]"),
        repeat("", "[[", 30, "[1]"),
        repeat("A=[4];", "[#A]", 15000, ""),
        repeat("A=[4][4];", "[2@1#A]", 9000, ""),
        repeat("", "[2]", 120, ""),
        repeat("", "[1]", 120, ""),
        repeat("", "[2:3]", 62, ""),
        repeat("", "[2:12345678912]", 25, ""),
        repeat("", "[3:0]", 39, ""),
        repeat("A", "A", 60000, "=[4];[#A]"),
        repeat("A=[4];", "[3];", 14000, "[#A]"),
        repeat(doubled, "", 0, "[#B4]"),
        repeat(doubled, "", 0, "[#B25]"),
        repeat(ragged, "", 0, "[#A10]"),
        repeat(ragged, "", 0, "[#A20]"),
        repeat(ragged, "", 0, "[#A25]"),
        repeat("A=[1000000000:7][3:5][1000000000:11];B=[[999999937][999999937]#A];", "", 0, "[#B_0_0][1#B_0_1]"),
        repeat("A=[[1000003:7][3:5][1000033:1]];B=[[999983][1000003]#A_0];", "", 0, "[#B_0_0][#B_0_1]"),
        repeat("A=[[103:7][3:5][133:1]];B=[[83][103]#A_0];", "", 0, "[#B_0_0][#B_0_1]"),
    };
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        double best = 1;
        for (int round = 0; round < 5; round++) {
            struct timespec start, end;
            bytes_asked = 0;
            clock_gettime(CLOCK_MONOTONIC, &start);
            lay_desc *desc = NULL;
            const lay_status status = lay_desc_parse(texts[t], &desc);
            clock_gettime(CLOCK_MONOTONIC, &end);
            claim((status == LAY_OK) == (desc != NULL), "%.60s", texts[t]);
            lay_desc_destroy(desc);
            const double took = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
            best = took < best ? took : best;
        }
        if (getenv("LAYOUT_TIMES"))
            print_message("%8.1f us %7zu bytes %.60s: %s\n", best * 1e6, bytes_asked, texts[t], lay_last_error());
        claim(best < 10e-3, "%.60s\n%g s", texts[t], best);
        claim(bytes_asked < 100000, "%.60s\n%zu bytes", texts[t], bytes_asked);
        free(texts[t]);
    }
    free(doubled);
    free(ragged);
}

/* What docs/notation.md promises a text of many definitions, and that more is refused where the memory ends. */
static void a_text_has_room_for_the_definitions_promised(void **state)
{
    (void)state;
    static const struct {
        const char *dims;
        int count;
    } rows[] = { { "[4]", 200 }, { "[4][4]", 110 }, { "[[2][2]][[2][2]]", 40 } };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int is_double = 0; is_double <= 1; is_double++) {
            char text[20000];
            size_t length = 0;
            for (int i = 0; i < rows[r].count << is_double; i++)
                length += (size_t)snprintf(text + length, sizeof text - length, "A%d=%s;", i, rows[r].dims);
            snprintf(text + length, sizeof text - length, "[#A0]");
            lay_desc *desc = NULL;
            const lay_status status = lay_desc_parse(text, &desc);
            claim(status == (is_double ? LAY_ERR_SYNTAX : LAY_OK), "%.40s: %s", text, lay_last_error());
            claim(!is_double || (strstr(lay_last_error(), "at character ") && strstr(lay_last_error(), "64 KiB")), "%s",
                  lay_last_error());
            lay_desc_destroy(desc);
        }
}

/* One round of everything that allocates; the statuses and answers it met. */
struct round {
    int memory; /* calls that ran out */
    int ok;
};

static void note(struct round *round, lay_status status)
{
    claim(status == LAY_OK || status == LAY_ERR_MEMORY, "%s: %s", lay_status_name(status), lay_last_error());
    round->memory += status == LAY_ERR_MEMORY;
    round->ok += status == LAY_OK;
}

static struct round do_everything(void)
{
    struct round round = { 0, 0 };
    static const char text[] = "A=[[3:100][5:1]][7:1000]; [11@2#A_0][#A_1]";
    const int64_t extents[2] = { 6, 4 }, parts[2] = { 3, 2 }, tile[2] = { 4, 4 }, coords[2] = { 1, 1 };
    lay_desc *desc = NULL, *view = NULL, *tiled = NULL;
    int64_t offset;
    note(&round, lay_desc_natural(2, extents, &desc));
    if (desc) {
        note(&round, lay_desc_split(desc, 0, 2, parts, &view));
        lay_desc_destroy(view);
    }
    lay_desc_destroy(desc);
    view = desc = NULL;
    note(&round, lay_desc_strided(2, extents, tile, &view));
    lay_desc_destroy(view);
    view = NULL;
    note(&round, lay_desc_parse(text, &desc));
    if (!desc)
        return round;
    char out[200];
    const int length = lay_desc_format(desc, out, sizeof out);
    claim(length > 0 || (length < 0 && strstr(lay_last_error(), "memory")), "%d %s", length, lay_last_error());
    const int injective = lay_desc_is_injective(desc);
    claim(injective == 1 || calls_left < 0, "%d", injective);
    lay_desc_is_apart(desc, out, desc, out + 4, 4);
    round.memory += lay_desc_stride(desc, "0", NULL) < 0;
    note(&round, lay_desc_dim(desc, "1", &view));
    lay_desc_destroy(view);
    view = NULL;
    note(&round, lay_desc_permute(desc, NULL, &view));
    if (view) {
        const lay_desc *const both[2] = { desc, view };
        lay_desc *joined = NULL;
        note(&round, lay_desc_join(2, both, &joined));
        lay_desc_destroy(joined);
    }
    lay_desc_destroy(view);
    view = NULL;
    note(&round, lay_desc_slice(desc, 0, 3, 4, &view));
    lay_desc_destroy(view);
    view = NULL;
    note(&round, lay_desc_tile(desc, tile, &tiled));
    if (tiled)
        note(&round, lay_desc_tile_at(tiled, coords, &view, &offset));
    lay_desc_destroy(view);
    lay_desc_destroy(tiled);
    lay_desc_destroy(desc);
    return round;
}

static void every_allocation_may_fail_once(void **state)
{
    (void)state;
    const struct round whole = do_everything();
    assert_int_equal(whole.memory, 0);
    int failed = 0;
    for (long at = 0;; at++) {
        calls_left = at;
        const struct round round = do_everything();
        const int done = calls_left >= 0; /* no call has failed any more */
        calls_left = -1;
        claim(round.memory <= 1, "%d", round.memory);
        failed += round.memory;
        if (done)
            break;
    }
    claim(failed >= 20, "%d", failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_up_to_63_bits_are_exact),
        cmocka_unit_test(sizes_past_63_bits_are_refused),
        cmocka_unit_test(empty_layouts_answer_every_question),
        cmocka_unit_test(mistakes_get_a_status_and_a_sentence),
        cmocka_unit_test(hostile_texts_cost_little),
        cmocka_unit_test(every_allocation_may_fail_once),
        cmocka_unit_test(a_text_has_room_for_the_definitions_promised),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("layout limits", tests, NULL, NULL);
}
