/* The rates of launches: who includes this defines D, K, R, M, B and N.
 *
 * Source (bench/LOG.md, 45): fitted to times of every way of 688 products on an H200 (bench/model, seeds 1 and 2),
 * first to all of them, then to regret: the time of the way taken over that of the best one of equal bits. Clocks go
 * with a device's own clock, so that K and R have one column for all; seconds were measured on no other, whose column
 * is the same. A fitted number is no physical figure: what a row never met is near where its fit began. By the times
 * of all ways of 206 contractions on an H200 (107): spans of f64's rows, 192x96x8x2 and 96x48x8x8, and what single
 * elements along k cost the former; by two contractions, 64x32x16's start and 32x32x16's span (151). */
/* name, h200, other */
/* Seconds: a launch; the second of two; a copy of an image. Then times the seconds that the nominal bandwidth says:
 * what a copy moves in lines or in vectors, and in tiles of single elements; what a launch reads and writes. */
D(launch, 1.3e-06, 1.3e-06)
D(gap, 2e-06, 2e-06)
D(copy, 3.82e-06, 3.82e-06)
D(copied, 1.2, 1.2)
D(copied_ones, 1.55, 1.55)
D(read, 1.16, 1.16)
D(written, 0.684, 0.684)
/* Where a large C is written in parts of sectors, each part but one (bench/LOG.md, 107: fitted to times of 103
 * contractions on an H200). */
D(torn, 1.74, 1.74)
/* The same where nobody writes what lies between, as of a batch whose index is innermost (bench/LOG.md, 145). */
D(lone, 15, 15)
/* Of what is read in parts of sectors from memory, times its other parts, which nobody reads, besides what they take
 * as bytes (bench/LOG.md, 145). */
D(gathered, 2, 2)
/* The part of the second cache that holds lines until they are whole (107). */
D(held, 0.3, 0.3)
/* Tiles of 64 x 64 a multiprocessor, and steps of k at most, with which C is not cut in slices (145). */
D(filled_waves, 16, 16)
D(filled_steps, 128, 128)
/* Where another launch or the last block adds slices: seconds, and times the seconds of the partial sums. */
D(sum, 1.72e-06, 1.72e-06)
D(partials, 3.28, 3.28)
/* The same of real matrices; and times what passes of one that is read along k, where a turn takes no whole lines of
 * 128 bytes: memory opens each line for each turn that takes a part of it (bench/LOG.md, 115). */
D(matrix_sum, 1.63e-06, 1.63e-06)
D(matrix_partials, 2, 2)
D(parts, 1.72, 1.72)

/* Clocks of an element whose slices persistent blocks keep and add, of each thread and slice; and once more for all
 * slices of the last tile. */
D(kept, 100, 100)

/* Copies between two layouts (bench/LOG.md, 82: 99 tensors on an H100): times as long by tiles of elements of two bytes
 * as of four; of tiles, the share that is there to the power of so much, by single elements and by vectors; seconds of
 * a block, and how many of them a multiprocessor has at work. Set by hand: times as fast in the second cache; times as
 * long where elements change; seconds that tables take, and times as long by them, as there is no other way; of the
 * launch that expands a complex operand, seconds, and the share of the nominal bandwidth that it reaches. */
D(copied_halves, 1.7, 1.7)
D(copied_part_ones, 0.6, 0.6)
D(copied_part, 0.25, 0.25)
D(copied_block, 4e-06, 4e-06)
D(copied_resident, 5, 5)
D(copied_cached, 2, 2)
D(changed, 2, 2)
D(changed_tables, 2e-05, 2e-05)
D(changed_apart, 4, 4)
D(expand, 1.8e-06, 1.8e-06)
D(expand_reached, 0.92, 0.92)

/* Operands in host memory that pass through the device (docs/decisions/0008: an H200 and the 16 CPUs beside it).
 * Seconds: all beside the way of the data; of the calling thread, for a step, and to lead its threads into a copy and
 * out; a byte of device memory. Bytes a second that they copy; the share of the link's rate while they do; bytes that a
 * row of a rectangle costs beside its own; steps of k that it costs to read and write a tile's sums; of the blocks at
 * once, the share that is lost between the end of a launch and the next. The share of a device's flops that large
 * products reach, where no row is known yet. */
D(stream_start, 6e-05, 6e-05)
D(stream_step, 8e-06, 8e-06)
D(stream_piece, 3.5e-05, 3.5e-05)
D(stream_allocated, 0.1e-3 / 0x1p30, 0.1e-3 / 0x1p30)
D(stream_packed, 7.3e+10, 7.3e+10)
D(stream_packing, 0.9, 0.9)
D(stream_row, 100, 100)
D(stream_resumed, 80, 80)
D(stream_idle, 0.05, 0.05)
D(stream_reached, 0.8, 0.8)

/* Split rows (bench/LOG.md, 102: fitted to times of 55 products on an H100; what operands take of an H200's nominal
 * seconds, by times of twelve, 165): seconds of all launches but that which
 * adds slices, and of that; times the nominal seconds of operands, read and written once as limbs, of those that are
 * too long for their blocks to wait for each other (k > 24576), and of partial sums; so many times as long the plain
 * product has to be predicted to take. */
D(split_launch, 1.6e-05, 1.6e-05)
D(split_sum, 1e-05, 1e-05)
D(split_read, 1.7, 1.49)
D(split_long, 2.25, 1.79)
D(split_partials, 1.37, 1.37)
D(split_worth, 1.08, 1.08)

