/* One product of matrices in device memory, timed for us and the peers in turns. */
#include "contest_device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/base/complain.h"
#include "lock.h"

/* The problem's layouts and, where somebody needs them, row-major. */
typedef struct stage {
    ground nested, plain;
    lay_desc *plain_desc[3];
    player players[MAX_ENTRIES];
    const char *who[MAX_ENTRIES];
} stage;

static int has_peer_that_cannot_read(const terms *under, const problem *of)
{
    reading read;
    const lay_desc *const desc[3] = { of->desc[0], of->desc[1], of->desc[2] };
    return under->peer_count && (under->copies == 2 || !reading_find(desc, &read));
}

static int set_stage(const terms *under, const problem *of, stage *on)
{
    const int64_t shapes[3][2] = { { of->m, of->k }, { of->k, of->n }, { of->m, of->n } };
    int status = ground_create(under->type, of->desc, &on->nested);
    if (!under->show_row && !under->show_copies && !has_peer_that_cannot_read(under, of))
        return status;
    for (int i = 0; i < 3 && status == EXIT_FINE; i++) {
        const lay_status made = lay_desc_natural(2, shapes[i], &on->plain_desc[i]);
        status = refuse_unless_ok(made, of->text);
    }
    return status == EXIT_FINE ? ground_create(under->type, on->plain_desc, &on->plain) : status;
}

static void clear_stage(stage *on, int players)
{
    for (int i = 0; i < players; i++)
        player_clear(&on->players[i]);
    ground_clear(&on->nested);
    ground_clear(&on->plain);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(on->plain_desc[i]);
}

static player *enter(contest *out, stage *on, role as, const peer *whom, const char *who)
{
    contest_enter(out, as, whom, who);
    return &on->players[out->count - 1];
}

/* The library on a ground: with a plan kept, or as a call that looks for its plan. */
static int enter_lay(const terms *under, contest *out, stage *on, role as, const char *who)
{
    ground *where = as == ROLE_LAY_ROW ? &on->plain : &on->nested;
    player *made = enter(out, on, as, NULL, who);
    lay_options options = under->options;
    if (as == ROLE_LAY_STRICT)
        options.compute = LAY_COMPUTE_STRICT;
    if ((as == ROLE_LAY || as == ROLE_LAY_STRICT) && under->is_plain) {
        player_call(made, where, &options);
        return EXIT_FINE;
    }
    const int status = as == ROLE_LAY_PACKED ? player_packed(made, where, under->packed, &options)
                                             : player_plan(made, where, &options);
    if (status == EXIT_FINE)
        contest_name_kernel(made->plan, 1, out->results[out->count - 1].how);
    return status;
}

static int enter_ours(const terms *under, contest *out, stage *on)
{
    int status = enter_lay(under, out, on, ROLE_LAY, "lay");
    if (status == EXIT_FINE && under->show_plan)
        status = enter_lay(under, out, on, ROLE_LAY_PLAN, "lay, plan kept");
    if (status == EXIT_FINE && under->packed)
        status = enter_lay(under, out, on, ROLE_LAY_PACKED, contest_name_packed(under->packed));
    if (status == EXIT_FINE && under->show_row)
        status = enter_lay(under, out, on, ROLE_LAY_ROW, "lay, row-major");
    if (status == EXIT_FINE && under->show_strict)
        status = enter_lay(under, out, on, ROLE_LAY_STRICT, "lay, strict");
    if (status == EXIT_FINE && under->show_copies)
        status = player_own_copies(enter(out, on, ROLE_LAY_COPIES, NULL, "lay, row-major + copies"), &on->plain,
                                   &on->nested, &under->options);
    return status;
}

static int enter_peer(const terms *under, const peer *whom, contest *out, stage *on, const problem *of)
{
    char who[64];
    reading read;
    const lay_desc *const desc[3] = { of->desc[0], of->desc[1], of->desc[2] };
    const int reads = reading_find(desc, &read);
    if (!whom->cublas)
        return refuse("%s computes in host memory: only cuBLAS is a peer for --memory=device", whom->name);
    snprintf(who, sizeof who, "%s%s", whom->name, reads ? "" : ", row-major");
    player *made = enter(out, on, ROLE_PEER, whom, who);
    const int status = player_cublas(made, reads ? &on->nested : &on->plain, whom->cublas, NULL, &under->options);
    if (under->copies + !reads < 2 || status != EXIT_FINE)
        return status;
    snprintf(who, sizeof who, "%s + copies", whom->name);
    made = enter(out, on, ROLE_COPIES, whom, who);
    return player_cublas(made, &on->plain, whom->cublas, &on->nested, &under->options);
}

static int enter_all(const terms *under, const problem *of, contest *out, stage *on)
{
    int status = enter_ours(under, out, on);
    for (int i = 0; i < under->peer_count && status == EXIT_FINE; i++)
        status = enter_peer(under, &under->peers[i], out, on, of);
    return status == EXIT_FINE ? contest_seat(out) : status;
}

int contest_on_device(const terms *under, const problem *of, contest *out)
{
    static stage on;
    terms mine = *under;
    mine.options.stream = device_get()->stream;
    mine.options.device = device_get()->number;
    on = (stage){ 0 };
    int held, status = lock_take(mine.lock, &held);
    if (status == EXIT_FINE)
        status = set_stage(&mine, of, &on);
    if (status == EXIT_FINE)
        status = enter_all(&mine, of, out, &on);
    for (int i = 0; i < out->count; i++) {
        on.players[i].seconds = out->results[i].seconds;
        on.who[i] = out->results[i].who;
    }
    if (status == EXIT_FINE)
        status = players_check(on.players, on.who, out->count, of->text);
    if (status == EXIT_FINE)
        status = players_race(on.players, out->count, out->rounds, mine.min_time, mine.is_plain);
    for (int i = 0; i < out->count; i++) {
        out->results[i].calls = on.players[i].turn.calls;
        if (on.players[i].turn.is_plain && !mine.is_plain)
            strncat(out->results[i].who, " (no graph)", sizeof out->results[i].who - strlen(out->results[i].who) - 1);
    }
    lock_leave(&held);
    clear_stage(&on, out->count);
    return status;
}
