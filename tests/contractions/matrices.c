/* A contraction as products of plain matrices, and tensors with their dimensions in another order. */
#include "contraction.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../there.h"

/* Labels whose indices are one index, the last varying fastest. */
typedef struct group {
    int count, label[MAX_LABELS];
    int64_t extent;
} group;

static void add_label(const contraction *c, group *to, int label)
{
    to->label[to->count++] = label;
    to->extent *= c->extent[label];
}

static int has(const contraction *c, int which, int label)
{
    for (int d = 0; d < c->rank[which]; d++)
        if (c->label[which][d] == label)
            return 1;
    return 0;
}

/* Whether x varies faster than y. */
static int is_inner(const contraction *c, int x, int y)
{
    return c->extent[x] != c->extent[y] ? c->extent[x] > c->extent[y] : c->name[x] > c->name[y];
}

static void sort_summed(const contraction *c, group *summed)
{
    for (int i = 1; i < summed->count; i++)
        for (int j = i; j > 0 && is_inner(c, summed->label[j - 1], summed->label[j]); j--) {
            const int moved = summed->label[j];
            summed->label[j] = summed->label[j - 1];
            summed->label[j - 1] = moved;
        }
}

/* The places of a group's indices in row-major values of a tensor with these labels. The caller frees them. */
static int64_t *places_of(const contraction *c, const group *of, int rank, const int label[])
{
    int64_t step[MAX_LABELS] = { 0 }, place = 1;
    int64_t *const places = oracle_memory((size_t)of->extent * sizeof *places);
    for (int d = rank - 1; d >= 0; place *= c->extent[label[d--]])
        step[label[d]] += place;
    for (int64_t at = 0; at < of->extent; at++) {
        int64_t rest = at;
        places[at] = 0;
        for (int i = of->count - 1; i >= 0; rest /= c->extent[of->label[i--]])
            places[at] += rest % c->extent[of->label[i]] * step[of->label[i]];
    }
    return places;
}

static group all_of(const contraction *c, int which)
{
    group all = { .extent = 1 };
    for (int label = 0; label < c->labels; label++)
        if (has(c, which, label))
            add_label(c, &all, label);
    return all;
}

/* ---- dimensions in another order -------------------------------------------------------------- */

/* The numbers of a tensor that had other labels, or in another order. A diagonal's elements may exchange with their
 * mirror images: each of its dimensions is taken for one of the same label. */
static void move_numbers(contraction *c, int which, const int from[MAX_RANK])
{
    int64_t extent[MAX_RANK], index[MAX_RANK] = { 0 }, step[MAX_RANK], place = 1, count = 1;
    const int rank = c->rank[which];
    unsigned taken = 0;
    for (int d = 0; d < rank; d++)
        count *= extent[d] = c->extent[c->label[which][d]];
    for (int old = rank - 1; old >= 0; place *= c->extent[from[old--]])
        for (int d = 0; d < rank; d++)
            if (!(taken & 1u << d) && c->label[which][d] == from[old]) {
                step[d] = place;
                taken |= 1u << d;
                break;
            }
    number *const moved = oracle_memory((size_t)count * sizeof *moved);
    for (int64_t at = 0; at < count; at++, next_index(rank, extent, index)) {
        int64_t old = 0;
        for (int d = 0; d < rank; d++)
            old += index[d] * step[d];
        moved[at] = c->value[which][old];
    }
    free(c->value[which]);
    c->value[which] = moved;
}

void contraction_shuffle(contraction *c, random_source *from)
{
    for (int which = A; which <= C; which++) {
        int before[MAX_RANK];
        memcpy(before, c->label[which], sizeof before);
        for (int i = c->rank[which] - 1; i > 0; i--) {
            const int other = (int)random_in(from, 0, i), moved = c->label[which][i];
            c->label[which][i] = c->label[which][other];
            c->label[which][other] = moved;
        }
        move_numbers(c, which, before);
    }
    contraction_spell(c, from);
}

void contraction_bytes(contraction *c, char *to)
{
    const tensor *output = contraction_output(c);
    const size_t size = lay_type_size(c->kind->type);
    const group all = all_of(c, C);
    int64_t *const place = places_of(c, &all, c->rank[C], c->label[C]);
    char *const bytes = oracle_memory((size_t)output->count * size);
    tensor_bytes(output, bytes);
    for (int64_t at = 0; at < all.extent; at++)
        memcpy(to + (size_t)at * size, bytes + (size_t)place[at] * size, size);
    free(bytes);
    free(place);
}

/* ---- matrices --------------------------------------------------------------------------------- */

