"""Faults of problems and plans: modes, axes, shapes, what options rule out."""

FAULTS = [
    ("what a way that was given up said, told of a plan", "lib/plan/routes.c", "lay_sentence_restore(&kept);", ""),
    # the problem
    ("modes folded without asking the other operands", "lib/plan/modes.c",
     "for (int operand = 0; operand < LAY_OPERANDS; operand++) if (outer->stride[operand] !=",
     "for (int operand = 0; operand < 1; operand++) if (outer->stride[operand] !="),
    ("an outer radix keeps the inner one's stride", "lib/plan/modes.c", "inner->stride *= extent;", ""),
    ("k summed in the order of storage", "lib/plan/problem.c",
     "lay_group_order_by(&problem->n, LAY_RESULT);",
     "lay_group_order_by(&problem->n, LAY_RESULT); lay_group_order_by(&problem->k, LAY_LEFT);"),
    ("swapped strides: rows of C stepped as rows of A", "lib/plan/problem.c",
     "lay_axis_make(&problem->m, LAY_RESULT, result_m,", "lay_axis_make(&problem->m, LAY_LEFT, result_m,"),
    ("the start of a slice forgotten", "lib/plan/axis.c",
     "axis->base = group->extent > 0 ? lay_map_offset(axis->map, 0) : 0;", "axis->base = 0;"),
    ("a run not ended where its block ends", "lib/plan/axis.c",
     "const int64_t run = min_of(inner.extent - digit[last], count - done);",
     "const int64_t run = min_of(inner.extent, count - done);"),
    ("shapes compared but for the columns of C", "lib/plan/problem.c",
     'check_extents(c, 1, "C", b, 1, "B")', 'check_extents(c, 1, "C", c, 1, "C")'),
    ("injectivity of C not asked", "lib/plan/problem.c", "if (injective == 0)", "if (0)"),
    # what options ask of a plan
    ("a skipped way taken", "lib/plan/branch.c",
     "lay_list_has(setting->options->skip, way->name) ? skipped :", "0 ? skipped :"),
    ("a skipped kernel taken", "lib/cpu/strict.c", "if (lay_list_has(setting->options->skip, kernel->name))", "if (0)"),
    ("the caller's list kept by a plan", "lib/plan/plan.c", "complete.skip ? strdup(complete.skip) : NULL;",
     "complete.skip;"),
    ("plans remembered whatever they skip", "lib/plan/options.c", "&& are_skipped_alike(x->skip, y->skip)", ""),
    ("a grid of the problem as it was posed", "lib/cpu/strict.c", "problem->is_transposed ? (lay_parts){ n, m } :", ""),
    ("a part's last rows left to nobody", "lib/cpu/packed/product.c",
     "const int64_t end = min_of(i + now->part_m, now->rows),", "const int64_t end = min_of(i + now->mc, now->rows),"),
]
