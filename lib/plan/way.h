/* Ways: how a product may be computed, rows of one table. Leaves compute; rewriters pose smaller or other problems and
 * ask the same table. A plan is a tree of branches, each a problem with the way that it is computed. What a way
 * prepared (its data) is known in its own folder alone. */
#ifndef LAY_PLAN_WAY_H
#define LAY_PLAN_WAY_H

#include <stddef.h>

#include "base/text.h"
#include "device/place.h"
#include "kernel.h"
#include "machine/machine.h"
#include "plan/packed.h"
#include "plan/problem.h"

typedef struct lay_way lay_way;
typedef struct lay_order lay_order;
typedef struct lay_branch lay_branch;

/* What may be decided otherwise about a way, at no bit's cost: a number each. Sizes are in the way's own units, so that
 * every number from 1 on means something. */
typedef enum lay_tunable {
    LAY_TUNE_THREADS,
    LAY_TUNE_PACKED, /* 0 or 1: right is packed; by rows; transposed in registers (cpu/in_place) */
    LAY_TUNE_BY_ROWS,
    LAY_TUNE_DOTS,
    LAY_TUNE_MC, /* panels of a task's rows, of its columns; in a sweep 64 columns each */
    LAY_TUNE_NC,
    LAY_TUNE_MB, /* panels that are packed at once */
    LAY_TUNE_NB,
    LAY_TUNE_BY_COLUMNS, /* 0 or 1: tasks are dealt to threads so */
    LAY_TUNE_STEPS,      /* of a sweep at a time */
    LAY_TUNE_IMAGES,     /* 1 A, 2 B, 4 C, 8 as they lie */
    LAY_TUNE_GATHERED,   /* 1 A, 2 B: brought together for lanes; 4: C is put from a buffer */
    LAY_TUNE_SHARED,     /* 0 or 1: a batch's products, a thread each */
    LAY_TUNE_PIECES,     /* of which sides: 1 rows, 2 columns, 3 both */
    LAY_TUNABLES
} lay_tunable;
enum { LAY_TUNES_KERNEL = 1 << LAY_TUNABLES }; /* with bits 1 << LAY_TUNE_...: it names its kernel, too */

/* What a tuned plan says of a branch. */
typedef struct lay_step {
    const lay_way *way;          /* NULL: nothing, and nothing of what lies below */
    const char *kernel;          /* the table's own text; NULL: any */
    int64_t value[LAY_TUNABLES]; /* -1: any */
} lay_step;

/* Every order and every way of a build. */
typedef struct lay_table {
    const lay_order *const *orders; /* asked in this order; NULL ends them */
    const lay_way *const *ways;     /* NULL ends them */
} lay_table;

/* Rewriters that a problem has come through: none is applied to its own work. */
enum { LAY_INSIDE_TRANSPOSED = 1, LAY_INSIDE_SLICES = 2, LAY_INSIDE_IMAGE = 4, LAY_INSIDE_PIECES = 8 };

/* What a bench asks for, to see what else might have been chosen: nothing is refused that would merely be slower, and
 * all threads work; and what a way decides inside it is decided otherwise, where it can be. So many LAY_BENCH_IMAGES:
 * images of these operands (bit 0 A, 1 B, 2 C), however well they can be read. With LAY_BENCH_ALL_DEVICES all of
 * options.devices share a product that has a row and a column for each. */
enum {
    LAY_BENCH_EVERY_WAY = 1,
    LAY_BENCH_OTHER_PACKING = 2,
    LAY_BENCH_OTHER_LOOPS = 4,
    LAY_BENCH_OTHER_DOTS = 8,
    LAY_BENCH_IMAGES = 16,
    LAY_BENCH_ALL_DEVICES = 8 * LAY_BENCH_IMAGES
};

/* Where the operands lie, and what the caller wants: all that a branch depends on besides the problem. */
typedef struct lay_setting {
    const lay_table *table;
    const lay_options *options;
    const lay_order *order;        /* the ways that are asked; NULL: not settled yet */
    const lay_order *named;        /* whose kernel options.kernel names; NULL: it names none */
    const lay_choice *choice;      /* of ISA level, and what the caller may use of the CPU */
    int threads;                   /* at most */
    unsigned inside;               /* LAY_INSIDE_... */
    unsigned bench;                /* LAY_BENCH_...; 0 but in a bench */
    lay_place place[LAY_OPERANDS]; /* as LAY_LEFT, LAY_RIGHT, LAY_RESULT */
    lay_panels panels[2];          /* that LAY_LEFT and LAY_RIGHT are packed in; the problem has their layout */
    int device;                    /* by number: that of the operands in device memory, else the one to use if any */
    const struct lay_plan *plan;   /* that it is for; NULL: none */
    const lay_step *step;          /* what a tuned plan says of this branch, behind it of its child; NULL: nothing */
    double limit;                  /* seconds: who takes as long may refuse, for another way is known; 0: none is */
} lay_setting;

