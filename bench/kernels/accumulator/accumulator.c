/* cuda-accumulator: asks the matrix units of this device how they add, and whether a model that adds so has their bits.
 */
#include <stdlib.h>

#include "accumulator.h"
#include "bench/kernels/cuda/must.h"

enum { TILES = 256 };

static void add_on_device(const unit *of, int tiles, int instructions, const float *left, const float *right,
                          const float *c, float *d)
{
    const size_t lines = (size_t)tiles * LINES * (size_t)(instructions * lay_cuda_unit_depth(of->kind)) * sizeof(float);
    const size_t square = (size_t)tiles * SQUARE * sizeof(float);
    char *room;
    MUST(cudaMalloc((void **)&room, 2 * lines + 2 * square));
    MUST(cudaMemcpy(room, left, lines, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(room + lines, right, lines, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(room + 2 * lines, c, square, cudaMemcpyHostToDevice));
    lay_cuda_unit_args args = { (float *)room, (float *)(room + lines), (float *)(room + 2 * lines),
                                (float *)(room + 2 * lines + square) };
    void *arguments[] = { &args };
    MUST(cudaLaunchKernel(lay_cuda_unit[of->kind][instructions > 1], (dim3){ (unsigned)tiles, 1, 1 },
                          (dim3){ LAY_CUDA_UNIT_THREADS, 1, 1 }, arguments, 0, NULL));
    MUST(cudaMemcpy(d, room + 2 * lines + square, square, cudaMemcpyDeviceToHost));
    MUST(cudaFree(room));
}

int main(void)
{
    struct cudaDeviceProp device;
    long wrong = 0;
    MUST(cudaGetDeviceProperties(&device, 0));
    if (device.major != 9) {
        fprintf(stderr, "cuda-accumulator: these units are those of compute capability 9.0\n");
        return 77;
    }
    printf("%s\n", device.name);
    for (lay_cuda_unit_kind kind = 0; kind < LAY_CUDA_UNIT_KINDS; kind++) {
        const unit asked = { .kind = kind, .add = add_on_device };
        accumulator found;
        const int open = accumulator_find(&asked, stdout, &found);
        printf("  %s: %d answers fit nothing that is known here.\n", unit_name(&asked), open);
        wrong += open;
        if (found.together > 0 && lay_cuda_unit_depth(kind) % found.together == 0)
            wrong += accumulator_compare(&asked, &found, TILES, stdout);
        fflush(stdout);
    }
    printf("%s\n", wrong ? "The model is not theirs." : "The model has the units' bits.");
    return wrong != 0;
}
