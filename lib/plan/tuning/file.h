/* Files of tuned plans: a line a product, between a head that says whose they are and an end that counts them
 * (docs/tuning.md). */
#ifndef LAY_PLAN_TUNING_FILE_H
#define LAY_PLAN_TUNING_FILE_H

#include <stddef.h>

#include "plan/tuning/store.h"

enum { LAY_TUNING_VERSION = 1, LAY_TUNING_REASON = 512 };

/* What reading found. */
typedef struct lay_tuning_read {
    lay_entries entries;
    char bad[LAY_TUNING_REASON]; /* NAME, line and reason where nothing is to be used; "": all is well */
    char left_out[LAY_LEFT_OUT]; /* the first of those entries that only another version of the library can use; "" */
} lay_tuning_read;

/* Reads text, of length bytes and a 0 behind them, which is written into; name: what sentences call it. Entries are to
 * be freed; 0 and bad where there are none to use. */
int lay_tuning_read_text(const lay_table *table, char *text, size_t length, const char *name, lay_tuning_read *out);

/* A file's entries go into the store. LAY_ERR_OPTION with its name, line and reason; LAY_ERR_MEMORY. */
lay_status lay_tuning_load_file(const lay_table *table, const char *path, const char *name);

/* The store as text, to be freed; NULL without memory. And into a file, whole or not at all. */
char *lay_tuning_write_text(size_t *length);
lay_status lay_tuning_save_file(const char *path);

/* What LAY_TUNING in the environment names is in the store from the first call on. LAY_ERR_OPTION, in every call, where
 * it means nothing. */
lay_status lay_tuning_check(const lay_table *table);

#endif
