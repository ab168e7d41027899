/* digest: random products, a line each with a hash of C's bytes, so that `diff` tells whether two libraries compute
 * alike.
 *
 *   digest [--products=N] [--first=N] [--seed=N] [--isa=LEVEL] [--device] [--layouts]
 *   LD_LIBRARY_PATH=OTHER/lib digest > other.txt
 *
 * By the public header alone, so that older libraries serve too. What a product is depends on seed and number; nothing
 * depends on speed. --device: operands lie in device, pinned or host memory, in any mix. --layouts: prints those, too.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/layouts.h"

typedef struct request {
    uint64_t seed;
    int64_t first, products;
    lay_isa isa; /* LAY_ISA_AUTO: any */
    int has_device, has_layouts;
} request;

/* A matrix in storage of its own; gaps in it count. */
typedef struct matrix {
    lay_desc *desc, *flat; /* flat: all of the storage */
    int64_t count;
    void *filled; /* what it holds at first, in host memory */
    lay_memory place;
    void *memory, *zero;
} matrix;

typedef enum mode { BY_CALL, BY_PLAN, WITH_PACKED_A, WITH_PACKED_B, WITH_BOTH_PACKED, MODES } mode;
static const char *const mode_names[] = { "call", "plan", "packed-a", "packed-b", "packed-ab" };
static const char *const isa_names[] = { "auto", "c", "avx2", "avx512", "amx" };
static const char *const type_names[] = { "f32", "f64", "f16", "bf16" };
static const char *const compute_names[] = { "auto", "strict", "split", "tf32", "bf16", "fp16", "bf16x3" };
static const char place_letters[] = { [LAY_MEMORY_HOST] = 'h', [LAY_MEMORY_PINNED] = 'p', [LAY_MEMORY_DEVICE] = 'd' };

typedef struct product {
    lay_type type;
    int64_t m, n, k;
    int has_specials;
    mode how;
    lay_options options;
    double alpha, beta;
    matrix operand[3]; /* A, B, C */
} product;

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "digest: %s: %s\n", what, lay_last_error());
    exit(1);
}

static void insist(lay_status status, const char *what)
{
    if (status != LAY_OK)
        give_up(what);
}

static int64_t bytes_of(lay_type type, int64_t count)
{
    return count * (int64_t)lay_type_size(type);
}

/* ---- what a product is ------------------------------------------------------------------------ */

/* Sizes that all ways of computing meet: small, middling, thin, short and long sums. */
static void choose_sizes(product *of, random_source *from)
{
    static const int64_t most[][3] = { { 80, 80, 80 },    { 24, 24, 300 },   { 250, 250, 250 }, { 4, 500, 2000 },
                                       { 500, 4, 2000 },  { 64, 64, 12000 }, { 600, 600, 16 },  { 1, 300, 9000 },
                                       { 300, 1, 9000 },  { 450, 450, 450 }, { 12, 3000, 200 }, { 3000, 12, 200 },
                                       { 100, 100, 100 }, { 40, 40, 40 },    { 130, 70, 90 },   { 16, 16, 16 } };
    const int64_t *const limit = random_of(from, most);
    of->m = random_in(from, 1, limit[0]);
    of->n = random_in(from, 1, limit[1]);
    of->k = random_one_in(from, 100) ? 0 : random_in(from, 1, limit[2]);
    if (random_one_in(from, 200))
        *(random_one_in(from, 2) ? &of->m : &of->n) = 0;
}

static double choose_factor(random_source *from)
{
    static const double usual[] = { 0, 1, 1, -1, 0.5 };
    return random_one_in(from, 2) ? random_of(from, usual) : 4 * random_unit(from) - 2;
}

/* Rows of the CPU that callers may name at a level: those of its order of roundings. Most name none. */
static const char *choose_kernel(lay_type type, lay_isa isa, random_source *from)
{
    static const char *const f32[] = { "lay_gemm_f32_4x8_c", "lay_gemm_f32_6x16_avx2", "lay_gemm_f32_12x32_avx512" };
    static const char *const f64[] = { "lay_gemm_f64_4x4_c", "lay_gemm_f64_6x8_avx2", "lay_gemm_f64_12x16_avx512" };
    if (!random_one_in(from, 6))
        return NULL;
    const int64_t number = isa <= LAY_ISA_AVX2 ? isa - LAY_ISA_C : random_in(from, 1, 2);
    return (type == LAY_F64 ? f64 : f32)[number];
}

