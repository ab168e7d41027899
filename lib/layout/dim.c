/* Dimensions on their way from one descriptor to another: loading, parts, slices, paths. */
#include "layout/build.h"

#include "base/arith.h"
#include "base/status.h"

lay_dim lay_dim_load(lay_arena *arena, const lay_desc *desc, int i)
{
    return (lay_dim){ lay_shape_load(arena, desc->shape[i]), lay_func_load(arena, desc->map[i]) };
}

lay_dim lay_dim_whole(lay_arena *arena, int n, const lay_dim dims[])
{
    if (n == 1)
        return dims[0];
    const lay_shape *shape[LAY_MAX_NODES];
    const lay_func *func[LAY_MAX_NODES];
    for (int i = 0; i < n; i++) {
        shape[i] = dims[i].shape;
        func[i] = dims[i].func;
    }
    return (lay_dim){ lay_shape_list(arena, n, shape), lay_func_list(arena, n, func) };
}

lay_dim lay_dim_part(lay_arena *arena, lay_dim dim, int c)
{
    if (!dim.shape || !dim.func)
        return (lay_dim){ NULL, NULL };
    const lay_shape *const shape = dim.shape->part[c];
    if (dim.func->extent == 0) /* no element says how its parts would step */
        return (lay_dim){ shape, lay_func_leaf(arena, shape->extent, 0, 0) };
    const lay_func *const func = lay_func_range(arena, dim.func, 0, lay_shape_place(dim.shape, c), shape->extent);
    return (lay_dim){ shape, c > 0 ? lay_func_shift(arena, func, -lay_func_at(dim.func, 0)) : func };
}

lay_dim lay_dim_slice(lay_arena *arena, lay_dim dim, int64_t start, int64_t count)
{
    return (lay_dim){ lay_shape_slice(arena, dim.shape, start, count),
                      lay_func_range(arena, dim.func, start, 1, count) };
}

int64_t lay_natural_before(int64_t stride, int64_t extent)
{
    int64_t product;
    if (extent == 0)
        return 0;
    return stride >= 0 && fits_mul(stride, extent, &product) ? product : -1;
}

int lay_path_read(const char *path, int numbers[LAY_MAX_DEPTH])
{
    int count = 0;
    if (!path || !*path)
        return 0;
    for (const char *at = path;; at++) {
        if (*at < '0' || *at > '9' || count == LAY_MAX_DEPTH) {
            lay_fail(LAY_ERR_REFERENCE, "\"%.40s\" is no path: numbers joined by '_' are", path);
            return -1;
        }
        int number = 0;
        for (; *at >= '0' && *at <= '9'; at++)
            number = number < 100000 ? number * 10 + (*at - '0') : number;
        numbers[count++] = number;
        if (!*at)
            return count;
        if (*at != '_') {
            lay_fail(LAY_ERR_REFERENCE, "\"%.40s\" is no path: numbers joined by '_' are", path);
            return -1;
        }
    }
}
