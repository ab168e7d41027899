/* Rooms of host memory that move nothing before they are waited for, or were asked a few times: a stand-in for devices,
 * whose streams do later what they are given. */
#ifndef LAY_TESTS_TEAM_LAZY_H
#define LAY_TESTS_TEAM_LAZY_H

#include "team/team.h"

/* Makes a team's rooms, of host memory, lazy; and back, before it is destroyed. What is planned between the two is gone
 * by then. */
void lazy_begin(lay_team *team);
void lazy_end(lay_team *team);

/* From now on the rooms pack nothing, which is LAY_ERR_DEVICE; or they do again. */
void lazy_break(lay_team *team, int is_broken);

#endif
