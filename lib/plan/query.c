/* A plan's choices in numbers, for programs. */
#include <stddef.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "plan/branch.h"
#include "plan/plan.h"

static void fill(const lay_branch *root, lay_plan_info *info)
{
    lay_text way = { .to = info->way, .size = sizeof info->way };
    info->seconds = root->job.seconds;
    info->flops = lay_problem_flops(&root->problem);
    info->workspace = root->job.workspace;
    info->threads = root->job.threads;
    info->devices = root->setting.order->backend == LAY_BACKEND_CUDA;
    if (lay_branch_leaf(root)->job.devices > 1)
        info->devices = lay_branch_leaf(root)->job.devices;
    info->kernel = root->job.kernel;
    lay_branch_name(root, &way);
}

static lay_status find_root(const lay_plan *plan, lay_memory kind, const lay_branch **root)
{
    static const lay_place place[] = { [LAY_MEMORY_HOST] = LAY_PLACE_HOST,
                                       [LAY_MEMORY_PINNED] = LAY_PLACE_PINNED,
                                       [LAY_MEMORY_DEVICE] = LAY_PLACE_DEVICE };
    lay_plan *const remembering = (lay_plan *)plan; /* plans are made in memory that may be written */
    lay_route *route;
    const lay_places places = lay_places_all(place[kind], lay_plan_device(plan));
    const lay_status status = lay_plan_find_route(remembering, &places, &route);
    if (status == LAY_OK)
        *root = route->root;
    return status;
}

lay_status lay_plan_query(const lay_plan *plan, lay_memory kind, lay_plan_info *info)
{
    const lay_branch *root;
    if (!plan || !info)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", !plan ? "plan" : "info");
    if (info->struct_size < sizeof *info)
        return lay_fail(LAY_ERR_OPTION, "info.struct_size is %zu, not at least %zu: start from LAY_PLAN_INFO_INIT",
                        info->struct_size, sizeof *info);
    if ((unsigned)kind > LAY_MEMORY_DEVICE)
        return lay_fail(LAY_ERR_OPTION, "%d is no lay_memory", (int)kind);
    const lay_status status = find_root(plan, kind, &root);
    if (status == LAY_OK)
        fill(root, info);
    return status;
}
