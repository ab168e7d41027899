/* Timing all ways of one product. */
#ifndef MODEL_TIME_H
#define MODEL_TIME_H

#include "model_ways.h"

/* Operands in memory of their own, filled with random numbers. 0, or the exit status after a sentence. */
int model_take(lay_type type, lay_desc *const desc[3], model_operands *out);
void model_give(model_operands *of);

/* Runs each way once and compares C's bytes with those of the first: 0, or the exit status after a sentence. */
int model_check(const model_choice *of, const model_operands *on, const char *text);

/* Fills seconds: the least of several rounds, in each of which all ways that may still be the fastest have their turn.
 */
void model_time(model_choice *of, const model_operands *on, double seconds);

/* The fastest. */
const model_way *model_best(const model_choice *of);

#endif
