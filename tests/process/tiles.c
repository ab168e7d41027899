/* The CPU's matrix unit: asked for when a product wants it and not before, released when the call returns, and refused
 * with a reason where CPU, system or caller do not give it. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "layoutgemm.h"

enum { N = 256, ARCH_GET_XCOMP_PERM = 0x1022, ARCH_REQ_XCOMP_PERM = 0x1023, TILE_DATA = 18 };

static float a[N * N], b[N * N], c[N * N];

static lay_status multiply(lay_compute compute, lay_isa isa, int threads)
{
    lay_desc *square = NULL;
    lay_options options = LAY_OPTIONS_INIT;
    options.compute = compute;
    options.isa = isa;
    options.threads = threads;
    options.backend = LAY_BACKEND_CPU;
    assert_int_equal(lay_desc_natural(2, (int64_t[]){ N, N }, &square), LAY_OK);
    for (int i = 0; i < N * N; i++)
        a[i] = (float)(i % 7), b[i] = (float)(i % 5);
    const lay_status status = lay_sgemm(square, square, square, 1, a, b, 0, c, &options);
    lay_desc_destroy(square);
    return status;
}

static int has_amx(void)
{
    char text[4000];
    assert_true(lay_machine_explain(text, sizeof text) > 0);
    return strstr(text, "isa         amx") != NULL;
}

/* Each case in a process of its own: leave that has been given is not taken back. */
static void run_alone(int (*body)(void))
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(body() ? 0 : 1);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static int has_leave(void)
{
    uint64_t features = 0;
    return syscall(SYS_arch_prctl, ARCH_GET_XCOMP_PERM, &features) == 0 && (features >> TILE_DATA & 1);
}

/* Bit 18 of what is not in its initial state, by xgetbv. */
static int has_tiles_in_use(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return low >> TILE_DATA & 1;
}

static int asks_when_it_must(void)
{
    return !has_leave() && multiply(LAY_COMPUTE_STRICT, LAY_ISA_AUTO, 2) == LAY_OK && !has_leave() &&
           multiply(LAY_COMPUTE_F32_SPLIT, LAY_ISA_AUTO, 1) == LAY_OK && has_leave() && !has_tiles_in_use();
}

static void leave_is_asked_for_when_a_product_wants_it_and_tiles_are_given_back(void **state)
{
    (void)state;
    if (has_amx())
        run_alone(asks_when_it_must);
}

/* The system's answer to the request alone becomes EPERM. */
static int forbid(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_arch_prctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH_REQ_XCOMP_PERM, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { .len = sizeof filter / sizeof filter[0], .filter = filter };
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int is_told_of_the_systems_refusal(void)
{
    if (!forbid()) /* no seccomp here */
        return 1;
    return multiply(LAY_COMPUTE_F32_SPLIT, LAY_ISA_AUTO, 1) == LAY_ERR_UNSUPPORTED &&
           strstr(lay_last_error(), "the system refuses AMX's state") && multiply(LAY_COMPUTE_STRICT, 0, 1) == LAY_OK;
}

static void a_systems_refusal_is_told(void **state)
{
    (void)state;
    if (has_amx())
        run_alone(is_told_of_the_systems_refusal);
}

static int is_told_of_the_cap(void)
{
    return multiply(LAY_COMPUTE_F32_SPLIT, LAY_ISA_AVX2, 1) == LAY_ERR_UNSUPPORTED &&
           strstr(lay_last_error(), "cpu-split") &&
           (has_amx()         ? strstr(lay_last_error(), "capped by options.isa") != NULL
            : TILES_ARE_BUILT ? strstr(lay_last_error(), "has no A") || strstr(lay_last_error(), "LAY_ISA") ||
                                    strstr(lay_last_error(), "options.isa")
                              : strstr(lay_last_error(), "a model for tests") != NULL) &&
           !has_leave();
}

static void a_cap_or_a_lesser_cpu_is_told(void **state)
{
    (void)state;
    run_alone(is_told_of_the_cap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cap_or_a_lesser_cpu_is_told),
        cmocka_unit_test(leave_is_asked_for_when_a_product_wants_it_and_tiles_are_given_back),
        cmocka_unit_test(a_systems_refusal_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
