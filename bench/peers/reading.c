/* How a BLAS reads three matrices. */
#include "reading.h"

#include "bench/base/element.h"
#include "peers.h"

#include <limits.h>

/* The leading dimension of a matrix whose first (by_rows) or second index steps by it while the
 * other steps by 1; 0 when it is no such matrix. */
static int leading(const lay_desc *of, int by_rows)
{
    int64_t outer, inner;
    if (lay_desc_stride(of, by_rows ? "0" : "1", &outer) != 1 || lay_desc_stride(of, by_rows ? "1" : "0", &inner) != 1)
        return 0;
    const int64_t lines = lay_desc_extent(of, by_rows ? "0" : "1"), length = lay_desc_extent(of, by_rows ? "1" : "0");
    if (length > 1 && inner != 1)
        return 0;
    if (lines <= 1)
        outer = length > 0 ? length : 1;
    return outer >= length && outer >= 1 && outer <= INT_MAX ? (int)outer : 0;
}

/* As by_rows says where both are possible. */
static int read_one(const lay_desc *of, int by_rows, int *as_rows, int *ld)
{
    *as_rows = by_rows;
    if ((*ld = leading(of, by_rows)))
        return 1;
    *as_rows = !by_rows;
    return (*ld = leading(of, !by_rows)) != 0;
}

int reading_find(const lay_desc *const desc[3], reading *out)
{
    return read_one(desc[2], 1, &out->c.by_rows, &out->c.ld) &&
           read_one(desc[0], out->c.by_rows, &out->a.by_rows, &out->a.ld) &&
           read_one(desc[1], out->c.by_rows, &out->b.by_rows, &out->b.ld);
}

int reading_is_plain(const lay_desc *of)
{
    return leading(of, 0) || leading(of, 1);
}

void reading_multiply(const reading *how, const peer *with, lay_type type, int64_t m, int64_t n, int64_t k,
                      const void *a, const void *b, void *c)
{
    const int order = how->c.by_rows ? CBLAS_ROW_MAJOR : CBLAS_COLUMN_MAJOR;
    const int trans_a = how->a.by_rows == how->c.by_rows ? CBLAS_NO_TRANS : CBLAS_TRANS;
    const int trans_b = how->b.by_rows == how->c.by_rows ? CBLAS_NO_TRANS : CBLAS_TRANS;
    if (element_parts(type) == 2)
        (type == LAY_C32 ? with->cgemm : with->zgemm)(order, trans_a, trans_b, (int)m, (int)n, (int)k,
                                                      element_scalar(type, 1), a, how->a.ld, b, how->b.ld,
                                                      element_scalar(type, 0), c, how->c.ld);
    else if (type == LAY_F32)
        with->sgemm(order, trans_a, trans_b, (int)m, (int)n, (int)k, 1, a, how->a.ld, b, how->b.ld, 0, c, how->c.ld);
    else
        with->dgemm(order, trans_a, trans_b, (int)m, (int)n, (int)k, 1, a, how->a.ld, b, how->b.ld, 0, c, how->c.ld);
}
