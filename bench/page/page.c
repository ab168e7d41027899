/* A page of runs: its sections, in order. */
#include "page.h"

#include <string.h>

#include "bench/base/complain.h"
#include "bench/show/file.h"
#include "html.h"
#include "sections.h"

typedef struct pages {
    const page_run *runs;
    int count;
} pages;

static int find_first(const groups *of, int kind)
{
    int i = 0;
    while (of->group[i].kind != kind)
        i++;
    return i;
}

static int write_kinds(FILE *to, const groups *of)
{
    int is_fine = 1;
    for (int kind = 0; kind < of->kinds && is_fine; kind++) {
        char title[120];
        group_write_kind(&of->group[find_first(of, kind)], title, sizeof title);
        fputs("<h2>Speed: ", to);
        html_element(to, "span", title);
        fputs("</h2>\n<div class=\"pair\">\n", to);
        is_fine = section_curves(to, of, kind) && section_roofline(to, of, kind);
        fputs("</div>\n", to);
    }
    return is_fine;
}

static int write_run(FILE *to, const page_run *of)
{
    groups found;
    int is_fine = groups_find(&of->rows, &found);
    if (is_fine) {
        section_machine(to, of);
        section_summary(to, &found);
        is_fine = write_kinds(to, &found) && section_layouts(to, &found);
        section_table(to, &found);
    }
    groups_free(&found);
    return is_fine;
}

static int write_all(const void *subject, FILE *to)
{
    const pages *all = subject;
    int is_fine = 1;
    html_start(to, "lay bench");
    html_element(to, "h1", "Products of matrices and tensors, timed by lay bench");
    for (int i = 0; i < all->count && is_fine; i++)
        is_fine = write_run(to, &all->runs[i]);
    html_end(to);
    return is_fine;
}

int page_write(const page_run runs[], int count, const char *path)
{
    return file_write(path, write_all, &(const pages){ runs, count });
}
