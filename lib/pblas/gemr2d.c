/* pgemr2d of four types: a part of a matrix to a part of another one, on grids that may have nothing in common. */
#include <stdlib.h>
#include <string.h>

#include "pblas/exported.h"
#include "pblas/grid.h"
#include "pblas/matrix.h"
#include "pblas/next.h"

enum { FROM, TO };

/* What a process says of a matrix: where it is in its grid, and, if it is, what all there say alike. */
typedef struct said {
    int is_there, is_right;
    int process[2];
    struct {
        int processes[2], extent[2], block[2], source[2], first[2];
    } shared;
} said;

/* What all processes of the call's context say: of both matrices. */
typedef struct heard {
    int m, n, is_usable;
    said matrix[2];
} heard;

typedef struct call {
    const char *routine;
    lay_type type;
    int m, n;
    laypblas_desc desc[2];
    laypblas_range range[2][2];
    const void *array[2];
} call;

static void say(call *of, int i, const int number[9], const int first[2], said *mine)
{
    laypblas_desc *const desc = &of->desc[i];
    *mine = (said){ .process = { -1, -1 } };
    of->range[i][0] = (laypblas_range){ (int64_t)first[0] - 1, of->m };
    of->range[i][1] = (laypblas_range){ (int64_t)first[1] - 1, of->n };
    *desc = (laypblas_desc){ .context = -1, .lead = 1 };
    int processes[2], where[2];
    if (!laypblas_grid_place(number[1], &processes[0], &processes[1], &where[0], &where[1]))
        return;
    mine->is_there = 1;
    mine->is_right = number[0] == LAYPBLAS_DESC && laypblas_desc_read(number, desc) &&
                     laypblas_desc_is_right(desc, of->range[i], processes, where) && desc->source[0] >= 0 &&
                     desc->source[1] >= 0;
    for (int d = 0; d < 2; d++) {
        mine->process[d] = where[d];
        mine->shared.processes[d] = processes[d];
        mine->shared.extent[d] = desc->extent[d];
        mine->shared.block[d] = desc->block[d];
        mine->shared.source[d] = desc->source[d];
        mine->shared.first[d] = first[d];
    }
}

/* The process that speaks for matrix i; -1: nobody does, or two contradict each other. */
static int find_speaker(const heard all[], int places, int i)
{
    int speaker = -1;
    for (int p = 0; p < places; p++) {
        if (!all[p].matrix[i].is_there)
            continue;
        if (!all[p].matrix[i].is_right)
            return -1;
        if (speaker >= 0 &&
            memcmp(&all[p].matrix[i].shared, &all[speaker].matrix[i].shared, sizeof all[p].matrix[i].shared) != 0)
            return -1;
        speaker = speaker < 0 ? p : speaker;
    }
    return speaker;
}

/* Who is not in the matrix's grid takes its numbers from one who is. */
static void complete(call *of, int i, const said *speaker, int mine[2], int processes[2], const said *own)
{
    const int lead = of->desc[i].lead;
    of->desc[i] = (laypblas_desc){ .context = of->desc[i].context, .lead = own->is_there ? lead : 1 };
    for (int d = 0; d < 2; d++) {
        of->desc[i].extent[d] = speaker->shared.extent[d];
        of->desc[i].first_block[d] = of->desc[i].block[d] = speaker->shared.block[d];
        of->desc[i].source[d] = speaker->shared.source[d];
        of->range[i][d].first = (int64_t)speaker->shared.first[d] - 1;
        processes[d] = speaker->shared.processes[d];
        mine[d] = own->process[d];
    }
}

static lay_status copy_parts(call *of, const laypblas_grid *grid, const heard all[], const int speaker[2])
{
    const int places = grid->rows * grid->columns, self = grid->row * grid->columns + grid->column;
    laypblas_matrix matrix[2] = { { .part = NULL } };
    const void *part[2];
    int *const coordinate = malloc(2 * (size_t)places * sizeof *coordinate);
    int has_room = coordinate != NULL;
    for (int i = FROM; i <= TO && has_room; i++) {
        int mine[2], processes[2];
        complete(of, i, &all[speaker[i]].matrix[i], mine, processes, &all[self].matrix[i]);
        for (int p = 0; p < 2 * places; p++)
            coordinate[p] = all[p / 2].matrix[i].process[p % 2];
        has_room = laypblas_matrix_make(&of->desc[i], of->range[i], processes, mine, places, coordinate, 0, &matrix[i]);
        part[i] = of->array[i] ? (const char *)of->array[i] + matrix[i].skipped * lay_type_size(of->type) : NULL;
    }
    const lay_status status =
        lay_team_copy_distributed(grid->team, of->type, has_room ? &matrix[FROM].tables : NULL, &part[FROM],
                                  has_room ? &matrix[TO].tables : NULL, (void *const[]){ (void *)part[TO] });
    for (int i = 0; i < 2; i++)
        laypblas_matrix_free(&matrix[i]);
    free(coordinate);
    return status;
}

