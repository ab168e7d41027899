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

/* ---- Teams ------------------------------------------------------------------------------------
 * A team is who holds the places: ranks, each with as many of them, one after the other. Each rank calls the same
 * function with the same arguments, but for the addresses, which are those of its own places alone. What the ranks say
 * is compared before anything moves: where one says something else, or refuses its arguments, all return an error and
 * nothing is written. That and what is sent takes the calls in the same order on all ranks, one call at a time of a
 * team.
 *
 * LAY_ERR_TEAM: ranks that disagree (with LAY_ERR_ARGUMENT and the like on the rank that refused), a transport's error,
 * or no answer in time. After the last two the team is lost: C is as far as it came, and all later calls of the team
 * return LAY_ERR_TEAM at once. */
typedef struct lay_team lay_team;

/* All places in this process's host memory: one rank. LAY_ERR_ARGUMENT (places below 1 or above 2^21), LAY_ERR_MEMORY.
 */
LAY_API lay_status lay_team_host(int places, lay_team **out);

/* Several memories of this process: place i is the memory of CUDA device devices[i]. What a product's places take from
 * each other goes by copies between devices, while they multiply; LAY_DEVICE_HOST in each place, or devices == NULL, is
 * host memory moved in just that way. A device may have several places.
 *
 * The calls below then take each place's address, of memory that lies on its device and that cudaMalloc or
 * lay_team_alloc gave: what others read of a pool's memory or of a mapping, which cudaMemPoolSetAccess or
 * cuMemSetAccess has to open to them, is LAY_ERR_ARGUMENT where that was not done. They begin behind what the devices'
 * default streams have been given, and return when all is done. Bits are those of the undistributed product on one such
 * device, in whatever compute mode it has. LAY_COMPUTE_F32_SPLIT of values that two limbs of FP16 cannot hold is
 * LAY_ERR_UNSUPPORTED when the run is over, and a part of C has been written.
 *
 * LAY_ERR_ARGUMENT (count below 1, a number below 0 that is not LAY_DEVICE_HOST), LAY_ERR_MEMORY, LAY_ERR_DEVICE;
 * LAY_ERR_UNSUPPORTED for a device that there is not, host memory beside devices, and devices that do not reach each
 * other's memory. */
#define LAY_DEVICE_HOST (-2)
LAY_API lay_status lay_team_devices(int count, const int devices[], lay_team **out);

/* How ranks reach each other: the library moves nothing between processes itself (layoutgemm_mpi.h has MPI's). All but
 * destroy return 0, or a number that is the transport's own: the team is lost then, and say has words for it.
 *
 * send and receive start, and leave in *request what test asks for; the memory is the transport's until it is done.
 * Messages of one sender with one tag arrive in the order in which they were sent. No message is longer than 2^30
 * bytes; tags are below 32768. test: whether a request is done, without waiting; then it is gone. drop: gives up a
 * request; *is_free: 1 when its memory may be freed. Called by one thread at a time. */
typedef struct lay_transport {
    size_t struct_size;
    int rank, ranks;
    void *context;
    int (*send)(void *context, int to, int tag, const void *data, int64_t bytes, void **request);
    int (*receive)(void *context, int from, int tag, void *data, int64_t bytes, void **request);
    int (*test)(void *context, void **request, int *is_done);
    int (*drop)(void *context, void **request, int *is_free);
    const char *(*say)(void *context, int number);
    void (*destroy)(void *context); /* with the team; may be NULL */
} lay_transport;

/* A team of the transport's ranks with so many places each: rank r has those from r * places_each on. The transport's
 * context belongs to the team when this succeeds. LAY_ERR_ARGUMENT, LAY_ERR_OPTION (struct_size), LAY_ERR_MEMORY. */
LAY_API lay_status lay_team_create(const lay_transport *transport, int places_each, lay_team **out);

