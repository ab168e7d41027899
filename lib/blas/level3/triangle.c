/* A product of which one triangle of C is computed. By halves: two triangles and the rectangle beside them, until a
 * triangle is a small square of which one half is thrown away. */
#include <string.h>

#include "blas/level3/call.h"

enum { LEAST = 48 }; /* rows of the small square, whole tiles of most kernels; 36 KiB of stack, of type z */

/* Offsets in bytes of row i of op(A), column j of op(B), and C's element there. */
static int64_t at_a(const layblas_triangle *of, int64_t i)
{
    return i * (of->shape.form & LAYBLAS_A_ALONG ? of->shape.step_a : 1) * layblas_size(of->shape.form);
}

static int64_t at_b(const layblas_triangle *of, int64_t j)
{
    return j * (of->shape.form & LAYBLAS_B_ALONG ? of->shape.step_b : 1) * layblas_size(of->shape.form);
}

static int64_t at_c(const layblas_triangle *of, int64_t i, int64_t j)
{
    const int is_by_rows = (of->shape.form & LAYBLAS_C_BY_ROWS) != 0;
    return (is_by_rows ? i * of->shape.step_c + j : i + j * of->shape.step_c) * layblas_size(of->shape.form);
}

/* rows x columns of C from element i, j on. Of a second product, of operands that have changed places, A's lines are
 * addressed as B's and B's as A's, for both lie alike. */
static void multiply_part(const layblas_triangle *of, int64_t i, int64_t j, int64_t rows, int64_t columns)
{
    layblas_shape part = of->shape;
    char *const c = of->c + at_c(of, i, j);
    part.m = rows;
    part.n = columns;
    layblas_multiply(&part, of->routine, of->alpha, of->a + at_a(of, i), of->b + at_b(of, j), of->beta, c);
    if (!of->alpha_exchanged)
        return;
    part.step_a = of->shape.step_b;
    part.step_b = of->shape.step_a;
    layblas_multiply(&part, of->routine, of->alpha_exchanged, of->b + at_b(of, i), of->a + at_a(of, j),
                     layblas_unit(part.form, 0), c);
}

/* The triangle's lines between C, from the element at c on, and a square without gaps, to or fro. */
static void copy_triangle(const layblas_triangle *of, char *c, char *square, int is_to_c)
{
    const int64_t size = layblas_size(of->shape.form), n = of->shape.m;
    const int ends_at_diagonal = of->is_upper == !(of->shape.form & LAYBLAS_C_BY_ROWS);
    for (int64_t line = 0; line < n; line++) {
        const int64_t first = ends_at_diagonal ? 0 : line, count = ends_at_diagonal ? line + 1 : n - line;
        char *const in_c = c + (line * of->shape.step_c + first) * size;
        char *const in_square = square + (line * n + first) * size;
        memcpy(is_to_c ? in_c : in_square, is_to_c ? in_square : in_c, (size_t)(count * size));
    }
}

/* A Hermitian matrix's diagonal is real, whatever stood there, and whatever sums were rounded to. */
static void clear_imaginary(const layblas_triangle *of, char *square)
{
    const int64_t size = layblas_size(of->shape.form), n = of->shape.m;
    for (int64_t i = 0; of->is_hermitian && i < n; i++)
        memset(square + (i * n + i) * size + size / 2, 0, (size_t)(size / 2));
}

static void multiply_square(const layblas_triangle *of)
{
    _Alignas(64) char square[LEAST * LEAST * 16];
    layblas_triangle inner = *of;
    inner.c = square;
    inner.shape.step_c = inner.shape.m;
    if (!layblas_is(of->shape.form, of->beta, 0)) {
        memset(square, 0, (size_t)(inner.shape.m * inner.shape.m * layblas_size(of->shape.form)));
        copy_triangle(of, of->c, square, 0);
        clear_imaginary(of, square);
    }
    multiply_part(&inner, 0, 0, inner.shape.m, inner.shape.m);
    clear_imaginary(of, square);
    copy_triangle(of, of->c, square, 1);
}

void layblas_multiply_triangle(const layblas_triangle *of)
{
    const int64_t n = of->shape.m, half = (n / 2 + LEAST - 1) / LEAST * LEAST;
    if (n <= LEAST) {
        multiply_square(of);
        return;
    }
    layblas_triangle first = *of, second = *of;
    first.shape.m = first.shape.n = half;
    second.shape.m = second.shape.n = n - half;
    second.a += at_a(of, half);
    second.b += at_b(of, half);
    second.c += at_c(of, half, half);
    layblas_multiply_triangle(&first);
    layblas_multiply_triangle(&second);
    if (of->is_upper)
        multiply_part(of, 0, half, half, n - half);
    else
        multiply_part(of, half, 0, n - half, half);
}
