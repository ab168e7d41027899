/* One program, four layouts, the same bits: the storages of the PARRAY paper, which differ here only by a text. */
#include <layoutgemm.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1024 };

static const struct {
    const char *name, *text;
} layouts[] = {
    { "row-major", "[1024][1024]" },
    { "two panels, figure 16", "A=[2][1024][512]; [#A_1][[#A_0][#A_2]]" },
    { "Matrix1, figure 18a", "A=[4][1024][256]; [#A_1][[#A_0][#A_2]]" },
    { "Matrix2, figure 18b", "A=[2][2][512][512]; [[#A_0][#A_2]][[#A_1][#A_3]]" },
};

static void fill(float *matrix, uint32_t seed) /* [N][N], in [-1, 1) */
{
    for (int i = 0; i < N * N; i++) {
        seed = seed * 1664525u + 1013904223u;
        matrix[i] = (float)(seed >> 8) * 0x1p-23f - 1.0f;
    }
}

/* c = a b, all three stored as text says; a, b, c are row-major outside. */
static lay_status multiply(const char *text, const float *a, const float *b, float *c)
{
    lay_desc *plain = NULL, *view = NULL;
    void *view_a = NULL, *view_b = NULL, *view_c = NULL;
    lay_status status = lay_desc_parse("[1024][1024]", &plain);
    if (!status)
        status = lay_desc_parse(text, &view);
    if (!status)
        status = lay_alloc(LAY_F32, view, LAY_MEMORY_HOST, &view_a);
    if (!status)
        status = lay_alloc(LAY_F32, view, LAY_MEMORY_HOST, &view_b);
    if (!status)
        status = lay_alloc(LAY_F32, view, LAY_MEMORY_HOST, &view_c);
    if (!status)
        status = lay_copy(LAY_F32, plain, a, view, view_a, NULL);
    if (!status)
        status = lay_copy(LAY_F32, plain, b, view, view_b, NULL);
    if (!status)
        status = lay_sgemm(view, view, view, 1.0f, view_a, view_b, 0.0f, view_c, NULL);
    if (!status)
        status = lay_copy(LAY_F32, view, view_c, plain, c, NULL);
    lay_free(view_c);
    lay_free(view_b);
    lay_free(view_a);
    lay_desc_destroy(view);
    lay_desc_destroy(plain);
    return status;
}

/* Whether c = a b at the diagonal and along the last row, by a sum in double: within k roundings of what was summed. */
static int is_product(const float *a, const float *b, const float *c)
{
    for (int t = 0; t < 2 * N; t++) {
        const int i = t < N ? t : N - 1, j = t % N;
        double sum = 0, size = 0;
        for (int p = 0; p < N; p++) {
            const double product = (double)a[i * N + p] * b[p * N + j];
            sum += product;
            size += fabs(product);
        }
        if (!(fabs(c[i * N + j] - sum) <= N * 0x1p-24 * size))
            return 0;
    }
    return 1;
}

int main(void)
{
    const size_t bytes = sizeof(float) * N * N;
    float *const a = malloc(bytes), *const b = malloc(bytes), *const first = malloc(bytes), *const c = malloc(bytes);
    int wrong = !a || !b || !first || !c;
    if (!wrong) {
        fill(a, 1);
        fill(b, 2);
    }
    for (size_t i = 0; !wrong && i < sizeof layouts / sizeof layouts[0]; i++) {
        float *const result = i == 0 ? first : c;
        if (multiply(layouts[i].text, a, b, result)) {
            fprintf(stderr, "%s\n", lay_last_error());
            wrong = 1;
        } else {
            wrong = i == 0 ? !is_product(a, b, first) : memcmp(first, c, bytes) != 0;
            printf("%-22s %-50s %s\n", layouts[i].name, layouts[i].text, wrong ? "WRONG" : i ? "same bits" : "right");
        }
    }
    free(c);
    free(first);
    free(b);
    free(a);
    return wrong;
}