/* Narrow rows (bench/LOG.md, 134: fitted to regret, by 340 times of an H100 and the 835 of bf16 on an H200 of 109):
 * seconds of a launch; times the nominal seconds of what is read and written once. Clocks of 128 bytes that the second
 * cache brings, of 16-bit tiles of 64 and 128 columns (169: by 1985 times of an H200), the columns of the widest of
 * these, times so much where lines of operands are no multiples of that; of tiles that share what they read; of each
 * slice but one that meets others in a cluster; of a sum of a thread there, and the same of TF32 (167). Of slices that
 * are apart (169; TF32's: 162) clocks of each, until all know of it; of a sum of a thread that it keeps; and of one
 * that a tile's last block fetches, TF32's after those of 16 bits. The share of the multiprocessors that slices in
 * clusters of 3 or 4 blocks fill at once, and of more; and that clusters of more than two tiles do, of which 30 of four
 * and 15 of eight find place on an H100. Times as long for what is read where no multiprocessor has the second block
 * that it has room for. Columns of the narrowest tile of which more than two share: narrower ones were not measured so.
 * Of a walked tile whose C leaves down it, which nothing hides (97). Seconds of an image, of a byte that it gets in
 * vectors (82) or from runs, and elements that a run's ends cost besides (170: 20 products of an H200); seconds of a
 * sector of C that is torn or written element by element (82, 97). Clocks of a word of a thread where C leaves in words
 * along its rows (170): in blocks of one tile, of a tile behind which another is multiplied, and of the last one. */
D(narrow_launch, 1.29e-06, 1.29e-06)
D(narrow_read, 1.12, 1.12)
D(narrow_line, 2.61, 2.61)
D(narrow_line_whole, 1.7, 1.7)
D(narrow_whole_widest, 128, 128)
D(narrow_odd, 1.45, 1.45)
D(narrow_pair, 1224, 1224)
D(narrow_meet, 24, 24)
D(narrow_add, 300, 300)
D(narrow_add_tf32, 444, 444)
D(narrow_arrive, 2110, 2110)
D(narrow_arrive_tf32, 2400, 2400)
D(narrow_keep, 84, 84)
D(narrow_keep_tf32, 90, 90)
D(narrow_fetch, 31, 31)
D(narrow_fetch_tf32, 45, 45)
D(narrow_fill_4, 0.764, 0.764)
D(narrow_fill_8, 0.773, 0.773)
D(narrow_fill_shared, 0.909, 0.909)
D(narrow_few, 1.04, 1.04)
D(narrow_share_width, 64, 64)
D(narrow_down, 2500, 2500)
D(narrow_image, 2e-06, 2e-06)
D(narrow_packed, 1.5e-12, 1.5e-12)
D(narrow_run, 6.7e-13, 6.7e-13)
D(narrow_run_end, 25, 25)
D(narrow_sector, 4e-11, 4e-11)
D(narrow_word, 105, 105)
D(narrow_word_behind, 160, 160)
D(narrow_word_last, 400, 400)
/* By times of an H200 of sections 109, 143, 150, 151, 155 (158): bytes a clock of a multiprocessor, of what nobody has
 * read before. Of 16-bit products alone: clocks of a turn where no second block shares the multiprocessor and lines are
 * no multiples of 128 bytes. Turns of tiles that wait, and columns of C, at most; clocks of such a tile, and of its
 * columns; of two tiles at a time where more lines stay, and than how many (172: two contractions of 1 GB). Clocks of
 * an element of C that a thread writes by itself, where C has so many a multiprocessor at most. */
D(narrow_fresh, 26, 26)
D(narrow_odd_lone, 150, 150)
D(narrow_short, 4, 4)
D(narrow_short_columns, 192, 192)
D(narrow_wait, 2500, 2500)
D(narrow_column, 10, 10)
D(narrow_kept, 2500, 2500)
D(narrow_many, 128, 128)
D(narrow_put, 170, 170)
D(narrow_put_most, 2048, 2048)

/* FP16 has BF16's, walked rows those of the same tiles without, but for the start of 128x128 (158); pingpong rows, two
 * tiles of which begin and end at a time, are of 12 contractions (166). TF32's are of 742 times of slices, 33 squares
 * and 11 other products; no square has another row by them (167). */
/* row, rate, start */
N("narrow_f16_128x256", 3602, 6722)
N("narrow_f16_128x240", 3600, 5500)
N("narrow_f16_128x224", 3593, 4202)
N("narrow_f16_128x192", 3387, 416)
N("narrow_f16_128x160", 3533, 1959)
N("narrow_f16_128x128", 2985, 1600)
N("narrow_f16_128x112", 2950, 1500)
N("narrow_f16_128x96", 2915, 1844)
N("narrow_f16_128x64", 2386, 1164)
N("narrow_f16_128x32", 917, 393)
N("narrow_f16_64x64", 1755, 572)
N("narrow_f16_64x32", 748, 1185)
N("narrow_f16_64x16", 1258, 2961)
N("narrow_f16_128x256_walked", 3602, 6722)
N("narrow_f16_128x128_walked", 2985, 2000)
N("narrow_f16_128x64_walked", 2386, 1164)
N("narrow_f16_64x256_pingpong", 3400, 7500)
N("narrow_f16_128x128_pingpong", 2985, 5000)
N("narrow_bf16_128x256", 3602, 6722)
N("narrow_bf16_128x240", 3600, 5500)
N("narrow_bf16_128x224", 3593, 4202)
N("narrow_bf16_128x192", 3387, 416)
N("narrow_bf16_128x160", 3533, 1959)
N("narrow_bf16_128x128", 2985, 1600)
N("narrow_bf16_128x112", 2950, 1500)
N("narrow_bf16_128x96", 2915, 1844)
N("narrow_bf16_128x64", 2386, 1164)
N("narrow_bf16_128x32", 917, 393)
N("narrow_bf16_64x64", 1755, 572)
N("narrow_bf16_64x32", 748, 1185)
N("narrow_bf16_64x16", 1258, 2961)
N("narrow_bf16_128x256_walked", 3602, 6722)
N("narrow_bf16_128x128_walked", 2985, 2000)
N("narrow_bf16_128x64_walked", 2386, 1164)
N("narrow_bf16_64x256_pingpong", 3400, 7500)
N("narrow_bf16_128x128_pingpong", 2985, 5000)
N("narrow_tf32_128x256", 1688, 3550)
N("narrow_tf32_128x192", 1665, 2267)
N("narrow_tf32_128x128", 1542, 4559)
N("narrow_tf32_128x64", 797, 1131)
N("narrow_tf32_64x64", 794, 3300)
N("narrow_tf32_64x32", 313, 1862)
N("narrow_tf32_64x16", 260, 2000)

