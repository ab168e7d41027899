/* The 48 contractions of the TCCG benchmark (Springer and Bientinesi, "Design of a high-performance GEMM-like
 * tensor-tensor multiplication"), C-A-B, the first label contiguous. */
#include "suites.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    TENSOR_BYTES = 200 << 20, /* of the largest tensor, about */
    LARGE_BYTES = 1 << 30,    /* the same on a device */
    FEW = 24,                 /* of the label that a row names; contiguous labels are multiples of it */
    MULTIPLE = 4              /* the other labels */
};

static const struct {
    const char *labels;
    char few; /* the label that is short; 0: none */
} rows[] = {
    { "abc-bda-dc", 'c' },     { "abc-dca-bd", 'b' },     { "abcd-dbea-ec", 'c' },   { "abcd-deca-be", 'b' },
    { "abcd-ebad-ce", 'c' },   { "abcde-efbad-cf", 'c' }, { "abcde-ecbfa-fd", 'd' }, { "abcde-efcad-bf", 'b' },
    { "abcd-ea-ebcd", 0 },     { "abcd-eb-aecd", 0 },     { "abcd-ec-abed", 0 },     { "ab-ac-cb", 0 },
    { "ab-acd-dbc", 0 },       { "ab-cad-dcb", 0 },       { "abc-acd-db", 0 },       { "abc-ad-bdc", 0 },
    { "abc-adc-bd", 0 },       { "abc-adc-db", 0 },       { "abc-adec-ebd", 0 },     { "abcd-aebf-dfce", 0 },
    { "abcd-aebf-fdec", 0 },   { "abcd-aecf-bfde", 0 },   { "abcd-aecf-fbed", 0 },   { "abcd-aedf-bfce", 0 },
    { "abcd-aedf-fbec", 0 },   { "abcd-aefb-fdce", 0 },   { "abcd-aefc-fbed", 0 },   { "abcd-eafb-fdec", 0 },
    { "abcd-eafc-bfde", 0 },   { "abcd-eafd-fbec", 0 },   { "abcdef-dega-gfbc", 0 }, { "abcdef-degb-gfac", 0 },
    { "abcdef-degc-gfab", 0 }, { "abcdef-dfga-gebc", 0 }, { "abcdef-dfgb-geac", 0 }, { "abcdef-dfgc-geab", 0 },
    { "abcdef-efga-gdbc", 0 }, { "abcdef-efgb-gdac", 0 }, { "abcdef-efgc-gdab", 0 }, { "abcdef-gdab-efgc", 0 },
    { "abcdef-gdac-efgb", 0 }, { "abcdef-gdbc-efga", 0 }, { "abcdef-geab-dfgc", 0 }, { "abcdef-geac-dfgb", 0 },
    { "abcdef-gebc-dfga", 0 }, { "abcdef-gfab-degc", 0 }, { "abcdef-gfac-degb", 0 }, { "abcdef-gfbc-dega", 0 },
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static int largest_rank(const char *labels)
{
    int largest = 0, rank = 0;
    for (;; labels++) {
        rank = isalpha((unsigned char)*labels) ? rank + 1 : 0;
        largest = rank > largest ? rank : largest;
        if (!*labels)
            return largest;
    }
}

/* Whether a label is the first one of a tensor. */
static int is_contiguous(const char *labels, char label)
{
    for (const char *at = labels; *at; at++)
        if (*at == label && (at == labels || at[-1] == '-'))
            return 1;
    return 0;
}

/* The published sizes, which follow from the type: labels about equally long. */
static int find_extent(int row, char label, double each)
{
    if (label == rows[row].few)
        return FEW;
    if (is_contiguous(rows[row].labels, label))
        return (int)((each + FEW - 1) / FEW) * FEW;
    const int above = (int)((each + MULTIPLE - 1) / MULTIPLE) * MULTIPLE, below = (int)(each / MULTIPLE) * MULTIPLE;
    return fabs(each - above) < fabs(each - below) ? above : below;
}

static int write_row(int index, lay_type type, double bytes, char *text, size_t size)
{
    if (index >= ROWS)
        return 0;
    const char *labels = rows[index].labels;
    const double elements = bytes / (double)lay_type_size(type);
    const double each = pow(elements, 1.0 / largest_rank(labels));
    size_t used = (size_t)snprintf(text, size, "%s:", labels);
    for (char label = 'a'; strchr(labels, label); label++)
        used += (size_t)snprintf(text + used, size - used, "%s%c=%d", label > 'a' ? "," : "", label,
                                 find_extent(index, label, each));
    return 1;
}

int suite_tccg(int index, lay_type type, char *text, size_t size)
{
    return write_row(index, type, TENSOR_BYTES, text, size);
}

int suite_tccg_large(int index, lay_type type, char *text, size_t size)
{
    return write_row(index, type, LARGE_BYTES, text, size);
}
