/* lay_implementations: the table of ways and the kernels of each order, in lines. */
#include "base/status.h"
#include "base/text.h"
#include "plan/way.h"
#include "ways.h"

/* A name may have a comma: then it stands in quotes. */
static void add_way(lay_text *text, const lay_way *way)
{
    const char *quote = "";
    for (const char *at = way->name; *at; at++)
        if (*at == ',')
            quote = "\"";
    lay_text_add(text, "way,%s%s%s,%s,,\n", quote, way->name, quote, way->order ? way->order->name : "any");
}

int lay_implementations(char *to, size_t size)
{
    if (!to && size > 0) {
        lay_fail(LAY_ERR_ARGUMENT, "text is NULL");
        return -1;
    }
    lay_text text = { .to = to, .size = size };
    lay_text_add(&text, "kind,name,order,type,needs\n");
    for (const lay_way *const *way = lay_all_ways.ways; *way; way++)
        add_way(&text, *way);
    for (const lay_order *const *order = lay_all_ways.orders; *order; order++)
        if ((*order)->list_kernels)
            (*order)->list_kernels(*order, &text);
    return (int)text.length;
}
