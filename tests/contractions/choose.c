/* Random contractions: which labels stand where, how long they are, in which type and with which numbers. */
#include "contraction.h"

#include <math.h>
#include <stdlib.h>

#include "../there.h"

enum { MOST_IN_TENSOR = 4096 };

/* Which of A, B and C have a label: bits by their numbers. Those that are summed and those that are free are usual. */
static const unsigned kinds[] = { 3, 3, 3, 5, 5, 5, 6, 6, 6, 7, 7, 1, 2, 4 };

static void append(contraction *c, int which, int label)
{
    c->label[which][c->rank[which]++] = label;
}

static int has_room(const contraction *c, unsigned kind)
{
    for (int which = A; which <= C; which++)
        if (kind & 1u << which && c->rank[which] == MAX_RANK)
            return 0;
    return 1;
}

static void choose_labels(contraction *c, random_source *from)
{
    const int wanted = (int)(random_one_in(from, 8) ? random_in(from, 8, 16) : random_in(from, 0, 7));
    const int is_batch_alone = random_one_in(from, 20);
    for (int i = 0; i < wanted; i++) {
        const unsigned kind = is_batch_alone ? 7 : random_of(from, kinds);
        if (!has_room(c, kind))
            continue;
        for (int which = A; which <= C; which++)
            if (kind & 1u << which)
                append(c, which, c->labels);
        c->labels++;
    }
}

/* Products of extents stay within a budget, so that the judge is quick; many labels have extents of 1 and 2. */
static void choose_extents(contraction *c, random_source *from)
{
    static const int64_t budgets[] = { 32, 300, 300, 1000, 1000, 3000, 12000 };
    static const int64_t usual[] = { 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 24, 33, 40 };
    int64_t left = random_one_in(from, 100) ? 100000 : random_of(from, budgets);
    for (int i = 0; i < c->labels; i++) {
        int64_t extent = random_of(from, usual);
        if (c->labels > 7)
            extent = random_in(from, 1, 3);
        c->extent[i] = extent <= left ? extent : left;
        left /= c->extent[i];
    }
    for (int i = c->labels - 1; i > 0; i--) { /* the last ones would always be the short ones */
        const int other = (int)random_in(from, 0, i);
        const int64_t moved = c->extent[i];
        c->extent[i] = c->extent[other];
        c->extent[other] = moved;
    }
    if (c->labels > 0 && random_one_in(from, 30))
        c->extent[random_in(from, 0, c->labels - 1)] = 0;
}

static int64_t elements_in(const contraction *c, int which)
{
    int64_t count = 1;
    for (int d = 0; d < c->rank[which]; d++)
        count *= c->extent[c->label[which][d]];
    return count;
}

/* A label stands twice in an input, or three times. */
static void choose_diagonals(contraction *c, random_source *from)
{
    for (int left = random_one_in(from, 4) ? (int)random_in(from, 1, 3) : 0; left > 0; left--) {
        const int which = (int)random_in(from, A, B);
        if (c->rank[which] == 0 || c->rank[which] == MAX_RANK)
            continue;
        const int label = c->label[which][random_in(from, 0, c->rank[which] - 1)];
        if (elements_in(c, which) * c->extent[label] > MOST_IN_TENSOR)
            continue;
        append(c, which, label);
        c->axis[label].is_diagonal = 1;
    }
}

static void shuffle_dimensions(contraction *c, int which, random_source *from)
{
    for (int i = c->rank[which] - 1; i > 0; i--) {
        const int other = (int)random_in(from, 0, i), moved = c->label[which][i];
        c->label[which][i] = c->label[which][other];
        c->label[which][other] = moved;
    }
}

static int is_taken(const contraction *c, int count, int64_t name)
{
    for (int i = 0; i < count; i++)
        if (c->name[i] == name)
            return 1;
    return 0;
}

static int64_t some_name(const contraction *c, random_source *from)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const int64_t odd[] = { INT64_MIN, INT64_MAX, 0, -1, 1, INT32_MIN, (int64_t)1 << 32, 'a' };
    if (c->is_text)
        return letters[random_in(from, 0, sizeof letters - 2)];
    return random_one_in(from, 2) ? random_of(from, odd) : (int64_t)random_bits(from);
}

static void choose_names(contraction *c, random_source *from)
{
    c->is_text = random_one_in(from, 2);
    for (int i = 0; i < c->labels; i++)
        do
            c->name[i] = some_name(c, from);
        while (is_taken(c, i, c->name[i]));
    contraction_spell(c, from);
}

