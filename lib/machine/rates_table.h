/* The rates: a line each, with the least and the most that a file may say, and a column for each kind of machine. Who
 * includes this defines R.
 *
 * Sources. zen5: bench/LOG.md section 43, by times of every way of 704 products; its limits, section 40. From caches
 * and memory: zen3 sections 32 and 33, spr 33 and 38. What is ns in the other columns is zen5's at their clocks, not
 * measured; levels (avx512, avx2, c) are cautious guesses. `lay rates` measures what can be measured apart. */
/*                 least,  most,   zen3,   zen4,   zen5,    spr, avx512,   avx2,      c */
/* A core: GHz under load (0: as the system says), flops of f32 a cycle at most (a kernel has that or its own, f64 half
 * of it), cycles that a multiply-add makes the next one of its chain wait, loads of vectors a cycle. */
R(clock, 0, 20, 3.6, 3.9, 4.46, 3, 0, 0, 0)
R(flops, 1, 4096, 32, 32, 58.9, 54.5, 54.5, 32, 16)
R(latency, 1, 100, 3.75, 3.75, 3.75, 2.36, 2.36, 3.75, 3.75)
R(latency_wide, 1, 100, 2.04, 2.04, 2.04, 2.22, 2.22, 2.04, 2.04)
R(two_rows, 0.5, 4, 1.6, 1.6, 1.6, 1.36, 1.36, 1.6, 1.6)
R(loads, 0.1, 16, 1.7, 1.7, 1.7, 1.7, 1.7, 1.7, 1.7)

/* ns an element: packed by each kind; apart: gathered a panel at a time, where several share lines; transposed in
 * registers and used at once; C written where it lies, or through a buffer; sums that a sweep fetches and puts back. */
R(pack_copied, 1e-3, 1e3, 0.16, 0.154, 0.134, 0.157, 0.157, 0.16, 0.216)
R(pack_transposed, 1e-3, 1e3, 0.213, 0.174, 0.151, 0.273, 0.273, 0.213, 0.158)
R(pack_pieces, 1e-3, 1e3, 0.17, 0.162, 0.141, 0.231, 0.231, 0.17, 0.144)
R(pack_digits, 1e-3, 1e3, 0.302, 0.289, 0.251, 0.245, 0.245, 0.302, 0.223)
R(pack_gathered, 1e-3, 1e3, 0.329, 0.316, 0.274, 0.305, 0.305, 0.329, 0.444)
R(pack_apart, 1e-3, 1e3, 0.379, 0.364, 0.316, 0.306, 0.306, 0.379, 0.512)
R(pack_missed, 0, 1e3, 8, 9.2, 8, 11.2, 11.2, 8, 8)
R(pack_wide, 0.5, 4, 1.04, 1.04, 1.04, 1.4, 1.4, 1.04, 1.04)
R(pack_padding, 0, 1, 0.187, 0.187, 0.187, 0.187, 0.187, 0.187, 0.252)
R(transposed_in, 1e-3, 1e3, 0.124, 0.119, 0.103, 0.152, 0.152, 0.124, 0.124)
R(written, 1e-3, 1e3, 0.0188, 0.0134, 0.0116, 0.027, 0.027, 0.0188, 0.0343)
R(staged, 1e-3, 1e3, 0.367, 0.351, 0.305, 0.458, 0.458, 0.367, 0.495)
R(reread, 0, 1e3, 0.696, 0.667, 0.58, 0.8, 0.8, 0.696, 0.516)
R(scattered, 0, 1e3, 15, 9.46, 8.23, 11.5, 11.5, 15, 15)
R(missed, 0, 1e3, 5, 3.15, 2.74, 3.84, 3.84, 5, 5)

/* ns: each tile's own, of packed panels, in place, and where one function does all; a segment of
 * steps between seams; a line in another page than the one before; each product's own. */
