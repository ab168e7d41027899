/* The library's own ways, and one that stands for operands in a device's memory. */
#include "streamed_table.h"

#include "cpu/ways.h"
#include "cuda/ways.h"
#include "rewrite/ways.h"

/* Who names CUDA is told at once whether it serves operands in its memory. Nothing runs there. */
static const char *refuse_there(const lay_problem *problem, const lay_setting *setting)
{
    (void)problem;
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (setting->place[i] != LAY_PLACE_DEVICE)
            return "an operand lies in host memory";
    return NULL;
}

static const char *prepare_there(lay_branch *branch)
{
    branch->job.kernel = "none";
    return NULL;
}

static void explain_there(const lay_branch *branch, lay_text *text)
{
    (void)branch, (void)text;
}

static const lay_order order_there = { .name = "there", .backend = LAY_BACKEND_CUDA, .refuse = refuse_there };
static const lay_way way_there = { .name = "there",
                                   .order = &order_there,
                                   .takes = LAY_TAKES_COMPLEX | LAY_TAKES_BATCH,
                                   .prepare = prepare_there,
                                   .explain = explain_there };

const lay_table streamed_table = {
    .orders = (const lay_order *const[]){ &order_there, &lay_order_stream, &lay_order_cpu, NULL },
    .ways = (const lay_way *const[]){ &way_there, &lay_way_stream, &lay_way_packed, &lay_way_complex, &lay_way_batch,
                                      &lay_way_transposed, NULL }
};
