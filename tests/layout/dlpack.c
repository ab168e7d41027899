/* Tensors of DLPack: the structures have its form, and a tensor's layout, type and address are those it names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layoutgemm_dlpack.h"
#include "oracle.h"

/* What DLPack's header of version 1.1 has where addresses have 64 bits. */
static void the_structures_have_the_form_of_the_specification(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        size_t is, wanted;
    } rows[] = {
        { "DLDevice", sizeof(lay_dl_device), 8 },
        { "DLDataType", sizeof(lay_dl_type), 4 },
        { "DLDataType.bits", offsetof(lay_dl_type, bits), 1 },
        { "DLDataType.lanes", offsetof(lay_dl_type, lanes), 2 },
        { "DLTensor", sizeof(lay_dl_tensor), 48 },
        { "DLTensor.data", offsetof(lay_dl_tensor, data), 0 },
        { "DLTensor.device", offsetof(lay_dl_tensor, device), 8 },
        { "DLTensor.ndim", offsetof(lay_dl_tensor, ndim), 16 },
        { "DLTensor.dtype", offsetof(lay_dl_tensor, type), 20 },
        { "DLTensor.shape", offsetof(lay_dl_tensor, extents), 24 },
        { "DLTensor.strides", offsetof(lay_dl_tensor, strides), 32 },
        { "DLTensor.byte_offset", offsetof(lay_dl_tensor, byte_offset), 40 },
        { "DLManagedTensor.manager_ctx", offsetof(lay_dl_managed, context), 48 },
        { "DLManagedTensor.deleter", offsetof(lay_dl_managed, destroy), 56 },
        { "DLManagedTensorVersioned.version.minor", offsetof(lay_dl_managed_versioned, minor), 4 },
        { "DLManagedTensorVersioned.manager_ctx", offsetof(lay_dl_managed_versioned, context), 8 },
        { "DLManagedTensorVersioned.deleter", offsetof(lay_dl_managed_versioned, destroy), 16 },
        { "DLManagedTensorVersioned.flags", offsetof(lay_dl_managed_versioned, flags), 24 },
        { "DLManagedTensorVersioned.dl_tensor", offsetof(lay_dl_managed_versioned, tensor), 32 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && sizeof(void *) == 8; i++)
        claim(rows[i].is == rows[i].wanted, "%s: %zu, not %zu", rows[i].what, rows[i].is, rows[i].wanted);
}

/* 2 x 3 floats in Fortran order. */
typedef struct sample {
    float elements[8];
    int64_t extents[2], strides[2];
    lay_dl_tensor tensor;
} sample;

static sample *make_sample(void)
{
    sample *const made = calloc(1, sizeof *made);
    assert_non_null(made);
    made->extents[0] = 2;
    made->extents[1] = 3;
    made->strides[0] = 1;
    made->strides[1] = 2;
    made->tensor = (lay_dl_tensor){ .data = made->elements,
                                    .device = { LAY_DL_CPU, 0 },
                                    .ndim = 2,
                                    .type = { LAY_DL_FLOAT, 32, 1 },
                                    .extents = made->extents,
                                    .strides = made->strides };
    return made;
}

/* The layout has this notation, and the address is `bytes` behind the elements. */
static void expect_layout(const sample *from, const char *notation, size_t bytes)
{
    lay_desc *desc = NULL, *const wanted = oracle_parse(notation);
    lay_type type = LAY_C64;
    void *data = NULL;
    const lay_status status = lay_desc_from_dlpack(&from->tensor, &desc, &type, &data);
    claim(status == LAY_OK, "%s: %s", notation, lay_last_error());
    claim(lay_desc_equal(desc, wanted), "%s", notation);
    claim(type == LAY_F32, "type %d", (int)type);
    claim((char *)data == (char *)from->tensor.data + bytes, "%s: the address", notation);
    lay_desc_destroy(desc);
    lay_desc_destroy(wanted);
}

static void a_tensor_has_its_strides_and_its_offset_in_bytes(void **state)
{
    (void)state;
    sample *const of = make_sample();
    expect_layout(of, "[2:1][3:2]", 0);
    of->tensor.byte_offset = 8;
    expect_layout(of, "[2:1][3:2]", 8);
    of->strides[1] = -2;
    expect_layout(of, "[2:1][3:-2]", 8);
    of->strides[0] = 0;
    expect_layout(of, "[2:0][3:-2]", 8);
    of->tensor.strides = NULL;
    expect_layout(of, "[2][3]", 8);
    of->tensor.device.type = LAY_DL_CUDA_MANAGED;
    expect_layout(of, "[2][3]", 8);
    of->extents[0] = 0;
    of->tensor.data = NULL;
    of->tensor.byte_offset = 0;
    expect_layout(of, "[0][3]", 0);
    free(of);
}

