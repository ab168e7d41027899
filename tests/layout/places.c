/* Layouts over places: pairs of tables, index -> place and index -> offset, that are viewed side by side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "layoutgemm_team.h"
#include "oracle.h"

enum { TEXT = 1000, MOST_DIMS = 4, MOST_GRID = 3 };

/* A descriptor, and what it should be: of the offsets and of the places one table each. */
typedef struct subject {
    lay_desc *desc;
    naive offset, place;
    int64_t places, copies;
    char story[TEXT * 2];
    size_t told;
} subject;

__attribute__((format(printf, 2, 3))) static void tell(subject *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    s->told += (size_t)vsnprintf(s->story + s->told, sizeof s->story - s->told, format, arguments);
    va_end(arguments);
}

/* Some dimensions of A and P, all of one of them if it has as many. */
typedef struct digit {
    int is_place, number;
    naive_dim offset, place;
} digit;

static naive_dim nothing(int64_t extent)
{
    return naive_step(extent, 0);
}

/* Digits of A, in order, and of P, in any order and not all of them, dealt into two or three root dimensions. */
static void start_subject(subject *s, chance *from, uint64_t seed)
{
    digit digits[MOST_DIMS + MOST_GRID];
    int count = 0;
    *from = (chance){ seed };
    *s = (subject){ .places = 1, .copies = 1 };
    const int grid = (int)chance_in(from, 1, MOST_GRID), dims = (int)chance_in(from, 1, MOST_DIMS);
    int64_t of_grid[MOST_GRID], of_a[MOST_DIMS], step = 1;
    tell(s, "P=");
    for (int d = 0; d < grid; d++)
        tell(s, "(%lld)", (long long)(of_grid[d] = chance_in(from, 1, 4)));
    tell(s, "; A=");
    for (int d = 0; d < dims; d++)
        tell(s, "[%lld]", (long long)(of_a[d] = chance_in(from, 1, 5)));
    for (int d = grid - 1; d >= 0; d--) {
        if (chance_in(from, 0, 3)) {
            digits[count++] = (digit){ 1, d, nothing(of_grid[d]), naive_step(of_grid[d], s->places) };
        } else {
            s->copies *= of_grid[d];
        }
        s->places *= of_grid[d];
    }
    for (int d = dims - 1; d >= 0; step *= of_a[d--])
        digits[count++] = (digit){ 0, d, naive_step(of_a[d], step), nothing(of_a[d]) };
    for (int i = count - 1; i > 0; i--) { /* shuffled */
        const int j = (int)chance_in(from, 0, i);
        const digit was = digits[i];
        digits[i] = digits[j];
        digits[j] = was;
    }
    tell(s, "; ");
    for (int first = 0; first < count;) {
        const int rest = count - first, last = s->offset.rank == 2 ? rest : 1 + (int)chance_in(from, 0, rest - 1);
        naive_dim offset[MOST_DIMS + MOST_GRID], place[MOST_DIMS + MOST_GRID];
        int64_t full = 1, behind;
        for (int i = 0; i < last && i < NAIVE_PARTS; i++) {
            offset[i] = digits[first + i].offset;
            place[i] = digits[first + i].place;
            full *= offset[i].tree->extent;
        }
        const int parts = last < NAIVE_PARTS ? last : NAIVE_PARTS;
        behind = full / offset[0].tree->extent;
        const int64_t least = full - behind + 1 > behind ? full - behind + 1 : behind;
        const int64_t ragged = chance_in(from, least, full);
        const int64_t cut = chance_in(from, 0, 1) ? full : ragged;
        tell(s, "[");
        if (cut < full)
            tell(s, "%lld", (long long)cut);
        for (int i = 0; i < parts; i++)
            tell(s, "[#%c_%d]", digits[first + i].is_place ? 'P' : 'A', digits[first + i].number);
        tell(s, "]");
        s->offset.dim[s->offset.rank++] = naive_join(parts, offset, cut);
        s->place.dim[s->place.rank++] = naive_join(parts, place, cut);
        for (int i = parts; i < last; i++) /* too many for a table: they stay at 0, but are no longer mentioned */
            if (digits[first + i].is_place)
                s->copies *= of_grid[digits[first + i].number];
        first += last;
    }
    const lay_status status = lay_desc_parse(s->story, &s->desc);
    claim(status == LAY_OK, "seed %llu: %s\n%s", (unsigned long long)seed, s->story, lay_last_error());
}

