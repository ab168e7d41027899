/* Tests a TAPP library, given by its path, group by group, and prints what it finds as TAP, which here is the Test
 * Anything Protocol: docs/tapp.md says what counts as right, wrong and refused. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "groups.h"

#define SECONDS_A_CASE 20
#define MOST_DEATHS    10

/* Filled by the child that runs a group, read by the program. */
typedef struct tally {
    int counts[3]; /* by outcome */
    int running;   /* the case that runs */
    int first_wrong;
    char wrong[NOTE_SIZE], refused[NOTE_SIZE];
} tally;

typedef struct request {
    const char *path, *group;
    uint64_t seed;
    int cases, only; /* only: one case, by its number; -1: all */
} request;

static int cases_of(const group *of, const request *asked)
{
    const int share = of->cases ? asked->cases * of->cases / 100 : asked->cases;
    return share > 0 ? share : 1;
}

static void count(tally *counted, outcome is, const char *note)
{
    if (counted->counts[is]++ > 0)
        return;
    if (is == WRONG) {
        counted->first_wrong = counted->running;
        snprintf(counted->wrong, sizeof(counted->wrong), "%s", note);
    } else if (is == REFUSED) {
        snprintf(counted->refused, sizeof(counted->refused), "%s", note);
    }
}

/* In a process of its own: cases from first on. */
static void run_cases(const group *of, int place, const request *asked, int first, int behind, tally *counted)
{
    tapp_library library;
    if (open_library(&library, asked->path))
        _exit(2);
    for (int i = first; i < behind; i++) {
        char note[NOTE_SIZE] = "";
        random_source source = random_case(asked->seed * 1000 + (uint64_t)place, (uint64_t)i);
        const trial one = { &library, &of->recipe, &source, note };
        counted->running = i;
        alarm(SECONDS_A_CASE);
        count(counted, of->check(&one), note);
    }
    _exit(0);
}

/* A library that ends its process has that case wrong; the rest goes on in another. */
static void run_group(const group *of, int place, const request *asked, tally *counted)
{
    const int all = cases_of(of, asked);
    int first = asked->only < 0 ? 0 : asked->only, deaths = 0;
    const int behind = asked->only < 0 ? all : asked->only + 1;
    while (first < behind) {
        fflush(stdout);
        const pid_t child = fork();
        if (child < 0) {
            perror("fork");
            exit(2);
        }
        if (child == 0)
            run_cases(of, place, asked, first, behind, counted);
        int ended = 0;
        while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
            ;
        if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
            return;
        char note[NOTE_SIZE];
        const int signal = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
        snprintf(note, sizeof(note), "the library ended the process: %s",
                 signal == SIGALRM ? "no end within 20 s"
                 : signal          ? strsignal(signal)
                                   : "exit");
        count(counted, WRONG, note);
        first = counted->running + 1;
        if (++deaths == MOST_DEATHS && first < behind) {
            counted->counts[WRONG] += behind - first; /* not run: there would be no end of it */
            return;
        }
    }
}

/* Directives of the protocol begin with a number sign; words of a library may have one. */
static void print_plainly(const char *prefix, const char *text)
{
    printf("%s", prefix);
    for (; *text; text++)
        putchar(*text == '#' || *text == '\n' || *text == '\r' ? ' ' : *text);
}

/* 1: as it should be, or refused where that is allowed. */
static int report(const group *of, int place, const request *asked, const tally *counted)
{
    const int right = counted->counts[RIGHT], is_wrong = counted->counts[WRONG], refused = counted->counts[REFUSED];
    const int is_missing = of->is_core && right == 0;
    printf("%s %d - %s: %d right, %d wrong, %d refused", is_wrong || is_missing ? "not ok" : "ok", place, of->name,
           right, is_wrong, refused);
    if (!is_wrong && !is_missing && right == 0)
        print_plainly(" # SKIP all refused: ", counted->refused);
    printf("\n");
    if (refused && (right || is_wrong || is_missing))
        print_plainly("# the first refused: ", counted->refused), printf("\n");
    if (is_wrong) {
        printf("# the first wrong: --group='%s' --seed=%llu --case=%d: ", of->name, (unsigned long long)asked->seed,
               counted->first_wrong);
        print_plainly("", counted->wrong);
        printf("\n");
    }
    return !is_wrong && !is_missing;
}

static int usage(void)
{
    fprintf(stderr, "tapp-test [--seed=N] [--cases=N] [--group=NAME [--case=N]] LIBRARY\n"
                    "tests the TAPP library at the path LIBRARY; --cases is of each group, 200 unless told\n");
    return 2;
}

int main(int count_of_words, char **words)
{
    request asked = { .seed = 1, .cases = 200, .only = -1 };
    for (int i = 1; i < count_of_words; i++) {
        const char *word = words[i];
        if (strncmp(word, "--seed=", 7) == 0)
            asked.seed = strtoull(word + 7, NULL, 10);
        else if (strncmp(word, "--cases=", 8) == 0)
            asked.cases = atoi(word + 8);
        else if (strncmp(word, "--group=", 8) == 0)
            asked.group = word + 8;
        else if (strncmp(word, "--case=", 7) == 0)
            asked.only = atoi(word + 7);
        else if (word[0] == '-' || asked.path)
            return usage();
        else
            asked.path = word;
    }
    if (!asked.path || asked.cases < 1)
        return usage();
    tapp_library library;
    const char *reason = open_library(&library, asked.path);
    if (reason) {
        printf("Bail out! %s\n", reason);
        return 2;
    }
    tally *counted = mmap(NULL, sizeof(*counted), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counted == MAP_FAILED) {
        perror("mmap");
        return 2;
    }
    int totals[3] = { 0 }, run = 0, failed = 0;
    for (int i = 0; i < group_count; i++) {
        if (asked.group && strcmp(asked.group, groups[i].name) != 0)
            continue;
        memset(counted, 0, sizeof(*counted));
        run_group(&groups[i], i, &asked, counted);
        failed += !report(&groups[i], ++run, &asked, counted);
        for (int is = 0; is < 3; is++)
            totals[is] += counted->counts[is];
    }
    printf("1..%d\n# %d right, %d wrong, %d refused; %d of %d groups failed\n", run, totals[RIGHT], totals[WRONG],
           totals[REFUSED], failed, run);
    return run == 0 ? usage() : failed > 0;
}
