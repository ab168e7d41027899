/* Random labels: how many of each kind, which tensor has which, and their extents. */
#include "problem.h"

/* How many labels there are of each kind. They stand in this order in the problem's list. */
typedef struct counts {
    int contracted, hadamard, free_a, free_b, isolated_a, isolated_b;
} counts;

static int draw_count(random_source *source, range from)
{
    return (int)random_in(source, from.least, from.most);
}

/* Of an input that is to have limit modes: one kind of label is left. */
static void limit_input(counts *of, int limit, random_source *source)
{
    int *const kinds[] = { &of->contracted, &of->hadamard, &of->free_a };
    for (int i = 0; i < 3; i++)
        *kinds[i] = 0;
    of->isolated_a = 0;
    *kinds[random_in(source, 0, 2)] = limit;
}

static counts draw_counts(const recipe *from, random_source *source)
{
    for (;;) {
        counts drawn = { draw_count(source, from->contracted), draw_count(source, from->hadamard),
                         draw_count(source, from->free),       draw_count(source, from->free),
                         draw_count(source, from->isolated),   draw_count(source, from->isolated) };
        if (from->one_input)
            drawn.free_b = drawn.free_a;
        if (from->limited)
            limit_input(&drawn, from->limit, source);
        if (from->limited && random_one_in(source, 2)) {
            const counts turned = drawn;
            drawn.free_a = turned.free_b, drawn.free_b = turned.free_a;
            drawn.isolated_a = turned.isolated_b, drawn.isolated_b = turned.isolated_a;
        }
        const int shared = drawn.contracted + drawn.hadamard;
        if (shared + drawn.free_a + drawn.isolated_a + from->repeated.most <= MOST_MODES &&
            shared + drawn.free_b + drawn.isolated_b + from->repeated.most <= MOST_MODES &&
            drawn.hadamard + drawn.free_a + drawn.free_b + from->repeated_in_d.most <= MOST_MODES)
            return drawn;
    }
}

static void add_modes(tensor *to, int first, int count)
{
    for (int i = 0; i < count; i++)
        to->label[to->nmode++] = first + i;
}

/* Further modes with labels that the tensor has, and then all in any order. */
static void mix_modes(tensor *of, int repeated, random_source *source)
{
    const int distinct = of->nmode;
    for (int i = 0; distinct && i < repeated; i++)
        of->label[of->nmode++] = of->label[random_in(source, 0, distinct - 1)];
    for (int i = of->nmode - 1; i > 0; i--) {
        const int j = (int)random_in(source, 0, i), kept = of->label[i];
        of->label[i] = of->label[j];
        of->label[j] = kept;
    }
}

void draw_labels(tensor_problem *made, random_source *source)
{
    const recipe *from = made->recipe;
    const counts n = draw_counts(from, source);
    const int hadamard = n.contracted, free_a = hadamard + n.hadamard, free_b = free_a + n.free_a;
    const int isolated_a = free_b + n.free_b, isolated_b = isolated_a + n.isolated_a;
    made->nlabel = isolated_b + n.isolated_b;

    add_modes(&made->a, 0, n.contracted + n.hadamard + n.free_a);
    add_modes(&made->a, isolated_a, n.isolated_a);
    mix_modes(&made->a, draw_count(source, from->repeated), source);
    if (from->one_input) {
        made->b.nmode = made->a.nmode;
        for (int i = 0; i < made->a.nmode; i++)
            made->b.label[i] = made->a.label[i] + (made->a.label[i] >= free_a ? n.free_a : 0);
    } else {
        add_modes(&made->b, 0, n.contracted + n.hadamard);
        add_modes(&made->b, free_b, n.free_b);
        add_modes(&made->b, isolated_b, n.isolated_b);
        mix_modes(&made->b, draw_count(source, from->repeated), source);
    }
    add_modes(&made->d, hadamard, n.hadamard + n.free_a + n.free_b);
    mix_modes(&made->d, draw_count(source, from->repeated_in_d), source);

    for (int i = 0; i < made->nlabel; i++)
        made->name[i] = from->any_name ? (int64_t)random_bits(source) : 'a' + i;
    if (from->any_name && made->nlabel > 1)
        made->name[1] = made->name[0] ^ (INT64_C(1) << 40); /* equal to those who keep 32 bits of it */
}

static int64_t points_of(const tensor_problem *made, int count, const int places[])
{
    int64_t points = 1;
    for (int i = 0; i < count; i++)
        points *= made->extent[places[i]] > 1 ? made->extent[places[i]] : 1;
    return points;
}

/* Extents within the recipe's range, made smaller where the product would be too much work or its sums too long for
 * the bits of the types. */
void draw_extents(tensor_problem *made, random_source *source)
{
    const recipe *from = made->recipe;
    const range extent = from->extent.most ? from->extent : (range){ 1, 6 };
    const int64_t work = from->work ? from->work : 3000;
    const int bits = type_bits(made->types.d);
    const int64_t terms = bits == 8 ? 16 : bits == 11 ? 64 : work;
    const int64_t all = draw_count(source, extent);
    int places[MOST_LABELS];
    for (int i = 0; i < made->nlabel; i++) {
        made->extent[i] = from->is_equal ? all : draw_count(source, extent);
        places[i] = i;
    }
    for (;;) {
        int summed[MOST_LABELS], count = labels_summed(made, summed);
        const int *among = summed;
        if (points_of(made, made->nlabel, places) > work)
            among = places, count = made->nlabel;
        else if (points_of(made, count, summed) <= terms)
            return;
        int longest = among[0];
        for (int i = 1; i < count; i++)
            longest = made->extent[among[i]] > made->extent[longest] ? among[i] : longest;
        const int64_t shorter = made->extent[longest] - 1;
        for (int i = 0; i < made->nlabel; i++)
            if (i == longest || from->is_equal)
                made->extent[i] = shorter;
    }
}
