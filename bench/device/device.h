/* What the tool itself does with a CUDA device: memory, one stream, and turns timed by events. Only what
 * cuda_part.h names reaches here: a build without CUDA has none of it. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "layoutgemm.h"

/* Makes a device the current one, LAY_DEVICE_AUTO for the one that is open or the first. 0, or the exit status after a
 * sentence. */
int device_open(int number);

/* 1 where there is one to open. Silent. */
int device_is_here(void);

typedef struct device_facts {
    char name[256];
    int number, driver, runtime; /* versions: 13000 for 13.0 */
    size_t l2, memory;           /* bytes */
    int capability;              /* 90 for 9.0 */
    int multiprocessors;
    double clock;    /* Hz, the highest; 0 where it is not known */
    double start_up; /* seconds that opening it took */
    void *stream;    /* of all that the tool enqueues */
} device_facts;
const device_facts *device_get(void); /* of the open one */

/* Memory, copies and waiting; NULL is fine to free. 0, or the exit status after a sentence. */
int device_allocate(size_t size, void **out);
void device_free(void *memory);
int device_upload(void *to, const void *from, size_t size);
int device_download(void *to, const void *from, size_t size);
int device_fill(void *to, int byte, size_t size);
int device_repeat(void *to, const void *from, size_t period, size_t size); /* from's bytes over and over */
int device_move(void *to, const void *from, size_t size);                  /* enqueues; between any two memories */
int device_wait(void);

/* A stream of one thread's own. */
int device_stream_create(void **out);
int device_stream_wait(void *stream);
void device_stream_destroy(void *stream);

/* Page-locked host memory. */
int device_pin(size_t size, void **out);
void device_unpin(void *memory);

/* Calls in a row on the open device's stream, call i on the (i % sets)-th set of what they work on. */
typedef struct device_turn {
    lay_status (*call)(void *self, int set);
    void *self;
    int sets;
    int is_plain; /* enqueued one by one, with the gaps between launches in the time, else one CUDA graph; set by
                   * device_race for what cannot be captured */
    int calls, is_long;
    void *graph;
} device_turn;

/* Prepares turns of min_time at least and takes them in rounds, each round beginning with another:
 * seconds[i][round] of a call of list[i]. Short turns have one before them that is not timed, while which they
 * are enqueued. 0, or the exit status after a sentence; device_turn_free in either case. */
int device_race(device_turn *const list[], double *const seconds[], int count, int rounds, double min_time);
void device_turn_free(device_turn *of);

#endif
