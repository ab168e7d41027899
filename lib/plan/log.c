/* What the log has of plans: CSV lines, each with its problem as `lay explain` and `lay bench` take it. */
#include <stdlib.h>

#include "base/log.h"
#include "base/ranges.h"
#include "base/status.h"
#include "base/text.h"
#include "plan/branch.h"
#include "plan/plan.h"

static const char columns[] = "layoutgemm,event,status,type,m,n,k,order,kernel,threads,seconds,gflops,way,problem";

static void add_layout(lay_text *text, const lay_desc *desc)
{
    const size_t room = text->length < text->size ? text->size - text->length : 0;
    const int length = lay_desc_format(desc, room > 0 ? text->to + text->length : NULL, room);
    text->length += length > 0 ? (size_t)length : 0;
}

/* "2x5x3:[2][3],[3][5],[2][5]"; of a batch its count goes before. */
static void add_problem(lay_text *text, const lay_plan *plan)
{
    const lay_node *const batch = lay_operand_batch(plan->c);
    if (batch)
        lay_text_add(text, "%lldx", (long long)batch->extent);
    lay_text_add(text, "%lldx%lldx%lld:", (long long)plan->m, (long long)plan->n, (long long)plan->k);
    add_layout(text, plan->a);
    lay_text_add(text, ",");
    add_layout(text, plan->b);
    lay_text_add(text, ",");
    add_layout(text, plan->c);
}

/* Texts that may have commas stand in quotes, as CSV has them; neither has a quote. */
static void add_line(lay_text *text, const lay_plan *plan, const lay_branch *root, lay_status status, const char *event,
                     double seconds)
{
    lay_text_add(text, "layoutgemm,%s,%s,%s,%lld,%lld,%lld,%s,%s,%d,%.9f,%.3f,\"", event, lay_status_name(status),
                 lay_type_name(plan->types.result), (long long)plan->m, (long long)plan->n, (long long)plan->k,
                 root->setting.order->name, root->job.kernel, root->job.threads, seconds,
                 seconds > 0 ? lay_problem_flops(&root->problem) / seconds * 1e-9 : 0);
    lay_branch_name(root, text);
    lay_text_add(text, "\",\"");
    add_problem(text, plan);
    lay_text_add(text, "\"");
}

void lay_plan_log(const lay_plan *plan, const lay_branch *root, lay_status status, const char *event, double seconds)
{
    char usual[256], *more = NULL;
    lay_text text = { .to = usual, .size = sizeof usual };
    add_line(&text, plan, root, status, event, seconds);
    if (text.length >= sizeof usual && (more = malloc(text.length + 1))) {
        text = (lay_text){ .to = more, .size = text.length + 1 };
        add_line(&text, plan, root, status, event, seconds);
    }
    if (text.length < text.size)
        lay_log_write(columns, text.to);
    free(more);
}

void lay_plan_begin_range(const lay_plan *plan, const lay_branch *root)
{
    char usual[256]; /* a longer name loses its end */
    lay_text text = { .to = usual, .size = sizeof usual };
    lay_branch_name(root, &text);
    lay_text_add(&text, ", %s ", lay_type_name(plan->types.result));
    add_problem(&text, plan);
    lay_range_begin(usual);
}

void lay_plan_log_cache(const lay_plan *plan, const char *event)
{
    const lay_branch *const root = atomic_load(&plan->routes)->root;
    lay_plan_log(plan, root, LAY_OK, event, root->job.seconds);
}
