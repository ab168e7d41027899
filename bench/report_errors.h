/* How far products are from exact ones, for us and the peers. */
#ifndef REPORT_ERRORS_H
#define REPORT_ERRORS_H

#include <stdio.h>

#include "device_reports.h"

/* f32, for sums of these lengths (of own ones where none are given), over every kind of numbers.h. 0, or the exit
 * status after a sentence; csv may be NULL. */
int report_errors(const terms *under, const sizes *lengths, FILE *csv);

#endif
