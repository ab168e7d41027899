/* One program on one place, on four and on six: only the texts of the layouts and the team differ, and not a bit of the
 * result. Here all places are memory of this process; examples/ranks.c is the same with MPI's ranks. */
#include <layoutgemm_team.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 240, MOST = 6 };

static const struct {
    const char *name, *text;
} steps[] = {
    { "one place", "[240][240]" },
    { "rows over four places", "P=(4); A=[60][240]; [[#P_0][#A_0]][#A_1]" },
    { "blocks on a grid of 2 x 2", "P=(2)(2); A=[120][120]; [[#P_0][#A_0]][[#P_1][#A_1]]" },
    { "block-cyclic on 2 x 3, parts by columns",
      "P=(2)(3); A=[5][16][5][24]; [240[#A_2][#P_0][#A_3]][240[#A_0][#P_1][#A_1]]" },
    { "rows over two places, copies on three each", "P=(2)(3); A=[120][240]; [[#P_0][#A_0]][#A_1]" },
};

static float value(int64_t i, int64_t j, int64_t shift)
{
    return (float)((i * 131 + j * 71 + shift) % 997) / 997 - 0.5f;
}

/* The parts of a matrix, one a place; NULL in the last one made where memory ran out. */
static lay_status make_parts(const lay_desc *desc, void *part[MOST])
{
    lay_status status = LAY_OK;
    for (int64_t place = 0; place < lay_desc_places(desc) && status == LAY_OK; place++) {
        lay_desc *own = NULL;
        status = lay_desc_local(desc, place, &own);
        if (status == LAY_OK)
            status = lay_alloc(LAY_F32, own, LAY_MEMORY_HOST, &part[place]);
        lay_desc_destroy(own);
    }
    return status;
}

/* c[i][j], row-major here, of C = A B over the places that text says. */
static lay_status multiply(const char *text, float *c)
{
    lay_desc *desc = NULL, *whole = NULL;
    lay_team *team = NULL;
    void *a[MOST] = { NULL }, *b[MOST] = { NULL }, *result[MOST] = { NULL }, *from[MOST] = { NULL };
    const float one = 1, zero = 0;
    lay_status status = lay_desc_parse(text, &desc);
    if (!status)
        status = lay_team_host((int)lay_desc_places(desc), &team);
    if (!status && !(status = make_parts(desc, a)) && !(status = make_parts(desc, b)))
        status = make_parts(desc, result);
    /* Matrices come from a layout that each place has a copy of: so a copy moves nothing between places. */
    char everywhere[40];
    snprintf(everywhere, sizeof everywhere, "P=(%d); [240][240]", desc ? (int)lay_desc_places(desc) : 1);
    float *const dense = malloc(sizeof(float) * N * N);
    if (!status)
        status = dense ? lay_desc_parse(everywhere, &whole) : LAY_ERR_MEMORY;
    for (int shift = 0; shift < 2 && !status; shift++) {
        for (int64_t i = 0; i < N * N; i++)
            dense[i] = value(i / N, i % N, shift);
        for (int place = 0; place < MOST; place++)
            from[place] = dense;
        status = lay_team_copy(team, LAY_F32, whole, (const void *const *)from, desc, shift ? b : a);
    }
    if (!status)
        status = lay_team_gemm(team, LAY_F32, desc, desc, desc, &one, (const void *const *)a, (const void *const *)b,
                               &zero, result, NULL);
    for (int64_t i = 0; i < N * N && !status; i++)
        c[i] = ((float *)result[lay_desc_place_of(desc, 1, &i)])[lay_desc_offset(desc, 1, &i)];
    for (int place = 0; place < MOST; place++) {
        lay_free(a[place]);
        lay_free(b[place]);
        lay_free(result[place]);
    }
    free(dense);
    lay_team_destroy(team);
    lay_desc_destroy(whole);
    lay_desc_destroy(desc);
    return status;
}

int main(void)
{
    float *const first = malloc(sizeof(float) * N * N), *const c = malloc(sizeof(float) * N * N);
    int wrong = !first || !c;
    for (size_t s = 0; s < sizeof steps / sizeof steps[0] && !wrong; s++) {
        if (multiply(steps[s].text, s ? c : first) != LAY_OK) {
            fprintf(stderr, "%s: %s\n", steps[s].name, lay_last_error());
            wrong = 1;
        } else {
            const int is_same = s == 0 || memcmp(first, c, sizeof(float) * N * N) == 0;
            printf("%-44s %s\n", steps[s].name, s == 0 ? "" : is_same ? "the same bits" : "OTHER BITS");
            wrong |= !is_same;
        }
    }
    free(first);
    free(c);
    return wrong;
}