enum { BATCH, ROWS, COLUMNS, SUMMED, GROUPS };

typedef struct matrices {
    group of[GROUPS];
    int64_t *place[OPERANDS][GROUPS];
    int64_t *place_to[GROUPS]; /* in the result, in the order of the labels' numbers */
} matrices;

static matrices make_matrices(const contraction *c, const int summed[])
{
    matrices made = { .of = { { .extent = 1 }, { .extent = 1 }, { .extent = 1 }, { .extent = 1 } } };
    for (int d = 0; d < c->rank[C]; d++) {
        const int label = c->label[C][d], in_a = has(c, A, label), in_b = has(c, B, label);
        add_label(c, &made.of[in_a && in_b ? BATCH : in_b ? COLUMNS : ROWS], label);
    }
    for (int label = 0, i = 0; label < c->labels; label++)
        if (!has(c, C, label))
            add_label(c, &made.of[SUMMED], summed ? summed[i++] : label);
    if (!summed)
        sort_summed(c, &made.of[SUMMED]);
    const group all = all_of(c, C);
    for (int i = 0; i < GROUPS; i++) {
        for (int which = A; which <= C; which++)
            made.place[which][i] = places_of(c, &made.of[i], c->rank[which], c->label[which]);
        made.place_to[i] = places_of(c, &made.of[i], all.count, all.label);
    }
    return made;
}

static void free_matrices(matrices *made)
{
    for (int i = 0; i < GROUPS; i++) {
        for (int which = A; which <= C; which++)
            free(made->place[which][i]);
        free(made->place_to[i]);
    }
}

/* A matrix of its own in memory. */
static char *gather(const contraction *c, int which, const matrices *from, int64_t batch, int rows, int columns)
{
    const int64_t m = from->of[rows].extent, n = from->of[columns].extent;
    char *const made = oracle_memory((size_t)(m * n) * lay_type_size(c->kind->type));
    const int64_t *const row = from->place[which][rows], *const column = from->place[which][columns];
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            element_store(c->kind, made, i * n + j,
                          contraction_number(c, which, from->place[which][BATCH][batch] + row[i] + column[j]));
    return made;
}

static lay_desc *natural(int64_t rows, int64_t columns)
{
    lay_desc *made = NULL;
    if (lay_desc_natural(2, (const int64_t[]){ rows, columns }, &made) != LAY_OK)
        abort();
    return made;
}

/* A failing product leaves nothing behind that is equal to anything. */
static void multiply(const contraction *c, const matrices *of, int64_t batch, char *to)
{
    const int64_t m = of->of[ROWS].extent, n = of->of[COLUMNS].extent, k = of->of[SUMMED].extent;
    const scalar alpha = scalar_of(c->kind, c->alpha), beta = scalar_of(c->kind, c->beta);
    const size_t size = lay_type_size(c->kind->type);
    lay_desc *const desc[] = { natural(m, k), natural(k, n), natural(m, n) };
    char *const a = gather(c, A, of, batch, ROWS, SUMMED), *const b = gather(c, B, of, batch, SUMMED, COLUMNS);
    char *const result = gather(c, C, of, batch, ROWS, COLUMNS);
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = 1;
    options.compute = c->options.compute;
    options.kernel = c->options.kernel;
    void *zero[] = { a, b, result };
    const there_block blocks[] = { { a, (size_t)(m * k) * size, &zero[A] },
                                   { b, (size_t)(k * n) * size, &zero[B] },
                                   { result, (size_t)(m * n) * size, &zero[C] } };
    there_send(OPERANDS, blocks, (unsigned)batch, &options);
    if (lay_gemm(c->kind->type, desc[A], desc[B], desc[C], &alpha, zero[A], zero[B], &beta, zero[C], &options) !=
        LAY_OK) {
        fprintf(stderr, "contractions: %s\n", lay_last_error());
        abort();
    }
    there_fetch();
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            const int64_t place = of->place_to[BATCH][batch] + of->place_to[ROWS][i] + of->place_to[COLUMNS][j];
            memcpy(to + (size_t)place * size, result + (size_t)(i * n + j) * size, size);
        }
    for (int which = A; which <= C; which++)
        lay_desc_destroy(desc[which]);
    free(a);
    free(b);
    free(result);
}

void contraction_by_matrices(const contraction *c, const int summed[], char *to)
{
    matrices of = make_matrices(c, summed);
    for (int64_t batch = 0; batch < of.of[BATCH].extent; batch++)
        multiply(c, &of, batch, to);
    free_matrices(&of);
}
