/* Products side by side to matrices one after the other, and back, element by element: a line of the first at a time.
 * Included after simd/lanes.h. */
enum { TURNED = 16 /* elements, each in a line of its own */ };

static void turn(const void *from, const int64_t *offset, int64_t count, int64_t width, void *to, int64_t plane)
{
    for (int64_t first = 0; first < count; first += TURNED)
        for (int64_t l = 0; l < width; l++)
            for (int64_t q = first; q < count && q < first + TURNED; q++)
                ((real *)to)[l * plane + q] = ((const real *)from)[offset[q] + l];
}

static void turn_back(const void *from, int64_t plane, void *to, const int64_t *offset, int64_t count, int64_t width)
{
    for (int64_t first = 0; first < count; first += TURNED)
        for (int64_t l = 0; l < width; l++)
            for (int64_t q = first; q < count && q < first + TURNED; q++)
                ((real *)to)[offset[q] + l] = ((const real *)from)[l * plane + q];
}
