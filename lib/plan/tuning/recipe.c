/* Recipes as trees and as texts. */
#include "plan/tuning/recipe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Sizes are in panels: of more than these no product that fits an address has any. */
enum { MOST_SIZE = 1 << 30, MOST_THREADS = 4096, NAME = 64 };

const lay_tunable_row lay_tunable_rows[LAY_TUNABLES] = {
    [LAY_TUNE_THREADS] = { "threads", 1, MOST_THREADS },
    [LAY_TUNE_PACKED] = { "packed", 0, 1 },
    [LAY_TUNE_BY_ROWS] = { "by-rows", 0, 1 },
    [LAY_TUNE_DOTS] = { "dots", 0, 1 },
    [LAY_TUNE_MC] = { "mc", 1, MOST_SIZE },
    [LAY_TUNE_NC] = { "nc", 1, MOST_SIZE },
    [LAY_TUNE_MB] = { "mb", 1, MOST_SIZE },
    [LAY_TUNE_NB] = { "nb", 1, MOST_SIZE },
    [LAY_TUNE_BY_COLUMNS] = { "by-columns", 0, 1 },
    [LAY_TUNE_STEPS] = { "steps", 1, 16 },
    [LAY_TUNE_IMAGES] = { "images", 1, 15 },
    [LAY_TUNE_GATHERED] = { "gathered", 0, 7 },
    [LAY_TUNE_SHARED] = { "shared", 0, 1 },
    [LAY_TUNE_PIECES] = { "pieces", 1, 3 },
};

lay_step lay_step_of(const lay_way *way)
{
    lay_step step = { .way = way };
    for (int i = 0; i < LAY_TUNABLES; i++)
        step.value[i] = -1;
    return step;
}

int lay_recipe_tell(const lay_branch *root, lay_recipe *recipe)
{
    int count = 1;
    recipe->step[0] = lay_step_of(NULL);
    for (const lay_branch *branch = root; branch; branch = branch->child) {
        if (count > LAY_MOST_STEPS)
            return 0;
        recipe->step[count] = lay_step_of(branch->way);
        if (branch->way->tell)
            branch->way->tell(branch, &recipe->step[count]);
        count++;
    }
    recipe->step[count] = lay_step_of(NULL);
    return 1;
}

int lay_recipe_length(const lay_recipe *recipe)
{
    int count = 0;
    while (recipe->step[1 + count].way)
        count++;
    return count;
}

/* A way's name as one word: "vector-widened". */
static void write_name(const lay_way *way, char to[NAME])
{
    size_t length = 0;
    for (const char *from = way->name; *from && length + 1 < NAME; from++)
        if (*from != ',')
            to[length++] = *from == ' ' ? '-' : *from;
    to[length] = 0;
}

void lay_recipe_write(const lay_recipe *recipe, lay_text *text)
{
    for (const lay_step *step = recipe->step + 1; step->way; step++) {
        char name[NAME];
        write_name(step->way, name);
        lay_text_add(text, "%s%s", step > recipe->step + 1 ? " / " : "", name);
        if (step->kernel)
            lay_text_add(text, " kernel=%s", step->kernel);
        for (int i = 0; i < LAY_TUNABLES; i++)
            if (step->value[i] >= 0)
                lay_text_add(text, " %s=%lld", lay_tunable_rows[i].name, (long long)step->value[i]);
    }
}

static const lay_way *find_way(const lay_table *table, const lay_order *order, const char *name)
{
    for (const lay_way *const *way = table->ways; *way; way++) {
        char own[NAME];
        write_name(*way, own);
        if ((!(*way)->order || (*way)->order == order) && strcmp(own, name) == 0)
            return *way;
    }
    return NULL;
}

/* "kernel=NAME". */
static const char *read_kernel(const lay_order *order, const char *name, lay_step *step, int *is_unknown)
{
    if (!(step->way->tunes & LAY_TUNES_KERNEL))
        return "this way has no kernel to choose";
    if (step->kernel)
        return "the kernel was said before";
    step->kernel = order->find_kernel ? order->find_kernel(name) : NULL;
    *is_unknown = !step->kernel;
    return step->kernel ? NULL : "there is no such kernel";
}

/* "mc=12". */
static const char *read_value(const char *name, const char *number, lay_step *step, int *is_unknown)
{
    char *end;
    int i = 0;
    while (i < LAY_TUNABLES && strcmp(lay_tunable_rows[i].name, name) != 0)
        i++;
    *is_unknown = i == LAY_TUNABLES;
    if (i == LAY_TUNABLES)
        return "there is nothing of that name to decide";
    if (!(step->way->tunes & 1u << i))
        return "this way does not decide it";
    if (step->value[i] >= 0)
        return "it was said before";
    errno = 0;
    const long long value = strtoll(number, &end, 10);
    if (*number < '0' || *number > '9' || *end || errno || value < lay_tunable_rows[i].least ||
        value > lay_tunable_rows[i].most)
        return "its number is none that it may have";
    step->value[i] = value;
    return NULL;
}

static const char *read_word(const lay_order *order, char *word, lay_step *step, int *is_unknown)
{
    char *const sign = strchr(word, '=');
    if (!sign)
        return "it needs '=' and what it is";
    *sign = 0;
    const char *reason = strcmp(word, "kernel") == 0 ? read_kernel(order, sign + 1, step, is_unknown)
                                                     : read_value(word, sign + 1, step, is_unknown);
    *sign = '=';
    return reason;
}

const char *lay_recipe_read(const lay_table *table, const lay_order *order, char *text, lay_recipe *recipe,
                            const char **word, int *is_unknown)
{
    int count = 0, is_way = 1; /* a way's name comes next */
    char *rest;
    recipe->step[0] = lay_step_of(NULL);
    *is_unknown = 0;
    *word = "";
    for (char *next = strtok_r(text, " ", &rest); next; next = strtok_r(NULL, " ", &rest)) {
        const char *reason;
        *word = next;
        if (strcmp(next, "/") == 0) {
            if (is_way)
                return "the name of a way is missing before it";
            is_way = 1;
        } else if (is_way) {
            if (count == LAY_MOST_STEPS)
                return "there are more ways than a plan has";
            const lay_way *way = find_way(table, order, next);
            *is_unknown = !way;
            if (!way)
                return "there is no such way";
            recipe->step[++count] = lay_step_of(way);
            is_way = 0;
        } else if ((reason = read_word(order, next, &recipe->step[count], is_unknown))) {
            return reason;
        }
    }
    recipe->step[count + 1] = lay_step_of(NULL);
    return is_way ? "the name of a way is missing at the end" : NULL;
}