/* Operands that are split or rounded. By the model of a matrix unit, which is slow, where there is no such unit. */
static void choose_compute(product *of, random_source *from, int has_device)
{
    enum { MOST_STEPS = 4 << 20 };
    static const lay_compute on_cpu[] = { LAY_COMPUTE_F32_SPLIT, LAY_COMPUTE_BF16, LAY_COMPUTE_BF16X3 };
    static const lay_compute anywhere[] = { LAY_COMPUTE_F32_SPLIT, LAY_COMPUTE_TF32, LAY_COMPUTE_BF16, LAY_COMPUTE_FP16,
                                            LAY_COMPUTE_BF16X3 };
    of->options.compute = LAY_COMPUTE_STRICT;
    if (of->type != LAY_F32 || of->m == 0 || of->n == 0 || of->m * of->n * of->k > MOST_STEPS ||
        !random_one_in(from, 3))
        return;
    of->options.compute = has_device ? random_of(from, anywhere) : random_of(from, on_cpu);
    of->options.kernel = NULL;
    if (of->options.compute == LAY_COMPUTE_F32_SPLIT && !has_device)
        of->options.kernel = "lay_split_f32_32x32_c";
}

/* Operands in host memory name their backend: whose they are by default is a matter of speed. */
static void choose_places(product *of, random_source *from, int has_device)
{
    int in_device = 0;
    of->options.backend = LAY_BACKEND_CPU;
    if (!has_device)
        return;
    const int all = random_one_in(from, 2);
    for (int i = 0; i < 3; i++) {
        of->operand[i].place = all ? LAY_MEMORY_DEVICE : (lay_memory)random_in(from, 0, 2);
        in_device |= of->operand[i].place == LAY_MEMORY_DEVICE;
    }
    if (in_device || random_one_in(from, 2))
        of->options.backend = in_device && random_one_in(from, 2) ? LAY_BACKEND_AUTO : LAY_BACKEND_CUDA;
    if (of->options.backend != LAY_BACKEND_CPU)
        of->options.kernel = NULL;
}

/* A layout that is not much larger than its matrix. */
static lay_desc *choose_layout(random_source *from, layout_use use, int64_t rows, int64_t columns)
{
    enum { TRIES = 20, FREE = 1 << 16, SPARSE = 6 };
    if (random_one_in(from, 3))
        return layout_usual((int)random_in(from, 0, LAYOUT_USUAL - 1), rows, columns);
    for (int i = 0; i < TRIES; i++) {
        int64_t lowest, highest;
        lay_desc *desc = layout_random(from, use, rows, columns);
        lay_desc_span(desc, &lowest, &highest);
        if (highest - lowest < FREE || highest - lowest < SPARSE * rows * columns)
            return desc;
        lay_desc_destroy(desc);
    }
    return layout_usual(0, rows, columns);
}

/* ---- operands --------------------------------------------------------------------------------- */

/* An element's bits: mostly reals of a few powers of two; with specials also any bits at all. */
static uint64_t choose_element(lay_type type, int has_specials, random_source *from)
{
    static const int exponent_at[] = { 23, 52, 10, 7 }, one[] = { 127, 1023, 15, 127 };
    const uint64_t bits = random_bits(from);
    const uint64_t mantissa = bits & ((UINT64_C(1) << exponent_at[type]) - 1);
    const uint64_t exponent = (uint64_t)(one[type] - (int)(bits >> 60 & 3)), sign = bits >> 63;
    if (has_specials && (bits >> 54 & 31) == 0)
        return random_bits(from);
    return sign << (bytes_of(type, 8) - 1) | exponent << exponent_at[type] | mantissa;
}

static void fill(lay_type type, void *to, int64_t count, int has_specials, random_source *from)
{
    const size_t size = lay_type_size(type);
    for (int64_t i = 0; i < count; i++) {
        const uint64_t bits = choose_element(type, has_specials, from); /* little-endian */
        memcpy((char *)to + i * (int64_t)size, &bits, size);
    }
}

/* In its place; shift elements from where memory is aligned. */
static void place(matrix *of, lay_type type, int64_t lowest, int64_t shift)
{
    lay_desc *room = NULL;
    insist(lay_desc_natural(1, (int64_t[]){ of->count + shift }, &room), "storage");
    insist(lay_alloc(type, room, of->place, &of->memory), "storage");
    char *const lowest_element = (char *)of->memory + bytes_of(type, shift);
    insist(lay_copy(type, of->flat, of->filled, of->flat, lowest_element, NULL), "a copy of storage");
    of->zero = lowest_element - bytes_of(type, lowest);
    lay_desc_destroy(room);
}