/* The same with rooms in each rank: its i-th place is the memory of its device devices[i], as in lay_team_devices, host
 * memory in their way included (LAY_DEVICE_HOST, or devices == NULL). What another rank's places get is packed in
 * page-locked host memory, which the transport sends. All that lay_team_devices says of addresses, bits and order is so
 * here. count is the same on all ranks, and all places are devices, or all host memory.
 *
 * Where all ranks can load NCCL (libnccl.so.2, or the library that LAY_NCCL names; LAY_NCCL=0: none), and each device
 * has one place, it takes these from device to device, and the transport agreements alone.
 *
 * The ranks agree before this returns, waiting for each other as in a call: errors of one, as of lay_team_devices, are
 * LAY_ERR_TEAM on the others. A transport that is refused, as by lay_team_create, is its rank's alone to know of. */
LAY_API lay_status lay_team_create_devices(const lay_transport *transport, int count, const int devices[],
                                           lay_team **out);

/* For who makes transports: leaves the sentence to lay_last_error, and returns the status. */
LAY_API lay_status lay_team_refuse(lay_status status, const char *sentence);

/* NULL is fine. Of some transports collective, as layoutgemm_mpi.h says. */
LAY_API void lay_team_destroy(lay_team *team);

/* How long a rank waits for others in a call, at most: 600 seconds if not said. LAY_ERR_ARGUMENT (not above 0). */
LAY_API lay_status lay_team_timeout(lay_team *team, double seconds);

/* How products of a team add up. Either way the bits depend on neither layouts nor numbers of places and threads. */
typedef enum lay_team_sum {
    LAY_TEAM_SUM_WHOLE = 0, /* each element at one place: the undistributed product's bits. C stays, A and B move */
    /* k in slices of about equal length, 1024 at least; their number is a power of two, up to 256, by k alone. A slice
     * has the sum of an undistributed product of its own, slices are added pair by pair, neighbours first, and alpha
     * and beta come last. Places may sum different slices of an element, so that partial sums of C move, too: sooner
     * where k is long beside C. A team of one place has the same bits. */
    LAY_TEAM_SUM_BY_SLICES = 1
} lay_team_sum;

/* Of plans that are created from now on; the same on all ranks, who agree. LAY_ERR_ARGUMENT (NULL, another
 * number). */
LAY_API lay_status lay_team_sum_order(lay_team *team, lay_team_sum order);

/* The number of places, and which of them this rank has; -1 for NULL. */
LAY_API int lay_team_places(const lay_team *team);
LAY_API int lay_team_first(const lay_team *team);
LAY_API int lay_team_own(const lay_team *team);

/* Storage for desc's parts at this rank's places, each in its place's memory, uninitialised: as lay_alloc gives it, an
 * address of offset 0 a place in out[own places], NULL where the place holds nothing. lay_free frees each. Errors as
 * lay_alloc, and LAY_ERR_SHAPE for another number of places than the team's; then there is none. */
LAY_API lay_status lay_team_alloc(const lay_team *team, lay_type type, const lay_desc *desc, void *out[]);

/* Bytes and messages of operands that this rank's places have sent to other places until now, those within the rank
 * with them. Pointers may be NULL. */
LAY_API void lay_team_traffic(const lay_team *team, int64_t *bytes, int64_t *messages);

/* ---- Products and copies ----------------------------------------------------------------------
 * C = alpha A B + beta C, all three over the team's places. C stays where it is: each place gets the rows of A and the
 * columns of B that its part of C takes, in steps while it multiplies, and computes its part as products of its own,
 * with all of k at once or in panels of k, as the plan finds sooner or memory bids. An element of C has the bits that
 * the undistributed product gives it on one CPU (docs/numerics.md), whatever the layouts and the team. Copies of C are
 * computed where they are. With LAY_TEAM_SUM_BY_SLICES places may sum parts of C that others hold: the plan chooses.
 *
 * Descriptors of rank 3 are batches of matrices, the first dimension that of the batch, dealt out as any other: a place
 * computes the products, rows and columns of its part of C.
 *
 * Operands are all of one type, and lie in host memory but for a team of devices, in one process or on ranks. In host
 * memory compute is strict. Devices of ranks are all of one compute capability.
 * options.device and the like are not looked at. */
