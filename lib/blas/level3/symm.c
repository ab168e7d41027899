/* symm and hemm: products with a symmetric or Hermitian matrix that is given by one triangle. Its columns are written
 * out, some at a time, and are then an operand like any other: of real numbers the bits are those of a product with the
 * whole matrix. */
#include <complex.h>
#include <stdlib.h>

#include "blas/level3/entries.h"

enum { TILE = 16 }; /* elements that are mirrored at once: lines of one are read, lines of the other written */

/* Columns first to first + count of the whole matrix, or of its transpose, to lines of `step` elements. of: the call,
 * n: the matrix's order. What is stored stands on one side of the diagonal, what is mirrored on the other. */
typedef struct panel {
    const layblas_call *of;
    int64_t n, first, count, step;
    int is_transpose;
    void *to;
} panel;

/* What lies between rows i0 and i1, columns j0 and j1 of a panel. */
typedef struct part {
    int64_t i0, i1, j0, j1;
} part;

/* conjugated, real: what an element becomes. Most parts lie on one side of the diagonal, and are plain loops. */
#define WRITE_OUT(name, element, conjugated, real)                                                                     \
    static void name##_stored(const panel *p, part at, int is_conjugated)                                              \
    {                                                                                                                  \
        const element *const a = p->of->a;                                                                             \
        element *const to = p->to;                                                                                     \
        for (int64_t j = at.j0; j < at.j1; j++)                                                                        \
            for (int64_t i = at.i0; i < at.i1; i++) {                                                                  \
                const element x = a[i + (p->first + j) * p->of->lda];                                                  \
                to[i + j * p->step] = is_conjugated ? conjugated(x) : x;                                               \
            }                                                                                                          \
    }                                                                                                                  \
    static void name##_mirrored(const panel *p, part at, int is_conjugated)                                            \
    {                                                                                                                  \
        const element *const a = p->of->a;                                                                             \
        element *const to = p->to;                                                                                     \
        for (int64_t j = at.j0; j < at.j1; j++)                                                                        \
            for (int64_t i = at.i0; i < at.i1; i++) {                                                                  \
                const element x = a[p->first + j + i * p->of->lda];                                                    \
                to[i + j * p->step] = is_conjugated ? conjugated(x) : x;                                               \
            }                                                                                                          \
    }                                                                                                                  \
    static void name(const panel *p, part at)                                                                          \
    {                                                                                                                  \
        const int is_hermitian = p->of->routine == LAYBLAS_HEMM, is_upper = p->of->uplo == 'U';                        \
        const int conjugates_stored = is_hermitian && p->is_transpose;                                                 \
        const int conjugates_mirrored = is_hermitian && !p->is_transpose;                                              \
        const int64_t first = p->first + at.j0, last = p->first + at.j1 - 1;                                           \
        if (is_upper ? at.i1 <= first : at.i0 > last)                                                                  \
            name##_stored(p, at, conjugates_stored);                                                                   \
        else if (is_upper ? at.i0 > last : at.i1 <= first)                                                             \
            name##_mirrored(p, at, conjugates_mirrored);                                                               \
        else                                                                                                           \
            for (int64_t j = at.j0; j < at.j1; j++) {                                                                  \
                const int64_t diagonal = p->first + j;                                                                 \
                const int64_t middle = diagonal < at.i0 ? at.i0 : diagonal < at.i1 ? diagonal : at.i1;                 \
                const part above = { at.i0, middle, j, j + 1 }, below = { middle, at.i1, j, j + 1 };                   \
                name##_stored(p, is_upper ? above : below, conjugates_stored);                                         \
                name##_mirrored(p, is_upper ? below : above, conjugates_mirrored);                                     \
                if (diagonal >= at.i0 && diagonal < at.i1)                                                             \
                    ((element *)p->to)[diagonal + j * p->step] =                                                       \
                        real(((const element *)p->of->a)[diagonal + diagonal * p->of->lda]);                           \
            }                                                                                                          \
    }

#define SAME(x)   (x)
#define REAL_F(x) (p->of->routine == LAYBLAS_HEMM ? crealf(x) : (x))
#define REAL(x)   (p->of->routine == LAYBLAS_HEMM ? creal(x) : (x))
/* clang-format off */
WRITE_OUT(write_s, float, SAME, SAME)
WRITE_OUT(write_d, double, SAME, SAME)
WRITE_OUT(write_c, float _Complex, conjf, REAL_F)
WRITE_OUT(write_z, double _Complex, conj, REAL)
/* clang-format on */

static void write_panel(const panel *p)
{
    static void (*const write[])(const panel *, part) = { write_s, write_d, write_c, write_z };
    for (int64_t j = 0; j < p->count; j += TILE)
        for (int64_t i = 0; i < p->n; i += TILE)
            write[p->of->type](
                p, (part){ i, i + TILE < p->n ? i + TILE : p->n, j, j + TILE < p->count ? j + TILE : p->count });
}

