/* lay_copy and lay_alloc with device memory: random pairs of layouts in every mix of places, every bit, nothing
 * beside. */
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "elsewhere.h"

static void check_copy(lay_type type, lay_desc *from_desc, lay_desc *to_desc, lay_place from_place, lay_place to_place,
                       random_source *from)
{
    operand source = operand_make(type, from_desc, NULL, OPERAND_ANYWHERE, from);
    operand target = operand_make(type, to_desc, NULL, OPERAND_ANYWHERE, from);
    operand_fill_bits(&source, from);
    elsewhere there = elsewhere_put(&source, from_place), here = elsewhere_put(&target, to_place);
    if (lay_copy(type, from_desc, there.zero, to_desc, here.zero, NULL) != LAY_OK)
        fail_msg("%s\n  from %s\n  to %s", lay_last_error(), layout_text(from_desc), layout_text(to_desc));
    elsewhere_fetch(&there);
    elsewhere_fetch(&here);
    const size_t bytes = (size_t)(source.rows * source.columns) * lay_type_size(type);
    char *const wanted = oracle_memory(bytes), *const got = oracle_memory(bytes);
    operand_bytes(&source, wanted);
    operand_bytes(&target, got);
    if (memcmp(wanted, got, bytes) != 0)
        fail_msg("a copy of %lld x %lld, %d bytes an element, from place %d to %d, differs\n  from %s\n  to %s",
                 (long long)source.rows, (long long)source.columns, (int)lay_type_size(type), (int)from_place,
                 (int)to_place, layout_text(from_desc), layout_text(to_desc));
    if (!operand_gaps_are_kept(&target) || !operand_is_untouched(&source))
        fail_msg("a copy from place %d to %d wrote outside of its elements\n  from %s\n  to %s", (int)from_place,
                 (int)to_place, layout_text(from_desc), layout_text(to_desc));
    free(wanted);
    free(got);
    operand_free(&source);
    operand_free(&target);
}

/* Two places, of which at least one is a device's. */
static const lay_place places[][2] = { { LAY_PLACE_DEVICE, LAY_PLACE_DEVICE },
                                       { LAY_PLACE_HOST, LAY_PLACE_DEVICE },
                                       { LAY_PLACE_DEVICE, LAY_PLACE_HOST },
                                       { LAY_PLACE_PINNED, LAY_PLACE_DEVICE },
                                       { LAY_PLACE_DEVICE, LAY_PLACE_PINNED } };
enum { PLACES = sizeof places / sizeof places[0] };

static void a_copy_between_random_layouts_and_places_keeps_every_bit(void **state)
{
    (void)state;
    random_source from = random_case(17, 0);
    for (int round = 0; round < trial_rounds(3000); round++) {
        const lay_type type = (lay_type)random_in(&from, LAY_F32, LAY_C64);
        const int is_large = random_one_in(&from, 50);
        const int64_t rows = random_in(&from, 0, is_large ? 700 : 70),
                      columns = random_in(&from, 0, is_large ? 700 : 70);
        const lay_place *place = places[random_one_in(&from, 2) ? 0 : random_in(&from, 1, PLACES - 1)];
        check_copy(type, layout_random(&from, LAYOUT_INPUT, rows, columns),
                   layout_random(&from, LAYOUT_OUTPUT, rows, columns), place[0], place[1], &from);
    }
}

/* Lines of which a vector would be too long, with gaps behind them. */
static void a_copy_of_short_lines_keeps_the_gaps_between_them(void **state)
{
    (void)state;
    static const char *const text[] = { "[10:4][3:1]", "[40:8][3:1]", "[10:8][5:1]", "[10:8][7:1]", "[33:4][2:1]" };
    random_source from = random_case(19, 0);
    for (size_t t = 0; t < sizeof text / sizeof text[0]; t++)
        for (int round = 0; round < 64; round++) /* of all alignments */
            check_copy((lay_type)(round / PLACES % 6), layout_parse("%s", text[t]), layout_parse("%s", text[t]),
                       places[round % PLACES][0], places[round % PLACES][1], &from);
}

