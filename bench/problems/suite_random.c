/* Random contractions: labels of every kind but those of one tensor alone, extents of 2 to 200, dense tensors whose
 * labels lie in any order; some for a CPU, some for a device. */
#include "suites.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "bench/base/random.h"

enum {
    LEAST = 2,
    MOST = 200,
    ONE_IN_BATCHES = 5 /* problems of which one has a batch */
};
enum { BATCH, M, N, K, ROLES };

static const struct limits {
    int problems, seed;
    double most_elements, least_work, most_work; /* of a tensor; multiply-adds */
} small = { 200, 2026, 0x1p23, 0x1p16, 0x1p29 }, large = { 100, 2027, 0x1p28, 0x1p32, 0x1p39 };

typedef struct draft {
    int count[ROLES], extent[ROLES * 3];
    double size[ROLES];
    char name[ROLES][4];
} draft;

static int pick(uint64_t *state, int choices)
{
    return (int)(random_next(state) % (uint64_t)choices);
}

/* As many short ones as long ones, in powers of two. */
static int pick_extent(uint64_t *state)
{
    const double at = ldexp((double)(random_next(state) >> 11), -53);
    return (int)(LEAST * pow((double)(MOST + 1) / LEAST, at));
}

static void make_draft(uint64_t *state, draft *out)
{
    int label = 0;
    for (int role = 0; role < ROLES; role++) {
        out->count[role] = role == BATCH ? pick(state, ONE_IN_BATCHES) == 0 : 1 + pick(state, 3);
        out->size[role] = 1;
        for (int i = 0; i < out->count[role]; i++) {
            out->extent[label] = pick_extent(state);
            out->size[role] *= out->extent[label];
            out->name[role][i] = (char)('a' + label++);
        }
        out->name[role][out->count[role]] = 0;
    }
}

static int is_wanted(const struct limits *within, const draft *of)
{
    const double *s = of->size, work = s[BATCH] * s[M] * s[N] * s[K];
    const double most = within->most_elements;
    return work >= within->least_work && work <= within->most_work && s[BATCH] * s[M] * s[K] <= most &&
           s[BATCH] * s[K] * s[N] <= most && s[BATCH] * s[M] * s[N] <= most;
}

/* The labels of three roles, in any order. */
static void write_tensor(uint64_t *state, const draft *of, int first, int second, char *to)
{
    const int length = sprintf(to, "%s%s%s", of->name[BATCH], of->name[first], of->name[second]);
    for (int i = length - 1; i > 0; i--) {
        const int j = pick(state, i + 1);
        const char moved = to[i];
        to[i] = to[j];
        to[j] = moved;
    }
}

static int write_problem(const struct limits *within, int index, char *text, size_t size)
{
    if (index >= within->problems)
        return 0;
    uint64_t state = (uint64_t)within->seed + (uint64_t)index * RANDOM_STEP * 1024;
    draft made;
    char a[12], b[12], c[12];
    do
        make_draft(&state, &made);
    while (!is_wanted(within, &made));
    write_tensor(&state, &made, M, K, a);
    write_tensor(&state, &made, K, N, b);
    write_tensor(&state, &made, M, N, c);
    size_t used = (size_t)snprintf(text, size, "%s,%s->%s:", a, b, c);
    const int labels = made.count[BATCH] + made.count[M] + made.count[N] + made.count[K];
    for (int i = 0; i < labels; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%c=%d", i ? "," : "", 'a' + i, made.extent[i]);
    return 1;
}

int suite_random(int index, lay_type type, char *text, size_t size)
{
    (void)type;
    return write_problem(&small, index, text, size);
}

int suite_random_large(int index, lay_type type, char *text, size_t size)
{
    (void)type;
    return write_problem(&large, index, text, size);
}
