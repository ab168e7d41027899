/* Lists of names, read. */
#include "base/list.h"

#include <string.h>

size_t lay_list_next(const char **at, const char **name)
{
    *name = *at + strspn(*at, "; ");
    size_t length = strcspn(*name, ";");
    *at = *name + length;
    while (length > 0 && (*name)[length - 1] == ' ')
        length--;
    return length;
}

int lay_list_has(const char *list, const char *name)
{
    const char *own;
    const size_t wanted = strlen(name);
    for (size_t length; list && (length = lay_list_next(&list, &own)) > 0;)
        if (length == wanted && memcmp(own, name, length) == 0)
            return 1;
    return 0;
}
