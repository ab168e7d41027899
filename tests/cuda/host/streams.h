/* Devices that are not there but compute: streams and events of CUDA's meaning, of which whatever may come next comes
 * next at random, and one kernel that does as its contract says (kernels/cuda_strict.h). Between what the library puts
 * into streams and what becomes of it lies any delay, so that what forgets to wait reads the wrong numbers. */
#ifndef LAY_TESTS_CUDA_STREAMS_H
#define LAY_TESTS_CUDA_STREAMS_H

#include <stddef.h>

#include "device/driver.h"

enum { STREAMS_DEVICES = 3 };

/* They are there from here on; all of an H200's figures. */
void streams_install(void);
extern lay_device streams_device[STREAMS_DEVICES];

/* For the next run: the seed of what comes next, and the sums of products as so many slices of k on each device. */
typedef struct streams_setting {
    unsigned long long seed;
    int slices[STREAMS_DEVICES];
    int is_lazy;     /* nothing comes until the library asks for something */
    int still;       /* a device of which nothing comes until nothing else can; -1: none */
    long calls;      /* that succeed before one fails; negative: none fails */
    int lacks;       /* that one has too little memory */
    int is_captured; /* all streams are */
    int is_gone;     /* there are none any more: the process was forked */
} streams_setting;
extern streams_setting streams_now;

/* What has come of it since streams_begin. */
typedef struct streams_account {
    int launches[STREAMS_DEVICES];
    int behind_still;             /* launches that came while the device of .still had none */
    size_t most[STREAMS_DEVICES]; /* bytes of a device's memory at a time */
    int calls, has_failed;
} streams_account;
extern streams_account streams_seen;
void streams_begin(void);

/* Everything that was taken has been given back, and nothing is under way. */
int streams_are_at_rest(void);

/* Memory of bytes at an address counts as of that place from here on, LAY_PLACE_DEVICE as device 0's. */
void streams_place(const void *at, size_t bytes, lay_place place);
void streams_forget_places(void);

#endif