/* Rows of mma (bench/LOG.md, 101): seconds of a launch; and of theirs and narrow ones those of an element of an image
 * that is fetched by itself (82). */
D(mma_launch, 4e-06, 4e-06)
D(image_element, 2.5e-11, 2.5e-11)

/* Whether a turn ends where k does; whether vectors of C are written where tables lead to them; where lanes go; whether
 * they go down C's columns where that is asked for. Clocks of a block for each operand that has a table across k, of a
 * turn where k is in segments, or in a table; of each 128 bytes that 32 lanes touch, spread over the multiprocessors;
 * of an element that a thread writes in C's lines, elsewhere, and down its columns; of a sector of C; of a block of
 * matrices whose operands no other tile has, by its part of them (bench/LOG.md, 115); and of an element in C's lines
 * where they are no vectors. */
/* kind, is_exact, takes_tables, lanes, goes_down, table, segment_turn, table_turn, line, written, scattered, down,
 * sector, fresh, alone. Thin rows of floats look up every element's place where there are tables (bench/LOG.md, 139).
 */
K(naive, 1, 0, LAY_CUDA_LANES_ALONG, 0, 0, 13, 35.9, 0.188, 10.1, 27.7, 27.7, 4.05, 27.8, 10.1)
K(naive_f64, 1, 0, LAY_CUDA_LANES_ALONG, 0, 14.9, 14.4, 75, 0.48, 8.78, 75.7, 75.7, 3.18, 30.7, 8.78)
K(tiled, 1, 0, LAY_CUDA_LANES_ALONG, 0, 572, 10.3, 365, 0.308, 9.15, 23.2, 23.2, 1.42, 71.8, 9.15)
K(tiled_f64, 1, 0, LAY_CUDA_LANES_ALONG, 0, 630, 9.97, 54.1, 0.293, 9.71, 28.5, 28.5, 2.18, 22.7, 9.71)
K(parray, 1, 1, LAY_CUDA_LANES_ALONG, 0, 186, 9.91, 31.4, 0.234, 12.6, 27.2, 27.2, 3.5, 54.3, 12.6)
K(parray_f64, 1, 1, LAY_CUDA_LANES_ALONG, 0, 147, 9.98, 30.5, 2.01, 7.49, 260, 260, 2.04, 2300, 7.49)
K(simt, 0, 1, LAY_CUDA_LANES_DOWN, 1, 1880, 197, 308, 1.32, 8.03, 235, 80, 0.95, 1070, 8.03)
K(simt_groups, 0, 1, LAY_CUDA_LANES_DOWN, 1, 1200, 53.4, 136, 1.38, 0, 413, 80, 2.29, 1900, 0)
K(simt90, 0, 1, LAY_CUDA_LANES_EITHER, 1, 7400, 10.1, 38, 1.3, 9.56, 450, 450, 1.47, 101, 9.56)
K(dmma, 0, 1, LAY_CUDA_LANES_ALONG, 1, 473, 8.22, 45.6, 1.85, 12.4, 43.3, 30, 2.31, 391, 12.4)
K(dmma_persistent, 0, 1, LAY_CUDA_LANES_ALONG, 1, 473, 8.22, 45.6, 1.85, 12.4, 600, 300, 2.31, 391, 60)
K(dmma_groups, 0, 1, LAY_CUDA_LANES_ALONG, 1, 190, 47.4, 96.8, 1.66, 12.6, 188, 60, 2.07, 1020, 12.6)
K(dmma_alone, 0, 1, LAY_CUDA_LANES_ALONG, 1, 473, 8.22, 45.6, 1.85, 12.4, 43.3, 30, 0.8, 391, 12.4)
K(thin, 1, 1, LAY_CUDA_LANES_EITHER, 0, 40000, 30, 200, 1.3, 8, 20, 20, 1, 0, 8)
K(thin_walk, 1, 1, LAY_CUDA_LANES_EITHER, 0, 150000, 30, 200, 1.3, 8, 20, 20, 1, 0, 8)
K(thin_f64, 1, 1, LAY_CUDA_LANES_EITHER, 0, 473, 30, 200, 1.3, 8, 20, 20, 1, 0, 150)
K(simt90_numbers, 0, 1, LAY_CUDA_LANES_EITHER, 0, 7400, 800, 4000, 1.3, 9.56, 9.56, 9.56, 1.47, 0, 9.56)
K(simt_numbers, 1, 1, LAY_CUDA_LANES_EITHER, 1, 200, 3000, 3000, 1.3, 9.56, 9.56, 9.56, 1.47, 0, 9.56)
K(dmma_numbers, 0, 1, LAY_CUDA_LANES_ALONG, 0, 473, 8.22, 45.6, 1.85, 12.4, 130, 130, 1.3, 0, 12.4)
K(dmma_numbers_groups, 0, 1, LAY_CUDA_LANES_ALONG, 0, 190, 47.4, 96.8, 1.66, 12.6, 75, 75, 2.07, 0, 12.6)

/* Clocks of a block, and more for each other one that shares its multiprocessor at the time; times the row's own rate;
 * clocks of a turn: for operands that no other tile has fetched, for those in vectors along k, for single elements that
 * lanes fetch across k and along it. Each operand counts by its share of the tile's sides. */
