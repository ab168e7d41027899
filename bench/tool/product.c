/* One large product with a progress bar: cut along C's longer side, slice by slice.
 *
 * Each slice packs the whole other operand again, which costs about 1 / SLICE of its time; the bits
 * of C are those of the uncut product. */
#include "product.h"

#include <stdio.h>

#include "bench/base/element.h"
#include "bench/timing/timing.h"

enum {
    SLICE = 1024, /* rows or columns of C at least */
    SLICES = 100, /* at most */
    BAR = 40      /* characters */
};

static lay_status multiply(const product *of, const lay_desc *desc_a, const lay_desc *desc_b, const lay_desc *desc_c)
{
    const factor_stored alpha = factor_store(of->alpha, of->type), beta = factor_store(of->beta, of->type);
    return lay_gemm(of->type, desc_a, desc_b, desc_c, &alpha, of->a, of->b, &beta, of->c, of->options);
}

/* Rows (or columns) first .. first + count of C, and of A (or B) with them. */
static lay_status multiply_slice(const product *of, int by_columns, int64_t first, int64_t count)
{
    const lay_desc *whole = by_columns ? of->desc_b : of->desc_a;
    lay_desc *part = NULL, *part_c = NULL;
    lay_status status = lay_desc_slice(whole, by_columns, first, count, &part);
    if (status == LAY_OK)
        status = lay_desc_slice(of->desc_c, by_columns, first, count, &part_c);
    if (status == LAY_OK)
        status = multiply(of, by_columns ? of->desc_a : part, by_columns ? part : of->desc_b, part_c);
    lay_desc_destroy(part);
    lay_desc_destroy(part_c);
    return status;
}

static void draw(int64_t done, int64_t total, double elapsed)
{
    const int full = (int)(BAR * done / total);
    const double left = elapsed * (double)(total - done) / (double)done;
    fprintf(stderr, "\r[%.*s%*s] %3d %%  %.0f s left ", full, "########################################", BAR - full,
            "", (int)(100 * done / total), left);
}

lay_status product_run(const product *of, int visible)
{
    const int64_t m = lay_desc_extent(of->desc_c, "0"), n = lay_desc_extent(of->desc_c, "1");
    const int by_columns = n > m;
    const int64_t total = by_columns ? n : m;
    /* A C that is refused as a whole may be fine slice by slice: leave that to the library. And complex slices may have
     * other bits: which operand is expanded rests on their shape. */
    if (!visible || element_parts(of->type) == 2 || total < 2 * SLICE || !lay_desc_is_injective(of->desc_c))
        return multiply(of, of->desc_a, of->desc_b, of->desc_c);
    const int64_t share = (total + SLICES - 1) / SLICES;
    const int64_t step = share > SLICE ? (share + SLICE - 1) / SLICE * SLICE : SLICE;
    const double start = seconds_now();
    int drawn = 0;
    lay_status status = LAY_OK;
    for (int64_t first = 0; first < total && status == LAY_OK; first += step) {
        const int64_t count = total - first < step ? total - first : step;
        status = multiply_slice(of, by_columns, first, count);
        const double elapsed = seconds_now() - start;
        if (status == LAY_OK && (drawn || elapsed > 1.0)) {
            draw(first + count, total, elapsed);
            drawn = 1;
        }
    }
    if (drawn)
        fputs("\r\033[K", stderr);
    return status;
}
