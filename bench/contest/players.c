/* Those who multiply on the device: on what, how, whether rightly, and in turns. */
#include <stdlib.h>

#include "bench/base/complain.h"
#include "bench/base/element.h"
#include "bench/base/memory.h"
#include "bench/base/random.h"
#include "bench/problems/verdict.h"
#include "contest_device.h"

enum {
    MAX_SETS = 512,
    POOL = (4 << 20) + 64,   /* random numbers, over and over */
    APART = (64 << 10) + 256 /* bytes: matrices a power of two apart would share memory channels by accident */
};

int ground_create_bare(lay_type type, lay_desc *const desc[3], ground *out)
{
    size_t bytes = 0;
    *out = (ground){ 0 };
    for (int i = 0; i < 3; i++) {
        out->host[i] = (operand){ .type = type, .desc = desc[i] };
        out->stride[i] = (operand_size(desc[i], type) + 255) / 256 * 256;
        bytes += out->stride[i];
    }
    int status = memory_check("the matrices", "device", (double)bytes, (double)device_get()->memory);
    const size_t sets = bytes ? 3 * device_get()->l2 / bytes + 1 : 1;
    out->sets = sets < MAX_SETS ? (int)sets : MAX_SETS;
    for (int i = 0; i < 3 && status == EXIT_FINE; i++) {
        status = device_allocate(out->stride[i] * (size_t)out->sets + 2 * APART, &out->memory[i]);
        out->block[i] = (char *)out->memory[i] + i * APART;
    }
    return status;
}

int ground_create(lay_type type, lay_desc *const desc[3], ground *out)
{
    *out = (ground){ 0 };
    int status = memory_need("the matrices", operands_bytes(desc, type));
    if (status == EXIT_FINE)
        status = ground_create_bare(type, desc, out);
    for (int i = 0; i < 3 && status == EXIT_FINE; i++)
        status = operand_create(type, desc[i], LAY_MEMORY_HOST, &out->host[i]);
    return status;
}

void ground_clear(ground *of)
{
    for (int i = 0; i < 3; i++) {
        device_free(of->memory[i]);
        operand_destroy(&of->host[i]);
    }
    *of = (ground){ 0 };
}

void *ground_zero(const ground *of, int which, int set)
{
    const operand *host = &of->host[which];
    return of->block[which] + of->stride[which] * (size_t)set - operand_lowest(host->desc, host->type);
}

static char *host_block(const operand *of)
{
    return (char *)of->zero + operand_lowest(of->desc, of->type);
}

/* Random numbers in device memory, the last ones once more where they are asked for again; one of each `apart` is 2^-60
 * of what it would be, unless apart is 0. */
static int find_pool(lay_type type, int apart, void **out)
{
    static struct {
        void *on_device;
        lay_type type;
        int apart;
    } last;
    const size_t size = lay_type_size(type);
    *out = last.on_device;
    if (last.on_device && last.type == type && last.apart == apart)
        return EXIT_FINE;
    device_free(last.on_device);
    last.on_device = NULL;
    void *pool = malloc(POOL * size);
    int status = pool ? device_allocate(POOL * size, &last.on_device) : fail("out of memory");
    const size_t numbers = (size_t)POOL * (size_t)element_parts(type);
    uint64_t seed = 1;
    for (size_t i = 0; i < numbers && pool; i++) {
        const double factor = apart && i % (size_t)apart == 0 ? 0x1p-60 : 1;
        const double value = factor * ((double)(random_next(&seed) >> 40) * 0x1p-23 - 1);
        element_write(type, pool, (int64_t)i, value);
    }
    if (status == EXIT_FINE)
        status = device_upload(last.on_device, pool, POOL * size);
    free(pool);
    last.type = type;
    last.apart = apart;
    *out = last.on_device;
    return status;
}

static int fill(ground *of, int apart)
{
    const lay_type type = of->host[0].type;
    void *pool = NULL;
    int status = find_pool(type, apart, &pool);
    for (int i = 0; i < 3 && status == EXIT_FINE; i++)
        status = device_repeat(of->block[i], pool, POOL * lay_type_size(type), of->stride[i] * (size_t)of->sets);
    of->is_prepared = 0;
    of->is_random = status == EXIT_FINE;
    return status;
}

int ground_fill_random(ground *of)
{
    return fill(of, 0);
}

int ground_fill_wide(ground *of)
{
    return fill(of, 61);
}

