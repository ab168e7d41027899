/* The paper's kernel (docs/kernels.md): 128 threads compute a Csub of 16 x 256, each two neighbouring columns of it.
 *
 *                     256 columns: 128 threads x 2              registers of a thread, of 96 (five blocks fit):
 *                 +---------------------------------+             32  sums, 16 rows x 2 columns
 *        32 steps | B, straight from memory: each   |             16  B, GROUP steps now and GROUP to come
 *                 | thread its own 2 of a step      |             16  a step of A
 *      32         +---------------------------------+
 *    +----+       +---------------------------------+           A's tile lies transposed in shared memory, so that a
 * 16 | A  |       | sums                            |           step is 16 neighbours, read by all threads at once;
 *    +----+       +---------------------------------+           the next tile is on its way while this one is used.
 *
 * No index is divided in the loop over k: rows and columns are looked up once, and where the steps lie is looked up
 * by one lane a step and shared, whether a table or a stride says it. So nested layouts cost what row-major costs. */
#include "cuda/parray/operands.cuh"

namespace
{

/* One step: a column of A by two elements of B. To and fro: each product shares a factor with the one before it, which
 * then need not be read again from the registers' banks. */
template <typename T> __device__ __forceinline__ void add_step(const T left[], const T (&right)[2], T (&sum)[ROWS][2])
{
    using vec = typename of_type<T>::vec;
    constexpr int v = of_type<T>::vector;
#pragma unroll
    for (int i = 0; i < ROWS; i += v) {
        const vec some = *reinterpret_cast<const vec *>(left + i);
#pragma unroll
        for (int r = 0; r < v; r++)
#pragma unroll
            for (int y = 0; y < 2; y++) {
                const int x = r % 2 ? y : 1 - y;
                sum[i + r][x] = fma(reinterpret_cast<const T *>(&some)[r], right[x], sum[i + r][x]);
            }
    }
}

/* A whole turn of even groups. held[0] holds the first; in the end that of the turn in slot next, which is even too or
 * this one once more: a load without a branch around it is on its way before this turn's last sums. */
template <typename T, right_way way>
__device__ __forceinline__ void add_even(const shared_tiles<T> &shared, int turn, int next,
                                         right_columns<T, way> &right, T (&held)[2][GROUP][2], T (&sum)[ROWS][2])
{
    constexpr int groups = STEPS / GROUP;
    static_assert(groups % 2 == 0, "the next turn's first group comes to where this one's was");
    const T(*left)[shared_tiles<T>::width] = shared.left[turn % 2];
    const int64_t *step = shared.right_step[turn % SLOTS];
#pragma unroll
    for (int x = 0; x < groups; x++) {
        if (x + 1 < groups) {
            right.load_group(step[(x + 1) * GROUP], held[(x + 1) % 2]);
        } else {
            right.stride = shared.stride[next];
            right.load_group(shared.right_step[next][0], held[0]);
        }
        __syncwarp(); /* the loads stay above it, and so a group ahead */
#pragma unroll
        for (int s = 0; s < GROUP; s++)
            add_step(left[x * GROUP + s], held[x % 2][s], sum);
    }
}

/* A turn of any steps, or the last ones. */
template <typename T, right_way way>
__device__ __forceinline__ void add_any(const shared_tiles<T> &shared, int turn, int count,
                                        const right_columns<T, way> &right, T (&sum)[ROWS][2])
{
#pragma unroll 1
    for (int s = 0; s < count; s += GROUP) {
        T some[GROUP][2];
#pragma unroll
        for (int g = 0; g < GROUP; g++)
            if (s + g < count)
                right.load_step(shared.right_step[turn % SLOTS][s + g], some[g]);
#pragma unroll
        for (int g = 0; g < GROUP; g++)
            if (s + g < count)
                add_step(shared.left[turn % 2][s + g], some[g], sum);
    }
}

template <typename T, lay_cuda_class left_way, right_way way>
__device__ __forceinline__ void add_slice(const lay_cuda_args &args, shared_tiles<T> &shared, int i, int j,
                                          T (&sum)[ROWS][2])
{
    const steps own = steps_of(args, blockIdx.z);
    const int count = own.last - own.first;
    right_columns<T, way> right;
    T held[2][GROUP][2];

    if (threadIdx.x < ROWS)
        shared.row[threadIdx.x] = static_cast<const T *>(args.left) +
                                  offset_at(args.left_m, min(i + static_cast<int>(threadIdx.x), args.m - 1));
    right.start(args, j);
    send_steps(args, 0, own, shared);
    send_steps(args, AHEAD, own, shared);
    wait_async();
    __syncthreads();
    settle_steps(0, shared);
    send_left<T, left_way>(i + ROWS <= args.m, 0, shared);
    wait_async();
    __syncthreads();

    bool is_loaded = false;
#pragma unroll 1
    for (int turn = 0, rest = count; rest > 0; turn++, rest -= STEPS) {
        if (turn % AHEAD == 0 && rest > AHEAD * STEPS) {
            settle_steps(turn + AHEAD, shared);
            send_steps(args, turn + 2 * AHEAD, own, shared);
        }
        if (rest > STEPS)
            send_left<T, left_way>(i + ROWS <= args.m, turn + 1, shared);
        if (rest >= STEPS && shared.is_even[turn % SLOTS]) {
            if (!is_loaded) {
                right.stride = shared.stride[turn % SLOTS];
                right.load_group(shared.right_step[turn % SLOTS][0], held[0]);
            }
            is_loaded = rest >= 2 * STEPS && shared.is_even[(turn + 1) % SLOTS];
            add_even(shared, turn, (turn + is_loaded) % SLOTS, right, held, sum);
        } else {
            is_loaded = false;
            add_any(shared, turn, min(rest, static_cast<int>(STEPS)), right, sum);
        }
        wait_async();
        __syncthreads();
    }
}

template <typename T> __device__ __forceinline__ void resume(const lay_cuda_args &args, int i, int j, T (&sum)[ROWS][2])
{
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int x = 0; x < 2; x++)
            sum[r][x] = args.resume && i + r < args.m && j + x < args.n
                            ? static_cast<const T *>(args.resume)[static_cast<int64_t>(i + r) * args.n + j + x]
                            : T(0);
}

