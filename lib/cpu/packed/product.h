/* The CPU executor: a planned product on packed panels. */
#ifndef LAY_CPU_PRODUCT_H
#define LAY_CPU_PRODUCT_H

#include "cpu/part.h"

/* As a way's run, with the problem's job. Cannot fail. */
void lay_product_run(const lay_problem *problem, const lay_job *job, const lay_part *part, const lay_call *call,
                     void *workspace);

#endif
