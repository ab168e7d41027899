/* The algebra's promises at every index: random layouts and random views of them against tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layout/desc.h"
#include "oracle.h"

enum { TEXT_BYTES = 4096, MOST = 600 };

/* A descriptor, its table, and how it came about. */
struct subject {
    lay_desc *desc;
    naive layout;
    char story[TEXT_BYTES];
    size_t told;
};

__attribute__((format(printf, 2, 3))) static void tell(struct subject *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (s->told < sizeof s->story)
        s->told += (size_t)vsnprintf(s->story + s->told, sizeof s->story - s->told, format, arguments);
    va_end(arguments);
}

static void start_subject(struct subject *s, chance *from, uint64_t seed, int64_t most)
{
    char text[TEXT_BYTES];
    *from = (chance){ seed };
    s->told = 0;
    chance_text(from, most, text, sizeof text, &s->layout);
    tell(s, "seed %llu: %s", (unsigned long long)seed, text);
    s->desc = NULL;
    const lay_status status = lay_desc_parse(text, &s->desc);
    claim(status == LAY_OK, "%s\n%s", s->story, lay_last_error());
}

/* The view has been made: it takes the place of what it was made from. */
static void replace(struct subject *s, lay_status status, lay_desc *view)
{
    claim(status == LAY_OK, "%s\n%s", s->story, lay_last_error());
    lay_desc_destroy(s->desc);
    s->desc = view;
}

static void take_dim(struct subject *s, chance *from)
{
    char path[100];
    lay_desc *view = NULL;
    int d = (int)chance_in(from, -1, s->layout.rank - 1), length = 0;
    path[0] = '\0';
    naive_dim dim = s->layout.dim[0];
    if (d < 0 && s->layout.rank > 1)
        dim = naive_join(s->layout.rank, s->layout.dim, -1);
    if (d >= 0) {
        length = snprintf(path, sizeof path, "%d", d);
        for (dim = s->layout.dim[d]; dim.tree->parts > 0 && chance_in(from, 0, 1);) {
            const int c = (int)chance_in(from, 0, dim.tree->parts - 1);
            length += snprintf(path + length, sizeof path - (size_t)length, "_%d", c);
            dim = naive_part(dim, c);
        }
    }
    tell(s, "\ndim \"%s\"", path);
    s->layout = (naive){ 1, { dim } };
    const lay_status status = lay_desc_dim(s->desc, path, &view);
    replace(s, status, view);
}

static void take_permutation(struct subject *s, chance *from)
{
    int perm[NAIVE_RANK];
    const int rank = s->layout.rank, reverse = chance_in(from, 0, 2) == 0;
    for (int i = 0; i < rank; i++)
        perm[i] = reverse ? rank - 1 - i : i;
    for (int i = rank - 1; i > 0 && !reverse; i--) {
        const int j = (int)chance_in(from, 0, i), was = perm[i];
        perm[i] = perm[j];
        perm[j] = was;
    }
    naive permuted = { rank, { { 0 } } };
    tell(s, "\npermute");
    for (int i = 0; i < rank; i++) {
        permuted.dim[i] = s->layout.dim[perm[i]];
        tell(s, " %d", perm[i]);
    }
    s->layout = permuted;
    lay_desc *view = NULL;
    const lay_status status = lay_desc_permute(s->desc, reverse ? NULL : perm, &view);
    replace(s, status, view);
}

static void take_split(struct subject *s, chance *from)
{
    const int d = (int)chance_in(from, 0, s->layout.rank - 1), n = (int)chance_in(from, 1, 3);
    int64_t extents[3], rest = s->layout.dim[d].tree->extent;
    const naive_tree *part[3];
    tell(s, "\nsplit %d:", d);
    for (int c = 0; c < n; c++) {
        extents[c] = rest;
        if (c < n - 1 && rest > 0)
            do
                extents[c] = chance_in(from, 1, rest);
            while (rest % extents[c] != 0);
        if (c < n - 1 && rest == 0)
            extents[c] = chance_in(from, 0, 3);
        rest = rest > 0 ? rest / extents[c] : 0;
        part[c] = naive_leaf(extents[c]);
        tell(s, " %lld", (long long)extents[c]);
    }
    s->layout.dim[d] = naive_reshape(s->layout.dim[d], naive_nest(n, part, -1), 0);
    lay_desc *view = NULL;
    const lay_status status = lay_desc_split(s->desc, d, n, extents, &view);
    replace(s, status, view);
}

static void take_slice(struct subject *s, chance *from)
{
    const int d = (int)chance_in(from, 0, s->layout.rank - 1);
    const int64_t extent = s->layout.dim[d].tree->extent;
    const int64_t start = chance_in(from, 0, chance_in(from, 0, extent)), rest = extent - start;
    const int64_t count = chance_in(from, 0, 2) ? rest - chance_in(from, 0, rest / 3) : chance_in(from, 0, rest);
    tell(s, "\nslice %d: %lld from %lld", d, (long long)count, (long long)start);
    s->layout.dim[d] = naive_slice(s->layout.dim[d], start, count);
    lay_desc *view = NULL;
    const lay_status status = lay_desc_slice(s->desc, d, start, count, &view);
    replace(s, status, view);
}