/* The sums to C or, as 1 * sum, to where the partial sums are. to: room for where the rows lie. */
template <typename T>
__device__ __forceinline__ void store(const lay_cuda_args &args, int64_t to[], int i, int j, int end,
                                      const T (&sum)[ROWS][2])
{
    using pair = typename of_type<T>::pair;
    constexpr int v = of_type<T>::vector;
    const bool is_partial = args.partial;
    if (threadIdx.x < ROWS) {
        const int64_t r = min(i + static_cast<int>(threadIdx.x), args.m - 1);
        to[threadIdx.x] =
            is_partial ? (static_cast<int64_t>(blockIdx.z) * args.m + r) * args.n : offset_at(args.result_m, r);
    }
    __syncthreads();
    if (j >= end)
        return;
    T *c = static_cast<T *>(is_partial ? args.partial : args.c);
    const bool are_two = j + 1 < end,
               is_pair = is_partial ? args.n % 2 == 0 : args.is_c_vector && j / v * v + v <= args.n;
    T *first = c + (is_partial ? j : offset_at(args.result_n, j));
    T *second = c + (is_partial ? j + 1 : are_two ? offset_at(args.result_n, j + 1) : 0);
    const T alpha = is_partial ? T(1) : of_type<T>::read(args.alpha),
            beta = is_partial ? T(0) : of_type<T>::read(args.beta);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        if (i + r >= args.m)
            return;
        if (is_pair) {
            pair *both = reinterpret_cast<pair *>(first + to[r]);
            pair made = beta == T(0) ? pair() : *both;
            made.x = blend(alpha, sum[r][0], beta, &made.x);
            made.y = blend(alpha, sum[r][1], beta, &made.y);
            *both = made;
        } else {
            first[to[r]] = blend(alpha, sum[r][0], beta, first + to[r]);
            if (are_two)
                second[to[r]] = blend(alpha, sum[r][1], beta, second + to[r]);
        }
    }
}

/* The few columns from first to before end, if there are any, an element a thread. */
template <typename T>
__device__ __forceinline__ void add_last_columns(const lay_cuda_args &args, int i, int first, int end)
{
    const int count = end - first;
    for (int at = threadIdx.x; at < ROWS * count; at += THREADS)
        if (i + at / count < args.m)
            add_chain<T>(args, blockIdx.z, i + at / count, first + at % count);
}

