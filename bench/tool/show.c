/* lay show: a layout as tree, facts and offsets; drawn on a terminal, or into a file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/problems/problem.h"
#include "bench/show/picture/picture.h"
#include "bench/show/subject.h"
#include "bench/show/text/text.h"
#include "bench/show/tree.h"
#include "layoutgemm_team.h"
#include "tool.h"

enum {
    SMALL_COLUMNS = 32,   /* a matrix of offsets this wide still fits a line */
    SMALL_ELEMENTS = 1024 /* and this many are still read */
};

/* ---- plain text, which programs read ---------------------------------------------------------- */

static const char *say(int claim)
{
    return claim ? "yes" : "no";
}

static void print_node(const lay_desc *desc, const char *path, int depth)
{
    int64_t stride;
    char name[1400], steps[32];
    snprintf(name, sizeof name, "%*s%s", 2 * depth, "", *path ? path : "all");
    if (lay_desc_stride(desc, path, &stride) == 1)
        snprintf(steps, sizeof steps, "%" PRId64, stride);
    else
        strcpy(steps, "-");
    printf("%-20s %12" PRId64 " %12s  %s\n", name, lay_desc_extent(desc, path), steps,
           say(lay_desc_is_contiguous(desc, path)));
}

static void print_tree(const lay_desc *desc, const char *path, int depth)
{
    print_node(desc, path, depth);
    const int parts = lay_desc_parts(desc, path);
    for (int i = 0; i < parts; i++) {
        char inner[TREE_PATH];
        if (tree_path(path, i, inner))
            print_tree(desc, inner, depth + 1);
    }
}

static int width_of(int64_t number)
{
    return snprintf(NULL, 0, "%" PRId64, number);
}

/* The last root dimension runs along the line, the one before down the lines; the leading ones,
 * together one index, head the blocks. */
static void print_offsets(const lay_desc *desc)
{
    const int rank = lay_desc_rank(desc);
    const int64_t total = lay_desc_extent(desc, "");
    char path[16];
    snprintf(path, sizeof path, "%d", rank - 1);
    const int64_t columns = lay_desc_extent(desc, path);
    if (total == 0 || total > SMALL_ELEMENTS || columns > SMALL_COLUMNS)
        return;
    snprintf(path, sizeof path, "%d", rank - 2);
    const int64_t rows = rank > 1 ? lay_desc_extent(desc, path) : 1;
    int64_t lowest, highest;
    lay_desc_span(desc, &lowest, &highest);
    const int width = width_of(lowest) > width_of(highest) ? width_of(lowest) : width_of(highest);
    printf("\noffsets\n");
    for (int64_t i = 0; i < total; i++) {
        if (rank > 2 && i % (rows * columns) == 0)
            printf("block %" PRId64 "\n", i / (rows * columns));
        printf("%s%*" PRId64, i % columns ? " " : "  ", width, lay_desc_offset(desc, 1, &i));
        if ((i + 1) % columns == 0)
            printf("\n");
    }
}

/* The same of the places that elements lie at. */
static void print_places(const lay_desc *desc)
{
    const int rank = lay_desc_rank(desc);
    const int64_t total = lay_desc_extent(desc, ""), places = lay_desc_places(desc), copies = lay_desc_copies(desc);
    char path[16];
    snprintf(path, sizeof path, "%d", rank - 1);
    const int64_t columns = lay_desc_extent(desc, path);
    if (places == 1)
        return;
    printf("\n%" PRId64 " places, %" PRId64 " of them with a copy of each element\n", places, copies);
    for (int64_t i = 0; i < total && total <= SMALL_ELEMENTS && columns <= SMALL_COLUMNS; i++) {
        printf("%s%*" PRId64, i % columns ? " " : "  ", width_of(places - 1), lay_desc_place_of(desc, 1, &i));
        if ((i + 1) % columns == 0)
            printf("\n");
    }
}

static int print_plain(const lay_desc *desc)
{
    char *normal = text_of_desc(desc);
    if (!normal)
        return fail("out of memory");
    fact facts[FACTS];
    facts_of(desc, facts);
    printf("normal form %s\n", normal);
    for (int i = 0; i < FACTS; i++)
        printf("%-12s%s\n", facts[i].name, facts[i].text);
    printf("\n%-20s %12s %12s  %s\n", "dimension", "extent", "stride", "contiguous");
    print_tree(desc, "", 0);
    print_offsets(desc);
    print_places(desc);
    free(normal);
    return EXIT_FINE;
}

/* ---- the command ------------------------------------------------------------------------------ */

/* How it is asked for. */
typedef struct way {
    const char *svg, *png; /* NULL: not asked for */
    int is_drawn;          /* on the terminal */
    int is_plain;
    int has_by;
    sheet_look look;
} way;

