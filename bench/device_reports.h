/* Whole tables of measurements on a device: what --report= names. */
#ifndef DEVICE_REPORTS_H
#define DEVICE_REPORTS_H

#include <stdio.h>

#include "contest.h"

/* 0, or the exit status after a sentence; csv may be NULL. */
int device_report(const char *name, const terms *under, FILE *csv);

/* Its rows. */
int report_course(const terms *under, FILE *csv);
int report_paper(const terms *under, FILE *csv);
int report_copies(const terms *under, FILE *csv);
int report_host(const terms *under, FILE *csv);

#endif