/* row, kind, start, crowd, span, cold, along, across_ones, along_ones */
R("gemm_f32_1x32x1_naive", naive, 485, 107, 1.25, 84, 11.5, 38.6, 74.7)
R("gemm_f32_1x64x1_naive", naive, 979, 42.1, 2.01, 110, 10.5, 41.9, 40.6)
R("gemm_f32_1x128x1_naive", naive, 0, 47.6, 2.66, 89.3, 10, 51.7, 33.9)
R("gemm_f32_1x256x1_naive", naive, 0, 85.9, 1.96, 58.6, 9.93, 39.1, 30.3)
R("gemm_f32_1x512x1_naive", naive, 0, 166, 1.68, 50.1, 9.96, 31.5, 30.4)
R("gemm_f64_1x32x1_naive", naive_f64, 808, 76.8, 1.14, 73.6, 11.1, 31.5, 35.9)
R("gemm_f64_1x64x1_naive", naive_f64, 877, 59.9, 0.776, 101, 10.9, 41.7, 38.3)
R("gemm_f64_1x128x1_naive", naive_f64, 0, 59.5, 0.968, 174, 9.91, 81.9, 40.3)
R("gemm_f64_1x256x1_naive", naive_f64, 0, 96.4, 1.16, 58.5, 9.49, 31.9, 33.5)
R("gemm_f64_1x512x1_naive", naive_f64, 0, 359, 1.09, 45.1, 9.88, 26.2, 32.9)
R("gemm_f32_8x8x8_tiled", tiled, 746, 107, 1.31, 274, 10.4, 82.8, 61.7)
R("gemm_f32_16x16x16_tiled", tiled, 0, 400, 0.877, 73.3, 9.58, 397, 58.8)
R("gemm_f32_32x32x32_tiled", tiled, 2060, 1640, 0.754, 39.4, 10.2, 31.9, 28.1)
R("gemm_f64_8x8x8_tiled", tiled_f64, 881, 74.1, 1.33, 83.5, 10.5, 32.4, 38)
R("gemm_f64_16x16x16_tiled", tiled_f64, 0, 304, 0.793, 52.3, 10.6, 37.1, 25.4)
R("gemm_f64_32x32x32_tiled", tiled_f64, 2160, 1380, 0.67, 41.9, 10.1, 30.3, 29)
R("gemm_f32_16x256x32_parray", parray, 3050, 70.7, 1.15, 55.2, 10.4, 27.7, 31.2)
R("gemm_f64_16x256x32_parray", parray_f64, 2910, 156, 1.36, 48.2, 10, 33.8, 33.4)
R("gemm_f32_128x256x16_simt", simt, 7930, 300, 1.04, 87.7, 14.6, 38.1, 33.5)
R("gemm_f32_128x128x8_simt", simt, 6170, 259, 1.04, 323, 173, 92.6, 42.8)
R("gemm_f32_128x64x8_simt", simt, 3270, 164, 1.04, 30.9, 7.95, 56.4, 35)
R("gemm_f32_64x64x16_simt", simt, 1750, 83.7, 1.04, 136, 11.8, 90.6, 23.8)
R("gemm_f32_64x32x16_simt", simt, 900, 838, 1.04, 55.1, 12.8, 234, 33.5)
R("gemm_f32_64x16x16_simt", simt, 546, 401, 1.04, 718, 14, 473, 159)
R("gemm_f32_32x32x16_simt", simt, 463, 273, 1.6, 206, 213, 153, 122)
R("gemm_f32_192x96x8x2_simt", simt_groups, 5620, 297, 1.15, 141, 8.02, 373, 40.5)
R("gemm_f32_128x64x8x4_simt", simt_groups, 4130, 300, 1.04, 48.1, 10.7, 31.4, 24.1)
R("gemm_f32_96x48x8x8_simt", simt_groups, 10500, 302, 1.3, 69.2, 10.2, 33.1, 31.5)
R("gemm_f32_64x32x8x8_simt", simt_groups, 3380, 322, 1.04, 45.9, 10.6, 29.5, 78.2)
R("gemm_f32_128x64x16x3_simt", simt_groups, 3060, 306, 1.04, 36.7, 6.22, 31.8, 26.5)
R("gemm_f32_64x64x16x2_simt", simt_groups, 1950, 111, 1.04, 276, 8.31, 45.5, 32.1)
R("gemm_f32_64x64x8x4_simt", simt_groups, 2270, 305, 1.04, 29.6, 7.82, 34.7, 16.7)
R("gemm_f32_32x96x8x4_simt", simt_groups, 2610, 303, 1.04, 44.3, 10.5, 32.6, 22.1)
R("gemm_f32_32x64x8x4_simt", simt_groups, 2070, 71.5, 1.04, 53.4, 12.7, 38.6, 19.1)
R("gemm_f32_32x48x8x4_simt", simt_groups, 1910, 0, 1.04, 0, 8.28, 7.68, 6.66)
R("gemm_f32_32x32x8x4_simt", simt_groups, 1500, 776, 1.04, 0, 21.1, 30.8, 1.78)
R("gemm_f32_32x16x8x8_simt", simt_groups, 892, 1870, 1.04, 0, 8.38, 114, 0)
R("gemm_f32_128x256x32_simt90", simt90, 16400, 302, 1.04, 46.9, 9.07, 31.3, 32.2)
R("gemm_f32_256x128x32_simt90", simt90, 12100, 302, 1.04, 46.1, 8.6, 33.5, 32.5)
R("gemm_f64_128x128x16_dmma", dmma, 4770, 308, 1.03, 80.2, 7.66, 113, 450)
R("gemm_f64_128x64x16_dmma", dmma, 6710, 318, 1.03, 38.6, 12.7, 133, 203)
R("gemm_f64_128x128x16p_dmma", dmma_persistent, 4000, 6000, 1.03, 80.2, 7.66, 113, 620)
R("gemm_f64_128x64x16p_dmma", dmma_persistent, 4000, 9000, 0.99, 38.6, 12.7, 133, 300)
R("gemm_f64_64x128x16p_dmma", dmma_persistent, 4300, 9000, 0.985, 38.6, 12.7, 133, 420)
R("gemm_f64_64x64x16_dmma", dmma, 3000, 310, 1.03, 23.7, 259, 315, 563)
R("gemm_f64_64x32x16_dmma", dmma, 2950, 1580, 1.03, 15.5, 80.2, 193, 368)
R("gemm_f64_32x32x16_dmma", dmma, 1750, 1370, 1.03, 17.2, 88.5, 203, 222)
R("gemm_f64_96x48x16x2_dmma", dmma_groups, 4340, 353, 1.03, 0, 2.55, 0, 250)
R("gemm_f64_64x64x16x2_dmma", dmma_groups, 4330, 339, 1.03, 0, 1.28, 0, 600)
R("gemm_f64_64x48x16x2_dmma", dmma_groups, 3490, 318, 1.03, 0, 0.0573, 0, 300)
R("gemm_f64_64x32x16x2_dmma", dmma_groups, 3530, 352, 1.03, 0, 7.21, 226, 440)
R("gemm_f64_48x32x16x4_dmma", dmma_groups, 4410, 434, 1.03, 0, 48, 416, 143)
R("gemm_f64_32x32x16x2_dmma", dmma_groups, 2460, 1860, 1.03, 25.8, 91, 130, 375)
R("gemm_f64_16x32x16x4_dmma", dmma_groups, 2030, 2040, 1.03, 0, 15, 376, 494)
R("gemm_f64_16x16x16x4_dmma", dmma_groups, 1300, 5050, 1.03, 140, 13.6, 337, 100)
/* Set by hand to times of 18 products on an H200 (bench/LOG.md, 125): tiles of few threads, and thin rows. */
R("gemm_f64_32x32x16x4_dmma", dmma_groups, 4000, 400, 1.03, 0, 30, 800, 1000)
R("gemm_f64_128x64x16w4_dmma", dmma_alone, 4800, 300, 1.1, 26.5, 20, 500, 900)
R("gemm_f64_64x64x16w4_dmma", dmma_alone, 3700, 300, 1.1, 22, 20, 550, 1000)
R("gemm_f64_64x32x16w4_dmma", dmma_alone, 3700, 300, 1.05, 14, 30, 450, 700)
R("gemm_f64_512x64x16w4_dmma", dmma_alone, 6000, 300, 1.1, 26.5, 20, 500, 20000)
R("gemm_f64_128x8x32_thin", thin_f64, 2600, 50, 1.1, 0, 0, 100, 100)
R("gemm_f64_64x16x32_thin", thin_f64, 5700, 50, 1.1, 0, 0, 100, 100)
R("gemm_f64_64x16x128_thin", thin_f64, 6000, 50, 1.1, 0, 0, 100, 100)
R("gemm_f64_128x32x32_thin", thin_f64, 10000, 200, 1.1, 0, 0, 100, 100)
R("gemm_f64_128x64x32_thin", thin_f64, 8800, 300, 1.1, 0, 0, 100, 100)
R("gemm_f64_64x64x32_thin", thin_f64, 5850, 300, 1.1, 0, 0, 100, 100)
R("gemm_f32_256x8x32_thin", thin, 5300, 50, 1.1, 0, 0, 200, 200)
R("gemm_f32_128x16x32_thin", thin, 4300, 50, 1.1, 0, 0, 200, 200)
R("gemm_f32_128x8x32_thin", thin, 3000, 50, 1.1, 0, 0, 200, 200)
R("gemm_f32_256x32x32_thin", thin, 15000, 300, 1.1, 0, 0, 300, 300)
R("gemm_f32_768x32x32_thin", thin_walk, 22000, 300, 1.1, 0, 0, 300, 300)
/* The same of real matrices, no operand of which lies in a table: by the times of all rows of 134 products, of what was
 * taken of 57 larger ones, and of two ways each of those of the 688 products above that are such, on an H200
 * (bench/LOG.md, 115). One span for all rows of a type but two: those that are fitted by row are those of middling
 * products, and large ones go to whichever row is lucky. Rows that were not met have none here. */