static void replace(subject *s, lay_status status, lay_desc *view)
{
    claim(status == LAY_OK, "%s\n%s", s->story, lay_last_error());
    lay_desc_destroy(s->desc);
    s->desc = view;
}

static void take_view(subject *s, chance *from)
{
    lay_desc *view = NULL;
    const int d = (int)chance_in(from, 0, s->offset.rank - 1);
    const int64_t extent = s->offset.dim[d].tree->extent;
    const int64_t start = chance_in(from, 0, extent), count = chance_in(from, 0, extent - start);
    lay_status status;
    switch (chance_in(from, 0, 3)) {
    case 0:
        tell(s, "\nreversed");
        for (int i = 0, j = s->offset.rank - 1; i < j; i++, j--) {
            const naive_dim offset = s->offset.dim[i], place = s->place.dim[i];
            s->offset.dim[i] = s->offset.dim[j];
            s->place.dim[i] = s->place.dim[j];
            s->offset.dim[j] = offset;
            s->place.dim[j] = place;
        }
        status = lay_desc_permute(s->desc, NULL, &view);
        break;
    case 1: {
        tell(s, "\nwhole");
        s->offset = (naive){ 1, { naive_join(s->offset.rank, s->offset.dim, -1) } };
        s->place = (naive){ 1, { naive_join(s->place.rank, s->place.dim, -1) } };
        status = lay_desc_dim(s->desc, NULL, &view);
        break;
    }
    default:
        tell(s, "\nslice %d: %lld from %lld", d, (long long)count, (long long)start);
        s->offset.dim[d] = naive_slice(s->offset.dim[d], start, count);
        s->place.dim[d] = naive_slice(s->place.dim[d], start, count);
        status = lay_desc_slice(s->desc, d, start, count, &view);
    }
    replace(s, status, view);
}

static void check_elements(const subject *s)
{
    int64_t lowest, highest, low = INT64_MAX, high = INT64_MIN;
    const int64_t total = naive_total(&s->offset);
    claim(lay_desc_extent(s->desc, "") == total, "%s", s->story);
    claim(lay_desc_places(s->desc) == s->places, "%s\n%lld", s->story, (long long)lay_desc_places(s->desc));
    claim(lay_desc_copies(s->desc) == s->copies, "%s\n%lld", s->story, (long long)lay_desc_copies(s->desc));
    for (int64_t i = 0; i < total; i++) {
        const int64_t offset = naive_offset(&s->offset, i), place = naive_offset(&s->place, i);
        claim(lay_desc_offset(s->desc, 1, &i) == offset, "%s\nelement %lld: %lld, not %lld", s->story, (long long)i,
              (long long)lay_desc_offset(s->desc, 1, &i), (long long)offset);
        claim(lay_desc_place_of(s->desc, 1, &i) == place, "%s\nelement %lld: place %lld, not %lld", s->story,
              (long long)i, (long long)lay_desc_place_of(s->desc, 1, &i), (long long)place);
        low = offset < low ? offset : low;
        high = offset > high ? offset : high;
    }
    lay_desc_span(s->desc, &lowest, &highest);
    claim(total == 0 ? lowest == 0 && highest == -1 : lowest == low && highest == high, "%s\n%lld to %lld", s->story,
          (long long)lowest, (long long)highest);
}

