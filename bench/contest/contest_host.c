/* One product of matrices in host memory, timed for us and the peers in turns.
 *
 * Everybody works on the same matrices, one after the other, every round beginning with another of
 * them; a turn is one call that is not timed and then as many as its time asks for. */
#include "contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/base/element.h"
#include "bench/device/cuda_part.h"
#include "bench/peers/reading.h"
#include "bench/problems/verdict.h"
#include "bench/timing/timing.h"
#include "turns.h"

typedef struct entry {
    lay_status (*call)(const struct entry *self);
    operand *a, *b, *c; /* what is multiplied */
    operand *outer;     /* [3]: copied to a and b before, from c after; or NULL */
    const lay_options *options;
    const lay_plan *plan;
    lay_packed *const *packed; /* [2], of the plan: A, B or NULL */
    const peer *peer;
    reading read;
    struct transfers *transfers; /* cuBLAS */
} entry;

/* The matrices in the problem's layouts and, where somebody needs them, row-major. */
typedef struct stage {
    operand nested[3], plain[3];
    operand mixed[3]; /* of these the nested one where a BLAS reads it: not owned */
    lay_desc *plain_desc[3];
    lay_plan *plan, *plain_plan;
    lay_packed *packed[2];
    lay_options strict; /* ours, by LAY_COMPUTE_STRICT */
    entry entries[MAX_ENTRIES];
} stage;

static lay_status call_lay(const entry *self)
{
    const operand *a = self->a, *b = self->b, *c = self->c;
    return lay_gemm(a->type, a->desc, b->desc, c->desc, element_scalar(a->type, 1), a->zero, b->zero,
                    element_scalar(a->type, 0), c->zero, self->options);
}

static lay_status call_plan(const entry *self)
{
    return lay_plan_run(self->plan, element_scalar(self->a->type, 1), self->a->zero, self->b->zero,
                        element_scalar(self->a->type, 0), self->c->zero);
}

static lay_status call_packed(const entry *self)
{
    lay_packed *const *packed = self->packed;
    return lay_plan_run_packed(self->plan, element_scalar(self->a->type, 1), packed[0] ? NULL : self->a->zero,
                               packed[0], packed[1] ? NULL : self->b->zero, packed[1], element_scalar(self->a->type, 0),
                               self->c->zero);
}

static lay_status call_cublas(const entry *self)
{
    return cuda_of_tool->transfers_run(self->transfers);
}

static lay_status call_cblas(const entry *self)
{
    const operand *a = self->a, *b = self->b, *c = self->c;
    const int64_t size = (int64_t)lay_type_size(a->type);
    if (element_parts(a->type) == 2 && !(a->type == LAY_C32 ? self->peer->cgemm : self->peer->zgemm))
        return LAY_ERR_UNSUPPORTED;
    reading_multiply(&self->read, self->peer, a->type, c->rows, c->columns, a->columns,
                     (const char *)a->zero + a->row[0] * size, (const char *)b->zero + b->row[0] * size,
                     (char *)c->zero + c->row[0] * size);
    return LAY_OK;
}

static lay_status call_peer(const entry *self)
{
    return self->transfers ? call_cublas(self) : call_cblas(self);
}

static lay_status copy(const operand *from, const operand *to, const lay_options *options)
{
    return lay_copy(from->type, from->desc, from->zero, to->desc, to->zero, options);
}

/* What the peer can read is not copied. */
static lay_status call_copies(const entry *self)
{
    lay_status status = LAY_OK;
    if (self->a->desc != self->outer[0].desc)
        status = copy(&self->outer[0], self->a, self->options);
    if (status == LAY_OK && self->b->desc != self->outer[1].desc)
        status = copy(&self->outer[1], self->b, self->options);
    if (status == LAY_OK)
        status = call_peer(self);
    if (status == LAY_OK && self->c->desc != self->outer[2].desc)
        status = copy(self->c, &self->outer[2], self->options);
    return status;
}

/* All three operands, there and back. */
static lay_status call_own_copies(const entry *self)
{
    lay_status status = copy(&self->outer[0], self->a, self->options);
    if (status == LAY_OK)
        status = copy(&self->outer[1], self->b, self->options);
    if (status == LAY_OK)
        status = call_plan(self);
    return status == LAY_OK ? copy(self->c, &self->outer[2], self->options) : status;
}

