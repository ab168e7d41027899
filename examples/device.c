/* The same product in device memory: allocate there, copy there (changing the layout on the way), multiply, copy
 * back. Without a GPU it says why there is none, and multiplies where the matrices are. */
#include <layoutgemm.h>
#include <stdio.h>

enum { N = 256 };

static float a[N][N], b[N][N], c[N][N];

static int failed(lay_status status)
{
    if (status)
        fprintf(stderr, "%s: %s\n", lay_status_name(status), lay_last_error());
    return status != LAY_OK;
}

/* c = a b by way of the device, where a lies in 2 x 2 blocks. */
static int multiply_there(const lay_desc *rows, const lay_desc *blocks)
{
    void *there_a = NULL, *there_b = NULL, *there_c = NULL;
    const int wrong = failed(lay_alloc(LAY_F32, blocks, LAY_MEMORY_DEVICE, &there_a)) ||
                      failed(lay_alloc(LAY_F32, rows, LAY_MEMORY_DEVICE, &there_b)) ||
                      failed(lay_alloc(LAY_F32, rows, LAY_MEMORY_DEVICE, &there_c)) ||
                      failed(lay_copy(LAY_F32, rows, a, blocks, there_a, NULL)) ||
                      failed(lay_copy(LAY_F32, rows, b, rows, there_b, NULL)) ||
                      failed(lay_sgemm(blocks, rows, rows, 1, there_a, there_b, 0, there_c, NULL)) ||
                      failed(lay_copy(LAY_F32, rows, there_c, rows, c, NULL)); /* after what is in the stream */
    lay_free(there_c);
    lay_free(there_b);
    lay_free(there_a);
    return wrong;
}

static int is_right(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0; /* small integers: exact */
            for (int p = 0; p < N; p++)
                sum += a[i][p] * b[p][j];
            if (c[i][j] != sum)
                return 0;
        }
    return 1;
}

int main(void)
{
    lay_desc *rows = NULL, *blocks = NULL;
    void *tried = NULL;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (float)((i * 7 + j * 13) % 19 - 9);
            b[i][j] = (float)((i * 5 + j * 3) % 17 - 8);
        }
    int wrong = failed(lay_desc_parse("[256][256]", &rows)) ||
                failed(lay_desc_parse("A=[2][2][128][128]; [[#A_0][#A_2]][[#A_1][#A_3]]", &blocks));
    if (!wrong && lay_alloc(LAY_F32, rows, LAY_MEMORY_DEVICE, &tried) == LAY_OK) {
        lay_free(tried);
        wrong = multiply_there(rows, blocks);
        puts("multiplied in device memory");
    } else if (!wrong) {
        printf("%s\n", lay_last_error());
        wrong = failed(lay_sgemm(rows, rows, rows, 1, a[0], b[0], 0, c[0], NULL));
    }
    lay_desc_destroy(blocks);
    lay_desc_destroy(rows);
    if (!wrong && is_right())
        return 0;
    puts("the product is wrong");
    return 1;
}
