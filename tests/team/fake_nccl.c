/* A stand-in for NCCL between threads of one process, in host memory, without streams: what tests load in its place. As
 * NCCL's, communicators that do not block go on when they are asked. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS, INVALID = 4, MISUSED = 5, IN_PROGRESS = 7, MOST = 64 };

typedef struct ticket {
    char bytes[128];
} ticket;

typedef struct configuration {
    size_t size;
    unsigned magic, version;
    int blocking;
} configuration;

/* On its way, or waited for. */
typedef struct letter {
    struct letter *next;
    int team, from, to;
    size_t bytes;
    void *data; /* of one that is waited for, where it goes */
} letter;

typedef struct comm {
    int team, places, place;
    letter *awaited;
} comm;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static letter *sent;
static int tickets, joined[1 << 20];
static _Thread_local int depth;

int ncclGetUniqueId(ticket *out)
{
    pthread_mutex_lock(&lock);
    memset(out, 0, sizeof *out);
    memcpy(out->bytes, &tickets, sizeof tickets);
    tickets++;
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

int ncclCommInitRankConfig(void **out, int places, ticket of, int place, const configuration *as)
{
    comm *const made = calloc(1, sizeof *made);
    if (as->magic != 0xcafebeef || as->blocking != 0 || place < 0 || place >= places)
        return INVALID;
    memcpy(&made->team, of.bytes, sizeof made->team);
    made->places = places;
    made->place = place;
    pthread_mutex_lock(&lock);
    joined[made->team]++;
    pthread_mutex_unlock(&lock);
    *out = made;
    return IN_PROGRESS;
}

static void append(letter **list, letter *one)
{
    while (*list)
        list = &(*list)->next;
    *list = one;
}

static letter *make(const comm *of, int from, int to, size_t bytes, void *data)
{
    letter *const made = calloc(1, sizeof *made);
    *made = (letter){ NULL, of->team, from, to, bytes, data };
    return made;
}

int ncclGroupStart(void)
{
    depth++;
    return SUCCESS;
}

int ncclGroupEnd(void)
{
    return depth-- > 0 ? IN_PROGRESS : MISUSED;
}

int ncclSend(const void *data, size_t count, int type, int to, comm *of, void *stream)
{
    (void)stream;
    if (depth == 0 || type != 0 || to == of->place)
        return MISUSED;
    letter *const made = make(of, of->place, to, count, malloc(count));
    memcpy(made->data, data, count);
    pthread_mutex_lock(&lock);
    append(&sent, made);
    pthread_mutex_unlock(&lock);
    return IN_PROGRESS;
}

int ncclRecv(void *data, size_t count, int type, int from, comm *of, void *stream)
{
    (void)stream;
    if (depth == 0 || type != 0 || from == of->place)
        return MISUSED;
    append(&of->awaited, make(of, from, of->place, count, data));
    return IN_PROGRESS;
}

/* Takes the first letter that is waited for out of those sent. 0: it is not there. -1: it is another. */
static int take(letter *wanted)
{
    for (letter **at = &sent; *at; at = &(*at)->next) {
        letter *const one = *at;
        if (one->team != wanted->team || one->from != wanted->from || one->to != wanted->to)
            continue;
        *at = one->next;
        const int is_right = one->bytes == wanted->bytes;
        if (is_right)
            memcpy(wanted->data, one->data, one->bytes);
        free(one->data);
        free(one);
        return is_right ? 1 : -1;
    }
    return 0;
}

int ncclCommGetAsyncError(comm *of, int *state)
{
    pthread_mutex_lock(&lock);
    *state = joined[of->team] < of->places ? IN_PROGRESS : SUCCESS;
    while (*state == SUCCESS && of->awaited) {
        letter *const first = of->awaited;
        const int taken = take(first);
        if (taken <= 0) {
            *state = taken < 0 ? INVALID : IN_PROGRESS;
            break;
        }
        of->awaited = first->next;
        free(first);
    }
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

int ncclCommAbort(comm *of)
{
    while (of->awaited) {
        letter *const first = of->awaited;
        of->awaited = first->next;
        free(first);
    }
    free(of);
    return SUCCESS;
}

const char *ncclGetErrorString(int error)
{
    return error == INVALID ? "another message" : "misused";
}
