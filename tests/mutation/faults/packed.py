"""Faults of packed operands: whose panels they are, and the layouts that are preferred."""

FAULTS = [
    ("panels of left met as right's", "lib/plan/packed.c",
     "panels.is_right ? panels.kernel->nr : panels.kernel->mr", "panels.kernel->nr"),
    ("panels of the other side taken as they are", "lib/cpu/packed/packed.c",
     "return panels->kernel == kernel && panels->is_right == (side == LAY_RIGHT);", "return panels->kernel == kernel;"),
    ("a layout that is no gain preferred", "lib/preferred.c", "|| seconds >= least)", "|| seconds < least)"),
    ("a panel that is not full read as it lies", "lib/cpu/packed/lying.c",
     "const int64_t lines = across->extent / width * width,", "const int64_t lines = across->extent,"),
    ("panels believed by their first block of steps", "lib/cpu/packed/lying.c",
     "|| !is_stepping(along, steps, kc, found.block, width))", ")"),
    ("panels believed by their first one", "lib/cpu/packed/lying.c",
     "|| !is_stepping(across, lines, width, found.panel, 1)", ""),
    ("lines behind the panels taken for panels", "lib/cpu/packed/product.c",
     "return own->packed && (own->lying == 0 || first < own->lying);", "return own->packed;"),
    ("A's layout found for B", "lib/preferred.c", ".rows = is_a ? plan->m : plan->k,", ".rows = plan->m,"),
]
