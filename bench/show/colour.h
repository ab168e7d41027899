/* Colours of groups, light enough for dark text. */
#ifndef SHOW_COLOUR_H
#define SHOW_COLOUR_H

#include <stdint.h>

/* 0xRRGGBB of one of colours that repeat; neighbours, and those a whole round apart, differ. */
int32_t colour_of(int64_t group, int colours);

#endif
