/* Writing whole cache lines past the caches: without reading them first, as a store must. */
#ifndef LAY_STORAGE_STREAM_H
#define LAY_STORAGE_STREAM_H

#include <stdint.h>
#include <string.h>

#if LAY_X86
#include <emmintrin.h>

static inline void stream_line(char *to, const char *from)
{
    for (int i = 0; i < 64; i += 16)
        _mm_stream_si128((__m128i *)(void *)(to + i), _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
}

/* What was streamed comes before what this thread writes next. */
static inline void end_stream(void)
{
    _mm_sfence();
}
#else
static inline void stream_line(char *to, const char *from)
{
    memcpy(to, from, 64);
}

static inline void end_stream(void)
{
}
#endif

/* As memcpy; the lines that lie whole in to are streamed. */
static inline void stream_bytes(char *to, const char *from, size_t bytes)
{
    size_t head = -(uintptr_t)to % 64;
    if (head > bytes)
        head = bytes;
    memcpy(to, from, head);
    for (; head + 64 <= bytes; head += 64)
        stream_line(to + head, from + head);
    memcpy(to + head, from + head, bytes - head);
}

#endif
