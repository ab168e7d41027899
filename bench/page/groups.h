/* Rows of a run by what they are of: a problem in a type, in one memory, on so many threads. */
#ifndef PAGE_GROUPS_H
#define PAGE_GROUPS_H

#include "bench/reports/plot.h"
#include "bench/saved/saved.h"

/* Neighbouring rows; the first is lay's own. */
typedef struct group {
    const saved_row *row; /* [count] */
    int count;
    int kind; /* groups of one kind have type, memory, threads and caches in common */
} group;

typedef struct groups {
    group *group; /* [count] */
    int count, kinds;
} groups;

/* 0 when memory ran out. */
int groups_find(const saved *of, groups *out);
void groups_free(groups *of);

/* "f32, 2 threads", "f64, on the GPU, cold caches"; to[size]. */
void group_write_kind(const group *of, char *to, size_t size);

/* Of a row that is not lay's: its time divided by lay's. */
double group_speedup(const group *of, int row);
/* The lowest against other libraries, NaN where there was none. */
double group_least(const group *of);
int row_is_ours(const saved_row *of);

/* What is behind the sizes of a product: "row,col,row". The whole text of a contraction. */
const char *row_layouts(const saved_row *of);
int row_is_contraction(const saved_row *of);
plot_sample row_sample(const saved_row *of, double y);

/* Operations for each byte of the three operands, once each; NaN where layouts are not known. */
double row_intensity(const saved_row *of);
double row_roof(const saved_row *of); /* GFLOP/s that units reach, NaN where it is not known */

#endif
