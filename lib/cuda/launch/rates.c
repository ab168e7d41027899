/* The rates of kernels and rows: the table's lines, found by a row's address. */
#include "cuda/launch/rates.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define D(...)
#define R(...)
#define B(...)
#define N(...)
#define M(...)
#define K(kind, ...) static const lay_cuda_kind kind = { #kind, __VA_ARGS__ };
#include "cuda/launch/rates_table.h"
#undef K
#undef R
#define K(...)
#define R(row, kind, ...) { row, &kind, __VA_ARGS__ },
static const lay_cuda_row_rates rows[] = {
#include "cuda/launch/rates_table.h"
};
#undef R
#undef M
#define R(...)
#define M(row, kind, ...) { row, &kind, __VA_ARGS__ },
static const lay_cuda_row_rates of_matrices[] = {
#include "cuda/launch/rates_table.h"
};
#undef D
#undef K
#undef R
#undef B
#undef N
#undef M
enum { ROWS = sizeof rows / sizeof rows[0], MATRICES = sizeof of_matrices / sizeof of_matrices[0] };

#define D(...)
#define K(...)
#define R(...)
#define N(...)
#define M(...)
#define B(row, ...) { row, __VA_ARGS__ },
static const lay_cuda_batch_rates batches[] = {
#include "cuda/launch/rates_table.h"
};
#undef B
#undef N
enum { BATCHES = sizeof batches / sizeof batches[0] };

#define B(...)
#define N(row, ...) { row, __VA_ARGS__ },
static const lay_cuda_narrow_rates narrows[] = {
#include "cuda/launch/rates_table.h"
};
#undef D
#undef K
#undef R
#undef B
#undef N
#undef M
enum { NARROWS = sizeof narrows / sizeof narrows[0] };

/* By the row's address, ascending: what is asked for by the hundred while a plan is made. */
typedef struct known {
    const lay_cuda_kernel *row;
    const void *rates, *of_matrices;
} known;

static known all[ROWS + NARROWS];
static size_t count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int compare(const void *x, const void *y)
{
    const uintptr_t a = (uintptr_t)((const known *)x)->row, b = (uintptr_t)((const known *)y)->row;
    return (a > b) - (a < b);
}

/* Those of any operands where matrices have none of their own. */
static const lay_cuda_row_rates *find_of_matrices(const lay_cuda_row_rates *rates)
{
    for (int i = 0; i < MATRICES; i++)
        if (strcmp(of_matrices[i].name, rates->name) == 0)
            return &of_matrices[i];
    return rates;
}

/* A build for other compute capabilities has not all of the rows. */
static void find_those_of(lay_cuda_contract contract)
{
    lay_cuda_walk walk = lay_cuda_rows(contract);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        for (int i = 0; i < ROWS; i++)
            if (strcmp(rows[i].name, row->name) == 0)
                all[count++] = (known){ row, &rows[i], find_of_matrices(&rows[i]) };
        for (int i = 0; i < NARROWS; i++)
            if (strcmp(narrows[i].name, row->name) == 0)
                all[count++] = (known){ row, &narrows[i], NULL };
    }
}

static void find_all(void)
{
    find_those_of(LAY_CUDA_STRICT);
    find_those_of(LAY_CUDA_COMPLEX);
    find_those_of(LAY_CUDA_NARROW);
    qsort(all, count, sizeof all[0], compare);
}

static const known *find(const lay_cuda_kernel *row)
{
    static const known none;
    pthread_once(&once, find_all);
    const known wanted = { .row = row };
    const known *const found = bsearch(&wanted, all, count, sizeof all[0], compare);
    return found ? found : &none;
}

const lay_cuda_row_rates *lay_cuda_row_rates_get(const lay_cuda_kernel *row, int is_matrix)
{
    if (row->contract == LAY_CUDA_NARROW)
        return NULL;
    const known *const found = find(row);
    return is_matrix ? found->of_matrices : found->rates;
}

const lay_cuda_narrow_rates *lay_cuda_narrow_rates_get(const lay_cuda_kernel *row)
{
    return row->contract == LAY_CUDA_NARROW ? find(row)->rates : NULL;
}

const lay_cuda_batch_rates *lay_cuda_batch_rates_get(const lay_cuda_kernel *row)
{
    for (int i = 0; i < BATCHES; i++)
        if (strcmp(batches[i].name, row->name) == 0)
            return &batches[i];
    return NULL;
}
