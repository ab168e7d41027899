/* What lay bench runs: problems, or a report in their place. */
#ifndef RUN_H
#define RUN_H

#include "bench/reports/report.h"
#include "bench/reports/reports.h"
#include "task.h"

/* Problems, or a whole report instead of them. 0, or the exit status after a sentence. */
int run_problems(const args *given, task *of);
int run_report(const args *given, task *of, const report_row *row);

/* Times the problems, one after the other, and has them reported. */
int run_all(const args *given, const task *of, report *to);

#endif
