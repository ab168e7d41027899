/* cuTENSOR as a peer. */
#include "peer_cutensor.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/base/complain.h"
#include "bench/device/device.h"
#include "cutensor.h"

int peer_cutensor_open(const char *path, peer *out)
{
    const int status = device_open(LAY_DEVICE_AUTO);
    cutensor *made = status == EXIT_FINE ? malloc(sizeof *made) : NULL;
    if (status != EXIT_FINE)
        return status;
    const char *sentence = made ? cutensor_open(path, made) : "out of memory";
    if (sentence) {
        free(made);
        return refuse("%s", sentence);
    }
    *out = (peer){ .name = "cuTENSOR", .library = made->library, .cutensor = made };
    snprintf(out->about, sizeof out->about,
             "cuTENSOR %zu.%zu.%zu on %s, sums in FP32 or FP64, the fastest of its algorithms", made->version / 10000,
             made->version / 100 % 100, made->version % 100, device_get()->name);
    return EXIT_FINE;
}