void contraction_spell(contraction *c, random_source *from)
{
    char *to = c->text;
    for (int which = A; which <= C; which++) {
        for (int d = 0; d < c->rank[which]; d++) {
            const int64_t name = c->name[c->label[which][d]];
            c->array[which][d] = name;
            if (random_one_in(from, 10))
                *to++ = ' ';
            *to++ = (char)name;
        }
        for (const char *end = which == A ? "," : which == B ? "->" : ""; *end; end++)
            *to++ = *end;
    }
    *to = 0;
}

int64_t contraction_steps(const contraction *c)
{
    int64_t steps = 1;
    for (int label = 0; label < c->labels; label++) {
        int is_free = 0;
        for (int d = 0; d < c->rank[C]; d++)
            is_free |= c->label[C][d] == label;
        steps *= is_free ? 1 : c->extent[label];
    }
    return steps;
}

int contraction_has_product(const contraction *c)
{
    return contraction_steps(c) > 0 && (c->alpha.re != 0 || c->alpha.im != 0);
}

static double some_factor(const contraction *c, random_source *from)
{
    static const double whole[] = { 0, 1, -1, 2, -3, -0.0 }, usual[] = { 0, 1, -1, 0.7, 1, 2.5, -0.0, -3 };
    static const double special[] = { NAN, INFINITY, -INFINITY };
    if (c->data == NUMBERS_SPECIAL && random_one_in(from, 5))
        return random_of(from, special);
    return c->data == NUMBERS_WHOLE || c->data == NUMBERS_SPECIAL ? random_of(from, whole) : random_of(from, usual);
}

static void choose_numbers(contraction *c, random_source *from)
{
    enum { MOST_SPECIAL = 200 }; /* an infinite alpha times each block's sum is another thing than times the whole */
    do
        c->kind = &elements[random_in(from, 0, ELEMENTS - 1)];
    while (lay_type_size(c->kind->type) == 2 && !there_takes_halves());
    c->conjugated = random_one_in(from, 3) ? (unsigned)random_in(from, 0, 7) : 0;
    c->data = (numbers)random_in(from, NUMBERS_WHOLE, NUMBERS_SPECIAL);
    if (c->data == NUMBERS_SPECIAL && (contraction_steps(c) > MOST_SPECIAL || c->kind->parts == 2))
        c->data = NUMBERS_WHOLE;
    c->alpha.re = some_factor(c, from);
    c->beta.re = some_factor(c, from);
    if (c->kind->parts == 2 && random_one_in(from, 2)) {
        c->alpha.im = some_factor(c, from);
        c->beta.im = some_factor(c, from);
    }
}

/* Modes of f32's parts, on operands that lie in one place. */
static void choose_mode(contraction *c, random_source *from)
{
    static const lay_compute rounding[] = { LAY_COMPUTE_TF32, LAY_COMPUTE_BF16 };
    const int is_on_device = there_is_elsewhere();
    if (c->kind->part != LAY_F32 || !there_takes_halves() || !random_one_in(from, is_on_device ? 2 : 8))
        return;
    c->options.compute = LAY_COMPUTE_F32_SPLIT;
    if (is_on_device && random_one_in(from, 3))
        c->options.compute = random_of(from, rounding);
    else /* by name, for plain products are sooner done of such sizes */
        c->options.kernel = is_on_device ? "split_f32_64x128" : "lay_split_f32_32x32_c";
}

void contraction_choose(contraction *c, random_source *from)
{
    *c = (contraction){ .options = LAY_OPTIONS_INIT };
    choose_labels(c, from);
    choose_extents(c, from);
    choose_diagonals(c, from);
    for (int which = A; which <= C; which++)
        shuffle_dimensions(c, which, from);
    choose_names(c, from);
    choose_numbers(c, from);
    choose_mode(c, from);
    for (int i = 0; i < c->labels; i++)
        c->axis[i] = axis_make(from, c->extent[i], c->axis[i].is_diagonal);
    c->order = random_one_in(from, 3) ? LAY_SUM_BY_STORAGE : LAY_SUM_BY_LABELS;
    c->options.threads = (int)random_in(from, 1, 3);
    c->d = random_one_in(from, 2) ? NO_D : random_one_in(from, 3) ? D_IS_C : D_APART;
    if (c->kind->parts == 2 &&
        (c->d != D_APART || !there_takes_halves())) /* refused: it is a copy from place to place that changes numbers */
        c->conjugated &= ~(unsigned)LAY_CONJUGATED_C;
}
