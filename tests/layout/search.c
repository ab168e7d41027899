/* Injectivity and overlap where layouts are large: the searches tell, and tell soon. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "layout/desc.h"
#include "layout/overlap/elements.h"
#include "layout/overlap/reach.h"
#include "oracle.h"

/* All choices, one after the other. */
static int reaches(int n, const lay_term term[], int64_t target)
{
    if (n == 0)
        return target == 0;
    for (int64_t x = 0; x <= term[0].most; x++)
        if (reaches(n - 1, term + 1, target - x * term[0].stride))
            return 1;
    return 0;
}

static void sums_reach_what_trying_all_finds(void **state)
{
    (void)state;
    chance from = { 42 };
    int found = 0, rounds = oracle_cases(60000);
    for (int round = 0; round < rounds; round++) {
        lay_term term[5], copy[5];
        const int n = (int)chance_in(&from, 0, 5), common = (int)chance_in(&from, 1, 3);
        for (int c = 0; c < n; c++)
            term[c] = copy[c] = (lay_term){ common * chance_in(&from, -25, 25), chance_in(&from, 0, 5) };
        const int64_t target = chance_in(&from, -150, 150);
        int budget = 1 << 20;
        const int expected = reaches(n, term, target);
        claim(lay_sum_reaches(n, copy, target, &budget) == expected, "round %d", round);
        found += expected;
    }
    claim(found > rounds / 20 && found < rounds / 2, "%d", found);
}

static void large_layouts_are_known_to_be_injective(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int injective;
    } rows[] = {
        { "[100000][100000]", 1 },
        { "[100000:1][100000:99999]", 0 },
        { "[100000:1][100000:100000]", 1 },
        { "A=[2][2][50000][50000]; [[#A_0][#A_2]][[#A_1][#A_3]]", 1 },
        { "A=[2][2][50000][50000]; B=[[#A_0][#A_2]][[#A_1][#A_3]]; [70001@7#B_0][60001@11#B_1]", 1 },
        { "[4000:3][4000:5]", 0 },   /* 5 of one step are 3 of the other */
        { "[4:30001][30002:4]", 1 }, /* 4 * 30001 needs a fifth row */
        { "[5:30001][30001:4]", 1 }, /* or a column more */
        { "[5:30001][30002:4]", 0 }, /* 4 * 30001 both ways */
        { "[3000000000:0][2:1]", 0 },
        { "[1:0][3000000000:1]", 1 },
        /* windows of two cells share one with the next */
        { "[1000000:1][2:1]", 0 },
        { "[1000:-1000][1000:1]", 1 },
        { "[64:64][64:1][64:4096]", 1 },
        { "[64:63][64:1]", 0 },
        /* rows 10 to 989 of columns of 100 in panels: cut across the panels, still no two alike */
        { "A=[[10:200][100:1]]; B=[980@10#A]; C=[2000:2000]; [#B][#C]", 1 },
        /* the same with panels that share 10 elements with the next: the range sees all of them */
        { "A=[[10:90][100:1]]; B=[980@10#A]; C=[2000:2000]; [#B][#C]", 0 },
        /* ...but not the end of one panel and the start of the next */
        { "A=[[10:90][100:1]]; B=[10@96#A]; C=[2000:2000]; [#B][#C]", 1 },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        lay_desc *const desc = oracle_parse(rows[r].text);
        claim(lay_desc_is_injective(desc) == rows[r].injective, "%s", rows[r].text);
        lay_desc_destroy(desc);
    }
}