M("gemm_f32_1x32x1_naive", naive, 485, 107, 1.25, 84, 11.5, 38.6, 74.7)
M("gemm_f32_1x128x1_naive", naive, 89.4, 36.2, 2.66, 84.7, 10, 51.7, 33.9)
M("gemm_f32_1x256x1_naive", naive, 96.3, 74.7, 1.96, 59.7, 9.93, 38, 29.8)
M("gemm_f32_1x512x1_naive", naive, 91.6, 166, 1.68, 47.8, 9.96, 29.8, 30.4)
M("gemm_f64_1x32x1_naive", naive_f64, 679, 58.4, 1.14, 61.7, 11.1, 31.3, 35.9)
M("gemm_f64_1x128x1_naive", naive_f64, 104, 73.5, 0.968, 169, 9.91, 89.2, 40.3)
M("gemm_f64_1x256x1_naive", naive_f64, 99.4, 85.4, 1.16, 55.2, 9.62, 29.7, 33.5)
M("gemm_f32_16x16x16_tiled", tiled, 180, 268, 0.877, 76.6, 9.58, 351, 67.5)
M("gemm_f64_8x8x8_tiled", tiled_f64, 881, 74.1, 1.33, 83.5, 10.5, 32.4, 38)
M("gemm_f64_16x16x16_tiled", tiled_f64, 196, 276, 0.793, 52.3, 10.7, 39.4, 30.7)
M("gemm_f32_16x256x32_parray", parray, 678, 47.5, 1.15, 51.1, 7750, 28.9, 3960)
M("gemm_f64_16x256x32_parray", parray_f64, 867, 126, 1.36, 46.5, 2300, 33.8, 2360)
M("gemm_f32_128x256x16_simt", simt, 5900, 300, 1.04, 767, 16.4, 59, 37.2)
M("gemm_f32_128x128x8_simt", simt, 5440, 240, 1.04, 290, 224, 138, 49.9)
M("gemm_f32_128x64x8_simt", simt, 3450, 144, 1.04, 33.3, 7.83, 59.9, 54.9)
M("gemm_f32_64x64x16_simt", simt, 1340, 80.1, 1.04, 95.9, 11.9, 56.7, 26.1)
M("gemm_f32_64x32x16_simt", simt, 1240, 334, 1.04, 39.9, 18.4, 152, 42)
M("gemm_f32_64x16x16_simt", simt, 990, 195, 1.04, 718, 21.2, 255, 219)
M("gemm_f32_32x32x16_simt", simt, 812, 155, 1.04, 133, 201, 89.1, 225)
M("gemm_f32_192x96x8x2_simt", simt_groups, 4660, 297, 0.992, 443, 7.83, 784, 41.1)
M("gemm_f32_128x64x8x4_simt", simt_groups, 4330, 300, 1.04, 41.5, 10.1, 30, 28.2)
M("gemm_f32_96x48x8x8_simt", simt_groups, 7810, 302, 0.935, 72.8, 10.6, 33.4, 34.4)
M("gemm_f32_64x32x8x8_simt", simt_groups, 3440, 322, 1.04, 39.4, 10.3, 27.5, 104)
M("gemm_f32_128x64x16x3_simt", simt_groups, 3110, 306, 1.04, 30.1, 5.81, 28.1, 25.6)
M("gemm_f32_64x64x16x2_simt", simt_groups, 1090, 93.1, 1.04, 143, 7.83, 35.4, 27.3)
M("gemm_f32_64x64x8x4_simt", simt_groups, 2180, 305, 1.04, 23.1, 6.98, 27.5, 23.2)
M("gemm_f32_32x96x8x4_simt", simt_groups, 3240, 303, 1.04, 38.4, 10.6, 22.1, 27.9)
M("gemm_f32_32x64x8x4_simt", simt_groups, 1920, 70.3, 1.04, 38.2, 11.4, 26.2, 24.1)
M("gemm_f32_32x48x8x4_simt", simt_groups, 2310, 29.8, 1.04, 10.2, 8.01, 32.4, 34.9)
M("gemm_f32_32x32x8x4_simt", simt_groups, 1300, 496, 1.04, 8.98, 14.1, 26.3, 23.5)
M("gemm_f32_32x16x8x8_simt", simt_groups, 1530, 1780, 1.04, 10.1, 9, 74.8, 28.2)
M("gemm_f32_128x256x32_simt90", simt90, 15800, 302, 1.04, 48.8, 8.59, 42.6, 37.1)
M("gemm_f32_256x128x32_simt90", simt90, 17500, 302, 1.04, 48, 8.46, 39.2, 37.4)
M("gemm_f64_128x128x16_dmma", dmma, 4540, 308, 1.03, 60.1, 7.4, 81.1, 498)
M("gemm_f64_128x64x16_dmma", dmma, 4880, 318, 1.03, 26.5, 10.5, 207, 209)
M("gemm_f64_64x64x16_dmma", dmma, 2940, 652, 1.03, 22, 48.6, 141, 348)
M("gemm_f64_64x32x16_dmma", dmma, 1800, 1750, 1.03, 14, 40.7, 254, 531)
M("gemm_f64_32x32x16_dmma", dmma, 1930, 773, 1.03, 9.57, 25.2, 161, 276)
M("gemm_f64_96x48x16x2_dmma", dmma_groups, 4150, 353, 1.03, 8.95, 2.55, 666, 269)
M("gemm_f64_64x64x16x2_dmma", dmma_groups, 3740, 339, 1.03, 9.1, 1.26, 47.4, 935)
M("gemm_f64_64x48x16x2_dmma", dmma_groups, 3930, 318, 1.03, 8.69, 0.983, 191, 384)
M("gemm_f64_64x32x16x2_dmma", dmma_groups, 3960, 352, 1.03, 9.29, 9.81, 434, 1090)
M("gemm_f64_48x32x16x4_dmma", dmma_groups, 4410, 434, 1.03, 9.53, 68.6, 593, 861)
M("gemm_f64_32x32x16x2_dmma", dmma_groups, 1860, 2300, 1.03, 24.2, 61.5, 375, 600)
M("gemm_f64_32x32x16x4_dmma", dmma_groups, 4000, 400, 1.03, 9.4, 30, 800, 1050)
M("gemm_f64_16x32x16x4_dmma", dmma_groups, 2060, 1250, 1.03, 10.4, 15, 480, 1540)
M("gemm_f64_16x16x16x4_dmma", dmma_groups, 1480, 4760, 1.03, 156, 16.8, 326, 420)
/* Persistent rows: a tile's start is its C, which costs more where it is no vectors, and what is named crowd is what
 * handing sums over takes, once a launch. Set by hand to times of 50 products on an H200 (bench/LOG.md, 168): squares
 * up to 2700 in vectors are told 0.97 to 1.03 of what they took. */
