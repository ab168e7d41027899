/* How a page is written. */
#include "html.h"

#include <math.h>
#include <string.h>

#include "bench/base/texts.h"

/* Told apart by hue and lightness; the eye knows no more than these. */
static const char *const colours[] = { "#0b6e4f", "#c1440e", "#1f4e9e", "#8a5a00", "#7a1f6e", "#444444", "#0a7d8c" };
enum { COLOURS = sizeof colours / sizeof colours[0] };

/* A figure's cells become lines of three where the window is narrow; whatever is long may break anywhere. */
static const char style[] =
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:75rem;padding:1rem;font:16px/1.45 system-ui,sans-serif;color:#222;background:#fff}\n"
    "h1{font-size:1.6rem;line-height:1.2}h2{font-size:1.25rem;margin:2rem 0 .5rem;border-bottom:1px solid #ccc}\n"
    "h3{font-size:1rem;margin:1rem 0 .3rem}h1,h2,h3,p,li,td,figcaption{overflow-wrap:anywhere}\n"
    "pre,code{font:.8rem/1.4 DejaVu Sans Mono,Consolas,Menlo,monospace;white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "pre{background:#f4f4f2;padding:.6rem;border-radius:6px;margin:.4rem 0}\n"
    ".warning{background:#fff1d6;border-left:4px solid #b86b00;padding:.4rem .6rem}\n"
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:1.5rem}\n"
    "figure{margin:0;min-width:0}figure svg{display:block;width:100%;height:auto;max-width:40rem}\n"
    "figcaption{font-size:.85rem;color:#555}\n"
    ".key{list-style:none;margin:.3rem 0;padding:0;display:flex;flex-wrap:wrap;gap:.1rem 1rem;font-size:.85rem}\n"
    ".key svg{display:inline-block;width:26px;height:10px;margin-right:.3rem;vertical-align:middle}\n"
    "table{border-collapse:collapse;width:100%;font-size:.9rem}\n"
    "th{text-align:right;font-weight:600;vertical-align:bottom;color:#555}th:first-child,td:first-child{text-align:"
    "left}\n"
    "td{text-align:right;font-variant-numeric:tabular-nums;padding:.15rem .3rem}th{padding:.15rem .3rem}\n"
    "td.who{padding-left:1.2rem}tr.problem td{border-top:1px solid #ddd;font-weight:600;padding-top:.4rem}\n"
    "tr.ours{background:#eef6f1}td b{font-weight:600;color:#0b6e4f}.num{color:#777;font-weight:400}\n"
    ".card{border:1px solid #ddd;border-radius:8px;padding:.7rem;min-width:0}.card h3{margin-top:0}\n"
    ".card .drawn svg{max-width:100%;height:auto;display:block}\n"
    ".card td:first-child{width:100%}.card th{white-space:nowrap}\n"
    ".cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,23rem),1fr));gap:1rem}\n"
    "@media (max-width:44rem){body{padding:.6rem}\n"
    "table.figures thead{display:none}table.figures,table.figures tbody{display:block}\n"
    "table.figures tr{display:grid;grid-template-columns:repeat(3,1fr);padding:.25rem 0}\n"
    "table.figures td{text-align:left}table.figures td.who,table.figures tr.problem "
    "td{grid-column:1/-1;padding-left:.3rem}\n"
    "table.figures td[data-l]::before{content:attr(data-l);display:block;font-size:.7rem;color:#777}\n"
    "table.figures td:empty{display:none}}\n";

void html_element(FILE *to, const char *tag, const char *text)
{
    fprintf(to, "<%s>", tag);
    text_write_xml(text, to);
    fprintf(to, "</%.*s>", (int)strcspn(tag, " "), tag);
}

void html_figure(double figure, char to[24])
{
    int digits = 3;
    for (double limit = 10; digits > 0 && figure >= limit; limit *= 10)
        digits--;
    if (isfinite(figure))
        snprintf(to, 24, "%.*f", digits, figure);
    else
        to[0] = 0;
}

void html_cell(FILE *to, const char *label, double figure)
{
    char text[24];
    html_figure(figure, text);
    fprintf(to, "<td data-l=\"%s\">%s</td>", label, text);
}

const char *html_colour(int index)
{
    return colours[index % COLOURS];
}

int html_is_dashed(int index)
{
    return index >= COLOURS;
}

void html_start(FILE *to, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
          to);
    html_element(to, "title", title);
    fprintf(to, "\n<style>\n%s</style></head>\n<body>\n", style);
}

void html_end(FILE *to)
{
    fputs("</body></html>\n", to);
}
