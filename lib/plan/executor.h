/* Executors: the kinds of ways to run a product, rows of one table. The planner asks each in turn to prepare the
 * problem, both ways round; the first that serves has it, the cheaper way round. What it prepared is plain data. */
#ifndef LAY_PLAN_EXECUTOR_H
#define LAY_PLAN_EXECUTOR_H

#include <stddef.h>

#include "base/text.h"
#include "cpu_split.h"
#include "cuda/place.h"
#include "cuda_kernel.h"
#include "kernel.h"
#include "machine/machine.h"
#include "plan/packed.h"
#include "plan/problem.h"

typedef struct lay_executor lay_executor;

/* Where the operands lie, and what the caller wants: all that a way depends on beside the problem. */
typedef struct lay_setting {
    const lay_options *options;
    const lay_choice *choice;      /* of CPU threads and ISA level */
    lay_place place[LAY_OPERANDS]; /* as LAY_LEFT, LAY_RIGHT, LAY_RESULT */
    lay_panels panels[2];          /* of LAY_LEFT and LAY_RIGHT: what there is of them, where there is no more */
    int device;                    /* by number: that of the operands in device memory, else the one to use if any */
} lay_setting;

/* A product that reads its operands in place (lib/cpu/direct.h): strides within blocks of nested storage, and how
 * long those blocks are. */
typedef struct lay_direct {
    int is_right_packed, is_staged;  /* C goes through a buffer */
    int is_by_rows;                  /* each panel of rows with all columns */
    int group;                       /* panels of right packed together */
    int beside;                      /* panels of right packed at once whose elements lie side by side; 0: none */
    int64_t beside_step, beside_run; /* columns from one to the next, and how many there are of them in a row */
    int is_dotted;                   /* right is turned in registers and not packed: */
    int64_t dot_run, dot_column;     /* columns of a block, and their stride */
    int64_t run_m, run_n, run_k;
    int64_t left_row, left_step, right_step, result_row;
    int is_left_far;  /* many steps of more rows than the second cache has room for: rows are asked for ahead */
    size_t cut_bytes; /* of a task's workspace: the panels of its rows, as they are cut */
    int is_plain;     /* one stride each way, one block of k, one task, right packed */
    int64_t left_base, right_base, result_base; /* then the offsets of index 0 */
} lay_direct;

/* A product that one function of a kernel's row does, by the calling thread, from operands in host memory and as they
 * lie: a run is a call of it. */
typedef struct lay_at_once {
    lay_whole_fn *multiply; /* NULL: it is not such a product */
    lay_whole whole;
    int64_t left, right, result; /* bytes from offset 0 to index 0 */
} lay_at_once;

/* How the matrix of a product with a vector is read (lib/cpu/vector.h). */
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
    int64_t panel_width;
    int64_t blocks;                             /* of k, at a time */
    int64_t tasks, lines, task_blocks;          /* a task's own */
    size_t copies, waiting, shared, task_bytes; /* bytes of a workspace: of copies, of sums that go on, of sums of
                                                 * blocks for all tasks, and a task's own */
} lay_vector;

/* How the CPU computes a product: both operands packed in blocks (lib/cpu/blocks.h), or left, and perhaps right, in
 * place (lib/cpu/direct.h), or rows of right as they come (lib/cpu/sweep.h), or a matrix with a vector. */
typedef enum lay_cpu_way { LAY_PACKED_BOTH, LAY_READ_IN_PLACE, LAY_SWEPT, LAY_WITH_VECTOR } lay_cpu_way;

/* Prepared for the CPU's blocked product: what its loops need (lib/cpu/blocks.h draws them). */
typedef struct lay_blocked {
    const lay_kernel *kernel;
    lay_cpu_way way; /* but for the first only kc, mc, nc, the grid and a task's own panels mean something */
    lay_direct direct;
    lay_vector vector;
    int64_t mb, nb, kc, mc, nc;
    int swept_steps;                /* rows of right at a time (lib/cpu/sweep.h) */
    int64_t grid_m, grid_n;         /* tasks along m and n of one mb x nb block */
    int is_by_columns;              /* tasks are dealt to threads column of tasks by column, else row by row */
    size_t left_panel, right_panel; /* bytes from one packed panel to the next, a multiple of 64 */
    size_t left_bytes, right_bytes; /* of all that is packed at once */
    int64_t slices, slice_k;        /* of a long sum (lib/cpu/slices.h); 1 or 0: none */
    int64_t slice_tasks;
    size_t slice_workspace; /* bytes of a task; the rest of the job's workspace is the slices' sums */
} lay_blocked;

/* Prepared for one CUDA device: a row of its kernels, slices of k and what a run takes (lib/cuda/launch.h). */
typedef struct lay_launch {
    const lay_cuda_kernel *kernel; /* NULL: there is no second launch */
    int first, rows;               /* of left and of C that are this launch's */
    const struct lay_device *device;
    lay_cuda_class left, right; /* at best: a base address that is not aligned makes a run fall back to LAY_CUDA_ACROSS
                                 * or LAY_CUDA_ALONG */
    int is_c_vector;            /* at best, too */
    int slices, slice_k;
    int is_together; /* a block takes all slices of its tile */
    int tiles_m, tiles_n;
    int shared;               /* bytes of dynamic shared memory: the row's, or more, where blocks are to spread */
    size_t partial, counters; /* bytes of device memory */
} lay_launch;

/* Prepared for one CUDA device: an FP32 product on its 16-bit matrix units (kernels/cuda_split.h). */
typedef struct lay_split {
    const struct lay_cuda_split_row *row;
    const struct lay_device *device;
    lay_cuda_class left, right; /* at best, as above */
    int is_c_vector;
    int slices, slice_k;
} lay_split;

