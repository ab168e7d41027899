/* Reading the table of CUDA kernels. */
#include "cuda/launch/rows.h"

#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"

const char *lay_cuda_find_kernel(lay_cuda_contract contract, const char *name)
{
    lay_cuda_walk walk = lay_cuda_rows(contract);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));)
        if (strcmp(row->family, name) == 0)
            return row->family; /* the first row's: one text has one address */
        else if (strcmp(row->name, name) == 0)
            return row->name;
    return NULL;
}

static lay_type type_of_elements(const lay_cuda_kernel *row)
{
    return row->contract != LAY_CUDA_COMPLEX ? row->type : row->type == LAY_F64 ? LAY_C64 : LAY_C32;
}

void lay_cuda_list_kernels(lay_cuda_contract contract, const char *order, lay_text *text)
{
    lay_cuda_walk walk = lay_cuda_rows(contract);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));)
        lay_text_add(text, "kernel,%s,%s,%s,sm_%d\n", row->name, order, lay_type_name(type_of_elements(row)),
                     row->least_sm);
}

void lay_cuda_list_families(lay_text *text)
{
    const char *before = "";
    for (const lay_cuda_kernel *const *family = lay_cuda_families; *family; family++) {
        const lay_cuda_kernel *row = *family;
        if (!row->name || strcmp(row->family, before) == 0) /* a family may be several arrays, one behind the other */
            continue;
        lay_text_add(text, "%s%s", text->length ? ", " : "", row->family);
        before = row->family;
    }
}

int lay_cuda_is_wanted(const lay_cuda_kernel *row, const char *wanted)
{
    return !wanted || strcmp(wanted, row->family) == 0 || strcmp(wanted, row->name) == 0;
}

int lay_cuda_is_persistent(const lay_cuda_kernel *row)
{
    return row->contract == LAY_CUDA_STRICT && row->is_walked;
}

static int64_t count_tiles(const lay_cuda_kernel *row, const lay_cuda_shape *of)
{
    return ceil_div(of->m, row->bm) * ceil_div(of->n, row->bn);
}

static int64_t count_blocks(const lay_cuda_kernel *row, const lay_device *device)
{
    return (int64_t)row->blocks_per_sm * device->multiprocessors;
}

int64_t lay_cuda_shared_tiles(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device)
{
    enum { LEAST_TURNS = 8, MOST_SLICES = 15 }; /* twice dmma's least_part; four bits of a counter */
    const int64_t blocks = count_blocks(row, device), tiles = count_tiles(row, of) * of->slices;
    if (!lay_cuda_is_persistent(row) || of->slices > MOST_SLICES || of->slice_k < LEAST_TURNS * row->bk)
        return 0;
    return tiles > blocks && tiles % blocks ? blocks + tiles % blocks : 0;
}

/* As handed.cuh has them in memory. */
size_t lay_cuda_shared_partial(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device)
{
    const int64_t kept = of->slices > 1 ? count_tiles(row, of) * of->slices : 0;
    return (size_t)(count_blocks(row, device) + kept) * (size_t)row->bm * (size_t)row->bn * lay_type_size(row->type);
}

size_t lay_cuda_shared_counters(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device)
{
    return ((size_t)(count_blocks(row, device) + 1 + count_tiles(row, of)) * sizeof(unsigned) + 15) / 16 * 16;
}

const char *lay_cuda_refuse(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device,
                            const char *wanted)
{
    if (row->type != of->type)
        return "multiplies another type";
    if (!lay_cuda_is_wanted(row, wanted))
        return "options.kernel names another";
    if (row->least_sm > device->sm)
        return "needs a newer compute capability";
    if (row->least_sm == 90 && (device->sm != 90 || !LAY_CUDA_SM90))
        return LAY_CUDA_SM90 ? "is made for compute capability 9.0 alone" : "this build has no code for 9.0";
    if ((size_t)row->shared > device->shared_per_block)
        return "needs more shared memory than a block may have";
    if (of->m > LAY_CUDA_MAX_EXTENT || of->n > LAY_CUDA_MAX_EXTENT || of->k > LAY_CUDA_MAX_EXTENT)
        return "an extent does not fit 32 bits";
    if ((row->max_m && of->m > row->max_m) || (row->max_n && of->n > row->max_n))
        return "is made for fewer rows or columns";
    if (row->max_k && of->k > row->max_k)
        return "is made for fewer steps";
    if (ceil_div(of->m, row->bm) * ceil_div(of->n, row->bn) > INT32_MAX)
        return "more tiles than a grid has";
    if (!wanted && lay_cuda_is_persistent(row) && !lay_cuda_shared_tiles(row, of, device))
        return "has no tiles that its blocks would share";
    if (of->slices > 1 && !row->can_slice)
        return "cannot cut k in slices";
    if (of->slices > 1 && of->slice_k % row->bk != 0)
        return "slices do not end where its steps do";
    return NULL;
}

void lay_cuda_explain_row(lay_text *text, const lay_cuda_kernel *row, const char *refusal, int is_taken, double seconds,
                          const char *alone)
{
    if (refusal)
        lay_text_add(text, "  %-28s refused: %s\n", row->name, refusal);
    else
        lay_text_add(text, "  %-28s %s, predicted %.3g us%s\n", row->name, is_taken ? "taken" : "refused: not cheaper",
                     seconds * 1e6, alone);
}
