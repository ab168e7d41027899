/* The rates: a line each, with the least and the most that a file may say, and a column for each kind of machine. Who
 * includes this defines R.
 *
 * Sources (bench/LOG.md, 43): zen5 and spr (Sapphire and Emerald Rapids) are fitted to times of every way of 1440
 * products on such a machine, by bench/model; zen4 to those of 770 (section 57), where line_l2 to pages_known, run_near
 * and staged_offsets come from, the other columns' by the clock, not measured; avx2 and c to those of 720 on a Zen 5
 * held to that level, in ns times 1.2. zen3 is avx2 with the clock and the caches of sections 32, 33 and 36, not
 * measured as a whole; avx512 is spr. Limits of threads: section 40. `lay rates` finds a machine's own. */
/*                 least,  most,   zen3,   zen4,   zen5,    spr, avx512,   avx2,      c */
/* A core: GHz under load (0: as the system says); flops of f32 a cycle at most (a kernel has that or its own, f64 half
 * of it); cycles that a step of a tile takes at least, and of one with registers of whole lines; how many times as long
 * two rows take with such registers; loads of vectors a cycle. */
R(clock, 0, 20, 3.6, 3.9, 4.46, 3, 0, 0, 0)
R(flops, 1, 4096, 23.7, 32, 58.9, 54.5, 54.5, 23.7, 16)
R(latency, 1, 100, 3.75, 3.3, 3.75, 2.36, 2.36, 3.75, 3.75)
R(latency_wide, 1, 100, 2.04, 2.244, 2.04, 2.22, 2.22, 2.04, 2.04)
R(two_rows, 0.5, 4, 1.6, 2.245, 1.36, 1.36, 1.36, 1.6, 1.6)
R(loads, 0.1, 16, 1.26, 1.545, 1.7, 1.7, 1.7, 1.26, 1.7)

/* ns, packed: a register that is copied (zen4: section 73, spr: 104; the others' from what an element of a full one
 * took); an element, by each other kind (of several blocks of k at once, and times as long where fewer steps lie side
 * by side than a register has: zen4 section 116, the others' as by digits; of pairs, as parts of complex numbers are:
 * spr section 99, the others' as gathered). Then times as long: an f64; of what fills up the last panel, the share that
 * counts. */
R(pack_copied, 1e-3, 1e3, 1.7, 3.5, 2.1, 3, 3, 1.7, 0.86)
R(pack_transposed, 1e-3, 1e3, 0.213, 0.1978, 0.151, 0.273, 0.273, 0.213, 0.158)
R(pack_pieces, 1e-3, 1e3, 0.17, 0.1569, 0.141, 0.171, 0.171, 0.17, 0.144)
R(pack_digits, 1e-3, 1e3, 0.302, 0.3468, 0.251, 0.181, 0.181, 0.302, 0.223)
R(pack_joined, 1e-3, 1e3, 0.302, 0.13, 0.251, 0.181, 0.181, 0.302, 0.223)
R(pack_masked, 1, 10, 2, 2, 2, 2, 2, 2, 1)
R(pack_pairs, 1e-3, 1e3, 0.329, 0.2804, 0.274, 0.2, 0.2, 0.329, 0.444)
R(pack_gathered, 1e-3, 1e3, 0.329, 0.2804, 0.274, 0.305, 0.305, 0.329, 0.444)
R(pack_wide, 0.5, 4, 1.04, 1.362, 1.04, 1.4, 1.4, 1.04, 1.04)
R(pack_padding, 0, 1, 0.252, 0.1371, 0.187, 0.252, 0.252, 0.252, 0.252)
/* ns an element: transposed in registers and used at once; C written where it lies, or through a buffer, and more for
 * finding where, which what reads in place does for each tile; sums that a sweep fetches and puts back; more for C
 * whose line is gone from the second cache before it is full. */
R(transposed_in, 1e-3, 1e3, 0.092, 0.12, 0.103, 0.152, 0.152, 0.092, 0.124)
R(written, 1e-3, 1e3, 0.0139, 0.01124, 0.0086, 0.027, 0.027, 0.0139, 0.0463)
R(staged, 1e-3, 1e3, 0.367, 0.6, 0.305, 0.458, 0.458, 0.367, 0.495)
R(staged_offsets, 0, 1e3, 0.32, 0.36, 0.26, 0.39, 0.39, 0.32, 0.32)
R(reread, 0, 1e3, 0.696, 0.15, 0.58, 0.8, 0.8, 0.696, 0.696)
R(missed, 0, 1e3, 4.44, 1.442, 1.5, 2.84, 2.84, 4.44, 4.44)

