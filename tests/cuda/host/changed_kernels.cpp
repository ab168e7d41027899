/* Kernels that change elements on their way, compiled as C++ for the host: each step by all threads of a block, then
 * the next. */
#include "changed_kernels.h"

#include <stdlib.h>

#include "as_host.h"

extern "C" {
#include "../../oracle.h"
}

/* What half.cuh has, by the oracle's conversions. */
#define LAY_KERNELS_CUDA_HALF_CUH
struct __half {
    uint16_t bits;
};
struct __nv_bfloat16 {
    uint16_t bits;
};
template <typename T> struct stored {
    static T widen(T x)
    {
        return x;
    }
    static T narrow(T x)
    {
        return x;
    }
};
template <typename T, lay_type type> struct stored_half {
    static float widen(T x)
    {
        return static_cast<float>(oracle_load(type, &x, 0));
    }
    static T narrow(float x)
    {
        T made;
        oracle_store(type, &made, 0, static_cast<double>(x));
        return made;
    }
};
template <> struct stored<__half> : stored_half<__half, LAY_F16> {
};
template <> struct stored<__nv_bfloat16> : stored_half<__nv_bfloat16, LAY_BF16> {
};

#include "cuda/copy/change.cuh"

static void insist_on_copy(const void *, const void *, int)
{
    abort(); /* nothing is copied asynchronously */
}

namespace
{

enum { SHARED = 48 << 10 }; /* bytes of a block, unasked */

alignas(16) char shared_memory[SHARED];

template <class Step> void by_all_threads(Step step)
{
    for (threadIdx.x = 0; threadIdx.x < LAY_CUDA_COPY_THREADS; threadIdx.x++)
        step();
}

template <class Number, int v> void do_lines(const lay_cuda_copy_args &args)
{
    offsets *const at = reinterpret_cast<offsets *>(shared_memory);
    by_all_threads([&] { locate_lines<Number>(args, at); });
    by_all_threads([&] { change_lines<Number, v>(args, at); });
}

template <class Number> void do_tile(const lay_cuda_copy_args &args)
{
    by_all_threads([&] { locate_tile<Number>(args, shared_memory); });
    by_all_threads([&] { fill_tile<Number>(args, shared_memory); });
    by_all_threads([&] { empty_tile<Number>(args, shared_memory); });
}

enum { KERNELS = 12 };
typedef void block_of(const lay_cuda_copy_args &args);
block_of *const kernels[KERNELS] = { do_lines<real_number<float>, 1>,    do_lines<real_number<double>, 1>,
                                     do_lines<complex_number<float>, 1>, do_lines<complex_number<double>, 1>,
                                     do_lines<real_number<float>, 4>,    do_lines<real_number<double>, 2>,
                                     do_lines<complex_number<float>, 2>, nullptr,
                                     do_tile<real_number<float>>,        do_tile<real_number<double>>,
                                     do_tile<complex_number<float>>,     do_tile<complex_number<double>> };
int64_t blocks_of[KERNELS]; /* that were run */

const char name[KERNELS] = ""; /* addresses by which kernels are known */

} // namespace

extern "C" {
const void *const lay_cuda_changed_lines[4] = { name, name + 1, name + 2, name + 3 };
const void *const lay_cuda_changed_lines_by_vectors[4] = { name + 4, name + 5, name + 6, nullptr };
const void *const lay_cuda_changed_tiles[4] = { name + 8, name + 9, name + 10, name + 11 };

int changed_launch(const void *function, int64_t blocks, int shared, const lay_cuda_copy_args *args)
{
    const int64_t number = static_cast<const char *>(function) - name;
    if (number < 0 || number >= KERNELS || shared > SHARED)
        return 0;
    memset(shared_memory, 0x7f, sizeof shared_memory);
    for (int64_t i = 0; i < blocks; i++) {
        blockIdx.x = static_cast<unsigned>(i);
        kernels[number](*args);
    }
    blocks_of[number] += blocks;
    return 1;
}

int changed_have_all_run()
{
    int all = 1;
    for (int i = 0; i < KERNELS; i++)
        all &= !kernels[i] || blocks_of[i] > 0;
    return all;
}
}
