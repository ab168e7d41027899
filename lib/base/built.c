/* What library this is: its version, its commit, and how it was built. */
#include "base/built.h"

#include "base/commit.h"
#include "layoutgemm.h"

const char *lay_version(void)
{
    return LAY_VERSION;
}

int lay_version_number(void)
{
    return LAYOUTGEMM_VERSION;
}

const char *lay_version_commit(void)
{
    return LAY_COMMIT;
}

const char *lay_build_configuration(void)
{
    return LAY_BUILT;
}