/* ns: each tile's own, of packed panels, in place, where one function does all (zen4: section 72, nothing but its
 * registers), transposed in registers; a register of C that such a function writes; a row of which only a part of a
 * register is C, and where that is less than one without masks of its own (zen4: sections 53 and 72); a segment of
 * steps between seams. */
R(tile_packed, 0, 1e4, 21.5, 22, 13.3, 22.9, 22.9, 21.5, 15.9)
R(tile_in_place, 0, 1e4, 14, 16.2, 11.7, 17.6, 17.6, 14, 16.5)
R(tile_whole, 0, 1e4, 0.678, 0, 0.418, 2.13, 2.13, 0.678, 2.25)
R(row_masked, 0, 1e4, 0.72, 0.4647, 0.37, 0.518, 0.518, 0.72, 0.72)
R(register_written, 0, 1e4, 0.28, 0.28, 0.28, 0.28, 0.28, 0.28, 0)
R(row_masked_narrow, 0, 1e4, 0.72, 1.2, 0.37, 0.518, 0.518, 0.72, 0.72)
R(tile_dotted, 0, 1e4, 4.14, 5.4, 3.45, 6.98, 6.98, 4.14, 3.52)
R(segment, 0, 1e4, 3.24, 2.583, 2.7, 4.75, 4.75, 3.24, 5.9)
/* ns: a line in another page than the one before; more where those are more pages than are near: of right; and of left
 * and C, through which the next panel of columns leads again (spr section 108, zen4 section 112, by operands that lie
 * 16 bytes behind a line, as malloc leaves them). */
R(line_far, 0, 1e4, 0.415, 0.2308, 0.397, 0.7, 0.7, 0.415, 0.488)
R(page_far, 0, 1e4, 1, 5.387, 0.5, 30, 30, 1, 1)
R(page_second, 0, 1e4, 0, 2.5, 0, 1.5, 1.5, 0, 0)
/* ns: a step of a tile whose registers of right, read in place, lie across lines, as those do behind the 16 bytes that
 * malloc keeps for itself, where the steps are pages apart (zen4: section 112, the others not measured). */
R(line_crossed, 0, 1e4, 0, 0.8, 0, 0, 0, 0, 0)
/* ns: a line that no prefetcher saw coming, from the second cache, the third and memory; a page whose address is none
 * of so many that the core knows (lib/machine/visits.h); one of those that each element of a product lies in, in a
 * batch whose index lies innermost (section 119: zen4). Lines of each of several rows in memory, read side by side in
 * place, that come before a prefetcher follows it (section 114; zen4 measured, elsewhere none are counted). */
R(line_l2, 0, 1e4, 0.57, 0.528, 0.46, 0.7, 0.7, 0.57, 0.57)
R(line_l3, 0, 1e4, 2.9, 2.425, 2.3, 5, 5, 2.9, 2.9)
R(line_memory, 0, 1e4, 11.8, 10.91, 10.9, 15, 15, 11.8, 11.8)
R(page_found, 0, 1e4, 6, 6, 6, 6, 6, 6, 6)
R(page_scattered, 0, 1e4, 1, 1, 1, 1, 1, 1, 1)
R(pages_known, 1, 1e6, 2048, 3072, 4096, 2048, 2048, 2048, 2048)
R(lines_begun, 0, 1e4, 0, 2.5, 0, 0, 0, 0, 0)
/* ns: where a run begins that no other one goes on, and what share of it where the third cache has it; what each
 * product has of its own, by ways (whole: zen4, section 72; the others' by their call_in_place); a join of threads that
 * spin, and of threads that slept; an address that is sorted and looked for among a thousand (sections 53, 83). */
