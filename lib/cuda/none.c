/* The orders of a build without CUDA: they refuse everything, with the reason, and have no ways. */
#include "cuda/ways.h"
#include "device/device.h"

static const char *refuse(const lay_problem *problem, const lay_setting *setting)
{
    const char *reason;
    (void)problem, (void)setting;
    lay_device_count(&reason);
    return reason;
}

const lay_order lay_order_device_split = { .name = "split", .backend = LAY_BACKEND_CUDA, .refuse = refuse };
const lay_order lay_order_device_narrow = { .name = "narrow", .backend = LAY_BACKEND_CUDA, .refuse = refuse };
const lay_order lay_order_device_mma = { .name = "mma", .backend = LAY_BACKEND_CUDA, .refuse = refuse };
const lay_order lay_order_device = { .name = "cuda", .backend = LAY_BACKEND_CUDA, .refuse = refuse };
const lay_order lay_order_stream = { .name = "stream", .backend = LAY_BACKEND_CUDA, .refuse = refuse };
