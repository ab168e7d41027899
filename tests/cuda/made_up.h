/* A device to plan for where there is none: an H200's figures. */
#ifndef MADE_UP_H
#define MADE_UP_H

#include "device/driver.h"

#define MADE_UP_H200                                                                                                   \
    {                                                                                                                  \
        .name = "a device of these tests", .sm = 90, .multiprocessors = 132, .shared_per_block = 227 << 10,            \
        .shared_per_sm = 228 << 10, .l2 = 60 << 20, .memory = (size_t)141 << 30, .ghz = 1.98,                          \
        .bytes_per_second = 4.8e12, .link_per_second = 50e9                                                            \
    }

#endif
