/* Products and copies of distributions by tables: any owners of rows and columns, any order of places, each part with a
 * leading dimension of its own. The bits of the undistributed ones, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "claim.h"
#include "spread.h"
#include "team/product.h"

enum { MOST_PLACES = 12, MOST = 64 };

/* A matrix dealt out by tables, with its storage. */
typedef struct dealt {
    lay_distribution tables;
    int places, is_by_rows;
    int64_t extent[2], owner[2][MOST], coordinate[2 * MOST_PLACES], lead[MOST_PLACES];
    const int64_t *owners[2];
    lay_desc *part[MOST_PLACES];
    const lay_desc *parts[MOST_PLACES];
    void *data[MOST_PLACES];
    size_t size;
} dealt;

static int64_t count_own(const dealt *of, int place, int d)
{
    int64_t count = 0;
    for (int64_t x = 0; x < of->extent[d]; x++)
        count += of->owner[d][x] == of->coordinate[2 * place + d];
    return count;
}

/* Coordinates of a grid that the places have in any order, some twice if there are copies, the last ones nothing. */
static void deal_places(random_source *from, const int grid[2], int copies, dealt *to)
{
    int order[MOST_PLACES];
    for (int p = 0; p < to->places; p++)
        order[p] = p;
    for (int p = to->places - 1; p > 0; p--) {
        const int other = (int)random_in(from, 0, p), held = order[p];
        order[p] = order[other];
        order[other] = held;
    }
    for (int p = 0; p < to->places; p++) {
        const int cell = p / copies, is_there = cell < grid[0] * grid[1];
        to->coordinate[2 * order[p]] = is_there ? cell / grid[1] : -1;
        to->coordinate[2 * order[p] + 1] = is_there ? cell % grid[1] : -1;
    }
}

static void make_storage(random_source *from, dealt *to)
{
    for (int p = 0; p < to->places; p++) {
        const int64_t rows = count_own(to, p, 0), columns = count_own(to, p, 1);
        const int64_t inner = to->is_by_rows ? columns : rows, outer = to->is_by_rows ? rows : columns;
        to->lead[p] = inner + random_in(from, 0, 3);
        const int64_t stride[] = { to->is_by_rows ? to->lead[p] : 1, to->is_by_rows ? 1 : to->lead[p] };
        assert_int_equal(lay_desc_strided(2, (const int64_t[]){ rows, columns }, stride, &to->part[p]), LAY_OK);
        to->parts[p] = to->part[p];
        to->data[p] = calloc((size_t)(to->lead[p] * outer) + 1, to->size);
    }
}

static void make_dealt(random_source *from, lay_type type, int64_t rows, int64_t columns, int places, dealt *to)
{
    *to = (dealt){ .tables = LAY_DISTRIBUTION_INIT, .places = places, .extent = { rows, columns } };
    to->size = lay_type_size(type);
    to->is_by_rows = random_one_in(from, 2);
    int grid[2], copies = random_one_in(from, 3) ? 2 : 1;
    copies = copies > places ? 1 : copies;
    grid[0] = (int)random_in(from, 1, places / copies);
    grid[1] = places / copies / grid[0];
    deal_places(from, grid, copies, to);
    for (int d = 0; d < 2; d++) {
        for (int64_t x = 0; x < to->extent[d]; x++)
            to->owner[d][x] = random_in(from, 0, grid[d] - 1);
        to->owners[d] = to->owner[d];
    }
    make_storage(from, to);
    to->tables.rank = 2;
    to->tables.inner = random_one_in(from, 4) ? !to->is_by_rows : to->is_by_rows; /* for speed alone */
    to->tables.extent = to->extent;
    to->tables.owner = to->owners;
    to->tables.coordinate = to->coordinate;
    to->tables.part = to->parts;
}

static void free_dealt(dealt *of)
{
    for (int p = 0; p < of->places; p++) {
        free(of->data[p]);
        lay_desc_destroy(of->part[p]);
    }
}

