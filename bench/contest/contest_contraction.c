/* One contraction of tensors in host memory, timed for us, for libraries of contractions, and for products of matrices
 * between copies to and fro, in turns. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/base/complain.h"
#include "bench/base/element.h"
#include "bench/base/memory.h"
#include "bench/peers/reading.h"
#include "bench/peers/tblis.h"
#include "bench/problems/proof.h"
#include "bench/timing/timing.h"
#include "contest.h"
#include "turns.h"

enum { A, B, C, TENSORS };

/* The tensors, and matrices of the same elements, a batch after the other, which a BLAS reads. */
typedef struct ground {
    const contraction *of;
    lay_type type;
    const lay_options *options;
    void *tensor[TENSORS], *matrix[TENSORS];
    lay_desc *plain[TENSORS], *batches[TENSORS]; /* of one matrix; of all of them */
    int64_t *batch[TENSORS];                     /* where the tensors' matrices begin */
    lay_plan *plan, *plain_plan;
} ground;

typedef struct entry {
    lay_status (*call)(const struct entry *self);
    const ground *on;
    const peer *peer;
    reading read;
    int is_copied[TENSORS]; /* by copies: those that the BLAS cannot read */
} entry;

static lay_status call_plan(const entry *self)
{
    const ground *on = self->on;
    return lay_plan_run(on->plan, element_scalar(on->type, 1), on->tensor[A], on->tensor[B],
                        element_scalar(on->type, 0), on->tensor[C]);
}

static lay_status call_tblis(const entry *self)
{
    const contraction *of = self->on->of;
    tblis_operand all[TENSORS];
    if (!tblis_has_type(self->peer->tblis, self->on->type))
        return LAY_ERR_UNSUPPORTED;
    for (int i = 0; i < TENSORS; i++)
        all[i] = (tblis_operand){ of->rank[i], of->name[i], of->extent[i], of->stride[i], self->on->tensor[i] };
    tblis_multiply(self->peer->tblis, self->on->type, &all[A], &all[B], &all[C]);
    return LAY_OK;
}

static lay_status copy_in(const entry *self)
{
    const ground *on = self->on;
    lay_status status = LAY_OK;
    for (int i = A; i <= B && status == LAY_OK; i++)
        if (self->is_copied[i])
            status = lay_copy(on->type, on->of->batches[i], on->tensor[i], on->batches[i], on->matrix[i], on->options);
    return status;
}

static lay_status copy_out(const entry *self)
{
    const ground *on = self->on;
    return self->is_copied[C]
               ? lay_copy(on->type, on->batches[C], on->matrix[C], on->of->batches[C], on->tensor[C], on->options)
               : LAY_OK;
}

/* A matrix of the batch, where this contestant has it. */
static void *find_matrix(const entry *self, int which, int64_t batch, int64_t elements)
{
    const ground *on = self->on;
    const int64_t size = (int64_t)lay_type_size(on->type);
    return self->is_copied[which] ? (char *)on->matrix[which] + batch * elements * size
                                  : (char *)on->tensor[which] + on->batch[which][batch] * size;
}

static lay_status call_blas(const entry *self)
{
    const int64_t *count = self->on->of->count, m = count[LABEL_M], n = count[LABEL_N], k = count[LABEL_K];
    const lay_type type = self->on->type;
    if (element_parts(type) == 2 && !(type == LAY_C32 ? self->peer->cgemm : self->peer->zgemm))
        return LAY_ERR_UNSUPPORTED;
    const lay_status status = copy_in(self);
    if (status != LAY_OK)
        return status;
    for (int64_t h = 0; h < count[LABEL_BATCH]; h++)
        reading_multiply(&self->read, self->peer, type, m, n, k, find_matrix(self, A, h, m * k),
                         find_matrix(self, B, h, k * n), find_matrix(self, C, h, m * n));
    return copy_out(self);
}

/* All three of them, there and back. */
static lay_status call_own_copies(const entry *self)
{
    const ground *on = self->on;
    lay_status status = copy_in(self);
    if (status == LAY_OK)
        status = lay_plan_run(on->plain_plan, element_scalar(on->type, 1), on->matrix[A], on->matrix[B],
                              element_scalar(on->type, 0), on->matrix[C]);
    return status == LAY_OK ? copy_out(self) : status;
}

static lay_status call_entry(const void *of)
{
    const entry *self = of;
    return self->call(self);
}

static lay_status describe(ground *on, int is_by_storage)
{
    const contraction *of = on->of;
    lay_status status = LAY_OK;
    for (int i = 0; i < TENSORS && status == LAY_OK; i++)
        status = contraction_matrices(of, i, &on->plain[i], &on->batches[i]);
    if (status == LAY_OK)
        status = contraction_plan(of, on->type, is_by_storage, on->options, &on->plan);
    lay_desc *const *all = of->count[LABEL_BATCH] > 1 ? on->batches : on->plain;
    return status == LAY_OK ? lay_plan_create(on->type, all[A], all[B], all[C], on->options, &on->plain_plan) : status;
}

