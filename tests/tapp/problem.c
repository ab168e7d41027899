/* Random products of tensors: their labels and extents, and what is in them. */
#include "problem.h"

#include <stdlib.h>
#include <string.h>

static const typing same_types[] = {
    { TAPP_F32, TAPP_F32, TAPP_F32, TAPP_F32, TAPP_DEFAULT_PREC },
    { TAPP_F64, TAPP_F64, TAPP_F64, TAPP_F64, TAPP_DEFAULT_PREC },
    { TAPP_C32, TAPP_C32, TAPP_C32, TAPP_C32, TAPP_DEFAULT_PREC },
    { TAPP_C64, TAPP_C64, TAPP_C64, TAPP_C64, TAPP_DEFAULT_PREC },
};

/* How many labels there are of each kind. They stand in this order in the problem's list. */
typedef struct counts {
    int contracted, hadamard, free_a, free_b, isolated_a, isolated_b;
} counts;

static int draw(random_source *source, range from)
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
        counts drawn = { draw(source, from->contracted), draw(source, from->hadamard), draw(source, from->free),
                         draw(source, from->free),       draw(source, from->isolated), draw(source, from->isolated) };
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

static void draw_labels(tensor_problem *made, random_source *source)
{
    const recipe *from = made->recipe;
    const counts n = draw_counts(from, source);
    const int hadamard = n.contracted, free_a = hadamard + n.hadamard, free_b = free_a + n.free_a;
    const int isolated_a = free_b + n.free_b, isolated_b = isolated_a + n.isolated_a;
    made->nlabel = isolated_b + n.isolated_b;

    add_modes(&made->a, 0, n.contracted + n.hadamard + n.free_a);
    add_modes(&made->a, isolated_a, n.isolated_a);
    mix_modes(&made->a, draw(source, from->repeated), source);
    if (from->one_input) {
        made->b.nmode = made->a.nmode;
        for (int i = 0; i < made->a.nmode; i++)
            made->b.label[i] = made->a.label[i] + (made->a.label[i] >= free_a ? n.free_a : 0);
    } else {
        add_modes(&made->b, 0, n.contracted + n.hadamard);
        add_modes(&made->b, free_b, n.free_b);
        add_modes(&made->b, isolated_b, n.isolated_b);
        mix_modes(&made->b, draw(source, from->repeated), source);
    }
    add_modes(&made->d, hadamard, n.hadamard + n.free_a + n.free_b);
    mix_modes(&made->d, draw(source, from->repeated_in_d), source);

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
static void draw_extents(tensor_problem *made, random_source *source)
{
    const recipe *from = made->recipe;
    const range extent = from->extent.most ? from->extent : (range){ 1, 6 };
    const int64_t work = from->work ? from->work : 3000;
    const int bits = type_bits(made->types.d);
    const int64_t terms = bits == 8 ? 16 : bits == 11 ? 64 : work;
    const int64_t all = draw(source, extent);
    int places[MOST_LABELS];
    for (int i = 0; i < made->nlabel; i++) {
        made->extent[i] = from->is_equal ? all : draw(source, extent);
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

/* Tells a tensor the names and extents of its modes. */
static void tell_modes(tensor *to, const tensor_problem *of)
{
    for (int i = 0; i < to->nmode; i++) {
        to->names[i] = of->name[to->label[i]];
        to->extents[i] = of->extent[to->label[i]];
    }
}

static long double draw_part(random_source *source, int of_integers, int most)
{
    if (of_integers)
        return random_in(source, -most, most);
    const long double size = 0x1p-4L + (1 - 0x1p-4L) * random_unit(source); /* products do not underflow */
    return random_one_in(source, 2) ? size : -size;
}

static void fill_tensor(tensor *filled, const tensor_problem *of, random_source *source)
{
    int places[MOST_LABELS], count = 0;
    int64_t at[MOST_LABELS] = { 0 };
    for (int i = 0; i < of->nlabel; i++)
        for (int mode = 0; mode < filled->nmode; mode++)
            if (filled->label[mode] == i && (count == 0 || places[count - 1] != i))
                places[count++] = i;
    for (int i = 0; i < count; i++)
        if (of->extent[places[i]] == 0)
            return;
    do {
        int64_t offset = 0;
        for (int i = 0; i < count; i++)
            offset += at[i] * filled->step[places[i]];
        const number value = { draw_part(source, of->of_integers, 2), draw_part(source, of->of_integers, 2) };
        number_store(filled->type, filled->zero, offset, value);
    } while (next_index(of, count, places, at));
}

/* Few bits, so that every type has it; quarters, of integers whole. */
static number draw_scalar(random_source *source, TAPP_datatype type, int of_integers)
{
    const int64_t steps = of_integers ? 3 : 8;
    number drawn = { random_in(source, -steps, steps), random_in(source, -steps, steps) };
    if (!type_is_complex(type))
        drawn.im = 0;
    return of_integers ? drawn : number_product(drawn, (number){ 0.25L, 0 });
}

static void draw_ops(tensor_problem *made, random_source *source)
{
    tensor *const all[] = { &made->a, &made->b, &made->c, &made->d };
    for (int i = 0; made->recipe->any_op && i < 4; i++)
        all[i]->op = random_one_in(source, 2) ? TAPP_CONJUGATE : TAPP_IDENTITY;
}

/* C as D: the same modes, and memory of its own unless it is updated in place. */
static void place_c(tensor_problem *made, random_source *source)
{
    const recipe *from = made->recipe;
    const tensor *d = &made->d;
    tensor *c = &made->c;
    c->nmode = d->nmode;
    memcpy(c->label, d->label, sizeof(c->label));
    tell_modes(c, made);
    if (from->in_place) {
        memcpy(c->strides, d->strides, sizeof(c->strides));
        memcpy(c->step, d->step, sizeof(c->step));
        c->memory = test_memory(d->bytes);
        c->zero = c->memory + (d->zero - d->memory);
        c->bytes = d->bytes;
        memset(c->memory, UNSET, c->bytes);
    } else {
        place_tensor(c, (placing){ from->storage, from->signs, from->zero_strides, from->odd_ones }, source);
    }
    if (!from->beta_is_zero)
        fill_tensor(c, made, source);
}

static void place_inputs(tensor_problem *made, random_source *source)
{
    const recipe *from = made->recipe;
    const placing how = { from->storage, from->signs, from->zero_strides, from->odd_ones };
    tensor *a = &made->a, *b = &made->b;
    tell_modes(a, made);
    tell_modes(b, made);
    place_tensor(a, how, source);
    fill_tensor(a, made, source);
    if (from->one_input) {
        memcpy(b->strides, a->strides, sizeof(b->strides));
        find_steps(b);
        b->zero = a->zero;
        return;
    }
    place_tensor(b, how, source);
    fill_tensor(b, made, source);
}

void make_problem(tensor_problem *made, const recipe *from, random_source *source)
{
    const typing *types = from->types ? from->types : same_types;
    const int count = from->types ? from->type_count : 4;
    *made = (tensor_problem){ .recipe = from, .types = types[random_in(source, 0, count - 1)] };
    made->of_integers = random_one_in(source, 2);
    made->a.type = made->types.a;
    made->b.type = made->types.b;
    made->c.type = made->types.c;
    made->d.type = made->types.d;
    draw_ops(made, source);
    draw_labels(made, source);
    draw_extents(made, source);
    made->alpha = draw_scalar(source, made->d.type, made->of_integers);
    made->beta = from->beta_is_zero ? (number){ 0, 0 } : draw_scalar(source, made->d.type, made->of_integers);

    place_inputs(made, source);
    tell_modes(&made->d, made);
    place_tensor(&made->d, (placing){ from->storage, from->signs, 0, from->odd_ones }, source);
    place_c(made, source);
    reset_output(made);
}

void reset_output(tensor_problem *problem)
{
    if (problem->recipe->in_place)
        memcpy(problem->d.memory, problem->c.memory, problem->d.bytes);
    else
        memset(problem->d.memory, UNSET, problem->d.bytes);
}

void reorder_output(tensor_problem *problem, random_source *source, const int modes[])
{
    tensor *d = &problem->d;
    int label[MOST_MODES];
    for (int i = 0; i < d->nmode; i++)
        label[i] = d->label[modes[i]];
    memcpy(d->label, label, sizeof(label));
    free(d->memory);
    free(problem->c.memory);
    tell_modes(d, problem);
    place_tensor(d, (placing){ problem->recipe->storage, problem->recipe->signs, 0, 0 }, source);
    place_c(problem, source);
    reset_output(problem);
}

static void twin_tensor(tensor *twin, const tensor_problem *of, random_source *source)
{
    const char *memory = twin->memory;
    if (!memory)
        return;
    twin->memory = test_memory(twin->bytes);
    twin->zero = twin->memory + (twin->zero - memory);
    memset(twin->memory, UNSET, twin->bytes);
    fill_tensor(twin, of, source);
}

void twin_problem(tensor_problem *twin, const tensor_problem *of, random_source *source)
{
    *twin = *of;
    twin_tensor(&twin->a, of, source);
    twin_tensor(&twin->b, of, source);
    twin_tensor(&twin->c, of, source);
    twin_tensor(&twin->d, of, source);
    if (of->recipe->one_input)
        twin->b.zero = twin->a.zero;
    reset_output(twin);
}

void free_problem(tensor_problem *problem)
{
    if (!problem->recipe->one_input)
        free(problem->b.memory);
    free(problem->a.memory);
    free(problem->c.memory);
    free(problem->d.memory);
}
