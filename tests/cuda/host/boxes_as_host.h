/* Barriers in shared memory and boxes of tensor copies on the host, as a batch's kernels use them. */
#ifndef LAY_TESTS_CUDA_BOXES_AS_HOST_H
#define LAY_TESTS_CUDA_BOXES_AS_HOST_H

#define LAY_KERNELS_CUDA_HOPPER_PTX_CUH
#define AS_HOST_HAS_BARRIERS
#include "batch_as_host.h"

/* ---- barriers in shared memory, and copies that count there ----------------------------------- */

struct barrier {
    uint8_t count, pending, phase, unused;
    int32_t bytes;
};
static_assert(sizeof(barrier) == sizeof(uint64_t), "what a kernel has room for");

/* What stands for a tensor map. */
struct map {
    const char *base;
    int64_t extent[5], stride[4]; /* stride in bytes, of all but the first */
    int box[5];
    int16_t rank, size, swizzle; /* size: of an element; swizzle: by so many bytes, 0: none */
};
static_assert(sizeof(map) <= 128, "a tensor map's room");

enum { MOST_BOXES = 4096 };
static struct boxing {
    uint32_t to;
    int rank; /* of the block to which it goes */
    map of;
    int64_t at[5];
    barrier *full;
} under_way[MOST_BOXES];
static int boxes_begun;

static barrier *as_barrier(uint64_t *at)
{
    return reinterpret_cast<barrier *>(at);
}
/* What lies at the same place of another block's shared memory. */
static barrier *in_block(int rank, uint64_t *own)
{
    return reinterpret_cast<barrier *>(shared_memory_of[rank] + (reinterpret_cast<char *>(own) - shared_memory));
}
static void settle(barrier *of)
{
    if (of->pending == 0 && of->bytes == 0) {
        of->phase ^= 1;
        of->pending = of->count;
        fibers::wake(of);
    }
}
static void barrier_init(uint64_t *at, int arrivals)
{
    *as_barrier(at) = { static_cast<uint8_t>(arrivals), static_cast<uint8_t>(arrivals), 0, 0, 0 };
}
static void barriers_are_made()
{
}
static void expect_tensor(const void *)
{
}
static void barrier_arrive(uint64_t *at)
{
    assert_true(as_barrier(at)->pending > 0);
    as_barrier(at)->pending--;
    settle(as_barrier(at));
}
/* Both blocks' shared memory in a row. */
static unsigned address_in(const void *own, int rank)
{
    return static_cast<unsigned>(rank * MOST_SHARED + (static_cast<const char *>(own) - shared_memory));
}
static void barrier_arrive_at(unsigned there)
{
    barrier *const of = reinterpret_cast<barrier *>(shared_memory_of[there / MOST_SHARED] + there % MOST_SHARED);
    assert_true(of->pending > 0);
    of->pending--;
    settle(of);
}
static void barrier_expect(uint64_t *at, unsigned bytes)
{
    as_barrier(at)->bytes += static_cast<int>(bytes);
    barrier_arrive(at);
}