static int set_ground(const terms *under, const problem *of, ground *on)
{
    const contraction *labels = of->labels;
    *on = (ground){ .of = labels, .type = under->type, .options = &under->options };
    const lay_status status = describe(on, under->is_by_storage);
    if (status != LAY_OK)
        return refuse_status(status, of->text);
    for (int i = 0; i < TENSORS; i++) {
        const size_t bytes = (size_t)contraction_elements(labels, i) * lay_type_size(under->type);
        on->tensor[i] = aligned_alloc(64, (bytes + 127) / 64 * 64);
        on->matrix[i] = aligned_alloc(64, (bytes + 127) / 64 * 64);
        on->batch[i] = malloc((size_t)labels->count[LABEL_BATCH] * sizeof(int64_t));
        if (!on->tensor[i] || !on->matrix[i] || !on->batch[i])
            return fail("%s: out of memory", of->text);
        contraction_offsets(labels, i, LABEL_BATCH, on->batch[i]);
    }
    return EXIT_FINE;
}

static void clear_ground(ground *on)
{
    for (int i = 0; i < TENSORS; i++) {
        free(on->tensor[i]);
        free(on->matrix[i]);
        free(on->batch[i]);
        lay_desc_destroy(on->plain[i]);
        lay_desc_destroy(on->batches[i]);
    }
    lay_plan_destroy(on->plan);
    lay_plan_destroy(on->plain_plan);
}

static void enter_blas(entry *self)
{
    const lay_desc *read[TENSORS];
    for (int i = 0; i < TENSORS; i++) {
        self->is_copied[i] = !reading_is_plain(self->on->of->view[i]);
        read[i] = self->is_copied[i] ? self->on->plain[i] : self->on->of->view[i];
    }
    reading_find(read, &self->read);
    self->call = call_blas;
}

static void enter_all(const terms *under, const ground *on, entry entries[], contest *out)
{
    contest_enter(out, ROLE_LAY, NULL, "lay, plan kept");
    entries[0] = (entry){ .call = call_plan, .on = on };
    for (int i = 0; i < under->peer_count; i++) {
        const peer *whom = &under->peers[i];
        char who[64];
        snprintf(who, sizeof who, "%s%s", whom->name, whom->tblis ? "" : " + copies");
        contest_enter(out, whom->tblis ? ROLE_PEER : ROLE_COPIES, whom, who);
        entry *self = &entries[out->count - 1];
        *self = (entry){ .call = call_tblis, .on = on, .peer = whom };
        if (!whom->tblis)
            enter_blas(self);
    }
    if (under->show_copies) {
        contest_enter(out, ROLE_LAY_COPIES, NULL, "lay, row-major + copies");
        entries[out->count - 1] = (entry){ .call = call_own_copies, .on = on, .is_copied = { 1, 1, 1 } };
    }
}

static int check_all(const ground *on, const entry entries[], turner turners[], const problem *of, contest *out)
{
    proof_fill(on->of, on->type, on->tensor[A], on->tensor[B]);
    proof *expected = proof_create(on->of, on->type, on->tensor[A], on->tensor[B]);
    int status = expected ? EXIT_FINE : fail("out of memory");
    for (int i = 0; i < out->count && status == EXIT_FINE; i++) {
        turners[i] = (turner){ .call = call_entry, .self = &entries[i] };
        proof_prepare(on->of, on->type, on->tensor[C]);
        const double start = seconds_now();
        const lay_status done = call_entry(&entries[i]);
        turners[i].known = seconds_now() - start;
        const int verdict = done == LAY_OK ? proof_give(expected, on->tensor[C]) : 0;
        if (done != LAY_OK)
            status = refuse_status(done, of->text);
        else if (verdict < 0)
            status = fail("out of memory");
        else if (!verdict)
            status = fail("%s: %s computes a wrong product", of->text, out->results[i].who);
    }
    proof_destroy(expected);
    return status;
}

int contest_contraction(const terms *under, const problem *of, contest *out)
{
    ground on;
    entry entries[MAX_ENTRIES];
    turner turners[MAX_ENTRIES];
    int status = set_ground(under, of, &on);
    if (status == EXIT_FINE) {
        enter_all(under, &on, entries, out);
        status = contest_seat(out);
    }
    if (status == EXIT_FINE)
        status = check_all(&on, entries, turners, of, out);
    if (status == EXIT_FINE) {
        turns_count(under, turners, out);
        for (int round = 0; round < out->rounds; round++)
            turns_take(under, turners, round, out);
    }
    clear_ground(&on);
    return status;
}

int contest_check_contraction(const terms *under, const problem *of)
{
    const int is_on_device = under->memory == LAY_MEMORY_DEVICE;
    if (under->memory == LAY_MEMORY_PINNED)
        return refuse("%s: contractions are timed in host memory or in device memory", of->text);
    if (lay_type_size(under->type) == 2 && !is_on_device)
        return refuse("%s: contractions in host memory are timed in f32, f64, c32 and c64", of->text);
    double elements = 0;
    for (int i = 0; i < TENSORS; i++)
        elements += (double)contraction_elements(of->labels, i);
    return memory_need(of->text, (is_on_device ? 1 : 2) * elements * (double)lay_type_size(under->type));
}
