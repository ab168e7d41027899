/* The groups of the test: those that the reference implementation's own tests name, and what they leave out. */
#include "groups.h"

#define TYPES(list) .types = list, .type_count = sizeof(list) / sizeof(list)[0]
#define SAME(type, prec)                                                                                               \
    {                                                                                                                  \
        type, type, type, type, prec                                                                                   \
    }

/* clang-format off */
static const typing f32[] = { SAME(TAPP_F32, TAPP_DEFAULT_PREC) };
static const typing f64[] = { SAME(TAPP_F64, TAPP_DEFAULT_PREC) };
static const typing c32[] = { SAME(TAPP_C32, TAPP_DEFAULT_PREC) };
static const typing c64[] = { SAME(TAPP_C64, TAPP_DEFAULT_PREC) };
static const typing f16[] = { SAME(TAPP_F16, TAPP_DEFAULT_PREC) };
static const typing bf16[] = { SAME(TAPP_BF16, TAPP_DEFAULT_PREC) };
static const typing complexes[] = { SAME(TAPP_C32, TAPP_DEFAULT_PREC), SAME(TAPP_C64, TAPP_DEFAULT_PREC) };
static const typing reals[] = { SAME(TAPP_F32, TAPP_DEFAULT_PREC), SAME(TAPP_F64, TAPP_DEFAULT_PREC) };

static const typing real_times_complex[] = {
    { TAPP_F32, TAPP_C32, TAPP_C32, TAPP_C32, TAPP_DEFAULT_PREC },
    { TAPP_C32, TAPP_F32, TAPP_C32, TAPP_C32, TAPP_DEFAULT_PREC },
    { TAPP_F64, TAPP_C64, TAPP_C64, TAPP_C64, TAPP_DEFAULT_PREC },
    { TAPP_C64, TAPP_F64, TAPP_C64, TAPP_C64, TAPP_DEFAULT_PREC },
};
static const typing f32_of_f16[] = { { TAPP_F16, TAPP_F16, TAPP_F32, TAPP_F32, TAPP_F16F16_ACCUM_F32 } };
static const typing f32_of_bf16[] = { { TAPP_BF16, TAPP_BF16, TAPP_F32, TAPP_F32, TAPP_BF16BF16_ACCUM_F32 } };
static const typing singles_and_doubles[] = {
    { TAPP_F32, TAPP_F64, TAPP_F64, TAPP_F64, TAPP_DEFAULT_PREC },
    { TAPP_F64, TAPP_F32, TAPP_F32, TAPP_F64, TAPP_DEFAULT_PREC },
    { TAPP_C32, TAPP_C64, TAPP_C64, TAPP_C64, TAPP_DEFAULT_PREC },
};

static const typing prec_f32[] = {
    SAME(TAPP_F32, TAPP_F32F32_ACCUM_F32), SAME(TAPP_F64, TAPP_F32F32_ACCUM_F32),
    SAME(TAPP_C32, TAPP_F32F32_ACCUM_F32), SAME(TAPP_C64, TAPP_F32F32_ACCUM_F32),
};
static const typing prec_f64[] = {
    SAME(TAPP_F32, TAPP_F64F64_ACCUM_F64), SAME(TAPP_F64, TAPP_F64F64_ACCUM_F64),
    SAME(TAPP_C32, TAPP_F64F64_ACCUM_F64), SAME(TAPP_C64, TAPP_F64F64_ACCUM_F64),
};
static const typing prec_f64_of_f32[] = {
    { TAPP_F32, TAPP_F32, TAPP_F64, TAPP_F64, TAPP_F64F64_ACCUM_F64 },
    { TAPP_C32, TAPP_C32, TAPP_C64, TAPP_C64, TAPP_F64F64_ACCUM_F64 },
};
static const typing prec_f16[] = { SAME(TAPP_F16, TAPP_F16F16_ACCUM_F16), SAME(TAPP_F32, TAPP_F16F16_ACCUM_F16) };
static const typing prec_f16_f32[] = { SAME(TAPP_F16, TAPP_F16F16_ACCUM_F32), SAME(TAPP_F32, TAPP_F16F16_ACCUM_F32) };
static const typing prec_bf16_f32[] = {
    SAME(TAPP_BF16, TAPP_BF16BF16_ACCUM_F32), SAME(TAPP_F32, TAPP_BF16BF16_ACCUM_F32),
};

/* Labels of each kind: contracted, hadamard, free, isolated. */
#define MANY .contracted = { 0, 4 }, .free = { 0, 4 }
#define SOME .contracted = { 0, 3 }, .free = { 0, 3 }
#define ALL_KINDS .contracted = { 0, 2 }, .hadamard = { 0, 2 }, .free = { 0, 2 }, .isolated = { 0, 1 }
#define REFUSED_ONES .contracted = { 1, 2 }, .free = { 1, 2 }, .extent = { 2, 4 }, .work = 400