static inline int64_t lay_tuned(const lay_setting *setting, lay_tunable which)
{
    return setting->step ? setting->step->value[which] : -1;
}

/* What a problem may be besides a product of matrices of one type, or asked of it, and a way may say that it takes. */
enum {
    LAY_TAKES_BATCH = 1,  /* a problem that is_batch */
    LAY_TAKES_MIXED = 2,  /* operands of several types */
    LAY_TAKES_ADDEND = 4, /* C is another tensor than what is written */
    LAY_TAKES_COMPLEX = 8,
    LAY_TAKES_GRID = 16,   /* options.grid_m and grid_n are obeyed, by the way or by its child */
    LAY_TAKES_ENDING = 32, /* something becomes of the sums */
    LAY_TAKES_NUMBERS = 64 /* lay_posed.is_of_numbers */
};

/* A product that one function of a kernel's row does, by the calling thread, from operands in host memory and as they
 * lie: a run is a call of it. */
typedef struct lay_at_once {
    lay_whole_fn *multiply; /* NULL: it is not such a product */
    lay_whole whole;
    int is_transposed;           /* left is the caller's B */
    int64_t left, right, result; /* bytes from offset 0 to index 0 */
} lay_at_once;

/* Where its operands begin, of a, b and c: left, right and result of who has the job, at offset 0. */
typedef struct lay_at_once_operands {
    const char *left, *right;
    char *result;
} lay_at_once_operands;

static inline lay_at_once_operands lay_at_once_find(const lay_at_once *job, const void *a, const void *b, void *c)
{
    return (lay_at_once_operands){ .left = (const char *)(job->is_transposed ? b : a) + job->left,
                                   .right = (const char *)(job->is_transposed ? a : b) + job->right,
                                   .result = (char *)c + job->result };
}

/* Bytes of device memory, for what works on operands there: offset tables and counters, which a branch keeps, and
 * workspace, which it may keep. may_lack: a run without counters and workspace gives the same, but takes longer. */
typedef struct lay_needs {
    size_t tables, counters, partial;
    int may_lack;
} lay_needs;

/* What a way prepared. */
typedef struct lay_job {
    const char *kernel; /* its name */
    int threads;        /* that the work can keep busy, at most those asked for */
    int devices;        /* that share the work; 0: it is no work to be shared */
    int given;          /* operands that it takes in the panels that they were packed in */
    double seconds;     /* predicted */
    size_t workspace;   /* bytes a run takes, where its way works */
    lay_needs needs;
    int is_prompt;       /* a run of operands in host memory asks nothing of anybody: a fast lane may call it */
    lay_at_once at_once; /* what a run would do, for those who ask nothing else of it */
    void *data;          /* the way's own, zeroed before prepare; freed with the branch */
} lay_job;

/* A problem, and how it is computed. Immutable but for kept. */
struct lay_branch {
    const lay_way *way;
    lay_setting setting;
    lay_problem problem;
    lay_job job;
    lay_branch *child;    /* a rewriter's, by which it is named and packed operands are passed on; NULL: a leaf */
    _Atomic(void *) kept; /* what the way keeps from run to run, NULL at first; lay_way.release frees it */
};

/* alpha and beta are the library's own copies; left, right and c the addresses of offset 0 of the problem's. */
typedef struct lay_call {
    const void *alpha, *left, *right, *beta;
    const void *addend;       /* C, where it is to be copied to c first; else NULL */
    const void *const *terms; /* of an ending, at offset 0; else NULL */
    void *c;
    const lay_packed
        *packed[2];          /* LAY_LEFT and LAY_RIGHT: NULL where they are not; left and right are their elements */
    const double *factor[2]; /* of numbers: NULL, or what those of LAY_LEFT and LAY_RIGHT are multiplied by before */
    void *workspace;         /* job.workspace bytes at a multiple of 64; NULL: the run takes them itself */
} lay_call;

/* What prepare says, by this address, where it had no memory to find out, and where a machine with more memory would
 * serve. */
extern const char lay_no_memory[], lay_too_large[];

/* What kernels of an order make of operands. */
typedef enum lay_treatment { LAY_AS_THEY_ARE, LAY_SPLIT_IN_LIMBS, LAY_ROUNDED } lay_treatment;

