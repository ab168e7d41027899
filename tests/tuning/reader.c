/* The reader, asked. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#include "plan/tuning/file.h"
#include "ways.h"

/* A copy with a 0 behind it, which reading may write into. */
static int read(const char *text, size_t length, lay_tuning_read *out)
{
    char *const own = malloc(length + 1);
    if (!own)
        abort();
    memcpy(own, text, length);
    own[length] = 0;
    const int is_read = lay_tuning_read_text(&lay_all_ways, own, length, "text", out);
    free(own);
    return is_read;
}

static const char *check_again(const lay_tuning_read *first)
{
    lay_tuning_read second;
    size_t length = 0;
    const char *wrong = NULL;
    lay_tuning_forget();
    char *const written = lay_store_put(&first->entries, NULL) ? lay_tuning_write_text(&length) : NULL;
    if (!written)
        return "no memory";
    if (!read(written, length, &second))
        wrong = "what was written is refused";
    else if (second.entries.count != first->entries.count)
        wrong = "other products are read again";
    for (int i = 0; !wrong && i < first->entries.count; i++) {
        const lay_entry *x = &first->entries.entry[i], *y = &second.entries.entry[i];
        if (strcmp(x->key, y->key) != 0 || memcmp(&x->of.recipe, &y->of.recipe, sizeof(lay_step)) != 0 ||
            lay_recipe_length(&x->of.recipe) != lay_recipe_length(&y->of.recipe))
            wrong = "a product is read again as another one";
    }
    lay_entries_free(&second.entries);
    free(written);
    lay_tuning_forget();
    return wrong;
}

const char *reader_check(const char *text, size_t length, int *is_read)
{
    lay_tuning_read first;
    *is_read = read(text, length, &first);
    if (!*is_read)
        return strncmp(first.bad, "text, line ", 11) != 0 ? "the refusal has no line"
               : first.entries.count                      ? "something was read all the same"
                                                          : NULL;
    const char *wrong = *first.bad ? "it is read and refused" : check_again(&first);
    lay_entries_free(&first.entries);
    return wrong;
}
