/* Launches of single kernels, with CUDA's calls led through the test: what they are given, and what is said when they
 * fail. No device is asked. */
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cuda/launch/put.h"

typedef struct given {
    const void *function;
    dim3 grid, block;
    size_t shared;
    void *stream, *argument;
    unsigned attributes, cluster;
} given;

static given last;
static int plain_calls, early_calls;
static cudaError_t answer;

cudaError_t __wrap_cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                                    cudaStream_t stream);
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments);

cudaError_t __wrap_cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                                    cudaStream_t stream)
{
    last = (given){ function, grid, block, shared, stream, arguments[0], 0, 0 };
    plain_calls++;
    return answer;
}

cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
    unsigned early = 0, cluster = 0;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *const of = &config->attrs[i];
        if (of->id == cudaLaunchAttributeClusterDimension) {
            assert_true(of->val.clusterDim.y == 1 && of->val.clusterDim.z == 1);
            cluster = of->val.clusterDim.x;
            continue;
        }
        assert_int_equal(of->id, cudaLaunchAttributeProgrammaticStreamSerialization);
        assert_int_equal(of->val.programmaticStreamSerializationAllowed, 1);
        early++;
    }
    last = (given){ function,       config->gridDim, config->blockDim, config->dynamicSmemBytes,
                    config->stream, arguments[0],    config->numAttrs, cluster };
    early_calls += (int)early;
    return answer;
}

static int forget(void **state)
{
    (void)state;
    plain_calls = early_calls = 0;
    answer = cudaSuccess;
    return 0;
}

static const char a_kernel, a_stream;
static const lay_put some = { "some kernel", &a_kernel, 77, 3, 256, 4096, 0 };

static void assert_given(int argument_of_ours, const int *argument)
{
    assert_ptr_equal(last.function, &a_kernel);
    assert_int_equal(last.grid.x, 77);
    assert_int_equal(last.grid.y, 1);
    assert_int_equal(last.grid.z, 3);
    assert_int_equal(last.block.x, 256);
    assert_int_equal(last.block.y * last.block.z, 1);
    assert_int_equal(last.shared, 4096);
    assert_ptr_equal(last.stream, &a_stream);
    assert_ptr_equal(last.argument, argument);
    assert_int_equal(*argument, argument_of_ours);
}

static void a_kernel_is_launched_as_it_is_told(void **state)
{
    (void)state;
    int argument = 5;
    assert_int_equal(lay_put_kernel(&some, &argument, 0, (void *)&a_stream), LAY_OK);
    assert_int_equal(plain_calls, 1);
    assert_int_equal(early_calls, 0);
    assert_given(5, &argument);
}

static void one_that_may_begin_early_says_so(void **state)
{
    (void)state;
    int argument = 6;
    assert_int_equal(lay_put_kernel(&some, &argument, 1, (void *)&a_stream), LAY_OK);
    assert_int_equal(plain_calls, CUDART_VERSION < 12030);
    assert_int_equal(early_calls, CUDART_VERSION >= 12030);
    assert_int_equal(last.attributes, CUDART_VERSION >= 12030);
    assert_given(6, &argument);
}

static void blocks_of_a_cluster_are_told(void **state)
{
    (void)state;
    lay_put clustered = some;
    clustered.cluster = 4;
    for (int is_early = 0; is_early <= 1; is_early++) {
        int argument = 7;
        assert_int_equal(lay_put_kernel(&clustered, &argument, is_early, (void *)&a_stream), LAY_OK);
        assert_int_equal(last.cluster, 4);
        assert_int_equal(last.attributes, 1 + (is_early && CUDART_VERSION >= 12030));
        assert_given(7, &argument);
    }
    assert_int_equal(plain_calls, 0);
    clustered.cluster = 1;
    int argument = 8;
    assert_int_equal(lay_put_kernel(&clustered, &argument, 0, (void *)&a_stream), LAY_OK);
    assert_int_equal(plain_calls, 1);
}

static void a_grid_without_slices_has_one(void **state)
{
    (void)state;
    const lay_put flat = { .name = "flat", .function = &a_kernel, .blocks = 9, .threads = 32 };
    int argument = 0;
    assert_int_equal(lay_put_kernel(&flat, &argument, 0, NULL), LAY_OK);
    assert_int_equal(last.grid.x, 9);
    assert_int_equal(last.grid.z, 1);
    assert_int_equal(last.shared, 0);
}

static void a_refusal_names_the_kernel_and_has_CUDA_s_words(void **state)
{
    (void)state;
    int argument = 0;
    answer = cudaErrorLaunchOutOfResources;
    for (int is_early = 0; is_early <= 1; is_early++) {
        assert_int_equal(lay_put_kernel(&some, &argument, is_early, NULL), LAY_ERR_DEVICE);
        assert_non_null(strstr(lay_last_error(), "some kernel"));
        assert_non_null(strstr(lay_last_error(), cudaGetErrorString(answer)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_kernel_is_launched_as_it_is_told, forget),
        cmocka_unit_test_setup(one_that_may_begin_early_says_so, forget),
        cmocka_unit_test_setup(a_grid_without_slices_has_one, forget),
        cmocka_unit_test_setup(blocks_of_a_cluster_are_told, forget),
        cmocka_unit_test_setup(a_refusal_names_the_kernel_and_has_CUDA_s_words, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
