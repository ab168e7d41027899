/* One product by the library under test, from infos to verdict. */
#ifndef LAY_TESTS_TAPP_PRODUCT_H
#define LAY_TESTS_TAPP_PRODUCT_H

#include "../library.h"
#include "problem.h"

#define NOTE_SIZE 1200

/* Refused: by a code that is no success, with words for it, and with D as it was. */
typedef enum outcome { RIGHT, WRONG, REFUSED } outcome;

/* The objects of one product. */
typedef struct session {
    const tapp_library *library;
    TAPP_handle handle;
    TAPP_executor executor;
    TAPP_tensor_info a, b, c, d;
    TAPP_tensor_product plan;
    int has_handle, has_executor, has_plan, infos;
} session;

/* Makes all of them, for the shapes and types that the problem has. The first code that is no success ends it. */
TAPP_error open_session(session *opened, const tapp_library *library, const tensor_problem *problem);

/* The last step of it: the plan, of the infos that there are. */
TAPP_error plan_session(session *opened, const tensor_problem *problem);
TAPP_error close_session(session *opened);

/* Runs the plan on the problem's tensors; C's address is NULL where the recipe asks for that. */
TAPP_error execute(session *opened, const tensor_problem *problem);

/* REFUSED, or WRONG where the library has no words for the code. The words are the note. */
outcome refusal(const tapp_library *library, TAPP_error error, char *note);
outcome wrong(char *note, const char *why);

/* All of it: a product that is to be right, or to be refused. */
outcome judge_product(const tapp_library *library, tensor_problem *problem, char *note);

#endif