/* From 256 KiB on by our own kernel, if addresses and length allow vectors. */
static void a_copy_of_one_range_ends_where_it_ends(void **state)
{
    (void)state;
    static const char *const text[] = { "[1][65535]",  "[1][65536]",  "[1][65540]",
                                        "[257][1023]", "[3][300004]", "[512][1024]" };
    random_source from = random_case(20, 0);
    for (size_t t = 0; t < sizeof text / sizeof text[0]; t++)
        for (int round = 0; round < 8; round++) /* of all alignments */
            check_copy((lay_type)(round % 6), layout_parse("%s", text[t]), layout_parse("%s", text[t]),
                       LAY_PLACE_DEVICE, LAY_PLACE_DEVICE, &from);
}

/* Larger than the buffers that go between host and device. */
static void a_large_copy_goes_in_pieces(void **state)
{
    (void)state;
    static const char *const text[][2] = { { "[3000][2000]", "[3000:2100][2000:1]" },
                                           { "[3000:2010][2000:1]", "[3000:1][2000:3000]" },
                                           { "A=[2][2][1500][1000]; [[#A_0][#A_2]][[#A_1][#A_3]]",
                                             "[3000:-1][2000:3001]" },
                                           { "[3000][2000]", "A=[3000][2000]; [#A_0][#A_1]" },
                                           { "[2][3000000]", "[2:1][3000000:2]" } };
    random_source from = random_case(18, 0);
    for (size_t t = 0; t < sizeof text / sizeof text[0]; t++)
        for (size_t p = 0; p < PLACES; p++)
            check_copy((lay_type)(t % 6), layout_parse("%s", text[t][p % 2]), layout_parse("%s", text[t][1 - p % 2]),
                       places[p][0], places[p][1], &from);
}

static void allocated_memory_lies_where_it_was_asked_for(void **state)
{
    (void)state;
    lay_desc *desc = layout_parse("[100:-3][70:512]");
    static const lay_place place[] = { LAY_PLACE_HOST, LAY_PLACE_PINNED, LAY_PLACE_DEVICE };
    void *zero[3];
    int64_t lowest, highest;
    lay_desc_span(desc, &lowest, &highest);
    for (int kind = LAY_MEMORY_HOST; kind <= LAY_MEMORY_DEVICE; kind++) {
        int device = -1;
        assert_int_equal(lay_alloc(LAY_F32, desc, (lay_memory)kind, &zero[kind]), LAY_OK);
        char *const first = (char *)zero[kind] + lowest * 4;
        assert_int_equal((uintptr_t)first % (kind == LAY_MEMORY_DEVICE ? 256 : 64), 0);
        assert_int_equal(lay_place_find(first, &device), place[kind]);
        assert_int_equal(lay_place_find((char *)zero[kind] + highest * 4, &device), place[kind]);
        assert_int_equal(device, kind == LAY_MEMORY_DEVICE ? lay_device_current() : -1);
    }
    float *const host = zero[0];
    for (int64_t i = 0; i < 100; i++)
        for (int64_t j = 0; j < 70; j++)
            host[j * 512 - 3 * i] = (float)(i * 70 + j);
    assert_int_equal(lay_copy(LAY_F32, desc, zero[0], desc, zero[2], NULL), LAY_OK);
    assert_int_equal(lay_copy(LAY_F32, desc, zero[2], desc, zero[1], NULL), LAY_OK);
    const float *const back = zero[1];
    for (int64_t i = 0; i < 100; i++)
        for (int64_t j = 0; j < 70; j++)
            assert_true(back[j * 512 - 3 * i] == (float)(i * 70 + j));
    for (int kind = 0; kind < 3; kind++)
        lay_free(zero[kind]);
    lay_desc_destroy(desc);
}

