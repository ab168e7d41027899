/* Which rows of split products a test asks. */
#ifndef TESTS_CUDA_SPLIT_ROWS_H
#define TESTS_CUDA_SPLIT_ROWS_H

#include <cuda_runtime_api.h>

#include "cuda/launch/rows.h"

/* Of the rows that are asked: those of 9.0 alone, where the device and the build have them; or those of 8.0 and newer.
 */
static lay_cuda_contract own, contract;

static void find_own(void)
{
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_SPLIT);
    int device = 0, major = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    contract = own = major == 9 && lay_cuda_next(&walk) ? LAY_CUDA_SPLIT : LAY_CUDA_SPLIT_MMA;
}
static int ask_any_device(void **state)
{
    (void)state;
    contract = LAY_CUDA_SPLIT_MMA;
    return 0;
}
static int ask_its_own(void **state)
{
    (void)state;
    contract = own;
    return 0;
}
#define ON_ANY_DEVICE(test) cmocka_unit_test_setup_teardown(test, ask_any_device, ask_its_own)

#endif
