/* Grids and matrices for tests of PBLAS. */
#include "blacs.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const kind kinds[4] = { { 's', 4, 0 }, { 'd', 8, 0 }, { 'c', 8, 1 }, { 'z', 16, 1 } };

int blacs_open(const char *library, blacs *out)
{
    void *const loaded = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    if (!loaded)
        return fprintf(stderr, "%s\n", dlerror()), 0;
    *(void **)&out->get = dlsym(loaded, "Cblacs_get");
    *(void **)&out->init = dlsym(loaded, "Cblacs_gridinit");
    *(void **)&out->map = dlsym(loaded, "Cblacs_gridmap");
    *(void **)&out->info = dlsym(loaded, "Cblacs_gridinfo");
    *(void **)&out->leave = dlsym(loaded, "Cblacs_gridexit");
    return out->get && out->init && out->map && out->info && out->leave;
}

int choose(int n)
{
    static unsigned long long state = 88172645463325252ull;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)(state % (unsigned long long)n);
}

double complex known_element(const kind *of, int seed, int i, int j)
{
    const unsigned mixed = ((unsigned)i * 2654435761u ^ (unsigned)j * 40503u ^ (unsigned)seed * 97u) * 2246822519u;
    const double real = (int)(mixed >> 8 & 7) - 3, imaginary = (int)(mixed >> 16 & 7) - 3;
    return of->is_complex ? real + imaginary * I : real;
}

static void put(const kind *of, char *to, double complex value)
{
    const float narrow[] = { (float)creal(value), (float)cimag(value) };
    const double wide[] = { creal(value), cimag(value) };
    const int is_narrow = of->letter == 's' || of->letter == 'c';
    memcpy(to, is_narrow ? (const void *)narrow : wide, of->size);
}

/* Which process has index x of dimension d, counted here one by one: the definition, not a formula of the library. */
static int owner_of(const matrix *of, int d, int x)
{
    int owner = of->source[d], left = of->first_block[d];
    for (int i = 0; i < x; i++)
        if (--left == 0) {
            owner = (owner + 1) % of->grid[d];
            left = of->block[d];
        }
    return owner;
}

static int is_here(const matrix *of, int d, int x)
{
    return of->here[d] >= 0 && (of->source[d] < 0 || owner_of(of, d, x) == of->here[d]);
}

static void choose_shape(matrix *of, int d, int part, int may_be_inb, int may_be_replicated)
{
    of->at[d] = 1 + choose(20);
    of->extent[d] = of->at[d] - 1 + part + choose(10);
    of->block[d] = 1 + choose(9);
    const int first = 1 + choose(14), source = choose(of->grid[d]), is_replicated = choose(6) == 0;
    of->first_block[d] = may_be_inb && of->has_first_blocks ? first : of->block[d];
    of->source[d] = may_be_replicated && is_replicated ? -1 : source;
}

static void make_desc(matrix *of, int context)
{
    const int head[] = { of->has_first_blocks ? 2 : 1, context, of->extent[0], of->extent[1] };
    int *next = of->desc;
    memcpy(next, head, sizeof head);
    next += 4;
    if (of->has_first_blocks) {
        memcpy(next, of->first_block, sizeof of->first_block);
        next += 2;
    }
    memcpy(next, of->block, sizeof of->block);
    memcpy(next + 2, of->source, sizeof of->source);
    next[4] = of->lead;
}

/* Calls visit for each element here, with its indices in the matrix. */
typedef int visit_fn(const matrix *of, const kind *as, int i, int j, char *element, void *asked);
static int visit_all(const matrix *of, const kind *as, visit_fn *visit, void *asked)
{
    int sum = 0;
    for (int j = 0, column = 0; j < of->extent[1]; j++) {
        if (!is_here(of, 1, j))
            continue;
        for (int i = 0, row = 0; i < of->extent[0]; i++)
            if (is_here(of, 0, i))
                sum += visit(of, as, i, j, of->data + ((size_t)column * (size_t)of->lead + (size_t)row++) * as->size,
                             asked);
        column++;
    }
    return sum;
}

static int fill(const matrix *of, const kind *as, int i, int j, char *element, void *asked)
{
    (void)of;
    put(as, element, known_element(as, *(const int *)asked, i, j));
    return 0;
}

matrix make_matrix(const blacs *by, const kind *of, int context, const int grid[2], int rows, int columns,
                   int may_be_inb, int may_be_replicated, int gap, int seed)
{
    matrix made = { .grid = { grid[0], grid[1] }, .here = { -1, -1 }, .lead = 1 };
    int ignored[2];
    made.has_first_blocks = choose(2) && may_be_inb;
    choose_shape(&made, 0, rows, may_be_inb, may_be_replicated);
    choose_shape(&made, 1, columns, may_be_inb, may_be_replicated);
    if (context >= 0)
        by->info(context, &ignored[0], &ignored[1], &made.here[0], &made.here[1]);
    for (int d = 0; d < 2; d++)
        for (int x = 0; x < made.extent[d]; x++)
            made.count[d] += is_here(&made, d, x);
    made.lead = made.count[0] + gap > 0 ? made.count[0] + gap : 1;
    made.bytes = (size_t)made.lead * (size_t)(made.count[1] + 1) * of->size;
    made.data = malloc(made.bytes);
    memset(made.data, 0xff, made.bytes); /* NaN */
    visit_all(&made, of, fill, &seed);
    make_desc(&made, context);
    return made;
}

typedef struct question {
    int rows, columns, seed;
    element_fn *expected;
    void *asked;
} question;

/* Zeros of either sign are. */
static int same_number(const kind *of, const char *x, const char *y)
{
    const int is_narrow = of->letter == 's' || of->letter == 'c';
    for (int part = 0; part <= of->is_complex; part++) {
        double wide[2];
        float narrow[2];
        for (int side = 0; side < 2; side++) {
            const char *const from = side ? y : x;
            memcpy(&narrow[side], from + (size_t)part * sizeof *narrow, is_narrow ? sizeof *narrow : 0);
            memcpy(&wide[side], from + (size_t)part * sizeof *wide, is_narrow ? 0 : sizeof *wide);
        }
        if (is_narrow ? narrow[0] != narrow[1] : wide[0] != wide[1])
            return 0;
    }
    return 1;
}

/* Of an element 1 if it is wrong; it is overwritten, so that what is left are bytes of nobody. */
static int judge(const matrix *of, const kind *as, int i, int j, char *element, void *asked)
{
    const question *const of_part = asked;
    char wanted[16];
    const int row = i - of->at[0] + 1, column = j - of->at[1] + 1;
    const int is_inside = row >= 0 && row < of_part->rows && column >= 0 && column < of_part->columns;
    put(as, wanted,
        is_inside ? of_part->expected(of_part->asked, row, column) : known_element(as, of_part->seed, i, j));
    const int is_wrong = !same_number(as, wanted, element);
    memset(element, 0xff, as->size);
    return is_wrong;
}

int count_wrong(const matrix *of, const kind *as, int rows, int columns, int seed, element_fn *expected, void *asked)
{
    question all = { rows, columns, seed, expected, asked };
    int wrong = visit_all(of, as, judge, &all);
    for (size_t b = 0; b < of->bytes; b++)
        wrong += (unsigned char)of->data[b] != 0xff;
    return wrong;
}
