/* Draws of streamed products, and the check of one. */
#include "streaming.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void streaming_choose(trial *t, const streaming_limits *limits, random_source *from)
{
    enum { SMALL_SIDE = 70, LEAST_SLICED = 1000 };
    static const double factors[] = { 0, 1, 1, -1, 2, -3 };
    const int64_t kind = random_in(from, 0, 9);
    t->type = limits->types[random_in(from, 0, limits->type_count - 1)];
    t->data = random_one_in(from, 2) ? TRIAL_INTEGERS : TRIAL_SIGNED;
    t->m = random_in(from, 1, kind < 5 ? limits->small : limits->large);
    t->n = random_in(from, 1, kind < 5 ? limits->small : limits->large);
    t->k = random_in(from, 1, kind < 5 ? limits->small_k : limits->large_k);
    if (kind == 9 && limits->sliced_k) {
        t->m = random_in(from, 1, SMALL_SIDE);
        t->n = random_in(from, 1, SMALL_SIDE);
        t->k = random_in(from, LEAST_SLICED, limits->sliced_k);
    } else if (kind == 8) {
        *(random_one_in(from, 2) ? &t->m : &t->n) = random_in(from, limits->longest / 3, limits->longest);
        t->k = random_in(from, 1, limits->long_k);
    }
    t->alpha = random_of(from, factors);
    t->alpha = t->alpha == 0 ? 1 : t->alpha;
    t->beta = random_of(from, factors);
    t->options = (lay_options)LAY_OPTIONS_INIT;
    t->options.backend = LAY_BACKEND_CUDA;
    t->options.threads = (int)random_in(from, 1, limits->threads);
    t->options.device_memory =
        random_one_in(from, 3) ? 0 : (size_t)1 << random_in(from, limits->least_memory, limits->most_memory);
}

/* C's elements as the wanted run leaves them; the reason where it fails. */
static const char *run_wanted(const trial *t, const streaming_runs *runs, random_source *from, void *bits)
{
    trial other = *t;
    other.options.device_memory = 0;
    trial_place(&other, layout_usual(1, t->m, t->k), layout_usual(0, t->k, t->n), layout_usual(0, t->m, t->n),
                OPERAND_ANYWHERE, from);
    const lay_status status = runs->wanted(&other, runs->of);
    operand_bytes(&other.out, bits);
    trial_unplace(&other);
    return status == LAY_OK ? NULL : lay_last_error();
}

/* Integers are checked, other numbers are the wanted bits or wrong. */
const char *streaming_check(trial *t, const streaming_runs *runs, random_source *from, int *is_done)
{
    static char why[300];
    const lay_status status = runs->run(t, runs->of);
    *is_done = status == LAY_OK;
    if (status == LAY_ERR_UNSUPPORTED && t->options.device_memory)
        return operand_is_untouched(&t->out) ? NULL : "a refused product wrote C";
    if (status != LAY_OK)
        return lay_last_error();
    if (t->data == TRIAL_INTEGERS && !trial_is_right(t, why, sizeof why))
        return why;
    if (!trial_is_kept(t))
        return "something outside of the elements of C was written";
    const size_t bytes = (size_t)(t->m * t->n) * lay_type_size(t->type);
    char *const got = oracle_memory(bytes), *const wanted = oracle_memory(bytes);
    operand_bytes(&t->out, got);
    const char *wrong = run_wanted(t, runs, from, wanted);
    if (!wrong && memcmp(got, wanted, bytes) != 0) {
        snprintf(why, sizeof why, "the bits are not those of %s", runs->whose);
        wrong = why;
    }
    free(got);
    free(wanted);
    return wrong;
}
