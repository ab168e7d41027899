/* One run of a product that passes through a device, or through several. */
#ifndef LAY_CUDA_STREAM_RUN_H
#define LAY_CUDA_STREAM_RUN_H

#include "cuda/launch/launch.h"
#include "cuda/stream/stream_cut.h"
#include "cuda/stream/stream_share.h"
#include "plan/way.h"

/* A device that may have a part, with the launches of the whole product there. */
typedef struct lay_stream_device {
    int number;
    lay_launch launch;
    double seconds; /* predicted, of it and those before it; INFINITY: they are no choice */
} lay_stream_device;

/* What the way prepared. */
typedef struct lay_stream_job {
    lay_stream_device *device; /* all that may be used, the first share.parts of them are; NULL: nothing to multiply */
    int devices;
    lay_stream_share share;
} lay_stream_job;

/* Whether an operand in such a place has rows that devices may copy by themselves. */
int lay_stream_is_copied(const lay_axis *rows, const lay_axis *columns, lay_place place, int64_t size);

/* What a run of the whole problem asks of its cut on a device: the memory is what options allow, or nine tenths of what
 * the device has. */
lay_stream_ask lay_stream_ask_for(const lay_problem *problem, const lay_setting *setting, const lay_launch *launch,
                                  int reads_c);

/* C = alpha left right + beta C, complete when it returns. What can be refused (memory, first launches) is found
 * out before an element of C is written; a device that fails later leaves C partly written, and says so. */
lay_status lay_stream_run(const lay_branch *branch, const lay_call *call);

#endif
