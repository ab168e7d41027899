/* The rates that a device has as a whole: the table's columns. */
#include "cuda/launch/rates.h"

#define K(...)
#define R(...)
#define B(...)
#define N(...)
#define M(...)
#define D(name, h200, other) .name = h200,
static const lay_cuda_rates of_h200 = {
#include "cuda/launch/rates_table.h"
};
#undef D
#define D(name, h200, other) .name = other,
static const lay_cuda_rates of_others = {
#include "cuda/launch/rates_table.h"
};

const lay_cuda_rates *lay_cuda_rates_get(const lay_device *device)
{
    return device->sm == 90 ? &of_h200 : &of_others;
}