/* The offsets at a place, in the order of the indices: those of the elements whose place it is, copies taken out. */
static void check_parts(const subject *s)
{
    const int64_t total = naive_total(&s->offset);
    int64_t elements = 0;
    for (int64_t place = 0; place < s->places; place++) {
        lay_desc *part = NULL;
        const lay_status status = lay_desc_local(s->desc, place, &part);
        claim(status == LAY_OK, "%s\n%s", s->story, lay_last_error());
        claim(lay_desc_places(part) == 1 && lay_desc_rank(part) == s->offset.rank, "%s", s->story);
        const int64_t own = lay_desc_extent(part, "");
        elements += own;
        if (own > 0 && s->copies == 1) {
            int64_t next = 0;
            for (int64_t i = 0; i < total; i++)
                if (naive_offset(&s->place, i) == place) {
                    claim(next < own, "%s\nplace %lld", s->story, (long long)place);
                    claim(lay_desc_offset(part, 1, &next) == naive_offset(&s->offset, i), "%s\nplace %lld", s->story,
                          (long long)place);
                    next++;
                }
            claim(next == own, "%s\nplace %lld", s->story, (long long)place);
        }
        lay_desc_destroy(part);
    }
    claim(elements == total * s->copies, "%s\n%lld of %lld elements", s->story, (long long)elements, (long long)total);
}

static void check_notation(const subject *s)
{
    char text[4000];
    lay_desc *again = NULL;
    claim(lay_desc_format(s->desc, text, sizeof text) < (int)sizeof text, "%s", s->story);
    const lay_status status = lay_desc_parse(text, &again);
    claim(status == LAY_OK, "%s\n%s\n%s", s->story, text, lay_last_error());
    claim(lay_desc_equal(s->desc, again), "%s\n%s", s->story, text);
    lay_desc_destroy(again);
}

static void views_of_pairs_are_pairs_of_views(void **state)
{
    (void)state;
    for (int seed = 500001; seed <= 500000 + oracle_cases(8000); seed++) {
        subject s;
        chance from;
        start_subject(&s, &from, (uint64_t)seed);
        for (int64_t left = chance_in(&from, 0, 3);; left--) {
            check_elements(&s);
            check_parts(&s);
            check_notation(&s);
            if (left == 0)
                break;
            take_view(&s, &from);
        }
        lay_desc_destroy(s.desc);
        naive_reset();
    }
}

static void block_cyclic_is_scalapacks(void **state)
{
    (void)state;
    for (int seed = 1; seed <= oracle_cases(2000); seed++) {
        chance from = { (uint64_t)seed };
        const int rows = (int)chance_in(&from, 1, 3), columns = (int)chance_in(&from, 1, 3);
        const int m = (int)chance_in(&from, 0, 30), n = (int)chance_in(&from, 0, 30);
        const int mb = (int)chance_in(&from, 1, 9), nb = (int)chance_in(&from, 1, 9), by_columns = seed & 1;
        const int lld = 1 + m + (int)chance_in(&from, 0, 3);
        lay_desc *desc = NULL;
        const lay_status status =
            lay_desc_from_scalapack((const int[]){ 1, 0, m, n, mb, nb, 0, 0, lld }, rows, columns, by_columns, &desc);
        claim(status == LAY_OK, "seed %d: %s", seed, lay_last_error());
        claim(lay_desc_extent(desc, "0") == m && lay_desc_extent(desc, "1") == n, "seed %d", seed);
        claim(lay_desc_places(desc) == rows * columns, "seed %d", seed);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                const int row = i / mb % rows, column = j / nb % columns;
                const int at_i = i / (mb * rows) * mb + i % mb, at_j = j / (nb * columns) * nb + j % nb;
                const int64_t index[2] = { i, j };
                claim(lay_desc_place_of(desc, 2, index) == (by_columns ? column * rows + row : row * columns + column),
                      "seed %d: %d, %d", seed, i, j);
                claim(lay_desc_offset(desc, 2, index) == at_i + at_j * lld, "seed %d: %d, %d", seed, i, j);
            }
        lay_desc_destroy(desc);
    }
}

