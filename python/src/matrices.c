/* Matrices as numpy.matmul has them: vectors, and batches of any rank, which are broadcast. */
#include "core.h"

/* How the dimensions of an operand are meant. */
typedef struct shape {
    int batches; /* dimensions before the matrix */
    int64_t batch[MAX_DIMS], rows, columns;
    int is_vector;
} shape;

static int64_t root_extent(const lay_desc *desc, int number)
{
    char path[16];
    PyOS_snprintf(path, sizeof path, "%d", number);
    return lay_desc_extent(desc, path);
}

static shape shape_of_layout(const lay_desc *desc)
{
    const int rank = lay_desc_rank(desc);
    shape of = { .batches = rank - 2, .rows = root_extent(desc, rank - 2), .columns = root_extent(desc, rank - 1) };
    if (of.batches > 0)
        of.batch[0] = root_extent(desc, 0);
    return of;
}

/* A vector is a row as A, a column as B. */
static shape shape_of_array(const operand *array, int which)
{
    shape of = { .is_vector = array->ndim == 1 };
    const int64_t *const last = array->extents + array->ndim;
    if (of.is_vector) {
        of.rows = which == OF_A ? 1 : last[-1];
        of.columns = which == OF_A ? last[-1] : 1;
        return of;
    }
    of.batches = array->ndim - 2;
    for (int i = 0; i < of.batches; i++)
        of.batch[i] = array->extents[i];
    of.rows = last[-2];
    of.columns = last[-1];
    return of;
}

static int read_shape(const request *of, prepared *made, int which, shape *out)
{
    if (of->layouts[which]) {
        if (!prepared_use_layout(of, made, which, 2, 3))
            return 0;
        *out = shape_of_layout(of->layouts[which]);
        return 1;
    }
    if (made->operands[which].ndim == 0) {
        core_refuse(LAY_ERR_RANK, "%s is a scalar, and a product takes vectors, matrices and batches of them",
                    operand_names[which]);
        return 0;
    }
    *out = shape_of_array(&made->operands[which], which);
    return 1;
}

/* The batch that both are stretched to, aligned at its end. */
static int broadcast(const shape *a, const shape *b, shape *out)
{
    out->batches = a->batches > b->batches ? a->batches : b->batches;
    for (int i = 1; i <= out->batches; i++) {
        const int64_t x = i <= a->batches ? a->batch[a->batches - i] : 1,
                      y = i <= b->batches ? b->batch[b->batches - i] : 1;
        if (x != y && x != 1 && y != 1) {
            core_refuse(LAY_ERR_SHAPE, "a has %lld matrices along a dimension of the batch, and b has %lld",
                        (long long)x, (long long)y);
            return 0;
        }
        out->batch[out->batches - i] = x == 1 ? y : x;
    }
    return 1;
}

/* A descriptor of rank 3 whose first dimension is all of `batches` dimensions. */
static lay_status join_batch(int batches, const int64_t extents[], const int64_t strides[], lay_desc **out)
{
    lay_desc *parts[3] = { NULL };
    lay_status status = lay_desc_strided(batches, extents, strides, &parts[0]);
    for (int i = 0; i < 2 && status == LAY_OK; i++)
        status = lay_desc_strided(1, extents + batches + i, strides + batches + i, &parts[1 + i]);
    if (status == LAY_OK)
        status = lay_desc_join(3, (const lay_desc *const *)parts, out);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(parts[i]);
    return status;
}

/* An array's descriptor: rank 2 where it has no batch of its own, else rank 3, stretched to `all`. */
static int describe(prepared *made, int which, const shape *own, const shape *all)
{
    const operand *const array = &made->operands[which];
    const int batches = own->batches > 0 || which == OF_C ? all->batches : 0;
    int64_t extents[MAX_DIMS + 2], strides[MAX_DIMS + 2];
    for (int i = 0; i < batches; i++) {
        const int at = i - (all->batches - own->batches); /* of its own dimensions */
        extents[i] = all->batch[i];
        strides[i] = at < 0 ? 0 : array->strides[at]; /* 0 where one matrix is stretched to all */
    }
    const int64_t *const last = array->strides + array->ndim;
    extents[batches] = own->rows;
    extents[batches + 1] = own->columns;
    /* The stride of an extent of 1 is nothing to anybody. */
    strides[batches] = own->rows == 1 ? 0 : last[own->is_vector ? -1 : -2];
    strides[batches + 1] = own->columns == 1 ? 0 : last[-1];
    const lay_status status = batches > 1 ? join_batch(batches, extents, strides, &made->made[which])
                                          : lay_desc_strided(2 + batches, extents, strides, &made->made[which]);
    made->descs[which] = made->made[which];
    if (status != LAY_OK)
        core_raise(status);
    return status == LAY_OK;
}

static int read_both(const request *of, prepared *made, shape *a, shape *b, shape *all)
{
    if (!read_shape(of, made, OF_A, a) || !read_shape(of, made, OF_B, b) || !broadcast(a, b, all))
        return 0;
    if (a->columns != b->rows) {
        core_refuse(LAY_ERR_SHAPE, "A is %lld x %lld and B is %lld x %lld: A's columns are not B's rows",
                    (long long)a->rows, (long long)a->columns, (long long)b->rows, (long long)b->columns);
        return 0;
    }
    all->rows = a->rows;
    all->columns = b->columns;
    return 1;
}

int matrices_describe(const request *of, prepared *made)
{
    shape a, b, all;
    if (!read_both(of, made, &a, &b, &all) || (!of->layouts[OF_A] && !describe(made, OF_A, &a, &all)) ||
        (!of->layouts[OF_B] && !describe(made, OF_B, &b, &all)))
        return 0;
    made->ndim = 0;
    for (int i = 0; i < all.batches; i++)
        made->extents[made->ndim++] = all.batch[i];
    if (!a.is_vector)
        made->extents[made->ndim++] = all.rows;
    if (!b.is_vector)
        made->extents[made->ndim++] = all.columns;
    return 1;
}

int matrices_describe_result(const request *of, prepared *made)
{
    shape a, b, all;
    if (!read_both(of, made, &a, &b, &all))
        return 0;
    if (of->layouts[OF_C])
        return prepared_use_layout(of, made, OF_C, 2, 3);
    if (!prepared_fits(made))
        return 0;
    /* With a vector among the operands C has one dimension of the two, and the other one has one index. */
    all.is_vector = a.is_vector || b.is_vector;
    return describe(made, OF_C, &all, &all);
}