R(run_far, 0, 1e4, 66.2, 38.43, 55.2, 77.2, 77.2, 66.2, 66.2)
R(run_near, 0, 10, 1, 0.25, 1, 1, 1, 1, 1)
R(call_whole, 0, 1e6, 5.5, 7, 4.6, 8.8, 8.8, 5.5, 6.5)
R(call_packed, 0, 1e6, 130, 125, 108, 207, 207, 130, 176)
R(call_in_place, 0, 1e6, 51.4, 65.08, 42.8, 82.1, 82.1, 51.4, 60.4)
R(call_swept, 0, 1e6, 48.6, 64.3, 55.9, 60.8, 60.8, 48.6, 26.7)
R(call_vector, 0, 1e6, 36, 50.09, 30, 45, 45, 36, 36)
R(join, 0, 1e6, 600, 600, 600, 600, 600, 600, 600)
R(wake, 0, 1e6, 5000, 5000, 5000, 5000, 5000, 5000, 5000)
R(address, 0, 1e6, 150, 150, 150, 90, 150, 150, 150)
/* A matrix times a vector. Cycles for each line of bytes, with registers of whole lines or less; then times as long:
 * packed first, and that with wide registers; few lines with wide registers; lines across; in panels. */
R(line_wide, 0.1, 100, 2.6, 2.836, 2.6, 3.07, 3.07, 2.6, 2.6)
R(line_narrow, 0.1, 100, 4.37, 3.24, 3.24, 3.38, 3.38, 4.37, 5.91)
R(vector_packed, 0.1, 100, 4.7, 4.8, 4, 6.34, 6.34, 4.7, 4.7)
R(packed_wide, 0.5, 4, 0.889, 0.889, 0.889, 0.817, 0.817, 0.889, 0.889)
R(few_wide, 0.5, 4, 1.41, 1.551, 1.41, 1.41, 1.41, 1.41, 1.41)
R(vector_across, 0.1, 100, 1.1, 0.936, 0.936, 1.1, 1.1, 1.1, 2.71)
R(vector_panels, 0.1, 100, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5)

/* Products in lanes (section 53). ns: of a register's tile, and of each of its registers that is written; of a register
 * that is brought together; that is read where it lies, and more where those lie across two lines each (these two zen4
 * section 116, the second elsewhere not measured); a line between those of other products where the first cache
 * has no room for so many; a register whose page is far; an element that is moved by itself. zen4 measured, the others
 * scaled. Bytes of a step's numbers up to which prefetchers follow from one to the next; share of the third cache in
 * which a batch's numbers are found again (section 116, zen4 measured). */
R(lanes_tile, 0, 1e4, 13, 12, 10, 13, 13, 13, 20)
R(lanes_written, 0, 1e4, 0.4, 0.6, 0.3, 0.5, 0.5, 0.4, 0.5)
R(lanes_copied, 0, 1e4, 0.9, 1.25, 0.9, 1.25, 1.25, 0.9, 0.9)
R(lanes_apart, 0, 1e4, 0.15, 0.08, 0.12, 0.15, 0.15, 0.15, 0.15)
R(lanes_split, 0, 1e4, 0, 0.09, 0, 0, 0, 0, 0)
R(lanes_missed, 0, 1e4, 3, 3, 2.5, 3, 3, 3, 3)
R(lanes_moved, 0, 1e4, 0.6, 0.6, 0.5, 0.6, 0.6, 0.6, 0.6)
R(lanes_far, 0, 1e4, 13, 13, 11, 13, 13, 13, 13)
R(lanes_followed, 0, 1e6, 480, 480, 480, 480, 480, 480, 480)
R(lanes_kept, 0, 1, 0.33, 0.33, 0.33, 0.33, 0.33, 0.33, 0.33)
/* The same, of lines that meet in sets (section 120; zen4 fitted, the others have its values, not measured). ns of a
 * register that is read where it lies, where all lines of a tile lie in one set of the first cache: in s sets s^-1.5 of
 * it; of a line of C that leaves the second cache half written; and of one that goes through a buffer. Second caches up
 * to which a batch's lines of C are written whole before they leave. */
R(lanes_met, 0, 1e4, 5, 5, 5, 5, 5, 5, 5)
R(lanes_left, 0, 1e4, 4, 4, 4, 4, 4, 4, 4)
R(lanes_put, 0, 1e4, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5)
R(lanes_near, 0, 1e4, 4, 4, 4, 4, 4, 4, 4)
/* What a step of a tile moves beside it, in parts of four registers, at most: beyond, most of it is moved apart all the
 * same, and chunks of both take each other's room (section 146; zen4 measured, the others have its value). */
