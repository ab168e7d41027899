/* Memory runs out: at every allocation of a long scenario once, then from it on. The linker routes the
 * library's allocations through here (--wrap), so the library itself is the one that ships. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../oracle.h"
#include "support/layouts.h"

/* ---- the failing allocator -------------------------------------------------------------------- */

static struct {
    int armed, from_then_on;
    long nth; /* 0: none fails */
    _Atomic long asked, failed;
    _Atomic long live; /* blocks of the library, while armed */
} fault;

/* The oracle's own allocations neither fail nor count. */
static void arm(int on)
{
    fault.armed = on;
}

static int refuses(void)
{
    if (!fault.armed || fault.nth == 0)
        return 0;
    const long number = ++fault.asked;
    if (number != fault.nth && !(fault.from_then_on && number > fault.nth))
        return 0;
    fault.failed++;
    errno = ENOMEM;
    return 1;
}

static void *counted(void *memory)
{
    fault.live += fault.armed && memory;
    return memory;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *memory);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
    return refuses() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuses() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (refuses())
        return NULL;
    return memory ? __real_realloc(memory, size) : counted(__real_realloc(NULL, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return refuses() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

char *__wrap_strdup(const char *text)
{
    return refuses() ? NULL : counted(__real_strdup(text));
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (refuses())
        return ENOMEM;
    const int status = __real_posix_memalign(memory, alignment, size);
    counted(status == 0 ? *memory : NULL);
    return status;
}

void __wrap_free(void *memory)
{
    fault.live -= fault.armed && memory;
    __real_free(memory);
}

/* ---- the scenario ----------------------------------------------------------------------------- */

enum { M = 70, N = 60, K = 50 };
static double numbers_a[M * K], numbers_b[K * N], numbers_c[M * N];

/* A call failed. Where one allocation failed, the same call works at once; where all do, it is over. */
static int may_retry(lay_status status, const char *call)
{
    if (status != LAY_ERR_MEMORY)
        fail_msg("%s: %s (%s) when allocation %ld failed", call, lay_status_name(status), lay_last_error(), fault.nth);
    if (!strstr(lay_last_error(), "memory"))
        fail_msg("%s: the sentence is \"%s\"", call, lay_last_error());
    return !fault.from_then_on;
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        lay_status status_ = (call);                                                                                   \
        if (status_ != LAY_OK && may_retry(status_, #call))                                                            \
            status_ = (call);                                                                                          \
        if (status_ != LAY_OK) {                                                                                       \
            assert_true(fault.from_then_on);                                                                           \
            goto done;                                                                                                 \
        }                                                                                                              \
    } while (0)

/* Everything the scenario may own. */
typedef struct props {
    lay_desc *a, *b, *c, *view[10], *copied, *whole, *side[2], *tangled, *wide, *square;
    void *storage[6];
    lay_plan *plan;
    lay_packed *packed[2];
} props;

static void strike(props *p)
{
    for (size_t q = 0; q < sizeof p->view / sizeof p->view[0]; q++)
        lay_desc_destroy(p->view[q]);
    lay_desc_destroy(p->a);
    lay_desc_destroy(p->b);
    lay_desc_destroy(p->c);
    lay_desc_destroy(p->copied);
    for (int q = 0; q < 2; q++)
        lay_desc_destroy(p->side[q]);
    lay_desc_destroy(p->whole);
    lay_desc_destroy(p->tangled);
    lay_desc_destroy(p->wide);
    lay_desc_destroy(p->square);
    for (int q = 0; q < 6; q++)
        lay_free(p->storage[q]);
    for (int q = 0; q < 2; q++)
        lay_packed_destroy(p->packed[q]);
    lay_plan_destroy(p->plan);
}

static lay_status run_plan(const props *p, int is_packed)
{
    const double alpha = 1, beta = 1;
    return is_packed
               ? lay_plan_run_packed(p->plan, &alpha, NULL, p->packed[0], NULL, p->packed[1], &beta, p->storage[2])
               : lay_plan_run(p->plan, &alpha, p->storage[0], p->storage[1], &beta, p->storage[2]);
}

/* A product that fails leaves C alone; one that works is right. */
static lay_status multiply(const props *p, int way)
{
    static double before[M * N], after[M * N];
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = 1 + way;
    arm(0);
    oracle_scatter(LAY_F64, p->c, p->storage[2], numbers_c);
    oracle_gather(LAY_F64, p->c, p->storage[2], before);
    arm(1);
    const lay_status status =
        way != 1 ? run_plan(p, way == 2)
                 : lay_dgemm(p->a, p->b, p->c, 1, p->storage[0], p->storage[1], 1, p->storage[2], &options);
    arm(0);
    oracle_gather(LAY_F64, p->c, p->storage[2], after);
    if (status == LAY_OK) {
        const oracle_problem problem = { .type = LAY_F64,
                                         .m = M,
                                         .n = N,
                                         .k = K,
                                         .alpha = 1,
                                         .beta = 1,
                                         .a = numbers_a,
                                         .b = numbers_b,
                                         .c = numbers_c,
                                         .gate = ORACLE_EXACT };
        oracle_miss miss;
        assert_true(oracle_product(&problem, after, &miss));
    } else {
        assert_memory_equal(before, after, sizeof before);
    }
    arm(1);
    return status;
}

/* Texts as snprintf: right, or negative where there is no memory for it. */
static void expect_text(int length, const char *text)
{
    if (length < 0)
        assert_true(fault.failed > 0);
    else
        assert_int_equal((size_t)length, strlen(text));
}

static void play(void)
{
    static const char tiles[] = "A=[8][7][9][9]; U=[[#A_0][#A_2]][[#A_1][#A_3]]; [70@1#U_0][60@2#U_1]";
    static const int64_t halves[] = { 2, 35 }, tile[] = { 16, 16 }, coords[] = { 4, 3 };
    static const int perm[] = { 1, 0 };
    static char text[30000]; /* with a GPU it is explained for that, too */
    int64_t offset;
    props p = { 0 };

    TRY(lay_desc_parse("[70:1][50:70]", &p.a));
    TRY(lay_desc_natural(2, (const int64_t[]){ K, N }, &p.b));
    TRY(lay_desc_parse(tiles, &p.c));
    TRY(lay_desc_strided(2, (const int64_t[]){ M, N }, (const int64_t[]){ 1, M }, &p.copied));
    TRY(lay_desc_dim(p.c, "0", &p.view[0]));
    TRY(lay_desc_dim(p.c, "1", &p.view[1]));
    TRY(lay_desc_join(2, (const lay_desc *const[]){ p.view[0], p.view[1] }, &p.view[2]));
    TRY(lay_desc_permute(p.c, perm, &p.view[3]));
    TRY(lay_desc_split(p.c, 0, 2, halves, &p.view[4]));
    TRY(lay_desc_slice(p.c, 1, 3, 40, &p.view[5]));
    TRY(lay_desc_tile(p.c, tile, &p.view[6]));
    TRY(lay_desc_tile_at(p.view[6], coords, &p.view[7], &offset));
    assert_int_equal(lay_desc_extent(p.view[7], "0"), 70 - 64);
    expect_text(lay_desc_format(p.c, text, sizeof text), text);
    TRY(lay_alloc(LAY_F64, p.a, LAY_MEMORY_HOST, &p.storage[0]));
    TRY(lay_alloc(LAY_F64, p.b, LAY_MEMORY_HOST, &p.storage[1]));
    TRY(lay_alloc(LAY_F64, p.c, LAY_MEMORY_HOST, &p.storage[2]));
    TRY(lay_alloc(LAY_F64, p.copied, LAY_MEMORY_HOST, &p.storage[3]));
    arm(0);
    oracle_scatter(LAY_F64, p.a, p.storage[0], numbers_a);
    oracle_scatter(LAY_F64, p.b, p.storage[1], numbers_b);
    arm(1);
    TRY(lay_plan_create(LAY_F64, p.a, p.b, p.c, NULL, &p.plan));
    expect_text(lay_plan_explain(p.plan, text, sizeof text), text);
    TRY(multiply(&p, 0));
    TRY(multiply(&p, 1));
    TRY(multiply(&p, 1));
    TRY(lay_pack(p.plan, LAY_OPERAND_A, p.storage[0], &p.packed[0]));
    TRY(lay_pack(p.plan, LAY_OPERAND_B, p.storage[1], &p.packed[1]));
    TRY(multiply(&p, 2));
    TRY(lay_copy(LAY_F64, p.c, p.storage[2], p.copied, p.storage[3], NULL));

    /* What has to be searched for: C beside A in its rows, and rows that strides alone do not tell apart. */
    TRY(lay_desc_natural(2, (const int64_t[]){ M, K + N }, &p.whole));
    TRY(lay_desc_slice(p.whole, 1, 0, K, &p.side[0]));
    TRY(lay_desc_slice(p.whole, 1, K, N, &p.side[1]));
    TRY(lay_alloc(LAY_F64, p.whole, LAY_MEMORY_HOST, &p.storage[4]));
    memset(p.storage[4], 0, (size_t)M * (K + N) * sizeof(double));
    TRY(lay_dgemm(p.side[0], p.b, p.side[1], 0.5, p.storage[4], p.storage[1], 0, p.storage[4], NULL));
    TRY(lay_desc_parse("A=[[10:90][100:1]]; B=[10@96#A]; C=[20:2000]; [#B][#C]", &p.tangled));
    TRY(lay_desc_natural(2, (const int64_t[]){ 10, 20 }, &p.wide));
    TRY(lay_desc_natural(2, (const int64_t[]){ 20, 20 }, &p.square));
    TRY(lay_alloc(LAY_F64, p.tangled, LAY_MEMORY_HOST, &p.storage[5]));
    TRY(lay_copy(LAY_F64, p.wide, p.storage[1], p.tangled, p.storage[5], NULL));
    TRY(lay_dgemm(p.wide, p.square, p.tangled, 1, p.storage[0], p.storage[1], 1, p.storage[5], NULL));
    expect_text(lay_machine_explain(text, sizeof text), text);
done:
    strike(&p);
    lay_cache_clear();
}

/* 16-bit numbers, whose product is made of two blocks of C: one that fails has written neither. */
static void play_narrow(void)
{
    enum { ROWS = 2060, SIDE = 16, ONE = 0x3c00, SIXTEEN = 0x4c00 };
    static uint16_t a[ROWS * SIDE], b[SIDE * SIDE], c[ROWS * SIDE];
    const float alpha = 1, beta = 0;
    lay_desc *tall = NULL, *square = NULL;
    for (int at = 0; at < ROWS * SIDE; at++)
        a[at] = b[at % (SIDE * SIDE)] = ONE;
    TRY(lay_desc_natural(2, (const int64_t[]){ ROWS, SIDE }, &tall));
    TRY(lay_desc_natural(2, (const int64_t[]){ SIDE, SIDE }, &square));
    for (int again = 1; again >= 0; again--) {
        memset(c, 0, sizeof c);
        const lay_status status = lay_gemm(LAY_F16, tall, square, tall, &alpha, a, b, &beta, c, NULL);
        for (int at = 0; at < ROWS * SIDE; at++)
            assert_int_equal(c[at], status == LAY_OK ? SIXTEEN : 0);
        if (status == LAY_OK || !may_retry(status, "lay_gemm"))
            break;
        assert_true(again);
    }
done:
    lay_desc_destroy(tall);
    lay_desc_destroy(square);
    lay_cache_clear();
}

/* A batch of them, of which each takes a workspace where it is alone: all of C or none. */
static void play_batch(void)
{
    enum { BATCH = 5, SIDE = 16, ALL = BATCH * SIDE * SIDE, ONE = 0x3c00, SIXTEEN = 0x4c00 };
    static uint16_t a[ALL], b[SIDE * SIDE], c[ALL];
    const float alpha = 1, beta = 0;
    lay_desc *batch = NULL, *square = NULL;
    lay_options options = LAY_OPTIONS_INIT;
    for (int at = 0; at < ALL; at++)
        a[at] = b[at % (SIDE * SIDE)] = ONE;
    TRY(lay_desc_natural(3, (const int64_t[]){ BATCH, SIDE, SIDE }, &batch));
    TRY(lay_desc_natural(2, (const int64_t[]){ SIDE, SIDE }, &square));
    for (int again = 3; again >= 0; again--) {
        memset(c, 0, sizeof c);
        options.threads = 1 + again % 2;
        const lay_status status = lay_gemm(LAY_F16, batch, square, batch, &alpha, a, b, &beta, c, &options);
        for (int at = 0; at < ALL; at++)
            assert_int_equal(c[at], status == LAY_OK ? SIXTEEN : 0);
        if (status != LAY_OK && !may_retry(status, "lay_gemm"))
            break;
    }
done:
    lay_desc_destroy(batch);
    lay_desc_destroy(square);
    lay_cache_clear();
}

/* "aij,ajk->aki" with a diagonal, D apart from C: what fails leaves D alone. One of them is a call, one a plan. */
static void play_contraction(void)
{
    enum { SIDE = 4, ALL = SIDE * SIDE * SIDE };
    static double a[ALL * SIDE], b[ALL], c[ALL], d[ALL];
    const double one = 1, half = 0.5;
    lay_product product = LAY_PRODUCT_INIT;
    lay_desc *desc[4] = { NULL };
    lay_plan *plan = NULL;
    for (int at = 0; at < ALL * SIDE; at++)
        a[at] = b[at % ALL] = c[at % ALL] = 1;
    TRY(lay_desc_natural(4, (const int64_t[]){ SIDE, SIDE, SIDE, SIDE }, &desc[0]));
    TRY(lay_desc_natural(3, (const int64_t[]){ SIDE, SIDE, SIDE }, &desc[1]));
    TRY(lay_desc_natural(3, (const int64_t[]){ SIDE, SIDE, SIDE }, &desc[2]));
    TRY(lay_desc_parse("[4:1][4:4][4:16]", &desc[3]));
    product.type_a = product.type_b = product.type_c = product.type_d = LAY_F64;
    product.labels = "aijj,ajk->aki";
    product.a = desc[0];
    product.b = desc[1];
    product.c = desc[2];
    product.d = desc[3];
    TRY(lay_plan_create_product(&product, NULL, &plan));
    for (int again = 3; again >= 0; again--) {
        memset(d, 0, sizeof d);
        for (int at = 0; at < ALL; at++)
            c[at] = 1;
        const lay_status status =
            again % 2 ? lay_plan_run_product(plan, &one, a, b, &half, c, d)
                      : lay_contract(LAY_F64, product.labels, desc[0], desc[1], desc[2], &one, a, b, &half, c, NULL);
        for (int at = 0; at < ALL; at++) {
            assert_true(d[at] == (again % 2 && status == LAY_OK ? SIDE + 0.5 : 0));
            assert_true(c[at] == (again % 2 == 0 && status == LAY_OK ? SIDE + 0.5 : 1));
        }
        if (status != LAY_OK && !may_retry(status, "a contraction"))
            break;
    }
done:
    lay_plan_destroy(plan);
    for (int i = 0; i < 4; i++)
        lay_desc_destroy(desc[i]);
    lay_cache_clear();
}

/* Complex numbers, with a beta by which C is scaled before the product: one that fails has not scaled it. Columns of B,
 * and then A's rows, are expanded. */
static void play_complex(void)
{
    enum { SIDE = 48, LONG = 64, ALL = SIDE * LONG };
    static float a[2 * ALL], b[2 * ALL], c[2 * ALL];
    const float one[] = { 1, 0 }, i[] = { 0, 1 };
    lay_desc *wide = NULL, *square = NULL, *tall = NULL;
    for (int at = 0; at < 2 * ALL; at++)
        a[at] = b[at] = 1;
    TRY(lay_desc_natural(2, (const int64_t[]){ SIDE, LONG }, &wide));
    TRY(lay_desc_natural(2, (const int64_t[]){ LONG, SIDE }, &tall));
    TRY(lay_desc_strided(2, (const int64_t[]){ SIDE, SIDE }, (const int64_t[]){ 1, SIDE }, &square));
    for (int again = 3; again >= 0; again--) {
        const int is_tall = again % 2;
        const int count = is_tall ? LONG * SIDE : SIDE * LONG, k = SIDE;
        for (int at = 0; at < 2 * count; at++)
            c[at] = at % 2 ? 0 : 3; /* times i: 3 i; (1 + i) (1 + i) = 2 i, k times */
        const lay_status status = is_tall ? lay_cgemm(tall, square, tall, one, a, b, i, c, NULL)
                                          : lay_cgemm(square, wide, wide, one, b, a, i, c, NULL);
        for (int at = 0; at < 2 * count; at++)
            assert_true(c[at] == (float)(status == LAY_OK ? (at % 2 ? 3 + 2 * k : 0) : (at % 2 ? 0 : 3)));
        if (status != LAY_OK && !may_retry(status, "lay_cgemm"))
            break;
    }
done:
    lay_desc_destroy(wide);
    lay_desc_destroy(square);
    lay_desc_destroy(tall);
    lay_cache_clear();
}

typedef void play_fn(void);

/* Returns 0 once the scenario asks for fewer allocations than nth. */
static int play_with_fault(play_fn *scene, long nth, int from_then_on)
{
    fault.nth = nth;
    fault.from_then_on = from_then_on;
    fault.asked = fault.failed = fault.live = 0;
    arm(1);
    scene();
    arm(0);
    if (fault.live != 0)
        fail_msg("%ld blocks are left after allocation %ld failed", (long)fault.live, nth);
    const int went_wrong = fault.failed > 0;
    fault.nth = 0; /* none fails */
    scene();       /* with memory everything works again */
    return went_wrong;
}

static void sweep(play_fn *scene, int from_then_on)
{
    long nth = 1;
    scene(); /* what is found out once about the machine is found out now */
    while (play_with_fault(scene, nth, from_then_on))
        nth++;
    print_message("# %ld allocations failed, each by itself\n", nth - 1);
    assert_true(nth > 10);
}

static void every_allocation_may_fail_once(void **state)
{
    sweep(*(play_fn **)*state, 0);
}

static void every_allocation_may_be_the_last(void **state)
{
    sweep(*(play_fn **)*state, 1);
}

int main(void)
{
    for (int at = 0; at < M * K; at++)
        numbers_a[at] = at % 7 - 3;
    for (int at = 0; at < K * N; at++)
        numbers_b[at] = at % 5 - 2;
    for (int at = 0; at < M * N; at++)
        numbers_c[at] = at % 11;
    static play_fn *scenes[] = { play, play_narrow, play_batch, play_contraction, play_complex };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_allocation_may_fail_once, &scenes[0]),
        cmocka_unit_test_prestate(every_allocation_may_be_the_last, &scenes[0]),
        cmocka_unit_test_prestate(every_allocation_may_fail_once, &scenes[1]),
        cmocka_unit_test_prestate(every_allocation_may_be_the_last, &scenes[1]),
        cmocka_unit_test_prestate(every_allocation_may_fail_once, &scenes[2]),
        cmocka_unit_test_prestate(every_allocation_may_be_the_last, &scenes[2]),
        cmocka_unit_test_prestate(every_allocation_may_fail_once, &scenes[3]),
        cmocka_unit_test_prestate(every_allocation_may_be_the_last, &scenes[3]),
        cmocka_unit_test_prestate(every_allocation_may_fail_once, &scenes[4]),
        cmocka_unit_test_prestate(every_allocation_may_be_the_last, &scenes[4]),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
