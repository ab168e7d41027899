/* Copies between host memory and a device's, without a GPU: between stand-ins of CUDA's streams (streams.h) the
 * library's own way. Right whatever comes first, and a copy that fails leaves its destination alone or says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <cuda_runtime_api.h>

#include "../../product/support/layouts.h"
#include "../../product/support/operand.h"
#include "../../product/support/trial.h"
#include "cuda/copy/choose.h"
#include "cuda/launch/put.h"
#include "cuda/memory/promises.h"
#include "cuda/stream/staging.h"
#include "storage/copy.h"
#include "streams.h"

enum { CASES = 60 };

/* Of either side. */
typedef struct crossing {
    operand from, to;
    lay_crossing of;
} crossing;

static cudaStream_t stream;

static crossing make(lay_type type, lay_desc *from, lay_desc *to, random_source *random)
{
    crossing made = { .from = operand_make(type, from, NULL, OPERAND_ANYWHERE, random),
                      .to = operand_make(type, to, NULL, OPERAND_ANYWHERE, random) };
    operand_fill_bits(&made.from, random);
    made.of = (lay_crossing){ .type = type,
                              .from = made.from.desc,
                              .to = made.to.desc,
                              .src = made.from.zero,
                              .dst = made.to.zero,
                              .threads = 2,
                              .isa = LAY_ISA_C,
                              .stream = stream };
    return made;
}

static void drop(crossing *gone)
{
    operand_free(&gone->from);
    operand_free(&gone->to);
}

static lay_status cross(const crossing *of)
{
    streams_begin();
    const lay_status status = lay_cuda_copy_across(&of->of);
    assert_true(streams_are_at_rest());
    return status;
}

static int is_right(const crossing *of)
{
    const size_t bytes = (size_t)(of->from.rows * of->from.columns) * lay_type_size(of->from.type);
    char *const wanted = oracle_memory(bytes), *const got = oracle_memory(bytes);
    operand_bytes(&of->from, wanted);
    operand_bytes(&of->to, got);
    const int are_same = memcmp(wanted, got, bytes) == 0 && operand_gaps_are_kept(&of->to);
    free(wanted);
    free(got);
    return are_same;
}

static void any_copy_is_right_whatever_comes_first(void **state)
{
    static const lay_type types[] = { LAY_F16, LAY_F32, LAY_F64, LAY_C64 };
    const int cases = trial_rounds(CASES);
    (void)state;
    for (int number = 0; number < cases; number++) {
        random_source from = random_case(46, (uint64_t)number);
        const int is_large = number % 8 == 0; /* more boxes than there are buffers */
        const lay_type type = is_large ? LAY_C64 : random_of(&from, types);
        const int64_t rows = is_large ? random_in(&from, 1480, 1600) : random_in(&from, 1, 60);
        const int64_t columns = is_large ? random_in(&from, 1480, 1600) : random_in(&from, 1, 60);
        crossing made = make(type, layout_random(&from, LAYOUT_INPUT, rows, columns),
                             layout_random(&from, LAYOUT_OUTPUT, rows, columns), &from);
        made.of.is_to_host = random_one_in(&from, 2);
        made.of.is_pinned = random_one_in(&from, 2);
        streams_now = (streams_setting){
            .seed = random_bits(&from), .is_lazy = random_one_in(&from, 2), .still = -1, .calls = -1
        };
        if (cross(&made) != LAY_OK || !is_right(&made))
            fail_msg("case %d: %s to %s", number, layout_text(made.from.desc), layout_text(made.to.desc));
        drop(&made);
    }
}

/* With call number to fail; 0 when it was never made. *said: it had written something. */
static int fail_at(long number, crossing *of, int *said)
{
    streams_now = (streams_setting){ .seed = 7, .still = -1, .calls = number, .lacks = number % 2 };
    lay_staging_clear(); /* so that all is made anew, and may fail */
    memcpy(of->to.memory, of->to.before, of->to.bytes);
    const lay_status status = cross(of);
    const int has_failed = streams_seen.has_failed;
    *said = 0;
    if (has_failed && status != LAY_OK) {
        *said = strstr(lay_last_error(), "made to fail; a part of the destination has been written") != NULL;
        if (!*said && !operand_is_untouched(&of->to))
            fail_msg("call %ld failed: the destination was written without a word", number);
    } else if (!is_right(of)) {
        fail_msg("call %ld failed, and was got over, but wrongly", number);
    }
    return has_failed;
}

/* Five boxes, one more than there are buffers. */
static void a_copy_that_fails_says_what_it_has_written(void **state)
{
    enum { ROWS = 2048, COLUMNS = 2100 };
    (void)state;
    for (int which = 0; which < 8; which++) {
        random_source from = random_case(47, (uint64_t)which);
        int said, times = 0;
        long number = 0;
        crossing made =
            make(LAY_F64, layout_usual(which & 1 ? 1 : 0, ROWS, COLUMNS), layout_usual(0, ROWS, COLUMNS), &from);
        made.of.is_to_host = which >> 1 & 1;
        made.of.is_pinned = which >> 2 & 1;
        for (; fail_at(number, &made, &said); number++)
            times += said;
        assert_true(times > 2 && times < number - 4);
        drop(&made);
    }
    lay_staging_clear();
}

/* ---- within a device -------------------------------------------------------------------------- */

const void *const lay_cuda_copy_lines[4],
    *const lay_cuda_copy_tiles[4], *const lay_cuda_copy_tiles_by_vectors[4][3],
                                       *const lay_cuda_changed_lines[4], *const lay_cuda_changed_lines_by_vectors[4],
                                                                             *const lay_cuda_changed_tiles[4],
                                                                                 *const lay_cuda_copy_flat;

static int launches;

lay_status lay_put_kernel(const lay_put *of, void *args, int is_early, void *in)
{
    (void)of, (void)args, (void)is_early, (void)in;
    launches++;
    return LAY_OK;
}

/* No plan keeps them: so none is named. */
static void a_copy_by_tables_is_refused_while_its_stream_is_captured(void **state)
{
    (void)state;
    random_source from = random_case(48, 0);
    crossing made = make(LAY_F32, layout_parse("[[2:20][3:5]][4:100]"), layout_parse("[[3:20][2:5]][4:100]"), &from);
    const lay_change plain = lay_change_none(LAY_F32);
    static lay_copy_job job;
    lay_copy_prepare(&plain, made.of.from, made.of.src, made.of.to, made.of.dst, &job);
    assert_true(lay_cuda_copy_count_tables(&job) > 0);
    streams_now = (streams_setting){ .seed = 1, .still = -1, .calls = -1, .is_captured = 1 };
    streams_begin();
    assert_int_equal(lay_cuda_copy(&job, 0, stream), LAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(lay_last_error(), "is being captured, and a copy by tables of offsets takes "));
    assert_int_equal(launches, 0);
    streams_now.is_captured = 0;
    assert_int_equal(lay_cuda_copy(&job, 0, stream), LAY_OK);
    assert_int_equal(launches, 1);
    assert_true(streams_are_at_rest());
    drop(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_copy_is_right_whatever_comes_first),
        cmocka_unit_test(a_copy_that_fails_says_what_it_has_written),
        cmocka_unit_test(a_copy_by_tables_is_refused_while_its_stream_is_captured),
    };
    streams_install();
    streams_now = (streams_setting){ .still = -1, .calls = -1 };
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
