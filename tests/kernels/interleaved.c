/* Every kernel row's packer of panels that lie side by side against its definition in kernel.h, with the source between
 * guard pages so that an element not named is not read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "row.h"

enum { MAX_K = 14, CANARY = 8 };

/* Panels of B side by side, or two elements apart with steps between them, in a source without gaps but those between
 * pieces. */
static void check_interleaved(const lay_kernel *row, int w, int count, int64_t k, int is_paired, int at_front)
{
    enum { GAP = 3 };
    const size_t size = element_size(row);
    const int each = 1 + is_paired;
    const int64_t piece = each * count + GAP, pieces = w * k / each, further = k * row->nr + CANARY;
    const int64_t extent = (pieces - 1) * piece + each * count;
    int64_t across[LAY_MAX_NR], along[MAX_K];
    for (int i = 0; i < w; i++)
        across[i] = (w - 1 - i) * (k / each) * piece - 77; /* downwards, from anywhere */
    for (int64_t p = 0; p < k; p++)
        along[p] = p / each * piece + p % each;
    fenced src = fence((size_t)extent * size, at_front);
    for (int64_t i = 0; i < extent; i++)
        set_element(row, src.bytes, i, (double)(i + 1));
    char *dst = aligned_alloc(64, ((size_t)(count * further) * size + 63) / 64 * 64);
    assert_non_null(dst);
    memset(dst, 0x5a, (size_t)(count * further) * size);
    const lay_interleaved set = {
        .first = { .k = k,
                   .w = w,
                   .src = (char *)src.bytes + 77 * (int64_t)size,
                   .across = across,
                   .along = along,
                   .dst = dst },
        .count = count,
        .is_paired = is_paired,
        .further = further,
    };
    row->interleaved(&set);
    for (int q = 0; q < count; q++) {
        const char *panel = dst + (size_t)(q * further) * size;
        for (int64_t p = 0; p < k; p++)
            for (int i = 0; i < w; i++)
                if (memcmp(panel + (size_t)(p * row->nr + i) * size,
                           (char *)src.bytes + (size_t)(across[i] + 77 + along[p] + each * q) * size, size) != 0)
                    fail_msg("%s interleaved w=%d count=%d k=%lld: panel %d step %lld entry %d", row->name, w, count,
                             (long long)k, q, (long long)p, i);
        for (size_t i = (size_t)(k * row->nr) * size; i < (size_t)further * size; i++)
            if (panel[i] != 0x5a)
                fail_msg("%s interleaved w=%d count=%d k=%lld: writes behind panel %d", row->name, w, count,
                         (long long)k, q);
    }
    free(dst);
    unfence(&src);
}

static void panels_side_by_side_follow_their_definition(void **state)
{
    const lay_kernel *row = *state;
    if (!is_runnable(row))
        return;
    static const int64_t ks[] = { 1, 2, 3, 7 };
    for (int w = 1; w <= row->nr; w++)
        for (int count = 1; count <= 3 * row->lanes + 1; count++) {
            check_interleaved(row, w, count, ks[(w + count) % 4], 0, (w + count) / 4 % 2);
            check_interleaved(row, w, count, 2 * ks[(w + count) % 4], 1, (w + count) / 4 % 2);
        }
}

int main(void)
{
    return run_for_every_row("interleaved", "panels side by side follow their definition",
                             panels_side_by_side_follow_their_definition);
}
