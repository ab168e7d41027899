"""Faults of images of operands, pieces of products, endings."""

FAULTS = [
    # images and pieces
    ("images of C of complex numbers packed by parts", "lib/rewrite/image.c",
     "sets[i] & ~(unsigned)LAY_IMAGE_OF_C", "sets[i]"),
    ("images of a batch as far apart as their short lines are long", "lib/rewrite/image.c",
     "lay_func_leaf(&arena, extent, 0, matrix)", "lay_func_leaf(&arena, extent, 0, pitch)"),
    ("an image as its operand lies by the place's own order", "lib/rewrite/image.c",
     "is_by_columns ? 1 : pitch),", "is_by_columns ? 1 : 1),"),
    ("pieces that all begin with the first values of their digits", "lib/rewrite/pieces.c",
     "lay_func_leaf(arena, of->parts, 0, of->values * stride)", "lay_func_leaf(arena, of->parts, 0, stride)"),
    ("fresh memory for nothing", "lib/rewrite/image.c",
     "if (out->bytes > place->kept_bytes)", "if (0)"),
    ("images of what lies well whatever they gain", "lib/rewrite/image.c", "i < listed ? 1 : place->others", "1"),
    ("images of what lies well never tried", "lib/rewrite/image.c", "place->others > 0 && !asked", "0"),
    ("pieces of chunks fetched like one stretch", "lib/rewrite/chunks.c",
     "fmax(bytes / from * 1e-9, visits)", "bytes / from * 1e-9"),
    ("C of a batch scaled in one matrix alone", "lib/rewrite/image_host.c",
     "    if (!branch->problem.is_batch)\n        return branch->setting.order->scale",
     "    if (branch->problem.is_batch)\n        return branch->setting.order->scale"),
    # endings
    ("a bias that is left out", "lib/rewrite/ending/ending_apply.c", "if (by->has_term[LAY_END_BIAS])", "if (0)"),
    ("sums of a later piece ended as those of the first", "lib/rewrite/ending/ending_run.c",
     "part.first[dimension] = first;", "part.first[dimension] = 0;"),
    ("an ending that beta C is not given", "lib/run.c", "!plan->addend && !plan->end && lay", "!plan->addend && lay"),
]
