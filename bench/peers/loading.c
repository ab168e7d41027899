/* Other people's libraries by the names that they go by. */
#include "loading.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void list_files(const loading *of, char *text, size_t size)
{
    text[0] = 0;
    for (int i = 0; i < LOADING_FILES && of->files[i]; i++) {
        const int is_last = i + 1 == LOADING_FILES || !of->files[i + 1];
        snprintf(text + strlen(text), size - strlen(text), "%s%s",
                 i == 0    ? ""
                 : is_last ? " and "
                           : ", ",
                 of->files[i]);
    }
}

/* A file that is there and cannot be loaded says more than one that is not. */
void *loading_open(const loading *of, const char *path, int flags, char *sentence, int size)
{
    char broken[256] = "", files[160];
    const char *const own[LOADING_FILES] = { path }, *const *tried = path ? own : of->files;
    for (int i = 0; i < LOADING_FILES && tried[i]; i++) {
        void *library = dlopen(tried[i], flags);
        if (library)
            return library;
        const char *why = dlerror();
        if (!broken[0] && why && (path || !strstr(why, "No such file")))
            snprintf(broken, sizeof broken, "%s", why);
    }
    if (broken[0]) {
        snprintf(sentence, (size_t)size, "%s: cannot be loaded: %s", path ? path : of->name, broken);
        return NULL;
    }
    list_files(of, files, sizeof files);
    snprintf(sentence, (size_t)size, "%s: the loader finds none of %s; %s, or name the file: --against=/path/to/%s",
             of->name, files, of->source, of->files[0]);
    return NULL;
}
