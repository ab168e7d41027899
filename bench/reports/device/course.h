/* What the tables of the course report share. */
#ifndef COURSE_H
#define COURSE_H

#include <stdio.h>

#include "bench/contest/contest_device.h"
#include "bench/reports/reports.h"

/* Square row-major matrices of one size. */
typedef struct course_scene {
    problem problem;
    ground ground;
    lay_options options; /* on the tool's stream */
} course_scene;

/* 0, or the exit status after a sentence; course_clear in either case. */
int course_set(course_scene *on, int n, const terms *under);
void course_clear(course_scene *of);

/* Players on one ground, checked and in turns; milliseconds of each. 0, or the exit status after a sentence. */
int course_race(player list[], const char *const who[], int count, const course_scene *on, const terms *under,
                int rounds, double ms[]);

void course_print_sizes(const char *left, const sizes *of);
void course_print_row(const char *left, const double ms[], const sizes *of, FILE *csv, const char *table);

/* The third table. */
int course_against_cublas(const terms *under, const sizes *of, FILE *csv);

#endif
