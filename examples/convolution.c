/* A convolution is a contraction of an overlapping view: no im2col, no copy of patches.
 *
 * Images X[n][h][w][c] meet filters F[u][v][c][f], and an output pixel sums over its patch:
 *
 *     Y[n,y,x,f] = sum over u, v, c of X[n, S y + D u, S x + D v, c] F[u,v,c,f]
 *
 * All that X's indices say is how far to step: by a row S rows, by a tap D rows, and so on. So X has a second
 * descriptor, of six dimensions, [n][y][x][u][v][c], whose strides are those. Patches share elements: for what is read
 * that is allowed. Stride S and dilation D of the convolution are numbers in it. */
#include <layoutgemm.h>
#include <stdio.h>

enum { N = 2, HEIGHT = 17, WIDTH = 20, CHANNELS = 8, TAPS = 3, FILTERS = 12 };

static float image[N][HEIGHT][WIDTH][CHANNELS], filter[TAPS][TAPS][CHANNELS][FILTERS];

/* Small integers: exact sums. */
static float wanted(int n, int y, int x, int f, int step, int dilation)
{
    float sum = 0;
    for (int u = 0; u < TAPS; u++)
        for (int v = 0; v < TAPS; v++)
            for (int c = 0; c < CHANNELS; c++)
                sum += image[n][y * step + u * dilation][x * step + v * dilation][c] * filter[u][v][c][f];
    return sum;
}

static int convolve(int step, int dilation)
{
    static float result[N * HEIGHT * WIDTH * FILTERS];
    const int64_t reach = (TAPS - 1) * dilation + 1; /* of a filter */
    const int64_t height = (HEIGHT - reach) / step + 1, width = (WIDTH - reach) / step + 1;
    const int64_t row = WIDTH * CHANNELS, pixel = CHANNELS;
    const float one = 1, zero = 0;
    lay_desc *patches = NULL, *filters = NULL, *pixels = NULL;
    int wrong =
        lay_desc_strided(6, (int64_t[]){ N, height, width, TAPS, TAPS, CHANNELS },
                         (int64_t[]){ HEIGHT * row, step * row, step * pixel, dilation * row, dilation * pixel, 1 },
                         &patches) ||
        lay_desc_natural(4, (int64_t[]){ TAPS, TAPS, CHANNELS, FILTERS }, &filters) ||
        lay_desc_natural(4, (int64_t[]){ N, height, width, FILTERS }, &pixels) ||
        lay_contract(LAY_F32, "nyxuvc,uvcf->nyxf", patches, filters, pixels, &one, image, filter, &zero, result, NULL);
    if (wrong)
        fprintf(stderr, "%s\n", lay_last_error());
    lay_desc_destroy(patches);
    lay_desc_destroy(filters);
    lay_desc_destroy(pixels);

    const float *at = result;
    for (int n = 0; n < N; n++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                for (int f = 0; f < FILTERS; f++)
                    wrong |= *at++ != wanted(n, y, x, f, step, dilation);
    printf("stride %d, dilation %d: %d x %d pixels, %s\n", step, dilation, (int)height, (int)width,
           wrong ? "WRONG" : "right");
    return wrong;
}

int main(void)
{
    for (int at = 0; at < N * HEIGHT * WIDTH * CHANNELS; at++)
        (&image[0][0][0][0])[at] = (float)(at * 5 % 11 - 5);
    for (int at = 0; at < TAPS * TAPS * CHANNELS * FILTERS; at++)
        (&filter[0][0][0][0])[at] = (float)(at * 3 % 7 - 3);
    return convolve(1, 1) | convolve(2, 1) | convolve(1, 3) | convolve(3, 2);
}
