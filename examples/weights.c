/* Weights that meet one batch after the other, of any size: packed once, whatever their layout. */
#include <layoutgemm.h>
#include <stdio.h>
#include <stdlib.h>

enum { INPUTS = 300, OUTPUTS = 200, MOST = 64 };
static float weights[OUTPUTS * INPUTS], batch[MOST * INPUTS], plain[MOST * OUTPUTS], packed[MOST * OUTPUTS];

/* A product of `rows` samples with the weights, which a framework stores output by output. */
static lay_plan *plan_for(int rows)
{
    lay_desc *in = NULL, *by_output = NULL, *by_input = NULL, *out = NULL;
    lay_plan *plan = NULL;
    if (lay_desc_natural(2, (const int64_t[]){ rows, INPUTS }, &in) ||
        lay_desc_natural(2, (const int64_t[]){ OUTPUTS, INPUTS }, &by_output) ||
        lay_desc_permute(by_output, NULL, &by_input) || lay_desc_natural(2, (const int64_t[]){ rows, OUTPUTS }, &out) ||
        lay_plan_create(LAY_F32, in, by_input, out, NULL, &plan))
        fprintf(stderr, "%s\n", lay_last_error());
    lay_desc_destroy(in);
    lay_desc_destroy(by_output);
    lay_desc_destroy(by_input);
    lay_desc_destroy(out);
    return plan;
}

int main(void)
{
    static const int sizes[] = { 64, 1, 17 };
    const float one = 1, none = 0;
    lay_packed *ready = NULL;
    int wrong = 0;
    for (int i = 0; i < OUTPUTS * INPUTS; i++)
        weights[i] = (float)(i % 13 - 6) / 8;
    for (int i = 0; i < MOST * INPUTS; i++)
        batch[i] = (float)(i % 7 - 3) / 4;
    for (int s = 0; s < 3; s++) {
        lay_plan *plan = plan_for(sizes[s]);
        if (!plan || (!ready && lay_pack(plan, LAY_OPERAND_B, weights, &ready)) ||
            lay_plan_run(plan, &one, batch, weights, &none, plain) ||
            lay_plan_run_packed(plan, &one, batch, NULL, NULL, ready, &none, packed))
            return fprintf(stderr, "%s\n", lay_last_error()), 1;
        for (int i = 0; i < sizes[s] * OUTPUTS; i++)
            wrong += packed[i] != plain[i];
        lay_plan_destroy(plan);
    }
    printf("%zu bytes packed, %d elements differ\n", lay_packed_size(ready), wrong);
    lay_packed_destroy(ready);
    return wrong != 0;
}
