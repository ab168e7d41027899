/* One contraction of tensors in device memory, timed by the device's own events for us, for cuTENSOR, and for our
 * product of matrices between copies to and fro, in turns. */
#include "contest_tensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/peers/cutensor.h"
#include "bench/problems/proof.h"
#include "contest_device.h"
#include "lock.h"

enum { A, B, C, TENSORS };
enum { TRIAL_ROUNDS = 3 }; /* in which cuTENSOR's algorithms are compared */

/* cuTENSOR by one of its algorithms. */
typedef struct rival {
    const cutensor *with;
    cutensor_plan plan;
    void *workspace;
} rival;

typedef struct stage {
    const terms *under;
    const problem *what;
    const contraction *of;
    ground tensors, matrices;
    lay_desc *plain[TENSORS], *batches[TENSORS]; /* of one matrix; of all of them */
    void *host[TENSORS];                         /* the tensors, to check against */
    player players[MAX_ENTRIES];
    rival rivals[MAX_ENTRIES];
} stage;

static int set_stage(const terms *under, const problem *of, stage *on)
{
    *on = (stage){ .under = under, .what = of, .of = of->labels };
    lay_status made = LAY_OK;
    for (int i = 0; i < TENSORS && made == LAY_OK; i++)
        made = contraction_matrices(on->of, i, &on->plain[i], &on->batches[i]);
    if (made != LAY_OK)
        return refuse_status(made, of->text);
    const int has_batch = on->of->count[LABEL_BATCH] > 1;
    int status = ground_create_bare(under->type, has_batch ? on->of->batches : on->of->view, &on->tensors);
    if (status == EXIT_FINE && under->show_copies)
        status = ground_create_bare(under->type, has_batch ? on->batches : on->plain, &on->matrices);
    for (int i = 0; i < TENSORS && status == EXIT_FINE; i++)
        if (!(on->host[i] = malloc(on->tensors.stride[i])))
            status = fail("%s: out of memory", of->text);
    return status;
}

static void clear_stage(stage *on)
{
    for (int i = 0; i < MAX_ENTRIES; i++) {
        player_clear(&on->players[i]);
        if (on->rivals[i].with)
            cutensor_plan_destroy(on->rivals[i].with, &on->rivals[i].plan);
        device_free(on->rivals[i].workspace);
    }
    ground_clear(&on->tensors);
    ground_clear(&on->matrices);
    for (int i = 0; i < TENSORS; i++) {
        free(on->host[i]);
        lay_desc_destroy(on->plain[i]);
        lay_desc_destroy(on->batches[i]);
    }
}

static lay_status call_rival(void *of, int set)
{
    const player *self = of;
    const rival *its = self->own;
    const ground *on = self->on;
    const int failed =
        cutensor_contract(its->with, &its->plan, on->host[C].type, ground_zero(on, A, set), ground_zero(on, B, set),
                          ground_zero(on, C, set), its->workspace, self->options.stream);
    return failed ? LAY_ERR_DEVICE : LAY_OK;
}

/* Plans by all of its algorithms that have this contraction: how many, or -1 after a sentence. */
static int make_rivals(const stage *on, const peer *whom, player players[], rival rivals[], int which[])
{
    int count = 0;
    for (int i = 0; i < CUTENSOR_ALGORITHMS; i++) {
        rival *made = &rivals[count];
        *made = (rival){ .with = whom->cutensor };
        if (cutensor_plan_create(made->with, on->under->type, on->of, i, device_get()->memory / 4, &made->plan) != 0)
            continue;
        players[count] =
            (player){ .call = call_rival, .on = (ground *)&on->tensors, .options = on->under->options, .own = made };
        which[count++] = i;
        if (made->plan.workspace && device_allocate(made->plan.workspace, &made->workspace) != EXIT_FINE)
            return -1;
    }
    return count;
}

/* The fastest of its algorithms, on random numbers. */
static int enter_rival(stage *on, const peer *whom, contest *out)
{
    player players[CUTENSOR_ALGORITHMS] = { { 0 } };
    rival rivals[CUTENSOR_ALGORITHMS] = { { 0 } };
    double seconds[CUTENSOR_ALGORITHMS][TRIAL_ROUNDS];
    int which[CUTENSOR_ALGORITHMS], best = -1;
    double least = 0;
    const int count = make_rivals(on, whom, players, rivals, which);
    int status = count > 0    ? EXIT_FINE
                 : count == 0 ? refuse("%s: %s has no plan for it", on->what->text, whom->name)
                              : EXIT_FAILED;
    for (int i = 0; i < count; i++)
        players[i].seconds = seconds[i];
    if (status == EXIT_FINE)
        status = players_race(players, count, TRIAL_ROUNDS, on->under->min_time, on->under->is_plain);
    for (int i = 0; i < count && status == EXIT_FINE; i++)
        for (int j = 0; j < TRIAL_ROUNDS; j++)
            if (best < 0 || seconds[i][j] < least) {
                best = i;
                least = seconds[i][j];
            }
    for (int i = 0; i < CUTENSOR_ALGORITHMS; i++) {
        device_turn_free(&players[i].turn);
        if (i == best || !rivals[i].with)
            continue;
        cutensor_plan_destroy(whom->cutensor, &rivals[i].plan);
        device_free(rivals[i].workspace);
    }
    if (best < 0)
        return status;
    result *made = contest_enter(out, ROLE_PEER, whom, whom->name);
    snprintf(made->how, sizeof made->how, "%s", cutensor_algorithm(which[best]));
    on->rivals[out->count - 1] = rivals[best];
    player *self = &on->players[out->count - 1];
    *self = players[best];
    self->own = &on->rivals[out->count - 1];
    self->turn = (device_turn){ 0 };
    return EXIT_FINE;
}

