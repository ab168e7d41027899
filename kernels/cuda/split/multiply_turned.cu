/* The same tile shapes, in the same order, of products that are turned. */
#include "cuda/split/multiply.cuh"

namespace
{

template <typename S> const void *turned()
{
    return reinterpret_cast<const void *>(&multiply<S, true>);
}

} // namespace

extern "C" const void *const lay_cuda_split_turned[] = { turned<shape<128, 128>>(), turned<shape<128, 96>>(),
                                                         turned<shape<128, 64>>(), turned<shape<64, 128>>() };
