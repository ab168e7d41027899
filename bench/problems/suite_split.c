/* Products of any shape, made by a generator: of each size as many short as long ones, in powers of two, every second
 * one a multiple of 64. Split products pay for making limbs of operands, so that the thin ones are the hard ones. */
#include "suites.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/base/random.h"

enum { PROBLEMS = 100, ROOM = 32, SEED = 174, UNIT = 64 };

/* Sides of C, and steps; multiply-adds, and elements of a matrix. */
static const double least_side = 64, most_side = 8192, least_k = 64, most_k = 65536;
static const double least_work = 0x1p28, most_work = 0x1p36, most_elements = 0x1p25;

static int pick_extent(uint64_t *state, double least, double most)
{
    const double at = ldexp((double)(random_next(state) >> 11), -53);
    const int extent = (int)(least * pow((most + 1) / least, at));
    return random_next(state) % 2 ? extent : (extent + UNIT / 2) / UNIT * UNIT;
}

static int is_wanted(double m, double n, double k)
{
    const double work = m * n * k;
    return work >= least_work && work <= most_work && m * k <= most_elements && k * n <= most_elements &&
           m * n <= most_elements;
}

const char *const *suite_make_split(void)
{
    static char texts[PROBLEMS][ROOM];
    static const char *problems[PROBLEMS + 1];
    uint64_t state = SEED;
    for (int i = 0; i < PROBLEMS; i++) {
        int m, n, k;
        do {
            m = pick_extent(&state, least_side, most_side);
            n = pick_extent(&state, least_side, most_side);
            k = pick_extent(&state, least_k, most_k);
        } while (!is_wanted(m, n, k));
        snprintf(texts[i], ROOM, "%dx%dx%d", m, n, k);
        problems[i] = texts[i];
    }
    return problems;
}
