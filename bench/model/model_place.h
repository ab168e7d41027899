/* Where the operands of a model's products lie: what differs between host memory and a device's. */
#ifndef MODEL_PLACE_H
#define MODEL_PLACE_H

#include "base/text.h"
#include "model_ways.h"

struct model_place {
    const char *name; /* "host" */

    /* Makes it ready, and the options what its products ask for. 0, or the exit status after a sentence. */
    int (*open)(lay_options *options);
    /* The same for plans alone, which --replay makes: nothing of the place is needed. */
    int (*pretend)(lay_options *options);
    lay_places (*places)(void);

    /* Operands in memory of their own, filled with random numbers. 0, or the exit status after a sentence. */
    int (*take)(lay_type type, lay_desc *const desc[3], model_operands *out);
    void (*give)(model_operands *of);

    /* All ways that might have been taken, behind the one that was. */
    void (*add_ways)(model_choice *to);
    /* What was decided inside a branch, behind its ways' names; and its kernel with what was decided beside that. */
    void (*name_inside)(const lay_branch *branch, lay_text *text);
    void (*name_kernel)(const lay_branch *branch, lay_text *text);

    /* Runs each way once and compares C with the first one's: its bytes, unless the sum is another one. 0, or the exit
     * status after a sentence. */
    int (*check)(model_choice *of, const model_operands *on, const char *text);

    /* Fills seconds, of several rounds in each of which all ways that may still be the fastest have their turn: the
     * least on the CPU, the median of events on a device. 0, or the exit status after a sentence. */
    int (*time)(model_choice *of, const model_operands *on, double seconds);
};

extern const model_place model_host;
extern const model_place *const model_device; /* NULL in a build without CUDA */

/* A real number's bits, of random ones: of -2 to -1 and 1 to 2. */
uint64_t model_element(lay_type type, uint64_t bits);

/* The fastest of those that are not out; of the ways that add as the one taken does, unless any. */
const model_way *model_best(const model_choice *of, int any);

/* Candidates on a device (model_launches.c, built with CUDA). */
void model_add_on_device(model_choice *to);
void model_name_on_device(const lay_branch *branch, lay_text *text);
void model_name_launch(const lay_branch *branch, lay_text *text);

#endif
