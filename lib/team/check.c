/* Arguments of a team's products and copies. */
#include "team/check.h"

#include "base/status.h"
#include "layout/places.h"

lay_status lay_team_check_type(lay_type type)
{
    return lay_type_size(type) ? LAY_OK : lay_fail(LAY_ERR_TYPE, "%d is no lay_type", (int)type);
}

lay_status lay_team_check_desc(const lay_team *team, const lay_desc *desc, const char *name)
{
    if (!desc)
        return lay_fail(LAY_ERR_ARGUMENT, "the descriptor of %s is NULL", name);
    if (lay_desc_places(desc) != team->places)
        return lay_fail(LAY_ERR_SHAPE, "%s is spread over %lld place%s, but the team has %d", name,
                        (long long)lay_desc_places(desc), lay_desc_places(desc) == 1 ? "" : "s", team->places);
    return LAY_OK;
}

static const char *find_first(lay_type type, const lay_desc *part, const void *zero)
{
    return (const char *)zero + lay_desc_offset(part, 1, &(int64_t){ 0 }) * (int64_t)lay_type_size(type);
}

lay_status lay_team_check_address(const lay_team *team, lay_type type, const lay_desc *part, const void *address,
                                  const char *name, int place)
{
    if (lay_desc_extent(part, "") == 0)
        return LAY_OK;
    if (!address)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL for place %d, which holds elements", name, place);
    return team->kind->check(&team->room[place - team->first], find_first(type, part, address), name, place);
}

lay_status lay_team_check_source(const lay_team *team, lay_type type, const lay_desc *part, const void *address,
                                 const char *name, int place)
{
    const lay_status status = lay_team_check_address(team, type, part, address, name, place);
    if (status != LAY_OK || lay_desc_extent(part, "") == 0)
        return status;
    return team->kind->check_source(team->room, team->each, place - team->first, find_first(type, part, address), name,
                                    place);
}

lay_status lay_team_check_apart(lay_type type, const lay_desc *x, const void *x_zero, const char *x_name,
                                const lay_desc *y, const void *y_zero, const char *y_name)
{
    if (lay_desc_extent(x, "") == 0 || lay_desc_extent(y, "") == 0 || !y_zero)
        return LAY_OK;
    const int apart = lay_desc_is_apart(x, x_zero, y, y_zero, lay_type_size(type));
    if (apart == 0)
        return lay_fail(LAY_ERR_OVERLAP,
                        "%s cannot be shown to stay clear of %s, whose elements lie in the same memory", y_name,
                        x_name);
    return apart < 0 ? LAY_ERR_MEMORY : LAY_OK;
}

uint64_t lay_team_hash_desc(uint64_t hash, const lay_desc *desc)
{
    size_t size;
    const void *const key = lay_desc_key(desc, &size);
    const lay_grid *const grid = lay_desc_grid(desc);
    hash = lay_team_hash(hash, key, size);
    for (int d = 0; d < grid->count; d++) {
        const int64_t dim[] = { grid->dim[d].extent, grid->dim[d].is_replicated };
        hash = lay_team_hash(hash, dim, sizeof dim);
    }
    return hash;
}
