/* Whether a row computes what it promises. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "must.h"

enum { MAX_LAYOUTS = 16, SHOWN = 5 };

typedef enum kind {
    WHOLE, /* every sum is exact: all orders give the same */
    REAL,
    KINDS
} kind;

/* The operands in each layout and kind of number; the answers to compare with. */
typedef struct stock {
    matrix left[MAX_LAYOUTS], right[MAX_LAYOUTS], result[MAX_LAYOUTS];
    void *a[MAX_LAYOUTS][KINDS], *b[MAX_LAYOUTS][KINDS], *c[MAX_LAYOUTS];
    int results;
    answer plain[KINDS]; /* of operands that repeat nothing */
    void *kept[KINDS];   /* C of the first variant, where the order of the sum is the row's own */
    int has_kept[KINDS];
    char has_run[LAY_CUDA_CLASSES][LAY_CUDA_CLASSES][2][2]; /* left, right, C's vectors, resumed */
} stock;

typedef struct tally {
    int variants, failures;
    double worst;
} tally;

enum { SEED_A = 1, SEED_B = 2, SEED_C = 3, LIMIT_C = 8 };

/* Sums of k products, twice over, stay integers below 2^23. */
static int limit_of(kind of, int k)
{
    int limit = 15;
    while (limit > 1 && (int64_t)k * limit * limit > 1 << 22)
        limit--;
    return of == WHOLE ? limit : 0;
}

static void *allocate(size_t size)
{
    void *memory;
    MUST(cudaMalloc(&memory, size ? size : 1));
    return memory;
}

static void *storage_of(const matrix *of)
{
    void *storage = allocate((size_t)of->elements * lay_type_size(of->type));
    data_fill_canary(of->type, storage, of->elements);
    return storage;
}

static void stock_up(stock *out, const lay_cuda_kernel *row, const demands *of)
{
    for (int i = 0; i < of->layout_count; i++) {
        matrix_create(of->layouts[i], row->type, of->m, of->k, &out->left[i]);
        matrix_create(of->layouts[i], row->type, of->k, of->n, &out->right[i]);
        for (kind q = 0; q < KINDS; q++) {
            data_put(&out->left[i], out->a[i][q] = storage_of(&out->left[i]), SEED_A, limit_of(q, of->k));
            data_put(&out->right[i], out->b[i][q] = storage_of(&out->right[i]), SEED_B, limit_of(q, of->k));
        }
        if (out->left[i].is_repeated)
            continue;
        matrix_create(of->layouts[i], row->type, of->m, of->n, &out->result[out->results]);
        out->c[out->results] = storage_of(&out->result[out->results]);
        out->results++;
    }
    for (kind q = 0; q < KINDS; q++)
        out->kept[q] = allocate((size_t)of->m * (size_t)of->n * lay_type_size(row->type));
}

static void clear(stock *of, const demands *by)
{
    for (int i = 0; i < by->layout_count; i++) {
        matrix_free(&of->left[i]);
        matrix_free(&of->right[i]);
        for (kind q = 0; q < KINDS; q++) {
            MUST(cudaFree(of->a[i][q]));
            MUST(cudaFree(of->b[i][q]));
        }
    }
    for (int i = 0; i < of->results; i++) {
        matrix_free(&of->result[i]);
        MUST(cudaFree(of->c[i]));
    }
    for (kind q = 0; q < KINDS; q++) {
        data_answer_free(&of->plain[q]);
        MUST(cudaFree(of->kept[q]));
    }
}

static void complain(const trial *of, kind kind_of, const char *what, const verdict *found, tally *to)
{
    static const char *const classes[] = { "across-vector", "along-vector", "across", "along" };
    if (to->failures++ >= SHOWN)
        return;
    const unsigned long long n = (unsigned long long)of->result->column.count;
    printf("  WRONG %s %s: %dx%dx%d %s,%s,%s as %s,%s%s slices %d: ", kind_of == WHOLE ? "whole" : "real", what,
           of->result->row.count, of->result->column.count, of->left->column.count, of->left->layout, of->right->layout,
           of->result->layout, classes[of->left_as], classes[of->right_as], of->is_c_vector ? " C vector" : "",
           of->slices);
    if (found->wrong)
        printf("%llu elements, the first (%llu, %llu) is %.9g, not %.9g; ", found->wrong, found->first / n,
               found->first % n, found->got, found->expected);
    printf("%llu stray\n", found->stray);
}

typedef struct scene {
    stock *stock;
    const demands *of;
    int l, r, c; /* layouts */
    kind kind_of;
    void *sums; /* [m][n] */
} scene;

/* The demand on a result: the order of a sum shows in reals alone, and CHAIN says which it is. */
static agreement demand_on(const scene *on, const trial *of)
{
    if (on->kind_of == WHOLE)
        return AGREES_IN_VALUE;
    if (of->row->order == LAY_CUDA_CHAIN)
        return AGREES_IN_BITS;
    const int repeats = of->left->is_repeated || of->right->is_repeated;
    return repeats || !on->stock->has_kept[REAL] ? AGREES_IN_BOUND : AGREES_WITH_BITS;
}

