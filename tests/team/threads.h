/* A transport between threads of one process, on which ranks can be lost: for tests. */
#ifndef LAY_TESTS_TEAM_THREADS_H
#define LAY_TESTS_TEAM_THREADS_H

#include <pthread.h>
#include <stdatomic.h>

#include "layoutgemm_team.h"

enum { MOST_RANKS = 9, MOST_TAGS = 128 };

/* Messages under way, in the order in which they were sent. */
typedef struct letter {
    struct letter *next;
    int from, to, tag;
    int64_t number; /* among those of these three: the receive that gets it has the same one */
    int64_t bytes;
    char data[];
} letter;

typedef struct post {
    pthread_mutex_t lock;
    letter *first, **last;
    _Atomic int64_t bytes; /* of letters sent */
    int ranks;
    int mute, fails_at; /* this rank is dead after so many sends, or fails; -1: none */
    int is_error;       /* it is told so, instead of being silent */
} post;

/* One rank's end. */
typedef struct end {
    post *at;
    int rank, sends;
    int64_t sent[MOST_RANKS][MOST_TAGS], awaited[MOST_RANKS][MOST_TAGS];
} end;

void post_open(post *at, int ranks);
void post_close(post *at);

/* The team of a rank; end lives as long as the team. */
lay_team *post_team(post *at, end *of, int rank, int places_each);

/* The same with rooms: devices as in lay_team_create_devices. */
lay_status post_team_devices(post *at, end *of, int rank, int count, const int devices[], lay_team **team);

/* Runs task(argument, rank) on as many threads. */
void post_run(const post *at, void (*task)(void *argument, int rank), void *argument);

#endif
