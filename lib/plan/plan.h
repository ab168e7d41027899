/* A plan: three descriptors, options, and a route for each placement of the operands that it has met
 * (docs/decisions/0006). */
#ifndef LAY_PLAN_PLAN_H
#define LAY_PLAN_PLAN_H

#include <stdatomic.h>
#include <stdint.h>

#include "layoutgemm.h"
#include "machine/machine.h"
#include "plan/problem.h"
#include "plan/way.h"

/* Where an operand's elements lie, to tell at run time whether C stays clear of A and B. */
typedef struct lay_reach {
    int64_t lowest, highest; /* offsets, perhaps wider than need be; highest < lowest: no elements */
    int64_t first;           /* bytes from offset 0 to index 0: an element that exists */
} lay_reach;

/* The distances in bytes from C's offset 0 to A's or B's at which the bytes that the two span meet: count of them, from
 * `first` on. */
typedef struct lay_meeting {
    uintptr_t first, count;
} lay_meeting;

/* Where the operands lie, which of A and B are packed (NULL: not), and by whom they are multiplied. */
typedef struct lay_places {
    lay_place a, b, c;
    int device;
    int is_alone;                /* by one thread, of several that the plan may use */
    const lay_packed *packed[2]; /* by lay_operand */
} lay_places;

/* All operands in one place, none packed. */
static inline lay_places lay_places_all(lay_place place, int device)
{
    return (lay_places){ .a = place, .b = place, .c = place, .device = device };
}

/* How a plan computes operands in certain places: the tree, and for which they are. */
typedef struct lay_route {
    lay_branch *root;
    lay_desc *layout[2];  /* A's and B's in place of the plan's, where they are packed: as lay_packed_layout has them */
    lay_panels panels[2]; /* A's and B's */
    unsigned key;
    int forks;                       /* that the process had come through */
    struct lay_route_tuning *tuning; /* NULL: nothing was ever measured */
    struct lay_route *next;
} lay_route;

/* For explanations: a contraction in words, and A's and B's matrices if labels are summed in the other order. */
typedef struct lay_contraction {
    char *text;
    lay_desc *other[2]; /* NULL: there is but one order */
} lay_contraction;

struct lay_plan {
    const lay_table *table;
    const lay_order *named; /* whose kernel options name, if they name one */
    lay_options options;
    lay_choice choice;
    lay_types types;   /* of A, B, what is written, the sum, and C */
    int is_remembered; /* the cache's: it goes when others come */
    int may_measure;   /* while it is made, for options.effort */
    unsigned tuning;   /* lay_store_generation, when it began to be made */
    int64_t m, n, k;
    int64_t whole[3];             /* as lay_asked has it */
    int is_empty;                 /* C has no elements */
    int is_conjugated[3];         /* A, B, C */
    lay_desc *a, *b, *c;          /* the plan's own; c: what is written */
    lay_desc *addend;             /* C, where it is another tensor than what is written; else NULL */
    lay_end *end;                 /* the plan's own; NULL: none */
    lay_contraction *contraction; /* that the product was asked for as; NULL: as matrices */
    lay_reach reach_a, reach_b, reach_c;
    lay_meeting meeting_a, meeting_b;
    _Atomic(lay_route *) routes; /* the newest first; none leaves before the plan does */
    _Atomic(lay_route *)
        at_once;                 /* the route of operands in host memory, once it has run and if it has a job at once */
    _Atomic(lay_route *) prompt; /* the same, if it has none but asks nothing of anybody */
    _Atomic(lay_route *) last_run; /* with a product: whose path lay_plan_path tells; NULL: none yet */
    _Atomic unsigned packed;       /* bit i: lay_operand i has been packed in device memory */
    /* The byte distances from C's offset 0 to A's, B's and the addend's at which they were last found apart, plus 1; 0:
     * none yet. With the routes all that changes in a plan, by whoever runs it: a distance tells all there is
     * to know. */
    _Atomic uintptr_t apart_a, apart_b, apart_addend;
};

/* What a plan is for: matrices, or batches of them. */
typedef struct lay_asked {
    lay_types types;
    const lay_desc *a, *b, *c;
    const lay_desc *addend; /* C, where c is another tensor, D; else NULL */
    int is_conjugated[3];   /* A, B, C; of a real type it means nothing. C only where there is a D */
    int64_t whole[3];       /* rows and columns of the C that c is a part of, and steps of the sum that this one is a
                             * part of (lay_sum_within): the sum has the order that it has there; 0: it is all */
    const lay_end *end;     /* what becomes of the sums; NULL: nothing */
} lay_asked;

/* A plan whose ways are the table's. */
lay_status lay_plan_make_asked(const lay_table *table, const lay_asked *asked, const lay_options *options,
                               lay_plan **out);

/* As lay_plan_create. */
lay_status lay_plan_make(const lay_table *table, lay_type type, const lay_desc *desc_a, const lay_desc *desc_b,
                         const lay_desc *desc_c, const lay_options *options, lay_plan **out);

/* The route of operands in these places, made now if the plan has none yet. LAY_ERR_UNSUPPORTED with each order's
 * reason, LAY_ERR_MEMORY. */
lay_status lay_plan_find_route(lay_plan *plan, const lay_places *places, lay_route **route);

/* lay_plan_path in two parts, for several plans at once: puts into the plan's stream, behind its last run, that what it
 * found goes to a word of page-locked memory; and says what that is, when the stream has come so far. */
lay_status lay_plan_send_path(const lay_plan *plan, unsigned *to);
lay_status lay_plan_read_path(const lay_plan *plan, unsigned sent, lay_path *path);

/* Where an operand's elements lie; zero is the address of offset 0. *device as lay_place_find. */
lay_place lay_reach_place(const lay_reach *reach, const void *zero, int *device);

/* The device that options name, else the calling thread's. */
int lay_plan_device(const lay_plan *plan);

/* One line of the log, for who has asked whether it is wanted (base/log.h). The event is "plan" (seconds as predicted)
 * or "run" (as measured; on a device the time to launch). */
void lay_plan_log(const lay_plan *plan, const lay_branch *root, lay_status status, const char *event, double seconds);

/* The same of what befalls a plan that is remembered. */
void lay_plan_log_cache(const lay_plan *plan, const char *event);

/* Begins a range for profilers that is named by way, type and problem; only where they are watched. */
void lay_plan_begin_range(const lay_plan *plan, const lay_branch *root);

#endif
