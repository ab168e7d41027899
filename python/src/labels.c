/* Contractions: tensors with a letter for each dimension. */
#include <string.h>

#include "core.h"

/* Extents by letter; 0 in `is_known`: none yet. */
typedef struct extents_by_label {
    int64_t extent[128];
    char is_known[128];
} extents_by_label;

/* Where the labels of A, B and C begin, and how many each has. The text was checked. */
typedef struct words {
    const char *of[OPERANDS];
    int count[OPERANDS];
} words;

static words read_words(const char *labels)
{
    const char *const comma = strchr(labels, ','), *const arrow = strstr(labels, "->");
    const words read = { { labels, comma + 1, arrow + 2 },
                         { (int)(comma - labels), (int)(arrow - comma - 1), (int)strlen(arrow + 2) } };
    return read;
}

int labels_check(const char *labels)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *at = labels + strspn(labels, letters);
    int is_good = *at == ',';
    at += is_good;
    at += strspn(at, letters);
    is_good = is_good && strncmp(at, "->", 2) == 0;
    at += is_good ? 2 : 0;
    is_good = is_good && at[strspn(at, letters)] == 0;
    if (!is_good)
        core_refuse(LAY_ERR_SYNTAX, "'%s' is none of the form 'ab,bc->ac'", labels);
    return is_good;
}

static int64_t extent_of(const request *of, const prepared *made, int which, int number)
{
    char path[16];
    if (!of->layouts[which])
        return made->operands[which].extents[number];
    PyOS_snprintf(path, sizeof path, "%d", number);
    return lay_desc_extent(of->layouts[which], path);
}

/* An extent of 1 is stretched to another one, as NumPy does; others that differ are the library's to refuse. */
static void note(extents_by_label *known, char label, int64_t extent)
{
    const int at = label & 127;
    if (!known->is_known[at] || known->extent[at] == 1)
        known->extent[at] = extent;
    known->is_known[at] = 1;
}

static int check_rank(const request *of, prepared *made, const words *labels, int which)
{
    const int count = labels->count[which];
    if (of->layouts[which])
        return prepared_use_layout(of, made, which, count, count);
    if (made->operands[which].ndim == count)
        return 1;
    core_refuse(LAY_ERR_RANK, "%s has %d dimensions and %d labels", operand_names[which], made->operands[which].ndim,
                count);
    return 0;
}

static void note_all(const request *of, const prepared *made, const words *labels, extents_by_label *known)
{
    *known = (extents_by_label){ .is_known = { 0 } };
    for (int which = OF_A; which <= OF_B; which++)
        for (int i = 0; i < labels->count[which]; i++)
            note(known, labels->of[which][i], extent_of(of, made, which, i));
}

/* Whether an operand has one index along the label: a diagonal of 1 x 4 has no extent, and is the library's to refuse.
 */
static int has_one_index(const operand *array, const words *labels, int which, char label)
{
    for (int i = 0; i < array->ndim; i++)
        if (labels->of[which][i] == label && array->extents[i] != 1)
            return 0;
    return 1;
}

static int describe(prepared *made, const words *labels, const extents_by_label *known, int which)
{
    const operand *const array = &made->operands[which];
    int64_t extents[MAX_DIMS], strides[MAX_DIMS];
    for (int i = 0; i < array->ndim; i++) {
        const char label = labels->of[which][i];
        const int is_stretched = which != OF_C && has_one_index(array, labels, which, label);
        extents[i] = is_stretched ? known->extent[label & 127] : array->extents[i];
        strides[i] = array->strides[i]; /* 0 where the extent is 1 */
    }
    if (array->ndim == 0) /* a scalar */
        return 1;
    const lay_status status = lay_desc_strided(array->ndim, extents, strides, &made->made[which]);
    made->descs[which] = made->made[which];
    if (status != LAY_OK)
        core_raise(status);
    return status == LAY_OK;
}

int labels_describe(const request *of, prepared *made)
{
    const words labels = read_words(of->labels);
    extents_by_label known;
    for (int which = OF_A; which <= OF_B; which++)
        if (!check_rank(of, made, &labels, which))
            return 0;
    note_all(of, made, &labels, &known);
    for (int which = OF_A; which <= OF_B; which++)
        if (!of->layouts[which] && !describe(made, &labels, &known, which))
            return 0;
    made->ndim = labels.count[OF_C];
    if (made->ndim > MAX_DIMS) {
        core_refuse(LAY_ERR_RANK, "out has %d labels, and %d are taken", made->ndim, MAX_DIMS);
        return 0;
    }
    for (int i = 0; i < made->ndim; i++)
        made->extents[i] = known.extent[labels.of[OF_C][i] & 127];
    return 1;
}

int labels_describe_result(const request *of, prepared *made)
{
    const words labels = read_words(of->labels);
    extents_by_label known;
    if (of->layouts[OF_C])
        return prepared_use_layout(of, made, OF_C, labels.count[OF_C], labels.count[OF_C]);
    note_all(of, made, &labels, &known);
    return prepared_fits(made) && describe(made, &labels, &known, OF_C);
}
