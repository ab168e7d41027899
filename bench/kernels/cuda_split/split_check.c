/* Whether products by limbs are what their header promises. */
#include <stdlib.h>

#include "bench/kernels/cuda/must.h"
#include "split_bench.h"

enum { SEED_A = 1, SEED_B = 2, SEED_C = 3, SHOWN = 4 };

typedef struct stock {
    matrix left[SPLIT_MAX_LAYOUTS], right[SPLIT_MAX_LAYOUTS], result[SPLIT_MAX_LAYOUTS];
    void *a[SPLIT_MAX_LAYOUTS], *b[SPLIT_MAX_LAYOUTS], *c[SPLIT_MAX_LAYOUTS];
    int results;
} stock;

static void *storage_of(const matrix *of)
{
    void *storage;
    MUST(cudaMalloc(&storage, (size_t)of->elements * sizeof(float)));
    data_fill_canary(LAY_F32, storage, of->elements);
    return storage;
}

/* Layouts that repeat elements are left out: all are to have the same bits. */
static int stock_up(stock *out, const split_task *of)
{
    int count = 0;
    for (int i = 0; i < of->layout_count; i++) {
        matrix_create(of->layouts[i], LAY_F32, of->m, of->k, &out->left[count]);
        matrix_create(of->layouts[i], LAY_F32, of->k, of->n, &out->right[count]);
        matrix_create(of->layouts[i], LAY_F32, of->m, of->n, &out->result[count]);
        if (out->left[count].is_repeated)
            continue;
        out->a[count] = storage_of(&out->left[count]);
        out->b[count] = storage_of(&out->right[count]);
        out->c[count] = storage_of(&out->result[count]);
        count++;
    }
    return count;
}

static void clear(stock *of, int count)
{
    for (int i = 0; i < count; i++) {
        matrix_free(&of->left[i]);
        matrix_free(&of->right[i]);
        matrix_free(&of->result[i]);
        MUST(cudaFree(of->a[i]));
        MUST(cudaFree(of->b[i]));
        MUST(cudaFree(of->c[i]));
    }
}

/* Kinds whose every sum is exact in FP32, on every path. */
static int is_exact(split_kind kind, int k)
{
    return kind == SPLIT_INTEGERS || (kind == SPLIT_INTEGERS_11 && k <= 2);
}

typedef struct tally {
    int variants, failures;
    double worst; /* share of the bound */
    unsigned paths;
} tally;

static void complain(const split_product *of, split_kind kind, const split_verdict *found, tally *to)
{
    if (to->failures++ >= SHOWN)
        return;
    const unsigned long long n = (unsigned long long)of->args.n;
    printf("  WRONG %s: %dx%dx%d %s,%s,%s as %d,%d%s: ", split_kind_name(kind), of->args.m, of->args.n, of->args.k,
           of->left->layout, of->right->layout, of->result->layout, of->left_as, of->right_as,
           of->is_c_vector ? " C vector" : "");
    if (found->wrong)
        printf("%llu elements, the first (%llu, %llu) is %.9g, not %.9g; ", found->wrong, found->first / n,
               found->first % n, found->got, found->expected);
    printf("%llu stray, worst %.2f of %.2f u\n", found->stray, found->worst, found->bound);
}

static void run(split_product *of, const void *a, const void *b, void *c, split_kind kind, const answer *right,
                float *kept, int has_kept, tally *to)
{
    const int is_plain = is_exact(kind, of->args.k);
    const double alpha = is_plain ? 1 : 1.2345678, beta = is_plain ? 0 : -0.7654321;
    if (beta != 0)
        data_put(of->result, c, SEED_C, 0);
    split_set(of, a, b, c, alpha, beta);
    split_launch(of);
    const lay_cuda_split_path_kind taken = split_path_taken(of);
    const split_demand demand = { .args = of->args,
                                  .path = taken,
                                  .alpha = alpha,
                                  .beta = beta,
                                  .seed = SEED_C,
                                  .exact = is_plain,
                                  .has_kept = has_kept,
                                  .takes = 1,
                                  .kept = kept };
    const split_verdict found = split_verify(right, of->result, c, &demand);
    to->variants++;
    to->paths |= 1u << taken;
    if (taken != LAY_SPLIT_STRICT && found.worst / found.bound > to->worst)
        to->worst = found.worst / found.bound;
    if (found.wrong || found.stray) {
        complain(of, kind, &found, to);
        data_fill_canary(LAY_F32, c, of->result->elements);
    }
}