M("gemm_f64_128x128x16p_dmma", dmma_persistent, 4000, 6000, 1.03, 60.1, 7.4, 81.1, 620)
M("gemm_f64_128x64x16p_dmma", dmma_persistent, 4000, 9000, 0.99, 26.5, 10.5, 207, 300)
M("gemm_f64_64x128x16p_dmma", dmma_persistent, 4300, 9000, 0.985, 26.5, 10.5, 207, 420)
/* Set by hand to times of ten products on an H200 (bench/LOG.md, 151). */
M("gemm_f64_64x64x16w4_dmma", dmma_alone, 5000, 300, 1.1, 22, 20, 550, 1000)
M("gemm_f64_512x64x16w4_dmma", dmma_alone, 12300, 300, 1.06, 6800, 20, 2500, 20000)
M("gemm_f64_64x64x32_thin", thin_f64, 4900, 300, 0.65, 0, 0, 4500, 4500)
/* Complex rows (bench/LOG.md, 58): starts are the real rows' of the same tile. Spans, and clocks of a turn for a left
 * operand that is not contiguous along k (across_ones) and for a right one that is not across (along_ones), are set to
 * times of 30 products on an H200, as are elements of C that are scattered above. Those met 128x128x16, 96x48x16x2 and
 * 64x64x16x2 of c64, 128x256x32, 128x128x32x2 and 64x64x32x4 of c32: other rows have what their neighbours have. Of c32
 * what a right operand along k costs is from an H100 (96). Of c64 numbers that lie side by side either way cost the
 * same since then, and a number of C down its columns 130 clocks, of groups 75 (106); what lies neither way has the
 * cost that columns had. 128x128x16 has the span of its real row, as both were equally fast. */
