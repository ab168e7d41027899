/* Random products of tensors: where they lie, and what is in them. */
#include "problem.h"

#include <stdlib.h>
#include <string.h>

static const typing same_types[] = {
    { TAPP_F32, TAPP_F32, TAPP_F32, TAPP_F32, TAPP_DEFAULT_PREC },
    { TAPP_F64, TAPP_F64, TAPP_F64, TAPP_F64, TAPP_DEFAULT_PREC },
    { TAPP_C32, TAPP_C32, TAPP_C32, TAPP_C32, TAPP_DEFAULT_PREC },
    { TAPP_C64, TAPP_C64, TAPP_C64, TAPP_C64, TAPP_DEFAULT_PREC },
};

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
