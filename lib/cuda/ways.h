/* The orders and ways of CUDA devices. Where the build has no CUDA they refuse everything, and say so. */
#ifndef LAY_CUDA_WAYS_H
#define LAY_CUDA_WAYS_H

#include "plan/way.h"

extern const lay_order lay_order_device;       /* operands as they are, all in one device's memory */
extern const lay_order lay_order_device_split; /* FP32 in limbs of 16 bits, at FP32's accuracy (kernels/cuda_split.h) */
extern const lay_order lay_order_device_narrow; /* 16-bit types, and FP32 rounded to what the matrix units take */
extern const lay_order lay_order_device_mma;    /* the same on GPUs from 8.0 on, in an order of its own */
extern const lay_order lay_order_stream;        /* some operand in host memory: it passes through a device in tiles */

extern const lay_way lay_way_launch;
extern const lay_way lay_way_device_batch; /* f32 and f64, and 16-bit types */
extern const lay_way lay_way_device_batch_narrow;
extern const lay_way lay_way_complex_launch;                            /* of complex numbers as they lie */
extern const lay_way lay_way_device_image, lay_way_device_image_narrow; /* rewriters (rewrite/image.h) */
extern const lay_way lay_way_device_complex;                            /* another one (rewrite/complex) */
extern const lay_way lay_way_device_mixed;                              /* and another (rewrite/mixed.h) */
extern const lay_way lay_way_device_split;
extern const lay_way lay_way_device_narrow;
extern const lay_way lay_way_device_mma;
extern const lay_way lay_way_stream;

#endif
