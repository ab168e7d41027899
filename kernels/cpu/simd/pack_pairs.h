/* Panels of pairs of steps that lie side by side, as the parts of complex numbers do. Included by simd/pack.h after
 * simd/pack_lines.h. */
/* Whether steps come in pairs that lie side by side, as the parts of complex numbers do. */
static inline int are_paired(const int64_t along[], int64_t k)
{
    int64_t apart = k % 2;
    for (int64_t p = 0; p + 1 < k; p += 2)
        apart |= along[p + 1] - along[p] - 1;
    return apart == 0;
}

/* Pairs that lie side by side across, count <= LANES of them, taken apart to two steps. */
static inline __attribute__((always_inline)) void part_run(const real *from, real *to, int width, int count)
{
    if (count == LANES) {
        const vec x = vec_load(from), y = vec_load(from + LANES);
        vec_store(to, vec_first_of_pairs(x, y));
        vec_store(to + width, vec_second_of_pairs(x, y));
        return;
    }
    const int numbers = 2 * count, rest = numbers > LANES ? numbers - LANES : 0;
    const vec x = vec_load_some(from, first_lanes(numbers - rest)), y = vec_load_some(from + LANES, first_lanes(rest));
    vec_store_some(to, first_lanes(count), vec_first_of_pairs(x, y));
    vec_store_some(to + width, first_lanes(count), vec_second_of_pairs(x, y));
}

/* Runs across of pairs, of at most a register of steps each; how many. */
typedef struct paired_run {
    int64_t from;
    int to, count;
} paired_run;

static inline int find_paired_runs(const lay_panel *pack, paired_run run[])
{
    int runs = 0;
    for (int i = 0; i < pack->w;) {
        int end = i + 1;
        while (end < pack->w && end < i + LANES && pack->across[end] == pack->across[end - 1] + 2)
            end++;
        run[runs++] = (paired_run){ pack->across[i], i, end - i };
        i = end;
    }
    return runs;
}

static inline void part_runs(const lay_panel *pack, int width, const paired_run run[], int runs)
{
    enum { AHEAD = 4 /* pairs */ };
    for (int64_t p = 0; p < pack->k; p += 2) {
        const real *from = (const real *)pack->src + pack->along[p];
        const real *ahead = (const real *)pack->src + pack->along[p + 2 * AHEAD < pack->k ? p + 2 * AHEAD : p];
        real *to = (real *)pack->dst + p * width;
        for (int i = 0; i < runs; i++) {
            __builtin_prefetch(ahead + run[i].from, 0, 3);
            part_run(from + run[i].from, to + run[i].to, width, run[i].count);
        }
    }
}

/* Pairs that lie anywhere, four of them at a time where their steps are the nearer ones. */
static inline __attribute__((always_inline)) void part_pairs(const lay_panel *pack, int width)
{
    typedef struct pair {
        real first, second;
    } pair;
    enum { TOGETHER = 4 };
    const int64_t *const across = pack->across, *const along = pack->along;
    const int is_near = pack->k > 2 && pack->w > 1 && llabs(along[2] - along[0]) < llabs(across[1] - across[0]);
    const int each = is_near ? TOGETHER : pack->w;
    for (int i = 0; i < pack->w; i += each) {
        const int end = i + each < pack->w ? i + each : pack->w;
        for (int64_t p = 0; p < pack->k; p += 2) {
            const real *from = (const real *)pack->src + along[p];
            real *const to = (real *)pack->dst + p * width;
            for (int j = i; j < end; j++) {
                pair now;
                if (pack->next)
                    __builtin_prefetch(from + pack->next[j], 0, 3);
                memcpy(&now, from + across[j], sizeof now);
                to[j] = now.first;
                to[width + j] = now.second;
            }
        }
    }
}

/* Complex numbers side by side across, their parts as steps: what a panel of them is packed of most often. */
static inline int is_run_of_pairs(const lay_panel *pack)
{
    int64_t apart = pack->w < 3;
    for (int i = 1; i < pack->w; i++)
        apart |= pack->across[i] - pack->across[i - 1] - 2;
    return apart == 0 && are_paired(pack->along, pack->k);
}

/* Such a panel of whole registers, and so many of them. A line of the source ahead for each register that is written:
 * rows may be too far apart for prefetchers. */