typedef struct lay_team_plan lay_team_plan;

/* LAY_ERR_ARGUMENT, LAY_ERR_TYPE, LAY_ERR_RANK (other than three of rank 2, or of rank 3), LAY_ERR_SHAPE (also:
 * another number of places than the team's), LAY_ERR_OPTION, LAY_ERR_INJECTIVE (C at a place), LAY_ERR_OVERFLOW,
 * LAY_ERR_MEMORY, LAY_ERR_UNSUPPORTED (a batch by slices; in host memory backend CUDA and another compute than strict;
 * of devices backend CPU, options.stream, options.devices, and what lay_plan_create refuses), LAY_ERR_TEAM. The team
 * must outlive the plan. */
LAY_API lay_status lay_team_plan_create(lay_team *team, lay_type type, const lay_desc *desc_a, const lay_desc *desc_b,
                                        const lay_desc *desc_c, const lay_options *options, lay_team_plan **out);

/* a[i], b[i] and c[i] are the addresses of offset 0 of the parts at this rank's i-th place; NULL where it holds
 * nothing, and a, b or c itself may be NULL where none of them does. alpha and beta as in lay_gemm. LAY_ERR_ARGUMENT,
 * LAY_ERR_OVERLAP (C with A or B, at this rank), LAY_ERR_MEMORY, LAY_ERR_TEAM. A run that fails after it has begun says
 * "a part of C has been written". */
LAY_API lay_status lay_team_plan_run(lay_team_plan *plan, const void *alpha, const void *const a[],
                                     const void *const b[], const void *beta, void *const c[]);

/* What runs of a plan do at this rank's places. Start from LAY_TEAM_PLAN_INFO_INIT; the structure grows at its tail
 * only.
 */
typedef struct lay_team_plan_info {
    size_t struct_size;
    int64_t bytes_sent, messages_sent; /* of A, B and partial sums to other places, by each run: as lay_team_traffic
                                        * counts them */
    int64_t bytes_received;            /* from other places */
    int64_t bytes_bound;               /* that this many places of unlimited memory must receive all together, at least:
                                        * 3 (mnk/p)^(2/3) elements a place, more where sides are long, less those of A,
                                        * B and C that it has */
    int64_t workspace;                 /* bytes that the plan holds */
    int64_t steps;                     /* panels of k, times blocks of columns; slices of k that a place sums */
} lay_team_plan_info;
#define LAY_TEAM_PLAN_INFO_INIT                                                                                        \
    {                                                                                                                  \
        sizeof(lay_team_plan_info), 0, 0, 0, 0, 0, 0                                                                   \
    }
LAY_API lay_status lay_team_plan_query(const lay_team_plan *plan, lay_team_plan_info *info);

/* The same in words, for people: what each own place takes, the bounds and who proved them, memory, predicted time, the
 * ways that there were, and those refused. As snprintf. */
LAY_API int lay_team_plan_explain(const lay_team_plan *plan, char *text, size_t size);

/* NULL is fine. */
LAY_API void lay_team_plan_destroy(lay_team_plan *plan);

/* Create, run, destroy. */
LAY_API lay_status lay_team_gemm(lay_team *team, lay_type type, const lay_desc *desc_a, const lay_desc *desc_b,
                                 const lay_desc *desc_c, const void *alpha, const void *const a[],
                                 const void *const b[], const void *beta, void *const c[], const lay_options *options);

/* The plan of a contraction whose three tensors are over the team's places, of any rank: labels become matrices as in
 * lay_plan_create_product, and an element of C has the bits of lay_contract on one CPU, or by slices those of the
 * matrices' k. A run's addresses are those of the tensors' parts.
 *
 * Refused (LAY_ERR_UNSUPPORTED): several types, a D, an ending, sums by storage or in another precision, and sums by
 * slices of a batch (labels in A, B and C at once). Other errors as lay_plan_create_product and lay_team_plan_create.
 */