R("gemm_c64_128x128x16_dmma", dmma_numbers, 4770, 308, 0.95, 80.2, 0, 600, 60)
R("gemm_c64_128x64x16_dmma", dmma_numbers, 12000, 318, 0.96, 38.6, 0, 1650, 60)
R("gemm_c64_64x64x16_dmma", dmma_numbers, 3000, 310, 0.92, 23.7, 0, 1650, 60)
R("gemm_c64_64x32x16_dmma", dmma_numbers, 2950, 1580, 1.03, 15.5, 0, 1650, 60)
R("gemm_c64_32x32x16_dmma", dmma_numbers, 1750, 1370, 1.03, 17.2, 0, 1650, 60)
R("gemm_c64_96x48x16x2_dmma", dmma_numbers_groups, 4340, 353, 1.03, 0, 0, 1650, 60)
R("gemm_c64_64x64x16x2_dmma", dmma_numbers_groups, 4330, 339, 1.03, 0, 0, 1650, 60)
R("gemm_c64_64x48x16x2_dmma", dmma_numbers_groups, 3490, 318, 1.03, 0, 0, 1650, 60)
R("gemm_c64_64x32x16x2_dmma", dmma_numbers_groups, 3530, 352, 1.03, 0, 0, 1650, 60)
R("gemm_c64_32x64x16x4_dmma", dmma_numbers_groups, 4500, 400, 1.03, 0, 0, 1650, 60)
R("gemm_c64_48x32x16x4_dmma", dmma_numbers_groups, 4410, 434, 1.03, 0, 0, 1650, 60)
R("gemm_c64_32x32x16x2_dmma", dmma_numbers_groups, 2460, 1860, 1.03, 25.8, 0, 1650, 60)
R("gemm_c64_16x32x16x4_dmma", dmma_numbers_groups, 2030, 2040, 1.03, 0, 0, 1650, 60)
R("gemm_c64_16x16x16x4_dmma", dmma_numbers_groups, 1300, 5050, 1.03, 140, 0, 1650, 60)
R("gemm_c32_128x256x32_simt90", simt90_numbers, 14500, 302, 1, 46.9, 0, 1480, 1160)
R("gemm_c32_128x128x32x2_simt90", simt90_numbers, 8000, 302, 1.05, 46.9, 0, 1300, 1200)
R("gemm_c32_128x128x32_simt90", simt90_numbers, 8000, 302, 1.3, 46.9, 0, 1500, 1200)
R("gemm_c32_64x64x32x4_simt90", simt90_numbers, 6500, 302, 1.53, 46.9, 0, 1000, 600)
/* Set by hand to times of five squares and eighteen contractions on an H100 (bench/LOG.md, 133). */
R("gemm_c32_64x128x16x2_simt", simt_numbers, 12000, 300, 1.09, 10, 5, 10, 30)
R("gemm_c32_64x128x16_simt", simt_numbers, 9000, 300, 1.08, 1500, 5, 10, 30)
R("gemm_c32_64x64x16x4_simt", simt_numbers, 9500, 300, 1.1, 10, 5, 10, 30)
R("gemm_c32_32x64x16x4_simt", simt_numbers, 3500, 300, 1.24, 10, 5, 10, 30)
R("gemm_c32_128x48x16_simt", simt_numbers, 6500, 300, 1.1, 2000, 5, 10, 30)
R("gemm_c32_64x96x16_simt", simt_numbers, 8000, 300, 1.12, 1500, 5, 10, 30)

/* Clocks of a line that a batch's lanes touch besides whole ones (bench/LOG.md, 107: 1.4 from the second cache and up
 * to 5 from memory, on an H200). */
D(batch_line, 3, 3)
/* Clocks of an element that is fetched two bytes at a time (bench/LOG.md, 145: 3.3 on an H200). */
D(batch_short, 3, 3)
/* Clocks of a line of a box that begins anywhere in a sector of 32 bytes (by the order of rows at 200, 16 products, of
 * bfloat16: bench/LOG.md, 132). */
D(batch_torn, 0.25, 0.25)
/* Of the shorter of what its blocks and the memory take, a batch's share beside the longer: among rows that memory
 * bounds the quickest is best (bench/LOG.md, 132). */
D(batch_beside, 0.02, 0.02)

/* Batches as one launch (bench/LOG.md, 96: fitted to times on an H100, first to all of them, then to regret; boxed rows
 * of f32 and all of f64 on an H200, 106; pairs, blocks, cores, 96 x 64, eight groups by hand on an H100, 132; sliced
 * and early rows by hand on an H200, 142, 151): clocks that a tile takes of a multiprocessor besides its steps; flops a
 * clock in the long run; clocks until a tile is there where no other is at work, and each of its turns. FP16 has
 * BF16's. */
