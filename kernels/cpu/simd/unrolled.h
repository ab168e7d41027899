/* Loops over rows and registers have constant bounds and must vanish, or the sums live in memory. */
#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif
