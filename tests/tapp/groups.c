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
static const typing wider_result[] = {
    { TAPP_F16, TAPP_F16, TAPP_F32, TAPP_F32, TAPP_F16F16_ACCUM_F32 },
    { TAPP_BF16, TAPP_BF16, TAPP_F32, TAPP_F32, TAPP_BF16BF16_ACCUM_F32 },
};
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
    { "contraction", check_product, 1, 0, { MANY, .extent = { 1, 5 } } },
    { "Hadamard product", check_product, 0, 0, { .hadamard = { 1, 6 } } },
    { "Hadamard product and free indices", check_product, 0, 0, { .hadamard = { 1, 3 }, .free = { 1, 2 } } },
    { "Hadamard product and contracted indices", check_product, 0, 0,
      { .hadamard = { 1, 4 }, .contracted = { 1, 4 } } },
    { "commutativity", check_commuted, 0, 0, { SOME } },
    { "permutations of D", check_permuted, 0, 50, { .contracted = { 0, 2 }, .free = { 1, 3 } } },
    { "equal extents", check_product, 0, 0, { SOME, .extent = { 1, 4 }, .is_equal = 1 } },
    { "outer product", check_product, 0, 0, { .free = { 1, 4 } } },
    { "full contraction", check_product, 0, 0, { .contracted = { 1, 8 } } },
    { "an input of rank 0", check_product, 0, 0, { SOME, .limited = 1, .limit = 0 } },
    { "an input of rank 1", check_product, 0, 0, { SOME, .limited = 1, .limit = 1, .extent = { 1, 20 } } },
    { "sub-tensors of the same rank", check_product, 0, 0, { SOME, .storage = STORAGE_PART } },
    { "sub-tensors of lower rank", check_product, 0, 0, { SOME, .storage = STORAGE_SLICE } },
    { "negative strides", check_product, 0, 0, { SOME, .signs = SIGNS_MINUS } },
    { "negative strides, sub-tensors of the same rank", check_product, 0, 0,
      { SOME, .signs = SIGNS_MINUS, .storage = STORAGE_PART } },
    { "negative strides, sub-tensors of lower rank", check_product, 0, 0,
      { SOME, .signs = SIGNS_MINUS, .storage = STORAGE_SLICE } },
    { "strides of both signs", check_product, 0, 0, { SOME, .signs = SIGNS_MIXED } },
    { "strides of both signs, sub-tensors of the same rank", check_product, 0, 0,
      { SOME, .signs = SIGNS_MIXED, .storage = STORAGE_PART } },
    { "strides of both signs, sub-tensors of lower rank", check_product, 0, 0,
      { SOME, .signs = SIGNS_MIXED, .storage = STORAGE_SLICE } },
    { "strides of 0 in A, B and C", check_product, 0, 0, { SOME, .zero_strides = 1 } },
    { "isolated indices", check_product, 0, 0, { .contracted = { 0, 2 }, .free = { 0, 2 }, .isolated = { 1, 2 } } },
    { "repeated indices in A and B", check_product, 0, 0, { .contracted = { 1, 2 }, .free = { 0, 2 }, .repeated = { 1, 2 } } },
    { "repeated indices in D", check_product, 0, 0,
      { .contracted = { 0, 2 }, .free = { 1, 2 }, .repeated_in_d = { 1, 2 } } },
    { "all kinds of indices and strides", check_product, 0, 0,
      { ALL_KINDS, .repeated = { 0, 2 }, .repeated_in_d = { 0, 1 }, .storage = STORAGE_PART, .signs = SIGNS_MIXED } },
    { "larger extents", check_product, 0, 10,
      { .contracted = { 1, 2 }, .free = { 1, 2 }, .hadamard = { 0, 1 }, .extent = { 1, 90 }, .work = 200000 } },
    { "extents of 0", check_product, 0, 0, { ALL_KINDS, .extent = { 0, 3 } } },
    { "extents of 1 with any stride", check_product, 0, 0, { SOME, .extent = { 1, 2 }, .odd_ones = 1 } },
    { "labels of any value", check_product, 0, 0, { ALL_KINDS, .any_name = 1 } },

    { "type F32", check_product, 0, 0, { ALL_KINDS, TYPES(f32) } },
    { "type F64", check_product, 0, 0, { ALL_KINDS, TYPES(f64) } },
    { "type C32", check_product, 0, 0, { ALL_KINDS, TYPES(c32) } },
    { "type C64", check_product, 0, 0, { ALL_KINDS, TYPES(c64) } },
    { "type F16", check_product, 0, 0, { ALL_KINDS, TYPES(f16) } },
    { "type BF16", check_product, 0, 0, { ALL_KINDS, TYPES(bf16) } },
    { "mixed types: real and complex", check_product, 0, 0, { SOME, TYPES(real_times_complex) } },
    { "mixed types: F32 from 16 bits", check_product, 0, 0, { SOME, TYPES(wider_result) } },
    { "mixed types: single and double", check_product, 0, 0, { SOME, TYPES(singles_and_doubles) } },
    { "precision F32", check_product, 0, 0, { SOME, TYPES(prec_f32) } },
    { "precision F64", check_product, 0, 0, { SOME, TYPES(prec_f64) } },
    { "precision F64 of single inputs", check_product, 0, 0, { SOME, TYPES(prec_f64_of_f32) } },
    { "precision F16", check_product, 0, 0, { SOME, .work = 500, TYPES(prec_f16) } },
    { "precision F16 summed in F32", check_product, 0, 0, { SOME, .work = 500, TYPES(prec_f16_f32) } },
    { "precision BF16 summed in F32", check_product, 0, 0, { SOME, .work = 500, TYPES(prec_bf16_f32) } },

    { "elemental operations on complex tensors", check_product, 0, 0, { SOME, .any_op = 1, TYPES(complexes) } },
    { "elemental operations on real tensors", check_product, 0, 0, { SOME, .any_op = 1, TYPES(reals) } },
    { "C unset where beta is 0", check_product, 0, 0, { SOME, .beta_is_zero = 1 } },
    { "C of NULL where beta is 0", check_product, 0, 0, { SOME, .beta_is_zero = 1, .c_is_null = 1 } },
    { "D in place of C", check_product, 0, 0, { SOME, .in_place = 1, .signs = SIGNS_MIXED } },
    { "A and B the same memory", check_product, 0, 0,
      { .contracted = { 0, 2 }, .hadamard = { 0, 1 }, .free = { 0, 2 }, .extent = { 1, 4 }, .is_equal = 1, .one_input = 1 } },
    { "plans run again and side by side", check_plans, 0, 0, { SOME } },
    { "infos set after they were made", check_set_infos, 0, 0, { SOME, .storage = STORAGE_PART } },
    { "batched product", check_batched, 0, 0, { SOME, .storage = STORAGE_PART } },
    { "batched product without C", check_batched, 0, 0, { SOME, .beta_is_zero = 1, .c_is_null = 1 } },

    { "handles and executors", check_handles, 1, 10, { .free = { 1, 1 } } },
    { "tensor infos", check_infos, 1, 0, { .free = { 1, 1 } } },
    { "statuses", check_status, 0, 0, { REFUSED_ONES } },
    { "attributes", check_attributes, 0, 0, { .free = { 1, 1 } } },
    { "error: extents that differ", check_extents, 0, 0,
      { REFUSED_ONES, .repeated = { 0, 1 }, .repeated_in_d = { 0, 1 } } },
    { "error: an index of D alone", check_labels_of_d, 0, 0, { REFUSED_ONES } },
    { "error: C is not like D", check_structure_of_c, 0, 0, { REFUSED_ONES } },
    { "error: D overlaps itself", check_aliased_d, 0, 0, { REFUSED_ONES } },
    { "error: C is missing", check_missing_c, 0, 0, { REFUSED_ONES, .in_place = 1, .c_is_null = 1 } },
    { "error: a negative number of modes", check_negative_modes, 0, 10, { .free = { 1, 1 } } },
    { "error: a negative extent", check_negative_extents, 0, 10, { .free = { 1, 1 } } },
    { "texts of errors", check_messages, 1, 10, { REFUSED_ONES } },
};
/* clang-format on */

const int group_count = sizeof(groups) / sizeof(groups)[0];
