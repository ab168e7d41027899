/* The groups of the test: a name, what their problems have in common, and how one is judged. */
#ifndef LAY_TESTS_TAPP_GROUPS_H
#define LAY_TESTS_TAPP_GROUPS_H

#include "judging/product.h"

typedef struct trial {
    const tapp_library *library;
    const recipe *recipe;
    random_source *source;
    char *note; /* NOTE_SIZE characters: why it is not right */
} trial;

typedef outcome check(const trial *of);

typedef struct group {
    const char *name;
    check *check;
    recipe recipe;
    int is_core; /* without it there is no TAPP: a library that refuses all of it fails */
    int cases;   /* of a hundred; 0: all */
} group;

extern const group groups[];
extern const int group_count;

/* products.c */
check check_product, check_commuted, check_permuted;

/* plans.c */
check check_plans, check_batched, check_set_infos;

/* refusals.c: what must be refused, and may not change D */
check check_extents, check_labels_of_d, check_structure_of_c, check_aliased_d, check_missing_c, check_negative_modes,
    check_negative_extents;

/* texts.c */
check check_messages;

/* objects.c */
check check_handles, check_infos, check_status, check_attributes;

#endif
