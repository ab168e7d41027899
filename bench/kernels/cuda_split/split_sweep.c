/* Tiles by steps between promotions: how fast, and how exact. */
#include <stdlib.h>

#include "split_bench.h"

enum { MOST = 32, NOTE = 80, ERRORS_M = 512, ERRORS_K = 16384, LONGEST_CHUNK = 256 };

/* The table's, each followed by those of the same tile, then the others. */
static int list(const lay_cuda_kernel *out[])
{
    int count = 0;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_SPLIT);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        out[count++] = row;
        for (const lay_cuda_kernel *other = lay_cuda_split_sweep; other->name; other++)
            if (other->bm == row->bm && other->bn == row->bn && count < MOST)
                out[count++] = other;
    }
    for (const lay_cuda_kernel *other = lay_cuda_split_sweep; other->name; other++) {
        int is_listed = 0;
        for (int i = 0; i < count; i++)
            is_listed |= out[i] == other;
        if (!is_listed && count < MOST)
            out[count++] = other;
    }
    return count;
}

/* The largest |error| and the mean error, in u |A||B|, of numbers of one sign and of both. */
static void measure(const lay_cuda_kernel *row, const split_task *of, char *note)
{
    split_task task = *of;
    task.row = row;
    task.m = task.n = ERRORS_M;
    task.k = ERRORS_K;
    task.slices = 1;
    const split_verdict positive = split_error(&task, SPLIT_POSITIVE), normal = split_error(&task, SPLIT_NORMAL);
    snprintf(note, NOTE, "[0,1) %6.2f bias %6.2f  normal %5.2f", positive.worst, positive.bias, normal.worst);
}

void split_sweep(const split_task *of)
{
    static char notes[MOST][NOTE];
    static int is_measured;
    const lay_cuda_kernel *rows[MOST];
    const int count = list(rows);
    const char *note[MOST];
    split_task task = *of;
    if (of->k % LONGEST_CHUNK || of->slices != 1) {
        fprintf(stderr, "--sweep takes one slice of k, a multiple of %d\n", LONGEST_CHUNK);
        exit(2);
    }
    for (int i = 0; i < count; i++) {
        if (!is_measured)
            measure(rows[i], of, notes[i]);
        note[i] = notes[i];
    }
    is_measured = 1;
    task.notes = note;
    task.each_stage = 1;
    split_time(rows, count, &task);
}
