/* layoutgemm_mpi.h - teams of MPI's ranks: liblayoutgemm_mpi, a library of its own on top of liblayoutgemm.
 *
 *     cc program.c $(pkg-config --cflags --libs layoutgemm_mpi) ...      with MPI's own flags, as mpicc has them
 *
 * liblayoutgemm itself knows nothing of MPI. */
#ifndef LAYOUTGEMM_MPI_H
#define LAYOUTGEMM_MPI_H

#include <mpi.h>

#include "layoutgemm_team.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A team whose place r is the memory of rank r of comm. Collective over comm, of which it makes a duplicate; so is
 * lay_team_destroy, which comes before MPI_Finalize. The duplicate returns errors, whatever comm does. MPI is
 * initialised already; where several threads of a rank call MPI, at MPI_THREAD_MULTIPLE. LAY_ERR_ARGUMENT,
 * LAY_ERR_MEMORY, LAY_ERR_TEAM (MPI's error, in words). */
LAY_API lay_status lay_team_mpi(MPI_Comm comm, lay_team **out);

/* The same with count places of each rank, which are devices of its own: lay_team_create_devices (layoutgemm_team.h).
 * Rank r has places r * count on. Where each rank of a machine takes the device of its number there:
 *
 *     MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
 *     MPI_Comm_rank(here, &device);
 *     cudaSetDevice(device);                 or each rank has a little of device 0, too
 *     lay_team_mpi_devices(comm, 1, &device, &team);
 *
 * MPI itself need know nothing of CUDA. LAY_ERR_ARGUMENT, LAY_ERR_MEMORY, LAY_ERR_DEVICE, LAY_ERR_UNSUPPORTED,
 * LAY_ERR_TEAM. */
LAY_API lay_status lay_team_mpi_devices(MPI_Comm comm, int count, const int devices[], lay_team **out);

#ifdef __cplusplus
}
#endif

#endif
