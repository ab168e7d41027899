"""Faults of layouts, tensors of DLPack, places."""

FAULTS = [
    # tensors of DLPack
    ("DLPack's offset in bytes forgotten", "lib/dlpack.c",
     "(char *)tensor->data + tensor->byte_offset", "(char *)tensor->data"),
    ("a DLPack tensor's strides not looked at", "lib/dlpack.c",
     "status = tensor->strides ?", "status = 0 ?"),
    ("a DLPack element of several lanes taken as one", "lib/dlpack.c",
     "&& given->lanes == 1;", ";"),
    ("memory of any device taken from DLPack", "lib/dlpack.c",
     "case LAY_DL_CUDA_MANAGED:", "case LAY_DL_CUDA_MANAGED: case 10:"),
    ("a DLPack tensor that lies nowhere", "lib/dlpack.c",
     "lay_desc_extent(made, \"\") > 0", "0"),
    # layouts
    ("a ragged start ignored", "lib/layout/map.c",
     "int64_t x = map->start + map->step * first, step = map->step;",
     "int64_t x = map->step * first, step = map->step;"),
    ("a cut map taken for a plain one", "lib/layout/map.c",
     "if (map->start != 0 || map->step != 1 || map->extent != full)", "if (map->start != 0 || map->step != 1)"),
    ("a transposed permutation", "lib/layout/view.c", "permuted[i] = dims[from];", "permuted[from] = dims[i];"),
    ("tiles one row apart too few", "lib/layout/view.c",
     "const int64_t start = coords[i] * inner,", "const int64_t start = coords[i] * (inner - 1),"),
    # places
    ("a place's copies taken for its digits", "lib/layout/spread.c", "digit->leaf ? copy :", "1 ? copy :"),
    ("a range of places that begins at its first digit", "lib/layout/spread.c",
     "lay_func_range(arena, radices, first, 1,", "lay_func_range(arena, radices, 0, 1,"),
    ("a place that steps backwards read forwards", "lib/layout/spread.c",
     "digit->is_reversed ? digit->extent - 1 - digit->digit : digit->digit", "digit->digit"),
    ("places that may be used twice", "lib/layout/spread.c", "spread->digit[d].step <= most", "0 > most"),
    ("dimensions of places that hold copies though they are mentioned", "lib/layout/text/grid.c",
     "!p->marked[d] && !(mentions >> d & 1)", "!p->marked[d]"),
    ("equal layouts at other places", "lib/layout/equal.c", "!lay_grid_equal(&a->grid, &b->grid) ||", "0 ||"),
    ("copies written as if there were none", "lib/layout/text/format.c", 'is_replicated ? "" : "!"',
     'is_replicated ? "!" : "!"'),
]
