/* Endings of the public API: labels become strides of matrices like C's. */
#include "ending.h"

#include "base/scalar.h"
#include "base/status.h"
#include "base/versioned.h"
#include "plan/problem.h"

static int is_there(const lay_ending_tensor *of)
{
    return of->desc || of->labels;
}

static lay_status check_label(const lay_labels *of_c, const lay_desc *c, const lay_labels *own, int i,
                              const lay_desc *desc, const char *name)
{
    const int64_t label = own->label[LAY_LABEL_C][i];
    for (int j = 0; j < i; j++)
        if (own->label[LAY_LABEL_C][j] == label)
            return lay_fail(LAY_ERR_REFERENCE, "ending.%s has label %s twice", name, lay_label_say(of_c, label).text);
    for (int j = 0; j < of_c->count[LAY_LABEL_C]; j++) {
        if (of_c->label[LAY_LABEL_C][j] != label)
            continue;
        const int64_t wanted = lay_desc_map(c, j)->extent, got = lay_desc_map(desc, i)->extent;
        return wanted == got ? LAY_OK
                             : lay_fail(LAY_ERR_SHAPE, "label %s has extent %lld in C, but %lld in ending.%s",
                                        lay_label_say(of_c, label).text, (long long)wanted, (long long)got, name);
    }
    return lay_fail(LAY_ERR_REFERENCE, "ending.%s has label %s, which C has not", name,
                    lay_label_say(of_c, label).text);
}

/* Its labels as those of a third tensor beside C, which stands for A. */
static lay_status read_labels(const lay_ending_tensor *of, const lay_labels *of_c, const char *name, lay_labels *out)
{
    const int rank = of->desc ? lay_desc_rank(of->desc) : 0;
    int count = 0;
    *out = (lay_labels){ .is_text = of_c->is_text, .count = { of_c->count[LAY_LABEL_C], 0, 0 } };
    for (int i = 0; i < of_c->count[LAY_LABEL_C]; i++)
        out->label[LAY_LABEL_A][i] = of_c->label[LAY_LABEL_C][i];
    if (!of->labels && rank > 0 && !of->labels_numbers)
        return lay_fail(LAY_ERR_ARGUMENT, "ending.%s has no labels", name);
    for (const char *at = of->labels; at && *at; at++) {
        const int is_letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
        if (*at == ' ')
            continue;
        if (!is_letter || count == LAY_MAX_LABELS)
            return lay_fail(LAY_ERR_SYNTAX, "ending.%s.labels, position %d: a letter is expected", name,
                            (int)(at - of->labels));
        out->label[LAY_LABEL_C][count++] = *at;
    }
    for (; !of->labels && count < rank; count++)
        out->label[LAY_LABEL_C][count] = of->labels_numbers[count];
    out->count[LAY_LABEL_C] = count;
    return count == rank ? LAY_OK : lay_fail(LAY_ERR_RANK, "ending.%s has rank %d but %d labels", name, rank, count);
}

/* Whether the sums' type has all its numbers. */
static lay_status check_type(const lay_ending_tensor *of, const lay_types *types, const char *name)
{
    if (lay_type_size(of->type) == 0)
        return lay_fail(LAY_ERR_TYPE, "ending.%s.type: %d is no lay_type", name, (int)of->type);
    if (lay_type_is_complex(of->type) && !lay_type_is_complex(types->sum))
        return lay_fail(LAY_ERR_TYPE, "ending.%s is complex but D is real", name);
    if (lay_type_is_double(of->type) && !lay_type_is_double(types->sum))
        return lay_fail(LAY_ERR_TYPE, "ending.%s is %s but sums are %s: it would be rounded; sum_precision may be f64",
                        name, lay_type_name(of->type), lay_type_name(types->sum));
    return LAY_OK;
}

static lay_status read_tensor(const lay_ending_tensor *of, const lay_labels *of_c, const lay_desc *c,
                              const lay_arrangement *arrangement, const lay_types *types, const char *name,
                              lay_desc **out)
{
    lay_labels own;
    lay_status status;
    if ((status = check_type(of, types, name)) || (status = read_labels(of, of_c, name, &own)))
        return status;
    for (int i = 0; i < own.count[LAY_LABEL_C]; i++)
        if ((status = check_label(of_c, c, &own, i, of->desc, name)))
            return status;
    if (of->desc && ((status = lay_desc_refuse_places(of->desc, name)) ||
                     (status = lay_problem_check_bytes(of->type, of->desc, name))))
        return status;
    const lay_desc *const tensor[LAY_LABELLED] = { [LAY_LABEL_A] = c, [LAY_LABEL_C] = of->desc };
    return lay_labels_make_matrix(&own, tensor, arrangement, LAY_LABEL_C, out);
}

static lay_status check_activation(const lay_ending *of, const lay_types *types)
{
    if ((unsigned)of->activation > LAY_ACTIVATION_CLAMP)
        return lay_fail(LAY_ERR_OPTION, "ending.activation has no value %d", (int)of->activation);
    if (of->activation != LAY_ACTIVATION_NONE && lay_type_is_complex(types->result))
        return lay_fail(LAY_ERR_UNSUPPORTED,
                        "an activation is of real numbers, and D is complex: scales and a bias are served");
    if (of->activation == LAY_ACTIVATION_CLAMP && !(of->low <= of->high))
        return lay_fail(LAY_ERR_OPTION, "ending.low is not at most ending.high");
    return LAY_OK;
}

lay_status lay_ending_read(const lay_ending *given, const lay_labels *labels, const lay_desc *c,
                           const lay_arrangement *arrangement, const lay_types *types, lay_end *out)
{
    static const lay_versioned structure = { "ending", "LAY_ENDING_INIT", sizeof(lay_ending), sizeof(lay_ending) };
    lay_ending complete = LAY_ENDING_INIT;
    lay_status status = lay_versioned_read(&structure, given, &complete);
    if (status != LAY_OK || (status = check_activation(&complete, types)))
        return status;
    *out = (lay_end){ .activation = complete.activation, .low = complete.low, .high = complete.high };
    for (int i = 0; i < LAY_END_TERMS && status == LAY_OK; i++) {
        const lay_ending_tensor *of = i == LAY_END_BIAS ? &complete.bias : &complete.scale[i];
        if (!is_there(of))
            continue;
        out->term[i].type = of->type;
        status = read_tensor(of, labels, c, arrangement, types, lay_end_name(i), &out->term[i].desc);
    }
    if (status != LAY_OK)
        lay_end_free(out);
    return status;
}

int lay_ending_does(const lay_end *end)
{
    for (int i = 0; i < LAY_END_TERMS; i++)
        if (end->term[i].desc)
            return 1;
    return end->activation != LAY_ACTIVATION_NONE;
}
