/* Rows of a run by what they are of. */
#include "groups.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/problems/problem.h"

static const char *or_usual(const char *text, const char *usual)
{
    return text && *text ? text : usual;
}

static int are_of_a_kind(const saved_row *x, const saved_row *y)
{
    return strcmp(x->type, y->type) == 0 && strcmp(x->threads, y->threads) == 0 &&
           strcmp(or_usual(x->memory, "host"), or_usual(y->memory, "host")) == 0 &&
           strcmp(or_usual(x->caches, "warm"), or_usual(y->caches, "warm")) == 0;
}

int row_is_ours(const saved_row *of)
{
    return strcmp(of->who, "lay") == 0 || strncmp(of->who, "lay,", 4) == 0;
}

static int begins_a_group(const saved_row *of, const saved_row *before)
{
    return !before || strcmp(of->who, "lay") == 0 || strcmp(of->problem, before->problem) != 0 ||
           !are_of_a_kind(of, before);
}

static void find_kind(groups *in, group *of)
{
    for (int i = 0; i < in->count; i++)
        if (are_of_a_kind(in->group[i].row, of->row)) {
            of->kind = in->group[i].kind;
            return;
        }
    of->kind = in->kinds++;
}

int groups_find(const saved *of, groups *out)
{
    *out = (groups){ .group = malloc(((size_t)of->count + 1) * sizeof(group)) };
    for (int i = 0; i < of->count && out->group; i++) {
        const saved_row *row = &of->rows[i];
        if (!begins_a_group(row, i ? row - 1 : NULL)) {
            out->group[out->count - 1].count++;
            continue;
        }
        group made = { .row = row, .count = 1 };
        find_kind(out, &made);
        out->group[out->count++] = made;
    }
    return out->group != NULL;
}

void groups_free(groups *of)
{
    free(of->group);
    of->group = NULL;
}

void group_write_kind(const group *of, char *to, size_t size)
{
    const saved_row *row = of->row;
    const char *memory = or_usual(row->memory, "host");
    char threads[48];
    if (strcmp(memory, "device") == 0)
        snprintf(threads, sizeof threads, "on the GPU");
    else if (strcmp(row->threads, "0") == 0)
        snprintf(threads, sizeof threads, "all threads");
    else
        snprintf(threads, sizeof threads, "%.8s thread%s", row->threads, strcmp(row->threads, "1") == 0 ? "" : "s");
    snprintf(to, size, "%.8s, %s%s%s", row->type, threads, strcmp(memory, "pinned") == 0 ? ", pinned memory" : "",
             strcmp(or_usual(row->caches, "warm"), "cold") == 0 ? ", cold caches" : "");
}

double group_speedup(const group *of, int row)
{
    const saved_row *them = &of->row[row];
    return them->speedup > 0 ? them->speedup : them->median / of->row->median;
}

double group_least(const group *of)
{
    double least = NAN;
    for (int i = 1; i < of->count; i++)
        if (!row_is_ours(&of->row[i]))
            least = fmin(least, group_speedup(of, i));
    return least;
}

int row_is_contraction(const saved_row *of)
{
    return !isdigit((unsigned char)*of->problem); /* labels are letters, sizes come first */
}

const char *row_layouts(const saved_row *of)
{
    const char *blank = strchr(of->problem, ' ');
    return row_is_contraction(of) || !blank ? of->problem : blank + 1;
}

plot_sample row_sample(const saved_row *of, double y)
{
    return (plot_sample){ .problem = of->problem,
                          .who = of->who,
                          .type = of->type,
                          .threads = atoi(of->threads),
                          .is_contraction = row_is_contraction(of),
                          .m = of->m,
                          .n = of->n,
                          .k = of->k,
                          .y = y };
}

/* Of an operand: places that it has, where indices that share them are many. */
static double count_elements(const char *notation)
{
    lay_desc *desc = NULL;
    int64_t low = 0, high = -1;
    if (!notation || lay_desc_parse(notation, &desc) != LAY_OK)
        return NAN;
    const double all = (double)lay_desc_extent(desc, "");
    lay_desc_span(desc, &low, &high);
    lay_desc_destroy(desc);
    return fmin(all, (double)high - (double)low + 1);
}

double row_intensity(const saved_row *of)
{
    lay_type type;
    double elements = 0;
    if (!problem_type(of->type, &type))
        return NAN;
    for (int i = 0; i < 3; i++)
        elements += count_elements(of->layout[i]);
    const double bytes = elements * (double)lay_type_size(type);
    return bytes > 0 && of->gflops > 0 ? 1e9 * of->gflops * of->median / bytes : NAN;
}

double row_roof(const saved_row *of)
{
    return of->roof_gflops > 0 ? of->roof_gflops : of->peak > 0 ? of->peak : NAN;
}