static inline __attribute__((always_inline)) void part_registers(const lay_panel *pack, int width, int vecs)
{
    enum { AHEAD = 4 /* pairs */ };
    const real *const src = (const real *)pack->src + pack->across[0];
    const int64_t last = pack->along[pack->k - 2];
    real *to = pack->dst;
    for (int64_t p = 0; p < pack->k; p += 2, to += 2 * width) {
        const real *const from = src + pack->along[p];
        const real *const ahead = src + (p + 2 * AHEAD < pack->k ? pack->along[p + 2 * AHEAD] : last);
        UNROLLED
        for (int v = 0; v < 2 * vecs; v++)
            __builtin_prefetch(ahead + v * LANES, 0, 3);
        UNROLLED
        for (int v = 0; v < vecs; v++)
            part_run(from + 2 * v * LANES, to + v * LANES, width, LANES);
    }
}

static inline __attribute__((always_inline)) void pack_paired(const lay_panel *pack, int width)
{
    enum { WORTH_PARTING = 3 }; /* mean length of a run */
    paired_run run[LAY_MAX_NR];
    const int runs = find_paired_runs(pack, run);
    if (runs * WORTH_PARTING <= pack->w)
        part_runs(pack, width, run, runs);
    else
        part_pairs(pack, width);
}

/* count pairs that lie side by side in each piece, to as many panels, their steps a row apart. */
static inline __attribute__((always_inline)) void transpose_pairs_of(const real *const from[], int count, real *to,
                                                                     int64_t further, int vecs)
{
    const int all = 2 * count;
    vec step[LANES];
    for (int done = 0; done < all; done += LANES) {
        const int first = done + LANES <= all ? done : all > LANES ? all - LANES : 0;
        UNROLLED
        for (int v = 0; v < vecs; v++) {
            if (all >= LANES)
                transpose_lanes(from + v * LANES, first, LANES, step);
            else
                transpose_lanes(from + v * LANES, 0, all, step);
            UNROLLED
            for (int l = 0; l < LANES; l++)
                if (l < all)
                    vec_store(to + (first + l) / 2 * further + l % 2 * NR + v * LANES, step[l]);
        }
    }
}

/* Step by step, and both registers of a panel's step at once, which fill a line: one after the other by panels took
 * half as long again. each: steps at a time, 2 where they are paired. A function for either: in one, registers of both
 * are spilled (bench/LOG.md, 73). */
static inline __attribute__((always_inline)) void interleave(const lay_interleaved *set, int each)
{
    enum { STEPS_AHEAD = 2 };
    const lay_panel pack = set->first;
    const int count = set->count, vecs = (pack.w + LANES - 1) / LANES;
    const int64_t further = set->further;
    const real *from[NR];
    assert(NV == 2 && 1 <= pack.w && pack.w <= NR && count >= 1 && pack.k % each == 0);
    for (int64_t p = 0; p < pack.k; p += each) {
        const real *const src = (const real *)pack.src + pack.along[p];
        const real *const ahead = (const real *)pack.src + pack.along[p + STEPS_AHEAD < pack.k ? p + STEPS_AHEAD : p];
        for (int i = 0; i < vecs * LANES; i++) /* past the edge the last once more, as above */
            from[i] = src + pack.across[i < pack.w ? i : pack.w - 1];
        for (int i = 0; i < pack.w; i++)
            for (int q = 0; q < each * count; q += LINE_STEPS)
                __builtin_prefetch(ahead + pack.across[i] + q, 0, 3);
        real *const to = (real *)pack.dst + p * NR;
        if (each == 2 && vecs == 1)
            transpose_pairs_of(from, count, to, further, 1);
        else if (each == 2)
            transpose_pairs_of(from, count, to, further, 2);
        else if (vecs == 1)
            transpose_pieces_of(from, count, to, further, LANES, 1);
        else
            transpose_pieces_of(from, count, to, further, NR, 1);
    }
}

static __attribute__((noinline)) void interleave_pairs(const lay_interleaved *set)
{
    interleave(set, 2);
}

static __attribute__((noinline)) void interleave_steps(const lay_interleaved *set)
{
    interleave(set, 1);
}

static void pack_interleaved(const lay_interleaved *set)
{
    if (set->is_paired)
        interleave_pairs(set);
    else
        interleave_steps(set);
}