static void descriptors_that_are_not_served_are_refused(void **state)
{
    (void)state;
    static const struct {
        int desc[9], rows;
        lay_status status;
        const char *word;
    } rows[] = {
        { { 501, 0, 4, 4, 2, 2, 0, 0, 4 }, 2, LAY_ERR_UNSUPPORTED, "DTYPE_" },
        { { 1, 0, 4, 4, 2, 2, 1, 0, 4 }, 2, LAY_ERR_UNSUPPORTED, "RSRC_" },
        { { 1, 0, 4, 4, 2, 2, 0, 1, 4 }, 2, LAY_ERR_UNSUPPORTED, "CSRC_" },
        { { 1, 0, -1, 4, 2, 2, 0, 0, 4 }, 2, LAY_ERR_ARGUMENT, "M_" },
        { { 1, 0, 4, 4, 0, 2, 0, 0, 4 }, 2, LAY_ERR_ARGUMENT, "MB_" },
        { { 1, 0, 9, 4, 2, 2, 0, 0, 4 }, 2, LAY_ERR_ARGUMENT, "LLD_" },
        { { 1, 0, 4, 4, 2, 2, 0, 0, 4 }, 0, LAY_ERR_ARGUMENT, "grid" },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        lay_desc *desc = NULL;
        const lay_status status = lay_desc_from_scalapack(rows[r].desc, rows[r].rows, 2, 0, &desc);
        claim(status == rows[r].status && !desc && strstr(lay_last_error(), rows[r].word), "%zu: %s", r,
              lay_last_error());
    }
}

static void texts_that_are_no_places_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        lay_status status;
        const char *word;
    } rows[] = {
        { "(2)(3)", LAY_ERR_SYNTAX, "';' is expected" },
        { "P=(2);", LAY_ERR_SYNTAX, "'[' is expected" },
        { "P=(2; [2]", LAY_ERR_SYNTAX, "')'" },
        { "P=(2)[3]; [2]", LAY_ERR_SYNTAX, "'('" },
        { "P=([2]); [2]", LAY_ERR_SYNTAX, "a number of places" },
        { "P=(0); [2]", LAY_ERR_EXTENT, "no places" },
        { "P=(-1); [2]", LAY_ERR_EXTENT, "negative" },
        { "P=(2); Q=(2); [2]", LAY_ERR_SYNTAX, "defined once" },
        { "P=(2)(2)(2)(2)(2)(2)(2)(2)(2); [2]", LAY_ERR_SYNTAX, "at most 8" },
        { "P=(2097153); [2]", LAY_ERR_OVERFLOW, "2097152" },
        { "P=(2); [#P_1]", LAY_ERR_REFERENCE, "leads to no dimension" },
        { "P=(2); [3#P_0]", LAY_ERR_EXTENT, "more indices" },
        { "P=(2); A=[4]; [[#P_0][#P_0]][#A]", LAY_ERR_REFERENCE, "used twice" },
        { "P=(3)(4); [[#P_1]][[#P_1]][[1#P_0]]", LAY_ERR_REFERENCE, "used twice" },
        { "[4:1:1]", LAY_ERR_REFERENCE, "no places before" },
        { "P=(2); [4:1:2]", LAY_ERR_EXTENT, "more places" },
        { "P=(2!); [4:1:1]", LAY_ERR_REFERENCE, "places that there are not" },
        { "P=(2!); [549755813888][2]", LAY_ERR_OVERFLOW, "38 bits" },
        { "P=(2!); A=[1000000:1000000]; [#A][#A]", LAY_ERR_OVERFLOW, "38 bits" },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        lay_desc *desc = NULL;
        const lay_status status = lay_desc_parse(rows[r].text, &desc);
        claim(status == rows[r].status && !desc, "%s\n%d, %s", rows[r].text, (int)status, lay_last_error());
        claim(strncmp(lay_last_error(), "at character ", 13) == 0 && strstr(lay_last_error(), rows[r].word), "%s\n%s",
              rows[r].text, lay_last_error());
    }
}

