/* Operands of any layout, sizes, and whether this build has all rows to plan with. */
#include "planning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cuda/launch/cost.h"
#include "cuda/launch/launch.h"
#include "made_up.h"

static const lay_device device = MADE_UP_H200;

operands make_operands(random_source *from)
{
    operands of = { .m = random_in(from, 1, MAX_EXTENT),
                    .n = random_in(from, 1, MAX_EXTENT),
                    .k = random_in(from, 1, MAX_EXTENT) };
    of.a = layout_random(from, LAYOUT_INPUT, of.m, of.k);
    of.b = layout_random(from, LAYOUT_INPUT, of.k, of.n);
    of.c = layout_random(from, LAYOUT_OUTPUT, of.m, of.n);
    return of;
}

void free_operands(operands *of)
{
    lay_desc_destroy(of->a);
    lay_desc_destroy(of->b);
    lay_desc_destroy(of->c);
}

int64_t some_size(random_source *from)
{
    static const int64_t usual[] = { 1, 8, 33, 64, 128, 500, 1024, 2048, 4096, 9999, 65536 };
    return random_one_in(from, 2) ? random_of(from, usual) : random_in(from, 1, 5000);
}

int has_all_rows(void)
{
    const char *const name = "gemm_f32_128x256x32_simt90";
    const lay_cuda_shape of = { LAY_F32, 1, 1, 64, 1, 64 };
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_STRICT);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));)
        if (strcmp(row->name, name) == 0)
            return !lay_cuda_refuse(row, &of, &device, NULL);
    return 0;
}
