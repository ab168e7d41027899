/* What a program that tests a BLAS has of its own: an xerbla_ and a cblas_xerbla, that keep what they are told. One
 * file of a program includes this. */
#ifndef LAY_TESTS_BLAS_TOLD_H
#define LAY_TESTS_BLAS_TOLD_H

#include <stdio.h>
#include <string.h>

extern int RowMajorStrg, CBLAS_CallFromC;
#define SEEN __attribute__((visibility("default")))
SEEN void xerbla_(const char *routine, const int *number, size_t length);
SEEN void cblas_xerbla(int number, const char *routine, const char *format, ...);

/* The last that was told: in words, "xerbla_ DGEMM  3" with what CBLAS's two variables said. */
static char told[100];
static int times_told, tests, failures;

void xerbla_(const char *routine, const int *number, size_t length)
{
    times_told++;
    snprintf(told, sizeof told, "xerbla_ '%.*s' %d%s%s", (int)length, routine, *number, CBLAS_CallFromC ? " C" : "",
             RowMajorStrg ? " rows" : "");
}

void cblas_xerbla(int number, const char *routine, const char *format, ...)
{
    times_told++;
    (void)format;
    snprintf(told, sizeof told, "cblas_xerbla %s %d%s", routine, number, RowMajorStrg ? " rows" : "");
}

/* Operands of every call. */
static double a[64], b[64], c[64];

static void begin_to_listen(void)
{
    told[0] = 0;
    times_told = 0;
    for (int i = 0; i < 64; i++)
        c[i] = i;
}

/* Told once, that alone, and C left as it was. */
static void expect_told(const char *wanted)
{
    int is_whole = 1;
    for (int i = 0; i < 64; i++)
        is_whole = is_whole && c[i] == i;
    const int is_ok = strcmp(told, wanted) == 0 && times_told == 1 && is_whole && !RowMajorStrg && !CBLAS_CallFromC;
    printf("%s %d - %s\n", is_ok ? "ok" : "not ok", ++tests, wanted);
    if (!is_ok)
        printf("# told %d times: %s%s\n", times_told, told, is_whole ? "" : ", and C was changed");
    failures += !is_ok;
}

#endif
