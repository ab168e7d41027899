/* One contraction of tensors in device memory, timed for us and the peers in turns. */
#ifndef CONTEST_TENSORS_H
#define CONTEST_TENSORS_H

#include "contest.h"

/* contest_run of such. */
int contest_tensors(const terms *under, const problem *of, contest *out);

#endif