R(tile_packed, 0, 1e4, 15.9, 15.2, 13.3, 16.9, 16.9, 15.9, 15.9)
R(tile_in_place, 0, 1e4, 14, 13.5, 11.7, 17.6, 17.6, 14, 16.5)
R(tile_whole, 0, 1e4, 0.915, 0.65, 0.565, 2.13, 2.13, 0.915, 1.67)
R(row_masked, 0, 1e4, 0.6, 0.6, 0.5, 0.6, 0.6, 0.6, 0.6)
R(tile_dotted, 0, 1e4, 4.14, 3.96, 3.45, 5.17, 5.17, 4.14, 3.52)
R(segment, 0, 1e4, 3.24, 3.1, 2.7, 4.75, 4.75, 3.24, 5.9)
R(line_far, 0, 1e4, 0.415, 0.537, 0.467, 0.519, 0.519, 0.415, 0.488)
R(run_far, 0, 1e4, 66.2, 63.4, 55.2, 77.2, 77.2, 66.2, 66.2)
R(call_packed, 0, 1e6, 176, 227, 198, 279, 279, 176, 176)
R(call_in_place, 0, 1e6, 51.4, 49.3, 42.8, 111, 111, 51.4, 60.4)
R(call_swept, 0, 1e6, 48.6, 54.7, 47.6, 60.8, 60.8, 48.6, 26.7)
R(call_vector, 0, 1e6, 36, 34.5, 30, 45, 45, 36, 36)
R(line_wide, 0.1, 100, 2.6, 2.6, 2.6, 3.07, 3.07, 2.6, 2.6)
R(line_narrow, 0.1, 100, 3.24, 3.24, 3.24, 3.38, 3.38, 3.24, 5.91)
R(vector_packed, 0.1, 100, 4.7, 4, 4, 6.34, 6.34, 4.7, 4.7)
R(packed_wide, 0.5, 4, 0.889, 0.889, 0.889, 0.817, 0.817, 0.889, 0.889)
R(few_wide, 0.5, 4, 1.41, 1.41, 1.41, 1.41, 1.41, 1.41, 1.41)
R(vector_across, 0.1, 100, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 2)

/* GB/s: what a core reads, and all cores together from memory. */
R(from_l2, 0.01, 1e5, 80, 100, 185, 93.6, 93.6, 80, 80)
R(from_l3, 0.01, 1e5, 35, 50, 67.6, 37.2, 37.2, 35, 30)
R(from_memory, 0.01, 1e5, 25, 20, 20, 12, 12, 20, 14.8)
R(memory_all, 0.01, 1e6, 40, 19.8, 19.8, 150, 60, 40, 19.8)
R(c_moves, 0.1, 4, 0.415, 0.561, 0.561, 0.415, 0.415, 0.415, 0.488)
R(c_broken, 1, 8, 1.01, 1.01, 1.01, 1.84, 1.84, 1.01, 1.84)

/* Of the shorter of computing and reading, what is hidden behind the longer; of a cache, what is found again there. */
R(overlap, 0, 1, 0.8, 0.8, 0.8, 0.593, 0.593, 0.8, 0.8)
R(near_share, 0.01, 1, 0.699, 0.699, 0.699, 0.699, 0.699, 0.699, 0.944)

/* Limits: what another thread is worth; a second one in a way without joins; a block of k's, for each thread that
 * waits for the next one; bytes read. */
R(flops_per_thread, 1, 1e12, 2e+06, 2e+06, 2e+06, 2e+06, 2e+06, 2e+06, 2e+06)
R(flops_of_two, 1, 1e12, 1.5e+06, 1.5e+06, 1.5e+06, 1.5e+06, 1.5e+06, 1.5e+06, 1.5e+06)
R(flops_per_join, 1, 1e12, 2e+05, 2e+05, 2e+05, 2e+05, 2e+05, 2e+05, 2e+05)
R(bytes_per_thread, 1, 1e12, 1e+06, 1e+06, 1e+06, 1e+06, 1e+06, 1e+06, 1e+06)
