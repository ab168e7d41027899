/* What was run where, and what came of it in a few lines. */
#include <math.h>
#include <string.h>

#include "bench/base/texts.h"
#include "html.h"
#include "sections.h"

static void write_fact(FILE *to, const char *name, const char *text, const char *tag)
{
    if (!text)
        return;
    html_element(to, "h3", name);
    html_element(to, tag, text);
    fputc('\n', to);
}

/* Its lines stay lines. */
static void write_lines(FILE *to, const char *text)
{
    fputs("<h3>Machine</h3>\n<pre>", to);
    for (const char *end; *text; text = *end ? end + 1 : end) {
        char part[512];
        end = text + strcspn(text, "\n");
        snprintf(part, sizeof part, "%.*s", (int)(end - text), text);
        text_write_xml(part, to);
        fputc('\n', to);
    }
    fputs("</pre>\n", to);
}

void section_machine(FILE *to, const page_run *of)
{
    const saved_head *head = &of->rows.head;
    if (of->from)
        write_fact(to, "File", of->from, "code");
    fputs("<h2>Machine and versions</h2>\n", to);
    if (!head->machine)
        html_element(to, "p", "The file does not say on which machine it was made: only JSON does.");
    else
        write_lines(to, head->machine);
    write_fact(to, "Command", head->command, "pre");
    if (head->version || head->load || head->rounds)
        fputs("<p>", to);
    if (head->version)
        fprintf(to, "layoutgemm %.40s. ", head->version);
    if (head->rounds)
        fprintf(to, "Medians of %.12s rounds. ", head->rounds);
    if (head->load)
        fprintf(to, "Load before the run: %.12s.", head->load);
    if (head->version || head->load || head->rounds)
        fputs("</p>\n", to);
    for (int i = 0; i < head->warnings; i++)
        html_element(to, "p class=\"warning\"", head->warning[i]);
    if (head->complete && strcmp(head->complete, "false") == 0)
        html_element(to, "p class=\"warning\"", "The run broke off: the last problems lack.");
}

enum { MOST_OTHERS = 32 };

/* Lay against one other, over all problems. */
typedef struct other {
    const char *who;
    double product, least;
    const char *problem;
    int count;
} other;

static void add(other list[], int *count, const group *of, int row)
{
    int i = 0;
    while (i < *count && strcmp(list[i].who, of->row[row].who) != 0)
        i++;
    if (i == MOST_OTHERS)
        return;
    if (i == *count)
        list[(*count)++] = (other){ .who = of->row[row].who, .least = INFINITY };
    const double speedup = group_speedup(of, row);
    list[i].product += log(speedup);
    list[i].count++;
    if (speedup < list[i].least) {
        list[i].least = speedup;
        list[i].problem = of->row->problem;
    }
}

void section_summary(FILE *to, const groups *of)
{
    other list[MOST_OTHERS];
    int count = 0;
    for (int i = 0; i < of->count; i++)
        for (int row = 1; row < of->group[i].count; row++)
            add(list, &count, &of->group[i], row);
    if (!count)
        return;
    fputs("<h2>How many times as fast as others lay is</h2>\n<table "
          "class=\"figures\"><thead><tr><th>against</th><th>problems</th>"
          "<th>geometric mean</th><th>at least</th><th>there</th></tr></thead><tbody>\n",
          to);
    for (int i = 0; i < count; i++) {
        fputs("<tr>", to);
        html_element(to, "td class=\"who\"", list[i].who);
        fprintf(to, "<td data-l=\"problems\">%d</td>", list[i].count);
        html_cell(to, "geometric mean", exp(list[i].product / list[i].count));
        html_cell(to, "at least", list[i].least);
        html_element(to, "td class=\"who\"", list[i].problem);
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table>\n", to);
}
