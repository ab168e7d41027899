/* The picture of a layout that lay show draws, as the text of an SVG. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/show/picture/picture.h"
#include "core.h"
#include "layoutgemm_team.h"

/* What cannot be drawn so; 0 with an exception. */
static int check(const lay_desc *desc, const sheet_look *look)
{
    const int rank = lay_desc_rank(desc);
    int64_t rows, columns;
    if ((look->by == SHEET_BY_OWNER || look->by == SHEET_BY_THREAD) && rank != 2)
        return core_refuse(LAY_ERR_RANK, "owners and threads are those of a matrix, and the layout has rank %d", rank),
               0;
    if (look->by == SHEET_BY_THREAD && look->type != LAY_F32 && look->type != LAY_F64)
        return core_refuse(LAY_ERR_UNSUPPORTED, "the threads are those of a kernel of float32 and float64"), 0;
    sheet_measure(desc, look->by, &rows, &columns);
    if ((look->zoom[0] || look->zoom[1]) && (look->zoom[0] >= rows || look->zoom[1] >= columns))
        return core_refuse(LAY_ERR_EXTENT, "zoom is at (%lld, %lld), and there are %lld rows and %lld columns",
                           (long long)look->zoom[0], (long long)look->zoom[1], (long long)rows, (long long)columns),
               0;
    return 1;
}

static PyObject *draw(const lay_desc *desc, const char *title, const sheet_look *look)
{
    scene made = { 0 };
    char *text = NULL;
    size_t length = 0;
    FILE *const to = open_memstream(&text, &length);
    int is_whole = 0;
    if (to) {
        is_whole = picture_add(&made, title, desc, look) && scene_print_svg(&made, to);
        is_whole = fclose(to) == 0 && is_whole;
    }
    scene_free(&made);
    PyObject *const svg = is_whole ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "strict") : PyErr_NoMemory();
    free(text);
    return svg;
}

PyObject *core_draw(PyObject *module, PyObject *args)
{
    const lay_desc *desc;
    const char *title, *by;
    PyObject *layout, *type;
    long long zoom[2];
    sheet_look look = { .by = SHEET_BY_BLOCK };
    (void)module;
    if (!PyArg_ParseTuple(args, "OszO(LL)(ii):draw", &layout, &title, &by, &type, &zoom[0], &zoom[1], &look.owners[0],
                          &look.owners[1]) ||
        !layout_read(layout, "layout", &desc) || !core_type_read(type, &look.type))
        return NULL;
    if (!desc)
        return PyErr_Format(PyExc_TypeError, "a Layout is drawn");
    if (by && !sheet_by_named(by, &look.by))
        return core_refuse(LAY_ERR_OPTION, "by is %s, not '%s'", SHEET_BY_NAMES, by);
    if (!by && lay_desc_places(desc) > 1)
        look.by = SHEET_BY_PLACE;
    if (zoom[0] < 0 || zoom[1] < 0)
        return core_refuse(LAY_ERR_EXTENT, "zoom is an index, from 0 on");
    for (int i = 0; i < 2; i++) {
        look.zoom[i] = zoom[i];
        if (look.owners[i] < 1 || look.owners[i] > SHEET_MOST_OWNERS)
            return core_refuse(LAY_ERR_OPTION, "grid has from 1 to %d threads a side", SHEET_MOST_OWNERS);
    }
    return check(desc, &look) ? draw(desc, title, &look) : NULL;
}
