/* What symm, syrk, trsm and their like have in common: arguments and what is wrong with them, and whether a call is
 * computed here or passed on. */
#include "blas/level3/call.h"

#include <stdio.h>
#include <string.h>

/* The shape of a routine's arguments, and how it is computed. */
typedef struct rule {
    const char *stem;
    void (*compute)(const layblas_call *);
    int has_b, has_real_alpha, has_real_beta;
} rule;
static const rule rules[LAYBLAS_ROUTINES] = {
    [LAYBLAS_SYMM] = { "symm", layblas_symmetric, .has_b = 1 },
    [LAYBLAS_HEMM] = { "hemm", layblas_symmetric, .has_b = 1 },
    [LAYBLAS_SYRK] = { "syrk", layblas_rank_update, .has_b = 0 },
    [LAYBLAS_HERK] = { "herk", layblas_rank_update, .has_real_alpha = 1, .has_real_beta = 1 },
    [LAYBLAS_SYR2K] = { "syr2k", layblas_rank_update, .has_b = 1 },
    [LAYBLAS_HER2K] = { "her2k", layblas_rank_update, .has_b = 1, .has_real_beta = 1 },
    [LAYBLAS_TRMM] = { "trmm", layblas_triangular, .has_b = 0 },
    [LAYBLAS_TRSM] = { "trsm", layblas_triangular, .has_b = 0 },
};

static int is_triangular(const layblas_call *of)
{
    return of->routine == LAYBLAS_TRMM || of->routine == LAYBLAS_TRSM;
}

static int is_hermitian(const layblas_call *of)
{
    return of->routine == LAYBLAS_HEMM || of->routine == LAYBLAS_HERK || of->routine == LAYBLAS_HER2K;
}

layblas_name layblas_name_of(const layblas_call *of)
{
    layblas_name made;
    snprintf(made.text, sizeof made.text, "%c%s", "sdcz"[of->type], rules[of->routine].stem);
    return made;
}

/* A rank update's op: of complex matrices the one that goes with the routine, of real ones either. */
static int has_op(const layblas_call *of)
{
    const int is_complex = (of->type & LAYBLAS_COMPLEX) != 0, is_rank = layblas_is_rank_update(of);
    return of->op == 'N' || (of->op == 'T' && !(is_rank && is_hermitian(of))) ||
           (of->op == 'C' && !(is_rank && is_complex && !is_hermitian(of)));
}

static int is_too_short(int64_t step, int64_t line)
{
    return step < 1 || step < line;
}

/* The number of the first wrong argument in Fortran's order. */
static int check_rank_update(const layblas_call *of)
{
    const int64_t line = of->op == 'N' ? of->n : of->k;
    const int has_b = rules[of->routine].has_b;
    if (of->uplo != 'U' && of->uplo != 'L')
        return 1;
    if (!has_op(of))
        return 2;
    if (of->n < 0)
        return 3;
    if (of->k < 0)
        return 4;
    if (is_too_short(of->lda, line))
        return 7;
    if (has_b && is_too_short(of->ldb, line))
        return 9;
    return is_too_short(of->ldc, of->n) ? has_b ? 12 : 10 : 0;
}

static int check_from_a_side(const layblas_call *of)
{
    const int is_three = is_triangular(of), more = is_three ? 2 : 0; /* op and diagonal come before m */
    if (of->side != 'L' && of->side != 'R')
        return 1;
    if (of->uplo != 'U' && of->uplo != 'L')
        return 2;
    if (is_three && !has_op(of))
        return 3;
    if (is_three && of->diagonal != 'U' && of->diagonal != 'N')
        return 4;
    if (of->m < 0)
        return 3 + more;
    if (of->n < 0)
        return 4 + more;
    if (is_too_short(of->lda, of->side == 'L' ? of->m : of->n))
        return 7 + more;
    if (is_too_short(of->ldb, of->m))
        return 9 + more;
    return !is_three && is_too_short(of->ldc, of->m) ? 12 : 0;
}

/* Whether there is nothing to do, so that what would be read may be anything. */
static int changes_nothing(const layblas_call *of)
{
    const int64_t real = of->type & LAYBLAS_DOUBLE;
    if (of->n == 0 || (of->m == 0 && !layblas_is_rank_update(of)))
        return 1;
    if (is_triangular(of))
        return 0;
    const int is_product_zero = (layblas_is_rank_update(of) && of->k == 0) ||
                                layblas_is(rules[of->routine].has_real_alpha ? real : of->type, of->alpha, 0);
    return is_product_zero && layblas_is(rules[of->routine].has_real_beta ? real : of->type, of->beta, 1);
}

