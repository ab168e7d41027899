/* What of the tool needs CUDA: one table, so that a build without it is the same tool with less. */
#ifndef CUDA_PART_H
#define CUDA_PART_H

#include "layoutgemm.h"

struct contest;
struct operand;
struct peer;
struct problem;
struct report_row;
struct several_peer;
struct terms;
struct transfers;

typedef struct cuda_part {
    int (*is_here)(void);    /* device_is_here */
    int (*open)(int device); /* device_open */

    /* Peers: path NULL for the one that the loader finds. */
    int (*open_cublas)(const char *path, struct peer *out);
    int (*open_cutensor)(const char *path, struct peer *out);
    const char *(*open_several)(const char *name, int count, const int devices[], struct several_peer *out);

    /* contest_run for matrices in device memory, and for tensors. */
    int (*contest)(const struct terms *under, const struct problem *of, struct contest *out);
    int (*contest_tensors)(const struct terms *under, const struct problem *of, struct contest *out);

    /* What the open device's units reach at most for a type, GFLOP/s, and what its memory gives, GB/s; NaN where it is
     * not known. 0, or the exit status after a sentence. */
    int (*find_roof)(lay_type type, double *gflops, double *gbytes);

    /* cuBLAS on matrices in host memory, with what brings them there and back. */
    int (*transfers_create)(const struct operand *of, const struct peer *with, struct transfers **out);
    lay_status (*transfers_run)(struct transfers *self);
    void (*transfers_destroy)(struct transfers *self);

    const struct report_row *const *reports;         /* reports_of_device */
    void (*print_device)(const struct terms *under); /* report_print_device */
} cuda_part;

/* NULL in a build without CUDA. */
extern const cuda_part *const cuda_of_tool;

/* Opens a device, LAY_DEVICE_AUTO for the first: 0, or the exit status after a sentence. */
int cuda_need(int device);

#endif
