/* Matrices in device memory as kernels see them: offset functions made from a layout's name. */
#include "matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/problems/layouts.h"
#include "must.h"

/* Indices in an order without a pattern: i times a step that shares no factor with the count. */
static void address_scattered(dimension *out, int64_t stride)
{
    int64_t step = out->count / 3 + 1, a, b;
    do {
        step++;
        for (a = step, b = out->count; b;) {
            const int64_t rest = a % b;
            a = b;
            b = rest;
        }
    } while (a != 1);
    for (int64_t i = 0; i < out->count; i++)
        out->offset[i] = (i * step + 1) % out->count * stride;
}

/* Every layout has element (0, 0) at offset 0. */
static void address_layout(matrix *out, const lay_desc *desc)
{
    int64_t low, high;
    for (int64_t i = 0; i < out->row.count; i++)
        out->row.offset[i] = lay_desc_offset(desc, 2, (const int64_t[]){ i, 0 });
    for (int64_t j = 0; j < out->column.count; j++)
        out->column.offset[j] = lay_desc_offset(desc, 2, (const int64_t[]){ 0, j });
    lay_desc_span(desc, &low, &high);
    out->zero = -low;
    out->elements = high - low + 1;
}

/* Those with notation, "odd" ones from the second element of their storage on, and one that has none. */
static int lay(matrix *out)
{
    const int64_t rows = out->row.count, columns = out->column.count;
    char *notation = NULL, same[64];
    lay_desc *desc = NULL;
    out->is_repeated = strcmp(out->layout, "same") == 0;
    if (strcmp(out->layout, "table") == 0) {
        address_scattered(&out->row, columns);
        address_scattered(&out->column, 1);
        out->elements = rows * columns;
        return 1;
    }
    snprintf(same, sizeof same, "[%lld:0][%lld:1]", (long long)rows, (long long)columns);
    if (!layout_write(out->is_repeated ? same : out->layout, rows, columns, &notation) || !notation)
        return 0;
    const int is_good = lay_desc_parse(notation, &desc) == LAY_OK && lay_desc_rank(desc) == 2 &&
                        lay_desc_extent(desc, "0") == rows && lay_desc_extent(desc, "1") == columns;
    if (is_good)
        address_layout(out, desc);
    if (strncmp(out->layout, "odd", 3) == 0) {
        out->zero++;
        out->elements++;
    }
    lay_desc_destroy(desc);
    free(notation);
    return is_good;
}

/* What is known of a table: segments of one stride, and one jump between them. */
static void find_segments(const dimension *of, lay_cuda_offsets *offsets)
{
    const int64_t *at = of->offset;
    int run = 1;
    while (run < of->count && at[run] - at[run - 1] == at[1] - at[0])
        run++;
    const int64_t stride = at[1] - at[0], jump = run < of->count ? at[run] - at[run - 1] - stride : 0;
    for (int i = 0; i < of->count; i++)
        if (at[i] != at[0] + i * stride + i / run * jump)
            return;
    offsets->stride = stride;
    offsets->jump = jump;
    offsets->run = run;
    offsets->inverse = UINT32_MAX / (unsigned)run; /* as the planner's */
}

static void load_dimension(dimension *of)
{
    const int64_t stride = of->count > 1 ? of->offset[1] - of->offset[0] : 0;
    int i = 0;
    while (i < of->count && of->offset[i] == i * stride)
        i++;
    of->offsets = (lay_cuda_offsets){ .stride = stride };
    if (i == of->count)
        return;
    void *table;
    MUST(cudaMalloc(&table, (size_t)of->count * sizeof *of->offset));
    MUST(cudaMemcpy(table, of->offset, (size_t)of->count * sizeof *of->offset, cudaMemcpyHostToDevice));
    of->offsets = (lay_cuda_offsets){ .table = table };
    if (of->count > 1)
        find_segments(of, &of->offsets);
}

void matrix_create(const char *layout, lay_type type, int rows, int columns, matrix *out)
{
    *out = (matrix){ .type = type, .row.count = rows, .column.count = columns };
    snprintf(out->layout, sizeof out->layout, "%s", layout);
    out->row.offset = malloc((size_t)rows * sizeof *out->row.offset);
    out->column.offset = malloc((size_t)columns * sizeof *out->column.offset);
    if (!out->row.offset || !out->column.offset || !lay(out)) {
        fprintf(stderr, "there is no layout '%s'\n", layout);
        exit(2);
    }
    load_dimension(&out->row);
    load_dimension(&out->column);
}

void matrix_free(matrix *of)
{
    free(of->row.offset);
    free(of->column.offset);
    MUST(cudaFree((void *)of->row.offsets.table));
    MUST(cudaFree((void *)of->column.offsets.table));
    *of = (matrix){ 0 };
}

static int is_in_vectors(const dimension *of, int v)
{
    for (int i = 0; i + v <= of->count; i += v)
        for (int j = 0; j < v; j++)
            if (of->offset[i + j] != of->offset[i] + j || of->offset[i] % v)
                return 0;
    return 1;
}

static int is_aligned(const dimension *of, int v)
{
    for (int i = 0; i < of->count; i++)
        if (of->offset[i] % v)
            return 0;
    return 1;
}

int matrix_allows(const matrix *of, int across_is_row, lay_cuda_class as)
{
    const int v = of->type == LAY_F32 ? 4 : 2;
    const dimension *across = across_is_row ? &of->row : &of->column, *along = across_is_row ? &of->column : &of->row;
    if (as == LAY_CUDA_ACROSS || as == LAY_CUDA_ALONG)
        return 1;
    if (as == LAY_CUDA_ALONG_VECTOR) {
        const dimension *swap = across;
        across = along;
        along = swap;
    }
    return of->zero % v == 0 && is_in_vectors(across, v) && is_aligned(along, v);
}

lay_cuda_class matrix_class(const matrix *of, int across_is_row)
{
    if (matrix_allows(of, across_is_row, LAY_CUDA_ACROSS_VECTOR))
        return LAY_CUDA_ACROSS_VECTOR;
    if (matrix_allows(of, across_is_row, LAY_CUDA_ALONG_VECTOR))
        return LAY_CUDA_ALONG_VECTOR;
    const dimension *along = across_is_row ? &of->column : &of->row;
    const int64_t step = along->count > 1 ? along->offset[1] - along->offset[0] : 0;
    return step == 1 || step == -1 ? LAY_CUDA_ALONG : LAY_CUDA_ACROSS;
}

int matrix_leading(const matrix *of, int by_rows)
{
    const dimension *lines = by_rows ? &of->row : &of->column, *line = by_rows ? &of->column : &of->row;
    if (lines->offsets.table || line->offsets.table || (line->count > 1 && line->offsets.stride != 1))
        return 0;
    if (lines->count == 1)
        return line->count;
    return lines->offsets.stride >= line->count ? (int)lines->offsets.stride : 0;
}
