/* The indices of a problem: which labels there are, how they are walked, how the problem is written down. */
#include "problem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int has_label(const tensor *in, int label)
{
    for (int i = 0; i < in->nmode; i++)
        if (in->label[i] == label)
            return 1;
    return 0;
}

int labels_of_output(const tensor_problem *problem, int places[])
{
    int count = 0;
    for (int i = 0; i < problem->nlabel; i++)
        if (has_label(&problem->d, i))
            places[count++] = i;
    return count;
}

int labels_summed(const tensor_problem *problem, int places[])
{
    int count = 0;
    for (int i = 0; i < problem->nlabel; i++)
        if (!has_label(&problem->d, i))
            places[count++] = i;
    return count;
}

int next_index(const tensor_problem *problem, int count, const int places[], int64_t at[])
{
    for (int i = count - 1; i >= 0; i--) {
        if (++at[i] < problem->extent[places[i]])
            return 1;
        at[i] = 0;
    }
    return 0;
}

typedef struct line {
    char *text;
    size_t size, length;
} line;

__attribute__((format(printf, 2, 3))) static void append(line *to, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(to->text + to->length, to->size - to->length, format, values);
    va_end(values);
    to->length += (size_t)length < to->size - to->length ? (size_t)length : to->size - to->length - 1;
}

static void append_name(line *to, int64_t name)
{
    if (name >= 'a' && name <= 'z')
        append(to, "%c", (char)name);
    else
        append(to, "%" PRId64, name);
}

/* D* F32 [a=3:1][b=2:-3]: conjugated, then the modes as label, extent and stride */
static void append_tensor(line *to, char letter, const tensor *of)
{
    append(to, "%c%s %s ", letter, of->op == TAPP_CONJUGATE ? "*" : "", type_name(of->type));
    for (int i = 0; i < of->nmode; i++) {
        append(to, "[");
        append_name(to, of->names[i]);
        append(to, "=%" PRId64 ":%" PRId64 "]", of->extents[i], of->strides[i]);
    }
    append(to, "; ");
}

void describe_problem(const tensor_problem *problem, char *text, size_t size)
{
    line to = { text, size, 0 };
    append_tensor(&to, 'A', &problem->a);
    append_tensor(&to, 'B', &problem->b);
    append_tensor(&to, 'C', &problem->c);
    append_tensor(&to, 'D', &problem->d);
    append(&to, "alpha %Lg%+Lgi, beta %Lg%+Lgi, precision %d", problem->alpha.re, problem->alpha.im, problem->beta.re,
           problem->beta.im, problem->types.prec);
}
