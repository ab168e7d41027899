/* Scratch operands: filled with numbers of modest size, so that no time is lost on denormal ones. */
#include "plan/tuning/scratch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "layoutgemm.h"
#include "machine/machine.h"
#include "plan/branch.h"

double lay_scratch_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Of all three: a quarter of what the machine has. Memory that is taken is written to. */
static int has_room(const lay_posed *posed)
{
    enum { SHARE = 4 };
    const int64_t most = lay_machine_get()->memory / SHARE;
    int64_t all = 0;
    for (int i = 0; i < LAY_OPERANDS; i++) {
        int64_t lowest, highest, bytes;
        lay_desc_span(lay_posed_operand(posed, i), &lowest, &highest);
        if (!fits_mul(highest - lowest + 1, lay_size_of(lay_types_at(&posed->types, i)), &bytes) ||
            !fits_add(all, bytes, &all))
            return 0;
    }
    return all <= most;
}

/* A number from 1 to 2, either sign, of one part. */
static uint64_t number_of(lay_type part, uint64_t bits)
{
    switch (part) {
    case LAY_F64:
        return (bits & UINT64_C(0x800fffffffffffff)) | UINT64_C(0x3ff0000000000000);
    case LAY_F32:
        return (bits & 0x807fffff) | 0x3f800000;
    case LAY_F16:
        return (bits & 0x83ff) | 0x3c00;
    default:
        return (bits & 0x807f) | 0x3f80;
    }
}

static void fill(char *to, size_t bytes, lay_type part)
{
    const size_t size = (size_t)lay_size_of(part);
    uint64_t state = 1;
    for (char *const end = to + bytes; to < end; to += size) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); /* Knuth's MMIX */
        const uint64_t bits = number_of(part, state >> 7 ^ state << 33);
        const uint32_t low = (uint32_t)bits;
        const uint16_t half = (uint16_t)bits;
        memcpy(to, size == 8 ? (const void *)&bits : size == 4 ? (const void *)&low : (const void *)&half, size);
    }
}

/* No call of the API's own: a plan is made all the same, and the last error stays what it was. */
static int take(const lay_desc *desc, lay_type type, void **block, void **zero)
{
    enum { ALIGNMENT = 64 };
    int64_t lowest, highest;
    const int64_t size = lay_size_of(type);
    lay_desc_span(desc, &lowest, &highest);
    const size_t bytes = (size_t)((highest - lowest + 1) * size);
    *block = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT);
    if (!*block)
        return 0;
    *zero = (void *)((uintptr_t)*block - (uintptr_t)(lowest * size));
    fill(*block, bytes, lay_type_real(type));
    return 1;
}

const char *lay_scratch_take(const lay_posed *posed, lay_scratch *out)
{
    *out = (lay_scratch){ .block = { NULL } };
    if (!has_room(posed))
        return "scratch operands would take more than a quarter of the memory";
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (!take(lay_posed_operand(posed, i), lay_types_at(&posed->types, i), &out->block[i], &out->zero[i]))
            return "there is no memory for scratch operands";
    return NULL;
}

void lay_scratch_give(lay_scratch *scratch)
{
    for (int i = 0; i < LAY_OPERANDS; i++)
        free(scratch->block[i]);
}

double lay_scratch_time(lay_branch *root, const lay_scratch *on, double least)
{
    static const lay_scalar zero = { .c64 = { 0, 0 } };
    const lay_type type = root->problem.types.sum;
    const lay_scalar one = type == LAY_C64   ? (lay_scalar){ .c64 = { 1, 0 } }
                           : type == LAY_C32 ? (lay_scalar){ .c32 = { 1, 0 } }
                                             : lay_scalar_of(1, type);
    const lay_call call = { .alpha = &one,
                            .left = on->zero[LAY_LEFT],
                            .right = on->zero[LAY_RIGHT],
                            .beta = &zero,
                            .c = on->zero[LAY_RESULT] };
    const double start = lay_scratch_now();
    double now = start;
    int64_t calls = 0, some = 1; /* the clock is asked for ever more of them at a time */
    do {
        for (int64_t i = 0; i < some; i++)
            if (lay_branch_run(root, &call) != LAY_OK)
                return -1;
        calls += some;
        some = calls;
        now = lay_scratch_now();
    } while (now - start < least);
    return (now - start) / (double)calls;
}
