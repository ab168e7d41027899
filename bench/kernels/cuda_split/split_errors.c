/* How exact products by limbs are on numbers of many kinds, beside one chain and cuBLAS. */
#include <math.h>

#include "bench/kernels/cuda/must.h"
#include "split_bench.h"

enum { SEED_A = 11, SEED_B = 12 };

typedef struct pair {
    split_verdict own, peer;
    lay_cuda_split_path_kind path;
} pair;

static pair measure(const split_task *task, split_kind kind, matrix *const of[3], void *const storage[3])
{
    pair both = { 0 };
    split_put(of[0], 1, storage[0], kind, SEED_A);
    split_put(of[1], 0, storage[1], kind, SEED_B);
    answer right = data_answer(of[0], storage[0], of[1], storage[1], task->k);
    split_product product = { .row = task->row,
                              .left = of[0],
                              .right = of[1],
                              .result = of[2],
                              .left_as = matrix_class(of[0], 1),
                              .right_as = matrix_class(of[1], 0),
                              .is_c_vector = matrix_allows(of[2], 0, LAY_CUDA_ACROSS_VECTOR),
                              .slices = task->slices,
                              .strict_slices = task->strict_slices,
                              .policy = task->policy,
                              .multiprocessors = task->multiprocessors };
    split_prepare(&product);
    split_set(&product, storage[0], storage[1], storage[2], 1, 0);
    split_launch(&product);
    both.path = split_path_taken(&product);
    split_demand demand = { .args = product.args, .path = both.path, .alpha = 1 };
    both.own = split_verify(&right, of[2], storage[2], &demand);
    if (task->peer) {
        const reading rows = { { 1, task->k }, { 1, task->n }, { 1, task->n } };
        cublas_multiply(task->peer, LAY_F32, &rows, task->m, task->n, task->k, storage[0], storage[1], 0, storage[2]);
        MUST(cudaDeviceSynchronize());
        both.peer = split_verify(&right, of[2], storage[2], &demand);
    }
    split_free(&product);
    data_answer_free(&right);
    return both;
}

/* A, B and C, row-major. */
typedef struct table {
    matrix made[3], *of[3];
    void *storage[3];
} table;

static void lay_table(const split_task *task, table *out)
{
    static const int shape[3][2] = { { 0, 2 }, { 2, 1 }, { 0, 1 } };
    const int extent[3] = { task->m, task->n, task->k };
    for (int i = 0; i < 3; i++) {
        out->of[i] = &out->made[i];
        matrix_create("row", LAY_F32, extent[shape[i][0]], extent[shape[i][1]], out->of[i]);
        MUST(cudaMalloc(&out->storage[i], (size_t)out->made[i].elements * sizeof(float)));
    }
}

static void clear_table(table *of)
{
    for (int i = 0; i < 3; i++) {
        matrix_free(of->of[i]);
        MUST(cudaFree(of->storage[i]));
    }
}

split_verdict split_error(const split_task *of, split_kind kind)
{
    split_task alone = *of;
    table on;
    alone.peer = NULL;
    lay_table(&alone, &on);
    const split_verdict found = measure(&alone, kind, on.of, on.storage).own;
    clear_table(&on);
    return found;
}

int split_errors(const split_task *task)
{
    table on;
    int failures = 0;
    lay_table(task, &on);
    printf("%s %dx%dx%d, |error| / (u |A||B|), the largest: own, its bound, the chain's, cuBLAS's; own bias\n",
           task->row->name, task->m, task->n, task->k);
    for (split_kind kind = 0; kind < SPLIT_KINDS; kind++) {
        if (!(task->kinds >> kind & 1))
            continue;
        const pair found = measure(task, kind, on.of, on.storage);
        const double other = task->peer ? found.peer.worst : found.own.chain_worst;
        const int is_worse = !(found.own.worst <= fmax(1.6 * other, 4)),
                  is_wrong = found.own.wrong || found.own.classes;
        printf("  %-20s %s %9.3f  bound %8.1f  chain %9.3f  cuBLAS %9.3f  bias %8.3f%s\n", split_kind_name(kind),
               split_path_name(found.path), found.own.worst, found.own.bound, found.own.chain_worst, found.peer.worst,
               found.own.bias, is_worse ? "  WORSE" : "");
        if (found.own.wrong || found.own.classes)
            printf("    WRONG: %llu elements, %llu of another class, the first %llu is %.9g, not %.9g\n",
                   found.own.wrong, found.own.classes, found.own.first, found.own.got, found.own.expected);
        failures += is_wrong || is_worse;
    }
    fflush(stdout);
    clear_table(&on);
    return failures;
}
