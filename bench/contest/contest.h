/* One product, timed for us and the peers in turns. */
#ifndef CONTEST_H
#define CONTEST_H

#include "bench/peers/peers.h"
#include "bench/problems/operand.h"
#include "bench/problems/problem.h"

enum { MAX_PEERS = 16, MAX_ENTRIES = 2 * MAX_PEERS + 4, MAX_ROUNDS = 1001 };

/* What is timed, and how. */
typedef struct terms {
    lay_type type;
    lay_options options; /* ours; the peers get the threads */
    lay_memory memory;   /* of all matrices */
    int is_plain;        /* in device memory: calls one by one, with the gaps between launches; else CUDA graphs */
    int is_cold;         /* in host memory: caches are emptied before each call */
    int rounds;
    double min_time;   /* seconds that one turn lasts at least */
    double pause;      /* seconds between turns, for idle threads of other runtimes to go to sleep */
    int show_row;      /* also our own product of the same sizes, all row-major */
    int show_strict;   /* also our own product by LAY_COMPUTE_STRICT */
    int show_copies;   /* and the row-major one between lay_copy there and back */
    int is_planned;    /* ours runs a plan made once */
    int show_plan;     /* also lay_plan_run, without the cache */
    int packed;        /* also with these operands packed: bit 0 A, bit 1 B */
    int is_by_storage; /* a contraction sums in the order in which its tensors lie */
    int copies;        /* peers + copies: 1 where a peer cannot read the layouts, 2 always, 0 never */
    const peer *peers;
    int peer_count;
    int has_roof;        /* what bounds a product's speed is measured too */
    const char *lock;    /* in device memory: a file that is held while the device is used, or NULL */
    const char *picture; /* of a report: the file, or NULL */
    int has_type;        /* of a report on a device: of this type alone */
} terms;

typedef enum role {
    ROLE_LAY,        /* the library, as its users call it */
    ROLE_LAY_PLAN,   /* a plan made once */
    ROLE_LAY_PACKED, /* the same with packed operands */
    ROLE_LAY_ROW,    /* the library on row-major matrices */
    ROLE_LAY_STRICT, /* the library by LAY_COMPUTE_STRICT */
    ROLE_LAY_COPIES, /* the same, between lay_copy to and from the problem's layouts */
    ROLE_PEER,       /* a peer, on row-major matrices where it cannot read the problem's layouts */
    ROLE_COPIES      /* a peer between lay_copy to and from row-major matrices */
} role;

/* What one contestant did. */
typedef struct result {
    role role;
    const peer *peer;
    char who[64];
    char how[64];    /* lay's kernel, "" when it is not known */
    int64_t calls;   /* in a row in each turn */
    double *seconds; /* [rounds], of one call */
} result;

typedef struct contest {
    int count;
    result results[MAX_ENTRIES]; /* the first is ROLE_LAY's */
    double *peak;                /* [rounds], GFLOP/s; NaN where it is not known */
    double *unit;                /* [rounds], what matrix units would make of split products; NaN where none is used */
    double roof_gflops;          /* what the device's units reach at most; NaN where it is not known, or peak says it */
    double roof_gbytes;          /* GB/s that memory gave; NaN where it is not asked for or known */
    int rounds;
} contest;

/* 0 where there is memory for a product's matrices, else the exit status after a sentence. */
int contest_check(const terms *under, const problem *of);

/* Checks and times. 0, or the exit status after a sentence, which a wrong result gets too.
 * contest_free in either case. */
int contest_run(const terms *under, const problem *of, contest *out);

/* The same for matrices in host memory, timed by the clock. */
int contest_on_host(const terms *under, const problem *of, contest *out);

/* The two for a contraction, which is timed with its plan kept; the second for tensors in host memory. */
int contest_check_contraction(const terms *under, const problem *of);
int contest_contraction(const terms *under, const problem *of, contest *out);

/* A new contestant without its times; NULL where there are as many as fit. */
result *contest_enter(contest *to, role as, const peer *whom, const char *who);
/* Room for everybody's times. 0, or the exit status after a sentence. */
int contest_seat(contest *of);

/* "lay, B packed" */
const char *contest_name_packed(int which);

/* The kernel that a plan names for operands in host (or device) memory, "" where it names none. */
void contest_name_kernel(const lay_plan *plan, int on_device, char out[64]);

void contest_free(contest *of);

#endif
