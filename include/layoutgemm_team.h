/* layoutgemm_team.h - layouts over several places, and the teams that multiply and copy them.
 *
 * A place is a memory of its own: a process's (an MPI rank's), or one of several parts of this process. In a layout
 * over places some digits of an index choose the place, and the others an offset there:
 *
 *     P=(2)(4); A=[4][64][2][128]; [[#A_0][#P_0][#A_1]][[#A_2][#P_1][#A_3]]
 *
 * is a matrix of 512 x 1024, block-cyclic with blocks of 64 x 128 on a grid of 2 x 4 places (docs/places.md). So a
 * descriptor is a pair of functions, index -> (place, offset), and is made, viewed and compared as any other. Places
 * are numbered from 0 on, in row-major order of the grid. A dimension of the grid that a view does not mention
 * replicates: each place along it has a copy. */
#ifndef LAYOUTGEMM_TEAM_H
#define LAYOUTGEMM_TEAM_H

#include <stddef.h>
#include <stdint.h>

#include "layoutgemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Layouts over places ----------------------------------------------------------------------
 * lay_desc_parse reads them; all views of section 4 but lay_desc_tile_at take them. lay_desc_offset is the offset at
 * the element's place, lay_desc_span that of all places together; a dimension that leads from one place to others has
 * no stride. What else takes a descriptor (products, copies, lay_alloc, lay_desc_bytes) is LAY_ERR_UNSUPPORTED without
 * a team. Limits, LAY_ERR_OVERFLOW: offsets below 2^38 elements, 2^21 places. */

/* The number of places: the product of the grid's extents, 1 where there is none; -1 for NULL. */
LAY_API int64_t lay_desc_places(const lay_desc *desc);

/* How many places have a copy of each element, at least 1; -1 for NULL. */
LAY_API int64_t lay_desc_copies(const lay_desc *desc);

/* The first of the places at which an element lies; index as in lay_desc_offset. -1, with a sentence, for another n or
 * an index out of range. */
LAY_API int64_t lay_desc_place_of(const lay_desc *desc, int n, const int64_t index[]);

/* The part of desc that lies at a place, as an ordinary descriptor of as many root dimensions: those indices of each in
 * ascending order that lie there. Its offsets are those of desc. Extents are 0 where the place holds nothing.
 * LAY_ERR_ARGUMENT, LAY_ERR_EXTENT (no such place), LAY_ERR_MEMORY; LAY_ERR_UNSUPPORTED where a view takes every other
 * index, or the like, across the digits of places: such a part may be no layout. */
LAY_API lay_status lay_desc_local(const lay_desc *desc, int64_t place, lay_desc **out);

/* The layout that ScaLAPACK's array descriptor says: DTYPE_, CTXT_ (not looked at), M_, N_, MB_, NB_, RSRC_, CSRC_,
 * LLD_, on a grid of processes that are numbered by rows or by columns of it (BLACS's 'R' and 'C'). One LLD_ holds for
 * all processes: at least the rows of the first one. LAY_ERR_ARGUMENT, LAY_ERR_MEMORY, LAY_ERR_OVERFLOW;
 * LAY_ERR_UNSUPPORTED for a DTYPE_ but 1, and for RSRC_ or CSRC_ but 0. */
LAY_API lay_status lay_desc_from_scalapack(const int desc[9], int grid_rows, int grid_columns, int is_column_major,
                                           lay_desc **out);

#ifdef __cplusplus
}
#endif

#endif
