/* Waves of tiles; images. Which rows of a device are the faster is what this is for, not how fast a device is. */
#include <math.h>

#include "base/arith.h"
#include "cuda/launch/rates.h"
#include "cuda/launch/units.h"
#include "cuda/mma/mma.h"

double lay_mma_cost(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device)
{
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    const int fit = (int)min_of(row->blocks_per_sm, max_of(1, (int64_t)(device->shared_per_sm / (size_t)row->shared)));
    const double tiles = (double)ceil_div(of->m, row->bm) * (double)ceil_div(of->n, row->bn) * of->slices;
    const double own = ceil(tiles / device->multiprocessors), waves = ceil(own / fit);
    const double steps = (double)round_up(of->slice_k, row->bk);
    const double clocks = own * 2 * row->bm * row->bn * steps / row->rate + waves * row->start;
    const double partials =
        of->slices > 1 ? rates->sum + 8.0 * of->slices * (double)of->m * (double)of->n / device->bytes_per_second : 0;
    return rates->mma_launch + clocks / (device->ghz * 1e9) + partials;
}

double lay_mma_cost_image(const lay_mma_view *view, lay_cuda_class as, lay_type units, const lay_device *device)
{
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    const int in_vectors = as == LAY_CUDA_ACROSS_VECTOR || as == LAY_CUDA_ALONG_VECTOR;
    const double elements = (double)view->bytes / (double)lay_type_size(units);
    return !view->is_image ? 0
                           : rates->launch + (in_vectors ? 3 * (double)view->bytes / device->bytes_per_second
                                                         : elements * rates->image_element);
}
