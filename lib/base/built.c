/* What library this is: its version, and how it was built. */
#include "base/built.h"

#include "layoutgemm.h"

const char *lay_version(void)
{
    return LAY_VERSION;
}

const char *lay_build_configuration(void)
{
    return LAY_BUILT;
}