/* Status and sentence, and C as it was. */
static void without_a_team_they_are_refused(void **state)
{
    (void)state;
    lay_desc *const spread = oracle_parse("P=(2); A=[2][4]; [[#P_0][#A_0]][#A_1]"), *const plain =
                                                                                        oracle_parse("[4][4]");
    float a[16] = { 0 }, b[16] = { 0 }, c[16];
    const lay_desc *const each[3][3] = { { spread, plain, plain }, { plain, spread, plain }, { plain, plain, spread } };
    for (int i = 0; i < 16; i++)
        c[i] = (float)i;
    for (int i = 0; i < 3; i++) {
        const char name[] = { "ABC"[i], ' ', 'i', 's', 0 };
        assert_int_equal(lay_sgemm(each[i][0], each[i][1], each[i][2], 1, a, b, 0, c, NULL), LAY_ERR_UNSUPPORTED);
        claim(strncmp(lay_last_error(), name, 4) == 0 && strstr(lay_last_error(), "2 places"), "%s", lay_last_error());
        assert_int_equal(lay_contract(LAY_F32, "ik,kj->ij", each[i][0], each[i][1], each[i][2], &(float){ 1 }, a, b,
                                      &(float){ 0 }, c, NULL),
                         LAY_ERR_UNSUPPORTED);
    }
    assert_int_equal(lay_copy(LAY_F32, spread, a, plain, c, NULL), LAY_ERR_UNSUPPORTED);
    assert_int_equal(lay_copy(LAY_F32, plain, a, spread, c, NULL), LAY_ERR_UNSUPPORTED);
    for (int i = 0; i < 16; i++)
        assert_true(c[i] == (float)i);
    void *memory = NULL;
    assert_int_equal(lay_alloc(LAY_F32, spread, LAY_MEMORY_HOST, &memory), LAY_ERR_UNSUPPORTED);
    assert_null(memory);
    assert_int_equal(lay_desc_bytes(LAY_F32, spread), -1);
    lay_desc *tiled = NULL, *none = NULL;
    int64_t offset = 7;
    assert_int_equal(lay_desc_tile(spread, (const int64_t[]){ 2, 2 }, &tiled), LAY_OK);
    assert_int_equal(lay_desc_tile_at(tiled, (const int64_t[]){ 0, 0 }, &none, &offset), LAY_ERR_UNSUPPORTED);
    assert_int_equal(offset, 7);
    assert_int_equal(lay_desc_local(spread, 2, &none), LAY_ERR_EXTENT);
    assert_int_equal(lay_desc_local(spread, -1, &none), LAY_ERR_EXTENT);
    assert_int_equal(lay_desc_local(NULL, 0, &none), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_desc_places(NULL), -1);
    assert_int_equal(lay_desc_copies(NULL), -1);
    assert_int_equal(lay_desc_place_of(spread, 2, (const int64_t[]){ 4, 0 }), -1);
    assert_null(none);
    lay_desc_destroy(tiled);
    lay_desc_destroy(spread);
    lay_desc_destroy(plain);
}

/* Other places, or copies elsewhere, are another layout; one place is none. */
static void equal_means_the_same_places(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        int is_equal;
    } rows[] = {
        { "P=(2); A=[2][4]; [[#P_0][#A_0]][#A_1]", "(2!); [[2:0:1][2:4]][4:1]", 1 },
        { "P=(2); A=[2][4]; [[#P_0][#A_0]][#A_1]", "P=(2); A=[2][4]; [[#A_0][#P_0]][#A_1]", 0 },
        { "P=(2)(2); [4]", "P=(4); [4]", 1 },
        { "P=(2)(2); [4]", "P=(2!)(2); [4]", 0 },
        { "P=(2)(2!); [4]", "P=(2!)(2); [4]", 0 },
        { "P=(4); [4]", "[4]", 0 },
        { "P=(1)(1); A=[4]; [[#P_1][#A]]", "[4]", 1 },
        { "P=(2); [0]", "P=(3); [0]", 0 },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        lay_desc *const a = oracle_parse(rows[r].a), *const b = oracle_parse(rows[r].b);
        claim(lay_desc_equal(a, b) == rows[r].is_equal, "%s and %s", rows[r].a, rows[r].b);
        lay_desc_destroy(a);
        lay_desc_destroy(b);
    }
}

