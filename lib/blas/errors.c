/* Wrong arguments, as the reference BLAS tells of them, and calls that nobody can do. */
#include "blas/errors.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas/exported.h"
#include "blas/next.h"

/* CBLAS's variables, by which its xerbla_ and cblas_xerbla know who called. The next library may have its own. */
EXPORTED int RowMajorStrg, CBLAS_CallFromC;

void xerbla_(const char *routine, const void *number, size_t length);
void cblas_xerbla(int number, const char *routine, const char *format, ...);

static void tell(const char *variable, int *own, int value)
{
    const char *reason;
    int *const next = layblas_next_find(variable, &reason);
    *own = value;
    if (next)
        *next = value;
}

static void tell_both(int is_from_c, int is_by_rows)
{
    tell("CBLAS_CallFromC", &CBLAS_CallFromC, is_from_c);
    tell("RowMajorStrg", &RowMajorStrg, is_by_rows);
}

void layblas_wrong(layblas_caller caller, const char *routine, int number)
{
    char name[32];
    const size_t length = strlen(routine) < 6 ? 6 : strlen(routine);
    const int64_t wide = number; /* xerbla_ takes its address: of 32 or of 64 bits, the lower ones come first */
    for (size_t i = 0; i < length; i++)
        name[i] = i < strlen(routine) ? (char)toupper(routine[i]) : ' ';
    name[length] = 0;
    tell_both(caller != LAYBLAS_FORTRAN, caller == LAYBLAS_C_ROWS);
    xerbla_(name, &wide, length);
    tell_both(0, 0);
}

void layblas_wrong_in_c(const char *routine, int number, const char *format, int value)
{
    char name[40];
    snprintf(name, sizeof name, "cblas_%s", routine);
    cblas_xerbla(number, name, format, value);
}

/* What the caller counts, of a row-major call of CBLAS whose operands were exchanged. */
static int by_rows(const char *routine, int number)
{
    static const struct {
        const char *routine;
        int one, other;
    } exchanged[] = { { "gemm", 4, 5 }, { "gemm", 9, 11 }, { "gemv", 3, 4 }, { "symm", 4, 5 },
                      { "hemm", 4, 5 }, { "trmm", 6, 7 },  { "trsm", 6, 7 } };
    for (size_t i = 0; i < sizeof exchanged / sizeof *exchanged; i++)
        if (strstr(routine, exchanged[i].routine) && (number == exchanged[i].one || number == exchanged[i].other))
            return exchanged[i].one + exchanged[i].other - number;
    return number;
}

static void own_cblas_xerbla(int number, const char *routine, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "Parameter %d to routine %s was incorrect\n", RowMajorStrg ? by_rows(routine, number) : number,
            routine);
    vfprintf(stderr, format, list);
    va_end(list);
}

/* As gfortran passes a string: its length behind all arguments. */
static void own_xerbla(const char *routine, const int *number, size_t length)
{
    const size_t count = length < 16 ? length : 6;
    char name[24] = "cblas_";
    if (!CBLAS_CallFromC) {
        fprintf(stderr, " ** On entry to %.*s parameter number %2d had an illegal value\n", (int)count, routine,
                *number);
        return;
    }
    for (size_t i = 0; i < count && routine[i] != ' '; i++) {
        name[6 + i] = (char)tolower(routine[i]);
        name[7 + i] = 0;
    }
    cblas_xerbla(*number + 1, name, "");
}

void *layblas_own_errors(const char *name)
{
    if (strcmp(name, "xerbla_") == 0)
        return (void *)own_xerbla;
    return strcmp(name, "cblas_xerbla") == 0 ? (void *)own_cblas_xerbla : NULL;
}

_Noreturn void layblas_give_up(const char *routine, const char *reason)
{
    fprintf(stderr, "layblas: %s cannot be computed: %s (LAY_BLAS_NEXT)\n", routine, reason);
    abort();
}
