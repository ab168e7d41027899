/* Everything a descriptor can be asked, compared with the table it should be. */
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layout/desc.h"

void oracle_fail(const char *file, int line, const char *condition, const char *format, ...)
{
    char text[6000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_error("not so: %s\n%s\n", condition, text);
    _fail(file, line);
}

int oracle_cases(int usual)
{
    const char *const percent = getenv("LAYOUT_CASES");
    return percent ? usual * atoi(percent) / 100 : usual;
}

/* What is checked, for the error message. */
struct about {
    chance *from;
    const lay_desc *desc;
    const char *story;
};

static void check_path(const struct about *about, naive_dim dim, const char *path)
{
    const naive_tree *const tree = dim.tree;
    claim(lay_desc_extent(about->desc, path) == tree->extent, "%s\nat \"%s\"", about->story, path);
    int steps = 1;
    const int64_t step = tree->extent > 1 ? dim.value[1] - dim.value[0] : 0;
    for (int64_t i = 1; i < tree->extent; i++)
        steps = steps && dim.value[i] - dim.value[i - 1] == step;
    int64_t stride = 77;
    claim(lay_desc_stride(about->desc, path, &stride) == steps, "%s\nat \"%s\"", about->story, path);
    claim(stride == (steps ? step : 77), "%s\nat \"%s\"", about->story, path);
    claim(lay_desc_is_contiguous(about->desc, path) == (steps && (step == 1 || tree->extent <= 1)), "%s\nat \"%s\"",
          about->story, path);
}

static void check_paths(const struct about *about, naive_dim dim, const char *path)
{
    check_path(about, dim, path);
    claim(lay_desc_parts(about->desc, path) == dim.tree->parts, "%s\nat \"%s\" %d parts, not %d", about->story, path,
          lay_desc_parts(about->desc, path), dim.tree->parts);
    char deeper[200];
    snprintf(deeper, sizeof deeper, "%s_%d", path, dim.tree->parts);
    claim(lay_desc_extent(about->desc, deeper) == -1 && lay_desc_parts(about->desc, deeper) == -1, "%s\nat \"%s\"",
          about->story, deeper);
    for (int c = 0; c < dim.tree->parts; c++) {
        snprintf(deeper, sizeof deeper, "%s_%d", path, c);
        check_paths(about, naive_part(dim, c), deeper);
    }
}

static void oracle_offsets(const struct about *about, const naive *layout, int64_t offset[])
{
    const int64_t total = naive_total(layout);
    int leaves = 0;
    for (int d = 0; d < layout->rank; d++)
        leaves += naive_leaves(layout->dim[d].tree);
    int64_t *const leaf = calloc((size_t)leaves + 1, sizeof *leaf);
    for (int64_t i = 0; i < total; i++) {
        int64_t index[NAIVE_RANK], x = i;
        int at = leaves;
        for (int d = layout->rank - 1; d >= 0; d--) {
            const naive_tree *const tree = layout->dim[d].tree;
            index[d] = x % tree->extent;
            x /= tree->extent;
            at -= naive_leaves(tree);
            naive_digits(tree, index[d], leaf + at);
        }
        offset[i] = naive_offset(layout, i);
        const int64_t by_number = lay_desc_offset(about->desc, 1, &i);
        claim(by_number == offset[i], "%s\nelement %lld is at %lld, not %lld", about->story, (long long)i,
              (long long)by_number, (long long)offset[i]);
        claim(lay_desc_offset(about->desc, layout->rank, index) == offset[i], "%s\nelement %lld", about->story,
              (long long)i);
        claim(lay_desc_offset(about->desc, leaves, leaf) == offset[i], "%s\nelement %lld", about->story, (long long)i);
    }
    const int64_t beyond[2] = { total, -1 };
    claim(lay_desc_offset(about->desc, 1, &beyond[0]) == LAY_NO_OFFSET, "%s", about->story);
    claim(lay_desc_offset(about->desc, 1, &beyond[1]) == LAY_NO_OFFSET, "%s", about->story);
    free(leaf);
}

static int count_up(const naive_tree *tree, int64_t leaf[])
{
    if (tree->parts == 0) {
        leaf[0] = leaf[0] + 1 < tree->extent ? leaf[0] + 1 : 0;
        return leaf[0] == 0;
    }
    int at = naive_leaves(tree), carry = 1;
    for (int c = tree->parts - 1; c >= 0 && carry; c--) {
        at -= naive_leaves(tree->part[c]);
        carry = count_up(tree->part[c], leaf + at);
    }
    return carry;
}

/* Leaf indices that have no element, at short edges, are refused: as many are answered as there are
 * elements. The others of root dimension d stay 0. */
static void check_edges(const struct about *about, const naive *layout, int d)
{
    int leaves = 0, before = 0;
    for (int e = 0; e < layout->rank; e++) {
        before += e < d ? naive_leaves(layout->dim[e].tree) : 0;
        leaves += naive_leaves(layout->dim[e].tree);
    }
    if (leaves == layout->rank || leaves == 1 || naive_total(layout) == 0)
        return;
    int64_t *const leaf = calloc((size_t)leaves, sizeof *leaf), answered = 0;
    do
        answered += lay_desc_offset(about->desc, leaves, leaf) != LAY_NO_OFFSET;
    while (!count_up(layout->dim[d].tree, leaf + before));
    claim(answered == layout->dim[d].tree->extent, "%s\n%lld", about->story, (long long)answered);
    free(leaf);
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void check_set(const struct about *about, int64_t total, int64_t offset[])
{
    int64_t low, high;
    lay_desc_span(about->desc, &low, &high);
    qsort(offset, (size_t)total, sizeof *offset, by_value);
    int injective = 1;
    for (int64_t i = 1; i < total; i++)
        injective = injective && offset[i] != offset[i - 1];
    claim(low == (total > 0 ? offset[0] : 0), "%s\nlowest %lld", about->story, (long long)low);
    claim(high == (total > 0 ? offset[total - 1] : -1), "%s\nhighest %lld", about->story, (long long)high);
    claim(lay_desc_is_injective(about->desc) == injective, "%s", about->story);
}

static void check_map(const struct about *about, naive_dim dim, const lay_node *map)
{
    const int64_t extent = dim.tree->extent;
    claim(map->extent == extent, "%s", about->story);
    int64_t *const out = calloc((size_t)extent + 1, sizeof *out);
    for (int64_t i = 0; i < extent; i++)
        claim(lay_map_offset(map, i) == dim.value[i], "%s\nindex %lld", about->story, (long long)i);
    for (int round = 0; round < 3 && extent > 0; round++) {
        const int64_t first = chance_in(about->from, 0, extent - 1);
        const int64_t count = round == 0 ? extent - first : chance_in(about->from, 0, extent - first);
        lay_map_offsets(map, first, count, out);
        claim(memcmp(out, dim.value + first, (size_t)count * sizeof *out) == 0, "%s\noffsets from %lld, %lld",
              about->story, (long long)first, (long long)count);
    }
    free(out);
    lay_leaf leaf[LAY_MAX_NODES];
    int count;
    int64_t base;
    if (!lay_map_flatten(map, leaf, &count, &base))
        return;
    for (int c = 0; c < count; c++) {
        claim(leaf[c].extent > 1, "%s", about->story);
        claim(c == 0 || leaf[c - 1].stride != leaf[c].stride * leaf[c].extent, "%s\nleaf %d folds", about->story, c);
    }
    for (int64_t i = 0; i < extent; i++) {
        int64_t x = i, offset = base;
        for (int c = count - 1; c >= 0; c--) {
            offset += x % leaf[c].extent * leaf[c].stride;
            x /= leaf[c].extent;
        }
        claim(offset == dim.value[i] && x == 0, "%s\nflat index %lld", about->story, (long long)i);
    }
}

static void check_notation(const struct about *about, const naive *layout, const char *text, int length)
{
    char small[8];
    claim(lay_desc_format(about->desc, small, sizeof small) == length, "%s", about->story);
    claim(strncmp(small, text, 7) == 0 && strlen(small) == (size_t)(length < 7 ? length : 7), "%s", about->story);
    claim(lay_desc_format(about->desc, NULL, 0) == length, "%s", about->story);
    lay_desc *again = NULL;
    const lay_status status = lay_desc_parse(text, &again);
    claim(status == LAY_OK, "%s\n%s", about->story, lay_last_error());
    claim(lay_desc_equal(about->desc, again) == 1, "%s", about->story);
    const struct about about_again = { about->from, again, about->story };
    char path[20];
    for (int d = 0; d < layout->rank; d++) {
        snprintf(path, sizeof path, "%d", d);
        check_paths(&about_again, layout->dim[d], path);
    }
    int64_t *const offset = calloc((size_t)naive_total(layout) + 1, sizeof *offset);
    oracle_offsets(&about_again, layout, offset);
    free(offset);
    lay_desc_destroy(again);
}

void oracle_desc(chance *from, const lay_desc *desc, const naive *layout, const char *story)
{
    char told[6000], text[4000], path[20];
    const int length = lay_desc_format(desc, text, sizeof text);
    claim(length > 0 && length < (int)sizeof text, "%s\n%d %s", story, length, lay_last_error());
    snprintf(told, sizeof told, "%s\nwhich is %s", story, text);
    const struct about about = { from, desc, told };
    const int64_t total = naive_total(layout);
    claim(lay_desc_rank(desc) == layout->rank && lay_desc_parts(desc, "") == layout->rank, "%s", told);
    claim(lay_desc_extent(desc, NULL) == total && lay_desc_extent(desc, "") == total, "%s", told);
    check_path(&about, layout->rank == 1 ? layout->dim[0] : naive_join(layout->rank, layout->dim, -1), "");
    for (int d = 0; d < layout->rank; d++) {
        snprintf(path, sizeof path, "%d", d);
        check_paths(&about, layout->dim[d], path);
        check_map(&about, layout->dim[d], lay_desc_map(desc, d));
        check_edges(&about, layout, d);
    }
    int64_t *const offset = calloc((size_t)total + 1, sizeof *offset);
    oracle_offsets(&about, layout, offset);
    check_set(&about, total, offset);
    free(offset);
    check_notation(&about, layout, text, length);
}

lay_desc *oracle_parse(const char *text)
{
    lay_desc *desc = NULL;
    const lay_status status = lay_desc_parse(text, &desc);
    claim(status == LAY_OK, "%s\n%s", text, lay_last_error());
    return desc;
}
