/* Files: read whole, written beside the old one and put in its place. */
#include "plan/tuning/file.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "machine/identity.h"
#include "plan/tuning/key.h"

enum { MOST_BYTES = 1 << 26 };

/* ---- loading ---------------------------------------------------------------------------------- */

/* The whole of it, a 0 behind it, to be freed; NULL and why not. */
static char *read_whole(FILE *file, size_t *length, char bad[LAY_TUNING_REASON], const char *name)
{
    size_t room = 1 << 16, count = 0;
    char *text = malloc(room);
    while (text) {
        count += fread(text + count, 1, room - count - 1, file);
        if (count + 1 < room || room >= MOST_BYTES)
            break;
        char *const more = realloc(text, room *= 2);
        if (!more)
            free(text);
        text = more;
    }
    const char *reason = !text                ? "there is no memory for it"
                         : ferror(file)       ? "it cannot be read"
                         : fgetc(file) != EOF ? "it is larger than 64 MiB"
                                              : NULL;
    if (!reason) {
        text[ *length = count] = 0;
        return text;
    }
    snprintf(bad, LAY_TUNING_REASON, "%.200s: %s", name, reason);
    free(text);
    return NULL;
}

/* NULL, or a status and what is wrong. */
static lay_status load(const lay_table *table, const char *path, const char *name, lay_tuning_read *read)
{
    size_t length;
    FILE *const file = fopen(path, "re");
    if (!file) {
        snprintf(read->bad, sizeof read->bad, "%.200s: %s", name, strerror(errno));
        return LAY_ERR_OPTION;
    }
    char *const text = read_whole(file, &length, read->bad, name);
    fclose(file);
    const int is_good = text && lay_tuning_read_text(table, text, length, name, read);
    free(text);
    if (!is_good)
        return LAY_ERR_OPTION;
    const int is_kept = lay_store_put(&read->entries, read->left_out);
    lay_entries_free(&read->entries);
    snprintf(read->bad, sizeof read->bad, "%s", is_kept ? "" : "no memory for tuned plans");
    return is_kept ? LAY_OK : LAY_ERR_MEMORY;
}

lay_status lay_tuning_load_file(const lay_table *table, const char *path, const char *name)
{
    lay_tuning_read read;
    const lay_status status = load(table, path, name, &read);
    return status == LAY_OK ? LAY_OK : lay_fail(status, "%s", read.bad);
}

/* ---- the environment -------------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic(const lay_table *) table_of_once; /* whoever comes first: pthread_once passes nothing on */
static lay_status status_of_once;
static char bad_of_once[LAY_TUNING_REASON];

static void read_environment(void)
{
    const char *const path = getenv("LAY_TUNING");
    char name[256];
    lay_tuning_read read = { .bad = "" };
    if (!path || !*path)
        return;
    snprintf(name, sizeof name, "LAY_TUNING=%.200s", path);
    status_of_once = load(atomic_load(&table_of_once), path, name, &read);
    memcpy(bad_of_once, read.bad, sizeof bad_of_once);
}

lay_status lay_tuning_check(const lay_table *table)
{
    const lay_table *none = NULL;
    atomic_compare_exchange_strong(&table_of_once, &none, table);
    pthread_once(&once, read_environment);
    return status_of_once == LAY_OK ? LAY_OK : lay_fail(status_of_once, "%s", bad_of_once);
}

/* ---- saving ----------------------------------------------------------------------------------- */

static long long picoseconds(double seconds)
{
    const double most = 1e17 - 1e4; /* as many digits as are read */
    const double count = seconds * 1e12 + 0.5;
    return count < 1 ? 1 : count > most ? (long long)most : (long long)count;
}

static void write_entry(const lay_entry *entry, lay_text *text)
{
    const size_t start = text->length + strlen("product ");
    lay_text_add(text, "product %s; ", entry->key);
    lay_recipe_write(&entry->of.recipe, text);
    lay_text_add(text, "; %lld %lld", picoseconds(entry->of.seconds), picoseconds(entry->of.estimate));
    const size_t end = text->length;
    if (end < text->size)
        lay_text_add(text, "; %016llx\n", (unsigned long long)lay_key_hash(text->to + start, end - start));
    else
        lay_text_add(text, "; %016llx\n", 0ull);
}

static void write_all(const lay_entries *all, lay_text *text)
{
    lay_text_add(text, "layoutgemm tuning %d\nlibrary %s\nmachine ", LAY_TUNING_VERSION, lay_version());
    lay_machine_fingerprint(text);
    lay_text_add(text, "\n# product: types, compute, flags, isa, threads, order, sum, modes; ways; picoseconds of them "
                       "and of the estimate; checksum\n");
    for (int i = 0; i < all->count; i++)
        write_entry(&all->entry[i], text);
    lay_text_add(text, "end %d\n", all->count);
}

char *lay_tuning_write_text(size_t *length)
{
    lay_entries all;
    lay_text counted = { .size = 0 };
    if (!lay_store_copy(&all))
        return NULL;
    write_all(&all, &counted);
    lay_text text = { .to = malloc(counted.length + 1), .size = counted.length + 1 };
    if (text.to)
        write_all(&all, &text);
    lay_entries_free(&all);
    *length = counted.length;
    return text.to;
}

/* Whether it is there and is something else than a file: written into, then, as it is. */
static int is_special(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

static int write_file(const char *path, const char *text, size_t length)
{
    FILE *const file = fopen(path, "we");
    if (!file)
        return 0;
    const int is_written = fwrite(text, 1, length, file) == length;
    return fclose(file) == 0 && is_written;
}

static lay_status refuse_writing(const char *path)
{
    return lay_fail(LAY_ERR_OPTION, "%.200s cannot be written: %s", path, strerror(errno));
}

lay_status lay_tuning_save_file(const char *path)
{
    size_t length;
    char beside[4096];
    char *const text = lay_tuning_write_text(&length);
    lay_status status = LAY_OK;
    if (!text)
        return lay_fail(LAY_ERR_MEMORY, "no memory to write tuned plans");
    if (is_special(path)) {
        status = write_file(path, text, length) ? LAY_OK : refuse_writing(path);
    } else if (snprintf(beside, sizeof beside, "%s.%ld.new", path, (long)getpid()) >= (int)sizeof beside) {
        status = lay_fail(LAY_ERR_OPTION, "%.60s... is too long a name", path);
    } else if (!write_file(beside, text, length) || rename(beside, path) != 0) {
        status = refuse_writing(path);
        unlink(beside);
    }
    free(text);
    return status;
}
