/* A line of elements on its way: widened to the sum's type, scaled, added up, rounded once. In chunks that stay in L1.
 */
#include "base/arith.h"
#include "base/scalar.h"
#include "storage/change.h"
#include "storage/stream.h"

enum { CHUNK = 256, LARGEST = 16 /* bytes of an element */ };

/* A chunk in every form that it may have. */
typedef struct rooms {
    _Alignas(64) char x[CHUNK * LARGEST], y[CHUNK * LARGEST], out[CHUNK * LARGEST];
    float half[CHUNK];  /* between 16 bits and f64 */
    double real[CHUNK]; /* what is to be complex */
} rooms;

/* Real numbers become complex ones, and complex ones their conjugates. */
#define PARTS(real)                                                                                                    \
    static void append_zeros_##real(const real *from, int64_t count, real *restrict to)                                \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            to[2 * i] = from[i];                                                                                       \
            to[2 * i + 1] = 0;                                                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    static void conjugate_##real(const real *from, int64_t count, real *to)                                            \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            to[2 * i] = from[2 * i];                                                                                   \
            to[2 * i + 1] = -from[2 * i + 1];                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static void multiply_##real(const real by[2], const real *from, int64_t count, real *to)                           \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            const real re = from[2 * i], im = from[2 * i + 1];                                                         \
            to[2 * i] = by[0] * re - by[1] * im;                                                                       \
            to[2 * i + 1] = by[0] * im + by[1] * re;                                                                   \
        }                                                                                                              \
    }
PARTS(float)
PARTS(double)

/* A chunk of real numbers as the parts of the sum's type are: where it lies, or in room. */
static const void *widen_parts(const lay_changer *by, lay_type part, const lay_half_row *half, const void *from,
                               int64_t count, float *between, void *room)
{
    const lay_type sum = lay_type_real(by->job->sum_type);
    if (part == sum)
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

/* A chunk of type as the sum's type has it. */
static const void *widen(const lay_changer *by, lay_type type, const lay_half_row *half, const void *from,
                         int64_t count, int is_conjugated, rooms *in, void *room)
{
    const lay_type sum = by->job->sum_type;
    const int is_complex = lay_type_is_complex(type), is_double = lay_type_is_double(sum);
    const int is_real = !is_complex && lay_type_is_complex(sum);
    const void *wide = widen_parts(by, lay_type_real(type), half, from, is_complex ? 2 * count : count, in->half,
                                   is_real ? in->real : room);
    if (is_real && is_double)
        append_zeros_double(wide, count, room);
    else if (is_real)
        append_zeros_float(wide, count, room);
    else if (is_complex && is_conjugated && is_double)
        conjugate_double(wide, count, room);
    else if (is_complex && is_conjugated)
        conjugate_float(wide, count, room);
    else
        return wide;
    return room;
}

/* A chunk of the sum's type as the destination's, which is another one. */
static void narrow(const lay_changer *by, const void *from, int64_t count, float *between, void *to)
{
    const int is_double = lay_type_is_double(by->job->sum_type);
    if (!by->half_to) {
        by->blend->narrow(from, lay_type_is_complex(by->job->sum_type) ? 2 * count : count, to);
        return;
    }
    if (is_double)
        by->blend->narrow_odd(from, count, between);
    by->half_to->round(is_double ? between : from, count, to, 1);
}

/* to = factor x; a factor without an imaginary part leaves the parts to themselves, as of a real type. */
static void scale(const lay_changer *by, const lay_scalar *factor, const void *x, int64_t count, void *to)
{
    const lay_type sum = by->job->sum_type;
    const int64_t parts = lay_type_is_complex(sum) ? 2 * count : count;
    if (sum == LAY_C64 && factor->c64[1] != 0)
        multiply_double(factor->c64, x, count, to);
    else if (sum == LAY_C32 && factor->c32[1] != 0)
        multiply_float(factor->c32, x, count, to);
    else if (lay_type_is_double(sum))
        by->blend->scale_f64(factor->f64, x, parts, to);
    else
        by->blend->scale_f32(factor->f32, x, parts, to);
}

static int is_real(const lay_scalar *factor, lay_type sum)
{
    return sum == LAY_C64 ? factor->c64[1] == 0 : sum == LAY_C32 ? factor->c32[1] == 0 : 1;
}

/* to = alpha x + beta y. */
static void add(const lay_changer *by, const void *x, const void *y, int64_t count, rooms *in, void *to)
{
    const lay_copy_job *job = by->job;
    const int64_t parts = lay_type_is_complex(job->sum_type) ? 2 * count : count;
    lay_scalar alpha = job->alpha, beta = job->beta; /* real parts come first */
    if (!is_real(&alpha, job->sum_type) || !is_real(&beta, job->sum_type)) {
        scale(by, &job->alpha, x, count, in->x);
        scale(by, &job->beta, y, count, in->y);
        x = in->x;
        y = in->y;
        alpha = beta = lay_type_is_double(job->sum_type) ? (lay_scalar){ .f64 = 1 } : (lay_scalar){ .f32 = 1 };
    }
    if (lay_type_is_double(job->sum_type))
        by->blend->add_f64(alpha.f64, x, beta.f64, y, parts, to);
    else
        by->blend->add_f32(alpha.f32, x, beta.f32, y, parts, to);
}

/* to = alpha x + beta y, each of the two if it is not 0. */
static void combine(const lay_changer *by, const void *x, const void *y, int64_t count, rooms *in, void *to)
{
    if (x && y)
        add(by, x, y, count, in, to);
    else if (x || y)
        scale(by, x ? &by->job->alpha : &by->job->beta, x ? x : y, count, to);
    else
        memset(to, 0, (size_t)(count * lay_size_of(by->job->sum_type)));
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
        wide = widen(by, job->from_type, by->half_from, x, count, job->is_conjugated, in, is_one ? summed : in->x);
    if (job->reads_to)
        old = widen(by, job->to_type, by->half_to, y, count, 0, in, in->y);
    if (!is_one) {
        combine(by, wide, old, count, in, summed);
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
