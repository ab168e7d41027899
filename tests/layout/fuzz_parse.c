/* libFuzzer: any text is refused, or is a descriptor that survives every question, view and rewriting.
 *
 *   meson setup -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false build_fuzz   (with CC=clang)
 *   build_fuzz/tests/layout/fuzz_parse -max_total_time=60 corpus_found tests/layout/corpus */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/places.h"
#include "layoutgemm_team.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define claim(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "not so: %s\n", #condition);                                                               \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { TEXT_BYTES = 1 << 15 };

/* At some elements, first and last among them: inside the span, and the same by number and by index. */
static void ask(const lay_desc *desc)
{
    int64_t low, high;
    const int rank = lay_desc_rank(desc);
    const int64_t total = lay_desc_extent(desc, "");
    lay_desc_span(desc, &low, &high);
    claim((total == 0) == (high < low));
    for (int64_t at = 0; at < 9 && total > 0; at++) {
        const int64_t number = at < 8 ? total / 8 * at : total - 1;
        int64_t x = number, sum = 0;
        for (int i = rank - 1; i >= 0; i--) {
            const lay_node *const map = lay_desc_map(desc, i);
            int64_t out[2] = { 0, 0 };
            const int64_t digit = x % map->extent, count = digit + 1 < map->extent ? 2 : 1;
            lay_map_offsets(map, digit, count, out);
            claim(out[0] == lay_map_offset(map, digit));
            claim(count == 1 || out[1] == lay_map_offset(map, digit + 1));
            sum += out[0];
            x /= map->extent;
        }
        const int64_t place = lay_desc_places(desc) > 1 ? lay_desc_place_of(desc, 1, &number) : 0;
        sum -= place * LAY_PLACE_STEP;
        claim(lay_desc_offset(desc, 1, &number) == sum && low <= sum && sum <= high);
        claim(place >= 0 && place < lay_desc_places(desc));
    }
}

/* The same extents, strides and parts everywhere below path. */
static void compare(const lay_desc *a, const lay_desc *b, char *path, size_t length)
{
    int64_t stride_a = 0, stride_b = 0;
    const int parts = lay_desc_parts(a, path);
    claim(parts == lay_desc_parts(b, path));
    claim(lay_desc_extent(a, path) == lay_desc_extent(b, path));
    claim(lay_desc_stride(a, path, &stride_a) == lay_desc_stride(b, path, &stride_b) && stride_a == stride_b);
    for (int c = 0; c < parts; c++) {
        const int more = sprintf(path + length, length > 0 ? "_%d" : "%d", c);
        compare(a, b, path, length + (size_t)more);
        path[length] = '\0';
    }
}

static void rewrite(const lay_desc *desc)
{
    static char text[TEXT_BYTES];
    char path[1000] = "";
    lay_desc *again = NULL;
    const int length = lay_desc_format(desc, text, sizeof text);
    claim(length > 0 && length < TEXT_BYTES);
    if (lay_desc_parse(text, &again) != LAY_OK) { /* only for want of room */
        claim(strstr(lay_last_error(), "intricate") || strstr(lay_last_error(), "more than"));
        return;
    }
    claim(lay_desc_equal(desc, again) == 1);
    compare(desc, again, path, 0);
    lay_desc_destroy(again);
}

/* A number of seven digits or more, of which offsets that pass 63 bits can be made. */
static bool has_long_number(const char *text)
{
    for (size_t digits; *text; text += digits + (text[digits] != '\0'))
        if ((digits = strspn(text, "0123456789")) >= 7)
            return true;
    return false;
}

/* data chooses what is taken, of what text says. */
static void take_views(const lay_desc *desc, const char *text, const uint8_t *data, size_t size)
{
    int64_t tile[LAY_MAX_NODES], coords[LAY_MAX_NODES], offset;
    lay_desc *view = NULL, *tiled = NULL, *one = NULL;
    const int rank = lay_desc_rank(desc), dim = data[0] % rank;
    const int64_t extent = lay_desc_map(desc, dim)->extent, start = extent / 8 * (data[size - 1] % 7);
    if (extent < INT64_MAX / 8 && lay_desc_slice(desc, dim, start, (extent - start) * 7 / 8, &view) == LAY_OK) {
        ask(view);
        rewrite(view);
        lay_desc_destroy(view);
    }
    for (int i = 0; i < rank; i++) {
        tile[i] = 1 + data[(size_t)i % size] % 16;
        coords[i] = (lay_desc_map(desc, i)->extent + tile[i] - 1) / tile[i] - 1;
    }
    if (lay_desc_tile(desc, tile, &tiled) != LAY_OK)
        return;
    rewrite(tiled);
    if (lay_desc_extent(desc, "") > 0 && lay_desc_extent(desc, "") < INT64_MAX / 32) {
        const lay_status status = lay_desc_tile_at(tiled, coords, &one, &offset);
        claim(status == (lay_desc_places(desc) > 1 ? LAY_ERR_UNSUPPORTED : LAY_OK) ||
              (status == LAY_ERR_OVERFLOW && has_long_number(text)));
        if (one)
            rewrite(one);
        lay_desc_destroy(one);
    }
    lay_desc_destroy(tiled);
}

/* The parts at the places are all there is, and as many copies of it. */
static void take_parts(const lay_desc *desc)
{
    int64_t elements = 0, wanted;
    const int64_t places = lay_desc_places(desc);
    if (__builtin_mul_overflow(lay_desc_extent(desc, ""), lay_desc_copies(desc), &wanted))
        return; /* each place has what it has, and nobody counts them all */
    for (int64_t place = 0; place < places && places <= 64; place++) {
        lay_desc *part = NULL;
        if (lay_desc_local(desc, place, &part) != LAY_OK)
            return;
        ask(part);
        claim(!__builtin_add_overflow(elements, lay_desc_extent(part, ""), &elements));
        lay_desc_destroy(part);
    }
    claim(places > 64 || places == 1 || elements == wanted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[TEXT_BYTES];
    if (size == 0 || size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    lay_desc *desc = NULL;
    const lay_status status = lay_desc_parse(text, &desc);
    if (status != LAY_OK) {
        claim(!desc && (status == LAY_ERR_MEMORY || strncmp(lay_last_error(), "at character ", 13) == 0));
        return 0;
    }
    ask(desc);
    rewrite(desc);
    take_views(desc, text, data, size);
    take_parts(desc);
    lay_desc_is_injective(desc);
    lay_desc_destroy(desc);
    return 0;
}