/* Copies all elements of all places from the dense matrix, or says whether they are equal to it. */
static int visit(const dealt *of, const char *dense, int is_scattered)
{
    int is_equal = 1;
    for (int p = 0; p < of->places; p++)
        for (int64_t i = 0, row = 0; i < of->extent[0]; i++) {
            if (of->owner[0][i] != of->coordinate[2 * p])
                continue;
            for (int64_t j = 0, column = 0; j < of->extent[1]; j++) {
                if (of->owner[1][j] != of->coordinate[2 * p + 1])
                    continue;
                const int64_t at = of->is_by_rows ? row * of->lead[p] + column : column * of->lead[p] + row;
                char *const element = (char *)of->data[p] + (size_t)at * of->size;
                const char *const wanted = dense + (size_t)(i * of->extent[1] + j) * of->size;
                if (is_scattered)
                    memcpy(element, wanted, of->size);
                else
                    is_equal &= memcmp(element, wanted, of->size) == 0;
                column++;
            }
            row++;
        }
    return is_equal;
}

/* In place; of real numbers nothing. */
static void conjugate(lay_type type, int64_t count, void *elements)
{
    float *const f32 = elements;
    double *const f64 = elements;
    for (int64_t i = 0; i < count; i++)
        if (type == LAY_C32)
            f32[2 * i + 1] = -f32[2 * i + 1];
        else if (type == LAY_C64)
            f64[2 * i + 1] = -f64[2 * i + 1];
}

static void products_have_one_places_bits(void **state)
{
    (void)state;
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_C32, LAY_C64, LAY_BF16 };
    for (int number = 1; number <= cases(200); number++) {
        random_source from = random_case(11, (uint64_t)number);
        const lay_type type = random_of(&from, types);
        const int places = (int)random_in(&from, 1, MOST_PLACES);
        const int64_t size[] = { random_in(&from, 1, MOST), random_in(&from, 1, MOST), random_in(&from, 1, MOST) };
        const unsigned conjugated = (unsigned)random_in(&from, 0, 3);
        double alpha[2], beta[2];
        lay_team *team = NULL;
        lay_team_plan *plan = NULL;
        dealt of[3];
        void *dense[3];
        spread_scalar(&from, type, alpha);
        spread_scalar(&from, type, beta);
        lay_team_panel_bytes = random_one_in(&from, 2) ? 1 : 64 << 20;
        for (int i = 0; i < 3; i++) {
            const int64_t rows = i == 1 ? size[2] : size[0], columns = i == 0 ? size[2] : size[1];
            dense[i] = spread_dense(&from, type, rows, columns);
            make_dealt(&from, type, rows, columns, places, &of[i]);
            visit(&of[i], dense[i], 1);
            of[i].tables.is_conjugated = i < 2 && conjugated >> i & 1;
        }
        assert_int_equal(lay_team_host(places, &team), LAY_OK);
        assert_int_equal(
            lay_team_plan_create_distributed(team, type, &of[0].tables, &of[1].tables, &of[2].tables, NULL, &plan),
            LAY_OK);
        assert_int_equal(lay_team_plan_run(plan, alpha, (const void *const *)of[0].data,
                                           (const void *const *)of[1].data, beta, of[2].data),
                         LAY_OK);
        for (int i = 0; i < 2; i++)
            if (of[i].tables.is_conjugated)
                conjugate(type, of[i].extent[0] * of[i].extent[1], dense[i]);
        assert_int_equal(spread_multiply(type, size, alpha, dense[0], dense[1], beta, dense[2]), LAY_OK);
        if (!visit(&of[2], dense[2], 0))
            fail_msg("case %d: type %d, %d places", number, (int)type, places);
        lay_team_plan_destroy(plan);
        lay_team_destroy(team);
        for (int i = 0; i < 3; i++) {
            free_dealt(&of[i]);
            free(dense[i]);
        }
    }
    lay_team_panel_bytes = 64 << 20;
}