R(lanes_beside, 0, 1e3, 1.6, 1.6, 1.6, 1.6, 1.6, 1.6, 1.6)
/* Batches in chunks (section 93): ns a byte that is transposed, from where its products lie side by side or back (spr
 * measured, the others scaled); the share of the second cache that a chunk's images have, and how many products it has
 * at most; flops of a product from which on copies may be worth it. */
R(chunk_turned, 1e-4, 1e3, 0.05, 0.035, 0.03, 0.035, 0.035, 0.05, 0.15)
R(chunk_share, 0.01, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)
R(chunk_most, 1, 1e6, 64, 64, 64, 64, 64, 64, 64)
R(chunk_flops, 0, 1e12, 16384, 16384, 16384, 16384, 16384, 16384, 16384)

/* Products of 16-bit types, the same for all kinds of machine, set by hand on zen5 (a matrix times a vector: section
 * 41). ns: to widen or round an element, a line of them, a product that goes in pieces; a product with a vector. Bytes
 * of its matrix that another thread is worth; GB/s that a thread reads of it; times as long where its lines are widened
 * first. */
R(widen_element, 0, 1e3, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2)
R(widen_line, 0, 1e4, 6, 6, 6, 6, 6, 6, 6)
R(call_widened, 0, 1e6, 100, 100, 100, 100, 100, 100, 100)
R(call_half_vector, 0, 1e6, 100, 100, 100, 100, 100, 100, 100)
R(half_bytes_per_thread, 1, 1e12, 2.5e5, 2.5e5, 2.5e5, 2.5e5, 2.5e5, 2.5e5, 2.5e5)
R(half_read, 0.01, 1e5, 15, 15, 15, 15, 15, 15, 15)
R(half_widened, 0.1, 100, 4, 4, 4, 4, 4, 4, 4)
/* f32 by limbs, the same for all kinds of machine (section 16: Sapphire Rapids, AMX). ns: an element that is cut in
 * limbs, as it lies or transposed in registers, in short pieces, gathered; an element of C, where it lies or through a
 * buffer; a product. Flops that another thread is worth: less is done before it has woken up. */
R(limbs_near, 1e-3, 1e3, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2)
R(limbs_pieces, 1e-3, 1e3, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8)
R(limbs_gathered, 1e-3, 1e3, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5)
R(limbs_written, 1e-3, 1e3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1)
R(limbs_staged, 1e-3, 1e3, 3, 3, 3, 3, 3, 3, 3)
R(call_limbs, 0, 1e6, 2000, 2000, 2000, 2000, 2000, 2000, 2000)
R(limbs_flops_per_thread, 1, 1e12, 8e6, 8e6, 8e6, 8e6, 8e6, 8e6, 8e6)
/* Expanded images of complex operands, the same for all kinds of machine (section 48: zen5; what threads read of each
 * other's caches, 105: spr). ns: of an image; of a byte, where the second caches have room for it and elsewhere; of one
 * that several threads read. Bytes of it that another thread is worth. */
R(call_expanded, 0, 1e6, 30, 30, 30, 30, 30, 30, 30)
R(expand_near, 1e-4, 1e3, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01)
R(expand_byte, 1e-4, 1e3, 0.03, 0.03, 0.03, 0.03, 0.03, 0.03, 0.03)
R(expand_shared, 0, 1e3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1)
R(expand_bytes_per_thread, 1, 1e12, 262144, 262144, 262144, 262144, 262144, 262144, 262144)

/* Copies of operands. ns: of a task, of a segment that a call copies, of one that is a move, of an element by itself;
 * of an element that is not plainly copied, besides the copy (section 47: zen5). ns a byte: in segments, in transposed
 * blocks. How much dearer elements of one row are where they are not written side by side (section 159: zen4). */
