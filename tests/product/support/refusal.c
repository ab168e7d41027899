#include "refusal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

void expect_sentence(const char *what, const char *fact)
{
    if (!strstr(lay_last_error(), fact))
        fail_msg("%s: \"%s\" does not say \"%s\"", what, lay_last_error(), fact);
}

void expect_refusal(const char *what, lay_status got, lay_status wanted, const char *fact)
{
    if (got != wanted)
        fail_msg("%s: %s, not %s", what, lay_status_name(got), lay_status_name(wanted));
    expect_sentence(what, fact);
}
