/* Long thin products, which are computed in pieces when they are new: with the bits of the whole product, which is what
 * a second call of the same shape is, by columns and by rows. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../random.h"

void cblas_sgemm(int layout, int op_a, int op_b, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc);
void cblas_dgemm(int layout, int op_a, int op_b, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc);
void cblas_zgemm(int layout, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a, int lda,
                 const void *b, int ldb, const void *beta, void *c, int ldc);

enum { CASES = 120, LONGEST = 1300, MOST = 17, STEP = LONGEST + 3, ROOM = 2 * STEP * (MOST + 3) };

static double a[ROOM], b[ROOM], before[ROOM], c[2][ROOM];
static float single_a[ROOM], single_b[ROOM], single_c[2][ROOM];
static int tests, failures;

static void report(int is_ok, const char *what)
{
    printf("%s %d - %s\n", is_ok ? "ok" : "not ok", ++tests, what);
    failures += !is_ok;
}

/* By columns length x across, by rows across x length: C's lines are as long. */
typedef struct shape {
    int layout, op_a, op_b, length, across, k;
} shape;

static shape draw(random_source *from)
{
    return (shape){ .layout = (int)random_in(from, 101, 102),
                    .op_a = (int)random_in(from, 111, 112),
                    .op_b = (int)random_in(from, 111, 112),
                    .length = (int)random_in(from, 100, LONGEST),
                    .across = (int)random_in(from, 1, MOST),
                    .k = (int)random_in(from, 1, MOST) };
}

static int rows(const shape *of)
{
    return of->layout == 101 ? of->across : of->length;
}

static int columns(const shape *of)
{
    return of->layout == 101 ? of->length : of->across;
}

/* From line to line of a matrix of so many rows and columns. */
static int step(const shape *of, int op, int its_rows, int its_columns)
{
    return 3 + ((op == 111) == (of->layout == 101) ? its_columns : its_rows);
}

#define MULTIPLY(function, alpha, a, b, beta, c)                                                                       \
    function(of->layout, of->op_a, of->op_b, rows(of), columns(of), of->k, alpha, a,                                   \
             step(of, of->op_a, rows(of), of->k), b, step(of, of->op_b, of->k, columns(of)), beta, c,                  \
             step(of, 111, rows(of), columns(of)))

static void multiply_double(const shape *of, double *to)
{
    MULTIPLY(cblas_dgemm, 0.7, a, b, 1.3, to);
}

static void multiply_single(const shape *of, float *to)
{
    MULTIPLY(cblas_sgemm, 0.7F, single_a, single_b, 1, to);
}

static void multiply_complex(const shape *of, double *to)
{
    static const double alpha[] = { 0.7, -0.2 }, beta[] = { 1, 0.5 };
    MULTIPLY(cblas_zgemm, alpha, a, b, beta, to);
}

static void calls_of_one_shape_have_the_same_bits(void)
{
    int wrong = 0;
    for (int at_case = 0; at_case < CASES; at_case++) {
        random_source from = random_case(85, (uint64_t)at_case);
        const shape of = draw(&from);
        for (int i = 0; i < ROOM; i++) {
            a[i] = random_unit(&from) - 0.5;
            b[i] = random_unit(&from) - 0.5;
            before[i] = random_unit(&from);
            single_a[i] = (float)a[i];
            single_b[i] = (float)b[i];
        }
        for (int type = 0; type < 3; type++) {
            for (int call = 0; call < 2; call++) {
                for (int i = 0; i < ROOM; i++) {
                    single_c[call][i] = (float)before[i];
                    c[call][i] = before[i];
                }
                if (type == 0)
                    multiply_single(&of, single_c[call]);
                else if (type == 1)
                    multiply_double(&of, c[call]);
                else
                    multiply_complex(&of, c[call]);
            }
            if ((type == 0 ? memcmp(single_c[0], single_c[1], sizeof single_c[0]) : memcmp(c[0], c[1], sizeof c[0])) !=
                    0 &&
                wrong++ < 5)
                printf("# case %d: layout %d ops %d %d length %d across %d k %d type %d\n", at_case, of.layout, of.op_a,
                       of.op_b, of.length, of.across, of.k, type);
        }
    }
    report(wrong == 0, "a first call and a second one have the same bits");
}

/* C^T by rows is C by columns, of which the lines are as long: A and B, too, are what they were. */
static void a_product_by_rows_has_the_same_bits(void)
{
    int wrong = 0;
    for (int length = 128; length <= LONGEST; length += 36) {
        const shape by_columns = { 102, 111, 111, length, 16, 16 }, by_rows = { 101, 111, 111, length, 16, 16 };
        const shape *of = &by_columns;
        memcpy(c[0], before, sizeof before);
        memcpy(c[1], before, sizeof before);
        MULTIPLY(cblas_dgemm, 0.7, a, b, 1.3, c[0]);
        of = &by_rows;
        MULTIPLY(cblas_dgemm, 0.7, b, a, 1.3, c[1]);
        wrong += memcmp(c[0], c[1], sizeof before) != 0;
    }
    report(wrong == 0, "a product by rows has the same bits");
}

int main(void)
{
    calls_of_one_shape_have_the_same_bits();
    a_product_by_rows_has_the_same_bits();
    printf("1..%d\n", tests);
    return failures != 0;
}
