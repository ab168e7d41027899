/* lay show: a layout as tree, facts and matrix of offsets. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum {
    SMALL_COLUMNS = 32,   /* a matrix of offsets this wide still fits a line */
    SMALL_ELEMENTS = 1024 /* and this many are still read */
};

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
        char inner[1200];
        if ((size_t)snprintf(inner, sizeof inner, "%s%s%d", path, *path ? "_" : "", i) < sizeof inner)
            print_tree(desc, inner, depth + 1);
    }
}

static void print_facts(const lay_desc *desc, const char *normal)
{
    int64_t lowest, highest;
    lay_desc_span(desc, &lowest, &highest);
    printf("normal form %s\n", normal);
    printf("extents     ");
    for (int i = 0; i < lay_desc_rank(desc); i++) {
        char path[16];
        snprintf(path, sizeof path, "%d", i);
        printf("%s%" PRId64, i ? " x " : "", lay_desc_extent(desc, path));
    }
    printf(", %" PRId64 " elements\n", lay_desc_extent(desc, ""));
    if (highest < lowest)
        printf("span        none\n");
    else /* the count is one more than a difference that may not fit */
        printf("span        %" PRId64 " .. %" PRId64 ", %" PRIu64 " elements of storage\n", lowest, highest,
               (uint64_t)highest - (uint64_t)lowest + 1);
    printf("contiguous  %s\n", say(lay_desc_is_contiguous(desc, "")));
    printf("injective   %s\n", say(lay_desc_is_injective(desc)));
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

static int show(const args *given)
{
    if (given->word_count != 1)
        return refuse("show takes one layout, such as '[[3][2]][4]'; %d were given", given->word_count);
    lay_desc *desc = NULL;
    const lay_status status = lay_desc_parse(given->words[0], &desc);
    if (status != LAY_OK)
        return refuse_status(status, given->words[0]);
    char *normal = text_of_desc(desc);
    if (normal) {
        print_facts(desc, normal);
        printf("\n%-20s %12s %12s  %s\n", "dimension", "extent", "stride", "contiguous");
        print_tree(desc, "", 0);
        print_offsets(desc);
    }
    const int exit_status = normal ? EXIT_FINE : fail("out of memory");
    free(normal);
    lay_desc_destroy(desc);
    return exit_status;
}

static const option options[] = { { 0 } };

const command show_command = {
    .name = "show",
    .usage = "'TEXT'",
    .summary = "print a layout's tree, span, contiguity, injectivity and offsets",
    .notes = "TEXT is a layout in the notation of docs/notation.md. A stride of '-' says that the dimension\n"
             "does not step by one constant. Offsets are printed for layouts of up to 1024 elements.\n",
    .options = options,
    .run = show,
};