static void take_tiles(struct subject *s, chance *from)
{
    int64_t tile[NAIVE_RANK];
    tell(s, "\ntile");
    for (int d = 0; d < s->layout.rank; d++) {
        const int64_t extent = s->layout.dim[d].tree->extent;
        tile[d] = chance_in(from, 1, extent + 2);
        tell(s, " %lld", (long long)tile[d]);
        const int64_t inner = tile[d] < extent || extent == 0 ? tile[d] : extent;
        const naive_tree *const part[2] = { naive_leaf((extent + inner - 1) / inner), naive_leaf(inner) };
        s->layout.dim[d] = naive_reshape(s->layout.dim[d], naive_nest(2, part, extent), 0);
    }
    lay_desc *view = NULL;
    const lay_status status = lay_desc_tile(s->desc, tile, &view);
    replace(s, status, view);
}

/* Each dimension, given two parts first where it has not, to one of its tiles. */
static void take_one_tile(struct subject *s, chance *from)
{
    int64_t coords[NAIVE_RANK], offset = 0, expected = 0;
    for (int d = 0; d < s->layout.rank; d++)
        if (s->layout.dim[d].tree->extent == 0)
            return;
    for (int d = 0; d < s->layout.rank; d++)
        if (s->layout.dim[d].tree->parts != 2) {
            take_tiles(s, from);
            break;
        }
    tell(s, "\ntile at");
    for (int d = 0; d < s->layout.rank; d++) {
        const naive_dim dim = s->layout.dim[d];
        const int64_t inner = dim.tree->part[1]->extent;
        coords[d] = chance_in(from, 0, dim.tree->part[0]->extent - 1);
        tell(s, " %lld", (long long)coords[d]);
        const int64_t start = coords[d] * inner, rest = dim.tree->extent - start;
        const int64_t count = rest < inner ? rest : inner, begin = dim.value[start];
        expected += begin;
        const naive_dim shape = naive_slice((naive_dim){ dim.tree->part[1], dim.value }, 0, count);
        s->layout.dim[d] = naive_shift(naive_reshape(dim, shape.tree, start), -begin);
    }
    lay_desc *view = NULL;
    const lay_status status = lay_desc_tile_at(s->desc, coords, &view, &offset);
    replace(s, status, view);
    claim(offset == expected, "%s\noffset %lld, not %lld", s->story, (long long)offset, (long long)expected);
}

/* With another random layout, in random order. */
static void take_join(struct subject *s, chance *from, uint64_t seed)
{
    struct subject other;
    chance apart;
    start_subject(&other, &apart, seed ^ 0x5555, 12);
    const naive_dim whole[2] = {
        s->layout.rank > 1 ? naive_join(s->layout.rank, s->layout.dim, -1) : s->layout.dim[0],
        other.layout.rank > 1 ? naive_join(other.layout.rank, other.layout.dim, -1) : other.layout.dim[0],
    };
    const int first = (int)chance_in(from, 0, 1);
    tell(s, "\njoin, %s, %s", first ? "second" : "first", other.story);
    const lay_desc *const parts[2] = { first ? other.desc : s->desc, first ? s->desc : other.desc };
    s->layout = (naive){ 2, { whole[first], whole[!first] } };
    lay_desc *view = NULL;
    const lay_status status = lay_desc_join(2, parts, &view);
    lay_desc_destroy(other.desc);
    replace(s, status, view);
}

static void check_subject(struct subject *s, chance *from)
{
    oracle_desc(from, s->desc, &s->layout, s->story);
}

static void notation_means_its_table(void **state)
{
    (void)state;
    for (int seed = 1; seed <= oracle_cases(8000); seed++) {
        struct subject s;
        chance from;
        start_subject(&s, &from, (uint64_t)seed, MOST);
        check_subject(&s, &from);
        lay_desc_destroy(s.desc);
        naive_reset();
    }
}

static void views_of_views_are_what_they_say(void **state)
{
    (void)state;
    for (int seed = 100001; seed <= 100000 + oracle_cases(12000); seed++) {
        struct subject s;
        chance from;
        start_subject(&s, &from, (uint64_t)seed, MOST / 2);
        for (int64_t left = chance_in(&from, 1, 5); left > 0; left--) {
            switch (chance_in(&from, 0, 8)) {
            case 0:
                take_dim(&s, &from);
                break;
            case 1:
                take_permutation(&s, &from);
                break;
            case 2:
                take_split(&s, &from);
                break;
            case 3:
            case 4:
                take_slice(&s, &from);
                break;
            case 5:
                take_tiles(&s, &from);
                break;
            case 6:
            case 7:
                take_one_tile(&s, &from);
                break;
            default:
                if (naive_total(&s.layout) < 100)
                    take_join(&s, &from, (uint64_t)seed * 31 + (uint64_t)left);
            }
            check_subject(&s, &from);
        }
        lay_desc_destroy(s.desc);
        naive_reset();
    }
}

