/* A product tile by tile: lay_desc_tile cuts three matrices, short tiles at the edges included, and a loop over their
 * tiles multiplies, once on row-major storage and once on Fortran order, whose tiles are cut by the same calls. */
#include <layoutgemm.h>
#include <stdint.h>
#include <stdio.h>

enum { M = 200, K = 150, N = 170, TILE_M = 64, TILE_K = 48, TILE_N = 80 }; /* none divides */

static int failed(lay_status status)
{
    if (status)
        fprintf(stderr, "%s: %s\n", lay_status_name(status), lay_last_error());
    return status != LAY_OK;
}

/* C tile (i, j) += A tile (i, p) B tile (p, j). */
static int multiply_tiles(const lay_desc *a, const lay_desc *b, const lay_desc *c, int64_t i, int64_t p, int64_t j,
                          const double *data_a, const double *data_b, double *data_c)
{
    lay_desc *tile_a = NULL, *tile_b = NULL, *tile_c = NULL;
    int64_t at_a, at_b, at_c;
    const int wrong = failed(lay_desc_tile_at(a, (int64_t[]){ i, p }, &tile_a, &at_a)) ||
                      failed(lay_desc_tile_at(b, (int64_t[]){ p, j }, &tile_b, &at_b)) ||
                      failed(lay_desc_tile_at(c, (int64_t[]){ i, j }, &tile_c, &at_c)) ||
                      failed(lay_dgemm(tile_a, tile_b, tile_c, 1.0, data_a + at_a, data_b + at_b, p == 0 ? 0.0 : 1.0,
                                       data_c + at_c, NULL));
    lay_desc_destroy(tile_c);
    lay_desc_destroy(tile_b);
    lay_desc_destroy(tile_a);
    return wrong;
}

/* The three views cut in tiles, then a loop over the grid of tiles. */
static int multiply_tiled(const char *text_a, const char *text_b, const char *text_c, const double *data_a,
                          const double *data_b, double *data_c)
{
    lay_desc *a = NULL, *b = NULL, *c = NULL, *tiled_a = NULL, *tiled_b = NULL, *tiled_c = NULL;
    int wrong = failed(lay_desc_parse(text_a, &a)) || failed(lay_desc_parse(text_b, &b)) ||
                failed(lay_desc_parse(text_c, &c)) ||
                failed(lay_desc_tile(a, (int64_t[]){ TILE_M, TILE_K }, &tiled_a)) ||
                failed(lay_desc_tile(b, (int64_t[]){ TILE_K, TILE_N }, &tiled_b)) ||
                failed(lay_desc_tile(c, (int64_t[]){ TILE_M, TILE_N }, &tiled_c));
    if (!wrong) {
        const int64_t rows = lay_desc_extent(tiled_c, "0_0"), columns = lay_desc_extent(tiled_c, "1_0");
        const int64_t steps = lay_desc_extent(tiled_a, "1_0");
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++)
                for (int64_t p = 0; p < steps && !wrong; p++)
                    wrong = multiply_tiles(tiled_a, tiled_b, tiled_c, i, p, j, data_a, data_b, data_c);
        printf("%s: %d x %d tiles, %d steps\n", text_c, (int)rows, (int)columns, (int)steps);
    }
    lay_desc_destroy(tiled_c);
    lay_desc_destroy(tiled_b);
    lay_desc_destroy(tiled_a);
    lay_desc_destroy(c);
    lay_desc_destroy(b);
    lay_desc_destroy(a);
    return wrong;
}

static double entry(int64_t i, int64_t j) /* small integers: every sum below is exact */
{
    return (double)((i * 7 + j * 13) % 19 - 9);
}

static double product(int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t p = 0; p < K; p++)
        sum += entry(i, p) * entry(p, j);
    return sum;
}

int main(void)
{
    static double rows_a[M][K], rows_b[K][N], rows_c[M][N];          /* row-major */
    static double columns_a[K][M], columns_b[N][K], columns_c[N][M]; /* the same matrices in Fortran order */
    for (int i = 0; i < M; i++)
        for (int p = 0; p < K; p++)
            rows_a[i][p] = columns_a[p][i] = entry(i, p);
    for (int p = 0; p < K; p++)
        for (int j = 0; j < N; j++)
            rows_b[p][j] = columns_b[j][p] = entry(p, j);
    int wrong =
        multiply_tiled("[200][150]", "[150][170]", "[200][170]", *rows_a, *rows_b, *rows_c) ||
        multiply_tiled("[200:1][150:200]", "[150:1][170:150]", "[200:1][170:200]", *columns_a, *columns_b, *columns_c);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            wrong |= rows_c[i][j] != product(i, j) || columns_c[j][i] != product(i, j);
    printf("%s\n", wrong ? "WRONG" : "right");
    return wrong;
}
