/* The two halves of host memory's place: what might have been taken there (model_host_ways.c), and timing it. */
#ifndef MODEL_HOST_H
#define MODEL_HOST_H

#include "model_place.h"

void model_host_add_ways(model_choice *to);
void model_host_name_inside(const lay_branch *branch, lay_text *text);
void model_host_name_kernel(const lay_branch *branch, lay_text *text);

#endif
