/* What products and copies of a team ask of their arguments. */
#ifndef LAY_TEAM_CHECK_H
#define LAY_TEAM_CHECK_H

#include "team/team.h"

lay_status lay_team_check_type(lay_type type);

/* There, and over the team's places. LAY_ERR_ARGUMENT, LAY_ERR_SHAPE. */
lay_status lay_team_check_desc(const lay_team *team, const lay_desc *desc, const char *name);

/* An address of the part at an own place, in the memory of its room, unless it is empty. */
lay_status lay_team_check_address(const lay_team *team, lay_type type, const lay_desc *part, const void *address,
                                  const char *name, int place);

/* And where the other places of this process may read it. */
lay_status lay_team_check_source(const lay_team *team, lay_type type, const lay_desc *part, const void *address,
                                 const char *name, int place);

/* LAY_ERR_OVERLAP unless the two parts have no byte in common. */
lay_status lay_team_check_apart(lay_type type, const lay_desc *x, const void *x_zero, const char *x_name,
                                const lay_desc *y, const void *y_zero, const char *y_name);

/* The function and the places of a descriptor, for agreements. */
uint64_t lay_team_hash_desc(uint64_t hash, const lay_desc *desc);

#endif
