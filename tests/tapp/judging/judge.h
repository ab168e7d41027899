/* What D must be, by a plain sum in higher precision, and how far from it each element may lie. */
#ifndef LAY_TESTS_TAPP_JUDGE_H
#define LAY_TESTS_TAPP_JUDGE_H

#include "problem.h"

/* 1 when each element of D, as it is now, is right and nothing between them has changed since before, a copy of D's
 * buffer. Else 0, and the note says what is wrong with the first. */
int output_is_right(const tensor_problem *problem, const char *before, char *note, size_t size);

#endif
