/* --html: a page of this run, or of files of earlier ones. */
#include "run_page.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/page/page.h"
#include "files.h"

int own_page_start(const args *given, own_page *out)
{
    if (!args_value(given, "html"))
        return EXIT_FINE;
    const int status = try_picture(given, "html");
    if (status != EXIT_FINE)
        return status;
    out->to = open_memstream(&out->text, &out->size);
    return out->to ? EXIT_FINE : fail("out of memory");
}

int own_page_end(const args *given, own_page *of, int status)
{
    page_run run = { .from = NULL };
    if (!of->to)
        return status;
    int own = fclose(of->to) == 0 ? EXIT_FINE : fail("out of memory");
    const int has_rows = own == EXIT_FINE && (status == EXIT_FINE || strstr(of->text, "\"problem\"") != NULL);
    if (has_rows)
        own = saved_read_own(of->text, &run.rows);
    if (has_rows && own == EXIT_FINE)
        own = page_write(&run, 1, args_value(given, "html"));
    saved_free(&run.rows);
    free(of->text);
    return status == EXIT_FINE ? own : status;
}

int page_from_files(const args *given)
{
    int count = 0, status = EXIT_FINE;
    while (args_repeated(given, "from", count))
        count++;
    page_run *runs = calloc((size_t)count, sizeof *runs);
    if (!runs)
        return fail("out of memory");
    for (int i = 0; i < count && status == EXIT_FINE; i++) {
        runs[i].from = args_repeated(given, "from", i);
        status = saved_read(runs[i].from, &runs[i].rows);
    }
    if (status == EXIT_FINE)
        status = page_write(runs, count, args_value(given, "html"));
    for (int i = 0; i < count; i++)
        saved_free(&runs[i].rows);
    free(runs);
    return status;
}
