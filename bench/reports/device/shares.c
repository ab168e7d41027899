/* One product of matrices in device memory by several CPU threads, each with its share on its own stream. */
#include "shares.h"

#include "bench/base/complain.h"
#include "bench/problems/verdict.h"

static const float one = 1, zero = 0;

static size_t elements(const shares *of)
{
    return (size_t)of->of->host[2].rows * (size_t)of->of->host[2].columns;
}

/* The share's part of dimension dim of a matrix. */
static lay_status slice(const lay_desc *whole, int dim, int share, int count, lay_desc **out)
{
    const int64_t extent = lay_desc_extent(whole, dim ? "1" : "0");
    const int64_t first = extent * share / count, last = extent * (share + 1) / count;
    return lay_desc_slice(whole, dim, first, last - first, out);
}

static lay_status plan_share(shares *self, int share, lay_options options)
{
    const operand *host = self->of->host;
    lay_desc *a = NULL, *b = NULL, *c = NULL;
    const int by_rows = self->kind == SHARES_BY_ROWS;
    options.stream = self->stream[share];
    lay_status status = slice(host[0].desc, !by_rows, share, self->count, &a);
    if (status == LAY_OK)
        status = slice(by_rows ? host[2].desc : host[1].desc, 0, share, self->count, by_rows ? &c : &b);
    if (status == LAY_OK)
        status = lay_plan_create(LAY_F32, a, b ? b : host[1].desc, c ? c : host[2].desc, &options, &self->plan[share]);
    if (status == LAY_OK)
        status = lay_plan_reserve(self->plan[share]);
    lay_desc_destroy(a);
    lay_desc_destroy(b);
    lay_desc_destroy(c);
    return status;
}

static lay_status plan_sum(shares *self, const lay_options *options)
{
    const int64_t ones[] = { 1, self->count }, parts[] = { self->count, (int64_t)elements(self) };
    const int64_t whole[] = { 1, (int64_t)elements(self) };
    lay_desc *a = NULL, *b = NULL, *c = NULL;
    lay_options mine = *options;
    mine.kernel = NULL;
    lay_status status = lay_desc_natural(2, ones, &a);
    if (status == LAY_OK)
        status = lay_desc_natural(2, parts, &b);
    if (status == LAY_OK)
        status = lay_desc_natural(2, whole, &c);
    if (status == LAY_OK)
        status = lay_plan_create(LAY_F32, a, b, c, &mine, &self->sum);
    if (status == LAY_OK)
        status = lay_plan_reserve(self->sum);
    lay_desc_destroy(a);
    lay_desc_destroy(b);
    lay_desc_destroy(c);
    return status;
}

static float *ones_of(const shares *self)
{
    return self->partial + (size_t)self->count * elements(self);
}

static int prepare_slices(shares *self, const lay_options *options)
{
    float ones[MAX_SHARES];
    const size_t size = ((size_t)self->count * elements(self) + MAX_SHARES) * sizeof(float);
    for (int i = 0; i < MAX_SHARES; i++)
        ones[i] = 1;
    int status = device_allocate(size, (void **)&self->partial);
    if (status == EXIT_FINE)
        status = device_upload(ones_of(self), ones, sizeof ones);
    const lay_status planned = status == EXIT_FINE ? plan_sum(self, options) : LAY_OK;
    return planned == LAY_OK ? status : refuse_status(planned, "the sum of partial products");
}

int shares_create(ground *of, int count, shares_kind kind, const lay_options *options, shares *out)
{
    int status = EXIT_FINE;
    *out = (shares){ .of = of, .kind = kind, .count = count };
    for (int i = 0; i < count && status == EXIT_FINE; i++) {
        status = device_stream_create(&out->stream[i]);
        const lay_status planned = status == EXIT_FINE ? plan_share(out, i, *options) : LAY_OK;
        if (planned != LAY_OK)
            status = refuse_status(planned, "a share of a product");
    }
    return status == EXIT_FINE && kind == SHARES_BY_SLICES ? prepare_slices(out, options) : status;
}

void shares_destroy(shares *of)
{
    for (int i = 0; i < of->count; i++) {
        lay_plan_destroy(of->plan[i]);
        device_stream_destroy(of->stream[i]);
    }
    lay_plan_destroy(of->sum);
    device_free(of->partial);
    *of = (shares){ 0 };
}

static lay_status run_share(const shares *self, int share)
{
    void *c = self->kind == SHARES_BY_ROWS ? ground_zero(self->of, 2, 0)
                                           : (void *)(self->partial + (size_t)share * elements(self));
    const lay_status status =
        lay_plan_run(self->plan[share], &one, ground_zero(self->of, 0, 0), ground_zero(self->of, 1, 0), &zero, c);
    return status == LAY_OK && device_stream_wait(self->stream[share]) != EXIT_FINE ? LAY_ERR_DEVICE : status;
}

int shares_run(shares *of, int with_sum)
{
    int failed = LAY_OK;
#pragma omp parallel for num_threads(of->count) schedule(static, 1) reduction(max : failed)
    for (int i = 0; i < of->count; i++)
        failed = (int)run_share(of, i);
    lay_status status = (lay_status)failed;
    if (status == LAY_OK && with_sum)
        status = lay_plan_run(of->sum, &one, ones_of(of), of->partial, &zero, ground_zero(of->of, 2, 0));
    return status == LAY_OK ? device_wait() : fail("a share of a product failed: %s", lay_status_name(status));
}

int shares_check(shares *of)
{
    ground *at = of->of;
    int status = ground_prepare(at);
    if (status == EXIT_FINE)
        status = shares_run(of, of->kind == SHARES_BY_SLICES);
    return status == EXIT_FINE ? ground_check(at, of->kind == SHARES_BY_ROWS ? "shares by rows" : "shares by slices",
                                              "a product by several threads")
                               : status;
}