R(copy_task, 0, 1e4, 45, 81.82, 34.6, 52, 52, 45, 45)
R(copy_segment, 0, 1e4, 2.6, 2.024, 2, 3, 3, 2.6, 2.6)
R(copy_moved, 0, 1e4, 0.61, 0.675, 0.467, 0.7, 0.7, 0.61, 0.61)
R(copy_single, 0, 1e3, 0.45, 0.528, 0.347, 0.52, 0.52, 0.45, 0.45)
R(copy_changed, 0, 1e3, 0.15, 0.15, 0.15, 0.15, 0.15, 0.15, 0.15)
R(copy_byte, 1e-4, 1e3, 0.024, 0.018, 0.013, 0.024, 0.024, 0.024, 0.024)
R(copy_turned, 1e-4, 1e3, 0.065, 0.058, 0.05, 0.075, 0.075, 0.065, 0.065)
R(copy_apart, 1, 1e3, 2, 2, 2, 2, 2, 2, 2)
/* Images of operands that are read or written well as they lie (section 137; zen4 measured, elsewhere plans stay): ns
 * that a product takes without them from which on they are tried, for of shorter ones planning takes too long; and the
 * share of the soonest time that they have to be done in. */
R(image_sets, 0, 1e15, 1e15, 1e4, 1e15, 1e15, 1e15, 1e15, 1e15)
R(image_others, 0.01, 1, 0.96, 0.96, 0.96, 0.96, 0.96, 0.96, 0.96)
/* Endings (section 95). ns of 4 bytes of a sum: of each of its steps, and of a GELU; the reading and writing comes on
 * top. Set by hand on spr, guessed elsewhere. */
R(end_element, 0, 1e3, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.2)
R(end_gelu, 0, 1e3, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 4)
/* ns a byte of a workspace too large to be kept from run to run, whose pages are mapped and cleared anew (section 67):
 * zen4 measured with huge pages that lie ready, 0.22 to 0.24; 2.2 to 6.5 where the system has to make room for them
 * first, 1.2 with small pages. The others are not measured. */
R(fresh_byte, 0, 1e3, 0.23, 0.23, 0.23, 0.23, 0.23, 0.23, 0.23)

/* GB/s: what a core reads, and all cores together from memory. Then times C's bytes: moved in all, and where tiles
 * follow each other across its lines. zen4's from_l3 is of a cache that neighbours use, too (section 69). */
R(from_l2, 0.01, 1e5, 80, 100, 185, 93.6, 93.6, 80, 80)
R(from_l3, 0.01, 1e5, 35, 40, 67.6, 37.2, 37.2, 35, 30)
R(from_memory, 0.01, 1e5, 25, 18.55, 17, 12, 12, 20, 14.8)
R(memory_all, 0.01, 1e6, 40, 19.8, 19.8, 150, 60, 40, 19.8)
R(c_moves, 0.1, 4, 0.415, 0.5188, 0.415, 0.561, 0.561, 0.415, 0.659)
R(c_broken, 1, 8, 1.36, 1.044, 1.01, 1.36, 1.36, 1.36, 2.48)

/* Of the shorter of computing and reading, what is hidden behind the longer, and of packing and reading; times as long
 * as one thread's share: packed by several; of a cache, what is found again there. */
R(overlap, 0, 1, 0.8, 0.8, 0.8, 0.593, 0.593, 0.8, 0.8)
R(pack_overlap, 0, 1, 0.5, 0.5501, 0.5, 0.5, 0.5, 0.5, 0.5)
R(packed_shared, 1, 4, 1.12, 1.12, 1.12, 1.12, 1.12, 1.12, 1.12)
R(near_share, 0.01, 1, 0.699, 0.699, 0.699, 0.699, 0.699, 0.699, 0.944)

/* Of rows that threads read from the third cache at the same time, the share that multiplying hides as it does one
 * thread's (section 157; zen4 measured, elsewhere plans stay). */
R(beside_hidden, 0, 1, 1, 0, 1, 1, 1, 1, 1)

/* Bytes of the third cache that a core finds again at most, however large that is: spr, whose 260 MB cores of other
 * virtual machines use too, reads 81 MB at 25 GB/s and 121 MB at 17 (section 104). The others are not measured. */
R(l3_most, 1e5, 1e15, 1e15, 1e15, 1e15, 9e7, 9e7, 1e15, 1e15)

/* What a core follows or holds: ways of the second cache, pages whose addresses are at hand, streams of lines, lines
 * along k whose reading needs more than one. */
