/* What a product on the matrix units takes besides its tiles: images of operands, and C that leaves in no vectors. */
#include "cuda/narrow/narrow_around.h"

#include "base/arith.h"
#include "cuda/launch/lie.h"
#include "cuda/launch/rates.h"

/* Seconds that an image takes: vectors, runs, whose ends cost the same as so many elements more (170), or elements one
 * by one (bench/LOG.md, 82). */
static double cost_image(const lay_narrow_view *view, lay_cuda_class as, const lay_cuda_rates *rates)
{
    const int in_vectors = as == (view->is_across ? LAY_CUDA_ACROSS_VECTOR : LAY_CUDA_ALONG_VECTOR);
    const double bytes = (double)lay_narrow_image_size(view);
    return !view->is_image && !view->cut_lines
               ? 0
               : rates->narrow_image + bytes * (view->run ? rates->narrow_run * (1 + rates->narrow_run_end / view->run)
                                                : in_vectors ? rates->narrow_packed
                                                             : rates->image_element / 2);
}

/* Runs of C that neither fill sectors nor go on in a tile's next row. */
static double count_torn(const lay_problem *problem)
{
    const lay_axis *rows = &problem->result_m, *columns = &problem->result_n;
    if (rows->class == LAY_AXIS_TABLE || columns->class == LAY_AXIS_TABLE || columns->count == 0)
        return 0;
    const int64_t run = columns->mode[columns->count - 1].extent;
    const int goes_on = rows->count == 0 || rows->mode[rows->count - 1].stride == run;
    const int is_whole = run * (int64_t)lay_size_of(problem->types.result) % LAY_CUDA_SECTOR == 0;
    return goes_on || is_whole ? 0 : (double)problem->m.extent * (double)(problem->n.extent / run);
}

int lay_narrow_together(const lay_problem *problem, lay_type units, const lay_axis *near, const lay_axis *far)
{
    enum { LEAST = 32 /* nears: those of fewer were not met */ };
    if (units == LAY_F32 || problem->types.result != units || near->run < min_of(LEAST, near->extent))
        return 0;
    return near->extent % 2 == 0 && lay_axis_is_in_vectors(near, far, 2) ? 2 : 1;
}

int lay_narrow_leaves_in_words(const lay_cuda_kernel *row, const lay_narrow_form *form)
{
    return row->blocks_per_sm == 1 && !row->is_walked && form->c_together && !form->launch.is_c_vector &&
           !form->is_c_down;
}

int lay_narrow_is_scattered(const lay_cuda_kernel *row, const lay_narrow_form *form)
{
    return !form->launch.is_c_vector && !form->is_c_down &&
           !(row && (row->is_walked || row->type == LAY_F32 || lay_narrow_leaves_in_words(row, form)));
}

/* Clocks that C in words takes besides, of which a thread has so many of a tile: in blocks of one tile; else while the
 * next tile is multiplied, and of the last one, behind which there is none (170). */
static double cost_words(const lay_narrow_form *form, int together, const lay_cuda_rates *rates)
{
    enum { THREADS = 2 /* for each row of a tile */ };
    const lay_cuda_kernel *row = form->launch.kernel;
    const int64_t tiles = (int64_t)form->launch.tiles_m * form->launch.tiles_n;
    const double own = (double)ceil_div(tiles, form->launch.device->multiprocessors);
    const double there = (double)min_of(row->bm, form->m) * (double)min_of(row->bn, form->n);
    const double words = there / (THREADS * row->bm * together);
    return words * (own > 1 ? (own - 1) * rates->narrow_word_behind + rates->narrow_word_last : rates->narrow_word);
}

/* Seconds that C takes besides: element by element each sector that lanes touch, in vectors those that are torn
 * (bench/LOG.md, 82, 97). */
static double cost_scattered(const lay_problem *problem, int is_in_vectors, const lay_cuda_rates *rates)
{
    const lay_axis *rows = &problem->result_m, *columns = &problem->result_n;
    const int is_down = rows->class == LAY_AXIS_UNIT && rows->count <= 1;
    const int64_t run = is_down ? max_of(rows->run, columns->run) : columns->run;
    const double together = (double)max_of(1, min_of(run, LAY_CUDA_SECTOR / lay_size_of(problem->types.result)));
    return rates->narrow_sector *
           (is_in_vectors ? count_torn(problem) : (double)problem->m.extent * (double)problem->n.extent / together);
}

/* The same of C that leaves along tiles' rows; element by element never sooner than in words of the product
 * transposed. */
static double cost_leaving(const lay_problem *problem, const lay_narrow_form *form, double clocks,
                           const lay_cuda_rates *rates)
{
    const lay_cuda_kernel *row = form->launch.kernel;
    if (lay_narrow_leaves_in_words(row, form))
        return cost_words(form, form->c_together, rates) / clocks;
    const double apart = cost_scattered(problem, form->launch.is_c_vector, rates);
    const int may_be_words = form->c_together_down && lay_narrow_is_scattered(row, form) && row->blocks_per_sm == 1;
    return apart + (may_be_words ? cost_words(form, form->c_together_down, rates) / clocks : 0);
}

double lay_narrow_cost_around(const lay_problem *problem, const lay_narrow_form *form, const lay_device *device)
{
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    const int64_t tiles = (int64_t)form->launch.tiles_m * form->launch.tiles_n;
    const double down =
        form->launch.kernel->is_walked ? (double)ceil_div(tiles, device->multiprocessors) * rates->narrow_down : 0;
    const double scattered = cost_leaving(problem, form, device->ghz * 1e9, rates);
    const double left = cost_image(&form->left, form->launch.left, rates);
    const double right = cost_image(&form->right, form->launch.right, rates);
    const double both = left > 0 && right > 0 ? rates->narrow_image : 0; /* by one launch */
    return (form->is_c_down ? down / (device->ghz * 1e9) : scattered) + left + right - both;
}
