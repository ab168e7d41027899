/* C past the caches: a result that none of them has room for is written in whole lines, which need not be read first. A
 * tile is made in a small buffer and streamed from there, so that kernels know nothing of it. */
#ifndef LAY_CPU_STREAMED_H
#define LAY_CPU_STREAMED_H

#include "cpu/part.h"
#include "plan/problem.h"

/* Whether a part of a product, so many steps at a time, writes C once and does not read it, and C is large. Tiles of
 * numbers lose by it (bench/LOG.md, 98). */
int lay_is_streamed(const lay_problem *problem, const lay_part *part, const lay_call *call, int64_t kc);

/* Whether all of these addresses, distances and lengths in bytes are those of whole lines: bits of all of them. */
int lay_are_lines(uint64_t bits);

/* Segments of so many bytes, a buffer's so far apart, to where each lies: whole lines alone. */
void lay_stream_segments(const char *from, int64_t apart, char *to, const int64_t offset[], int64_t size, int count,
                         int64_t bytes);

/* A strided tile of whole lines, or in one stretch of memory; *beta is 0. 0, and nothing is done, where it is neither.
 */
int lay_stream_strided(const lay_kernel *kernel, const lay_strided *tile);

/* What this thread streamed comes before what it says next. */
void lay_end_streams(void);

#endif
