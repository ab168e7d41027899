/* A picture of points with a palette, as a PNG. */
#ifndef SHOW_PNG_H
#define SHOW_PNG_H

#include <stdint.h>
#include <stdio.h>

typedef struct png_picture {
    uint32_t width, height;
    const uint8_t *point;  /* rows, a palette's number each */
    const int32_t *colour; /* 0xRRGGBB */
    int colours;
} png_picture;

/* Not compressed: whoever wants it smaller has programs for that. */
void png_write(const png_picture *of, FILE *to);

#endif
