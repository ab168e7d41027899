/* The table of ways, and the devices that they run on. Orders: the CPU's last, they take all that no device is to have.
 */
#include "ways.h"

#include "cpu/ways.h"
#include "cuda/memory/promises.h"
#include "cuda/ways.h"
#include "device/driver.h"
#include "rewrite/ways.h"

static const lay_order *const orders[] = { &lay_order_device_split, &lay_order_device_narrow, &lay_order_device_mma,
                                           &lay_order_device,       &lay_order_stream,        &lay_order_cpu_split,
                                           &lay_order_cpu_narrow,   &lay_order_cpu,           NULL };

static const lay_way *const ways[] = {
#if LAY_CUDA
    /* leaves on a device */
    &lay_way_device_split,
    &lay_way_device_narrow,
    &lay_way_device_mma,
    &lay_way_launch,
    &lay_way_device_batch,
    &lay_way_device_batch_narrow,
    &lay_way_complex_launch,
    &lay_way_stream,
#endif
    /* leaves on the CPU */
    &lay_way_cpu_split,
    &lay_way_widened,
    &lay_way_vector_widened,
    &lay_way_swept,
    &lay_way_in_place,
    &lay_way_packed,
    &lay_way_vector,
    &lay_way_lanes,
    &lay_way_lanes_widened,
    /* rewriters */
    &lay_way_ending,
    &lay_way_addend,
    &lay_way_batch,
    &lay_way_chunks,
    &lay_way_complex,
    &lay_way_numbers,
    &lay_way_parts,
    &lay_way_mixed,
    &lay_way_slices,
    &lay_way_image,
    &lay_way_pieces,
#if LAY_CUDA
    &lay_way_device_image,
    &lay_way_device_image_narrow,
    &lay_way_device_complex,
    &lay_way_device_mixed,
#endif
    &lay_way_transposed,
    NULL,
};

const lay_table lay_all_ways = { .orders = orders, .ways = ways };

#if LAY_CUDA
__attribute__((constructor)) static void start(void)
{
    lay_devices = &lay_cuda_devices;
}
#endif
