/* What must hold of any text: it is refused with a sentence, or what was read is written and read again the same. */
#ifndef LAY_TESTS_TUNING_READER_H
#define LAY_TESTS_TUNING_READER_H

#include <stddef.h>

/* NULL, or what does not hold; *is_read: whether it was taken. text is left alone, and whatever was remembered is
 * forgotten. */
const char *reader_check(const char *text, size_t length, int *is_read);

#endif
