/* What a run is given: whether it is the plan's, clear of what is written, and where it lies. */
#include "run_check.h"

#include "base/scalar.h"
#include "base/status.h"
#include "device/place.h"
#include "layout/desc.h"

/* Whether elements at data stay clear of what is written at c: 1, 0 where that cannot be shown, -1 without memory. A
 * distance that was found clear is kept in known_apart. */
static __attribute__((noinline)) int are_apart(const lay_plan *plan, lay_type type, const lay_desc *desc,
                                               const void *data, const void *c, _Atomic uintptr_t *known_apart)
{
    const uintptr_t distance = (uintptr_t)data - (uintptr_t)c + 1;
    if (distance != 0 && distance == atomic_load_explicit(known_apart, memory_order_relaxed))
        return 1;
    const int apart =
        lay_desc_is_clear(desc, data, (size_t)lay_size_of(type), plan->c, c, (size_t)lay_size_of(plan->types.result));
    if (apart == 1)
        atomic_store_explicit(known_apart, distance, memory_order_relaxed);
    return apart;
}

/* Of ranges that meet. */
static lay_status check_overlap(const lay_plan *plan, lay_type type, const lay_desc *desc, const void *data,
                                const char *name, const void *c, _Atomic uintptr_t *known_apart)
{
    const int apart = are_apart(plan, type, desc, data, c, known_apart);
    if (apart == 0)
        return lay_fail(LAY_ERR_OVERLAP,
                        "%c cannot be shown to stay clear of %s, whose elements lie in the same memory",
                        plan->addend ? 'D' : 'C', name);
    return apart < 0 ? LAY_ERR_MEMORY : LAY_OK;
}

/* The device of the operands that lie on one; managed memory lies on any. */
static lay_status agree(const lay_plan *plan, int count, const int own[], int *device)
{
    static const char *const name[] = { "C", "A", "B" };
    int first = -1;
    for (int i = 0; i < count; i++) {
        if (own[i] < 0)
            continue;
        if (plan->options.device >= 0 && own[i] != plan->options.device)
            return lay_fail(LAY_ERR_ARGUMENT, "%s lies on device %d, but options.device%s %d", name[i], own[i],
                            plan->options.device_count ? "s begins with" : " is", plan->options.device);
        if (first >= 0 && own[i] != own[first])
            return lay_fail(LAY_ERR_UNSUPPORTED, "%s lies on device %d, but %s on device %d", name[first], own[first],
                            name[i], own[i]);
        first = i;
    }
    *device = first >= 0 ? own[first] : lay_plan_device(plan);
    return LAY_OK;
}

static lay_place find_place(const lay_reach *reach, const lay_given *operand, int *device)
{
    if (!operand->packed)
        return lay_reach_place(reach, operand->data, device);
    *device = operand->packed->place == LAY_PLACE_DEVICE ? operand->packed->device : -1;
    return operand->packed->place;
}

/* A and B count where they are read, else they are where C is. */
static lay_status find_places(const lay_plan *plan, int has_product, const lay_asked_run *of, lay_places *places)
{
    const lay_given *operand = of->operand;
    const void *c = of->c;
    static const char *const name[] = { "C", "A", "B" };
    int device[] = { -1, -1, -1 };
    *places = lay_places_all(LAY_PLACE_HOST, plan->options.device >= 0 ? plan->options.device : 0);
    if (has_product) {
        places->packed[0] = operand[0].packed;
        places->packed[1] = operand[1].packed;
    }
    if (!lay_place_may_differ())
        return LAY_OK;
    places->c = lay_reach_place(&plan->reach_c, c, &device[0]);
    places->a = has_product ? find_place(&plan->reach_a, &operand[0], &device[1]) : places->c;
    places->b = has_product ? find_place(&plan->reach_b, &operand[1], &device[2]) : places->c;
    const lay_place each[] = { places->c, places->a, places->b };
    for (int i = 0; i < 3; i++)
        if (each[i] == LAY_PLACE_DEVICE && plan->options.backend == LAY_BACKEND_CPU)
            return lay_fail(LAY_ERR_UNSUPPORTED, "%s lies in device memory, but options.backend is the CPU", name[i]);
    return agree(plan, 3, device, &places->device);
}

/* Whether a packed operand is this plan's, by what it is. */
static lay_status check_packed(const lay_plan *plan, lay_operand which, const lay_packed *packed)
{
    static const char *const name[] = { "A", "B" };
    const int64_t rows = which == LAY_OPERAND_A ? plan->m : plan->k;
    const int64_t columns = which == LAY_OPERAND_A ? plan->k : plan->n;
    if (packed->operand != which)
        return lay_fail(LAY_ERR_ARGUMENT, "packed_%c was packed as %s", which == LAY_OPERAND_A ? 'a' : 'b',
                        name[packed->operand]);
    if (packed->type != lay_types_at(&plan->types, (int)which))
        return lay_fail(LAY_ERR_TYPE, "%s was packed from elements of another type than the plan's", name[which]);
    const lay_node *batch = lay_operand_batch(which == LAY_OPERAND_A ? plan->a : plan->b);
    if (batch)
        return lay_fail(LAY_ERR_SHAPE,
                        "%s was packed from %lld x %lld elements, the plan's is a batch of %lld matrices", name[which],
                        (long long)packed->rows, (long long)packed->columns, (long long)batch->extent);
    if (packed->rows != rows || packed->columns != columns)
        return lay_fail(LAY_ERR_SHAPE, "%s was packed from %lld x %lld elements, the plan's is %lld x %lld",
                        name[which], (long long)packed->rows, (long long)packed->columns, (long long)rows,
                        (long long)columns);
    return LAY_OK;
}

