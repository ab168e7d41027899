/* Lists of problems that belong together. */
#include "suites.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *const squares[] = { "512",  "768",  "1024", "1536",  "2048",  "3072",
                                       "4096", "6144", "8192", "12288", "16384", NULL };
static const char *const squares_f64[] = { "2048", "3072", "4096", "6144", "8192", NULL };
static const char *const some_squares[] = { "512", "1024", "2048", "4096", "8192", NULL };

/* One of the sizes small, all small, none a multiple of anything, and tensors: what a contraction is as a
 * product of views. */
static const char *const skinny[] = { "1x4096x4096", "4096x1x4096", "8x4096x4096", "4096x64x4096", "64x4096x4096",
                                      "4x8192x512", "2000x40x2000", "17x8191x333", "1x1x65536", "16x16x4096",
                                      "32x32x65536", "64x64x65536", "37x53x10007", "8192x16x16", "2048x2048x16",
                                      "1000x1000x64", "100", "200", "300", "400", "500", "600", "700", "123x457x789",
                                      "333x777x555",
                                      /* T[i][p][l], 48 x 40 x 60, by its middle index */
                                      "2880x70x40:[[48:2400][60:1]][40:60],row,row",
                                      /* C[y][i][x][j] = A[i][p][j][q] B[q][y][p][x] */
                                      "480x308x288:[[24:5760][20:18]][[16:360][18:1]],[[16:22][18:4928]][[14:352][22:1]"
                                      "],[[24:440][20:1]][[14:10560][22:20]]",
                                      /* one of 12 heads: Q K^T out of tensors [512][12][64] */
                                      "512x512x64:[512:768][64:1],[64:1][512:768],row",
                                      /* 64 filters of 3 x 3 over 64 images of 58 x 58, the windows overlapping views */
                                      "64x3136x576:row,[[64:3364][3:58][3:1]][[56:58][56:1]],row", NULL };

static const suite suites[] = {
    { .name = "transposes",
      .help = "squares of 512 to 16384 in all four transposes, in device memory as the following three",
      .memory = LAY_MEMORY_DEVICE,
      .type = "f32",
      .layouts = "row/row,col,row/col,row,row/col,col,row",
      .problems = squares },
    { .name = "layouts",
      .help = "squares in blocks, tiles and mixes, beside our own row-major product",
      .memory = LAY_MEMORY_DEVICE,
      .type = "f32",
      .layouts = "matrix1/matrix2/tiles128/col/row,col,col/col,row,col/matrix2,col,row",
      .has_row = 1,
      .problems = some_squares },
    { .name = "skinny",
      .help = "skinny and small shapes and tensor contractions",
      .memory = LAY_MEMORY_DEVICE,
      .type = "f32",
      .layouts = "row",
      .problems = skinny },
    { .name = "f64",
      .help = "squares of 2048 to 8192 in double, in all four transposes",
      .memory = LAY_MEMORY_DEVICE,
      .type = "f64",
      .layouts = "row/row,col,row/col,row,row/col,col,row",
      .problems = squares_f64 },
    { .name = "split",
      .help = "100 random shapes, square, thin and long, by --compute=f32_split, beside strict ones",
      .memory = LAY_MEMORY_DEVICE,
      .type = "f32",
      .layouts = "row",
      .is_planned = 1,
      .has_strict = 1,
      .compute = LAY_COMPUTE_F32_SPLIT,
      .make = suite_make_split },
    { .name = "squares",
      .help = "256 to 4096, f32 and f64, in host memory",
      .type = "f32,f64",
      .layouts = "row",
      .problems = suite_squares },
    { .name = "small",
      .help = "2 to 128, the same; ours runs a plan made once",
      .type = "f32,f64",
      .layouts = "row",
      .is_planned = 1,
      .problems = suite_small },
    { .name = "thin",
      .help = "one or two sizes small, in host memory",
      .type = "f32",
      .layouts = "row",
      .problems = suite_thin },
    { .name = "contractions",
      .help = "tensors of 3 to 6 dimensions, in host memory: beside transposing, where a BLAS needs it",
      .type = "f32",
      .layouts = "row",
      .problems = suite_contractions },
    { .name = "mixed",
      .help = "40 contractions whose unit strides disagree, beside our own copies and row-major product;\n"
              "                       in host memory, or with --memory=device",
      .type = "f32,f64",
      .layouts = "row",
      .is_planned = 1,
      .has_copies = 1,
      .make = suite_make_mixed },
    { .name = "choices",
      .help = "products that the planner once chose badly, in host memory: on one thread and two, in layouts\n"
              "                       beside row-major ones, as contractions beside our own copies, in portable C",
      .type = "f32,f64",
      .layouts = "row",
      .is_planned = 1,
      .problems = suite_choices,
      .next = &suite_choices_more },
    { .name = "tccg",
      .help =
          "the 48 contractions of the TCCG benchmark at their sizes, tensors of about 200 MB, beside our own copies\n"
          "                       and product; peers are TBLIS and a BLAS between our copies",
      .type = "f32,f64",
      .is_planned = 1,
      .has_copies = 1,
      .contraction = suite_tccg },
    { .name = "random-contractions",
      .help = "200 random contractions, extents of 2 to 200, one in five with a batch; the same peers",
      .type = "f32,f64",
      .is_planned = 1,
      .has_copies = 1,
      .contraction = suite_random },
    { .name = "tccg-large",
      .help = "TCCG's in device memory, tensors of about 1 GB; the peer is cuTENSOR",
      .memory = LAY_MEMORY_DEVICE,
      .type = "f32,f64",
      .is_planned = 1,
      .has_copies = 1,
      .contraction = suite_tccg_large },
    { .name = "random-contractions-large",
      .help = "100 random ones in device memory, of 4e9 to 5e11 multiply-adds; the same peer",
      .memory = LAY_MEMORY_DEVICE,
      .type = "f32,f64",
      .is_planned = 1,
      .has_copies = 1,
      .contraction = suite_random_large },
};
enum { SUITES = sizeof suites / sizeof suites[0] };

const suite *suite_at(int index)
{
    return index < SUITES ? &suites[index] : NULL;
}

const suite *suite_find(const char *name)
{
    for (int i = 0; i < SUITES; i++)
        if (strcmp(suites[i].name, name) == 0)
            return &suites[i];
    return NULL;
}

void suites_print_help(void)
{
    for (int i = 0; i < SUITES; i++)
        printf("  --suite=%-12s %s\n", suites[i].name, suites[i].help);
}
