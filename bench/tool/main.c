/* lay: look at layouts, multiply files, time products. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

static const command *const commands[] = {
    &show_command,    &gemm_command, &contract_command, &bench_command,
    &explain_command, &info_command, &rates_command,    &tune_command,
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const command *find(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static void print_overview(FILE *to)
{
    fputs("usage: lay COMMAND [ARGUMENTS]\n\n", to);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-9s%s\n", commands[i]->name, commands[i]->summary);
    fputs("  help     this text, or 'lay help COMMAND'\n"
          "\n'lay COMMAND --help' prints a command's help too, 'lay --version' the library's version. The exit\n"
          "status is 0 when all went well, 2 when the arguments or the files they name cannot be used, 1 for\n"
          "every other failure.\n",
          to);
}

static void print_help(const command *about)
{
    printf("usage: lay %s %s\n\n%s\n", about->name, about->usage, about->summary);
    printf("\n");
    args_print_options(about->options);
    if (about->notes)
        printf("\n%s", about->notes);
    if (about->print_more)
        about->print_more();
}

static int help(int argc, char **argv)
{
    if (argc == 0 || (argc == 1 && (args_is_help(argv[0]) || strcmp(argv[0], "help") == 0))) {
        print_overview(stdout);
        return EXIT_FINE;
    }
    const command *about = find(argv[0]);
    if (!about || argc > 1)
        return refuse("there is no help on '%s'; 'lay help' lists the commands", argv[about ? 1 : 0]);
    print_help(about);
    return EXIT_FINE;
}

/* argv is the whole command line; the arguments begin behind the command's name. */
static int run(const command *chosen, int whole, char **line)
{
    const int argc = whole - 2;
    char **argv = line + 2;
    if (args_ask_help(argc, argv)) {
        print_help(chosen);
        return EXIT_FINE;
    }
    args given;
    int status = args_read(chosen->options, argc, argv, &given);
    given.line = line;
    if (status == EXIT_FINE)
        status = chosen->run(&given);
    args_free(&given);
    return status;
}

/* Output that went nowhere (a full disk, a closed pipe) is a failure too. */
static int close_output(int status)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == EXIT_FINE)
        return fail("standard output cannot be written");
    return status;
}

/* A descriptor that is closed would be given to the next file that is opened, and what we print would go there. Opened
 * so, standard output cannot be written, which is what it is. */
static void hold_streams(void)
{
    for (int i = 0; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0)
            (void)!open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    hold_streams();
    if (argc < 2) {
        print_overview(stderr);
        return EXIT_REFUSED;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        if (argc > 2)
            return refuse("--version takes no arguments, '%s' was given", argv[2]);
        printf("lay %s, commit %s\n", lay_version(), lay_version_commit());
        return close_output(EXIT_FINE);
    }
    if (strcmp(name, "help") == 0 || args_is_help(name))
        return close_output(help(argc - 2, argv + 2));
    const command *chosen = find(name);
    if (!chosen)
        return refuse("there is no command '%s'; 'lay help' lists them", name);
    return close_output(run(chosen, argc, argv));
}
