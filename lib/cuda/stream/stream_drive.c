/* One thread keeps the streams of all devices going: each part's next buffer or launch in turn, so that no device waits
 * for what another one gets. */
#include <time.h>

#include "cuda/stream/stream_state.h"

static double now_in_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Waits a moment, longer the longer nothing has happened. */
static void nap(double since)
{
    static const double awake = 200e-6; /* what a nap may take to end */
    if (now_in_seconds() - since > awake)
        nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
}

/* Behind all copies and launches. */
static lay_status put_last(lay_stream *own)
{
    lay_status status;
    for (int i = 0; i < LAY_STAGING_COMPUTE; i++)
        if ((status = lay_stream_put_event(own, &own->last, own->staging->compute[i])) ||
            (status = lay_stream_wait(own->staging->out, own->last)))
            return status;
    return lay_stream_put_event(own, &own->last, own->staging->out);
}

static lay_status await_last(lay_stream *own, lay_turn *turn)
{
    int has_come = 0;
    lay_status status = own->last ? LAY_OK : put_last(own);
    if (status == LAY_OK)
        status = lay_move_has_come(own->last, &has_come);
    *turn = has_come ? LAY_TURN_ENDS : LAY_TURN_WAITS;
    return status;
}

static lay_status do_stage(lay_stream *own, lay_turn *turn)
{
    switch (own->now.stage) {
    case LAY_STAGE_SUMS:
        return lay_stream_take_sums(own, turn);
    case LAY_STAGE_LEFT:
        return lay_stream_bring(own, LAY_LEFT, turn);
    case LAY_STAGE_RIGHT:
        return lay_stream_bring(own, LAY_RIGHT, turn);
    case LAY_STAGE_C:
        return lay_stream_point_at_c(own, turn);
    case LAY_STAGE_LAUNCH:
        return lay_stream_launch(own, turn);
    case LAY_STAGE_LEAVING:
        *turn = own->mover.leavings > 0 || own->mover.outs > 0 ? LAY_TURN_WAITS : LAY_TURN_ENDS;
        return LAY_OK;
    default:
        return await_last(own, turn);
    }
}

/* To the stage that follows: behind a launch the next step's first. */
static void step_on(lay_stream *own)
{
    if (own->now.stage == LAY_STAGE_LAUNCH && lay_stream_next_step(&own->cut, &own->now.step))
        lay_stream_begin_step(own);
    else
        own->now.stage++;
}

/* What can be done without a wait, until it has filled a buffer or put a launch. */
static lay_status go_on(lay_stream *own, lay_turn *turn)
{
    int has_moved = 0;
    lay_status status = lay_move_on(&own->mover, &has_moved);
    while (status == LAY_OK) {
        status = do_stage(own, turn);
        if (status != LAY_OK || *turn != LAY_TURN_ENDS)
            break;
        step_on(own);
        if (own->now.stage == LAY_STAGE_DONE)
            return LAY_OK;
        if (own->now.stage == LAY_STAGE_SUMS) {
            *turn = LAY_TURN_WORKS;
            break;
        }
    }
    if (status == LAY_OK && *turn == LAY_TURN_WAITS && has_moved)
        *turn = LAY_TURN_WORKS;
    return status;
}

lay_status lay_stream_drive(lay_stream part[], int count)
{
    double since = now_in_seconds();
    for (int i = 0; i < count; i++) {
        part[i].now.step = lay_stream_first_step(&part[i].cut);
        lay_stream_begin_step(&part[i]);
    }
    for (int going = count; going > 0;) {
        int is_working = 0;
        going = 0;
        for (int i = 0; i < count; i++) {
            lay_turn turn;
            void *before;
            if (part[i].now.stage == LAY_STAGE_DONE)
                continue;
            lay_status status = count > 1 ? lay_device_enter(part[i].device, &before) : LAY_OK;
            if (status != LAY_OK || (status = go_on(&part[i], &turn)))
                return status;
            is_working |= turn == LAY_TURN_WORKS;
            going += part[i].now.stage != LAY_STAGE_DONE;
        }
        if (is_working)
            since = now_in_seconds();
        else if (going > 0)
            nap(since);
    }
    return LAY_OK;
}
