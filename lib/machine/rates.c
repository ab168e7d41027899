/* The rows of rates, the one of this machine, and a file in its place. */
#include "machine/rates.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "machine/isa.h"
#include "machine/rates_rows.h"

const lay_rate lay_rate_table[] = {
#define R(name, least, most, ...) { #name, least, most, offsetof(lay_rates, name) },
#include "machine/rates_table.h"
#undef R
    { NULL, 0, 0, 0 },
};

enum { RATES = sizeof lay_rate_table / sizeof lay_rate_table[0] - 1 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static lay_rates rates;
static char from[256], bad[512];

/* ---- a file in its place ---------------------------------------------------------------------- */

static int find_rate(const char *name)
{
    for (int i = 0; i < RATES; i++)
        if (strcmp(lay_rate_table[i].name, name) == 0)
            return i;
    return -1;
}

static void set_rate(lay_rates *of, int number, double value)
{
    memcpy((char *)of + lay_rate_table[number].offset, &value, sizeof value);
}

/* One line; 0 and why not in bad. given: the rates that lines before it have named. */
static int read_line(char *line, const char *path, int number, unsigned char given[RATES], lay_rates *of)
{
    static const char blanks[] = " \t\r\n";
    char *end, *rest;
    line[strcspn(line, "#")] = 0;
    const char *const name = strtok_r(line, blanks, &rest), *const text = strtok_r(NULL, blanks, &rest);
    if (!name)
        return 1;
    const int rate = find_rate(name);
    if (rate < 0) {
        snprintf(bad, sizeof bad, "LAY_RATES=%.100s, line %d: '%.60s' is the name of no rate", path, number, name);
        return 0;
    }
    const lay_rate *const row = &lay_rate_table[rate];
    const double value = text ? strtod(text, &end) : 0;
    if (!text || *end || strtok_r(NULL, blanks, &rest)) {
        snprintf(bad, sizeof bad, "LAY_RATES=%.100s, line %d: %s needs one number behind it", path, number, name);
        return 0;
    }
    if (!(value >= row->least && value <= row->most)) {
        snprintf(bad, sizeof bad, "LAY_RATES=%.100s, line %d: %s is %g, not from %g to %g", path, number, name, value,
                 row->least, row->most);
        return 0;
    }
    if (given[rate]++) {
        snprintf(bad, sizeof bad, "LAY_RATES=%.100s, line %d: %s was said before", path, number, name);
        return 0;
    }
    set_rate(of, rate, value);
    return 1;
}

/* Rates that the file does not name stay. */
static void read_file(const char *path)
{
    enum { LONGEST = 256 };
    char line[LONGEST];
    unsigned char given[RATES] = { 0 };
    lay_rates read = rates;
    FILE *const file = fopen(path, "re");
    if (!file) {
        snprintf(bad, sizeof bad, "LAY_RATES=%.200s in the environment: %s", path, strerror(errno));
        return;
    }
    int number = 1, is_good = 1;
    for (; is_good && fgets(line, sizeof line, file); number++) {
        if (!strchr(line, '\n') && !feof(file)) {
            snprintf(bad, sizeof bad, "LAY_RATES=%.100s, line %d: longer than %d characters", path, number,
                     LONGEST - 2);
            is_good = 0;
        } else {
            is_good = read_line(line, path, number, given, &read);
        }
    }
    if (is_good && ferror(file)) {
        snprintf(bad, sizeof bad, "LAY_RATES=%.200s in the environment: it cannot be read", path);
        is_good = 0;
    }
    fclose(file);
    if (!is_good)
        return;
    rates = read;
    snprintf(from, sizeof from, "%.250s", path);
}

static void find_rates(void)
{
    const char *const path = getenv("LAY_RATES");
    const char *limit;
    lay_identity own;
    const int is_known = lay_identity_find(&own);
    const lay_rates_row *const row = lay_rates_row_for(is_known ? &own : NULL, lay_isa_find(&limit));
    rates = *row->rates;
    snprintf(from, sizeof from, "%s", row->name);
    if (path && *path)
        read_file(path);
}

const lay_rates *lay_rates_get(void)
{
    pthread_once(&once, find_rates);
    return &rates;
}

lay_status lay_rates_check(void)
{
    lay_rates_get();
    return *bad ? lay_fail(LAY_ERR_OPTION, "%s", bad) : LAY_OK;
}

const char *lay_rates_from(void)
{
    lay_rates_get();
    return from;
}
