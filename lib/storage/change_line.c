/* A line of elements on its way: widened to the sum's type, scaled, added up, rounded once. In chunks that stay in L1.
 */
#include "base/arith.h"
#include "storage/change.h"
#include "storage/stream.h"

enum { CHUNK = 256, LARGEST = 8 /* bytes of an element */ };

/* A chunk in every form that it may have. */
typedef struct rooms {
    _Alignas(64) char x[CHUNK * LARGEST], y[CHUNK * LARGEST], out[CHUNK * LARGEST];
    float half[CHUNK]; /* between 16 bits and f64 */
} rooms;

/* A chunk of type as the sum's type has it: where it lies, or in room. */
static const void *widen(const lay_changer *by, lay_type type, const lay_half_row *half, const void *from,
                         int64_t count, float *between, void *room)
{
    const lay_type sum = by->job->sum_type;
    if (type == sum)
        return from;
    if (!half) {
        by->blend->widen(from, count, room);
        return room;
    }
    half->widen(from, 1, count, sum == LAY_F32 ? room : between);
    if (sum == LAY_F64)
        by->blend->widen(between, count, room);
    return room;
}

/* A chunk of the sum's type as the destination's, which is another one. */
static void narrow(const lay_changer *by, const void *from, int64_t count, float *between, void *to)
{
    const int is_double = by->job->sum_type == LAY_F64;
    if (!by->half_to) {
        by->blend->narrow(from, count, to);
        return;
    }
    if (is_double)
        by->blend->narrow_odd(from, count, between);
    by->half_to->round(is_double ? between : from, count, to, 1);
}

/* to = alpha x + beta y, each of the two if it is not 0. */
static void combine(const lay_changer *by, const void *x, const void *y, int64_t count, void *to)
{
    const lay_copy_job *job = by->job;
    const lay_blend_row *blend = by->blend;
    const lay_scalar alpha = job->alpha, beta = job->beta;
    const int is_double = job->sum_type == LAY_F64;
    if (x && y && is_double)
        blend->add_f64(alpha.f64, x, beta.f64, y, count, to);
    else if (x && y)
        blend->add_f32(alpha.f32, x, beta.f32, y, count, to);
    else if (!x && !y)
        memset(to, 0, (size_t)count * (is_double ? sizeof(double) : sizeof(float)));
    else if (is_double)
        blend->scale_f64(x ? alpha.f64 : beta.f64, x ? x : y, count, to);
    else
        blend->scale_f32(x ? alpha.f32 : beta.f32, x ? x : y, count, to);
}

static void change_chunk(const lay_changer *by, const void *x, void *y, int64_t count, int is_streaming, rooms *in)
{
    const lay_copy_job *job = by->job;
    const int is_sum = job->to_type == job->sum_type;
    const int is_one = !job->reads_to && lay_scalar_is(&job->alpha, job->sum_type, 1);
    void *const target = is_streaming ? in->out : y;      /* of the destination's type */
    void *const summed = is_sum ? target : (void *)in->x; /* of the sum's */
    const void *wide = NULL, *old = NULL;
    if (job->reads_from)
        wide = widen(by, job->from_type, by->half_from, x, count, in->half, is_one ? summed : in->x);
    if (job->reads_to)
        old = widen(by, job->to_type, by->half_to, y, count, in->half, in->y);
    if (!is_one) {
        combine(by, wide, old, count, summed);
        wide = summed;
    }
    if (!is_sum)
        narrow(by, wide, count, in->half, target);
    if (is_streaming)
        stream_bytes(y, (const char *)target, (size_t)(count * job->size));
}

void lay_change_line(const lay_changer *by, const void *x, void *y, int64_t count, int is_streaming)
{
    const lay_copy_job *job = by->job;
    rooms in;
    for (int64_t done = 0; done < count; done += CHUNK)
        change_chunk(by, x ? (const char *)x + done * job->from_size : NULL, (char *)y + done * job->size,
                     min_of(CHUNK, count - done), is_streaming, &in);
}
