/* Products that are to be right, alone and with their operands in other orders. */
#include "groups.h"

outcome check_product(const trial *of)
{
    tensor_problem problem;
    make_problem(&problem, of->recipe, of->source);
    const outcome is = judge_product(of->library, &problem, of->note);
    free_problem(&problem);
    return is;
}

/* A B, and B A. */
outcome check_commuted(const trial *of)
{
    tensor_problem problem;
    make_problem(&problem, of->recipe, of->source);
    outcome is = judge_product(of->library, &problem, of->note);
    if (is == RIGHT) {
        const tensor a = problem.a;
        problem.a = problem.b;
        problem.b = a;
        problem.types.a = problem.a.type;
        problem.types.b = problem.b.type;
        reset_output(&problem);
        is = judge_product(of->library, &problem, of->note);
    }
    free_problem(&problem);
    return is;
}

/* The modes of D in every order that turning them gives. */
outcome check_permuted(const trial *of)
{
    tensor_problem problem;
    make_problem(&problem, of->recipe, of->source);
    const int nmode = problem.d.nmode;
    int modes[MOST_MODES];
    for (int i = 0; i < nmode; i++)
        modes[i] = (i + 1) % nmode;
    outcome is = judge_product(of->library, &problem, of->note);
    for (int turn = 1; is == RIGHT && turn < nmode; turn++) {
        reorder_output(&problem, of->source, modes);
        is = judge_product(of->library, &problem, of->note);
    }
    free_problem(&problem);
    return is;
}
