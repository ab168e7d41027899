/* Tuned plans in files. */
#include "base/status.h"
#include "plan/tuning/file.h"
#include "plan/tuning/store.h"
#include "ways.h"

lay_status lay_tuning_load(const char *path)
{
    if (!path)
        return lay_fail(LAY_ERR_ARGUMENT, "path is NULL");
    const lay_status status = lay_tuning_check(&lay_all_ways); /* what LAY_TUNING names comes first */
    return status == LAY_OK ? lay_tuning_load_file(&lay_all_ways, path, path) : status;
}

lay_status lay_tuning_save(const char *path)
{
    if (!path)
        return lay_fail(LAY_ERR_ARGUMENT, "path is NULL");
    const lay_status status = lay_tuning_check(&lay_all_ways);
    return status == LAY_OK ? lay_tuning_save_file(path) : status;
}

void lay_tuning_forget(void)
{
    lay_tuning_check(&lay_all_ways); /* read now, it is not read again */
    lay_store_forget();
}

unsigned lay_tuning_generation(void)
{
    return lay_store_generation();
}