/* Prepared for the CPU: an f32 product by pieces (lib/cpu/split_blocks.h draws its loops). */
typedef struct lay_cpu_split {
    const lay_cpu_split_row *row;
    const lay_kernel *strict; /* for lines that pieces do not serve */
    int pieces;
    int is_given[2]; /* LAY_LEFT, LAY_RIGHT: its pieces were packed before */
    int64_t mb, nb, kc, mc, nc;
    size_t panel; /* bytes from one packed panel to the next, of either operand */
    size_t left_bytes, right_bytes;
} lay_cpu_split;

/* A dimension in two digits, in elements: index % inner * stride + index / inner * outer_stride. */
typedef struct lay_narrow_digits {
    int64_t inner, outer, stride, outer_stride;
} lay_narrow_digits;

/* How the matrix units' copies read an operand (kernels/cuda_narrow.h). */
typedef struct lay_narrow_view {
    lay_narrow_digits lines, steps; /* rows of left or columns of right; of the image where there is one */
    int size;                       /* bytes of an element, as they are read */
    int is_across;                  /* lines are contiguous, else steps */
    int is_image;                   /* it is copied first */
    const char *why;                /* it is */
} lay_narrow_view;

/* Prepared for one CUDA device: a product of 16-bit numbers on its matrix units. */
typedef struct lay_narrow {
    const struct lay_narrow_row *row;
    const struct lay_device *device;
    int kind; /* lay_narrow_kind */
    lay_narrow_view left, right;
    lay_cuda_class left_class, right_class; /* at best, for images */
    int is_c_vector;
    int slices, slice_k;
} lay_narrow;

/* Bytes of device memory, for what works on operands there: offset tables and counters, which a way keeps, and
 * workspace, which it may keep. */
typedef struct lay_needs {
    size_t tables, counters, partial;
} lay_needs;

/* A prepared product. */
typedef struct lay_job {
    const lay_executor *executor;
    const char *kernel; /* its name */
    int threads;        /* that the work can keep busy, at most those asked for */
    double seconds;     /* predicted */
    size_t workspace;   /* bytes a run takes, where its executor works */
    lay_needs needs;
    lay_at_once at_once; /* the CPU executor's: what multiply would do, for those who ask nothing else of it */
    union {
        lay_blocked cpu;
        lay_launch cuda[2]; /* the second: the rows of C that are no full wave of the first's blocks; its partial sums,
                             * counters and tables lie behind the first's. Where host operands pass in tiles
                             * (lib/cuda/stream.h) there is one, of a tile */
        lay_split split;
        lay_cpu_split cpu_split;
        lay_narrow narrow;
    } of;
} lay_job;

/* A way: the cheapest job of one setting. Immutable but for own. */
typedef struct lay_way {
    lay_setting setting;
    lay_problem problem;
    lay_job job;
    lay_desc *dense[2];  /* A's and B's in place of the plan's, where they are packed */
    _Atomic(void *) own; /* what the executor keeps from run to run, NULL at first; lay_executor.release frees it */
    const struct lay_plan *plan;
    struct lay_way *next;
    unsigned key; /* the plan's */
} lay_way;

/* alpha and beta are the library's own copies; left, right and c the addresses of offset 0 of the problem's. */
typedef struct lay_call {
    const void *alpha, *left, *right, *beta;
    void *c;
    const lay_packed *packed[2]; /* LAY_LEFT and LAY_RIGHT: NULL where they are not; left and right are their copies */
} lay_call;

/* What prepare says, by this address, where it had no memory to find out. */
extern const char lay_no_memory[];

struct lay_executor {
    const char *name;

    /* What prepare says, by this address, to products of another kind than its own: no reason that a caller would want
     * to read. NULL: it is for all kinds. */
    const char *not_mine;

    /* Fills job for the cheapest kernel. NULL, or why it cannot serve, as a phrase (lay_no_memory: it does not know).
     * What it answers may depend on the problem's layouts, but whether it serves, and which order of the sum it has,
     * never. */
    const char *(*prepare)(const lay_problem *problem, const lay_setting *setting, lay_job *job);

    /* C = alpha left right + beta C; m, n, k >= 1. Re-entrant. */
    lay_status (*multiply)(lay_way *way, const lay_call *call);

    /* C = beta C; beta == 0 stores +0 without reading C. m, n >= 1; left and right are NULL. The setting has all
     * operands where C lies. */
    lay_status (*scale)(lay_way *way, const lay_call *call);

    /* Its choices and all rows that it refused, in lines. */
    void (*explain)(const lay_way *way, lay_text *text);

    /* Makes what runs launch ready on the current device. NULL: nothing. */
    lay_status (*load)(const lay_way *way);

    /* What the last run found of its operands: waits for it. NULL: there is one path, the plain one. */
    lay_status (*find_path)(const lay_way *way, lay_path *path);

    /* Packs what lies at source in the layout of desc, the way's LAY_LEFT or LAY_RIGHT, of at least one element, into
     * packed, whose size, type and place are filled. *is_packed: 0 where a copy is all that there is to do. NULL:
     * always. */
    lay_status (*pack)(lay_way *way, int side, const lay_desc *desc, const void *source, lay_packed *packed,
                       int *is_packed);

    /* Takes what runs will need, for the way to keep. NULL: nothing. */
    lay_status (*reserve)(lay_way *way);

    /* Gives way's own back. NULL: nothing. May run when the streams are gone, and CUDA too. */
    void (*release)(lay_way *way);
};

/* Every executor of this build; who comes first is asked first. */
extern const lay_executor *const lay_executors[];
extern const int lay_executor_count;

#endif
