/* A picture of points with a palette, as a PNG: deflate's stored blocks, so that no library is needed. */
#include "png.h"

#include <string.h>

/* What is written, and the sums over it so far. */
typedef struct stream {
    FILE *to;
    uint32_t crc;  /* of a chunk, inverted */
    uint32_t a, b; /* Adler's, of what is compressed */
} stream;

static void put(stream *to, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to->crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            to->crc = to->crc >> 1 ^ (to->crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    fwrite(bytes, 1, count, to->to);
}

static void put_number(stream *to, uint32_t number)
{
    put(to, (const uint8_t[]){ number >> 24, number >> 16 & 255, number >> 8 & 255, number & 255 }, 4);
}

static void begin_chunk(stream *to, const char *name, uint32_t length)
{
    put_number(to, length);
    to->crc = UINT32_MAX; /* of the name on */
    put(to, (const uint8_t *)name, 4);
}

static void end_chunk(stream *to)
{
    put_number(to, ~to->crc);
}

/* A stored block: a row behind the number of its filter, none. */
static void put_row(stream *to, const uint8_t *row, uint32_t width, int is_last)
{
    const uint32_t length = width + 1;
    put(to,
        (const uint8_t[]){ is_last, length & 255, length >> 8 & 255, ~length & 255, ~length >> 8 & 255,
                           0 /* filter */ },
        6);
    put(to, row, width);
    to->b = (to->b + to->a) % 65521;
    for (uint32_t x = 0; x < width; x++) {
        to->a = (to->a + row[x]) % 65521;
        to->b = (to->b + to->a) % 65521;
    }
}

static void put_palette(stream *to, const png_picture *of)
{
    begin_chunk(to, "PLTE", 3 * (uint32_t)of->colours);
    for (int i = 0; i < of->colours; i++)
        put(to, (const uint8_t[]){ of->colour[i] >> 16 & 255, of->colour[i] >> 8 & 255, of->colour[i] & 255 }, 3);
    end_chunk(to);
}

void png_write(const png_picture *of, FILE *to)
{
    stream out = { .to = to, .a = 1 };
    put(&out, (const uint8_t *)"\x89PNG\r\n\x1a\n", 8);
    begin_chunk(&out, "IHDR", 13);
    put_number(&out, of->width);
    put_number(&out, of->height);
    put(&out, (const uint8_t[]){ 8, 3, 0, 0, 0 }, 5); /* 8 bits, of a palette */
    end_chunk(&out);
    put_palette(&out, of);
    begin_chunk(&out, "IDAT", 2 + of->height * (of->width + 6) + 4);
    put(&out, (const uint8_t[]){ 0x78, 0x01 }, 2);
    for (uint32_t y = 0; y < of->height; y++)
        put_row(&out, of->point + (size_t)y * of->width, of->width, y + 1 == of->height);
    put_number(&out, out.b << 16 | out.a);
    end_chunk(&out);
    begin_chunk(&out, "IEND", 0);
    end_chunk(&out);
}