LAY_API lay_status lay_team_plan_create_product(lay_team *team, const lay_product *product, const lay_options *options,
                                                lay_team_plan **out);

/* Create, run, destroy: labels as "aecf,fbed->abcd". */
LAY_API lay_status lay_team_contract(lay_team *team, lay_type type, const char *labels, const lay_desc *desc_a,
                                     const lay_desc *desc_b, const lay_desc *desc_c, const void *alpha,
                                     const void *const a[], const void *const b[], const void *beta, void *const c[],
                                     const lay_options *options);

/* Copies each element of src to the element of dst with the same index, wherever the two layouts have it: from one
 * distribution to another, one message for each pair of places that share elements. As lay_copy: the root extents
 * match, of any rank; dst is injective and clear of src. Every copy of dst is written. src[i] and dst[i] as a[i] in
 * lay_team_plan_run. LAY_ERR_ARGUMENT, LAY_ERR_TYPE, LAY_ERR_RANK, LAY_ERR_SHAPE, LAY_ERR_INJECTIVE, LAY_ERR_OVERLAP,
 * LAY_ERR_MEMORY, LAY_ERR_DEVICE, LAY_ERR_TEAM. A copy that fails after it has begun says "a part of the destination
 * has been written". */
LAY_API lay_status lay_team_copy(lay_team *team, lay_type type, const lay_desc *from, const void *const src[],
                                 const lay_desc *to, void *const dst[]);

/* ---- Distributions that no layout says ---------------------------------------------------------
 * Tables say who holds which indices of each dimension, and each rank says of its own places alone where the elements
 * lie there: blocks that begin at any place, first blocks of another size, grids of places in any order, with places
 * that hold nothing, and leading dimensions that differ between places (ScaLAPACK's RSRC_, CSRC_ and LLD_). A part has
 * the place's indices of each dimension in ascending order. */
enum { LAY_DISTRIBUTION_RANK = 8 };
typedef struct lay_distribution {
    size_t struct_size;
    int rank;                    /* root dimensions, 1 to LAY_DISTRIBUTION_RANK */
    int inner;                   /* the one whose neighbours lie beside each other in the parts, for speed alone */
    int is_conjugated;           /* in a product: A or B is, if it is complex */
    const int64_t *extent;       /* [rank] */
    const int64_t *const *owner; /* [rank][extent]: the coordinate, 0 or more, whose places hold an index */
    const int64_t *coordinate;   /* [places of the team][rank]: of each place. A place holds the elements whose
                                  * owners are its coordinates; those with the same ones have copies, of each element
                                  * as many */
    const lay_desc *const *part; /* [own places]: where a place's elements lie; extents as it owns indices */
} lay_distribution;
#define LAY_DISTRIBUTION_INIT                                                                                          \
    {                                                                                                                  \
        sizeof(lay_distribution), 0, 0, 0, NULL, NULL, NULL, NULL                                                      \
    }

/* As lay_team_plan_create and lay_team_copy, with the same bits. All but the parts is the same on all ranks, and
 * nothing of a distribution need outlive the call. LAY_ERR_ARGUMENT, LAY_ERR_SHAPE also for tables that do not fit, and
 * LAY_ERR_UNSUPPORTED for elements with more copies than others. */
LAY_API lay_status lay_team_plan_create_distributed(lay_team *team, lay_type type, const lay_distribution *a,
                                                    const lay_distribution *b, const lay_distribution *c,
                                                    const lay_options *options, lay_team_plan **out);
LAY_API lay_status lay_team_copy_distributed(lay_team *team, lay_type type, const lay_distribution *from,
                                             const void *const src[], const lay_distribution *to, void *const dst[]);

#ifdef __cplusplus
}
#endif

#endif
