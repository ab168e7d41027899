/* What bounds products on a device: its units, by their number and clock, and its memory, measured. */
#include <math.h>

#include "bench/base/complain.h"
#include "bench/timing/timing.h"
#include "contest_device.h"

/* Multiplications and additions in one that a multiprocessor begins each cycle, on the fastest units that products of a
 * type may use: those of the CUDA programming guide's table for f32, matrix units for the others. */
static const struct {
    int capability;
    int f32, f64, half;
} units[] = {
    { 80, 64, 64, 1024 },
    { 90, 128, 128, 2048 },
};

static double find_flops(lay_type type)
{
    const device_facts *of = device_get();
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].capability == of->capability && of->clock > 0) {
            const int each = lay_type_size(type) == 2             ? units[i].half
                             : type == LAY_F64 || type == LAY_C64 ? units[i].f64
                                                                  : units[i].f32;
            return 2e-9 * each * of->multiprocessors * of->clock;
        }
    return NAN;
}

enum { COPIED_MIB = 1024, ROUNDS = 5 };

typedef struct copy {
    void *from, *to;
    size_t size;
} copy;

static lay_status move(void *self, int set)
{
    const copy *of = self;
    (void)set;
    return device_move(of->to, of->from, of->size) == EXIT_FINE ? LAY_OK : LAY_ERR_DEVICE;
}

static int measure(double *gbytes)
{
    copy of = { .size = (size_t)COPIED_MIB << 20 };
    double seconds[ROUNDS];
    int status = device_allocate(of.size, &of.from);
    if (status == EXIT_FINE)
        status = device_allocate(of.size, &of.to);
    if (status == EXIT_FINE)
        status = device_fill(of.from, 0, of.size);
    device_turn turn = { .call = move, .self = &of, .sets = 1, .is_plain = 1 };
    if (status == EXIT_FINE)
        status = device_race((device_turn *const[]){ &turn }, (double *const[]){ seconds }, 1, ROUNDS, 0.01);
    if (status == EXIT_FINE)
        *gbytes = 2e-9 * (double)of.size / lowest(seconds, ROUNDS);
    device_turn_free(&turn);
    device_free(of.from);
    device_free(of.to);
    return status;
}

int roof_of_device(lay_type type, double *gflops, double *gbytes)
{
    static double kept;
    static int of_device = -1;
    *gflops = find_flops(type);
    *gbytes = kept;
    if (of_device == device_get()->number)
        return EXIT_FINE;
    const int status = measure(&kept);
    of_device = status == EXIT_FINE ? device_get()->number : -1;
    *gbytes = kept;
    return status;
}
