/* Two files of lay bench, row by row. */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/reports/table.h"
#include "saved.h"

enum { LABEL = 35 };
static const double GRAIN = 0.02; /* medians of one machine on two days differ by as much */

typedef enum verdict { SAME, FASTER, SLOWER, VERDICTS } verdict;

static int is_same(const char *x, const char *y)
{
    return strcmp(x, y) == 0;
}

/* What a file of an older version does not say. */
static const char *or_usual(const char *text, const char *usual)
{
    return text ? text : usual;
}

static int go_together(const saved_row *x, const saved_row *y)
{
    return is_same(x->problem, y->problem) && is_same(x->type, y->type) && is_same(x->threads, y->threads) &&
           is_same(x->who, y->who) && is_same(or_usual(x->memory, "host"), or_usual(y->memory, "host")) &&
           is_same(or_usual(x->caches, "warm"), or_usual(y->caches, "warm"));
}

static const saved_row *find(const saved *in, const saved_row *like)
{
    for (int i = 0; i < in->count; i++)
        if (go_together(&in->rows[i], like))
            return &in->rows[i];
    return NULL;
}

static double spread_of(const saved_row *of)
{
    return of->spread > 0 ? of->spread : 1 - of->lowest / of->median;
}

static double margin_of(const saved_row *before, const saved_row *now)
{
    return fmax(GRAIN, fmax(spread_of(before), spread_of(now)));
}

static verdict judge(const saved_row *before, const saved_row *now)
{
    const double most = 1 + margin_of(before, now);
    return now->median > before->median * most ? SLOWER : before->median > now->median * most ? FASTER : SAME;
}

static int is_ours(const saved_row *of)
{
    return strcmp(of->who, "lay") == 0 || strncmp(of->who, "lay,", 4) == 0;
}

/* Those of a problem beneath its name. */
static void print_heading(const saved_row *before, const saved_row *last)
{
    char fitted[256], behind[64];
    if (last && is_same(last->problem, before->problem) && is_same(last->type, before->type) &&
        is_same(last->threads, before->threads))
        return;
    const int is_cold = before->caches && strcmp(before->caches, "cold") == 0;
    snprintf(behind, sizeof behind, ", %.8s, %.8s thread%s%s", before->type, before->threads,
             strcmp(before->threads, "1") == 0 ? "" : "s", is_cold ? ", cold" : "");
    table_fit(before->problem, TABLE_WIDTH - (int)strlen(behind), fitted);
    printf("%s%s\n", fitted, behind);
}

static void print_row(const saved_row *before, const saved_row *now, verdict given)
{
    static const char *const names[] = { "same", "faster", "SLOWER" };
    char fitted[256];
    table_fit(before->who, LABEL - 2, fitted);
    printf("  %-*s%11.3f%11.3f%8.3f%7.1f%8s\n", LABEL - 2, fitted, 1e6 * before->median, 1e6 * now->median,
           before->median / now->median, 100 * fmax(spread_of(before), spread_of(now)), names[given]);
}

static int compare_rows(const saved *before, const saved *now)
{
    int counts[VERDICTS] = { 0 }, ours_slower = 0, together = 0;
    double product = 0;
    const saved_row *last = NULL;
    for (int i = 0; i < before->count; i++)
        together += find(now, &before->rows[i]) != NULL;
    if (!together)
        return refuse("the two files have no row in common");
    printf("%-*s%11s%11s%8s%7s\n", LABEL, "", "old", "new", "", "spread");
    printf("%-*s%11s%11s%8s%7s%8s\n", LABEL, "problem, type, threads", "us", "us", "speedup", "%", "verdict");
    for (int i = 0; i < before->count; i++) {
        const saved_row *one = &before->rows[i], *other = find(now, one);
        if (!other)
            continue;
        const verdict given = judge(one, other);
        counts[given]++;
        ours_slower += given == SLOWER && is_ours(one);
        product += log(one->median / other->median);
        print_heading(one, last);
        print_row(one, other, given);
        last = one;
    }
    printf("\n%d faster, %d slower (%d of lay's), %d the same; geometric mean of speedups %.3f\n", counts[FASTER],
           counts[SLOWER], ours_slower, counts[SAME], exp(product / together));
    int fresh = 0;
    for (int i = 0; i < now->count; i++)
        fresh += !find(before, &now->rows[i]);
    if (fresh || together < before->count)
        printf("only in the old file: %d, only in the new one: %d\n", before->count - together, fresh);
    return ours_slower ? EXIT_FAILED : EXIT_FINE;
}

int compare_files(const char *old_path, const char *new_path)
{
    saved before, now = { 0 };
    int status = saved_read(old_path, &before);
    if (status == EXIT_FINE)
        status = saved_read(new_path, &now);
    if (status == EXIT_FINE)
        status = compare_rows(&before, &now);
    saved_free(&before);
    saved_free(&now);
    return status;
}