static void make_matrix(const product *of, matrix *made, random_source *from)
{
    int64_t lowest, highest;
    lay_desc_span(made->desc, &lowest, &highest);
    made->count = highest - lowest + 1;
    made->filled = malloc((size_t)bytes_of(of->type, made->count) + 8);
    if (!made->filled)
        give_up("out of memory");
    fill(of->type, made->filled, made->count, of->has_specials, from);
    insist(lay_desc_natural(1, &made->count, &made->flat), "storage");
    place(made, of->type, lowest, random_in(from, 0, 17));
}

static void free_matrix(matrix *of)
{
    lay_desc_destroy(of->desc);
    lay_desc_destroy(of->flat);
    lay_free(of->memory);
    free(of->filled);
}

static product choose_product(const request *wanted, int64_t number)
{
    random_source from = random_case(wanted->seed, (uint64_t)number);
    product of = { .type = (lay_type)random_in(&from, LAY_F32, LAY_BF16), .options = LAY_OPTIONS_INIT };
    choose_sizes(&of, &from);
    of.has_specials = random_one_in(&from, 12);
    of.how = (mode)random_in(&from, 0, MODES - 1);
    of.alpha = choose_factor(&from);
    of.beta = choose_factor(&from);
    of.options.threads = (int)random_in(&from, 1, 8);
    of.options.isa = (lay_isa)random_in(&from, LAY_ISA_C, LAY_ISA_AMX);
    if (wanted->isa != LAY_ISA_AUTO)
        of.options.isa = wanted->isa;
    of.options.kernel = choose_kernel(of.type, of.options.isa, &from);
    choose_compute(&of, &from, wanted->has_device);
    choose_places(&of, &from, wanted->has_device);
    of.operand[0].desc = choose_layout(&from, LAYOUT_INPUT, of.m, of.k);
    of.operand[1].desc = choose_layout(&from, LAYOUT_INPUT, of.k, of.n);
    of.operand[2].desc = choose_layout(&from, LAYOUT_OUTPUT, of.m, of.n);
    for (int i = 0; i < 3; i++)
        make_matrix(&of, &of.operand[i], &from);
    return of;
}

/* ---- products --------------------------------------------------------------------------------- */

/* alpha and beta as the type has them. */
typedef union factor {
    float f32;
    double f64;
} factor;

static factor make_factor(lay_type type, double value)
{
    return type == LAY_F64 ? (factor){ .f64 = value } : (factor){ .f32 = (float)value };
}

static lay_status run_plan(const product *of, lay_plan *plan, const factor *alpha, const factor *beta)
{
    const matrix *const a = &of->operand[0], *const b = &of->operand[1], *const c = &of->operand[2];
    const int is_packed[] = { of->how == WITH_PACKED_A || of->how == WITH_BOTH_PACKED,
                              of->how == WITH_PACKED_B || of->how == WITH_BOTH_PACKED };
    lay_packed *packed[] = { NULL, NULL };
    lay_status status = LAY_OK;
    if (of->how == BY_PLAN)
        return lay_plan_run(plan, alpha, a->zero, b->zero, beta, c->zero);
    for (int i = 0; i < 2 && status == LAY_OK; i++)
        if (is_packed[i])
            status = lay_pack(plan, (lay_operand)i, of->operand[i].zero, &packed[i]);
    if (status == LAY_OK)
        status = lay_plan_run_packed(plan, alpha, packed[0] ? NULL : a->zero, packed[0], packed[1] ? NULL : b->zero,
                                     packed[1], beta, c->zero);
    lay_packed_destroy(packed[0]);
    lay_packed_destroy(packed[1]);
    return status;
}

static lay_status run(const product *of)
{
    const matrix *const a = &of->operand[0], *const b = &of->operand[1], *const c = &of->operand[2];
    const factor alpha = make_factor(of->type, of->alpha), beta = make_factor(of->type, of->beta);
    lay_plan *plan = NULL;
    if (of->how == BY_CALL)
        return lay_gemm(of->type, a->desc, b->desc, c->desc, &alpha, a->zero, b->zero, &beta, c->zero, &of->options);
    lay_status status = lay_plan_create(of->type, a->desc, b->desc, c->desc, &of->options, &plan);
    if (status == LAY_OK)
        status = run_plan(of, plan, &alpha, &beta);
    lay_plan_destroy(plan);
    return status;
}