static entry *enter(contest *out, stage *on, role as, const peer *whom, const char *who, operand of[3],
                    const terms *under)
{
    contest_enter(out, as, whom, who);
    entry *self = &on->entries[out->count - 1];
    *self = (entry){ .a = &of[0], .b = &of[1], .c = &of[2], .options = &under->options, .peer = whom };
    return self;
}

static void enter_ours(const terms *under, contest *out, stage *on)
{
    entry *ours = enter(out, on, ROLE_LAY, NULL, under->is_planned ? "lay, plan kept" : "lay", on->nested, under);
    ours->call = under->is_planned ? call_plan : call_lay;
    ours->plan = on->plan;
    if (under->show_plan) {
        entry *self = enter(out, on, ROLE_LAY_PLAN, NULL, "lay, plan kept", on->nested, under);
        self->call = call_plan;
        self->plan = on->plan;
    }
    if (under->packed) {
        entry *self = enter(out, on, ROLE_LAY_PACKED, NULL, contest_name_packed(under->packed), on->nested, under);
        self->call = call_packed;
        self->plan = on->plan;
        self->packed = on->packed;
    }
    if (under->show_copies) {
        entry *self = enter(out, on, ROLE_LAY_COPIES, NULL, "lay, row-major + copies", on->plain, under);
        self->call = call_own_copies;
        self->plan = on->plain_plan;
        self->outer = on->nested;
    }
    if (under->show_row)
        enter(out, on, ROLE_LAY_ROW, NULL, "lay, row-major", on->plain, under)->call = call_lay;
    if (under->show_strict) {
        entry *self = enter(out, on, ROLE_LAY_STRICT, NULL, "lay, strict", on->nested, under);
        self->call = call_lay;
        on->strict = under->options;
        on->strict.compute = LAY_COMPUTE_STRICT;
        self->options = &on->strict;
    }
}

/* How a peer reads matrices that it can read. */
static int lead_peer(entry *self, operand of[3])
{
    const lay_desc *const desc[3] = { of[0].desc, of[1].desc, of[2].desc };
    reading_find(desc, &self->read);
    return self->peer->cublas ? cuda_of_tool->transfers_create(of, self->peer, &self->transfers) : EXIT_FINE;
}

static int enter_peer(const terms *under, const peer *whom, contest *out, stage *on)
{
    reading direct;
    const lay_desc *const desc[3] = { on->nested[0].desc, on->nested[1].desc, on->nested[2].desc };
    const int reads = reading_find(desc, &direct);
    char who[64];
    snprintf(who, sizeof who, "%s%s%s", whom->name, whom->cublas ? " + transfers" : "", reads ? "" : ", row-major");
    entry *self = enter(out, on, ROLE_PEER, whom, who, reads ? on->nested : on->plain, under);
    self->call = call_peer;
    int status = lead_peer(self, reads ? on->nested : on->plain);
    if (under->copies + !reads < 2 || status != EXIT_FINE)
        return status;
    snprintf(who, sizeof who, "%s + copies", whom->name);
    operand *of = whom->cublas || reads ? on->plain : on->mixed;
    self = enter(out, on, ROLE_COPIES, whom, who, of, under);
    self->call = call_copies;
    self->outer = on->nested;
    return lead_peer(self, of);
}

static int set_stage(const terms *under, const problem *of, stage *on)
{
    const int64_t shapes[3][2] = { { of->m, of->k }, { of->k, of->n }, { of->m, of->n } };
    const int has_plain = under->show_row || under->show_copies || under->peer_count > 0;
    int status = EXIT_FINE;
    for (int i = 0; i < 3 && has_plain && status == EXIT_FINE; i++) {
        const lay_status made = lay_desc_natural(2, shapes[i], &on->plain_desc[i]);
        status = refuse_unless_ok(made, of->text);
    }
    for (int i = 0; i < 3 && status == EXIT_FINE; i++)
        status = operand_create(under->type, of->desc[i], under->memory, &on->nested[i]);
    for (int i = 0; i < 3 && has_plain && status == EXIT_FINE; i++)
        status = operand_create(under->type, on->plain_desc[i], under->memory, &on->plain[i]);
    for (int i = 0; i < 3; i++)
        on->mixed[i] = reading_is_plain(of->desc[i]) ? on->nested[i] : on->plain[i];
    if (status == EXIT_FINE && (under->show_plan || under->is_planned || under->packed)) {
        const lay_status made =
            lay_plan_create(under->type, of->desc[0], of->desc[1], of->desc[2], &under->options, &on->plan);
        status = refuse_unless_ok(made, of->text);
    }
    if (status == EXIT_FINE && under->show_copies) {
        lay_desc *const *plain = on->plain_desc;
        const lay_status made =
            lay_plan_create(under->type, plain[0], plain[1], plain[2], &under->options, &on->plain_plan);
        status = refuse_unless_ok(made, of->text);
    }
    return status;
}

