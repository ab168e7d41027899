/* The table of ways. Orders: the CPU's last, they take all that no device is to have. */
#include "ways.h"

#include "cpu/ways.h"
#include "cuda/ways.h"
#include "rewrite/ways.h"

static const lay_order *const orders[] = { &lay_order_device_split, &lay_order_device_narrow, &lay_order_device,
                                           &lay_order_stream,       &lay_order_cpu_split,     &lay_order_cpu_narrow,
                                           &lay_order_cpu,          NULL };

static const lay_way *const ways[] = {
    /* leaves on a device */
    &lay_way_device_split,
    &lay_way_device_narrow,
    &lay_way_launch,
    &lay_way_stream,
    /* leaves on the CPU */
    &lay_way_cpu_split,
    &lay_way_widened,
    &lay_way_vector_widened,
    &lay_way_swept,
    &lay_way_in_place,
    &lay_way_packed,
    &lay_way_vector,
    /* rewriters */
    &lay_way_slices,
    &lay_way_image,
    &lay_way_device_image,
    &lay_way_transposed,
    NULL,
};

const lay_table lay_all_ways = { .orders = orders, .ways = ways };