/* row, start, rate, wait, turn */
B("batch_f32_16x16", 72.4, 39.7, 0, 1410)
B("batch_f32_32x32", 101, 81.7, 0, 2930)
B("batch_f32_48x48", 3.4, 73.9, 0, 3030)
B("batch_f32_64x64", 688, 111, 0, 3330)
B("batch_f32_56x64", 243, 104, 0, 3050)
B("batch_f32_128x64", 0, 106, 2000, 247)
B("batch_f64_16x16", 354, 233, 0, 2160)
B("batch_f64_32x32", 161, 71.2, 17.8, 2620)
B("batch_f64_48x48", 0, 62.9, 0.51, 2940)
B("batch_f64_64x64", 3, 74, 0, 2880)
B("batch_f64_64x56", 137, 72.2, 0, 2700)
B("batch_f16_64x32", 121, 259, 4.66, 1410)
B("batch_f16_64x64", 177, 487, 0, 2830)
B("batch_f16_128x128", 665, 829, 0, 3800)
B("batch_f16_128x256", 2630, 1080, 1230, 151)
B("batch_bf16_64x32", 121, 259, 4.66, 1410)
B("batch_bf16_64x64", 177, 487, 0, 2830)
B("batch_bf16_128x128", 665, 829, 0, 3800)
B("batch_bf16_128x256", 2630, 1080, 1230, 151)
/* Those whose operands come in boxes. */
B("batch_f32_112x64_boxes", 2440, 155, 302, 4970)
B("batch_f32_128x128w4_boxes", 8390, 162, 2000, 2340)
B("batch_f32_112x128_boxes", 5830, 156, 30, 362)
B("batch_f32_128x64_boxes", 2910, 160, 2630, 5300)
B("batch_f32_16x16_boxes", 126, 56.7, 260, 1700)
B("batch_f32_16x16_groups", 196, 51.7, 909, 505)
B("batch_f32_32x32_boxes", 362, 110, 0, 2700)
B("batch_f32_32x32_groups", 983, 199, 786, 1140)
B("batch_f32_32x32g8_groups", 983, 199, 786, 1000)
B("batch_f32_32x32w4_boxes", 268, 107, 0, 2000)
B("batch_f32_64x64_groups", 2030, 135, 1240, 2110)
B("batch_f32_64x64w16_boxes", 499, 117, 9.7, 1990)
B("batch_f32_16x16_fed", 78.5, 45.6, 827, 569)
B("batch_f32_48x48_fed", 504, 114, 1450, 0)
B("batch_f32_64x64_fed", 1370, 160, 0, 2500)
B("batch_f32_112x64_fed", 962, 136, 1670, 3240)
B("batch_f32_64x64_sliced", 1018, 170, 900, 2400)
B("batch_f32_64x64_early", 1018, 168, 900, 2420)
B("batch_f32_112x64_sliced", 1100, 172, 50, 2550)
B("batch_f32_224x32_sliced", 1040, 174, 50, 2580)
B("batch_f32_32x32g8_ordered", 983, 220, 786, 900)
B("batch_f32_64x64g2_ordered", 2030, 158, 1240, 1850)
B("batch_f64_16x16_boxes", 294, 121, 577, 1120)
B("batch_f64_16x16_groups", 318, 61.4, 796, 563)
B("batch_f64_32x32_boxes", 623, 116, 768, 1210)
B("batch_f64_32x32_groups", 1130, 57.6, 213, 114)
B("batch_f64_64x32_groups", 1390, 72.3, 25.1, 149)
B("batch_f64_64x64_boxes", 1210, 155, 234, 1510)
B("batch_f64_48x48_fed", 737, 152, 547, 936)
B("batch_f64_64x64_fed", 1800, 155, 136, 324)
B("batch_f64_96x64_fed", 2000, 1680, 3600, 900)
B("batch_f64_128x64_fed", 2000, 1680, 4230, 1160)
B("batch_f64_128x64w16_fed", 2720, 189, 0, 3)
B("batch_f16_128x128_boxes", 1990, 1730, 0, 782)
B("batch_f16_128x128_tiles", 1330, 1250, 57.5, 2160)
B("batch_f16_128x256_boxes", 5050, 2050, 0, 132)
B("batch_f16_128x192_boxes", 2870, 1910, 0, 1250)
B("batch_f16_64x256_boxes", 1210, 1250, 2680, 505)
B("batch_f16_64x32_boxes", 174, 459, 775, 1110)
B("batch_f16_64x32_tiles", 0, 409, 405, 1460)
B("batch_f16_64x64_boxes", 420, 901, 1340, 0)
B("batch_f16_64x64_tiles", 0, 524, 831, 40.7)
B("batch_f16_128x64_pair", 600, 2000, 4700, 150)
B("batch_f16_64x128_pair", 600, 2000, 4500, 150)
B("batch_f16_192x128_pair", 1000, 3000, 5600, 150)
B("batch_f16_128x200_pair", 1200, 3000, 5400, 150)
B("batch_f16_128x256_pair", 1500, 3400, 4600, 100)
B("batch_f16_128x64_pair_blocks", 500, 1500, 4500, 300)
B("batch_f16_64x128_pair_blocks", 600, 1500, 4500, 300)
B("batch_f16_192x128_pair_blocks", 1500, 2600, 4300, 300)
B("batch_f16_128x256_pair_blocks", 2000, 2600, 4300, 300)
B("batch_f16_64x32_cores", 60, 600, 250, 700)
B("batch_f16_128x64_pair_cores", 600, 2000, 2000, 150)
B("batch_f16_128x200_pair_cores", 1500, 3000, 2000, 150)
B("batch_bf16_128x128_boxes", 1990, 1730, 0, 782)
B("batch_bf16_128x128_tiles", 1330, 1250, 57.5, 2160)
B("batch_bf16_128x256_boxes", 5050, 2050, 0, 132)
B("batch_bf16_128x192_boxes", 2870, 1910, 0, 1250)
B("batch_bf16_64x256_boxes", 1210, 1250, 2680, 505)
B("batch_bf16_64x32_boxes", 174, 459, 775, 1110)
B("batch_bf16_64x32_tiles", 0, 409, 405, 1460)
B("batch_bf16_64x64_boxes", 420, 901, 1340, 0)
B("batch_bf16_64x64_tiles", 0, 524, 831, 40.7)
B("batch_bf16_128x64_pair", 600, 2000, 4700, 150)
B("batch_bf16_64x128_pair", 600, 2000, 4500, 150)
B("batch_bf16_192x128_pair", 1000, 3000, 5600, 150)
B("batch_bf16_128x200_pair", 1200, 3000, 5400, 150)
B("batch_bf16_128x256_pair", 1500, 3400, 4600, 100)
B("batch_bf16_128x64_pair_blocks", 500, 1500, 4500, 300)
B("batch_bf16_64x128_pair_blocks", 600, 1500, 4500, 300)
B("batch_bf16_192x128_pair_blocks", 1500, 2600, 4300, 300)
B("batch_bf16_128x256_pair_blocks", 2000, 2600, 4300, 300)
B("batch_bf16_64x32_cores", 60, 600, 250, 700)
B("batch_bf16_128x64_pair_cores", 600, 2000, 2000, 150)
B("batch_bf16_128x200_pair_cores", 1500, 3000, 2000, 150)
