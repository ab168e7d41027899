/* Codes and their texts: a sentence for each, and behind it what layoutgemm had to say. */
#include <string.h>

#include "objects.h"

/* clang-format off */
static const char *const sentences[TAPP_CODES] = {
    [TAPP_CODE_SUCCESS] = "No error.",
    [TAPP_CODE_OBJECT] = "An argument is not an object of the kind that belongs there.",
    [TAPP_CODE_ARGUMENT] = "An address is NULL, a count negative or an operation unknown.",
    [TAPP_CODE_MODES] = "The number of modes is negative.",
    [TAPP_CODE_NEGATIVE] = "An extent is negative.",
    [TAPP_CODE_EXTENTS] = "Modes with one label have different extents.",
    [TAPP_CODE_LABEL_OF_D] = "D has a label that neither A nor B has.",
    [TAPP_CODE_C_UNLIKE_D] = "C has not the labels of D in their order.",
    [TAPP_CODE_OVERLAPS_ITSELF] = "It cannot be shown that each index of D has an element of its own.",
    [TAPP_CODE_OVERLAP] = "It cannot be shown that D stays clear of what is read.",
    [TAPP_CODE_MISSING_C] = "C is NULL, and beta is not 0.",
    [TAPP_CODE_TYPE] = "There is no such type, or the types do not go together.",
    [TAPP_CODE_PRECISION] = "The precision is not to be had for these types.",
    [TAPP_CODE_KEY] = "There is no such attribute.",
    [TAPP_CODE_OVERFLOW] = "A size or an offset does not fit 63 bits.",
    [TAPP_CODE_MEMORY] = "Out of memory.",
    [TAPP_CODE_UNSUPPORTED] = "This build on this machine does not do it.",
    [TAPP_CODE_DEVICE] = "A device failed.",
    [TAPP_CODE_INNER] = "The library is at fault.",
};

static const TAPP_error codes[] = {
    [LAY_OK] = TAPP_CODE_SUCCESS,
    [LAY_ERR_ARGUMENT] = TAPP_CODE_ARGUMENT,
    [LAY_ERR_SYNTAX] = TAPP_CODE_INNER,
    [LAY_ERR_REFERENCE] = TAPP_CODE_INNER,
    [LAY_ERR_EXTENT] = TAPP_CODE_NEGATIVE,
    [LAY_ERR_OVERFLOW] = TAPP_CODE_OVERFLOW,
    [LAY_ERR_RANK] = TAPP_CODE_UNSUPPORTED, /* more modes than a descriptor has */
    [LAY_ERR_SHAPE] = TAPP_CODE_EXTENTS,
    [LAY_ERR_TYPE] = TAPP_CODE_TYPE,
    [LAY_ERR_OPTION] = TAPP_CODE_INNER,
    [LAY_ERR_INJECTIVE] = TAPP_CODE_OVERLAPS_ITSELF,
    [LAY_ERR_OVERLAP] = TAPP_CODE_OVERLAP,
    [LAY_ERR_MEMORY] = TAPP_CODE_MEMORY,
    [LAY_ERR_UNSUPPORTED] = TAPP_CODE_UNSUPPORTED,
    [LAY_ERR_DEVICE] = TAPP_CODE_DEVICE,
    [LAY_ERR_TEAM] = TAPP_CODE_INNER,
};
/* clang-format on */

/* Of this thread's last failing call of layoutgemm. */
static _Thread_local struct {
    TAPP_error code;
    char sentence[300];
} last;

TAPP_error tapp_error_of(lay_status status)
{
    const size_t known = sizeof(codes) / sizeof(codes[0]);
    const TAPP_error code = (size_t)status < known ? codes[status] : TAPP_CODE_INNER;
    if (code != TAPP_CODE_SUCCESS) {
        const char *sentence = lay_last_error();
        const size_t length = strnlen(sentence, sizeof(last.sentence) - 1);
        memcpy(last.sentence, sentence, length);
        last.sentence[length] = 0;
        last.code = code;
    }
    return code;
}

TAPP_error tapp_refuse(TAPP_error code)
{
    last.code = TAPP_CODE_SUCCESS;
    return code;
}

bool TAPP_check_success(TAPP_error error)
{
    return error == TAPP_CODE_SUCCESS;
}

/* Copies what of text fits room, from place on; room does not count the final 0. */
static size_t append(char *to, size_t room, size_t place, const char *text)
{
    const size_t length = strlen(text);
    if (to && place < room)
        memcpy(to + place, text, length < room - place ? length : room - place);
    return place + length;
}

size_t TAPP_explain_error(TAPP_error error, size_t maxlen, char *message)
{
    const int is_known = error >= 0 && error < TAPP_CODES;
    char *to = maxlen ? message : NULL;
    const size_t room = maxlen ? maxlen - 1 : 0;
    size_t length = append(to, room, 0, is_known ? sentences[error] : "There is no such code.");
    if (error == last.code && error != TAPP_CODE_SUCCESS && last.sentence[0]) {
        length = append(to, room, length, " ");
        length = append(to, room, length, last.sentence);
    }
    if (!to)
        return length;
    const size_t written = length < room ? length : room;
    to[written] = 0;
    return written;
}