/* One element of a box: where it lies, from the box's first; zeros where the tensor has none. */
static void bring_element(const boxing &box, const int64_t (&in_box)[5], int64_t number)
{
    const map &of = box.of;
    const char *from = of.base;
    bool is_there = true;
    for (int d = 0; d < of.rank; d++) {
        const int64_t index = box.at[d] + in_box[d];
        is_there &= index >= 0 && index < of.extent[d];
        from += index * (d ? of.stride[d - 1] : of.size);
    }
    uint32_t place = box.to + static_cast<uint32_t>(number * of.size);
    if (of.swizzle) { /* 16-byte pieces by the number of their 128 bytes, of which the swizzle takes some bits */
        const uint32_t mask = static_cast<uint32_t>(of.swizzle / 16 - 1);
        place ^= (place / 128 & mask) * 16;
    }
    assert_true(place + of.size <= MOST_SHARED);
    char *const to = shared_memory_of[box.rank] + place;
    if (is_there) {
        assert_true((from >= readable[0] && from + of.size <= readable_end[0]) ||
                    (from >= readable[1] && from + of.size <= readable_end[1]));
        memcpy(to, from, static_cast<size_t>(of.size));
    } else {
        memset(to, 0, static_cast<size_t>(of.size));
    }
}
static void bring(const boxing &box)
{
    int64_t number = 0, in_box[5] = { 0 };
    for (in_box[4] = 0; in_box[4] < box.of.box[4]; in_box[4]++)
        for (in_box[3] = 0; in_box[3] < box.of.box[3]; in_box[3]++)
            for (in_box[2] = 0; in_box[2] < box.of.box[2]; in_box[2]++)
                for (in_box[1] = 0; in_box[1] < box.of.box[1]; in_box[1]++)
                    for (in_box[0] = 0; in_box[0] < box.of.box[0]; in_box[0]++)
                        bring_element(box, in_box, number++);
    box.full->bytes -= static_cast<int>(number * box.of.size);
    settle(box.full);
}
/* ---- clusters */

static int cluster_rank()
{
    return rank_at_work;
}
static int cluster_number()
{
    return static_cast<int>(blockIdx.x);
}
static int cluster_count()
{
    return static_cast<int>(gridDim.x);
}
static void cluster_meet()
{
    fibers::meet_everybody();
}

/* Boxes arrive as late as they may: when somebody waits for them. */
static void barrier_wait(uint64_t *at, int parity)
{
    while (as_barrier(at)->phase == parity) {
        for (int i = 0; i < boxes_begun; i++)
            if (under_way[i].full == as_barrier(at)) {
                bring(under_way[i]);
                under_way[i--] = under_way[--boxes_begun];
            }
        if (as_barrier(at)->phase == parity)
            fibers::await(at);
    }
}

template <typename T> static T __shfl_sync(unsigned, T x, int)
{
    return x; /* asked for what a warp's lanes have in common */
}

namespace batch
{

static void begin_box_in(int rank, uint32_t to, const void *tensor, const int64_t (&at)[5], uint64_t *full)
{
    assert_true(boxes_begun < MOST_BOXES);
    boxing &own = under_way[boxes_begun++];
    own.to = to;
    own.rank = rank;
    memcpy(&own.of, tensor, sizeof own.of);
    assert_true(to % (own.of.swizzle ? 8 * own.of.swizzle : 128) == 0);
    memcpy(own.at, at, sizeof at);
    own.full = in_block(rank, full);
    fibers::wake(own.full); /* who waits for it brings it */
}
static void begin_box(uint32_t to, const void *tensor, const int64_t (&at)[5], uint64_t *full)
{
    begin_box_in(rank_at_work, to, tensor, at, full);
}
void bring_box(uint32_t to, const void *tensor, int x, int y, int z, uint64_t *full)
{
    begin_box(to, tensor, { x, y, z, 0, 0 }, full);
}
void bring_box(uint32_t to, const void *tensor, int x, int y, int z, int v, int w, uint64_t *full)
{
    begin_box(to, tensor, { x, y, z, v, w }, full);
}

void bring_box_to_both(uint32_t to, const void *tensor, int x, int y, int z, uint64_t *full)
{
    for (int rank = 0; rank < 2; rank++)
        begin_box_in(rank, to, tensor, { x, y, z, 0, 0 }, full);
}
void bring_box_to_both(uint32_t to, const void *tensor, int x, int y, int z, int v, int w, uint64_t *full)
{
    for (int rank = 0; rank < 2; rank++)
        begin_box_in(rank, to, tensor, { x, y, z, v, w }, full);
}

/* Of kernels without boxes, whose text these include. */
template <int bytes> void copy(uint32_t, const void *, int)
{
    fail();
}
void close_group()
{
    fail();
}
template <int open> void wait_groups()
{
    fail();
}

} // namespace batch

#endif