/* An order of the sum: its ways give equal bits. The first order that takes a product has it, whatever others would
 * cost, for layouts must not change bits. */
struct lay_order {
    const char *name;
    lay_backend backend;     /* whose kernels they are */
    lay_treatment treatment; /* of operands */

    /* What refuse says, by this address, to products of another kind than its own: no reason that a caller would want
     * to read. NULL: it is for all kinds. */
    const char *not_mine;

    /* NULL, or why it cannot serve, as a phrase. By types, sizes, places and options: never by layouts. Asked
     * of operands of one type, unless it mixes those there are. */
    const char *(*refuse)(const lay_problem *problem, const lay_setting *setting);

    /* Whether its ways read operands of such types, which are mixed, as they are. NULL: none. */
    int (*mixes)(const lay_problem *problem);

    /* The table's own text for the name of a kernel, or of a family of kernels: one text has one address. NULL: it has
     * no such. NULL for an order whose kernels another one names. */
    const char *(*find_kernel)(const char *name);

    /* Adds its families of kernels to a list that is read by people. NULL: it has none. */
    void (*list_families)(lay_text *text);

    /* Adds a line for each kernel that it may be named, as lay_implementations has them. NULL: it has none. */
    void (*list_kernels)(const lay_order *order, lay_text *text);

    /* C = beta C; beta == 0 stores +0 without reading C. m, n >= 1; left and right are NULL. The setting has all
     * operands where C lies. */
    lay_status (*scale)(lay_branch *branch, const lay_call *call);
};

struct lay_way {
    const char *name;       /* as an explanation has it */
    const lay_order *order; /* that it is of; NULL: a rewriter for any */
    unsigned takes;         /* LAY_TAKES_...: lay_branch_make refuses what is not named */
    unsigned only;          /* of these: those without which it is no way */
    unsigned tunes;         /* what it takes from a step: bits 1 << LAY_TUNE_..., LAY_TUNES_KERNEL */
    size_t data;            /* bytes of its job's own */

    /* Fills the job of branch, whose problem and setting are posed: the cheapest that it can do, by time predicted.
     * NULL, or why it cannot serve, as a phrase (lay_no_memory: it does not know). */
    const char *(*prepare)(lay_branch *branch);

    /* C = alpha left right + beta C; m, n, k >= 1. Re-entrant. */
    lay_status (*run)(lay_branch *branch, const lay_call *call);

    /* C = beta C. NULL: its child's where that has the same C, else its order's. */
    lay_status (*scale)(lay_branch *branch, const lay_call *call);

    /* Its choices and all rows of kernels that it refused, in lines. */
    void (*explain)(const lay_branch *branch, lay_text *text);

    /* What of itself it would take from a step, of which the rest is filled. NULL: nothing. */
    void (*tell)(const lay_branch *branch, lay_step *step);

    /* Makes what runs launch ready on the current device. NULL: nothing. */
    lay_status (*load)(const lay_branch *branch);

    /* What the last run found of its operands: waits for it. NULL: there is one path, the plain one. */
    lay_status (*find_path)(const lay_branch *branch, lay_path *path);

    /* The same in two parts, so that nobody waits: a launch that writes it to page-locked memory, and what has been
     * written. NULL: there is no such launch. */
    lay_status (*send_path)(const lay_branch *branch, unsigned *to);
    lay_path (*read_path)(unsigned sent);

    /* What each run makes of A or B, once for several runs of plans that take the same one: the bytes of it, 0 for
     * none, and its predicted seconds; and a launch that makes it of the operand whose offset 0 is at zero. It is told
     * to runs by lay_given.limbs. NULL: none. */
    size_t (*limbs_size)(const lay_branch *branch, lay_operand operand, double *seconds);
    lay_status (*put_limbs)(const lay_branch *branch, lay_operand operand, const void *zero, char *limbs);

    /* Packs what lies at source in the layout of desc, the branch's LAY_LEFT or LAY_RIGHT, of at least one element,
     * into packed, whose size, type and place are filled. *is_packed: 0 where a copy is all that there is to do. NULL:
     * always. */
    lay_status (*pack)(lay_branch *branch, int side, const lay_desc *desc, const void *source, lay_packed *packed,
                       int *is_packed);

    /* Takes what runs will need, for the branch to keep. NULL: nothing. */
    lay_status (*reserve)(lay_branch *branch);

    /* Gives back what the branch keeps and what its data refer to. NULL: nothing. May run when the streams are gone,
     * and CUDA too. */
    void (*release)(lay_branch *branch);
};

#endif
