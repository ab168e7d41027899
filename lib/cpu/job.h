/* What the CPU's ways prepare: one struct for all ways that multiply operands as they are, since the loops share it. */
#ifndef LAY_CPU_JOB_H
#define LAY_CPU_JOB_H

#include "cpu_split.h"
#include "kernel.h"
#include "plan/way.h"

/* Runs a part of a product (lib/cpu/part.h), on one thread where the job is a slice's. Cannot fail. */
struct lay_part;
typedef void lay_run_part_fn(const lay_problem *problem, const lay_job *job, const struct lay_part *part,
                             const lay_call *call, void *workspace);

/* A product that reads its operands in place (lib/cpu/in_place/direct.h): strides within blocks of nested storage, and
 * how long those blocks are. */
typedef struct lay_direct {
    int is_right_packed, is_staged; /* C goes through a buffer */
    int is_by_rows;                 /* each panel of rows with all columns */
    int group;                      /* panels of right packed together */
    int64_t joined;                 /* steps of a panel of right packed at once: whole blocks of k, or all of it */
    int interleaved;                /* panels of right packed at once whose elements lie side by side; 0: none */
    int64_t interleaved_step,
        interleaved_run;         /* columns from one to the next, and how many there are of them in a row */
    int is_dotted;               /* right is transposed in registers and not packed: */
    int64_t dot_run, dot_column; /* columns of a block, and their stride */
    int64_t run_m, run_n, run_k;
    int64_t left_row, left_step, right_step, result_row;
    int is_left_far;  /* many steps of more rows than the second cache has room for: rows are asked for ahead */
    size_t cut_bytes; /* of a task's workspace: the panels of its rows, as they are cut */
    int is_plain;     /* one stride each way, one block of k, one task, right packed */
    int is_at_once; /* the same of left and C, any blocks of k: a function of the kernel does all rows of each panel */
    int64_t left_base, right_base, result_base; /* then the offsets of index 0 */
} lay_direct;

/* Whether tasks are no whole panels of the kernel wide. */
static inline int lay_direct_has_own_width(const lay_direct *direct)
{
    return direct->interleaved || direct->is_dotted;
}

/* How the matrix of a product with a vector is read (lib/cpu/vector/vector.h). */
typedef enum lay_vector_reading {
    LAY_VECTOR_ALONG,  /* lines contiguous along k */
    LAY_VECTOR_ACROSS, /* lines side by side */
    LAY_VECTOR_PACKED, /* neither: packed a panel at a time */
    LAY_VECTOR_PANELS  /* in panels packed long ago */
} lay_vector_reading;

enum { LAY_VECTOR_LINES = 128 };
typedef struct lay_vector {
    int matrix; /* LAY_LEFT or LAY_RIGHT; the other one is the vector */
    lay_vector_reading reading;
    int is_vector_copied, is_line_copied; /* to where it is contiguous; the matrix's only line */
    int64_t run_lines, run_k, step;       /* of the matrix: lines side by side, steps a stride apart, and that stride */
    int64_t width;                        /* lines at a time; at most LAY_VECTOR_LINES where they are read along k */
    int64_t blocks;                       /* of k, at a time */
    int64_t tasks, lines, task_blocks;    /* a task's own */
    size_t copies, waiting, shared, task_bytes; /* bytes of a workspace: of copies, of sums that go on, of sums of
                                                 * blocks for all tasks, and a task's own */
} lay_vector;

/* An operand that lies in a kernel's panels as it is (lib/cpu/packed/lying.h), in elements. */
typedef struct lay_lying {
    int64_t lines; /* of full panels; 0: it does not */
    int64_t base, panel, block;
} lay_lying;

/* What the loops need (lib/cpu/packed/blocks.h draws them). Only a way that packs both operands uses all of it. */
typedef struct lay_blocked {
    lay_run_part_fn *run_part; /* who runs it, or a part of k */
    const lay_kernel *kernel;
    lay_direct direct;
    lay_vector vector;
    int is_given[2];    /* LAY_LEFT, LAY_RIGHT: its panels were packed before, for this kernel and this side */
    lay_lying lying[2]; /* the same of those that are no packed operands */
    int64_t mb, nb, kc, mc, nc;
    int swept_steps;        /* rows of right at a time (lib/cpu/in_place/sweep.h) */
    int64_t grid_m, grid_n; /* tasks along m and n of one mb x nb block */
    int64_t stretch;        /* 0, or columns that tiles of packed panels follow each other along */
    int64_t part_m, part_n; /* 0, or a thread's part of C, as options have it: each goes through its own tasks */
    int is_by_columns;      /* tasks are dealt to threads column of tasks by column, else row by row */
    size_t left_panel, right_panel; /* bytes from one packed panel to the next, a multiple of 64 */
    size_t left_bytes, right_bytes; /* of all that is packed at once */
} lay_blocked;

/* Prepared for the CPU: an f32 product by limbs (lib/cpu/split/split_blocks.h draws its loops). */
typedef struct lay_cpu_split {
    const lay_cpu_split_row *row;
    const lay_kernel *strict; /* for lines that limbs do not serve */
    int limbs;
    int is_given[2]; /* LAY_LEFT, LAY_RIGHT: its limbs were packed before */
    int64_t mb, nb, kc, mc, nc;
    size_t panel; /* bytes from one packed panel to the next, of either operand */
    size_t left_bytes, right_bytes;
} lay_cpu_split;

#endif
