/* The texts of errors: their lengths, and that they stay within the room that is given. */
#include <string.h>

#include "groups.h"

/* The text of a code in room of every size up to its own, and no character more. */
static outcome judge_message(const trial *of, TAPP_error error)
{
    char whole[1024], part[1024];
    const size_t length = of->library->explain_error(error, 0, NULL);
    if (length == 0 || length + 4 > sizeof(whole))
        return wrong(of->note, "a code without a text, or with more than a thousand characters");
    memset(whole, 1, sizeof(whole));
    if (of->library->explain_error(error, sizeof(whole), whole) != length || whole[length] != 0 ||
        strlen(whole) != length)
        return wrong(of->note, "the text has not the length that was told");
    for (size_t room = 0; room <= length + 2; room++) {
        const size_t expected = room == 0 ? length : room - 1 < length ? room - 1 : length;
        const size_t written = room == 0 ? 0 : expected + 1;
        memset(part, 1, sizeof(part));
        if (of->library->explain_error(error, room, part) != expected)
            return wrong(of->note, "the number of characters is not that written");
        if (room > 0 && (memcmp(part, whole, expected) != 0 || part[expected] != 0))
            return wrong(of->note, "the text is not the beginning of the whole with a 0 behind it");
        for (size_t i = written; i < sizeof(part); i++)
            if (part[i] != 1)
                return wrong(of->note, "characters were written beyond the room");
    }
    return RIGHT;
}

/* Of a success, and of whatever a product of unlike extents is refused with. */
outcome check_messages(const trial *of)
{
    tensor_problem problem;
    session opened;
    make_problem(&problem, of->recipe, of->source);
    TAPP_error error = open_session(&opened, of->library, &problem);
    outcome is = of->library->check_success(error) ? judge_message(of, error) : refusal(of->library, error, of->note);
    close_session(&opened);
    int mode = 0;
    while (problem.b.label[mode] != 0) /* the first label is contracted */
        mode++;
    problem.b.extents[mode]--;
    error = open_session(&opened, of->library, &problem);
    if (of->library->check_success(error))
        error = execute(&opened, &problem);
    if (is == RIGHT)
        is = of->library->check_success(error) ? wrong(of->note, "no error to explain") : judge_message(of, error);
    close_session(&opened);
    free_problem(&problem);
    return is;
}