/* C's rows, or columns, that the panel's product is: of a matrix to the left its transpose's columns are written, so
 * that its rows lie side by side. */
static void multiply_panel(const panel *p)
{
    const layblas_call *const of = p->of;
    const int is_left = of->side == 'L';
    const int64_t size = layblas_size(of->type), at = p->first * size;
    const layblas_shape shape = {
        .form = layblas_form(of->type, 0, is_left ? LAYBLAS_TRANSPOSED : LAYBLAS_AS_IT_IS, LAYBLAS_AS_IT_IS),
        .m = is_left ? p->count : of->m,
        .n = is_left ? of->n : p->count,
        .k = p->to == of->b ? 0 : p->n,
        .step_a = is_left ? p->step : of->ldb,
        .step_b = is_left ? of->ldb : p->step,
        .step_c = of->ldc,
    };
    const layblas_name name = layblas_name_of(of);
    layblas_multiply(&shape, name.text, of->alpha, is_left ? p->to : of->b, is_left ? of->b : p->to, of->beta,
                     (char *)of->c + (is_left ? at : at * of->ldc));
}

/* Lines of whole cache lines and one more, so that no two lines of a panel meet in one set. */
static int64_t step_for(int64_t n, int64_t size)
{
    return ((n * size + 63) / 64 + 1) * 64 / size;
}

void layblas_symmetric(const layblas_call *of)
{
    const int is_left = of->side == 'L';
    panel p = { .of = of, .n = layblas_order(of), .is_transpose = is_left };
    int64_t block = layblas_block_of(of) < p.n ? layblas_block_of(of) : p.n;
    p.step = step_for(p.n, layblas_size(of->type));
    if (layblas_is(of->type, of->alpha, 0)) { /* no steps, so that nothing is read and the address does not matter */
        block = p.n;
        p.to = (void *)(uintptr_t)of->b;
        p.step = p.n;
    } else if (!(p.to = aligned_alloc(64, (size_t)(p.step * block * layblas_size(of->type) + 63) / 64 * 64))) {
        layblas_pass_call(of);
        return;
    }
    for (p.first = 0; p.first < p.n; p.first += block) {
        p.count = p.first + block < p.n ? block : p.n - p.first;
        if (p.to != of->b)
            write_panel(&p);
        multiply_panel(&p);
    }
    if (p.to != of->b)
        free(p.to);
}

#define FORTRAN(name, of_routine, of_type, integer)                                                                    \
    LAYBLAS_FORTRAN_OF_TWO(name, of_routine, of_type, integer, side, uplo, m, n)
#define C(name, of_routine, of_type, integer, scalar, of)                                                              \
    LAYBLAS_C_OF_TWO(name, of_routine, of_type, integer, side, uplo, m, n, scalar, of, scalar, of)

/* clang-format off */
FORTRAN(ssymm_, LAYBLAS_SYMM, 0, int)
FORTRAN(dsymm_, LAYBLAS_SYMM, 1, int)
FORTRAN(csymm_, LAYBLAS_SYMM, 2, int)
FORTRAN(zsymm_, LAYBLAS_SYMM, 3, int)
FORTRAN(chemm_, LAYBLAS_HEMM, 2, int)
FORTRAN(zhemm_, LAYBLAS_HEMM, 3, int)
FORTRAN(ssymm_64_, LAYBLAS_SYMM, 0, int64_t)
FORTRAN(dsymm_64_, LAYBLAS_SYMM, 1, int64_t)
FORTRAN(csymm_64_, LAYBLAS_SYMM, 2, int64_t)
FORTRAN(zsymm_64_, LAYBLAS_SYMM, 3, int64_t)
FORTRAN(chemm_64_, LAYBLAS_HEMM, 2, int64_t)
FORTRAN(zhemm_64_, LAYBLAS_HEMM, 3, int64_t)
C(cblas_ssymm, LAYBLAS_SYMM, 0, int, float, &)
C(cblas_dsymm, LAYBLAS_SYMM, 1, int, double, &)
C(cblas_csymm, LAYBLAS_SYMM, 2, int, const void *, )
C(cblas_zsymm, LAYBLAS_SYMM, 3, int, const void *, )
C(cblas_chemm, LAYBLAS_HEMM, 2, int, const void *, )
C(cblas_zhemm, LAYBLAS_HEMM, 3, int, const void *, )
C(cblas_ssymm_64, LAYBLAS_SYMM, 0, int64_t, float, &)
C(cblas_dsymm_64, LAYBLAS_SYMM, 1, int64_t, double, &)
C(cblas_csymm_64, LAYBLAS_SYMM, 2, int64_t, const void *, )
C(cblas_zsymm_64, LAYBLAS_SYMM, 3, int64_t, const void *, )
C(cblas_chemm_64, LAYBLAS_HEMM, 2, int64_t, const void *, )
C(cblas_zhemm_64, LAYBLAS_HEMM, 3, int64_t, const void *, )
/* clang-format on */
