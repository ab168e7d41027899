/* Thin rows of doubles: units.cuh. */
#include "cuda/thin/row.cuh"
#include "cuda/thin/units.cuh"

using namespace thin;

namespace
{

template <class S>
__global__ void __launch_bounds__(S::threads, S::blocks) multiply(const __grid_constant__ lay_cuda_args args)
{
    extern __shared__ double2 right[];
    let_next_begin();
    multiply_tile<S>(args, right);
    add_counted<S>(args);
    await_previous();
}

/* Elements are fetched one by one, whatever their class. */
template <class S> constexpr lay_cuda_kernel row(const char *name, double rate, double start)
{
    lay_cuda_kernel made = row_of<S>(name, rate, start);
    for (auto &left : made.function)
        for (auto &function : left)
            function = reinterpret_cast<const void *>(&multiply<S>);
    return made;
}

/* It has its say in how k is cut. */
constexpr lay_cuda_kernel settling(lay_cuda_kernel made)
{
    made.follows = 0;
    return made;
}

} // namespace

/*               pieces rows deep warps blocks */
extern "C" const lay_cuda_kernel lay_cuda_thin_f64[] = {
    row<units_shape<1, 2, 1, 4, 7>>("gemm_f64_128x8x32_thin", 60, 2000),
    row<units_shape<2, 1, 2, 4, 8>>("gemm_f64_64x16x32_thin", 100, 2000),
    settling(row<units_shape<2, 1, 16, 4, 2, true>>("gemm_f64_64x16x128_thin", 200, 1000)),
    row<units_shape<4, 1, 4, 8, 2>>("gemm_f64_128x32x32_thin", 180, 2500),
    row<units_shape<8, 1, 2, 8, 2>>("gemm_f64_128x64x32_thin", 210, 3000),
    row<units_shape<8, 1, 4, 4, 4, true>>("gemm_f64_64x64x32_thin", 210, 2000),
    {},
};