/* What colours stand for where it is not asked for. */
static sheet_look look_at(const lay_desc *desc, const way *how)
{
    sheet_look look = how->look;
    look.by = !how->has_by && lay_desc_places(desc) > 1 ? SHEET_BY_PLACE : look.by;
    return look;
}

static int read_kernel(const args *given, const way *to)
{
    static const args_claim claims[] = { { "kernel", "by=thread", 1 }, { "by=thread", "kernel", 1 }, { 0 } };
    const char *kernel = args_value(given, "kernel");
    const int status = args_check(given, claims);
    if (status != EXIT_FINE || !kernel)
        return status;
    if (strcmp(kernel, "parray") != 0)
        return refuse("--kernel is parray, whose threads are known here, not '%s'", kernel);
    return to->look.type == LAY_F32 || to->look.type == LAY_F64
               ? EXIT_FINE
               : refuse("kernel parray is of f32 and f64, not of %s", problem_type_name(to->look.type));
}

/* Two whole numbers with a sign between them and nothing else. */
static int read_pair(const char *text, char between, int64_t least, int64_t most, int64_t out[2])
{
    char first[24];
    const char *middle = strchr(text, between);
    if (!middle || middle - text >= (ptrdiff_t)sizeof first)
        return 0;
    snprintf(first, sizeof first, "%.*s", (int)(middle - text), text);
    return read_integer(first, least, most, &out[0]) && read_integer(middle + 1, least, most, &out[1]);
}

static int read_owners(const args *given, way *to)
{
    static const args_claim claims[] = { { "grid", "by=owner", 1 }, { 0 } };
    const char *grid = args_value(given, "grid"), *zoom = args_value(given, "zoom");
    int64_t owners[2] = { 2, 2 };
    const int status = args_check(given, claims);
    if (status != EXIT_FINE)
        return status;
    if (grid && !read_pair(grid, 'x', 1, SHEET_MOST_OWNERS, owners))
        return refuse("--grid is threads down and along, such as 2x4, from 1 to %d each, not '%s'", SHEET_MOST_OWNERS,
                      grid);
    if (zoom && !read_pair(zoom, ',', 0, INT64_MAX, to->look.zoom))
        return refuse("--zoom is an index of a row and one of a column, such as 510,0, not '%s'", zoom);
    to->look.owners[0] = (int)owners[0];
    to->look.owners[1] = (int)owners[1];
    return EXIT_FINE;
}

static int read_way(const args *given, way *out)
{
    const char *by = args_value(given, "by"), *type = args_value(given, "type");
    *out = (way){ .svg = args_value(given, "svg"), .png = args_value(given, "png"), .look.type = LAY_F32 };
    out->has_by = by != NULL;
    if (by && !sheet_by_named(by, &out->look.by))
        return refuse("--by is one of " SHEET_BY_NAMES ", not '%s'", by);
    if (type && !problem_type(type, &out->look.type))
        return refuse("--type is one of f32, f64, f16, bf16, c32, c64, not '%s'", type);
    if (out->svg && out->png && strcmp(out->svg, out->png) == 0)
        return refuse("--svg and --png cannot both be '%s'", out->svg);
    if (out->png && strcmp(out->png, "-") == 0 && isatty(STDOUT_FILENO))
        return refuse("--png - writes a binary file, and standard output is a terminal");
    const int has_file = out->svg || out->png;
    out->is_drawn = args_value(given, "term") || (!has_file && (by || isatty(STDOUT_FILENO)));
    out->is_plain = !has_file && !out->is_drawn;
    const int is_taken = (out->svg && strcmp(out->svg, "-") == 0) || (out->png && strcmp(out->png, "-") == 0);
    if (out->is_drawn && is_taken)
        return refuse("standard output takes one drawing: a file's, or --term's");
    const int status = read_owners(given, out);
    return status == EXIT_FINE ? read_kernel(given, out) : status;
}

static int print(const subject *of, const way *how)
{
    screen on = screen_open();
    int status = EXIT_FINE;
    for (int i = 0; i < of->count && status == EXIT_FINE; i++) {
        const char *title = of->layout[i].title;
        const sheet_look look = look_at(of->layout[i].desc, how);
        if (i)
            printf("\n");
        if (how->is_plain && of->count > 1)
            printf("%s\n", title);
        if (how->is_plain)
            status = print_plain(of->layout[i].desc);
        else if (!text_draw(&on, title, of->layout[i].desc, &look))
            status = fail("out of memory");
    }
    return status;
}