static int enter_all(stage *on, contest *out)
{
    const terms *under = on->under;
    result *made = contest_enter(out, ROLE_LAY, NULL, "lay, plan kept");
    int status = player_labels(&on->players[0], &on->tensors, on->of, under->is_by_storage, &under->options);
    if (status == EXIT_FINE)
        contest_name_kernel(on->players[0].plan, 1, made->how);
    for (int i = 0; i < under->peer_count && status == EXIT_FINE; i++)
        status = enter_rival(on, &under->peers[i], out);
    if (status == EXIT_FINE && under->show_copies) {
        contest_enter(out, ROLE_LAY_COPIES, NULL, "lay, row-major + copies");
        status = player_own_copies(&on->players[out->count - 1], &on->matrices, &on->tensors, &under->options);
    }
    return status == EXIT_FINE ? contest_seat(out) : status;
}

/* One call of everybody's in the first set, on the same integers. */
static int check(stage *on, player *self, const proof *expected, const char *who)
{
    ground *at = &on->tensors;
    const size_t bytes = (size_t)contraction_elements(on->of, C) * lay_type_size(on->under->type);
    int status = device_fill(at->block[C], 0xff, at->stride[C]); /* NaN */
    if (status != EXIT_FINE)
        return status;
    const lay_status done = self->call(self, 0);
    if (done != LAY_OK)
        return refuse_status(done, on->what->text);
    status = device_download(on->host[C], at->block[C], bytes);
    const int verdict = status == EXIT_FINE ? proof_give(expected, on->host[C]) : 1;
    if (verdict < 0)
        return fail("out of memory");
    return verdict ? status : fail("%s: %s computes a wrong product", on->what->text, who);
}

static int check_all(stage *on, const proof *expected, contest *out)
{
    const size_t size = lay_type_size(on->under->type);
    int status = EXIT_FINE;
    for (int i = A; i <= B && status == EXIT_FINE; i++)
        status = device_upload(on->tensors.block[i], on->host[i], (size_t)contraction_elements(on->of, i) * size);
    for (int i = 0; i < out->count && status == EXIT_FINE; i++)
        status = check(on, &on->players[i], expected, out->results[i].who);
    return status;
}

static int race(stage *on, contest *out)
{
    const terms *under = on->under;
    for (int i = 0; i < out->count; i++)
        on->players[i].seconds = out->results[i].seconds;
    const int status = players_race(on->players, out->count, out->rounds, under->min_time, under->is_plain);
    for (int i = 0; i < out->count; i++) {
        char *who = out->results[i].who;
        out->results[i].calls = on->players[i].turn.calls;
        if (on->players[i].turn.is_plain && !under->is_plain)
            strncat(who, " (no graph)", sizeof out->results[i].who - strlen(who) - 1);
    }
    return status;
}

/* What the device does. */
static int hold(stage *on, const proof *expected, contest *out)
{
    int status = ground_fill_random(&on->tensors);
    if (status == EXIT_FINE)
        status = enter_all(on, out);
    if (status == EXIT_FINE)
        status = check_all(on, expected, out);
    if (status == EXIT_FINE)
        status = ground_fill_random(&on->tensors);
    return status == EXIT_FINE ? race(on, out) : status;
}

int contest_tensors(const terms *under, const problem *of, contest *out)
{
    static stage on;
    terms mine = *under;
    mine.options.stream = device_get()->stream;
    mine.options.device = device_get()->number;
    int held = -1, status = set_stage(&mine, of, &on);
    proof *expected = NULL;
    if (status == EXIT_FINE) {
        proof_fill(on.of, mine.type, on.host[A], on.host[B]);
        expected = proof_create(on.of, mine.type, on.host[A], on.host[B]);
        status = expected ? lock_take(mine.lock, &held) : fail("out of memory");
    }
    if (status == EXIT_FINE)
        status = hold(&on, expected, out);
    lock_leave(&held);
    proof_destroy(expected);
    clear_stage(&on);
    return status;
}
