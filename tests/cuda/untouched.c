/* With two GPUs: products, copies, teams and memory of the second one leave the first without a context, and a thread
 * that had none without one. In a process of its own, before anything else has used a device. */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "layoutgemm.h"
#include "layoutgemm_team.h"

enum { SIZE = 64, OTHER = 1 };

static CUresult (*find_state)(CUdevice device, unsigned *flags, int *is_active);
static CUresult (*find_current)(CUcontext *context);
static float *there[3];
static const char *failed; /* what of the work did */

static int is_active(int device)
{
    unsigned flags;
    int active = -1;
    assert_int_equal(find_state(device, &flags, &active), CUDA_SUCCESS);
    return active;
}

/* No call of CUDA's is the thread's own. */
static void *work(void *square)
{
    static const int devices[] = { OTHER };
    static float host[SIZE * SIZE];
    lay_team *team = NULL;
    void *part[1] = { NULL };
    CUcontext context = NULL;
    failed = lay_sgemm(square, square, square, 1, there[0], there[1], 0, there[2], NULL) ? "a product" : NULL;
    if (!failed && lay_copy(LAY_F32, square, there[2], square, host, NULL))
        failed = "a copy";
    if (!failed && lay_team_devices(1, devices, &team))
        failed = "a team";
    lay_desc *spread = NULL;
    if (!failed && lay_desc_parse("P=(1); A=[64][64]; [[#P_0][#A_0]][#A_1]", &spread))
        failed = "a layout";
    if (!failed && lay_team_alloc(team, LAY_F32, spread, part))
        failed = "memory of a team";
    if (!failed && lay_team_copy(team, LAY_F32, spread, (const void *const *)part, spread, (void *[]){ there[2] }))
        failed = "a team's copy";
    lay_free(part[0]);
    lay_desc_destroy(spread);
    lay_team_destroy(team);
    lay_cache_clear();
    if (!failed && (find_current(&context) != CUDA_SUCCESS || context))
        failed = "being left without a context";
    return NULL;
}

static void the_first_device_stays_untouched(void **state)
{
    lay_desc *square = NULL;
    pthread_t thread;
    (void)state;
    assert_int_equal(cudaSetDevice(OTHER), cudaSuccess);
    for (int i = 0; i < 3; i++)
        assert_int_equal(cudaMalloc((void **)&there[i], sizeof(float) * SIZE * SIZE), cudaSuccess);
    assert_int_equal(is_active(OTHER), 1);
    assert_int_equal(is_active(0), 0);
    assert_int_equal(lay_desc_parse("[64][64]", &square), LAY_OK);
    assert_int_equal(pthread_create(&thread, NULL, work, square), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    lay_desc_destroy(square);
    if (failed)
        fail_msg("%s went wrong: %s", failed, lay_last_error());
    assert_int_equal(is_active(0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_first_device_stays_untouched) };
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count <= OTHER) {
        printf("1..0 # SKIP there are no two devices\n");
        return 0;
    }
    void *const library = dlopen("libcuda.so.1", RTLD_LAZY);
    *(void **)&find_state = dlsym(library, "cuDevicePrimaryCtxGetState");
    *(void **)&find_current = dlsym(library, "cuCtxGetCurrent");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