static void copies_put_every_element_where_it_belongs(void **state)
{
    (void)state;
    for (int number = 1; number <= cases(500); number++) {
        random_source from = random_case(12, (uint64_t)number);
        const int places = (int)random_in(&from, 1, MOST_PLACES);
        const int64_t rows = random_in(&from, 0, MOST), columns = random_in(&from, 0, MOST);
        void *const dense = spread_dense(&from, LAY_F64, rows, columns);
        lay_team *team = NULL;
        dealt of[2];
        for (int i = 0; i < 2; i++)
            make_dealt(&from, LAY_F64, rows, columns, places, &of[i]);
        visit(&of[0], dense, 1);
        assert_int_equal(lay_team_host(places, &team), LAY_OK);
        assert_int_equal(lay_team_copy_distributed(team, LAY_F64, &of[0].tables, (const void *const *)of[0].data,
                                                   &of[1].tables, of[1].data),
                         LAY_OK);
        if (!visit(&of[1], dense, 0))
            fail_msg("case %d: %d places", number, places);
        lay_team_destroy(team);
        free_dealt(&of[0]);
        free_dealt(&of[1]);
        free(dense);
    }
}

/* What is wrong with a distribution of two places, 4 rows by turns and 2 columns. */
typedef void damage_fn(dealt *of);
static void no_size(dealt *of)
{
    of->tables.struct_size = 0;
}
static void no_rank(dealt *of)
{
    of->tables.rank = 0;
}
static void another_inner(dealt *of)
{
    of->tables.inner = 2;
}
static void no_extents(dealt *of)
{
    of->tables.extent = NULL;
}
static void negative_extent(dealt *of)
{
    of->extent[0] = -1;
}
static void no_owners(dealt *of)
{
    of->owners[1] = NULL;
}
static void negative_owner(dealt *of)
{
    of->owner[0][3] = -1;
}
static void no_part(dealt *of)
{
    of->parts[1] = NULL;
}
static void another_owner(dealt *of)
{
    of->owner[0][3] = 0;
}
static void distant_owner(dealt *of)
{
    of->owner[0][1] = INT64_MAX;
}
static void nobodys_owner(dealt *of)
{
    of->coordinate[2] = of->coordinate[3] = 7;
    of->parts[1] = of->part[2];
}
static void conjugated(dealt *of)
{
    of->tables.is_conjugated = 1;
}

static void damaged_ones_are_refused(void **state)
{
    (void)state;
    static const struct {
        damage_fn *damage;
        lay_status status;
    } rows[] = { { no_size, LAY_ERR_OPTION },           { no_rank, LAY_ERR_ARGUMENT },
                 { another_inner, LAY_ERR_ARGUMENT },   { no_extents, LAY_ERR_ARGUMENT },
                 { negative_extent, LAY_ERR_ARGUMENT }, { no_owners, LAY_ERR_ARGUMENT },
                 { negative_owner, LAY_ERR_ARGUMENT },  { no_part, LAY_ERR_ARGUMENT },
                 { another_owner, LAY_ERR_SHAPE },      { nobodys_owner, LAY_ERR_SHAPE },
                 { distant_owner, LAY_ERR_SHAPE },      { conjugated, LAY_ERR_UNSUPPORTED } };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int which = 0; which < 2; which++) {
            random_source from = random_case(13, 1);
            lay_team *team = NULL;
            dealt of[2];
            for (int i = 0; i < 2; i++) {
                make_dealt(&from, LAY_F64, 4, 2, 1, &of[i]);
                free_dealt(&of[i]);
                of[i].places = 2;
                of[i].coordinate[0] = of[i].coordinate[1] = of[i].coordinate[3] = 0;
                of[i].coordinate[2] = 1;
                for (int64_t x = 0; x < 4; x++)
                    of[i].owner[0][x] = x % 2;
                make_storage(&from, &of[i]);
                lay_desc_strided(2, (const int64_t[]){ 0, 0 }, (const int64_t[]){ 1, 1 }, &of[i].part[2]);
            }
            rows[r].damage(&of[which]);
            assert_int_equal(lay_team_host(2, &team), LAY_OK);
            assert_int_equal(lay_team_copy_distributed(team, LAY_F64, &of[0].tables, (const void *const *)of[0].data,
                                                       &of[1].tables, of[1].data),
                             rows[r].status);
            lay_team_destroy(team);
            for (int i = 0; i < 2; i++) {
                lay_desc_destroy(of[i].part[2]);
                free_dealt(&of[i]);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_have_one_places_bits),
        cmocka_unit_test(copies_put_every_element_where_it_belongs),
        cmocka_unit_test(damaged_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
