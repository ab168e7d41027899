/* Status and the thread's last sentence. */
#ifndef LAY_BASE_STATUS_H
#define LAY_BASE_STATUS_H

#include "layoutgemm.h"

/* Remembers the sentence (printf's format) as this thread's last error and returns status. */
__attribute__((format(printf, 2, 3))) lay_status lay_fail(lay_status status, const char *format, ...);

/* The thread's last sentence, set aside while something is tried that may be given up: successful calls leave it alone.
 */
enum { LAY_SENTENCE_BYTES = 320 };
typedef struct lay_sentence {
    char text[LAY_SENTENCE_BYTES];
} lay_sentence;
void lay_sentence_keep(lay_sentence *kept);
void lay_sentence_restore(const lay_sentence *kept);

/* Returns status and adds to the last error that a part of C has been written, if it does not say so. */
lay_status lay_fail_spoilt(lay_status status);

/* The same of a copy's destination. */
lay_status lay_fail_spoilt_copy(lay_status status);

#endif