static lay_status call_plan(void *of, int set)
{
    const player *self = of;
    const lay_type type = self->on->host[0].type;
    return lay_plan_run(self->plan, element_scalar(type, 1), ground_zero(self->on, 0, set),
                        ground_zero(self->on, 1, set), element_scalar(type, 0), ground_zero(self->on, 2, set));
}

static lay_status call_packed(void *of, int set)
{
    const player *self = of;
    const lay_type type = self->on->host[0].type;
    lay_packed *const *packed = self->packed + 2 * set;
    return lay_plan_run_packed(self->plan, element_scalar(type, 1), packed[0] ? NULL : ground_zero(self->on, 0, set),
                               packed[0], packed[1] ? NULL : ground_zero(self->on, 1, set), packed[1],
                               element_scalar(type, 0), ground_zero(self->on, 2, set));
}

static lay_status call_lay(void *of, int set)
{
    const player *self = of;
    const operand *host = self->on->host;
    return lay_gemm(host[0].type, host[0].desc, host[1].desc, host[2].desc, element_scalar(host[0].type, 1),
                    ground_zero(self->on, 0, set), ground_zero(self->on, 1, set), element_scalar(host[0].type, 0),
                    ground_zero(self->on, 2, set), &self->options);
}

static lay_status call_cublas(void *of, int set)
{
    const player *self = of;
    const operand *host = self->on->host;
    const int failed = cublas_multiply(self->with, host[0].type, &self->read, (int)host[2].rows, (int)host[2].columns,
                                       (int)host[0].columns, ground_zero(self->on, 0, set),
                                       ground_zero(self->on, 1, set), 0, ground_zero(self->on, 2, set));
    return failed ? LAY_ERR_DEVICE : LAY_OK;
}

static lay_status copy(const player *self, const ground *from, const ground *to, int which, int set)
{
    return lay_copy(from->host[which].type, from->host[which].desc, ground_zero(from, which, set), to->host[which].desc,
                    ground_zero(to, which, set), &self->options);
}

static lay_status call_copies(void *of, int set)
{
    player *self = of;
    lay_status status = copy(self, self->outer, self->on, 0, set);
    if (status == LAY_OK)
        status = copy(self, self->outer, self->on, 1, set);
    if (status == LAY_OK)
        status = call_cublas(self, set);
    return status == LAY_OK ? copy(self, self->on, self->outer, 2, set) : status;
}

static lay_status call_own_copies(void *of, int set)
{
    player *self = of;
    lay_status status = copy(self, self->outer, self->on, 0, set);
    if (status == LAY_OK)
        status = copy(self, self->outer, self->on, 1, set);
    if (status == LAY_OK)
        status = call_plan(self, set);
    return status == LAY_OK ? copy(self, self->on, self->outer, 2, set) : status;
}

static int reserve(lay_status made, const player *of)
{
    const lay_status status = made == LAY_OK ? lay_plan_reserve(of->plan) : made;
    return refuse_unless_ok(status, "a product in device memory");
}

int player_plan(player *out, ground *on, const lay_options *options)
{
    const operand *host = on->host;
    *out = (player){ .call = call_plan, .on = on, .options = *options };
    return reserve(lay_plan_create(host[0].type, host[0].desc, host[1].desc, host[2].desc, &out->options, &out->plan),
                   out);
}

int player_labels(player *out, ground *on, const contraction *of, int is_by_storage, const lay_options *options)
{
    *out = (player){ .call = call_plan, .on = on, .options = *options };
    return reserve(contraction_plan(of, on->host[0].type, is_by_storage, &out->options, &out->plan), out);
}

int player_own_copies(player *out, ground *on, ground *outer, const lay_options *options)
{
    const int status = player_plan(out, on, options);
    out->call = call_own_copies;
    out->outer = outer;
    return status;
}

static void drop_packed(player *self)
{
    for (int i = 0; self->packed && i < 2 * self->on->sets; i++) {
        lay_packed_destroy(self->packed[i]);
        self->packed[i] = NULL;
    }
}

/* Of the first sets, as they are now. */
static lay_status pack(player *self, int sets)
{
    lay_status status = LAY_OK;
    drop_packed(self);
    for (int i = 0; i < 2 * sets && self->which && status == LAY_OK; i++)
        if (self->which >> i % 2 & 1)
            status = lay_pack(self->plan, (lay_operand)(i % 2), ground_zero(self->on, i % 2, i / 2), &self->packed[i]);
    return status;
}

