/* MPI as a transport: messages that are polled, on a communicator of the team's own. */
#include <stdlib.h>

#include "layoutgemm_mpi.h"

/* A team's communicator. */
typedef struct link {
    MPI_Comm comm;
    int is_lost; /* a request was given up: no call that waits for all ranks may follow */
    char sentence[MPI_MAX_ERROR_STRING];
} link;

/* A request, which moves: MPI keeps the address of the memory, not of the handle. */
typedef struct open {
    MPI_Request request;
    int is_receive;
} open;

static int start(int error, open *made, void **request)
{
    if (error == MPI_SUCCESS)
        *request = made;
    else
        free(made);
    return error;
}

static int send(void *context, int to, int tag, const void *data, int64_t bytes, void **request)
{
    link *const by = context;
    open *const made = calloc(1, sizeof *made);
    if (!made)
        return MPI_ERR_NO_MEM;
    return start(MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag, by->comm, &made->request), made, request);
}

static int receive(void *context, int from, int tag, void *data, int64_t bytes, void **request)
{
    link *const by = context;
    open *const made = calloc(1, sizeof *made);
    if (!made)
        return MPI_ERR_NO_MEM;
    made->is_receive = 1;
    return start(MPI_Irecv(data, (int)bytes, MPI_BYTE, from, tag, by->comm, &made->request), made, request);
}

static int test(void *context, void **request, int *is_done)
{
    (void)context;
    open *const of = *request;
    const int error = MPI_Test(&of->request, is_done, MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS || *is_done) {
        free(of);
        *request = NULL;
    }
    return error;
}

/* A receive that is cancelled leaves its memory alone; what is sent may be read for as long as it takes. */
static int drop(void *context, void **request, int *is_free)
{
    enum { TRIES = 1000 };
    link *const by = context;
    open *const of = *request;
    by->is_lost = 1;
    *is_free = 0;
    if (of->is_receive)
        MPI_Cancel(&of->request);
    for (int i = 0; i < TRIES && !*is_free; i++)
        if (MPI_Test(&of->request, is_free, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            break;
    if (!*is_free && of->request != MPI_REQUEST_NULL)
        MPI_Request_free(&of->request);
    free(of);
    *request = NULL;
    return 0;
}

static const char *say(void *context, int number)
{
    link *const by = context;
    int length = 0;
    if (MPI_Error_string(number, by->sentence, &length) != MPI_SUCCESS)
        return "MPI has no words for it";
    return by->sentence;
}

static void destroy(void *context)
{
    link *const by = context;
    int is_finalized = 0;
    MPI_Finalized(&is_finalized);
    if (!is_finalized && !by->is_lost)
        MPI_Comm_free(&by->comm);
    free(by);
}

/* NULL, or why there is no MPI to use. */
static const char *find_mpi(void)
{
    int is_there = 0, is_gone = 0;
    MPI_Initialized(&is_there);
    if (!is_there)
        return "MPI_Init has not been called";
    MPI_Finalized(&is_gone);
    return is_gone ? "MPI_Finalize has been called" : NULL;
}

/* The team of a transport: of ranks without rooms, or with them. */
static lay_status create(const lay_transport *transport, int has_rooms, int count, const int devices[], lay_team **out)
{
    return has_rooms ? lay_team_create_devices(transport, count, devices, out) : lay_team_create(transport, 1, out);
}

static lay_status make_team(MPI_Comm comm, int has_rooms, int count, const int devices[], lay_team **out)
{
    const char *const lack = !out ? "out is NULL" : find_mpi();
    int is_inter = 0;
    if (lack || comm == MPI_COMM_NULL)
        return lay_team_refuse(LAY_ERR_ARGUMENT, lack ? lack : "comm is MPI_COMM_NULL");
    if (MPI_Comm_test_inter(comm, &is_inter) == MPI_SUCCESS && is_inter)
        return lay_team_refuse(LAY_ERR_ARGUMENT, "comm is an intercommunicator: MPI_Intercomm_merge makes one of it");
    link *const made = calloc(1, sizeof *made);
    if (!made)
        return lay_team_refuse(LAY_ERR_MEMORY, "no memory for a team");
    lay_transport transport = { .struct_size = sizeof transport,
                                .context = made,
                                .send = send,
                                .receive = receive,
                                .test = test,
                                .drop = drop,
                                .say = say,
                                .destroy = destroy };
    int error = MPI_Comm_dup(comm, &made->comm);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_set_errhandler(made->comm, MPI_ERRORS_RETURN);
    if (error != MPI_SUCCESS) {
        const lay_status status = lay_team_refuse(LAY_ERR_TEAM, say(made, error));
        free(made);
        return status;
    }
    MPI_Comm_rank(made->comm, &transport.rank);
    MPI_Comm_size(made->comm, &transport.ranks);
    const lay_status status = create(&transport, has_rooms, count, devices, out);
    if (status != LAY_OK)
        destroy(made);
    return status;
}

lay_status lay_team_mpi(MPI_Comm comm, lay_team **out)
{
    return make_team(comm, 0, 1, NULL, out);
}

lay_status lay_team_mpi_devices(MPI_Comm comm, int count, const int devices[], lay_team **out)
{
    return make_team(comm, 1, count, devices, out);
}
