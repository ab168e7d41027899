/* Where a test's tensors lie: strides of all kinds, in buffers with room around them. */
#include "problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Unset elements before and behind a tensor. */
#define MARGIN 8

void *test_memory(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return memory;
}

static void shuffle(int n, int order[], random_source *source)
{
    for (int i = n - 1; i > 0; i--) {
        const int j = (int)random_in(source, 0, i), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

void find_steps(tensor *of)
{
    memset(of->step, 0, sizeof(of->step));
    for (int i = 0; i < of->nmode; i++)
        of->step[of->label[i]] += of->strides[i];
}

/* Modes follow each other in memory in any order; around and between them lies what is not the tensor's. */
void place_tensor(tensor *placed, placing how, random_source *source)
{
    int order[MOST_MODES];
    for (int i = 0; i < placed->nmode; i++)
        order[i] = i;
    shuffle(placed->nmode, order, source);

    int64_t running = 1, zero = 0;
    for (int i = 0; i < placed->nmode; i++) {
        const int mode = order[i];
        const int64_t extent = placed->extents[mode];
        if (how.storage == STORAGE_SLICE && random_one_in(source, 2)) {
            zero += running * random_in(source, 0, 1);
            running *= 2; /* a mode that the tensor has no index for */
        }
        if (how.zero_strides && random_one_in(source, 2)) {
            placed->strides[mode] = 0;
            continue;
        }
        const int64_t before = how.storage == STORAGE_PART ? random_in(source, 0, 1) : 0;
        const int64_t behind = how.storage == STORAGE_PART ? random_in(source, 0, 1) : 0;
        const int is_backward = how.signs == SIGNS_MINUS || (how.signs == SIGNS_MIXED && random_one_in(source, 2));
        const int64_t length = before + (extent ? extent : 1) + behind;
        zero += running * (is_backward ? length - 1 - behind : before);
        placed->strides[mode] = is_backward ? -running : running;
        running *= length;
    }
    for (int i = 0; how.odd_ones && i < placed->nmode; i++)
        if (placed->extents[i] == 1)
            placed->strides[i] = random_in(source, -3, 3) * random_in(source, 0, 1000);
    find_steps(placed);

    const size_t size = type_size(placed->type);
    placed->bytes = (size_t)(running + 2 * MARGIN) * size;
    placed->memory = test_memory(placed->bytes);
    placed->zero = placed->memory + (size_t)(zero + MARGIN) * size;
    memset(placed->memory, UNSET, placed->bytes);
}
