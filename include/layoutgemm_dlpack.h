/* layoutgemm_dlpack.h - tensors of other libraries, as DLPack hands them over: their memory, where it lies.
 *
 * DLPack is the convention by which NumPy, PyTorch, CuPy, JAX and others show each other their tensors: an address,
 * extents, strides and a type in a structure of a fixed form. The structures here have that form, of its versions 1.x,
 * under names of our own, so that this header and DLPack's may stand in one source:
 *
 *     #include <dlpack/dlpack.h>
 *     #include <layoutgemm_dlpack.h>
 *     lay_desc_from_dlpack((const lay_dl_tensor *)&managed->dl_tensor, &desc, &type, &data);
 *
 * Nothing is copied, and nothing is owned: whoever hands a tensor over says when it has gone. */
#ifndef LAYOUTGEMM_DLPACK_H
#define LAYOUTGEMM_DLPACK_H

#include "layoutgemm.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* DLPack's numbers of devices whose memory products take. */
enum {
    LAY_DL_CPU = 1,
    LAY_DL_CUDA = 2,
    LAY_DL_CUDA_HOST = 3,    /* pinned */
    LAY_DL_CUDA_MANAGED = 13 /* seen by host and device */
};

/* DLPack's numbers of kinds of elements. */
enum { LAY_DL_FLOAT = 2, LAY_DL_BFLOAT = 4, LAY_DL_COMPLEX = 5 };

/* Bits of lay_dl_managed_versioned.flags. */
enum {
    LAY_DL_READ_ONLY = 1, /* not to be written */
    LAY_DL_IS_COPIED = 2  /* a copy that the producer made for who asked */
};

typedef struct lay_dl_device { /* DLDevice */
    int32_t type, number;
} lay_dl_device;

typedef struct lay_dl_type { /* DLDataType */
    uint8_t kind, bits;
    uint16_t lanes;
} lay_dl_type;

typedef struct lay_dl_tensor { /* DLTensor */
    void *data;
    lay_dl_device device;
    int32_t ndim;
    lay_dl_type type;
    int64_t *extents; /* called shape there */
    int64_t *strides; /* in elements; NULL: row-major and dense */
    uint64_t byte_offset;
} lay_dl_tensor;

/* With its owner, before version 1: a capsule of Python calls it "dltensor". */
typedef struct lay_dl_managed { /* DLManagedTensor */
    lay_dl_tensor tensor;
    void *context;
    void (*destroy)(struct lay_dl_managed *self); /* called deleter there; may be NULL */
} lay_dl_managed;

/* From version 1 on: "dltensor_versioned". Of another major version only destroy may be used. */
typedef struct lay_dl_managed_versioned { /* DLManagedTensorVersioned */
    uint32_t major, minor;
    void *context;
    void (*destroy)(struct lay_dl_managed_versioned *self);
    uint64_t flags;
    lay_dl_tensor tensor;
} lay_dl_managed_versioned;

/* The layout of a tensor, its element type, and the address of offset 0. The three go to products, contractions and
 * copies as they are; on a device, products find out which. A tensor without dimensions has a NULL as *desc: a scalar
 * of a contraction. An empty one may have a NULL as *data.
 *
 * LAY_ERR_ARGUMENT; LAY_ERR_RANK, LAY_ERR_EXTENT, LAY_ERR_OVERFLOW, LAY_ERR_MEMORY as for lay_desc_strided;
 * LAY_ERR_TYPE for elements that are none of lay_type; LAY_ERR_UNSUPPORTED for memory of other devices. */
LAY_API lay_status lay_desc_from_dlpack(const lay_dl_tensor *tensor, lay_desc **desc, lay_type *type, void **data);

#ifdef __cplusplus
}
#endif

#endif
