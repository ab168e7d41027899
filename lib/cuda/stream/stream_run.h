/* One run of a product that passes through a device. */
#ifndef LAY_CUDA_STREAM_RUN_H
#define LAY_CUDA_STREAM_RUN_H

#include "cuda/launch/launch.h"
#include "cuda/stream/stream_cut.h"
#include "plan/way.h"

/* What a run of the problem asks of its cut, but for the memory. */
lay_stream_ask lay_stream_ask_for(const lay_problem *problem, const lay_setting *setting, const lay_launch *launch,
                                  int reads_c);

/* C = alpha left right + beta C, complete when it returns. What can be refused (memory, first launches) is found
 * out before an element of C is written; a device that fails later leaves C partly written, and says so. */
lay_status lay_stream_run(const lay_branch *branch, const lay_call *call);

#endif
