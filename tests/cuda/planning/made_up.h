/* A device to plan for where there is none: an H200's figures. What runs needs a real one. */
#ifndef MADE_UP_H
#define MADE_UP_H

#include "device/driver.h"

#define MADE_UP_H200                                                                                                   \
    {                                                                                                                  \
        .name = "a device of these tests", .sm = 90, .multiprocessors = 132, .shared_per_block = 227 << 10,            \
        .shared_per_sm = 228 << 10, .l2 = 60 << 20, .memory = (size_t)141 << 30, .ghz = 1.98,                          \
        .bytes_per_second = 4.8e12, .link_per_second = 50e9                                                            \
    }

/* Sees to it that it is the one device there is, whatever this machine has. */
void made_up_install(void);
extern lay_device made_up;

#endif