/* Two views of one array of 4-byte elements. */
static void large_views_are_known_to_be_apart(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        int bytes, apart;
    } rows[] = {
        { "A=[1000][1000]; [#A_0][500#A_1]", "A=[1000][1000]; [#A_0][500@500#A_1]", 0, 1 },
        { "A=[1000][1000]; [#A_0][501#A_1]", "A=[1000][1000]; [#A_0][500@500#A_1]", 0, 0 },
        { "A=[1000][1000]; [#A_0][500#A_1]", "A=[1000][1000]; [#A_0][500@500#A_1]", -1, 0 },
        { "A=[1000][1000]; [#A_0][499#A_1]", "A=[1000][1000]; [#A_0][500@500#A_1]", -1, 1 },
        { "[1000:1000][500:2]", "[1000:1000][500:2]", 4, 1 },
        { "[1000:1000][500:2]", "[1000:1000][500:2]", 2, 0 },
        { "[1000:1000][500:2]", "[1000:1000][500:2]", 8, 0 },
        { "[1000:1000][500:2]", "[1000:1000][500:2]", 4 * 1000 * 1000, 1 },
        /* tile (0,1) and tile (1,0) of 64 x 64 */
        { "A=[16][64][16][64]; [#A_1][#A_3]", "A=[16][64][16][64]; [#A_1][#A_3]", 4 * 64, 1 },
        { "A=[16][64][16][64]; [#A_1][#A_3]", "A=[16][64][16][64]; [#A_1][#A_3]", 4 * 63, 0 },
        /* rows 0 to 499 and 500 to 1023 in blocks of 64 rows */
        { "A=[16][16][64][64]; B=[[#A_0][#A_2]][[#A_1][#A_3]]; [500#B_0][#B_1]",
          "A=[16][16][64][64]; B=[[#A_0][#A_2]][[#A_1][#A_3]]; [524@500#B_0][#B_1]", 0, 1 },
        { "A=[16][16][64][64]; B=[[#A_0][#A_2]][[#A_1][#A_3]]; [501#B_0][#B_1]",
          "A=[16][16][64][64]; B=[[#A_0][#A_2]][[#A_1][#A_3]]; [524@500#B_0][#B_1]", 0, 0 },
        { "A=[16][16][64][64]; B=[[#A_0][#A_2]][[#A_1][#A_3]]; [501#B_0][333#B_1]",
          "A=[16][16][64][64]; B=[[#A_0][#A_2]][[#A_1][#A_3]]; [#B_0][600@333#B_1]", 0, 1 },
        { "[1000000000][1000000000]", "[1:0]", -4, 1 },
        { "[1000000000][1000000000]", "[1:0]", -3, 0 },
        { "[0][1000]", "[1000]", 0, 1 },
    };
    static const char array[1]; /* only its address */
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        lay_desc *const a = oracle_parse(rows[r].a), *const b = oracle_parse(rows[r].b);
        const void *const there = (const void *)((uintptr_t)array + (uintptr_t)(intptr_t)rows[r].bytes);
        claim(lay_desc_is_apart(a, array, b, there, 4) == rows[r].apart, "%s\n%s\n%d bytes", rows[r].a, rows[r].b,
              rows[r].bytes);
        claim(lay_desc_is_apart(b, there, a, array, 4) == rows[r].apart, "%s\n%s\n%d bytes", rows[r].a, rows[r].b,
              rows[r].bytes);
        lay_desc_destroy(a);
        lay_desc_destroy(b);
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Strides made to keep a search busy: it ends all the same, and never says more than it knows. */
static void hard_searches_end(void **state)
{
    (void)state;
    chance from = { 7 };
    for (int round = 0; round < 20; round++) {
        char text[2000];
        size_t length = 0;
        for (int c = 0; c < 20; c++)
            length += (size_t)snprintf(text + length, sizeof text - length, "[%d:%lld]", c < 18 ? 2 : 100,
                                       (long long)chance_in(&from, 1000000000, 2000000000));
        const double start = seconds();
        lay_desc *const desc = oracle_parse(text);
        lay_desc_is_injective(desc);
        lay_desc_is_apart(desc, &from, desc, (const void *)((uintptr_t)&from + 4000000012), 4);
        claim(seconds() - start < 2, "%s\n%g s", text, seconds() - start);
        lay_desc_destroy(desc);
    }
}

/* CPU time, the least of three: other work beside this does not count. */
static double time_to_fill(const lay_desc *desc)
{
    double least = 1e9;
    for (int round = 0; round < 3; round++) {
        lay_elements elements;
        const clock_t start = clock();
        claim(lay_elements_fill(&elements, desc) == 1 && elements.distinct, "distinct");
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        lay_elements_free(&elements);
        least = seconds < least ? seconds : least;
    }
    return least;
}

/* Whichever bits the strides leave alone, the last resort takes its few milliseconds. */
static void elements_are_told_apart_soon_whatever_the_strides(void **state)
{
    (void)state;
    for (int shift = 0; shift <= 44; shift++) {
        const int64_t extents[] = { LAY_MAX_ELEMENTS / 512, 512 };
        for (int more = 0; more <= 1; more++) {
            const int64_t step = INT64_C(1) << shift, strides[] = { step * (512 + more), step };
            lay_desc *desc = NULL;
            if (lay_desc_strided(2, extents, strides, &desc) != LAY_OK)
                continue; /* the last one leaves 63 bits */
            const double seconds = time_to_fill(desc);
            claim(seconds < 0.1, "strides of 2^%d: %g s", shift, seconds);
            lay_desc_destroy(desc);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_reach_what_trying_all_finds),
        cmocka_unit_test(large_layouts_are_known_to_be_injective),
        cmocka_unit_test(large_views_are_known_to_be_apart),
        cmocka_unit_test(hard_searches_end),
        cmocka_unit_test(elements_are_told_apart_soon_whatever_the_strides),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("layout searches", tests, NULL, NULL);
}
