/* What of dmma's unit.cuh needs no threads, on the host: shared memory as an array, in whose place a test's own copies
 * and barriers stand behind this. */
#ifndef LAY_TESTS_CUDA_UNIT_AS_HOST_H
#define LAY_TESTS_CUDA_UNIT_AS_HOST_H

#define LAY_KERNELS_CUDA_DMMA_UNIT_CUH

namespace dmma
{

alignas(128) static double arena[1 << 15];

template <typename T> T keep(T value)
{
    return value;
}
static uint32_t shared_address(const void *pointer)
{
    return (uint32_t)(static_cast<const char *>(pointer) - reinterpret_cast<const char *>(arena));
}
static double *at_shared(uint32_t address)
{
    assert_true(address % 8 == 0 && address < sizeof arena);
    return &arena[address / 8];
}
static double load_one(uint32_t from)
{
    return *at_shared(from);
}
static void load_two(uint32_t from, double &first, double &second)
{
    first = at_shared(from)[0];
    second = at_shared(from)[1];
}

} // namespace dmma

#endif
