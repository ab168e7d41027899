/* What the kernel tests share: memory between guard pages, the contract in plain C, element access. */
#include "row.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine/isa.h"

fenced fence(size_t size, int at_front)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (size + page - 1) / page * page;
    fenced block = { .mapped = inner + 2 * page };
    block.pages = mmap(NULL, block.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(block.pages != MAP_FAILED);
    assert_int_equal(mprotect((char *)block.pages + page, inner, PROT_READ | PROT_WRITE), 0);
    block.bytes = (char *)block.pages + page + (at_front ? 0 : inner - size);
    return block;
}

void unfence(fenced *block)
{
    munmap(block->pages, block->mapped);
}

size_t element_size(const lay_kernel *row)
{
    return row->type == LAY_F32 ? sizeof(float) : sizeof(double);
}

void set_element(const lay_kernel *row, void *array, int64_t index, double value)
{
    if (row->type == LAY_F32)
        ((float *)array)[index] = (float)value;
    else
        ((double *)array)[index] = value;
}

void *element_at(const lay_kernel *row, const void *zero, int64_t index)
{
    return (char *)zero + index * (int64_t)element_size(row);
}

fenced fence_elements(const lay_kernel *row, int64_t count, int at_front, uint64_t *seed)
{
    fenced block = fence((size_t)count * element_size(row), at_front);
    for (int64_t i = 0; i < count; i++)
        set_element(row, block.bytes, i, seed ? draw(seed) : NAN);
    return block;
}

uint64_t draw_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double draw(uint64_t *state)
{
    const uint64_t bits = draw_bits(state);
    if (bits % 61 == 0)
        return -0.0;
    if (bits % 67 == 0)
        return 0x1p-140;
    return ((double)(bits >> 40) / (1 << 23) - 1) * (bits & 1 ? 1 : 0x1p-9);
}

static float add_f32(int fused, float x, float y, float z)
{
    return fused ? fmaf(x, y, z) : x * y + z;
}

static double add_f64(int fused, double x, double y, double z)
{
    return fused ? fma(x, y, z) : x * y + z;
}

void sum_by_contract(const lay_kernel *row, int64_t k, const void *a, const void *b, void *acc)
{
    const int fused = row->summation == LAY_SUM_FUSED, mr = row->mr, nr = row->nr;
    for (int i = 0; i < mr; i++)
        for (int j = 0; j < nr; j++)
            if (row->type == LAY_F32) {
                float sum = 0;
                for (int64_t p = 0; p < k; p++)
                    sum = add_f32(fused, ((const float *)a)[p * mr + i], ((const float *)b)[p * nr + j], sum);
                ((float *)acc)[i * nr + j] = sum;
            } else {
                double sum = 0;
                for (int64_t p = 0; p < k; p++)
                    sum = add_f64(fused, ((const double *)a)[p * mr + i], ((const double *)b)[p * nr + j], sum);
                ((double *)acc)[i * nr + j] = sum;
            }
}

void update_by_contract(const lay_kernel *row, const void *acc, double alpha, double beta, void *c)
{
    const int fused = row->summation == LAY_SUM_FUSED;
    if (row->type == LAY_F32) {
        const float sum = *(const float *)acc, scaled = (float)beta * *(float *)c;
        *(float *)c = beta == 0 ? (float)alpha * sum : add_f32(fused, (float)alpha, sum, scaled);
    } else {
        const double sum = *(const double *)acc, scaled = beta * *(double *)c;
        *(double *)c = beta == 0 ? alpha * sum : add_f64(fused, alpha, sum, scaled);
    }
}

/* A panel of the row's columns at a time. */
void multiply_by_contract(const plain_product *of, const void *a, const void *b, double alpha, double beta, void *c)
{
    static double panel_a[PLAIN_K * LAY_MAX_MR], panel_b[PLAIN_K * LAY_MAX_NR], acc[LAY_MAX_MR * LAY_MAX_NR];
    const lay_kernel *row = of->row;
    const size_t size = element_size(row);
    assert_true(of->k <= PLAIN_K && of->m <= row->mr);
    memset(panel_a, 0, sizeof panel_a);
    memset(panel_b, 0, sizeof panel_b);
    for (int64_t p = 0; p < of->k; p++)
        for (int i = 0; i < of->m; i++)
            memcpy(element_at(row, panel_a, p * row->mr + i), element_at(row, a, i * of->a_row + p * of->a_step), size);
    for (int64_t first = 0; first < of->n; first += row->nr) {
        const int64_t w = of->n - first < row->nr ? of->n - first : row->nr;
        for (int64_t p = 0; p < of->k; p++)
            for (int64_t j = 0; j < w; j++)
                memcpy(element_at(row, panel_b, p * row->nr + j),
                       element_at(row, b, p * of->b_step + (first + j) * of->b_column), size);
        sum_by_contract(row, of->k, panel_a, panel_b, acc);
        for (int i = 0; i < of->m; i++)
            for (int64_t j = 0; j < w; j++)
                update_by_contract(row, element_at(row, acc, i * row->nr + j), alpha, beta,
                                   element_at(row, c, i * of->c_row + first + j));
    }
}

int run_for_every_row(const char *group, const char *claim, void (*test)(void **state))
{
    struct CMUnitTest *tests = calloc((size_t)lay_kernel_count, sizeof *tests);
    char(*names)[120] = calloc((size_t)lay_kernel_count, sizeof *names);
    if (!tests || !names)
        return 1;
    for (int i = 0; i < lay_kernel_count; i++) {
        snprintf(names[i], sizeof *names, "%s: %s", lay_kernels[i]->name, claim);
        tests[i] = (struct CMUnitTest){ .name = names[i], .test_func = test, .initial_state = (void *)lay_kernels[i] };
    }
    const int failed = _cmocka_run_group_tests(group, tests, (size_t)lay_kernel_count, NULL, NULL);
    free(tests);
    free(names);
    return failed;
}

int is_runnable(const lay_kernel *row)
{
    const char *limit = "";
    if (lay_isa_is_in(lay_isa_find(&limit), row->isa))
        return 1;
    print_message("# %s is not run: %s\n", row->name, limit);
    return 0;
}