static int write_files(const subject *of, const way *how)
{
    scene made = { 0 };
    int status = EXIT_FINE;
    for (int i = 0; i < of->count && status == EXIT_FINE; i++) {
        const sheet_look look = look_at(of->layout[i].desc, how);
        if (!picture_add(&made, of->layout[i].title, of->layout[i].desc, &look))
            status = fail("out of memory");
    }
    if (status == EXIT_FINE && how->svg)
        status = scene_write_svg(&made, how->svg);
    if (status == EXIT_FINE && how->png)
        status = scene_write_png(&made, how->png);
    scene_free(&made);
    return status;
}

static int check_threads(const subject *of, const way *how)
{
    const sheet_by by = how->look.by;
    for (int i = 0; i < of->count && (by == SHEET_BY_THREAD || by == SHEET_BY_OWNER); i++)
        if (lay_desc_rank(of->layout[i].desc) != 2)
            return refuse("--by=%s shows a matrix, '%s' has %d dimension%s", by == SHEET_BY_OWNER ? "owner" : "thread",
                          of->layout[i].title, lay_desc_rank(of->layout[i].desc),
                          lay_desc_rank(of->layout[i].desc) == 1 ? "" : "s");
    return EXIT_FINE;
}

static int check_zoom(const subject *of, const way *how)
{
    const int64_t *zoom = how->look.zoom;
    for (int i = 0; i < of->count && (zoom[0] || zoom[1]); i++) {
        int64_t rows, columns;
        sheet_measure(of->layout[i].desc, how->look.by, &rows, &columns);
        if (zoom[0] >= rows || zoom[1] >= columns)
            return refuse("--zoom is at (%" PRId64 ", %" PRId64 "), and of '%s' %" PRId64 " rows and %" PRId64
                          " columns are drawn",
                          zoom[0], zoom[1], of->layout[i].title, rows, columns);
    }
    return EXIT_FINE;
}

static int show(const args *given)
{
    way how;
    if (given->word_count != 1)
        return refuse("show takes one layout, such as '[[3][2]][4]'; %d were given", given->word_count);
    int status = read_way(given, &how);
    if (status != EXIT_FINE)
        return status;
    subject of;
    status = subject_read(given->words[0], screen_width(STDERR_FILENO), &of);
    if (status == EXIT_FINE)
        status = check_threads(&of, &how);
    if (status == EXIT_FINE)
        status = check_zoom(&of, &how);
    if (status == EXIT_FINE && (how.is_plain || how.is_drawn))
        status = print(&of, &how);
    if (status == EXIT_FINE && (how.svg || how.png))
        status = write_files(&of, &how);
    subject_free(&of);
    return status;
}

static const option options[] = {
    { "svg", 0, "FILE", "draw into a file ('-': standard output)" },
    { "png", 0, "FILE", "the same as points" },
    { "term", 0, NULL, "draw as text; usual on a terminal, elsewhere plain tables are" },
    { "by", 0, "GROUP", "what colours are: " SHEET_BY_NAMES " (default: block; of a layout over places: place)" },
    { "type", 0, "TYPE", "of elements, for lines, pages and banks (default: f32)" },
    { "grid", 0, "PxQ", "with --by=owner: threads down and along (default: 2x2)" },
    { "zoom", 0, "I,J", "of a large layout, draw the elements from that index on (default: 0,0)" },
    { "kernel", 0, "NAME", "with --by=thread: parray, the PARRAY paper's kernel" },
    { 0 },
};

const command show_command = {
    .name = "show",
    .usage = "TEXT [--svg FILE] [--png FILE] [--term] [--by GROUP]",
    .summary = "print or draw a layout: its tree, its matrix, the order of its elements in memory",
    .notes =
        "TEXT is a layout in the notation of docs/notation.md; a matrix's extents and the name of a layout, such as\n"
        "4x6:col or 12x12:tiles4, or the name alone; or a problem or contraction of lay bench, such as\n"
        "64x32x16:row,col,tiles8 or ik,kj->ij:i=4,j=4,k=8. In the tables a stride of '-' says that the dimension does\n"
        "not step by one constant; offsets are printed for up to 1024 elements.\n"
        "\n"
        "A drawing has the tree of dimensions, the matrix with a line through its elements in the order of memory\n"
        "(dashed, or not there, over what is no element), blocks' borders and gaps. Large layouts are blocks with\n"
        "their extents, and some elements: those from index --zoom on. Lines are of 64 bytes, pages of 4 KiB, banks\n"
        "the 32 of 4 bytes of a GPU's shared memory; offset 0 begins them all. --by=owner has the blocks that --grid\n"
        "threads own, each as many rows and columns as the others but the last. --by=thread --kernel=parray shows\n"
        "which of 4 x 32 threads holds which sum, with the layout as C, and which one fetches what of a tile, with\n"
        "the layout as A.\n"
        "\n"
        "Window and colours are as COLUMNS, TERM and NO_COLOR say.\n",
    .options = options,
    .run = show,
};
