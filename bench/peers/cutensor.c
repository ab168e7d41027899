/* cuTENSOR, loaded while we run: a peer for contractions of what lies in device memory. */
#include "cutensor.h"

#include <dlfcn.h>
#include <stdio.h>

#include "bench/base/element.h"
#include "loading.h"

static const loading known = {
    "cutensor",
    { "libcutensor.so.2" },
    "'pip install cutensor-cu13' or cutensor-cu12 brings it, in the folder cutensor/lib",
};

/* Of cudaDataType_t, cutensorOperator_t, cutensorJitMode_t and cutensorPlanAttribute_t. */
enum { R_32F = 0, R_64F = 1, R_16F = 2, C_32F = 4, C_64F = 5, R_16BF = 14 };
enum { OP_IDENTITY = 1, JIT_NONE = 0, PLAN_REQUIRED_WORKSPACE = 0, ALIGNMENT = 128 };

/* Of cutensorAlgo_t. */
static const struct {
    const char *name;
    int number;
} algorithms[CUTENSOR_ALGORITHMS] = {
    { "DEFAULT", -1 }, { "DEFAULT_PATIENT", -6 }, { "GETT", -4 }, { "TGETT", -3 }, { "TTGT", -2 },
};

static int find(void *library, const char *name, void *call)
{
    void *const found = dlsym(library, name);
    *(void **)call = found; /* dlsym gives a data pointer; POSIX lets it be called as what it is */
    return found != NULL;
}

static int find_calls(void *library, cutensor *out)
{
    struct cutensor_calls *to = &out->calls;
    return find(library, "cutensorCreate", &to->create) && find(library, "cutensorDestroy", &to->destroy) &&
           find(library, "cutensorGetVersion", &to->version) &&
           find(library, "cutensorCreateTensorDescriptor", &to->create_tensor) &&
           find(library, "cutensorDestroyTensorDescriptor", &to->destroy_tensor) &&
           find(library, "cutensorCreateContraction", &to->create_contraction) &&
           find(library, "cutensorDestroyOperationDescriptor", &to->destroy_operation) &&
           find(library, "cutensorCreatePlanPreference", &to->create_preference) &&
           find(library, "cutensorDestroyPlanPreference", &to->destroy_preference) &&
           find(library, "cutensorCreatePlan", &to->create_plan) &&
           find(library, "cutensorDestroyPlan", &to->destroy_plan) &&
           find(library, "cutensorPlanGetAttribute", &to->ask_plan) &&
           find(library, "cutensorContract", &to->contract) &&
           find(library, "CUTENSOR_COMPUTE_DESC_32F", &out->compute[0]) &&
           find(library, "CUTENSOR_COMPUTE_DESC_64F", &out->compute[1]);
}

const char *cutensor_open(const char *path, cutensor *out)
{
    static __thread char sentence[640];
    *out = (cutensor){ 0 };
    out->library = loading_open(&known, path, RTLD_NOW | RTLD_LOCAL, sentence, (int)sizeof sentence);
    if (!out->library)
        return sentence;
    if (!find_calls(out->library, out)) {
        snprintf(sentence, sizeof sentence, "%s: is not cuTENSOR 2", path ? path : known.name);
        return sentence;
    }
    const int status = out->calls.create(&out->handle);
    if (status) {
        snprintf(sentence, sizeof sentence, "cuTENSOR: cutensorCreate failed with status %d", status);
        return sentence;
    }
    out->version = out->calls.version();
    return NULL;
}

void cutensor_close(cutensor *of)
{
    of->calls.destroy(of->handle);
}

const char *cutensor_algorithm(int which)
{
    return algorithms[which].name;
}

/* Its descriptors, made from the first one on. */
typedef struct making {
    void *tensor[3], *operation, *preference;
} making;

static int make(const cutensor *self, lay_type type, const contraction *of, int algorithm, making *out)
{
    static const int types[] = { [LAY_F32] = R_32F,   [LAY_F64] = R_64F, [LAY_F16] = R_16F,
                                 [LAY_BF16] = R_16BF, [LAY_C32] = C_32F, [LAY_C64] = C_64F };
    int32_t modes[3][CONTRACTION_RANK] = { { 0 } };
    int status = 0;
    for (int i = 0; i < 3 && !status; i++) {
        for (int j = 0; j < of->rank[i]; j++)
            modes[i][j] = of->name[i][j];
        status = self->calls.create_tensor(self->handle, &out->tensor[i], (uint32_t)of->rank[i], of->extent[i],
                                           of->stride[i], types[type], ALIGNMENT);
    }
    if (!status)
        status =
            self->calls.create_contraction(self->handle, &out->operation, out->tensor[0], modes[0], OP_IDENTITY,
                                           out->tensor[1], modes[1], OP_IDENTITY, out->tensor[2], modes[2], OP_IDENTITY,
                                           out->tensor[2], modes[2], *self->compute[element_real(type) == LAY_F64]);
    return status
               ? status
               : self->calls.create_preference(self->handle, &out->preference, algorithms[algorithm].number, JIT_NONE);
}

int cutensor_plan_create(const cutensor *self, lay_type type, const contraction *of, int algorithm,
                         uint64_t most_workspace, cutensor_plan *out)
{
    making made = { 0 };
    *out = (cutensor_plan){ 0 };
    int status = make(self, type, of, algorithm, &made);
    if (!status)
        status = self->calls.create_plan(self->handle, &out->plan, made.operation, made.preference, most_workspace);
    if (!status)
        status = self->calls.ask_plan(self->handle, out->plan, PLAN_REQUIRED_WORKSPACE, &out->workspace,
                                      sizeof out->workspace);
    if (made.preference)
        self->calls.destroy_preference(made.preference);
    if (made.operation)
        self->calls.destroy_operation(made.operation);
    for (int i = 0; i < 3; i++)
        if (made.tensor[i])
            self->calls.destroy_tensor(made.tensor[i]);
    if (status)
        cutensor_plan_destroy(self, out);
    return status;
}

void cutensor_plan_destroy(const cutensor *self, cutensor_plan *of)
{
    if (of->plan)
        self->calls.destroy_plan(of->plan);
    *of = (cutensor_plan){ 0 };
}

int cutensor_contract(const cutensor *self, const cutensor_plan *plan, lay_type type, const void *a, const void *b,
                      void *c, void *workspace, void *stream)
{
    return self->calls.contract(self->handle, plan->plan, element_scalar(type, 1), a, b, element_scalar(type, 0), c, c,
                                workspace, plan->workspace, stream);
}
