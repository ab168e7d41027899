/* Copies from one distribution to another. */
#include <stdlib.h>

#include "base/status.h"
#include "layout/places.h"
#include "team/check.h"
#include "team/dealt.h"
#include "team/rooms/wire.h"
#include "team/transfer.h"

/* A copy: what it is given, and what it takes. */
typedef struct copy {
    lay_team *team;
    lay_type type;
    lay_dealt from, to;
    const void *const *src;
    void *const *dst;
    lay_exchange exchange;
    lay_mail mail;
    lay_status failed;
} copy;

static lay_status check_descs(const copy *of)
{
    lay_status status;
    if ((status = lay_team_check_type(of->type)) || (status = lay_dealt_check(of->team, &of->from)) ||
        (status = lay_dealt_check(of->team, &of->to)))
        return status;
    const int rank = lay_dealt_rank(&of->from);
    if (lay_dealt_rank(&of->to) != rank)
        return lay_fail(LAY_ERR_RANK, "the source has rank %d, the destination %d", rank, lay_dealt_rank(&of->to));
    for (int d = 0; d < rank; d++)
        if (lay_dealt_extent(&of->from, d) != lay_dealt_extent(&of->to, d))
            return lay_fail(LAY_ERR_SHAPE, "root dimension %d has extent %lld in the source, %lld in the destination",
                            d, (long long)lay_dealt_extent(&of->from, d), (long long)lay_dealt_extent(&of->to, d));
    if (of->team->is_direct && rank > LAY_DISTRIBUTION_RANK)
        return lay_fail(LAY_ERR_UNSUPPORTED, "a tensor of rank %d; between rooms of a process at most %d are copied",
                        rank, LAY_DISTRIBUTION_RANK);
    if (lay_dealt_is_conjugated(&of->from) || lay_dealt_is_conjugated(&of->to))
        return lay_fail(LAY_ERR_UNSUPPORTED, "a copy does not conjugate: that is for A and B of a product");
    return LAY_OK;
}

/* Of one own place: its parts, there, one to an element, and clear of all that is read here. */
static lay_status check_place(const copy *of, int i)
{
    const lay_team *const team = of->team;
    lay_desc *from = NULL, *to = NULL;
    lay_status status = lay_dealt_part(team, &of->to, i, &to);
    if (status == LAY_OK)
        status = lay_team_check_address(team, of->type, to, of->dst[i], "dst", team->first + i);
    if (status == LAY_OK) {
        const int injective = lay_desc_prove_injective(to);
        status = injective == 1  ? LAY_OK
                 : injective < 0 ? LAY_ERR_MEMORY
                                 : lay_desc_refuse_shared(to, "the destination");
    }
    for (int j = 0; j < team->each && status == LAY_OK; j++) {
        if ((status = lay_dealt_part(team, &of->from, j, &from)))
            break;
        status = lay_team_check_source(team, of->type, from, of->src[j], "src", team->first + j);
        if (status == LAY_OK)
            status = lay_team_check_apart(of->type, from, of->src[j], "the source", to, of->dst[i], "the destination");
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
    if (status || (status = lay_dealt_side(of->team, &of->from, &from)))
        return status;
    status = lay_dealt_side(of->team, &of->to, &to);
    if (status == LAY_OK) {
        status = lay_exchange_make(of->team, &from, &to, lay_type_size(of->type), &of->exchange);
        lay_side_free(&to);
    }
    lay_side_free(&from);
    if (status != LAY_OK)
        return status;
    return lay_mail_open(of->team, 1, &of->exchange, &of->mail, &(int64_t){ 0 });
}

static uint64_t hash(const copy *of)
{
    const int64_t kind[] = { 2, of->type };
    return lay_dealt_hash(lay_dealt_hash(lay_team_hash(1, kind, sizeof kind), of->team, &of->from), of->team, &of->to);
}

static lay_status run(copy *of)
{
    lay_team *const team = of->team;
    lay_transfer move = {
        .exchange = &of->exchange, .type = of->type, .mail = &of->mail, .target = of->dst, .failed = &of->failed
    };
    of->failed = team->kind->begin(team->room, team->each);
    lay_status status = lay_transfer_start(team, &move, of->src);
    if (status == LAY_OK)
        status = lay_transfer_finish(team, 1, (lay_transfer *const[]){ &move });
    if (team->wire && status == LAY_OK)
        status = lay_wire_await(team);
    const lay_status joined = team->kind->join(team->room, team->each);
    of->failed = of->failed ? of->failed : joined;
    if (status == LAY_OK && team->is_direct) /* host memory has nothing that could fail here */
        status = lay_team_agree(team, 0, of->failed, "the end of a copy");
    return status ? lay_fail_spoilt_copy(status) : LAY_OK;
}

static lay_status copy_dealt(lay_team *team, lay_type type, const lay_dealt *from, const void *const src[],
                             const lay_dealt *to, void *const dst[])
{
    lay_status status = lay_team_check(team);
    if (status != LAY_OK)
        return status;
    copy of = { .team = team,
                .type = type,
                .from = *from,
                .to = *to,
                .src = src ? src : (const void *const *)team->nowhere,
                .dst = dst ? dst : team->nowhere };
    const lay_status made = make(&of); /* before the hash: tables that are refused are not read */
    status = lay_team_agree(team, made ? 0 : hash(&of), made, "a copy");
    if (status == LAY_OK)
        status = run(&of);
    lay_mail_close(team, &of.mail);
    lay_exchange_free(&of.exchange);
    return status;
}

lay_status lay_team_copy(lay_team *team, lay_type type, const lay_desc *from, const void *const src[],
                         const lay_desc *to, void *const dst[])
{
    return copy_dealt(team, type, &(lay_dealt){ .desc = from, .name = "the source" }, src,
                      &(lay_dealt){ .desc = to, .name = "the destination" }, dst);
}

lay_status lay_team_copy_distributed(lay_team *team, lay_type type, const lay_distribution *from,
                                     const void *const src[], const lay_distribution *to, void *const dst[])
{
    return copy_dealt(team, type, &(lay_dealt){ .by_tables = from, .name = "the source" }, src,
                      &(lay_dealt){ .by_tables = to, .name = "the destination" }, dst);
}
