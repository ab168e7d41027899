/* What the CPU says of itself, and its caches. */
#include "machine/identity.h"

#include <string.h>

#include "machine/isa.h"
#include "machine/machine.h"

#if LAY_X86
#include <cpuid.h>

int lay_identity_find(lay_identity *identity)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(0, &a, &b, &c, &d))
        return 0;
    memcpy(identity->vendor, &b, 4);
    memcpy(identity->vendor + 4, &d, 4);
    memcpy(identity->vendor + 8, &c, 4);
    identity->vendor[12] = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return 0;
    const unsigned base = a >> 8 & 15;
    identity->family = base == 15 ? base + (a >> 20 & 255) : base;
    identity->model = (a >> 4 & 15) | (a >> 12 & 0xf0);
    return 1;
}
#else
int lay_identity_find(lay_identity *identity)
{
    (void)identity;
    return 0;
}
#endif

void lay_machine_fingerprint(lay_text *text)
{
    const lay_machine *machine = lay_machine_get();
    lay_identity own;
    if (lay_identity_find(&own))
        lay_text_add(text, "x86 %s %u %u", own.vendor, own.family, own.model);
    else
        lay_text_add(text, "other"); /* its caches have to tell it */
    lay_text_add(text, " l1 %lld l2 %lld l3 %lld", (long long)machine->l1, (long long)machine->l2,
                 (long long)machine->l3);
}
