"""Faults of tuned plans."""

FAULTS = [
    ("a tuned plan of one thread followed by two", "lib/plan/tuning/key.c",
     "lay_isa_name(setting->choice->isa), setting->threads,", "lay_isa_name(setting->choice->isa), 1,"),
    ("remembered plans that outlive what was loaded", "lib/cache.c",
     "held->plan->tuning == lay_store_generation() &&", ""),
    ("a damaged line taken", "lib/plan/tuning/read.c", "if (!check || strcmp(check, sum) != 0)", "if (!check)"),
    ("a machine's tuned plans taken by another", "lib/plan/tuning/read.c", "if (strcmp(given, own) != 0)",
     "if (strncmp(given, own, 4) != 0)"),
    ("a tuned block size that the product has no room for", "lib/cpu/strict.c",
     "tuned == 0 || tuned > ceil_div(most, unit)", "tuned == 0"),
    ("a way that is asked for all the same", "lib/plan/branch.c", "|| (step && step->way != *way))", ")"),
    ("a form that tuning rules out", "lib/cpu/in_place/direct_choose.c",
     "(by_rows >= 0 && by_rows != !!(form & BY_ROWS)) ||", ""),
    ("what another version knows refused", "lib/plan/tuning/read.c", "if (!of->is_other)", "if (1)"),
    ("a file without its end taken", "lib/plan/tuning/read.c",
     """    if (!line)
        return refuse(of, "it was cut off: there is no line that begins with 'end'");""",
     """    if (!line)
        return 1;"""),
]
