/* Problems as short texts: sizes and the layouts of A, B and C. */
#include "problem.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/args.h"
#include "bench/base/complain.h"
#include "bench/base/texts.h"

static int describe(problem *of, int which, int64_t rows, int64_t columns)
{
    if (!layout_write(of->layout[which], rows, columns, &of->notation[which]))
        return refuse("there is no layout '%s'; 'lay help bench' lists them", of->layout[which]);
    const char *notation = of->notation[which];
    if (!notation)
        return fail("out of memory");
    const lay_status parsed = lay_desc_parse(notation, &of->desc[which]);
    if (parsed != LAY_OK)
        return refuse_status(parsed, notation);
    const lay_desc *desc = of->desc[which];
    if (lay_desc_rank(desc) != 2 || lay_desc_extent(desc, "0") != rows || lay_desc_extent(desc, "1") != columns)
        return refuse("%c is a matrix of %" PRId64 " x %" PRId64 " in '%s', its layout '%s' is none", "ABC"[which],
                      rows, columns, of -> text, notation);
    return EXIT_FINE;
}

/* One size; *text moves behind it and behind what may part it from the next. */
static int read_size(const char **text, int64_t *out)
{
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)**text))
        return 0;
    *out = strtoll(*text, &end, 10);
    if (errno || *out > INT32_MAX)
        return 0;
    end += strspn(end, " \t");
    if ((*end == 'x' || *end == '*') && isdigit((unsigned char)end[1]))
        end++;
    *text = end;
    return 1;
}

const char *problem_sizes(const char *text, int64_t sizes[3])
{
    int count = 0;
    text += strspn(text, " \t");
    while (count < 3 && read_size(&text, &sizes[count]))
        count++;
    if (count != 1 && count != 3)
        return NULL;
    if (count == 1)
        sizes[1] = sizes[2] = sizes[0];
    if (*text == ':')
        return text[1] ? text + 1 : NULL;
    return !*text || *text == '[' || (isalpha((unsigned char)*text) && isspace((unsigned char)text[-1])) ? text : NULL;
}

int problem_has_layouts(const char *text)
{
    int64_t sizes[3];
    const char *layouts = problem_sizes(text, sizes);
    return layouts && *layouts;
}

static int read_layouts(problem *of, const char *text)
{
    int count;
    char **list = list_split(text, ',', &count);
    if (!list)
        return fail("out of memory");
    const int good = count == 1 || count == 3;
    for (int i = 0; i < 3 && good; i++) {
        const char *one = list[count == 3 ? i : 0];
        of->layout[i] = strdup(one + strspn(one, " \t"));
    }
    free(list);
    if (!good)
        return refuse("a problem has one layout or three, '%s' has %d", text, count);
    return of->layout[0] && of->layout[1] && of->layout[2] ? EXIT_FINE : fail("out of memory");
}

static char *write_text(const problem *of)
{
    char sizes[80];
    if (of->m == of->n && of->n == of->k)
        snprintf(sizes, sizeof sizes, "%" PRId64, of->m);
    else
        snprintf(sizes, sizeof sizes, "%" PRId64 "x%" PRId64 "x%" PRId64, of->m, of->n, of->k);
    char *const *l = of->layout;
    const int same = strcmp(l[0], l[1]) == 0 && strcmp(l[1], l[2]) == 0;
    return same ? text_write("%s %s", sizes, l[0]) : text_write("%s %s,%s,%s", sizes, l[0], l[1], l[2]);
}

int problem_read(const char *text, const char *usual, problem *out)
{
    int64_t sizes[3];
    *out = (problem){ 0 };
    const char *layouts = problem_sizes(text, sizes);
    if (!layouts)
        return refuse("'%s' is no problem: MxNxK or N, then ':' and layouts if not %s", text, usual);
    out->m = sizes[0], out->n = sizes[1], out->k = sizes[2];
    int status = read_layouts(out, *layouts ? layouts : usual);
    if (status == EXIT_FINE && !(out->text = write_text(out)))
        status = fail("out of memory");
    if (status == EXIT_FINE)
        status = describe(out, 0, out->m, out->k);
    if (status == EXIT_FINE)
        status = describe(out, 1, out->k, out->n);
    if (status == EXIT_FINE)
        status = describe(out, 2, out->m, out->n);
    if (status != EXIT_FINE)
        problem_free(out);
    return status;
}

int problem_read_contraction(const char *text, problem *out)
{
    *out = (problem){ .text = strdup(text), .labels = malloc(sizeof *out->labels) };
    if (!out->text || !out->labels) {
        free(out->labels);
        out->labels = NULL;
        problem_free(out);
        return fail("out of memory");
    }
    int status = contraction_read(text, out->labels);
    const int64_t *count = out->labels->count;
    out->m = count[LABEL_BATCH] * count[LABEL_M], out->n = count[LABEL_N], out->k = count[LABEL_K];
    for (int i = 0; i < 3 && status == EXIT_FINE; i++)
        if (!(out->notation[i] = text_of_desc(out->labels->desc[i])))
            status = fail("out of memory");
    if (status != EXIT_FINE)
        problem_free(out);
    return status;
}

void problem_free(problem *of)
{
    free(of->text);
    if (of->labels)
        contraction_free(of->labels);
    free(of->labels);
    for (int i = 0; i < 3; i++) {
        free(of->layout[i]);
        free(of->notation[i]);
        lay_desc_destroy(of->desc[i]);
    }
}

int problem_type(const char *name, lay_type *out)
{
    for (lay_type type = LAY_F32; type <= LAY_C64; type++)
        if (strcmp(name, problem_type_name(type)) == 0) {
            *out = type;
            return 1;
        }
    return 0;
}

const char *problem_type_name(lay_type type)
{
    static const char *const name[] = { [LAY_F32] = "f32",   [LAY_F64] = "f64", [LAY_F16] = "f16",
                                        [LAY_BF16] = "bf16", [LAY_C32] = "c32", [LAY_C64] = "c64" };
    return name[type];
}
