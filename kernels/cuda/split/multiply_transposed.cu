/* The same tile shapes, in the same order, of transposed products. */
#include "cuda/split/multiply.cuh"

namespace
{

template <typename S> const void *transposed()
{
    return reinterpret_cast<const void *>(&multiply<S, true>);
}

} // namespace

extern "C" const void *const lay_cuda_split_transposed[] = { transposed<shape<128, 128>>(),
                                                             transposed<shape<128, 96>>(), transposed<shape<128, 64>>(),
                                                             transposed<shape<64, 128>>() };
