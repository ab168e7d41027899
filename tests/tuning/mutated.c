/* Texts of tuned plans with some bytes changed: a seeded fuzzer, for where there is no libFuzzer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../random.h"
#include "layoutgemm.h"
#include "machine/identity.h"
#include "reader.h"
#include "text.h"

enum { ROOM = 1 << 13 };

static void write_good(char to[ROOM])
{
    char machine[256], raw[ROOM];
    lay_text text = { .to = machine, .size = sizeof machine };
    lay_machine_fingerprint(&text);
    snprintf(raw, sizeof raw,
             "layoutgemm tuning 1\nlibrary %s\nmachine %s\n"
             "product f32,f32,f32,f32,f32 strict - c threads=2 cpu sum=70,70,0 b=1 m=60[60,70,0,90] n=90[90,0,1,1] "
             "k=70[70,1,90,0]; transposed / in-place threads=2 packed=1 by-rows=0 dots=0 mc=3 nc=2; 1234567 2345678; \n"
             "# mine\n"
             "product f64,f64,f64,f64,f64 strict -d c threads=1 cpu sum=512,1024,0 b=4[4,-100,0,640] m=8[8,1,0,80] "
             "n=80[80,0,1,1] k=5000[50,100,1,0][100,1,50,0]; addend / batch shared=1 / slices / packed mc=1 nb=2 "
             "by-columns=1; 99 100; \nend 2\n",
             lay_version(), machine);
    text_seal(raw, to);
}

/* Some words that mean something, put anywhere. */
static void mutate(random_source *from, char text[ROOM], size_t *length)
{
    static const char *const words[] = {
        "; ", " / ", "in-place", "mc=",   "[",        "]",        ",",       "9223372036854775808",
        "-1", "0",   "\n",       "end 2", "product ", "threads=", "kernel=", "image images=15",
        "\r"
    };
    const size_t at = (size_t)random_in(from, 0, (int64_t)*length - 1);
    const char *const word = words[random_in(from, 0, sizeof words / sizeof words[0] - 1)];
    switch (random_in(from, 0, 4)) {
    case 0:
        text[at] = (char)random_in(from, 0, 255);
        break;
    case 1:
        text[at] ^= (char)(1 << random_in(from, 0, 6));
        break;
    case 2: /* a piece goes */
    {
        const size_t gone = (size_t)random_in(from, 1, 9);
        const size_t count = gone < *length - at ? gone : *length - at;
        memmove(text + at, text + at + count, *length - at - count + 1);
        *length -= count;
    } break;
    default: /* a word comes, or takes the place of what is there */
        if (*length + strlen(word) + 1 < ROOM) {
            memmove(text + at + strlen(word), text + at, *length - at + 1);
            memcpy(text + at, word, strlen(word));
            *length += strlen(word);
        }
    }
}

static void any_text_is_refused_or_read_again_the_same(void **state)
{
    (void)state;
    enum { CASES = 30000, LEAST_READ = 300 };
    static char good[ROOM], text[ROOM], sealed[2 * ROOM];
    int count = 0, is_read;
    write_good(good);
    assert_null(reader_check(good, strlen(good), &is_read));
    assert_true(is_read);
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(3, (uint64_t)number);
        size_t length = strlen(good);
        memcpy(text, good, sizeof good);
        for (int64_t i = random_in(&from, 1, 4); i > 0 && length > 0; i--)
            mutate(&from, text, &length);
        const char *wrong = reader_check(text, length, &is_read);
        if (!wrong && strlen(text) == length) { /* the same with checksums that are right */
            text_seal(text, sealed);
            wrong = reader_check(sealed, strlen(sealed), &is_read);
            count += is_read;
        }
        if (wrong)
            fail_msg("case %d: %s:\n%s", number, wrong, text);
    }
    if (count < LEAST_READ)
        fail_msg("%d texts alone were read", count);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(any_text_is_refused_or_read_again_the_same) };
    return cmocka_run_group_tests_name("mutated", tests, NULL, NULL);
}