/* All classes that a layout allows, for the first kind of number; the best for others. */
static void run_classes(split_product *of, const void *a, const void *b, void *c, split_kind kind, const answer *right,
                        float *kept, int *has_kept, tally *to)
{
    const lay_cuda_class best_left = matrix_class(of->left, 1), best_right = matrix_class(of->right, 0);
    for (int l = 0; l < LAY_CUDA_CLASSES; l++)
        for (int r = 0; r < LAY_CUDA_CLASSES; r++) {
            const int is_best = l == (int)best_left && r == (int)best_right;
            if (!matrix_allows(of->left, 1, l) || !matrix_allows(of->right, 0, r) ||
                (kind != SPLIT_UNIFORM && !is_best))
                continue;
            of->left_as = of->args.left.as = l;
            of->right_as = of->args.right.as = r;
            for (int is_vector = matrix_allows(of->result, 0, LAY_CUDA_ACROSS_VECTOR); is_vector >= 0; is_vector--) {
                of->is_c_vector = of->args.is_c_vector = is_vector;
                run(of, a, b, c, kind, right, kept, *has_kept, to);
                *has_kept = 1;
            }
        }
}

int split_check(const split_task *task)
{
    stock *s = calloc(1, sizeof *s);
    if (!s || task->layout_count > SPLIT_MAX_LAYOUTS)
        exit(2);
    const int count = stock_up(s, task);
    float *kept;
    MUST(cudaMalloc((void **)&kept, (size_t)task->m * (size_t)task->n * sizeof *kept));
    tally all = { 0 };
    int slices = 1;
    for (split_kind kind = 0; kind < SPLIT_KINDS; kind++) {
        if (!(task->kinds >> kind & 1))
            continue;
        for (int i = 0; i < count; i++) {
            split_put(&s->left[i], 1, s->a[i], kind, SEED_A);
            split_put(&s->right[i], 0, s->b[i], kind, SEED_B);
        }
        answer right = data_answer(&s->left[0], s->a[0], &s->right[0], s->b[0], task->k);
        int has_kept = 0;
        for (int l = 0; l < count; l++)
            for (int r = 0; r < count; r++) {
                const int c = (l + 2 * r) % count;
                split_product of = { .row = task->row,
                                     .left = &s->left[l],
                                     .right = &s->right[r],
                                     .result = &s->result[c],
                                     .slices = task->slices,
                                     .strict_slices = task->strict_slices,
                                     .is_transposed = task->is_transposed,
                                     .policy = task->policy,
                                     .multiprocessors = task->multiprocessors };
                split_prepare(&of);
                of.args.patience = task->patience;
                run_classes(&of, s->a[l], s->b[r], s->c[c], kind, &right, kept, &has_kept, &all);
                slices = of.args.slices;
                split_free(&of);
            }
        data_answer_free(&right);
    }
    MUST(cudaDeviceSynchronize());
    printf("%-24s%s %dx%dx%d slices %d: %d variants, %s, worst error %.2f of the bound, paths%s%s%s\n", task->row->name,
           task->is_transposed ? " transposed" : "", task->m, task->n, task->k, slices, all.variants,
           all.failures ? "WRONG" : "right", all.worst, all.paths & 1 ? " FP16X3" : "", all.paths & 2 ? " BF16X6" : "",
           all.paths & 4 ? " STRICT" : "");
    fflush(stdout);
    clear(s, count);
    MUST(cudaFree(kept));
    free(s);
    return all.failures;
}