static int same_table(const naive *a, const naive *b)
{
    if (a->rank != b->rank)
        return 0;
    for (int d = 0; d < a->rank; d++)
        if (a->dim[d].tree->extent != b->dim[d].tree->extent)
            return 0;
    for (int64_t i = 0; i < naive_total(a); i++)
        if (naive_offset(a, i) != naive_offset(b, i))
            return 0;
    return 1;
}

static int has_key_of(const lay_desc *a, const lay_desc *b)
{
    size_t size_a, size_b;
    const void *const key_a = lay_desc_key(a, &size_a), *const key_b = lay_desc_key(b, &size_b);
    const int same = size_a == size_b && memcmp(key_a, key_b, size_a) == 0;
    claim(!same || lay_desc_hash(a) == lay_desc_hash(b), "hashes of one key");
    return same;
}

/* It has elements, and no root dimension is cut across its radices. */
static int is_flat(const lay_desc *desc)
{
    lay_leaf leaves[LAY_MAX_NODES];
    int count, flat = lay_desc_extent(desc, "") > 0;
    int64_t base;
    for (int i = 0; i < lay_desc_rank(desc); i++)
        flat = flat && lay_map_flatten(lay_desc_map(desc, i), leaves, &count, &base);
    return flat;
}

/* Keys tell functions apart, and are one key for one function where no dimension is cut across its
 * radices. Small layouts, so that equal ones with other trees are among the pairs. */
static void equal_means_the_same_table(void **state)
{
    (void)state;
    enum { CROWD = 60 };
    int equal = 0;
    for (int seed = 200001; seed <= 200000 + oracle_cases(40); seed++) {
        struct subject crowd[CROWD];
        chance from;
        for (int i = 0; i < CROWD; i++)
            start_subject(&crowd[i], &from, (uint64_t)seed * CROWD + (uint64_t)i, 9);
        for (int i = 0; i < CROWD; i++) {
            for (int j = 0; j < CROWD; j++) {
                const int same = same_table(&crowd[i].layout, &crowd[j].layout);
                claim(lay_desc_equal(crowd[i].desc, crowd[j].desc) == same, "%s\n%s", crowd[i].story, crowd[j].story);
                const int same_key = has_key_of(crowd[i].desc, crowd[j].desc);
                claim(same || !same_key, "%s\n%s", crowd[i].story, crowd[j].story);
                claim(same_key || !same || !is_flat(crowd[i].desc) || !is_flat(crowd[j].desc), "%s\n%s", crowd[i].story,
                      crowd[j].story);
                equal += same && i != j;
            }
        }
        for (int i = 0; i < CROWD; i++)
            lay_desc_destroy(crowd[i].desc);
        naive_reset();
    }
    claim(equal > oracle_cases(1000), "%d equal pairs", equal);
}

/* A base pointer somewhere, elements of 1 to 8 bytes, the two arrays near each other. */
static void apart_means_no_shared_byte(void **state)
{
    (void)state;
    int apart = 0, overlapping = 0;
    for (int seed = 300001; seed <= 300000 + oracle_cases(6000); seed++) {
        struct subject a, b;
        chance from;
        start_subject(&a, &from, (uint64_t)seed * 2, 60);
        start_subject(&b, &from, (uint64_t)seed * 2 + 1, 60);
        for (int round = 0; round < 6; round++) {
            const int64_t size = chance_in(&from, 1, 8), at_a = 1000000, at_b = 1000000 + chance_in(&from, -30, 30);
            int meet = 0;
            for (int64_t i = 0; i < naive_total(&a.layout); i++)
                for (int64_t j = 0; j < naive_total(&b.layout) && !meet; j++)
                    meet = llabs(at_a + naive_offset(&a.layout, i) * size - at_b - naive_offset(&b.layout, j) * size) <
                           size;
            const int told = lay_desc_is_apart(a.desc, (const void *)(intptr_t)at_a, b.desc,
                                               (const void *)(intptr_t)at_b, (size_t)size);
            claim(told == !meet, "%s\n%s\nsize %d, %d apart", a.story, b.story, (int)size, (int)(at_b - at_a));
            apart += !meet;
            overlapping += meet;
        }
        lay_desc_destroy(a.desc);
        lay_desc_destroy(b.desc);
        naive_reset();
    }
    claim(apart > oracle_cases(4000) && overlapping > oracle_cases(3000), "%d apart, %d not", apart, overlapping);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notation_means_its_table),
        cmocka_unit_test(views_of_views_are_what_they_say),
        cmocka_unit_test(equal_means_the_same_table),
        cmocka_unit_test(apart_means_no_shared_byte),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("layout algebra", tests, NULL, NULL);
}
