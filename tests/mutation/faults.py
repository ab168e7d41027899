"""The faults that the tests must catch: each a name, and one text in one file that becomes another.

The old text must stand in its file exactly once; white space counts as one blank, so that formatting does not matter.
"""

SIMD_TILE = "kernels/cpu/simd/tile.h"
SIMD_PACK = "kernels/cpu/simd/pack.h"
PORTABLE = "kernels/cpu/c/template.h"
SPLIT_MODEL = "kernels/cpu/c/split_f32_32x32.c"

FAULTS = [
    # kernels
    ("an edge mask one lane too wide", SIMD_TILE,
     "real *c = t->c; const int last = vecs - 1, rest = t->n - last * LANES; const lanes some = first_lanes(rest);",
     "real *c = t->c; const int last = vecs - 1, rest = t->n - last * LANES; const lanes some = first_lanes(rest + 1);"),
    ("an edge mask one lane too narrow", SIMD_TILE,
     "real *c = t->c; const int last = vecs - 1, rest = t->n - last * LANES; const lanes some = first_lanes(rest);",
     "real *c = t->c; const int last = vecs - 1, rest = t->n - last * LANES; const lanes some = first_lanes(rest - 1);"),
    ("the last step of k dropped", SIMD_TILE,
     "for (int64_t p = t->k % UNROLL; p > 0;", "for (int64_t p = t->k % UNROLL; p > 1;"),
    ("beta = 0 reads C", SIMD_TILE,
     "else if (beta != 0) end_sums(acc, t, SCALE_AND_ADD", "else if (beta != 0 || alpha == 1) end_sums(acc, t, SCALE_AND_ADD"),
    ("beta = 0 reads C, portable", PORTABLE,
     "c[j] = beta == 0 ? alpha * sum[j] :", "c[j] = beta == 0 && sum[j] == 0 ? alpha * sum[j] :"),
    ("a row too many, portable", PORTABLE, "for (int i = 0; i < t->m; i++)", "for (int i = 0; i < MR; i++)"),
    ("alpha taken for 1 where beta is 1", SIMD_TILE, "else if (beta == 1 && alpha == 1)", "else if (beta == 1)"),
    ("the edge of a turned block read whole", SIMD_PACK,
     "turn_block(from, p, (int)(k - p), to + p * width", "turn_block(from, p, LANES, to + p * width"),
    ("the edge of a turned block left out", SIMD_PACK, "if (p < k) turn_block", "if (p + 1 < k) turn_block"),
    ("rows past the edge read", SIMD_PACK, "const int named = first + i < pack->w ? first + i : pack->w - 1;",
     "const int named = first + i;"),

    # split operands
    ("a lost correction", SPLIT_MODEL, "{ { 2, 0 }, { 1, 0 }, { 1, 1 },", "{ { 2, 0 }, { 1, 0 }, { 1, 0 },"),
    ("the last piece left out", SPLIT_MODEL, "{ 0, 2 }, { 0, 0 } };", "{ 0, 1 }, { 0, 0 } };"),
    ("the order of a turned product", SPLIT_MODEL,
     "tile->is_turned ? of.right : of.left, tile->is_turned ? of.left : of.right", "of.left, of.right"),
    ("steps behind k not zeros", SPLIT_MODEL, "memset(of->dst, 0,", "memset(of->dst, 1,"),
    ("denormals kept by the model", SPLIT_MODEL,
     "return float_of(bits & 0x7f800000u ? bits : bits & 0x80000000u);", "return float_of(bits);"),
    ("a chunk that forgets the one before", SPLIT_MODEL,
     "first == 0 ? part[i][j] : *sum + part[i][j]", "part[i][j]"),
    ("infinity taken for plain", SPLIT_MODEL, "magnitude < beyond);", "magnitude < 0x7f800001u);"),
    ("scales not undone", "lib/cpu/split_run.c", "const int by = left->scale[i] + right->scale[j];",
     "const int by = left->scale[i];"),
    ("a strange row's sums written", "lib/cpu/split_run.c", "- 1) & ~left->strange,", "- 1),"),
    ("a strange column's sums written", "lib/cpu/split_run.c", "- 1) & ~right->strange,", "- 1),"),
    ("elements of strange rows and columns patched twice", "lib/cpu/split_patch.c",
     "multiply_picked(patch, OTHERS, STRANGE);", "multiply_picked(patch, ALL, STRANGE);"),
    ("panels of right believed in after a patch", "lib/cpu/split_run.c",
     "lay_patch_run(&of); now->right.is_packed = 0;", "lay_patch_run(&of);"),
    ("the least element of a line not looked for", "lib/cpu/split_lines.c",
     "least = magnitude && magnitude < least ? magnitude : least;", "least = greatest;"),
    ("a line too wide is scaled", "lib/cpu/split_lines.c", "top - bottom > LAY_SPLIT_RANGE &&", "top - bottom > 250 &&"),

    # executor
    ("padding of A and B packed as data", "lib/cpu/pack.c",
     "const int w = (int)min_of(packing->width, count - i);", "const int w = packing->width;"),
    ("unit stride seen where the first step is not", "lib/cpu/pack.c",
     "for (int64_t i = 1; i < count; i++)", "for (int64_t i = 2; i < count; i++)"),
    ("strides along k taken for unit", "lib/cpu/pack.c", "packing->is_along ? LAY_PACK_ALONG", "1 ? LAY_PACK_ALONG"),
    ("whole tiles written at the edge", "lib/cpu/tiles.c",
     "const int rows = (int)min_of(mr, m - i);", "const int rows = mr;"),
    ("rows of C counted from the block's first, not the task's", "lib/cpu/tiles.c",
     "lay_axis_offsets(job->rows, row, m, row_offset);", "lay_axis_offsets(job->rows, first_row, m, row_offset);"),
    ("beta applied with every block of k", "lib/cpu/product.c", "p == 0 ? beta : one", "beta"),
    ("the tail of k packed as a whole block", "lib/cpu/product.c",
     "const int64_t k = min_of(blocks->kc, problem->k.extent - p);", "const int64_t k = blocks->kc;"),
    ("rows beyond the first packed block forgotten", "lib/cpu/product.c", "now.first_row = i;", "now.first_row = 0;"),
    ("the last task of each thread's stretch forgotten", "lib/cpu/parallel.c",
     "if (number >= of->end) return;", "if (number >= of->end - 1) return;"),
    ("a thread's stretch helped by nobody and begun by none", "lib/cpu/parallel.c",
     "for (int i = 0; i < parts; i++) work_off(&part[(thread + i) % parts]", "for (int i = 0; i < parts - 1; i++) work_off(&part[i]"),
    ("0 times NaN where C is to be cleared", "lib/cpu/scale.c",
     "c32[column[j]] = is_zero ? 0.0f : beta.f32 * c32[column[j]];", "c32[column[j]] = beta.f32 * c32[column[j]];"),

    # problem
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
     "axis->base = group->extent > 0 ? lay_map_offset(map, 0) : 0;", "axis->base = 0;"),
    ("a run not ended where its block ends", "lib/plan/axis.c",
     "const int64_t run = min_of(inner.extent - digit[last], count - done);",
     "const int64_t run = min_of(inner.extent, count - done);"),
    ("shapes compared but for the columns of C", "lib/plan/problem.c",
     'check_extents(c, 1, "C", b, 1, "B")', 'check_extents(c, 1, "C", c, 1, "C")'),
    ("injectivity of C not asked", "lib/plan/problem.c", "if (injective == 0)", "if (0)"),

    # layout
    ("a ragged start ignored", "lib/layout/map.c",
     "int64_t x = map->start + map->step * first, step = map->step;", "int64_t x = map->step * first, step = map->step;"),
    ("a cut map taken for a plain one", "lib/layout/map.c",
     "if (map->start != 0 || map->step != 1 || map->extent != full)", "if (map->start != 0 || map->step != 1)"),
    ("a transposed permutation", "lib/layout/view.c", "permuted[i] = dims[from];", "permuted[from] = dims[i];"),
    ("tiles one row apart too few", "lib/layout/view.c",
     "const int64_t start = coords[i] * inner,", "const int64_t start = coords[i] * (inner - 1),"),

    # calls
    ("overlap of C with A not asked", "lib/run.c",
     'check_overlap(plan, plan->a, &plan->reach_a, a, "A", c, &plan->apart_a)', "LAY_OK"),
    ("operands found apart once believed so ever after", "lib/run.c",
     "distance == atomic_load_explicit(known_apart, memory_order_relaxed)",
     "0 != atomic_load_explicit(known_apart, memory_order_relaxed)"),
    ("overlap by bytes, not elements, not seen", "lib/run.c",
     "y_at + y->lowest * size < x_at + (x->highest + 1) * size", "y_at + y->lowest * size < x_at + x->highest * size"),
    ("C written before the arguments are checked", "lib/run.c",
     "if (!a || !b) return lay_fail", "*(char *)c ^= 1; if (!a || !b) return lay_fail"),
    ("NaN taken for 0", "lib/base/scalar.h",
     "return type == LAY_F32 ? *(const float *)scalar == value :",
     "return type == LAY_F32 ? !(*(const float *)scalar < value || *(const float *)scalar > value) :"),
    ("a remembered plan serves any B", "lib/cache.c", [
        ("has_key(held->plan->b, b) &&", ""), ("hash = mix(hash, lay_desc_hash(b));", "")]),
    ("a remembered plan serves any type", "lib/cache.c", [
        ("held->type == type &&", ""), ("uint64_t hash = mix(0, (uint64_t)type);", "uint64_t hash = mix(0, 0);")]),
    ("a remembered plan serves any ISA level", "lib/cache.c", [
        ("lay_options_equal(&held->options, options) &&", ""), ("| (uint64_t)options->isa << 16", "")]),
    ("a plan dropped while it runs", "lib/cache.c",
     "atomic_init(&made->users, 2);", "atomic_init(&made->users, 1);"),
    ("a workspace handed back while it is in use", "lib/cpu/executor.c", [
        ("lay_product_run(&way->problem,", "lay_workspace_give(taken); lay_product_run(&way->problem,"),
        ("taken ? taken : small); lay_workspace_give(taken);", "taken ? taken : small);")]),
    ("an old options structure read beyond its end", "lib/plan/options.c",
     "if (options->struct_size < least_size ||", "if ("),
    ("a failed allocation ignored", "lib/cpu/executor.c", "if (bytes > SMALL && !taken)", "if (0)"),
    ("lay_alloc forgets that strides may be negative", "lib/storage/alloc.c",
     "(uintptr_t)block - (uintptr_t)lowest", "(uintptr_t)block"),
    ("a copy forgets where its target starts", "lib/storage/copy.c", "*to_base += lay_map_offset(to, 0);", ""),
    ("a copy that takes an overlap", "lib/copy.c",
     "if (apart == 0)", "if (0)"),
]
