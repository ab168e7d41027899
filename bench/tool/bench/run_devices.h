/* A product over several devices beside one device's, of the same matrices: --devices. */
#ifndef RUN_DEVICES_H
#define RUN_DEVICES_H

#include "task.h"

/* The words are sizes of square matrices. 0, or the exit status after a sentence. */
int run_devices(const args *given, task *of);

#endif
