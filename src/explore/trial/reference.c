/* The kernels that make references, as terms. */
#include "explore/reference.h"
#include "device/traits.h"
#include "explore/configurations.h"

const struct explore_problem *explore_reference_problem(const struct explore_bench *bench)
{
    return bench->problem->sweep ? bench->problem->sweep : bench->problem;
}

/* Stores pads with a number as halos in the buffers if possible. Predicates for each
 * point would make a reference ten times as slow as a kernel. */
static lift_expr without_tests(struct lift_ir *ir, const struct lift_rules *rules,
                               lift_expr term)
{
    const struct lift_rule *rule = lift_rules_find(rules, "physicalHalo");
    const struct lift_path root = {0};
    struct lift_rewrite stored;

    return rule && lift_rewrite_at(ir, rule, term, &root, 0, &stored) ? stored.term
                                                                      : term;
}

/* The kernels of a device: the naive kernel, and a kernel of another family. */
struct lowering {
    struct derivation *derivation;
    const struct lift_device_info *device;
    struct explore_own *own;
    int count;
};

/* Takes a kernel with its default tunables. Returns true if no kernel is missing. */
static bool take(void *user, const struct derive_leaf *leaf)
{
    struct lowering *l = user;
    const struct derivation *d = l->derivation;
    struct explore_own *own = &l->own[l->count];
    struct candidate_space_request request = {.problem = d->problem,
                                              .device = l->device,
                                              .term = d->nodes[leaf->node].term,
                                              .conditions = leaf->conditions};
    LIFT_SCOPED(lift_str) why = {0};

    if ((l->count && request.term == l->own[0].space.term) ||
        !candidate_space_make(&request, &own->space, &why) ||
        !candidate_space_nearest(&own->space, "{}", own->point))
        return false;
    return ++l->count == EXPLORE_OWN;
}

/* Devices with separate memory. */
static const struct explore_own *lower_own(const struct explore_problem *p,
                                           const struct lift_device_info *device,
                                           const struct lift_rules *rules)
{
    struct lowering l = {
        derive_create(p, rules, device->dialect), device,
        LIFT_NEW_ARRAY(lift_ir_arena(p->ir), struct explore_own, EXPLORE_OWN + 1), 0};
    struct derive_leaf naive;
    LIFT_SCOPED(lift_str) why = {0};

    l.derivation->device = explore_option_device(device);
    if (configurations_naive(l.derivation, &naive, &why)) {
        take(&l, &naive);
        if (l.count)
            configurations_each_family(l.derivation, take, &l);
    }
    derive_destroy(l.derivation);
    return l.count == EXPLORE_OWN ? l.own : NULL;
}

bool explore_reference_lower(struct explore_bench *bench, const struct lift_rules *rules,
                             struct lift_str *why)
{
    const struct explore_problem *p = explore_reference_problem(bench);
    lift_expr plain = configurations_term(p, rules, LIFT_DIALECT_OPENMP, NULL, why);

    if (!plain)
        return false;
    bench->plain = without_tests(p->ir, rules, plain);
    bench->own = bench->info->is_cpu ? NULL : lower_own(p, bench->info, rules);
    return true;
}
