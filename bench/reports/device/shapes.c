/* The products of report `shapes`. */
#include "shapes.h"

#include <math.h>
#include <string.h>

#include "bench/base/random.h"

typedef struct kind {
    lay_type type;
    lay_compute compute;
    const char *squares, *others;
} kind;

static const kind kinds_known[] = {
    { LAY_BF16, LAY_COMPUTE_AUTO, "bf16 squares", "bf16 inference" },
    { LAY_F16, LAY_COMPUTE_AUTO, "f16 squares", "f16 inference" },
    { LAY_F32, LAY_COMPUTE_TF32, "TF32 squares", "TF32 inference" },
    { LAY_F32, LAY_COMPUTE_AUTO, "f32 squares", "f32 shapes" },
    { LAY_F64, LAY_COMPUTE_AUTO, "f64 squares", "f64 shapes" },
};
enum { KINDS = sizeof kinds_known / sizeof kinds_known[0], BIGGEST = 16384, PLAIN_BIGGEST = 8192 };

/* From low to high, evenly by their logarithms. */
static int draw(uint64_t *state, double low, double high)
{
    const double at = (double)(random_next(state) >> 11) * 0x1p-53;
    return (int)(low * pow(high / low, at));
}

static int fill_squares(int size[])
{
    int count = 0;
    uint64_t state = 109;
    for (int n = 2048; n <= BIGGEST; n += 2048)
        size[count++] = n;
    for (int i = 0; i < 20; i++)
        size[count++] = draw(&state, 256, 8192) / 128 * 128;
    for (int i = 0; i < 20; i++)
        size[count++] = draw(&state, 200, 6000) / 8 * 8;
    while (count < SHAPES_SQUARES)
        size[count++] = draw(&state, 200, 4000) | 1;
    return count;
}

/* Weights of models that are widely used, and a batch of tokens. */
static int fill_inference(int shape_of[][3])
{
    static const int weights[][2] = { { 4096, 4096 },  { 11008, 4096 }, { 4096, 11008 }, { 14336, 4096 },
                                      { 4096, 14336 }, { 28672, 8192 }, { 8192, 28672 }, { 8192, 8192 },
                                      { 5120, 5120 },  { 13824, 5120 }, { 5120, 13824 }, { 1024, 4096 },
                                      { 10240, 8192 }, { 2560, 2560 },  { 6144, 4096 } };
    uint64_t state = 40;
    for (int i = 0; i < SHAPES_OTHERS; i++) {
        const int *of = weights[random_next(&state) % (sizeof weights / sizeof weights[0])];
        const int tokens = 1 << random_next(&state) % 10;
        shape_of[i][0] = tokens;
        shape_of[i][1] = of[0];
        shape_of[i][2] = of[1];
    }
    return SHAPES_OTHERS;
}

/* Those that have been slow, and others as long and thin. */
static int fill_plain(int shape_of[][3])
{
    static const int known[][3] = {
        { 1000000, 8, 8 },   { 200000, 32, 64 },  { 4096, 4096, 64 },  { 8192, 8192, 16 },
        { 8192, 8, 8192 },   { 64, 64, 65536 },   { 100000, 16, 16 },  { 20000, 100, 1000 },
        { 4096, 128, 4096 }, { 128, 8192, 2048 }, { 512, 512, 16384 }, { 8192, 1, 8192 },
        { 16, 8192, 8192 },  { 300000, 64, 32 },  { 1000, 1000, 64 },  { 4096, 4096, 256 }
    };
    enum { KNOWN = sizeof known / sizeof known[0] };
    uint64_t state = 41;
    memcpy(shape_of, known, sizeof known);
    for (int i = KNOWN; i < SHAPES_OTHERS;) {
        const int m = draw(&state, 8, 20000), n = draw(&state, 8, 20000), k = draw(&state, 8, 20000);
        const double work = (double)m * n * k;
        if (work < 1e7 || work > 1e11)
            continue;
        shape_of[i][0] = m;
        shape_of[i][1] = n;
        shape_of[i++][2] = k;
    }
    return SHAPES_OTHERS;
}

static shape make(const kind *of, const char *group, int m, int n, int k, int transposed)
{
    return (shape){ group, of->type, of->compute, m, n, k, { transposed & 1, transposed >> 1 } };
}

static int is_plain(const kind *of)
{
    return of->compute == LAY_COMPUTE_AUTO && (of->type == LAY_F32 || of->type == LAY_F64);
}

/* bf16 in all four transposes, others in two that take turns: of matrix units no type differs from another in that. */
static int add(const kind *of, int largest, shape out[])
{
    int squares[SHAPES_SQUARES], others[SHAPES_OTHERS][3], count = 0;
    const int most = is_plain(of) && largest > PLAIN_BIGGEST ? PLAIN_BIGGEST : largest;
    const int is_all = of->type == LAY_BF16;
    fill_squares(squares);
    for (int i = 0; i < SHAPES_SQUARES; i++)
        for (int t = 0; t < 4 && squares[i] <= most; t++)
            if (is_all || (is_plain(of) ? t == i % 4 : t == 0 || t == 1 + i % 3))
                out[count++] = make(of, of->squares, squares[i], squares[i], squares[i], t);
    is_plain(of) ? fill_plain(others) : fill_inference(others);
    for (int i = 0; i < SHAPES_OTHERS; i++) /* weights by rows, and by columns as they mostly are */
        for (int t = 0; t <= (is_plain(of) ? 0 : 2); t += 2)
            if (is_all || is_plain(of) || t == i % 2 * 2)
                out[count++] = make(of, of->others, others[i][0], others[i][1], others[i][2], t);
    return count;
}

int shapes_list(int largest, int has_type, lay_type type, lay_compute compute, shape out[])
{
    int count = 0;
    for (int i = 0; i < KINDS; i++)
        if (!has_type || (type == kinds_known[i].type && compute == kinds_known[i].compute))
            count += add(&kinds_known[i], largest, out + count);
    return count;
}
