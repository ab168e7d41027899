/* cuBLAS as a peer. */
#include "peer_cublas.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/base/complain.h"
#include "bench/device/device.h"
#include "cublas.h"

enum { WORKSPACE = 64 << 20 };

int peer_cublas_open(const char *path, peer *out)
{
    void *workspace;
    int status = device_open(LAY_DEVICE_AUTO);
    cublas *made = status == EXIT_FINE ? malloc(sizeof *made) : NULL;
    if (status != EXIT_FINE)
        return status;
    const char *sentence = made ? cublas_open(path, made) : "out of memory";
    if (sentence) {
        free(made);
        return refuse("%s", sentence);
    }
    if ((status = device_allocate(WORKSPACE, &workspace)) != EXIT_FINE)
        return status;
    if (cublas_use(made, device_get()->stream, workspace, WORKSPACE) != 0)
        return fail("cuBLAS takes no stream or no workspace");
    *out = (peer){ .name = "cuBLAS", .library = made->library, .cublas = made };
    const device_facts *on = device_get();
    snprintf(out->about, sizeof out->about, "cuBLAS %d.%d.%d in FP32 (no TF32) on %s, CUDA %d.%d, driver for %d.%d",
             made->version / 10000, made->version / 100 % 100, made->version % 100, on->name, on->runtime / 1000,
             on->runtime / 10 % 100, on->driver / 1000, on->driver / 10 % 100);
    return EXIT_FINE;
}

struct transfers {
    const operand *of[3]; /* a, b, c */
    const cublas *with;
    reading read;
    void *block[3]; /* on the device */
};

void transfers_destroy(transfers *self)
{
    for (int i = 0; self && i < 3; i++)
        device_free(self->block[i]);
    free(self);
}

int transfers_create(const operand of[3], const peer *with, transfers **out)
{
    transfers *made = *out = calloc(1, sizeof *made);
    if (!made)
        return fail("out of memory");
    const lay_desc *const desc[3] = { of[0].desc, of[1].desc, of[2].desc };
    made->with = with->cublas;
    int status = reading_find(desc, &made->read) ? EXIT_FINE : refuse("cuBLAS cannot read these layouts");
    for (int i = 0; i < 3 && status == EXIT_FINE; i++) {
        made->of[i] = &of[i];
        status = device_allocate(operand_size(desc[i], of[i].type), &made->block[i]);
    }
    return status;
}

static char *block_of(const operand *of)
{
    return (char *)of->zero + operand_lowest(of->desc, of->type);
}

static void *zero_on_device(const transfers *self, int which)
{
    return (char *)self->block[which] - operand_lowest(self->of[which]->desc, self->of[which]->type);
}

lay_status transfers_run(transfers *self)
{
    const operand *a = self->of[0], *c = self->of[2];
    int status = EXIT_FINE;
    for (int i = 0; i < 2 && status == EXIT_FINE; i++)
        status = device_move(self->block[i], block_of(self->of[i]), operand_size(self->of[i]->desc, a->type));
    if (status == EXIT_FINE)
        status = cublas_multiply(self->with, a->type, &self->read, (int)c->rows, (int)c->columns, (int)a->columns,
                                 zero_on_device(self, 0), zero_on_device(self, 1), 0, zero_on_device(self, 2));
    if (status == EXIT_FINE)
        status = device_move(block_of(c), self->block[2], operand_size(c->desc, c->type));
    if (status == EXIT_FINE)
        status = device_wait();
    return status == EXIT_FINE ? LAY_OK : LAY_ERR_DEVICE;
}
