/* The CUDA driver, where the process has loaded it already: libcuda.so.1's functions by name, so that asking
 * where memory lies never starts CUDA, and never loads anything. */
#ifndef LAY_CUDA_DRIVER_H
#define LAY_CUDA_DRIVER_H

#include <cuda.h>

typedef struct lay_driver {
    CUresult (*pointer_attributes)(unsigned count, CUpointer_attribute *attributes, void **data, CUdeviceptr pointer);
    CUresult (*current_device)(CUdevice *device);            /* of the thread's current context */
    CUresult (*current)(CUcontext *context);                 /* NULL: the thread has none */
    CUresult (*make_current)(CUcontext context);             /* NULL: the thread has none from then on */
    CUresult (*retain)(CUcontext *context, CUdevice device); /* the device's primary one, made if need be */
} lay_driver;

/* NULL while no driver is loaded. */
const lay_driver *lay_driver_find(void);

/* The same for who has called CUDA: it is there. */
const lay_driver *lay_driver_get(void);

#endif