R(l2_ways, 1, 1024, 16, 16, 16, 16, 16, 16, 16)
R(pages_near, 1, 1e6, 64, 64, 64, 64, 64, 64, 64)
R(streams, 1, 1e4, 8, 8, 8, 8, 8, 8, 8)
R(few_lines, 0, 1e6, 24, 24, 24, 24, 24, 24, 24)

/* Packed products of a C whose rows lie a page apart: steps up to which tiles follow each other along rows, and the
 * share of the second cache that right's panels of such a stretch have (section 108; spr measured). */
R(along_steps, 0, 1e6, 256, 256, 256, 256, 256, 256, 256)
R(along_share, 0.01, 1, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25)

/* Limits: what another thread is worth; a second one in a way without joins, or ns that one takes there (section 157:
 * zen4 measured, elsewhere plans stay); a block of k's, for each thread that waits for the next one; bytes read, by
 * tiles, or by sweeps and of a vector's matrix. */
R(flops_per_thread, 1, 1e12, 2e+06, 2e+06, 2e+06, 2e+06, 2e+06, 2e+06, 2e+06)
R(flops_of_two, 1, 1e12, 1.5e+06, 1.5e+06, 1.5e+06, 1.5e+06, 1.5e+06, 1.5e+06, 1.5e+06)
R(worth_two, 0, 1e15, 1e15, 1.5e4, 1e15, 1e15, 1e15, 1e15, 1e15)
R(flops_per_join, 1, 1e12, 2e+05, 200000, 2e+05, 2e+05, 2e+05, 2e+05, 2e+05)
R(bytes_per_thread, 1, 1e12, 1e+06, 1e+06, 1e+06, 1e+06, 1e+06, 1e+06, 1e+06)
R(bytes_streamed, 1, 1e12, 5e+05, 500000, 5e+05, 5e+05, 5e+05, 5e+05, 5e+05)
/* Bytes of the operands from which on a product may go in pieces with images of their own, and of such a piece at most:
 * less than what a pool of workspaces keeps (section 67). */
R(piece_bytes, 1, 1e15, 2e8, 2e8, 2e8, 2e8, 2e8, 2e8, 2e8)
/* Bytes of C from which on it is written past the caches (section 98): beyond what the last one keeps for us. spr
 * measured, the others by their caches. */
R(streamed_bytes, 1, 1e15, 3.2e7, 3.2e7, 3.2e7, 1e8, 1e8, 1e8, 1e8)
/* Places of a team, the same for all kinds of machine: ranks choose by them, and have to agree. ns: of a message, of a
 * step of its own. GB/s that a place takes from others. What share of a transfer beside a product costs no time. Two
 * ranks of Open MPI on one machine (section 94); a file has a network's. GFLOP/s of a place, for idle ones and uneven
 * parts: a core's. */
R(team_message, 0, 1e9, 2000, 2000, 2000, 2000, 2000, 2000, 2000)
R(team_step, 0, 1e9, 20000, 20000, 20000, 20000, 20000, 20000, 20000)
R(team_gbytes, 1e-3, 1e5, 1.9, 1.9, 1.9, 1.9, 1.9, 1.9, 1.9)
R(team_hidden, 0, 1, 0, 0, 0, 0, 0, 0, 0)
R(team_gflops, 1e-3, 1e9, 80, 80, 80, 80, 80, 80, 80)
/* Places of devices, the same for all kinds of machine: ns that a copy takes to begin, a step of its own, and the host
 * to tell a device of a step's copies, or its product (section 131); GB/s from one device to another beside products
 * (356 alone); bytes of a line from which on copy engines move it as fast as long ones. Two H100 linked by NVLink
 * (section 100); steps and GB/s, two H200 (section 140). GFLOP/s of a device, for layers: strict f32 of an H200. */
R(peer_message, 0, 1e9, 3000, 3000, 3000, 3000, 3000, 3000, 3000)
R(peer_step, 0, 1e9, 10000, 10000, 10000, 10000, 10000, 10000, 10000)
R(peer_call, 0, 1e9, 10000, 10000, 10000, 10000, 10000, 10000, 10000)
R(peer_gbytes, 1e-3, 1e5, 300, 300, 300, 300, 300, 300, 300)
R(peer_line, 0, 1e9, 128, 128, 128, 128, 128, 128, 128)
R(peer_gflops, 1e-3, 1e9, 5e4, 5e4, 5e4, 5e4, 5e4, 5e4, 5e4)