static void a_tensor_without_dimensions_is_a_scalar(void **state)
{
    (void)state;
    sample *const of = make_sample();
    lay_desc *desc = oracle_parse("[2]"), *const before = desc;
    lay_type type;
    void *data;
    of->tensor.ndim = 0;
    of->tensor.extents = of->tensor.strides = NULL;
    assert_int_equal(lay_desc_from_dlpack(&of->tensor, &desc, &type, &data), LAY_OK);
    assert_null(desc);
    assert_ptr_equal(data, of->elements);
    lay_desc_destroy(before);
    free(of);
}

static void every_element_type_has_its_number(void **state)
{
    (void)state;
    static const struct {
        lay_dl_type given;
        lay_type type;
    } rows[] = { { { 2, 32, 1 }, LAY_F32 },  { { 2, 64, 1 }, LAY_F64 }, { { 2, 16, 1 }, LAY_F16 },
                 { { 4, 16, 1 }, LAY_BF16 }, { { 5, 64, 1 }, LAY_C32 }, { { 5, 128, 1 }, LAY_C64 } };
    sample *const of = make_sample();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lay_desc *desc;
        lay_type type;
        void *data;
        of->tensor.type = rows[i].given;
        assert_int_equal(lay_desc_from_dlpack(&of->tensor, &desc, &type, &data), LAY_OK);
        assert_int_equal(type, rows[i].type);
        lay_desc_destroy(desc);
    }
    free(of);
}

/* Refused with this status and these words, and nothing is written. */
static void expect_refused(const lay_dl_tensor *tensor, lay_status wanted, const char *words)
{
    lay_desc *desc = (lay_desc *)(void *)&wanted, *const before = desc;
    lay_type type = LAY_BF16;
    void *data = &type;
    const lay_status status = lay_desc_from_dlpack(tensor, &desc, &type, &data);
    claim(status == wanted, "%s instead of %s", lay_status_name(status), lay_status_name(wanted));
    claim(strstr(lay_last_error(), words), "\"%s\" has no \"%s\"", lay_last_error(), words);
    claim(desc == before && type == LAY_BF16 && data == &type, "%s: something was written", words);
}

static void what_is_no_tensor_of_ours_is_refused(void **state)
{
    (void)state;
    sample *const of = make_sample();
    const lay_dl_tensor good = of->tensor;
    expect_refused(NULL, LAY_ERR_ARGUMENT, "tensor is NULL");
    of->tensor.ndim = -1;
    expect_refused(&of->tensor, LAY_ERR_ARGUMENT, "-1 dimensions");
    of->tensor = good, of->tensor.extents = NULL;
    expect_refused(&of->tensor, LAY_ERR_ARGUMENT, "extents that are NULL");
    of->tensor = good, of->tensor.data = NULL;
    expect_refused(&of->tensor, LAY_ERR_ARGUMENT, "data is NULL");
    of->tensor = good, of->tensor.ndim = 0, of->tensor.data = NULL;
    expect_refused(&of->tensor, LAY_ERR_ARGUMENT, "data is NULL");
    of->tensor = good, of->tensor.type.lanes = 4;
    expect_refused(&of->tensor, LAY_ERR_TYPE, "4 lanes");
    of->tensor = good, of->tensor.type = (lay_dl_type){ 0, 32, 1 };
    expect_refused(&of->tensor, LAY_ERR_TYPE, "kind 0 with 32 bits");
    of->tensor = good, of->tensor.type = (lay_dl_type){ LAY_DL_BFLOAT, 32, 1 };
    expect_refused(&of->tensor, LAY_ERR_TYPE, "kind 4 with 32 bits");
    of->tensor = good, of->tensor.device.type = 10;
    expect_refused(&of->tensor, LAY_ERR_UNSUPPORTED, "device 10");
    of->tensor = good, of->extents[0] = -2;
    expect_refused(&of->tensor, LAY_ERR_EXTENT, "-2");
    of->extents[0] = of->strides[0] = INT64_MAX;
    expect_refused(&of->tensor, LAY_ERR_OVERFLOW, "63 bits");
    of->tensor.ndim = 1000;
    of->tensor.extents = of->tensor.strides = calloc(1000, sizeof(int64_t));
    expect_refused(&of->tensor, LAY_ERR_RANK, "1000");
    free(of->tensor.extents);
    free(of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_structures_have_the_form_of_the_specification),
        cmocka_unit_test(a_tensor_has_its_strides_and_its_offset_in_bytes),
        cmocka_unit_test(a_tensor_without_dimensions_is_a_scalar),
        cmocka_unit_test(every_element_type_has_its_number),
        cmocka_unit_test(what_is_no_tensor_of_ours_is_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("tensors of DLPack", tests, NULL, NULL);
}
