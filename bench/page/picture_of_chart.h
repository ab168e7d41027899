/* A chart as a picture of points. */
#ifndef PAGE_PICTURE_OF_CHART_H
#define PAGE_PICTURE_OF_CHART_H

#include "bench/reports/chart.h"

/* 0, or the exit status after a sentence. */
int chart_write_png(const chart *of, const char *path);

#endif
