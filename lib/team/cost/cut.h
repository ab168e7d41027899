/* How a product whose C stays is cut in steps: what it may be, what each costs, and the cheapest. */
#ifndef LAY_TEAM_CUT_H
#define LAY_TEAM_CUT_H

#include <stdint.h>

#include "team/cost/volume.h"

/* Bytes of the panels of A and B of a step at a place, about; a variable for tests alone. */
extern int64_t lay_team_panel_bytes;

/* The same of a room's panels, and rows or columns that the chunk ahead is a multiple of: products there like to be
 * large. */
extern int64_t lay_team_room_bytes, lay_team_lead_unit;

/* Which of the candidates from room to room a rank takes: 0, the cheapest; else another one each. For tests alone, too.
 */
extern int lay_team_cut_pick;

/* k in panels of depth, and the columns of a place (rows: by_rows) in chunks, the first of `lead`, so many more each
 * growth times as wide as the one before it, and the others of width; a step is a chunk of a panel. A panel of A
 * (by_rows: of B) serves all chunks. */
typedef struct lay_team_cut {
    int64_t depth, lead, width, panels, chunks, steps;
    int more, growth;
    int by_rows;
} lay_team_cut;

/* Which operand's panels change with each step, not with those of k alone: A (0) or B (1). */
static inline int lay_team_stepping(const lay_team_cut *cut)
{
    return cut->by_rows ? 0 : 1;
}

/* The number of an operand's panel in a step, and how many it has. */
static inline int64_t lay_team_panel_of(const lay_team_cut *cut, int operand, int64_t step)
{
    return operand == lay_team_stepping(cut) ? step : step / cut->chunks;
}

static inline int64_t lay_team_panel_count(const lay_team_cut *cut, int operand)
{
    return operand == lay_team_stepping(cut) ? cut->steps : cut->panels;
}

/* Which of two panels of an operand is a step's. */
static inline int lay_team_turn(const lay_team_cut *cut, int operand, int64_t step)
{
    return (int)(lay_team_panel_of(cut, operand, step) % 2);
}

/* How many of an operand's panels are there at once. */
static inline int lay_team_turns(const lay_team_cut *cut, int operand)
{
    return lay_team_panel_count(cut, operand) > 1 ? 2 : 1;
}

/* Rows or columns of the chunk behind one that has so many. */
static inline int64_t lay_team_chunk_next(const lay_team_cut *cut, int64_t chunk, int64_t most)
{
    return chunk < cut->more ? most * cut->growth : cut->width;
}

/* How many rows or columns of a place a step has at most, and with which it begins. */
static inline int64_t lay_team_chunk_most(const lay_team_cut *cut, int64_t step)
{
    int64_t most = cut->lead;
    for (int64_t chunk = 0; chunk < step % cut->chunks; chunk++)
        most = lay_team_chunk_next(cut, chunk, most);
    return most;
}

static inline int64_t lay_team_chunk_first(const lay_team_cut *cut, int64_t step)
{
    int64_t first = 0, most = cut->lead;
    for (int64_t chunk = 0; chunk < step % cut->chunks; chunk++) {
        first += most;
        most = lay_team_chunk_next(cut, chunk, most);
    }
    return first;
}

/* What a message and a step take of their own, in seconds; what telling a room of a step's copies takes, and of its
 * product; bytes a second that a place takes from others, or gives them; what share of a transfer beside a product
 * costs no time; and a place's operations a second. */
typedef struct lay_team_links {
    double message, step, call, rate, hidden, flops;
    int is_slow; /* what arrives may take longer than products do */
} lay_team_links;

/* The rates' (lib/machine): the same on all ranks, which have to agree. is_direct: from room to room. is_between_ranks:
 * some of the places are other ranks'. */
lay_team_links lay_team_links_get(int is_direct, int is_between_ranks);

/* What all places are asked, and what moves between them when C stays. */
typedef struct lay_team_shape {
    lay_type type;
    int64_t batch, m, n, k, places; /* batch: products of the place that has most, one of them m x n x k */
    int64_t rows, columns;          /* of C, of the place that has most */
    double moved[2];                /* elements of A and of B to all places together */
    double products;                /* seconds that a place multiplies; INFINITY: longer than what moves beside it */
    double shared[2];               /* of those what is made of A or B, once for chunks that share it */
    int is_on_device;
    /* How many of those that k of A (0) or B (1) is dealt out to have some of a panel of so many steps, on average: all
     * of those send. */
    double (*senders)(const void *of, int operand, int64_t depth);
    const void *of;
} lay_team_shape;

/* Bytes that a place takes, on average; bytes of panels, and as much for messages. */
typedef struct lay_team_candidate {
    lay_team_cut cut;
    int number; /* among those from room to room: the same on all ranks */
    double moves, memory;
    double first, later; /* seconds until the first step's operands are there, and those of later ones */
    double seconds;      /* beside its products' own */
} lay_team_candidate;

enum { LAY_TEAM_CANDIDATES = 24 };

/* NULL where panels may be added to C one after the other with one place's bits. Else why not. */
const char *lay_team_refuse_panels(const lay_team_shape *shape);

/* NULL where all of k may be there at once: there is memory, or no other way. */
const char *lay_team_refuse_whole(const lay_team_shape *shape);

/* Seconds of a product of so many rows and columns of a place and all of k; below 0: it has none. */
typedef double lay_team_predict(const void *on, int64_t rows, int64_t columns);

/* The same for places that move boxes: k whole, and a chunk ahead of the others that is so small that it soon has what
 * it takes, and so large that the rest arrives meanwhile; where links are slow, chunks that are all alike, too. */
int lay_team_cut_direct(const lay_team_shape *shape, const lay_team_links *links, lay_team_predict *predict,
                        const void *on, lay_team_candidate out[LAY_TEAM_CANDIDATES]);

/* All there are, the cheapest first; of equals that with the least memory. Returns their number. */
int lay_team_cut_choose(const lay_team_shape *shape, const lay_team_links *links,
                        lay_team_candidate out[LAY_TEAM_CANDIDATES]);

#endif