/* Of no element a place is asked, so its digits may lead anywhere; what is written of it can be read. */
static void empty_layouts_forget_their_places(void **state)
{
    (void)state;
    static const struct {
        const char *text, *form;
    } rows[] = {
        { "P=(4); A=[2]; B=[[#P][#P]]; [0#A][2@7#B]", "(4!); [0:0][2:0]" },
        { "P=(4); A=[3][2]; [[#P][#A_0]][0#A_1]", "(4!); [[4:0][3:0]][0:0]" },
        { "P=(4); A=[2]; [[0#A][#P]]", "(4!); [0:0]" },
        { "P=(7); A=[1000][0][100000][1000]; [[#A_0][#A]]", "(7!); [0:0]" },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        char text[200];
        lay_desc *const desc = oracle_parse(rows[r].text);
        assert_true(lay_desc_format(desc, text, sizeof text) > 0);
        lay_desc *const again = oracle_parse(text), *const form = oracle_parse(rows[r].form);
        claim(lay_desc_equal(desc, again) == 1 && lay_desc_equal(desc, form) == 1, "%s: %s", rows[r].text, text);
        for (int i = 0; i < lay_desc_rank(desc); i++) {
            const char path[2] = { (char)('0' + i), 0 };
            int64_t is = -1, wanted = -1;
            assert_int_equal(lay_desc_stride(desc, path, &is), lay_desc_stride(form, path, &wanted));
            claim(is == wanted, "%s: stride %lld of %s", rows[r].text, (long long)is, path);
        }
        lay_desc_destroy(desc);
        lay_desc_destroy(again);
        lay_desc_destroy(form);
    }
}

static void parts_join_on_one_grid(void **state)
{
    (void)state;
    lay_desc *const rows = oracle_parse("P=(2)(3); A=[4]; [[#P_0][#A]]"), *joined = NULL;
    lay_desc *const columns = oracle_parse("P=(2)(3); A=[5:4]; [[#P_1][#A]]"), *const other =
                                                                                   oracle_parse("P=(6); [4]");
    assert_int_equal(lay_desc_join(2, (const lay_desc *[]){ rows, columns }, &joined), LAY_OK);
    assert_int_equal(lay_desc_copies(joined), 1);
    assert_int_equal(lay_desc_place_of(joined, 2, (const int64_t[]){ 7, 14 }), 5);
    lay_desc_destroy(joined);
    joined = NULL;
    assert_int_equal(lay_desc_join(2, (const lay_desc *[]){ rows, rows }, &joined), LAY_ERR_REFERENCE);
    assert_int_equal(lay_desc_join(2, (const lay_desc *[]){ rows, other }, &joined), LAY_ERR_SHAPE);
    assert_null(joined);
    lay_desc_destroy(rows);
    lay_desc_destroy(columns);
    lay_desc_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_of_pairs_are_pairs_of_views),
        cmocka_unit_test(block_cyclic_is_scalapacks),
        cmocka_unit_test(descriptors_that_are_not_served_are_refused),
        cmocka_unit_test(texts_that_are_no_places_are_refused),
        cmocka_unit_test(without_a_team_they_are_refused),
        cmocka_unit_test(equal_means_the_same_places),
        cmocka_unit_test(empty_layouts_forget_their_places),
        cmocka_unit_test(parts_join_on_one_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
