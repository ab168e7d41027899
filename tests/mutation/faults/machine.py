"""Faults of what is known of the machine: visits of its caches, rates, costs."""

FAULTS = [
    ("lines that are gone counted as there", "lib/machine/visits.c",
     "has_room ? inner.touched * more : inner.fetched * steps", "inner.touched * more"),
    ("sets of a cache forgotten where lines lie pages apart", "lib/machine/visits.c",
     "lines.touched * LAY_LINE <= room * share_of_sets(apart, way) ? 0", "lines.touched * LAY_LINE <= room ? 0"),
    ("pages of any number known", "lib/machine/visits.c",
     "return pages.touched <= room ? 0 : pages.fetched;", "return 0 * pages.touched * room;"),
    ("pieces that go on taken for such as end", "lib/machine/visits.c",
     "run > 0 ? apart == run : apart <= LAY_LINE", "run <= 0 && apart <= LAY_LINE"),
    ("all of a large third cache for one core", "lib/machine/visits.c",
     "return fmin(rates->near_share * (double)machine->l3, rates->l3_most);",
     "return rates->near_share * (double)machine->l3;"),
    ("a tile's lines fetched once for all columns", "lib/cpu/cost/in_place.c",
     "    if (is_by_rows)\n        lay_visits_add(&of, columns, 0);\n", ""),
    ("a line fetched for each of the steps that share it", "lib/cpu/cost/in_place.c",
     "double seconds = has_lines ?", "double seconds = has_lines && 0 ?"),
    ("a CPU's own rates whatever its family", "lib/machine/rates_rows.c",
     "own->family == row->family && ", ""),
    ("an unknown CPU with tiles given the rates of AVX-512", "lib/machine/rates_rows.c",
     '{ "spr", NULL, 0, 0, 0, LAY_ISA_AMX, &spr },', ""),
]
