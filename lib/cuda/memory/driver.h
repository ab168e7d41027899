/* The CUDA driver, where the process has loaded it already: libcuda.so.1's functions by name, so that asking
 * where memory lies never starts CUDA, and never loads anything. */
#ifndef LAY_CUDA_DRIVER_H
#define LAY_CUDA_DRIVER_H

#include <cuda.h>

typedef struct lay_driver {
    CUresult (*pointer_attributes)(unsigned count, CUpointer_attribute *attributes, void **data, CUdeviceptr pointer);
    CUresult (*current_device)(CUdevice *device); /* of the thread's current context */
} lay_driver;

/* NULL while no driver is loaded. */
const lay_driver *lay_driver_find(void);

#endif