/* That registers are dealt for: five where both operands are as row-major ones, other ways to fetch take more. */
template <typename T, lay_cuda_class left_way, right_way way>
constexpr int blocks_per_sm = sizeof(T) == 8                             ? 3
                              : left_way == LAY_CUDA_ALONG &&way == PAIR ? 5
                                                                         : 4;

/* Before 9.0 the compiler would spill for as many. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
template <typename T, lay_cuda_class left_way, right_way way> constexpr int blocks_built_for = sizeof(T) == 8 ? 3 : 4;
#else
template <typename T, lay_cuda_class left_way, right_way way>
constexpr int blocks_built_for = blocks_per_sm<T, left_way, way>;
#endif

template <typename T, lay_cuda_class left_way, right_way way>
__global__ void __launch_bounds__(THREADS, blocks_built_for<T, left_way, way>)
    multiply(const __grid_constant__ lay_cuda_args args)
{
    __shared__ __align__(16) shared_tiles<T> shared;
    /* Blocks that run together share the columns of B: what one of them fetched, the others find in L1 or L2. */
    const int i = blockIdx.x % args.tiles_m * ROWS, first_j = blockIdx.x / args.tiles_m * COLUMNS;
    const int j = first_j + threadIdx.x * 2;
    T sum[ROWS][2];
    resume(args, i, j, sum);
    /* Columns behind the last whole vector are no pairs. */
    const int end = way == PAIR ? args.n / of_type<T>::vector * of_type<T>::vector : args.n;
    if (first_j < end) {
        add_slice<T, left_way, way>(args, shared, i, min(j, way == PAIR ? end - 2 : args.n - 1), sum);
        store(args, shared.left_step[0], i, j, end, sum);
    }
    if constexpr (way == PAIR)
        add_last_columns<T>(args, i, max(first_j, end), min(first_j + COLUMNS, args.n));
    if (args.counters && is_last_slice(args))
        for (int at = threadIdx.x; at < ROWS * COLUMNS; at += THREADS)
            if (i + at / COLUMNS < args.m && first_j + at % COLUMNS < args.n)
                add_slices_at<T>(args, i + at / COLUMNS, first_j + at % COLUMNS);
}

/* By how A's tile is fetched: lanes along its rows, across them, or vectors across. */
template <typename T, lay_cuda_class left> constexpr void fill(const void *(&by_right)[LAY_CUDA_CLASSES])
{
    by_right[LAY_CUDA_ACROSS_VECTOR] = reinterpret_cast<const void *>(&multiply<T, left, PAIR>);
    by_right[LAY_CUDA_ALONG_VECTOR] = reinterpret_cast<const void *>(&multiply<T, left, DOWN>);
    by_right[LAY_CUDA_ACROSS] = by_right[LAY_CUDA_ALONG] = reinterpret_cast<const void *>(&multiply<T, left, SINGLE>);
}

template <typename T> constexpr lay_cuda_kernel row(const char *name, double rate, double start)
{
    lay_cuda_kernel made = {};
    made.family = "parray";
    made.name = name;
    made.type = of_type<T>::type;
    made.order = LAY_CUDA_CHAIN;
    made.can_resume = made.can_slice = 1;
    made.bm = ROWS;
    made.bn = COLUMNS;
    made.bk = STEPS;
    made.threads = THREADS;
    made.blocks_per_sm = blocks_per_sm<T, LAY_CUDA_ALONG, PAIR>;
    made.least_sm = 80;
    made.rate = rate;
    made.start = start;
    made.crowding = 0.5;
    made.fetch[LAY_CUDA_ALONG_VECTOR] = 2;
    made.fetch[LAY_CUDA_ACROSS] = made.fetch[LAY_CUDA_ALONG] = 4;
    fill<T, LAY_CUDA_ACROSS_VECTOR>(made.function[LAY_CUDA_ACROSS_VECTOR]);
    fill<T, LAY_CUDA_ACROSS>(made.function[LAY_CUDA_ACROSS]);
    fill<T, LAY_CUDA_ALONG>(made.function[LAY_CUDA_ALONG]);
    fill<T, LAY_CUDA_ALONG>(made.function[LAY_CUDA_ALONG_VECTOR]);
    return made;
}

} // namespace

extern "C" const lay_cuda_kernel lay_cuda_parray[] = {
    row<float>("gemm_f32_16x256x32_parray", 137, 3300),
    row<double>("gemm_f64_16x256x32_parray", 75, 3600),
    {},
};
