/* Products of every order of the sum on the CPU, small. */
#include "products.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../random.h"

static const struct {
    lay_type type;
    const char *a, *b, *c;
} products[PRODUCTS] = {
    { LAY_F32, "[60][70]", "[70][90]", "[60][90]" },
    { LAY_F32, "[100:1][64:100]", "[64:1][80:64]", "[100:1][80:100]" },
    { LAY_F64, "[65][40]", "[40][120]", "[65][120]" },
    { LAY_F32, "[8][600]", "[600][200]", "[8][200]" },
    { LAY_F32, "[20][5000]", "[5000][24]", "[20][24]" }, /* slices */
    { LAY_F64, "[1][700]", "[700][300]", "[1][300]" },   /* a vector */
    { LAY_F32, "A=[6][9][8][10]; [[#A_0][#A_2]][[#A_1][#A_3]]", "[90][64]", "[[6:8][8:1]][64:48]" },
    { LAY_F32, "[48:2][50:96]", "[50:3][72:150]", "[48:2][72:96]" }, /* scattered */
    { LAY_F16, "[40][64]", "[64][48]", "[40][48]" },
    { LAY_C32, "[24][30]", "[30][40]", "[24][40]" },
    { LAY_F32, "[30][12][14]", "[30][14][16]", "[30][12][16]" },
    { LAY_F64, "[7:9][9:1][64:63]", "[7:64][64:1][8:448]", "[7:9][9:1][8:63]" }, /* a batch, its index in between */
};

/* From 1 to 2, either sign. */
static void fill(product *of, int i, random_source *from)
{
    const size_t size = lay_type_size(of->type), part = of->type == LAY_C32 ? 4 : size;
    for (char *to = of->memory[i]; to < of->memory[i] + of->bytes[i]; to += part) {
        const uint64_t bits = random_bits(from);
        const double f64 = 1 + (double)(bits >> 12) * 0x1p-52;
        const float f32 = (float)(bits & 1 ? f64 : -f64);
        const uint16_t f16 = (uint16_t)((bits & 0x83ff) | 0x3c00);
        memcpy(to, part == 8 ? (const void *)&f64 : part == 4 ? (const void *)&f32 : (const void *)&f16, part);
    }
}

product product_make(int number)
{
    product made = { .type = products[number].type };
    const char *const text[] = { products[number].a, products[number].b, products[number].c };
    random_source from = random_case(1, (uint64_t)number);
    for (int i = 0; i < 3; i++) {
        int64_t lowest, highest;
        assert_int_equal(lay_desc_parse(text[i], &made.desc[i]), LAY_OK);
        lay_desc_span(made.desc[i], &lowest, &highest);
        made.bytes[i] = (size_t)(highest - lowest + 1) * lay_type_size(made.type);
        made.memory[i] = malloc(made.bytes[i]);
        assert_non_null(made.memory[i]);
        made.zero[i] = made.memory[i] - lowest * (int64_t)lay_type_size(made.type);
        fill(&made, i, &from);
    }
    return made;
}

void product_free(product *of)
{
    for (int i = 0; i < 3; i++) {
        lay_desc_destroy(of->desc[i]);
        free(of->memory[i]);
    }
}

lay_plan *product_plan(const product *of, const lay_options *options)
{
    lay_plan *plan = NULL;
    if (lay_plan_create(of->type, of->desc[0], of->desc[1], of->desc[2], options, &plan) != LAY_OK)
        fail_msg("%s", lay_last_error());
    return plan;
}

lay_status product_run(const product *of, const lay_plan *plan)
{
    static const float one[2] = { 1, 0 }, zero[2] = { 0, 0 };
    static const double one64 = 1, zero64 = 0;
    const int is_double = of->type == LAY_F64;
    memset(of->memory[2], 0xff, of->bytes[2]);
    return lay_plan_run(plan, is_double ? (const void *)&one64 : one, of->zero[0], of->zero[1],
                        is_double ? (const void *)&zero64 : zero, of->zero[2]);
}
