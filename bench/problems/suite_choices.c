/* Products for which the planner once chose badly, so that it shows when it does so again: each beside what it should
 * keep up with. */
#include "suites.h"

#include <stddef.h>

/* Few rows of C and many bytes, long sums, one step of k, and lines that lie apart. */
const char *const suite_choices[] = { "384",
                                      "8x1024x4096",
                                      "8x4096x4096",
                                      "32x2048x2048",
                                      "32x100000x32",
                                      "100000x32x32",
                                      "96x96x100000",
                                      "128x128x100000",
                                      "256x256x100000",
                                      "43x88x79281:[43:2][79281:86],tiles128,col",
                                      "234x31x1438:row,[1438:2][31:2876],row",
                                      "243x124x28:row,tiles64,row",
                                      "246x141x1:[246:2][1:492],tiles8,matrix1",
                                      NULL };

/* Too small to share, shared unevenly, or with an operand that every thread reads anew. */
static const char *const two_threads[] = {
    "96", "256", "384", "32x100000x32", "100000x32x32", "128x100000x128", "128x128x100000", "256x256x100000", NULL
};

/* Columns in reverse, every second element, small tiles. */
static const char *const layouts[] = { "128:[128:128][128:-1]",
                                       "256:[256:256][256:-1]",
                                       "1024:[1024:1024][1024:-1]",
                                       "1024:reversed",
                                       "1024:[1024:2048][1024:2]",
                                       "128:tiles8",
                                       "256:tiles8",
                                       "1024:tiles8",
                                       NULL };

/* Digits of k whose unit stride is the outer one, twice; a small product whose operands are all contiguous the wrong
 * way. */
static const char *const contractions[] = {
    "312x296x3072:[312:64][[48:19968][64:1]],[[48:1][64:48]][296:3072],[312:1][296:312]",
    "304x312x3456:[304:1][[72:14592][48:304]],[[72:1][48:22464]][312:72],[304:1][312:304]",
    "188x300x32:[[4:94][47:1]][[2:47][16:376]],[[2:4800][16:1]][[20:240][5:48][3:16]],"
    "[[4:1][47:4]][[20:188][5:3760][3:18800]]",
    NULL
};

/* Without SIMD rows, what packing costs weighs otherwise. */
static const char *const portable[] = { "64", "128", "192", "256", "384", "512", NULL };

static const suite in_c = { .layouts = "row", .isa = LAY_ISA_C, .is_planned = 1, .problems = portable };
static const suite on_two = { .layouts = "row", .threads = 2, .is_planned = 1, .problems = two_threads, .next = &in_c };
static const suite of_tensors = {
    .layouts = "row", .has_copies = 1, .is_planned = 1, .problems = contractions, .next = &on_two
};
const suite suite_choices_more = {
    .layouts = "row", .has_row = 1, .is_planned = 1, .problems = layouts, .next = &of_tensors
};
