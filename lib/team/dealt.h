/* How an operand is dealt out to places: by a layout over them, or by tables of the caller's. */
#ifndef LAY_TEAM_DEALT_H
#define LAY_TEAM_DEALT_H

#include "team/side.h"
#include "team/team.h"

typedef struct lay_dealt {
    const lay_desc *desc;              /* NULL: tables */
    const lay_distribution *by_tables; /* NULL: neither, which the check refuses */
    const char *name;
    int is_conjugated; /* a layout's; tables say it themselves */
} lay_dealt;

/* There, whole, and over the team's places. LAY_ERR_ARGUMENT, LAY_ERR_SHAPE, LAY_ERR_OPTION, LAY_ERR_MEMORY; of the
 * rest nothing is asked before. */
lay_status lay_dealt_check(const lay_team *team, const lay_dealt *dealt);

int lay_dealt_rank(const lay_dealt *dealt);
int64_t lay_dealt_extent(const lay_dealt *dealt, int d);
int lay_dealt_is_conjugated(const lay_dealt *dealt);

/* LAY_ERR_MEMORY, LAY_ERR_UNSUPPORTED. */
lay_status lay_dealt_side(const lay_team *team, const lay_dealt *dealt, lay_side *side);

/* What this rank's i-th place holds, as an ordinary descriptor; the caller's to destroy. */
lay_status lay_dealt_part(const lay_team *team, const lay_dealt *dealt, int i, lay_desc **part);

/* For agreements: all that is to be the same on all ranks. */
uint64_t lay_dealt_hash(uint64_t hash, const lay_team *team, const lay_dealt *dealt);

#endif