static void a_copy_on_the_device_waits_for_nothing(void **state)
{
    (void)state;
    lay_desc *row = layout_parse("[4096][4096]"), *column = layout_parse("[4096:1][4096:4096]");
    void *from = NULL, *to = NULL;
    cudaStream_t stream;
    cudaEvent_t ended;
    assert_int_equal(lay_alloc(LAY_F32, row, LAY_MEMORY_DEVICE, &from), LAY_OK);
    assert_int_equal(lay_alloc(LAY_F32, row, LAY_MEMORY_DEVICE, &to), LAY_OK);
    assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(cudaEventCreate(&ended), cudaSuccess);
    lay_options options = LAY_OPTIONS_INIT;
    options.stream = stream;
    assert_int_equal(lay_copy(LAY_F32, row, from, column, to, &options), LAY_OK);
    assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
    for (int round = 0; round < 100; round++) /* some milliseconds of work */
        assert_int_equal(lay_copy(LAY_F32, row, from, column, to, &options), LAY_OK);
    assert_int_equal(cudaEventRecord(ended, stream), cudaSuccess);
    assert_int_equal(cudaEventQuery(ended), cudaErrorNotReady);
    assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
    cudaEventDestroy(ended);
    cudaStreamDestroy(stream);
    lay_free(from);
    lay_free(to);
    lay_desc_destroy(row);
    lay_desc_destroy(column);
}

static void a_graph_holds_a_copy_on_the_device_and_no_other(void **state)
{
    (void)state;
    lay_desc *row = layout_parse("[64][64]"), *column = layout_parse("[64:1][64:64]");
    float host[64 * 64];
    void *from = NULL, *to = NULL;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    assert_int_equal(lay_alloc(LAY_F32, row, LAY_MEMORY_DEVICE, &from), LAY_OK);
    assert_int_equal(lay_alloc(LAY_F32, row, LAY_MEMORY_DEVICE, &to), LAY_OK);
    for (int i = 0; i < 64 * 64; i++)
        host[i] = (float)i;
    assert_int_equal(lay_copy(LAY_F32, row, host, row, from, NULL), LAY_OK);
    assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    lay_options options = LAY_OPTIONS_INIT;
    options.stream = stream;
    assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    assert_int_equal(lay_copy(LAY_F32, row, from, column, to, &options), LAY_OK);
    assert_int_equal(lay_copy(LAY_F32, row, from, row, host, &options), LAY_ERR_UNSUPPORTED);
    assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    assert_int_equal(cudaGraphInstantiate(&ready, graph, 0), cudaSuccess);
    assert_int_equal(cudaGraphLaunch(ready, stream), cudaSuccess);
    assert_int_equal(lay_copy(LAY_F32, row, to, row, host, &options), LAY_OK);
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++)
            assert_true(host[j * 64 + i] == (float)(i * 64 + j));
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    lay_free(from);
    lay_free(to);
    lay_desc_destroy(row);
    lay_desc_destroy(column);
}

static void a_copy_from_the_device_is_refused_to_the_cpu(void **state)
{
    (void)state;
    lay_desc *row = layout_parse("[8][8]");
    float host[64];
    void *from = NULL;
    assert_int_equal(lay_alloc(LAY_F32, row, LAY_MEMORY_DEVICE, &from), LAY_OK);
    lay_options options = LAY_OPTIONS_INIT;
    options.backend = LAY_BACKEND_CPU;
    assert_int_equal(lay_copy(LAY_F32, row, from, row, host, &options), LAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(lay_last_error(), "source"));
    lay_free(from);
    lay_desc_destroy(row);
}

int main(void)
{
    const char *reason;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_between_random_layouts_and_places_keeps_every_bit),
        cmocka_unit_test(a_copy_of_short_lines_keeps_the_gaps_between_them),
        cmocka_unit_test(a_copy_of_one_range_ends_where_it_ends),
        cmocka_unit_test(a_large_copy_goes_in_pieces),
        cmocka_unit_test(allocated_memory_lies_where_it_was_asked_for),
        cmocka_unit_test(a_copy_on_the_device_waits_for_nothing),
        cmocka_unit_test(a_graph_holds_a_copy_on_the_device_and_no_other),
        cmocka_unit_test(a_copy_from_the_device_is_refused_to_the_cpu),
    };
    if (lay_device_count(&reason) == 0) {
        printf("1..0 # SKIP %s\n", reason);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