static void compute(const layblas_call *of)
{
    if (changes_nothing(of))
        return;
    if (layblas_is_ours(of) || !layblas_try_to_pass(of))
        rules[of->routine].compute(of);
}

static void check_and_compute(const layblas_call *of)
{
    const int wrong = layblas_is_rank_update(of) ? check_rank_update(of) : check_from_a_side(of);
    if (wrong)
        layblas_wrong(of->caller, layblas_name_of(of).text, wrong);
    else
        compute(of);
}

static inline char capital(char letter)
{
    return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
}

void layblas_call_of_fortran(layblas_call call)
{
    call.side = capital(call.side);
    call.uplo = capital(call.uplo);
    call.op = capital(call.op);
    call.diagonal = capital(call.diagonal);
    check_and_compute(&call);
}

/* All matrices transposed: what lies by rows then lies by columns. alpha_turned: room for one that is conjugated. */
static void turn(layblas_call *of, double alpha_turned[2])
{
    of->uplo = of->uplo == 'U' ? 'L' : 'U';
    of->side = of->side == 'L' ? 'R' : 'L';
    if (!layblas_is_rank_update(of)) {
        const int64_t m = of->m;
        of->m = of->n;
        of->n = m;
        return;
    }
    of->op = of->op != 'N' ? 'N' : is_hermitian(of) ? 'C' : 'T';
    if (of->routine != LAYBLAS_HER2K)
        return;
    if (of->type & LAYBLAS_DOUBLE) {
        alpha_turned[0] = ((const double *)of->alpha)[0];
        alpha_turned[1] = -((const double *)of->alpha)[1];
    } else {
        const float turned[2] = { ((const float *)of->alpha)[0], -((const float *)of->alpha)[1] };
        memcpy(alpha_turned, turned, sizeof turned);
    }
    of->alpha = alpha_turned;
}

/* CBLAS's numbers from `first` on, each with a letter. */
static char letter(int number, int first, const char *letters)
{
    const int count = (int)strlen(letters);
    return number >= first && number < first + count ? letters[number - first] : 0;
}

/* The number of the first argument that CBLAS itself refuses, in C's order, with what it says of it. */
static int check_letters(const layblas_call *of, const layblas_letters *given, const char **says, int *value)
{
    const int is_rank = layblas_is_rank_update(of), is_by_rows = given->layout == LAYBLAS_ROWS;
    const struct {
        int is_wrong, number, value;
        const char *says;
    } all[] = {
        { given->layout != LAYBLAS_ROWS && given->layout != LAYBLAS_COLUMNS, 1, given->layout,
          "Illegal layout setting, %d\n" },
        { !is_rank && !of->side, 2, given->side, "Illegal Side setting, %d\n" },
        { !of->uplo, is_rank ? 2 : 3, given->uplo, "Illegal Uplo setting, %d\n" },
        { (is_rank || is_triangular(of)) && (!of->op || (is_by_rows && !has_op(of))), is_rank ? 3 : 4, given->op,
          "Illegal Trans setting, %d\n" },
        { is_triangular(of) && !of->diagonal, 5, given->diagonal, "Illegal Diag setting, %d\n" },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].is_wrong) {
            *says = all[i].says;
            *value = all[i].value;
            return all[i].number;
        }
    return 0;
}

void layblas_call_of_c(layblas_call call, layblas_letters given)
{
    const char *says;
    int value;
    double alpha_turned[2];
    call.side = letter(given.side, 141, "LR");
    call.uplo = letter(given.uplo, 121, "UL");
    call.op = letter(given.op, 111, "NTC");
    call.diagonal = letter(given.diagonal, 131, "NU");
    const int wrong = check_letters(&call, &given, &says, &value);
    if (wrong) {
        layblas_wrong_in_c(layblas_name_of(&call).text, wrong, says, value);
        return;
    }
    call.caller = given.layout == LAYBLAS_ROWS ? LAYBLAS_C_ROWS : LAYBLAS_C_COLUMNS;
    if (call.caller == LAYBLAS_C_ROWS)
        turn(&call, alpha_turned);
    check_and_compute(&call);
}
