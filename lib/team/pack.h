/* A parcel's elements, from where they lie to a row in memory, from there to where they go, or at once. */
#ifndef LAY_TEAM_PACK_H
#define LAY_TEAM_PACK_H

#include <stddef.h>

#include "team/exchange.h"

void lay_pack_parcel(const lay_parcel *parcel, int rank, size_t size, const void *source, void *packed);
void lay_unpack_parcel(const lay_parcel *parcel, int rank, size_t size, const void *packed, void *target);
void lay_move_parcel(const lay_parcel *parcel, int rank, size_t size, const void *source, void *target);

#endif
