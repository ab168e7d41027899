/* Copies from one distribution to another. */
#include <stdlib.h>

#include "base/status.h"
#include "layout/places.h"
#include "team/check.h"
#include "team/exchange.h"

/* A copy: what it is given, and what it takes. */
typedef struct copy {
    lay_team *team;
    lay_type type;
    const lay_desc *from, *to;
    const void *const *src;
    void *const *dst;
    lay_exchange exchange;
    lay_transfer move;
} copy;

static lay_status check_descs(const copy *of)
{
    lay_status status;
    if ((status = lay_team_check_type(of->type)) || (status = lay_team_check_desc(of->team, of->from, "the source")) ||
        (status = lay_team_check_desc(of->team, of->to, "the destination")))
        return status;
    const int rank = lay_desc_rank(of->from);
    if (lay_desc_rank(of->to) != rank)
        return lay_fail(LAY_ERR_RANK, "the source has rank %d, the destination %d", rank, lay_desc_rank(of->to));
    for (int d = 0; d < rank; d++)
        if (lay_desc_map(of->from, d)->extent != lay_desc_map(of->to, d)->extent)
            return lay_fail(LAY_ERR_SHAPE, "root dimension %d has extent %lld in the source, %lld in the destination",
                            d, (long long)lay_desc_map(of->from, d)->extent,
                            (long long)lay_desc_map(of->to, d)->extent);
    return LAY_OK;
}

/* Of one own place: its parts, there, one to an element, and clear of all that is read here. */
static lay_status check_place(const copy *of, int i)
{
    const lay_team *const team = of->team;
    lay_desc *from = NULL, *to = NULL;
    lay_status status = lay_desc_local(of->to, team->first + i, &to);
    if (status == LAY_OK)
        status = lay_team_check_address(to, of->dst ? of->dst[i] : NULL, "dst", team->first + i);
    if (status == LAY_OK) {
        const int injective = lay_desc_prove_injective(to);
        status = injective == 1  ? LAY_OK
                 : injective < 0 ? LAY_ERR_MEMORY
                                 : lay_desc_refuse_shared(to, "the destination");
    }
    for (int j = 0; j < team->each && status == LAY_OK; j++) {
        if ((status = lay_desc_local(of->from, team->first + j, &from)))
            break;
        status = lay_team_check_address(from, of->src ? of->src[j] : NULL, "src", team->first + j);
        if (status == LAY_OK)
            status = lay_team_check_apart(of->type, from, of->src ? of->src[j] : NULL, "the source", to,
                                          of->dst ? of->dst[i] : NULL, "the destination");
        lay_desc_destroy(from);
    }
    lay_desc_destroy(to);
    return status;
}

static lay_status make(copy *of)
{
    lay_side from, to;
    lay_status status = check_descs(of);
    for (int i = 0; status == LAY_OK && i < of->team->each; i++)
        status = check_place(of, i);
    if (status || (status = lay_side_of_desc(of->from, &from)))
        return status;
    status = lay_side_of_desc(of->to, &to);
    if (status == LAY_OK) {
        status = lay_exchange_make(of->team, &from, &to, lay_type_size(of->type), &of->exchange);
        lay_side_free(&to);
    }
    lay_side_free(&from);
    if (status != LAY_OK)
        return status;
    of->move = (lay_transfer){ .exchange = &of->exchange,
                               .buffer = aligned_alloc(64, of->exchange.buffer + 64),
                               .requests = calloc((size_t)of->exchange.requests + 1, sizeof(void *)),
                               .target = of->dst };
    return of->move.buffer && of->move.requests ? LAY_OK : lay_fail(LAY_ERR_MEMORY, "no memory for a copy's messages");
}

static uint64_t hash(const copy *of)
{
    const int64_t kind[] = { 2, of->type };
    uint64_t made = lay_team_hash(1, kind, sizeof kind);
    if (of->from)
        made = lay_team_hash_desc(made, of->from);
    return of->to ? lay_team_hash_desc(made, of->to) : made;
}

lay_status lay_team_copy(lay_team *team, lay_type type, const lay_desc *from, const void *const src[],
                         const lay_desc *to, void *const dst[])
{
    copy of = { .team = team, .type = type, .from = from, .to = to, .src = src, .dst = dst };
    lay_status status = lay_team_check(team);
    if (status != LAY_OK)
        return status;
    status = lay_team_agree(team, hash(&of), make(&of), "a copy");
    if (status == LAY_OK && (status = lay_exchange_start(team, &of.move, src)) == LAY_OK)
        status = lay_exchange_finish(team, &of.move);
    lay_exchange_free(&of.exchange);
    lay_team_free(team, of.move.buffer);
    free(of.move.requests);
    return status;
}