static void drop_packed(stage *on)
{
    for (int i = 0; i < 2; i++) {
        lay_packed_destroy(on->packed[i]);
        on->packed[i] = NULL;
    }
}

/* The matrices as they are now. */
static lay_status pack(stage *on, int which)
{
    lay_status status = LAY_OK;
    drop_packed(on);
    for (int i = 0; i < 2 && status == LAY_OK; i++)
        if (which >> i & 1)
            status = lay_pack(on->plan, (lay_operand)i, on->nested[i].zero, &on->packed[i]);
    return status;
}

static void clear_stage(stage *on)
{
    drop_packed(on);
    for (int i = 0; i < 3; i++) {
        operand_destroy(&on->nested[i]);
        operand_destroy(&on->plain[i]);
        lay_desc_destroy(on->plain_desc[i]);
    }
    lay_plan_destroy(on->plan);
    lay_plan_destroy(on->plain_plan);
    for (int i = 0; i < MAX_ENTRIES; i++)
        if (on->entries[i].transfers)
            cuda_of_tool->transfers_destroy(on->entries[i].transfers);
}

static int check(stage *on, const entry *self, int which, const char *who, const char *text)
{
    operand *a = self->a, *b = self->b, *c = self->c;
    if (self->outer)
        a = &self->outer[0], b = &self->outer[1], c = &self->outer[2];
    verdict_prepare(a, b, c);
    lay_status status = pack(on, which);
    if (status == LAY_OK)
        status = self->call(self);
    if (status != LAY_OK)
        return refuse_status(status, text);
    const int verdict = verdict_give(a, b, c);
    if (verdict < 0)
        return fail("out of memory");
    return verdict ? EXIT_FINE : fail("%s: %s computes a wrong product", text, who);
}

/* Products of pieces that matrix units form for one of f32; 0 where the mode is none for them. */
static int products_of(lay_compute compute)
{
    static const int products[] = { [LAY_COMPUTE_F32_SPLIT] = 6, [LAY_COMPUTE_BF16] = 1, [LAY_COMPUTE_BF16X3] = 3 };
    return (size_t)compute < sizeof products / sizeof *products ? products[compute] : 0;
}

static lay_status call_entry(const void *of)
{
    const entry *self = of;
    return self->call(self);
}

static int run_rounds(const terms *under, const problem *of, stage *on, contest *out)
{
    for (int i = 0; i < out->count; i++) {
        const int status = check(on, &on->entries[i], under->packed, out->results[i].who, of->text);
        if (status != EXIT_FINE)
            return status;
    }
    for (int i = 0; i < 2; i++) {
        operand_fill_real(&on->nested[i], 1 + (uint64_t)i);
        if (on->plain[i].desc)
            operand_fill_real(&on->plain[i], 1 + (uint64_t)i);
    }
    const lay_status packed = pack(on, under->packed);
    if (packed != LAY_OK)
        return refuse_status(packed, of->text);
    const int products = products_of(under->options.compute);
    turner turners[MAX_ENTRIES];
    for (int i = 0; i < out->count; i++)
        turners[i] = (turner){ .call = call_entry, .self = &on->entries[i] };
    turns_count(under, turners, out);
    for (int round = 0; round < out->rounds; round++) {
        if (under->options.backend != LAY_BACKEND_CUDA && products > 0)
            out->unit[round] = tiles_together(under->options.threads) / products;
        turns_take(under, turners, round, out);
    }
    return EXIT_FINE;
}

int contest_on_host(const terms *under, const problem *of, contest *out)
{
    stage on = { 0 };
    int status = set_stage(under, of, &on);
    if (status == EXIT_FINE)
        enter_ours(under, out, &on);
    for (int i = 0; i < under->peer_count && status == EXIT_FINE; i++)
        status = enter_peer(under, &under->peers[i], out, &on);
    if (status == EXIT_FINE)
        status = contest_seat(out);
    if (status == EXIT_FINE)
        status = run_rounds(under, of, &on, out);
    clear_stage(&on);
    return status;
}
