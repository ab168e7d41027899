/* Array descriptors: read, checked as PBLAS checks them, and as tables of owners. */
#include "pblas/matrix.h"

#include <stdlib.h>

int laypblas_desc_read(const int numbers[], laypblas_desc *desc)
{
    const int *rest = numbers + 4;
    *desc = (laypblas_desc){ .context = numbers[1], .extent = { numbers[2], numbers[3] } };
    if (numbers[0] != LAYPBLAS_DESC && numbers[0] != LAYPBLAS_DESC_INB)
        return 0;
    for (int d = 0; d < 2; d++)
        desc->first_block[d] = rest[d];
    rest += numbers[0] == LAYPBLAS_DESC_INB ? 2 : 0;
    for (int d = 0; d < 2; d++) {
        desc->block[d] = rest[d];
        desc->source[d] = rest[2 + d];
    }
    desc->lead = rest[4];
    return 1;
}

int64_t laypblas_count(const laypblas_desc *desc, int d, int64_t n, int processes, int mine)
{
    const int64_t first_block = desc->first_block[d], block = desc->block[d];
    if (desc->source[d] < 0 || processes == 1)
        return n;
    const int64_t apart = (mine - desc->source[d] + processes) % processes;
    if (n <= first_block)
        return apart == 0 ? n : 0;
    /* Behind the first block: whole ones, the first of which the next process has, and the rest. */
    const int64_t rest = n - first_block, whole = rest / block, mine_first = (apart - 1 + processes) % processes;
    const int64_t own = whole > mine_first ? (whole - mine_first - 1) / processes + 1 : 0;
    return (apart == 0 ? first_block : 0) + own * block + (whole % processes == mine_first ? rest % block : 0);
}

int laypblas_desc_is_right(const laypblas_desc *desc, const laypblas_range range[2], const int processes[2],
                           const int mine[2])
{
    for (int d = 0; d < 2; d++)
        if (desc->first_block[d] < 1 || desc->block[d] < 1 || desc->source[d] < -1 || desc->source[d] >= processes[d] ||
            range[d].first < 0 || range[d].extent < 0 || range[d].first + range[d].extent > desc->extent[d])
            return 0;
    if (mine[0] < 0 || mine[1] < 0)
        return 1;
    const int64_t rows = laypblas_count(desc, 0, desc->extent[0], processes[0], mine[0]);
    const int64_t columns = laypblas_count(desc, 1, desc->extent[1], processes[1], mine[1]);
    return desc->lead >= 1 && (columns == 0 || desc->lead >= rows);
}

static int64_t *list_owners(const laypblas_desc *desc, const laypblas_range *range, int d, int processes)
{
    int64_t *const owner = calloc((size_t)range->extent + 1, sizeof *owner);
    for (int64_t x = 0; x < range->extent && owner && desc->source[d] >= 0; x++) {
        const int64_t behind = range->first + x - desc->first_block[d];
        const int64_t turn = behind < 0 ? 0 : 1 + behind / desc->block[d];
        owner[x] = (desc->source[d] + turn) % processes;
    }
    return owner;
}

/* What this process has of it; without elements where it is in no grid of the matrix. */
static int make_part(const laypblas_desc *desc, const laypblas_range range[2], const int processes[2],
                     const int mine[2], int is_transposed, laypblas_matrix *matrix)
{
    int64_t extent[2] = { 0, 0 }, before[2] = { 0, 0 };
    int64_t stride[2] = { 1, desc->lead };
    for (int d = 0; d < 2 && mine[0] >= 0 && mine[1] >= 0; d++) {
        before[d] = laypblas_count(desc, d, range[d].first, processes[d], mine[d]);
        extent[d] = laypblas_count(desc, d, range[d].first + range[d].extent, processes[d], mine[d]) - before[d];
    }
    matrix->skipped = (size_t)before[0] + (size_t)before[1] * (size_t)desc->lead;
    const int rows = is_transposed, columns = !is_transposed;
    return lay_desc_strided(2, (const int64_t[]){ extent[rows], extent[columns] },
                            (const int64_t[]){ stride[rows], stride[columns] }, &matrix->part) == LAY_OK;
}

int laypblas_matrix_make(const laypblas_desc *desc, const laypblas_range range[2], const int processes[2],
                         const int mine[2], int places, const int coordinate[], int is_transposed,
                         laypblas_matrix *matrix)
{
    *matrix = (laypblas_matrix){ .tables = LAY_DISTRIBUTION_INIT };
    matrix->coordinate = calloc(2 * (size_t)places, sizeof *matrix->coordinate);
    for (int d = 0; d < 2; d++) {
        const int from = is_transposed ? 1 - d : d;
        matrix->extent[d] = range[from].extent;
        matrix->owners[d] = matrix->owner[d] = list_owners(desc, &range[from], from, processes[from]);
        for (int p = 0; p < places && matrix->coordinate; p++) {
            const int where = coordinate[2 * p + from];
            matrix->coordinate[2 * p + d] = where >= 0 && desc->source[from] < 0 ? 0 : where;
        }
    }
    if (!matrix->coordinate || !matrix->owner[0] || !matrix->owner[1] ||
        !make_part(desc, range, processes, mine, is_transposed, matrix))
        return 0;
    matrix->parts[0] = matrix->part;
    matrix->tables.rank = 2;
    matrix->tables.inner = is_transposed;
    matrix->tables.extent = matrix->extent;
    matrix->tables.owner = matrix->owners;
    matrix->tables.coordinate = matrix->coordinate;
    matrix->tables.part = matrix->parts;
    return 1;
}

void laypblas_matrix_free(laypblas_matrix *matrix)
{
    free(matrix->owner[0]);
    free(matrix->owner[1]);
    free(matrix->coordinate);
    lay_desc_destroy(matrix->part);
}
