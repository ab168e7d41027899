/* Wrong arguments, and calls that cannot be done. */
#ifndef LAYBLAS_ERRORS_H
#define LAYBLAS_ERRORS_H

/* The caller's wrong argument, as the reference BLAS tells of it: xerbla_, of the program, else of the next library,
 * else of this one, gets the routine's name, in capitals and filled up with blanks to six, and the argument's number
 * in Fortran's order. Of a call through CBLAS that was row-major the operands had been exchanged; CBLAS's own xerbla_
 * then counts as C does, by the two variables below. */
typedef enum layblas_caller {
    LAYBLAS_FORTRAN,
    LAYBLAS_C_COLUMNS,
    LAYBLAS_C_ROWS,
} layblas_caller;
void layblas_wrong(layblas_caller caller, const char *routine, int number);

/* The same for what CBLAS looks at itself, or the reference has no word about: cblas_xerbla gets the routine's name, as
 * sgemm, and the argument's number in C's order. */
void layblas_wrong_in_c(const char *routine, int number, const char *format, int value);

/* xerbla_ or cblas_xerbla of our own, where the next library has none; NULL for another name. */
void *layblas_own_errors(const char *name);

/* A call that nobody can do: a sentence on stderr, then abort. */
_Noreturn void layblas_give_up(const char *routine, const char *reason);

#endif
