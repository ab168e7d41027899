/* Batches whose index lies innermost in memory: a register's lanes are as many products. Each sum has the order that
 * the single product has, so a batch keeps its bits wherever its index lies. */
#ifndef LAY_CPU_LANES_H
#define LAY_CPU_LANES_H

#include "cpu_expand.h"
#include "cpu_half.h"
#include "cpu_lanes.h"
#include "plan/way.h"

enum { LAY_LANES_MOST_BYTES = 4096 }; /* of numbers that are multiplied together, where they are brought together */

/* Numbers are a real type's elements, or the parts of complex ones, of which each product has two lanes. */
typedef struct lay_lanes_job {
    const lay_lanes_row *row;
    const lay_half_row *half; /* of 16-bit types; else NULL */
    lay_expand_fn *expand;    /* of complex types; else NULL */
    lay_type type;            /* the row's */
    int parts;                /* numbers of an element */
    int side;                 /* LAY_LEFT or LAY_RIGHT: which complex operand is expanded */
    lay_sum sum;              /* of the real product */
    lay_group batch;          /* the innermost mode is the lanes' */
    int64_t runs;             /* of products side by side: the other modes' indices */
    int is_copied[2];         /* LAY_LEFT, LAY_RIGHT: a block's numbers are brought together first */
    int is_staged;            /* C's products do not lie side by side: blocks of it go through a buffer */
    int is_put;               /* C's blocks lie register by register in a buffer, and are put where they belong last */
    int is_far;               /* C is written where it lies, beyond the second cache */
    int is_beside;            /* is_put, and the next chunk comes and the last one's C leaves while one is multiplied */
    int is_planar;            /* what is brought together lies register by register, [width / lanes][lines][steps] */
    int is_even[2];           /* steps lie one stride apart */
    int64_t width;            /* numbers of each run that are multiplied together, at most */
    int64_t chunks, parts_m;  /* tasks: of a run, and of the rows */
    int64_t mc, nc, kc;       /* of a block: rows, columns, real steps */
    size_t table_bytes;       /* of a run's workspace: offsets; */
    size_t left_bytes, right_bytes, sums_bytes, share_bytes; /* and what each thread has of it */
} lay_lanes_job;

/* The row of a real type: of the highest level whose sums are the choice's. NULL: there is none. */
const lay_lanes_row *lay_lanes_find(lay_type type, const lay_choice *choice);

/* Of products side by side: the lanes'. */
static inline const lay_mode *lay_lanes_mode(const lay_lanes_job *own)
{
    return &own->batch.mode[own->batch.count - 1];
}

/* Real steps, for each of the operand's. */
static inline int64_t lay_lanes_steps(const lay_problem *problem, const lay_lanes_job *own)
{
    return problem->k.extent * own->parts;
}

/* Numbers of what is brought together that lie side by side, and from line to line of it: no power of two, for lines
 * that are used together would meet in a cache's sets. */
static inline int64_t lay_lanes_together(const lay_lanes_job *own)
{
    return own->is_planar ? own->row->lanes : own->width;
}
static inline int64_t lay_lanes_pitch(const lay_lanes_job *own)
{
    return (own->kc | 1) * lay_lanes_together(own);
}

/* Numbers of a block of C from register to register, where it is put. */
static inline int64_t lay_lanes_plane(const lay_lanes_job *own)
{
    return (own->mc * own->nc | 1) * own->row->lanes;
}

/* A way's run and scale. */
lay_status lay_lanes_run(lay_branch *branch, const lay_call *call);
lay_status lay_lanes_scale(lay_branch *branch, const lay_call *call);

/* Bytes of a batch's operands and its result; and seconds of a run on one thread (cpu/cost/lanes.c). */
double lay_lanes_bytes(const lay_problem *problem);
double lay_cost_lanes(const lay_problem *problem, const lay_lanes_job *own, const lay_machine *machine);

/* Bytes of a run's tables. */
size_t lay_lanes_table_bytes(const lay_problem *problem, const lay_lanes_job *own);

#endif
