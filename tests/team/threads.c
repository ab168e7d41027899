/* Ranks that are threads: letters in one list. */
#include "threads.h"

#include <stdlib.h>
#include <string.h>

/* A receive that is open: where its letter goes. */
typedef struct open {
    int is_receive, from, tag;
    void *data;
    int64_t number, bytes;
} open;

enum { FAILED = 7 };

void post_open(post *at, int ranks)
{
    memset(at, 0, sizeof *at);
    pthread_mutex_init(&at->lock, NULL);
    at->last = &at->first;
    at->ranks = ranks;
    at->mute = -1;
}

void post_close(post *at)
{
    while (at->first) {
        letter *const next = at->first->next;
        free(at->first);
        at->first = next;
    }
    pthread_mutex_destroy(&at->lock);
}

static int send(void *context, int to, int tag, const void *data, int64_t bytes, void **request)
{
    end *const of = context;
    post *const at = of->at;
    if (of->rank == at->mute && of->sends++ >= at->fails_at) {
        if (at->is_error)
            return FAILED;
        *request = calloc(1, sizeof(open)); /* lost on its way */
        return 0;
    }
    letter *const made = malloc(sizeof *made + (size_t)bytes);
    *made = (letter){ .from = of->rank, .to = to, .tag = tag, .number = of->sent[to][tag]++, .bytes = bytes };
    memcpy(made->data, data, (size_t)bytes);
    pthread_mutex_lock(&at->lock);
    *at->last = made;
    at->last = &made->next;
    at->bytes += tag >= 64 ? bytes : 0; /* of operands */
    pthread_mutex_unlock(&at->lock);
    *request = calloc(1, sizeof(open));
    return 0;
}

static int receive(void *context, int from, int tag, void *data, int64_t bytes, void **request)
{
    end *const of = context;
    open *const made = malloc(sizeof *made);
    *made = (open){ 1, from, tag, data, of->awaited[from][tag]++, bytes };
    *request = made;
    return 0;
}

static int test(void *context, void **request, int *is_done)
{
    end *const of = context;
    post *const at = of->at;
    open *const wanted = *request;
    int error = 0;
    *is_done = !wanted->is_receive;
    pthread_mutex_lock(&at->lock);
    for (letter **link = &at->first; *link && !*is_done; link = &(*link)->next) {
        letter *const one = *link;
        if (one->to != of->rank || one->from != wanted->from || one->tag != wanted->tag ||
            one->number != wanted->number)
            continue;
        *is_done = 1;
        error = one->bytes == wanted->bytes ? 0 : FAILED;
        if (!error)
            memcpy(wanted->data, one->data, (size_t)one->bytes);
        *link = one->next;
        if (at->last == &one->next)
            at->last = link;
        free(one);
        break;
    }
    pthread_mutex_unlock(&at->lock);
    if (*is_done) {
        free(wanted);
        *request = NULL;
    }
    return error;
}

static int drop(void *context, void **request, int *is_free)
{
    (void)context;
    free(*request);
    *request = NULL;
    *is_free = 1;
    return 0;
}

static const char *say(void *context, int number)
{
    (void)context;
    return number == FAILED ? "the line is cut" : "what is that?";
}

static lay_transport make_transport(post *at, end *of, int rank)
{
    *of = (end){ .at = at, .rank = rank };
    return (lay_transport){ .struct_size = sizeof(lay_transport),
                            .rank = rank,
                            .ranks = at->ranks,
                            .context = of,
                            .send = send,
                            .receive = receive,
                            .test = test,
                            .drop = drop,
                            .say = say };
}

lay_team *post_team(post *at, end *of, int rank, int places_each)
{
    lay_team *team = NULL;
    const lay_transport transport = make_transport(at, of, rank);
    return lay_team_create(&transport, places_each, &team) == LAY_OK ? team : NULL;
}

lay_status post_team_devices(post *at, end *of, int rank, int count, const int devices[], lay_team **team)
{
    const lay_transport transport = make_transport(at, of, rank);
    return lay_team_create_devices(&transport, count, devices, team);
}

typedef struct start {
    void (*task)(void *argument, int rank);
    void *argument;
    int rank;
} start;

static void *begin(void *given)
{
    const start *const of = given;
    of->task(of->argument, of->rank);
    return NULL;
}

void post_run(const post *at, void (*task)(void *argument, int rank), void *argument)
{
    pthread_t thread[MOST_RANKS];
    start of[MOST_RANKS];
    for (int rank = 0; rank < at->ranks; rank++) {
        of[rank] = (start){ task, argument, rank };
        pthread_create(&thread[rank], NULL, begin, &of[rank]);
    }
    for (int rank = 0; rank < at->ranks; rank++)
        pthread_join(thread[rank], NULL);
}
