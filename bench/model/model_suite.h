/* Products that nothing was tuned for: sizes and layouts drawn at random, the same for the same seed. */
#ifndef MODEL_SUITE_H
#define MODEL_SUITE_H

#include <stdint.h>

enum { MODEL_TEXT = 640 };

typedef struct model_product {
    const char *suite;
    char text[MODEL_TEXT]; /* as PROBLEM_HELP has it */
} model_product;

/* The names of the suites, NULL behind the last; each has MODEL_EACH products. */
extern const char *const model_suites[];
enum { MODEL_EACH = 45 };

/* Product number of a suite (0 .. MODEL_EACH - 1, of model_suites[suite]), of sizes for the CPU or for a device. */
void model_draw(int suite, int number, uint64_t seed, int is_on_device, model_product *out);

#endif
