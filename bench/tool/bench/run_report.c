/* A report in place of problems: what it needs, and where it goes. */
#include "run.h"

#include <stdio.h>

#include "against.h"
#include "bench/base/complain.h"
#include "bench/device/cuda_part.h"
#include "bench/peers/environment.h"
#include "files.h"
#include "head.h"

static int read_sizes(const args *given, const report_row *of, sizes *out)
{
    int64_t n;
    *out = (sizes){ .count = given->word_count };
    if (given->word_count > MAX_SIZES)
        return refuse("more than %d sizes", MAX_SIZES);
    for (int i = 0; i < given->word_count; i++) {
        if (!read_integer(given->words[i], of->least, 32768, &n))
            return refuse("the sizes of this report are numbers from %d to 32768, '%s' is none", of->least,
                          given->words[i]);
        out->n[i] = (int)n;
    }
    if (!out->count)
        *out = of->usual;
    return EXIT_FINE;
}

/* A report of the CPU has peers. */
static int prepare_host(const args *given, const report_row *row, task *of)
{
    int status = task_read(given, of);
    if (status == EXIT_FINE && row->is_f32 && (of->type_count > 1 || of->types[0] != LAY_F32))
        status = refuse("--report=%s is of f32 products", row->name);
    if (status == EXIT_FINE)
        status = environment_prepare(given, given->line);
    if (status == EXIT_FINE)
        status = open_peers(given, of);
    for (int i = 0; i < of->terms.peer_count && status == EXIT_FINE; i++)
        if (of->peers[i].tblis || of->peers[i].cutensor)
            status = refuse("%s contracts tensors, and reports are of matrices", of->peers[i].name);
    of->terms.options.threads = of->threads[0];
    name_peers_apart(of);
    return status;
}

static int read_type(const args *given, task *of)
{
    const char *text = args_value(given, "type");
    of->terms.has_type = text != NULL;
    return !text || problem_type(text, &of->terms.type) ? EXIT_FINE
                                                        : refuse("--type of a report is one type, not '%s'", text);
}

/* The device, or whatever a report of the CPU needs. */
static int prepare_report(const args *given, const report_row *row, task *of)
{
    const lay_memory memory = of->terms.memory;
    int status = EXIT_FINE;
    if (row->takes_memory && memory == LAY_MEMORY_PINNED)
        status = refuse("--report=%s has operands in host or device memory, not in pinned memory", row->name);
    if (status == EXIT_FINE && (row->is_on_device || (row->takes_memory && memory == LAY_MEMORY_DEVICE)))
        status = cuda_need(of->terms.options.device);
    if (status == EXIT_FINE && row->takes_type)
        status = read_type(given, of);
    if (status == EXIT_FINE && !row->is_on_device)
        status = prepare_host(given, row, of);
    return status;
}

int run_report(const args *given, task *of, const report_row *row)
{
    sizes which;
    FILE *csv = NULL;
    int status = read_sizes(given, row, &which);
    if (status == EXIT_FINE)
        status = prepare_report(given, row, of);
    if (status == EXIT_FINE)
        status = try_picture(given, "picture");
    if (status == EXIT_FINE)
        status = open_file(given, "csv", &csv);
    if (status != EXIT_FINE)
        return status;
    if (row->is_on_device)
        cuda_of_tool->print_device(&of->terms);
    else
        head_print(given, of);
    return close_file(csv, args_value(given, "csv"), row->run(&of->terms, &which, csv));
}
