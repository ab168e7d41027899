/* Whole tables of measurements on a device: what --report= names. */
#ifndef DEVICE_REPORTS_H
#define DEVICE_REPORTS_H

#include <stdio.h>

#include "contest.h"

enum { MAX_SIZES = 16 };

/* Square matrices of which sizes. */
typedef struct sizes {
    int n[MAX_SIZES];
    int count;
} sizes;

/* Its own sizes where none are given. 0, or the exit status after a sentence; csv may be NULL. */
int device_report(const char *name, const terms *under, const sizes *given, FILE *csv);

/* Its rows. */
int report_course(const terms *under, const sizes *of, FILE *csv);
int report_paper(const terms *under, const sizes *of, FILE *csv);
int report_copies(const terms *under, const sizes *of, FILE *csv);
int report_roof(const terms *under, const sizes *of, FILE *csv);
int report_host(const terms *under, const sizes *of, FILE *csv);

#endif
