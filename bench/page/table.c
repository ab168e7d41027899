/* The table of a page: all rows, numbered as the roofline and the layouts name them. */
#include <math.h>

#include "bench/base/texts.h"
#include "html.h"
#include "sections.h"

static void write_heading(FILE *to, const group *of, int number)
{
    char kind[120];
    group_write_kind(of, kind, sizeof kind);
    fprintf(to, "<tr class=\"problem\"><td colspan=\"7\"><span class=\"num\">%d</span> ", number);
    text_write_xml(of->row->problem, to);
    fputs(" <span class=\"num\">", to);
    text_write_xml(kind, to);
    fputs("</span></td></tr>\n", to);
}

static double or_none(double x)
{
    return x > 0 ? x : NAN;
}

static void write_row(FILE *to, const group *of, int index)
{
    const saved_row *row = &of->row[index];
    const double roof = row_roof(row);
    fprintf(to, "<tr%s><td class=\"who\">", index ? "" : " class=\"ours\"");
    text_write_xml(row->who, to);
    if (row->kernels && *row->kernels) {
        fputs(" <span class=\"num\">", to);
        text_write_xml(row->kernels, to);
        fputs("</span>", to);
    }
    fputs("</td>", to);
    html_cell(to, "time, \302\265s", 1e6 * row->median);
    html_cell(to, "GFLOP/s", or_none(row->gflops));
    html_cell(to, "spread, %", 100 * or_none(row->spread));
    html_cell(to, "of the peak, %", 100 * or_none(row->gflops) / roof);
    html_cell(to, "flop/byte", index ? NAN : row_intensity(row));
    html_cell(to, "speedup of lay", index ? group_speedup(of, index) : NAN);
    fputs("</tr>\n", to);
}

void section_table(FILE *to, const groups *of)
{
    fputs("<h2>All figures</h2>\n"
          "<p>Times are medians of a call. Half of the rounds lie within the spread. Speedup: their time divided by "
          "lay's; above 1 lay is faster. The peak is what FMAs reached in the same rounds, or what a device's units "
          "reach by their number and clock.</p>\n"
          "<table class=\"figures\"><thead><tr><th>problem, who</th><th>time, \302\265s</th><th>GFLOP/s</th>"
          "<th>spread, %</th><th>of the peak, %</th><th>flop/byte</th><th>speedup of lay</th></tr></thead><tbody>\n",
          to);
    for (int i = 0; i < of->count; i++) {
        write_heading(to, &of->group[i], i + 1);
        for (int row = 0; row < of->group[i].count; row++)
            write_row(to, &of->group[i], row);
    }
    fputs("</tbody></table>\n", to);
}
