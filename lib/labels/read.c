/* Labels from a text or from arrays, and whether the tensors suit them. */
#include "labels/labels.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "layout/desc.h"

static int is_letter(int64_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

lay_label_name lay_label_say(const lay_labels *labels, int64_t label)
{
    lay_label_name name;
    if (labels->is_text && is_letter(label)) /* an ending may have numbers beside a text */
        snprintf(name.text, sizeof name.text, "'%c'", (int)label);
    else
        snprintf(name.text, sizeof name.text, "%" PRId64, label);
    return name;
}

static lay_status refuse_repeated(const lay_labels *labels)
{
    const int64_t *label = labels->label[LAY_LABEL_C];
    for (int i = 0; i < labels->count[LAY_LABEL_C]; i++)
        for (int j = 0; j < i; j++)
            if (label[i] == label[j])
                return lay_fail(LAY_ERR_REFERENCE, "the label %s stands twice in the output",
                                lay_label_say(labels, label[i]).text);
    return LAY_OK;
}

/* Of a long text what stands around the position; a sentence is one line, so what is no character of one is "?". */
static lay_status refuse_text(const char *text, const char *at, const char *expected)
{
    enum { MOST = 60, BEFORE = 45 };
    const char *const from = at - text > MOST - 5 ? at - BEFORE : text;
    const size_t length = strnlen(from, MOST);
    char shown[MOST + 1] = "";
    for (size_t i = 0; i < length; i++)
        shown[i] = (unsigned char)from[i] < ' ' || from[i] == 127 ? '?' : from[i];
    return lay_fail(LAY_ERR_SYNTAX, "labels \"%s%s%s\", position %d: expected %s", from > text ? "..." : "", shown,
                    from[length] ? "..." : "", (int)(at - text), expected);
}

lay_status lay_labels_read(const char *text, lay_labels *out)
{
    static const struct {
        const char *text, *expected;
    } end[LAY_LABELLED] = { { ",", "a letter or ','" }, { "->", "a letter or \"->\"" }, { "", "a letter or the end" } };
    const char *at = text;
    if (!text)
        return lay_fail(LAY_ERR_ARGUMENT, "labels is NULL");
    *out = (lay_labels){ .is_text = 1 };
    for (int which = 0; which < LAY_LABELLED; which++) {
        const size_t length = strlen(end[which].text);
        for (; is_letter(*at) || *at == ' '; at++) {
            if (*at == ' ')
                continue;
            if (out->count[which] == LAY_MAX_LABELS)
                return refuse_text(text, at, "no more labels than a descriptor can have");
            out->label[which][out->count[which]++] = *at;
        }
        if (length ? strncmp(at, end[which].text, length) != 0 : *at != 0)
            return refuse_text(text, at, end[which].expected);
        at += length;
    }
    return refuse_repeated(out);
}

lay_status lay_labels_take(const lay_desc *const tensor[LAY_LABELLED], const int64_t *const label[LAY_LABELLED],
                           lay_labels *out)
{
    *out = (lay_labels){ .is_text = 0 };
    for (int which = 0; which < LAY_LABELLED; which++) {
        out->count[which] = tensor[which] ? lay_desc_rank(tensor[which]) : 0;
        if (out->count[which] > 0 && !label[which])
            return lay_fail(LAY_ERR_ARGUMENT, "labels and labels_%c are NULL", "abc"[which]);
        for (int i = 0; i < out->count[which]; i++)
            out->label[which][i] = label[which][i];
    }
    return refuse_repeated(out);
}

static lay_status check_rank(const lay_labels *labels, const lay_desc *tensor, int which, const char names[])
{
    const int rank = tensor ? lay_desc_rank(tensor) : 0, count = labels->count[which];
    if (rank != count)
        return lay_fail(LAY_ERR_RANK, "%c has rank %d but %d label%s", names[which], rank, count,
                        count == 1 ? "" : "s");
    return LAY_OK;
}

/* Against every dimension of this label that comes before it. */
static lay_status check_extent(const lay_labels *labels, const lay_desc *const tensor[LAY_LABELLED], int which, int i,
                               const char names[])
{
    const int64_t label = labels->label[which][i], extent = lay_desc_map(tensor[which], i)->extent;
    for (int other = 0; other <= which; other++)
        for (int j = 0; j < (other == which ? i : labels->count[other]); j++) {
            const int64_t before = labels->label[other][j] == label ? lay_desc_map(tensor[other], j)->extent : extent;
            if (before != extent && other == which)
                return lay_fail(LAY_ERR_SHAPE,
                                "the label %s stands at two dimensions of %c, of %" PRId64 " and of %" PRId64
                                ": a diagonal has one extent",
                                lay_label_say(labels, label).text, names[which], before, extent);
            if (before != extent)
                return lay_fail(LAY_ERR_SHAPE, "the label %s is %" PRId64 " in %c but %" PRId64 " in %c",
                                lay_label_say(labels, label).text, before, names[other], extent, names[which]);
        }
    return LAY_OK;
}

lay_status lay_labels_check(const lay_labels *labels, const lay_desc *const tensor[LAY_LABELLED], char name)
{
    const char names[LAY_LABELLED] = { 'A', 'B', name };
    lay_status status = LAY_OK;
    for (int which = 0; which < LAY_LABELLED && status == LAY_OK; which++)
        status = check_rank(labels, tensor[which], which, names);
    for (int which = 0; which < LAY_LABELLED && status == LAY_OK; which++)
        for (int i = 0; i < labels->count[which] && status == LAY_OK; i++)
            status = check_extent(labels, tensor, which, i, names);
    return status;
}
