/* lay explain and lay info: what the library chose, and what it found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/choices.h"
#include "bench/tool/bench/devices.h"
#include "planning.h"
#include "tool.h"

static int print_plan(const problem *of, lay_type type, const args *given, const lay_options *options)
{
    lay_plan *plan = NULL;
    const lay_status status = plan_problem(of, type, args_value(given, "sum-by-storage") != NULL, options, &plan);
    if (status != LAY_OK)
        return refuse_status(status, of->text);
    char *text = text_of_plan(plan);
    if (text) {
        for (int i = 0; i < 3; i++)
            printf("%c  %s\n", "ABC"[i], of -> notation[i]);
        printf("%s", text);
    }
    const int exit_status = text ? EXIT_FINE : fail("out of memory");
    free(text);
    lay_plan_destroy(plan);
    return exit_status;
}

static int explain(const args *given)
{
    if (given->word_count == 0 && !args_value(given, "contract"))
        return refuse("explain needs a problem, such as 1024x1024x512:row,row,matrix2");
    lay_options options = LAY_OPTIONS_INIT;
    lay_type type = LAY_F32;
    int64_t threads = 0;
    const char *type_name = args_value(given, "type");
    int devices[DEVICES_MOST], status = args_integer(given, "threads", 1, 4096, &threads);
    if (status == EXIT_FINE)
        status = read_choices(given, &options);
    if (status == EXIT_FINE && args_value(given, "devices"))
        status = devices_read(given, devices, &options.device_count);
    if (options.device_count)
        options.devices = devices;
    if (status == EXIT_FINE && type_name && !problem_type(type_name, &type))
        status = refuse("--type is f32, f64, f16, bf16, c32 or c64, not '%s'", type_name);
    options.threads = (int)threads;
    for (int i = 0; i < given->word_count && status == EXIT_FINE; i++) {
        problem of;
        status = problem_read(given->words[i], "row", &of);
        if (status == EXIT_FINE) {
            status = print_plan(&of, type, given, &options);
            problem_free(&of);
        }
    }
    const char *text;
    for (int i = 0; status == EXIT_FINE && (text = args_repeated(given, "contract", i)); i++) {
        problem of;
        status = problem_read_contraction(text, &of);
        if (status == EXIT_FINE) {
            status = print_plan(&of, type, given, &options);
            problem_free(&of);
        }
    }
    return status;
}

static const option explain_options[] = {
    { "type", 0, "NAME", "f32, f64, f16, bf16, c32 or c64; f32 if not given" },
    { "threads", 0, "N", "threads to plan for" },
    { "contract", 0, "CONTRACTION", "a contraction of tensors, by labels; may be repeated" },
    { "sum-by-storage", 0, NULL, "it is summed in the order in which tensors lie, not in that of labels" },
    { "devices", 0, "LIST", "devices that may share a product of operands in host memory: '0,1'" },
    CHOICE_OPTIONS,
    { 0 },
};

const command explain_command = {
    .name = "explain",
    .usage = "PROBLEM... [OPTIONS]",
    .summary = "print the plan of a product: what was chosen, what was refused, and why",
    .notes = PROBLEM_HELP "\n" CONTRACTION_HELP,
    .options = explain_options,
    .run = explain,
};

static int info(const args *given)
{
    if (given->word_count)
        return refuse("info takes no arguments, '%s' was given", given->words[0]);
    char *text = text_of_machine();
    if (!text)
        return fail("out of memory");
    printf("%s", text);
    free(text);
    return EXIT_FINE;
}

static const option info_options[] = { { 0 } };

const command info_command = {
    .name = "info",
    .usage = "",
    .summary = "print what the library found: version, instruction sets, caches, threads and why",
    .options = info_options,
    .run = info,
};
