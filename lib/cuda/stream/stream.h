/* The order of products that pass through a device: some operand lies in host memory, the
 * others there or in the device's, and pieces and tiles (stream_cut.h) come and go while others are multiplied.
 *
 * Whether such a product is the device's or the CPU's is no matter of the layouts, the threads or the cap on
 * memory, for bits must not depend on them: it refuses what the CPU is predicted to do sooner, by
 * lay_stream_wins, and what it does not refuse the planner must take, whatever the CPU's ways predict. */
#ifndef LAY_CUDA_STREAM_H
#define LAY_CUDA_STREAM_H

#include "cuda/memory/device.h"
#include "plan/way.h"

/* Seconds by sizes, type, places and device: of the way through the device with all the memory that it has. */
double lay_stream_predict(lay_type type, int64_t m, int64_t n, int64_t k, const lay_place place[LAY_OPERANDS],
                          const lay_device *device);

/* Seconds of the CPU by sizes, type, ISA level and machine, with every CPU that the process may use. */
double lay_stream_predict_cpu(lay_type type, int64_t m, int64_t n, int64_t k, lay_isa isa);

/* NULL where the device is to have the product, else why not, as a phrase. Starts CUDA only for what is so
 * large that a device may win. */
const char *lay_stream_wins(const lay_problem *problem, const lay_setting *setting);

#endif