static lay_status check_given(const lay_plan *plan, const lay_given operand[2])
{
    for (int i = 0; i < 2; i++) {
        const lay_status status = operand[i].packed ? check_packed(plan, (lay_operand)i, operand[i].packed) : LAY_OK;
        if (status != LAY_OK)
            return status;
        if (operand[i].packed && operand[i].data)
            return lay_fail(LAY_ERR_ARGUMENT, "%c is given twice, by its address and packed", "ab"[i]);
    }
    return LAY_OK;
}

/* What the caller promised of addresses; NULL ones are another matter. */
static lay_status check_alignment(const lay_plan *plan, const lay_asked_run *of)
{
    const void *const at[] = { of->operand[0].data, of->operand[1].data, of->addend, of->c };
    const char *const name = plan->addend ? "abcd" : "abcc";
    for (int i = 0; i < 4; i++)
        if ((uintptr_t)at[i] & (plan->options.alignment - 1))
            return lay_fail(LAY_ERR_ARGUMENT, "%c is no multiple of %zu bytes, as options.alignment promises", name[i],
                            plan->options.alignment);
    return LAY_OK;
}

/* What a product reads. */
static lay_status check_operands(lay_plan *plan, const lay_given operand[2], const void *c)
{
    static const char *const name[] = { "A", "B" };
    const lay_desc *const desc[] = { plan->a, plan->b };
    const lay_meeting *const meeting[] = { &plan->meeting_a, &plan->meeting_b };
    _Atomic uintptr_t *const apart[] = { &plan->apart_a, &plan->apart_b };
    for (int i = 0; i < 2; i++)
        if (!operand[i].data && !operand[i].packed)
            return lay_fail(LAY_ERR_ARGUMENT, "%c is NULL, but alpha and k are not 0", "ab"[i]);
    for (int i = 0; i < 2; i++) {
        if (operand[i].packed || !lay_operands_meet(meeting[i], operand[i].data, c))
            continue;
        const lay_status status =
            check_overlap(plan, lay_types_at(&plan->types, i), desc[i], operand[i].data, name[i], c, apart[i]);
        if (status != LAY_OK)
            return status;
    }
    return LAY_OK;
}

/* C, if it is read and is not where the result goes; else NULL. */
static lay_status find_addend(lay_plan *plan, const lay_asked_run *of, const void **addend)
{
    *addend = NULL;
    if (!plan->addend || of->is_begun || lay_scalar_is(of->beta, plan->types.sum, 0))
        return LAY_OK;
    if (!of->addend)
        return lay_fail(LAY_ERR_ARGUMENT, "c is NULL, but beta is not 0");
    if (of->addend == of->c && plan->types.addend == plan->types.result && lay_desc_equal(plan->addend, plan->c) &&
        !plan->is_conjugated[LAY_RESULT])
        return LAY_OK;
    const int apart = are_apart(plan, plan->types.addend, plan->addend, of->addend, of->c, &plan->apart_addend);
    if (apart == 0)
        return lay_fail(LAY_ERR_OVERLAP, "D is neither C nor can it be shown to stay clear of it");
    *addend = of->addend;
    return apart < 0 ? LAY_ERR_MEMORY : LAY_OK;
}

/* Scales and bias of an ending: all there, on the host, and clear of D. */
static lay_status check_terms(const lay_plan *plan, const lay_asked_run *of)
{
    for (int i = 0; i < LAY_END_TERMS; i++) {
        const void *const term = of->term[i];
        const lay_desc *const desc = plan->end ? plan->end->term[i].desc : NULL;
        if (!desc != !term)
            return lay_fail(LAY_ERR_ARGUMENT,
                            desc ? "%s is NULL, but the plan's ending has one: lay_plan_run_arguments takes it"
                                 : "%s is given, but the plan's ending has none",
                            lay_end_name(i));
        if (!desc || plan->is_empty || !of->c)
            continue;
        const lay_type type = plan->end->term[i].type;
        int device = -1;
        if (lay_place_may_differ() &&
            lay_place_find((const char *)term + lay_desc_offset(desc, 1, &(int64_t){ 0 }) * lay_size_of(type),
                           &device) == LAY_PLACE_DEVICE)
            return lay_fail(LAY_ERR_UNSUPPORTED, "%s lies in device memory: endings are of host memory",
                            lay_end_name(i));
        const int apart = lay_desc_is_clear(desc, term, (size_t)lay_size_of(type), plan->c, of->c,
                                            (size_t)lay_size_of(plan->types.result));
        if (apart <= 0)
            return apart < 0 ? LAY_ERR_MEMORY
                             : lay_fail(LAY_ERR_OVERLAP,
                                        "%c cannot be shown to stay clear of %s, which lies in the "
                                        "same memory",
                                        plan->addend ? 'D' : 'C', lay_end_name(i));
    }
    return LAY_OK;
}

lay_status lay_run_check_arguments(const lay_plan *plan, const lay_asked_run *of)
{
    lay_status status = check_given(plan, of->operand);
    if (status == LAY_OK && plan->options.alignment)
        status = check_alignment(plan, of);
    return status == LAY_OK ? check_terms(plan, of) : status;
}

lay_status lay_run_check_memory(lay_plan *plan, const lay_asked_run *of, int has_product, const void **addend,
                                lay_places *places)
{
    if (!of->c)
        return lay_fail(LAY_ERR_ARGUMENT, "%c is NULL", plan->addend ? 'd' : 'c');
    lay_status status = has_product ? check_operands(plan, of->operand, of->c) : LAY_OK;
    if (status == LAY_OK)
        status = find_addend(plan, of, addend);
    return status == LAY_OK ? find_places(plan, has_product, of, places) : status;
}