/* NULL, or why the loaded one has to do it: then all processes say so. */
static const char *copy(call *of, const laypblas_grid *grid, const heard *mine)
{
    const int places = grid->rows * grid->columns;
    heard *const all = calloc((size_t)places, sizeof *all);
    const char *reason = NULL;
    if (!all)
        laypblas_give_up(of->routine, "no memory");
    MPI_Allgather(mine, (int)sizeof *mine, MPI_BYTE, all, (int)sizeof *all, MPI_BYTE, grid->comm);
    const int speaker[] = { find_speaker(all, places, FROM), find_speaker(all, places, TO) };
    for (int p = 0; p < places && !reason; p++)
        if (!all[p].is_usable || all[p].m != all[0].m || all[p].n != all[0].n)
            reason = "processes have different arguments";
    if (!reason && (speaker[FROM] < 0 || speaker[TO] < 0))
        reason = "a process has arguments that are not taken";
    if (!reason) {
        const lay_status status = copy_parts(of, grid, all, speaker);
        if (status != LAY_OK && laypblas_has_broken())
            laypblas_give_up(of->routine, lay_last_error());
        reason = status == LAY_OK ? NULL : lay_last_error();
    }
    free(all);
    return reason;
}

static const char *take(call *of, const int *const number[2], const int first[2][2], int context)
{
    heard mine = { .m = of->m, .n = of->n };
    if (of->m <= 0 || of->n <= 0)
        return "an extent is not above 0";
    const laypblas_grid *const grid = laypblas_grid_find(context);
    if (!grid)
        return "this process is not in the context";
    mine.is_usable = grid->team != NULL;
    for (int i = FROM; i <= TO; i++)
        say(of, i, number[i], first[i], &mine.matrix[i]);
    return copy(of, grid, &mine);
}

typedef void c_fn(int, int, const void *, int, int, const int *, void *, int, int, const int *, int);
typedef void fortran_fn(const int *, const int *, const void *, const int *, const int *, const int *, void *,
                        const int *, const int *, const int *, const int *);

#define PGEMR2D(name, c_name, lay_name)                                                                                \
    EXPORTED c_fn c_name;                                                                                              \
    EXPORTED fortran_fn name;                                                                                          \
    void c_name(int m, int n, const void *a, int ia, int ja, const int *desc_a, void *b, int ib, int jb,               \
                const int *desc_b, int context)                                                                        \
    {                                                                                                                  \
        call of = { .routine = #c_name, .type = lay_name, .m = m, .n = n, .array = { a, b } };                         \
        const int *const number[2] = { desc_a, desc_b };                                                               \
        const int first[2][2] = { { ia, ja }, { ib, jb } };                                                            \
        const char *const reason = take(&of, number, first, context);                                                  \
        if (!reason)                                                                                                   \
            return;                                                                                                    \
        laypblas_tell(#c_name, reason);                                                                                \
        c_fn *next;                                                                                                    \
        *(void **)&next = laypblas_next(#c_name);                                                                      \
        next(m, n, a, ia, ja, desc_a, b, ib, jb, desc_b, context);                                                     \
    }                                                                                                                  \
    void name(const int *m, const int *n, const void *a, const int *ia, const int *ja, const int *desc_a, void *b,     \
              const int *ib, const int *jb, const int *desc_b, const int *context)                                     \
    {                                                                                                                  \
        c_name(*m, *n, a, *ia, *ja, desc_a, b, *ib, *jb, desc_b, *context);                                            \
    }
PGEMR2D(psgemr2d_, Cpsgemr2d, LAY_F32)
PGEMR2D(pdgemr2d_, Cpdgemr2d, LAY_F64)
PGEMR2D(pcgemr2d_, Cpcgemr2d, LAY_C32)
PGEMR2D(pzgemr2d_, Cpzgemr2d, LAY_C64)
