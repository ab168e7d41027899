/* Quantum gates on some qubits of a state vector: a contraction over a nested layout, whichever qubits they are.
 *
 * A state of n qubits has 2^n complex amplitudes; bit n - 1 - q of an amplitude's number is qubit q. In the notation
 * that is a tensor S=[2][2]..[2]. A gate on the qubits q and r is a 4 x 4 matrix, and meets the dimension
 * [[#S_q][#S_r]] of a view whose other dimension is all the rest:
 *
 *     new[g, rest] = sum over h of gate[g, h] old[h, rest]
 *
 * No amplitude is moved to where a matrix would want it, as programs do that gather pairs or transpose first. The
 * result may not lie where the state does, for each new amplitude is of several old ones (LAY_ERR_OVERLAP): two vectors
 * take turns. */
#include <complex.h>
#include <layoutgemm.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { QUBITS = 10, STATES = 1 << QUBITS, MOST = 3 };

/* "S=[2]..[2]; [[#S_q][#S_r]][[#S_0]..]" */
static lay_status view(int count, const int qubit[], lay_desc **out)
{
    char text[400] = "S=", rest[200] = "", word[20];
    for (int q = 0; q < QUBITS; q++)
        strcat(text, "[2]");
    strcat(text, "; [");
    for (int i = 0; i < count; i++)
        sprintf(text + strlen(text), "[#S_%d]", qubit[i]);
    for (int q = 0; q < QUBITS; q++) {
        snprintf(word, sizeof word, "[#S_%d]", q);
        if (!strstr(text, word))
            strcat(rest, word);
    }
    sprintf(text + strlen(text), "][%s]", rest);
    return lay_desc_parse(text, out);
}

static lay_status apply(int count, const int qubit[], const double complex *gate, const double complex *from,
                        double complex *to)
{
    const double complex one = 1, zero = 0;
    const int64_t states = 1 << count;
    lay_desc *matrix = NULL, *state = NULL;
    lay_status status = view(count, qubit, &state);
    if (status == LAY_OK)
        status = lay_desc_natural(2, (int64_t[]){ states, states }, &matrix);
    if (status == LAY_OK)
        status = lay_contract(LAY_C64, "gh,hr->gr", matrix, state, state, &one, gate, from, &zero, to, NULL);
    lay_desc_destroy(matrix);
    lay_desc_destroy(state);
    return status;
}

/* The same, amplitude by amplitude. */
static double complex wanted(int count, const int qubit[], const double complex *gate, const double complex *from,
                             int at)
{
    int row = 0;
    double complex sum = 0;
    for (int i = 0; i < count; i++)
        row = 2 * row + (at >> (QUBITS - 1 - qubit[i]) & 1);
    for (int column = 0; column < 1 << count; column++) {
        int source = at;
        for (int i = 0; i < count; i++) {
            const int bit = 1 << (QUBITS - 1 - qubit[i]);
            source = column >> (count - 1 - i) & 1 ? source | bit : source & ~bit;
        }
        sum += gate[row * (1 << count) + column] * from[source];
    }
    return sum;
}

int main(void)
{
    static double complex state[2][STATES];
    const double half = sqrt(0.5);
    const double complex hadamard[2][2] = { { half, half }, { half, -half } };
    const double complex phase[4][4] = { { 1 }, { 0, 1 }, { 0, 0, 1 }, { 0, 0, 0, cexp(I * 0.7) } };
    double complex toffoli[8][8] = { { 0 } }; /* |1 1 x> has x turned */
    for (int i = 0; i < 8; i++)
        toffoli[i][i < 6 ? i : 13 - i] = 1;
    const struct {
        int count, qubit[MOST];
        const double complex *gate;
    } circuit[] = { { 1, { 0 }, *hadamard },      { 1, { 9 }, *hadamard },      { 1, { 4 }, *hadamard },
                    { 2, { 9, 0 }, *phase },      { 3, { 4, 9, 2 }, *toffoli }, { 1, { 2 }, *hadamard },
                    { 3, { 0, 4, 7 }, *toffoli }, { 2, { 2, 7 }, *phase },      { 3, { 7, 2, 0 }, *toffoli } };
    int wrong = 0, now = 0;
    state[0][0] = 1;
    for (size_t step = 0; step < sizeof circuit / sizeof circuit[0] && !wrong; step++, now = !now) {
        double norm = 0;
        if (apply(circuit[step].count, circuit[step].qubit, circuit[step].gate, state[now], state[!now]) != LAY_OK) {
            fprintf(stderr, "%s\n", lay_last_error());
            return 1;
        }
        for (int at = 0; at < STATES; at++) {
            const double complex w =
                wanted(circuit[step].count, circuit[step].qubit, circuit[step].gate, state[now], at);
            wrong |= !(cabs(state[!now][at] - w) < 1e-14);
            norm += creal(state[!now][at] * conj(state[!now][at]));
        }
        wrong |= !(fabs(norm - 1) < 1e-12);
    }
    wrong |= apply(1, (const int[]){ 0 }, *hadamard, state[now], state[now]) != LAY_ERR_OVERLAP;
    printf("%s\n", wrong ? "WRONG" : "right");
    return wrong;
}