static void run(const scene *on, const trial *of, const answer *right, int resumed, tally *to)
{
    stock *s = on->stock;
    char *has_run = &s->has_run[of->left_as][of->right_as][of->is_c_vector][resumed];
    if (on->of->is_once && *has_run)
        return;
    *has_run = 1;
    const kind q = on->kind_of;
    const double alpha = q == WHOLE ? 1 : 1.2345678, beta = q == WHOLE ? 0 : -0.7654321;
    const void *a = s->a[on->l][q], *b = s->b[on->r][q];
    void *c = s->c[on->c];
    if (beta != 0)
        data_put(of->result, c, SEED_C, 0);
    if (of->counters && counters_size(of))
        MUST(cudaMemset(of->counters, 0, counters_size(of)));
    if (!resumed)
        launch(of, a, b, c, alpha, beta);
    else if (!launch_resumed(of, a, b, c, alpha, beta, on->sums)) {
        data_fill_canary(of->row->type, c, of->result->elements);
        return;
    }
    const agreement how = demand_on(on, of);
    const verdict found = data_check(right, of->result, c, alpha, beta, SEED_C, 0, how, on->of->k, s->kept[q],
                                     how == AGREES_IN_BOUND && !s->has_kept[q] ? s->kept[q] : NULL);
    s->has_kept[q] |= how == AGREES_IN_BOUND && !of->left->is_repeated && !of->right->is_repeated;
    to->variants++;
    to->worst = found.worst > to->worst ? found.worst : to->worst;
    if (found.wrong || found.stray) {
        complain(of, q, resumed ? "resumed" : "product", &found, to);
        data_fill_canary(of->row->type, c, of->result->elements);
    }
}

static void run_classes(const scene *on, trial *of, const answer *right, tally *to)
{
    const lay_cuda_class best_l = matrix_class(of->left, 1), best_r = matrix_class(of->right, 0);
    for (lay_cuda_class l = 0; l < LAY_CUDA_CLASSES; l++)
        for (lay_cuda_class r = 0; r < LAY_CUDA_CLASSES; r++) {
            if (on->of->all_classes ? !matrix_allows(of->left, 1, l) || !matrix_allows(of->right, 0, r)
                                    : l != best_l || r != best_r)
                continue;
            of->left_as = l;
            of->right_as = r;
            for (int is_vector = matrix_allows(of->result, 0, LAY_CUDA_ACROSS_VECTOR); is_vector >= 0; is_vector--) {
                of->is_c_vector = is_vector;
                run(on, of, right, 0, to);
                run(on, of, right, 1, to);
            }
        }
}

int check(const lay_cuda_kernel *row, const demands *of)
{
    stock *s = calloc(1, sizeof *s);
    if (!s || of->layout_count > MAX_LAYOUTS)
        exit(2);
    stock_up(s, row, of);
    trial t = { .row = row, .left = s->left, .right = s->right, .result = s->result };
    t.slice_k = slice_length(row, of->k, of->slices);
    t.slices = slice_count(of->k, t.slice_k);
    t.adding = of->adding;
    t.partial = allocate(partial_size(&t));
    t.counters = allocate(counters_size(&t));
    void *sums = allocate((size_t)of->m * (size_t)of->n * lay_type_size(row->type));
    tally all = { 0 };
    for (kind q = of->is_once ? REAL : WHOLE; q < KINDS; q++) {
        for (int l = 0; l < of->layout_count; l++)
            for (int r = 0; r < of->layout_count; r++) {
                scene on = { s, of, l, r, (l + 2 * r) % s->results, q, sums };
                t.left = &s->left[l];
                t.right = &s->right[r];
                t.result = &s->result[on.c];
                const int repeats = t.left->is_repeated || t.right->is_repeated;
                answer own = { 0 };
                if (repeats || !s->plain[q].sum)
                    own = data_answer(t.left, s->a[l][q], t.right, s->b[r][q], t.slice_k);
                if (!repeats && !s->plain[q].sum)
                    s->plain[q] = own;
                run_classes(&on, &t, repeats ? &own : &s->plain[q], &all);
                if (repeats)
                    data_answer_free(&own);
            }
    }
    MUST(cudaDeviceSynchronize());
    static const char *const addings[ADDINGS] = { "", " by the last", " together" };
    printf("%-32s %dx%dx%d slices %d%s: %d variants, %s, worst error %.2f u\n", row->name, of->m, of->n, of->k,
           t.slices, t.slices > 1 ? addings[t.adding] : "", all.variants, all.failures ? "WRONG" : "right", all.worst);
    fflush(stdout);
    clear(s, of);
    MUST(cudaFree(t.partial));
    MUST(cudaFree(t.counters));
    MUST(cudaFree(sums));
    free(s);
    return all.failures;
}
