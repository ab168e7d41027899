/* Copies of operands in pinned and device memory. */
#include "elsewhere.h"

#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void take(elsewhere *made, size_t bytes)
{
    void *block = NULL;
    assert_int_equal(made->place == LAY_PLACE_PINNED ? cudaHostAlloc(&block, bytes, cudaHostAllocDefault)
                                                     : cudaMalloc(&block, bytes),
                     cudaSuccess);
    made->block = block;
}

elsewhere elsewhere_put(operand *of, lay_place place)
{
    elsewhere made = { .of = of, .place = place, .zero = of->zero };
    if (place == LAY_PLACE_HOST)
        return made;
    take(&made, of->bytes);
    made.zero = made.block + ((char *)of->zero - of->memory);
    elsewhere_write(&made);
    return made;
}

/* A copy from pageable memory may return before it has arrived, and other streams do not wait for it. */
static void copy(void *to, const void *from, size_t bytes)
{
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    assert_int_equal(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), cudaSuccess);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
}

void elsewhere_write(const elsewhere *to)
{
    if (to->block)
        copy(to->block, to->of->memory, to->of->bytes);
}

void elsewhere_read(const elsewhere *from)
{
    if (from->block)
        copy(from->of->memory, from->block, from->of->bytes);
}

void elsewhere_free(elsewhere *gone)
{
    if (!gone->block)
        return;
    assert_int_equal(gone->place == LAY_PLACE_PINNED ? cudaFreeHost(gone->block) : cudaFree(gone->block), cudaSuccess);
    gone->block = NULL;
}

void elsewhere_fetch(elsewhere *from)
{
    elsewhere_read(from);
    elsewhere_free(from);
}

void remote_make(remote *x, const trial *t, const int layout[3], random_source *from)
{
    x->t = *t;
    trial_fill(&x->t, from);
    trial_place(&x->t, layout_usual(layout[0], t->m, t->k), layout_usual(layout[1], t->k, t->n),
                layout_usual(layout[2], t->m, t->n), OPERAND_ANYWHERE, from);
    remote_send(x);
}

void remote_send(remote *x)
{
    x->a = elsewhere_put(&x->t.in_a, LAY_PLACE_DEVICE);
    x->b = elsewhere_put(&x->t.in_b, LAY_PLACE_DEVICE);
    x->c = elsewhere_put(&x->t.out, LAY_PLACE_DEVICE);
}

void remote_make_integers(remote *x, int64_t m, int64_t n, int64_t k, int layout, void *stream, random_source *from)
{
    trial t = { .type = LAY_F32,
                .m = m,
                .n = n,
                .k = k,
                .alpha = 1,
                .beta = 1,
                .data = TRIAL_INTEGERS,
                .options = LAY_OPTIONS_INIT };
    t.options.stream = stream;
    remote_make(x, &t, (const int[]){ layout, layout, layout }, from);
}

void remote_free(remote *x)
{
    elsewhere_free(&x->a);
    elsewhere_free(&x->b);
    elsewhere_free(&x->c);
    trial_free(&x->t);
}

lay_status remote_call(const remote *x)
{
    const trial *t = &x->t;
    const trial_scalar alpha = trial_scalar_of_parts(t->type, t->alpha, t->alpha_i);
    const trial_scalar beta = trial_scalar_of_parts(t->type, t->beta, t->beta_i);
    return lay_gemm(t->type, t->in_a.desc, t->in_b.desc, t->out.desc, &alpha, x->a.zero, x->b.zero, &beta, x->c.zero,
                    &t->options);
}

lay_status remote_plan(const remote *x, lay_plan **plan)
{
    return lay_plan_create(x->t.type, x->t.in_a.desc, x->t.in_b.desc, x->t.out.desc, &x->t.options, plan);
}

lay_status remote_run(const remote *x, const lay_plan *plan)
{
    const trial *t = &x->t;
    const trial_scalar alpha = trial_scalar_of_parts(t->type, t->alpha, t->alpha_i);
    const trial_scalar beta = trial_scalar_of_parts(t->type, t->beta, t->beta_i);
    return lay_plan_run(plan, &alpha, x->a.zero, x->b.zero, &beta, x->c.zero);
}

/* The verdict on integers in O(n^2), where all of the product would take seconds. */
static int is_large_one_right(const trial *t, char *why, size_t size)
{
    oracle_miss miss;
    double *const got = oracle_memory((size_t)(t->m * t->n) * sizeof *got);
    const oracle_problem problem = trial_problem(t, ORACLE_EXACT);
    operand_read(&t->out, got);
    const int is_right = check_large(&problem, got, &miss);
    free(got);
    if (!is_right)
        return snprintf(why, size, "row %lld of C is wrong", (long long)miss.i), 0;
    if (trial_is_kept(t))
        return 1;
    return snprintf(why, size, "something outside of the elements of C was written"), 0;
}

int remote_is_right(remote *x, char *why, size_t size)
{
    static const double large = 5e7; /* multiply-adds */
    const trial *t = &x->t;
    elsewhere_read(&x->a);
    elsewhere_read(&x->b);
    elsewhere_read(&x->c);
    const int is_exact = t->data == TRIAL_INTEGERS && lay_type_size(t->type) > 2; /* C of 16 bits is rounded */
    if (is_exact && (double)t->m * (double)t->n * (double)t->k > large)
        return is_large_one_right(t, why, size);
    return trial_is_right(t, why, size);
}

void remote_insist_on_right(remote *x)
{
    char why[300], story[6000];
    if (remote_is_right(x, why, sizeof why))
        return;
    trial_story(&x->t, story, sizeof story);
    fail_msg("%s\n  %s", why, story);
}

const remote_shape remote_shapes[REMOTE_SHAPES] = {
    { 300, 200, 100, 0 }, { 130, 90, 110, 5 }, { 32, 40, 9000, 0 }, { 48, 36, 6000, 5 }, { 1, 2000, 900, 1 },
};

void remote_restore(remote *x)
{
    if (x->t.beta != 0 || x->t.beta_i != 0)
        operand_write(&x->t.out, x->t.c);
    memcpy(x->t.out.before, x->t.out.memory, x->t.out.bytes);
    elsewhere_write(&x->c);
}

size_t remote_size(const remote *x)
{
    return (size_t)(x->t.m * x->t.n) * lay_type_size(x->t.type);
}

char *remote_bits(remote *x)
{
    char *bits = oracle_memory(remote_size(x));
    elsewhere_read(&x->c);
    operand_bytes(&x->t.out, bits);
    return bits;
}

int remote_has_bits(remote *x, char **wanted)
{
    char *const got = remote_bits(x);
    if (!*wanted) {
        *wanted = got;
        return 1;
    }
    const int are_same = memcmp(*wanted, got, remote_size(x)) == 0;
    free(got);
    return are_same;
}

lay_path remote_path(remote *x)
{
    lay_plan *plan = NULL;
    lay_path path = LAY_PATH_STRICT;
    assert_int_equal(remote_plan(x, &plan), LAY_OK);
    assert_int_equal(lay_plan_reserve(plan), LAY_OK);
    assert_int_equal(lay_plan_path(plan, &path), LAY_OK);
    assert_int_equal(path, LAY_PATH_NONE);
    assert_int_equal(remote_run(x, plan), LAY_OK);
    assert_int_equal(lay_plan_path(plan, &path), LAY_OK);
    lay_plan_destroy(plan);
    return path;
}