int player_packed(player *out, ground *on, int which, const lay_options *options)
{
    int status = player_plan(out, on, options);
    if (status != EXIT_FINE)
        return status;
    out->call = call_packed;
    out->which = which;
    out->packed = calloc(2 * (size_t)on->sets, sizeof *out->packed);
    if (!out->packed)
        return fail("out of memory");
    lay_status made = pack(out, 1);
    if (made == LAY_OK)
        made = lay_plan_reserve(out->plan);
    return refuse_unless_ok(made, "a product with packed operands");
}

void player_call(player *out, ground *on, const lay_options *options)
{
    *out = (player){ .call = call_lay, .on = on, .options = *options };
}

int player_cublas(player *out, ground *on, const cublas *with, ground *outer, const lay_options *options)
{
    const lay_desc *const desc[3] = { on->host[0].desc, on->host[1].desc, on->host[2].desc };
    *out = (player){ .call = outer ? call_copies : call_cublas, .on = on, .outer = outer, .with = with };
    out->options = *options;
    out->options.backend = LAY_BACKEND_AUTO; /* of the copies: theirs, not the product's */
    out->options.kernel = NULL;
    return reading_find(desc, &out->read) ? EXIT_FINE : refuse("cuBLAS cannot read these layouts");
}

void player_clear(player *of)
{
    device_turn_free(&of->turn);
    drop_packed(of);
    free(of->packed);
    lay_plan_destroy(of->plan);
    *of = (player){ 0 };
}

int ground_prepare(ground *of)
{
    operand *host = of->host;
    int status = EXIT_FINE;
    if (!of->is_prepared)
        verdict_prepare(&host[0], &host[1], &host[2]);
    for (int i = 0; i < 2 && status == EXIT_FINE && !of->is_prepared; i++)
        status = device_upload(of->block[i], host_block(&host[i]), operand_size(host[i].desc, host[i].type));
    of->is_prepared = status == EXIT_FINE;
    of->is_random = 0;
    return status == EXIT_FINE ? device_fill(of->block[2], 0xff, of->stride[2]) : status; /* NaN */
}

int ground_check(ground *of, const char *who, const char *text)
{
    operand *host = of->host;
    const int status = device_download(host_block(&host[2]), of->block[2], operand_size(host[2].desc, host[2].type));
    if (status != EXIT_FINE)
        return status;
    const int verdict = verdict_give(&host[0], &host[1], &host[2]);
    if (verdict < 0)
        return fail("out of memory");
    return verdict ? EXIT_FINE : fail("%s: %s computes a wrong product", text, who);
}

static int check(player *self, const char *who, const char *text)
{
    ground *at = self->outer ? self->outer : self->on;
    const int status = ground_prepare(at);
    if (status != EXIT_FINE)
        return status;
    if (self->outer)
        self->on->is_prepared = self->on->is_random = 0;
    lay_status done = pack(self, 1);
    if (done == LAY_OK)
        done = self->call(self, 0);
    return done == LAY_OK ? ground_check(at, who, text) : refuse_status(done, text);
}

int players_check(player list[], const char *const who[], int count, const char *text)
{
    int status = EXIT_FINE;
    for (int i = 0; i < count && status == EXIT_FINE; i++)
        status = check(&list[i], who[i], text);
    for (int i = 0; i < count && status == EXIT_FINE; i++) {
        if (!list[i].on->is_random)
            status = ground_fill_random(list[i].on);
        if (status == EXIT_FINE && list[i].outer && !list[i].outer->is_random)
            status = ground_fill_random(list[i].outer);
    }
    for (int i = 0; i < count && status == EXIT_FINE; i++) {
        const lay_status done = pack(&list[i], list[i].on->sets);
        status = refuse_unless_ok(done, text);
    }
    return status;
}

int players_race(player list[], int count, int rounds, double min_time, int is_plain)
{
    device_turn *turns[MAX_ENTRIES];
    double *seconds[MAX_ENTRIES];
    for (int i = 0; i < count; i++) {
        const int inner = list[i].on->sets, outer = list[i].outer ? list[i].outer->sets : inner;
        list[i].turn = (device_turn){
            .call = list[i].call, .self = &list[i], .sets = outer < inner ? outer : inner, .is_plain = is_plain
        };
        turns[i] = &list[i].turn;
        seconds[i] = list[i].seconds;
    }
    return device_race(turns, seconds, count, rounds, min_time);
}
