/* Which machine this is: for rates that fit it, and for what was measured on it. */
#ifndef LAY_MACHINE_IDENTITY_H
#define LAY_MACHINE_IDENTITY_H

#include "base/text.h"

/* An x86 CPU as it says itself; 0: it is none. */
typedef struct lay_identity {
    char vendor[13];
    unsigned family, model;
} lay_identity;
int lay_identity_find(lay_identity *identity);

/* "x86 AuthenticAMD 25 17 l1 32768 l2 1048576 l3 33554432": what is equal on machines of one kind. */
void lay_machine_fingerprint(lay_text *text);

#endif
