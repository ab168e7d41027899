/* A line's elements in a product with a vector, of a row whose lines are of its own type. Included after the registers'
 * header, before simd/along.h; rows of 16-bit lines have simd/half.h instead. */
typedef real element;

/* Nothing: the loads reach far enough ahead. */
static inline void element_ask(const element *from, int64_t p)
{
    (void)from;
    (void)p;
}

static inline vec element_load(const element *from)
{
    return vec_load(from);
}

static inline vec element_load_some(const element *from, lanes which)
{
    return vec_load_some(from, which);
}