const group groups[] = {
    { .name = "contraction", .check = check_product, .recipe = { MANY, .extent = { 1, 5 } }, .is_core = 1 },
    { .name = "Hadamard product", .check = check_product, .recipe = { .hadamard = { 1, 6 } } },
    { .name = "Hadamard product and free indices", .check = check_product,
      .recipe = { .hadamard = { 1, 3 }, .free = { 1, 2 } } },
    { .name = "Hadamard product and contracted indices", .check = check_product,
      .recipe = { .hadamard = { 1, 4 }, .contracted = { 1, 4 } } },
    { .name = "commutativity", .check = check_commuted, .recipe = { SOME } },
    { .name = "permutations of D", .check = check_permuted,
      .recipe = { .contracted = { 0, 2 }, .free = { 1, 3 } }, .cases = 50 },
    { .name = "equal extents", .check = check_product, .recipe = { SOME, .extent = { 1, 4 }, .is_equal = 1 } },
    { .name = "outer product", .check = check_product, .recipe = { .free = { 1, 4 } } },
    { .name = "full contraction", .check = check_product, .recipe = { .contracted = { 1, 8 } } },
    { .name = "an input of rank 0", .check = check_product, .recipe = { SOME, .limited = 1, .limit = 0 } },
    { .name = "an input of rank 1", .check = check_product,
      .recipe = { SOME, .limited = 1, .limit = 1, .extent = { 1, 20 } } },
    { .name = "sub-tensors of the same rank", .check = check_product, .recipe = { SOME, .storage = STORAGE_PART } },
    { .name = "sub-tensors of lower rank", .check = check_product, .recipe = { SOME, .storage = STORAGE_SLICE } },
    { .name = "negative strides", .check = check_product, .recipe = { SOME, .signs = SIGNS_MINUS } },
    { .name = "negative strides, sub-tensors of the same rank", .check = check_product,
      .recipe = { SOME, .signs = SIGNS_MINUS, .storage = STORAGE_PART } },
    { .name = "negative strides, sub-tensors of lower rank", .check = check_product,
      .recipe = { SOME, .signs = SIGNS_MINUS, .storage = STORAGE_SLICE } },
    { .name = "strides of both signs", .check = check_product, .recipe = { SOME, .signs = SIGNS_MIXED } },
    { .name = "strides of both signs, sub-tensors of the same rank", .check = check_product,
      .recipe = { SOME, .signs = SIGNS_MIXED, .storage = STORAGE_PART } },
    { .name = "strides of both signs, sub-tensors of lower rank", .check = check_product,
      .recipe = { SOME, .signs = SIGNS_MIXED, .storage = STORAGE_SLICE } },
    { .name = "strides of 0 in A, B and C", .check = check_product, .recipe = { SOME, .zero_strides = 1 } },
    { .name = "isolated indices", .check = check_product,
      .recipe = { .contracted = { 0, 2 }, .free = { 0, 2 }, .isolated = { 1, 2 } } },
    { .name = "repeated indices in A and B", .check = check_product,
      .recipe = { .contracted = { 1, 2 }, .free = { 0, 2 }, .repeated = { 1, 2 } } },
    { .name = "repeated indices in D", .check = check_product,
      .recipe = { .contracted = { 0, 2 }, .free = { 1, 2 }, .repeated_in_d = { 1, 2 } } },
    { .name = "all kinds of indices and strides", .check = check_product,
      .recipe = { ALL_KINDS, .repeated = { 0, 2 }, .repeated_in_d = { 0, 1 }, .storage = STORAGE_PART,
                  .signs = SIGNS_MIXED } },
    { .name = "larger extents", .check = check_product,
      .recipe = { .contracted = { 1, 2 }, .free = { 1, 2 }, .hadamard = { 0, 1 }, .extent = { 1, 90 }, .work = 200000 },
      .cases = 10 },
    { .name = "extents of 0", .check = check_product, .recipe = { ALL_KINDS, .extent = { 0, 3 } } },
    { .name = "extents of 1 with any stride", .check = check_product,
      .recipe = { SOME, .extent = { 1, 2 }, .odd_ones = 1 } },
    { .name = "labels of any value", .check = check_product, .recipe = { ALL_KINDS, .any_name = 1 } },

    { .name = "type F32", .check = check_product, .recipe = { ALL_KINDS, TYPES(f32) } },
    { .name = "type F64", .check = check_product, .recipe = { ALL_KINDS, TYPES(f64) } },
    { .name = "type C32", .check = check_product, .recipe = { ALL_KINDS, TYPES(c32) } },
    { .name = "type C64", .check = check_product, .recipe = { ALL_KINDS, TYPES(c64) } },
    { .name = "type F16", .check = check_product, .recipe = { ALL_KINDS, TYPES(f16) } },
    { .name = "type BF16", .check = check_product, .recipe = { ALL_KINDS, TYPES(bf16) } },
    { .name = "mixed types: real and complex", .check = check_product, .recipe = { SOME, TYPES(real_times_complex) } },
    { .name = "mixed types: F32 from F16", .check = check_product, .recipe = { SOME, TYPES(f32_of_f16) } },
    { .name = "mixed types: F32 from BF16", .check = check_product, .recipe = { SOME, TYPES(f32_of_bf16) } },
    { .name = "mixed types: single and double", .check = check_product,
      .recipe = { SOME, TYPES(singles_and_doubles) } },
    { .name = "precision F32", .check = check_product, .recipe = { SOME, TYPES(prec_f32) } },
    { .name = "precision F64", .check = check_product, .recipe = { SOME, TYPES(prec_f64) } },
    { .name = "precision F64 of single inputs", .check = check_product, .recipe = { SOME, TYPES(prec_f64_of_f32) } },
    { .name = "precision F16", .check = check_product, .recipe = { SOME, .work = 500, TYPES(prec_f16) } },
    { .name = "precision F16 summed in F32", .check = check_product,
      .recipe = { SOME, .work = 500, TYPES(prec_f16_f32) } },
    { .name = "precision BF16 summed in F32", .check = check_product,
      .recipe = { SOME, .work = 500, TYPES(prec_bf16_f32) } },

    { .name = "elemental operations on complex tensors", .check = check_product,
      .recipe = { SOME, .any_op = 1, TYPES(complexes) } },
    { .name = "elemental operations on real tensors", .check = check_product,
      .recipe = { SOME, .any_op = 1, TYPES(reals) } },
    { .name = "C unset where beta is 0", .check = check_product, .recipe = { SOME, .beta_is_zero = 1 } },
    { .name = "C of NULL where beta is 0", .check = check_product,
      .recipe = { SOME, .beta_is_zero = 1, .c_is_null = 1 } },
    { .name = "D in place of C", .check = check_product, .recipe = { SOME, .in_place = 1, .signs = SIGNS_MIXED } },
    { .name = "A and B the same memory", .check = check_product,
      .recipe = { .contracted = { 0, 2 }, .hadamard = { 0, 1 }, .free = { 0, 2 }, .extent = { 1, 4 }, .is_equal = 1,
                  .one_input = 1 } },
    { .name = "plans run again and side by side", .check = check_plans, .recipe = { SOME } },
    { .name = "infos set after they were made", .check = check_set_infos, .recipe = { SOME, .storage = STORAGE_PART } },
    { .name = "batched product", .check = check_batched, .recipe = { SOME, .storage = STORAGE_PART } },
    { .name = "batched product without C", .check = check_batched,
      .recipe = { SOME, .beta_is_zero = 1, .c_is_null = 1 } },

    { .name = "handles and executors", .check = check_handles,
      .recipe = { .free = { 1, 1 } }, .is_core = 1, .cases = 10 },
    { .name = "tensor infos", .check = check_infos, .recipe = { .free = { 1, 1 } }, .is_core = 1 },
    { .name = "statuses", .check = check_status, .recipe = { REFUSED_ONES } },
    { .name = "attributes", .check = check_attributes, .recipe = { .free = { 1, 1 } } },
    { .name = "error: extents that differ", .check = check_extents,
      .recipe = { REFUSED_ONES, .repeated = { 0, 1 }, .repeated_in_d = { 0, 1 } } },
    { .name = "error: an index of D alone", .check = check_labels_of_d, .recipe = { REFUSED_ONES } },
    { .name = "error: C is not like D", .check = check_structure_of_c, .recipe = { REFUSED_ONES } },
    { .name = "error: D overlaps itself", .check = check_aliased_d, .recipe = { REFUSED_ONES } },
    { .name = "error: C is missing", .check = check_missing_c,
      .recipe = { REFUSED_ONES, .in_place = 1, .c_is_null = 1 } },
    { .name = "error: a negative number of modes", .check = check_negative_modes,
      .recipe = { .free = { 1, 1 } }, .cases = 10 },
    { .name = "error: a negative extent", .check = check_negative_extents,
      .recipe = { .free = { 1, 1 } }, .cases = 10 },
    { .name = "texts of errors", .check = check_messages, .recipe = { REFUSED_ONES }, .is_core = 1, .cases = 10 },
};
/* clang-format on */

const int group_count = sizeof(groups) / sizeof(groups)[0];