static int is_nan(lay_type type, uint64_t bits)
{
    static const uint64_t infinity[] = { 0x7f800000, UINT64_C(0x7ff0000000000000), 0x7c00, 0x7f80 };
    return (bits & ~(UINT64_C(1) << (bytes_of(type, 8) - 1))) > infinity[type];
}

/* Of all storage; one NaN is as good as another. */
static uint64_t hash(lay_type type, const void *storage, int64_t count)
{
    const size_t size = lay_type_size(type);
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)storage + i * (int64_t)size, size);
        sum = (sum ^ (is_nan(type, bits) ? UINT64_MAX : bits)) * UINT64_C(0x100000001b3);
        sum ^= sum >> 29;
    }
    return sum;
}

static void print_layouts(const product *of)
{
    for (int i = 0; i < 3; i++)
        printf("    %c %s\n", "ABC"[i], layout_text(of->operand[i].desc));
}

static void do_product(const request *wanted, int64_t number)
{
    product of = choose_product(wanted, number);
    matrix *const c = &of.operand[2];
    const lay_status status = run(&of);
    char *const lowest = (char *)c->zero;
    int64_t from, to;
    lay_desc_span(c->desc, &from, &to);
    insist(lay_copy(of.type, c->flat, lowest + bytes_of(of.type, from), c->flat, c->filled, NULL), "a copy of C");
    printf("%" PRId64 " %s %" PRId64 "x%" PRId64 "x%" PRId64 " %s %d %s %s %c%c%c%s %s %s %016" PRIx64 "\n", number,
           type_names[of.type], of.m, of.n, of.k, isa_names[of.options.isa], of.options.threads, mode_names[of.how],
           compute_names[of.options.compute], place_letters[of.operand[0].place], place_letters[of.operand[1].place],
           place_letters[c->place], of.options.backend == LAY_BACKEND_CUDA ? "-cuda" : "",
           of.options.kernel ? of.options.kernel : "-", lay_status_name(status), hash(of.type, c->filled, c->count));
    if (wanted->has_layouts)
        print_layouts(&of);
    for (int i = 0; i < 3; i++)
        free_matrix(&of.operand[i]);
}

/* ---- the command line ------------------------------------------------------------------------- */

/* "--name=" and an integer of at least least. */
static int read_number(const char *word, const char *name, int64_t least, int64_t *out)
{
    const size_t length = strlen(name);
    char *end;
    if (strncmp(word, name, length) != 0)
        return 0;
    *out = strtoll(word + length, &end, 10);
    return end != word + length && !*end && *out >= least;
}

static int read_isa(const char *word, lay_isa *out)
{
    enum { LEVELS = sizeof isa_names / sizeof isa_names[0] };
    if (strncmp(word, "--isa=", 6) != 0)
        return 0;
    for (int i = LAY_ISA_C; i < LEVELS; i++)
        if (strcmp(word + 6, isa_names[i]) == 0) {
            *out = (lay_isa)i;
            return 1;
        }
    return 0;
}

static int read_word(const char *word, request *wanted)
{
    int64_t seed;
    if (strcmp(word, "--device") == 0)
        return wanted->has_device = 1;
    if (strcmp(word, "--layouts") == 0)
        return wanted->has_layouts = 1;
    if (read_number(word, "--seed=", 0, &seed)) {
        wanted->seed = (uint64_t)seed;
        return 1;
    }
    return read_number(word, "--products=", 1, &wanted->products) || read_number(word, "--first=", 0, &wanted->first) ||
           read_isa(word, &wanted->isa);
}

int main(int argc, char **argv)
{
    request wanted = { .seed = 1, .products = 20000 };
    for (int i = 1; i < argc; i++)
        if (!read_word(argv[i], &wanted)) {
            fprintf(stderr,
                    "digest: '%s' is none of --products=N, --first=N, --seed=N, --isa=c|avx2|avx512|amx, "
                    "--device, --layouts\n",
                    argv[i]);
            return 2;
        }
    for (int64_t i = 0; i < wanted.products; i++)
        do_product(&wanted, wanted.first + i);
    lay_cache_clear();
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
