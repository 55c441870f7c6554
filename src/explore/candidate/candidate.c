#include "explore/candidate.h"
#include "base/memory.h"
#include "device/traits.h"
#include "explore/trial/slab.h"
#include "ir/sizes.h"

/* Limit of a whole kernel, as a multiple of the limit of straight-line code. */
enum { CODE_MOST = 8 };

bool candidate_generate(const struct candidate_request *r,
                        const struct explore_numbers *numbers, struct runner_module *out,
                        struct lift_str *why)
{
    struct runner_request request = {.problem = r->problem,
                                     .term = r->candidates->term,
                                     .numbers = &numbers->env,
                                     .dialect = r->device->dialect,
                                     .local_functions = r->local_functions,
                                     .beside = r->beside};
    LIFT_FREED char *json = lift_space_json(r->candidates->space, r->point);
    char hex[LIFT_HASH_HEX];
    LIFT_SCOPED(lift_str) comment = {0};
    int64_t straight = lift_device_traits(r->device)->straight_most;

    for (int d = 0; d < 3; d++)
        request.local[d] = (int)explore_launch_number(numbers, lift_local_names[d], 1);
    request.index_bits = (int)explore_launch_number(numbers, explore_index_name, 64);
    request.resident = (int)explore_launch_number(numbers, lift_resident_name, 0);
    request.warp = r->device->simd_width;
    request.most_straight = r->any_length ? 0 : straight;
    request.most_code = CODE_MOST * straight;
    lift_str_addf(&comment, "expression %s\ntunables %s",
                  lift_hash_hex(r->candidates->term->hash, hex), json);
    request.comment = lift_str_get(&comment);
    return runner_generate(&request, out, why);
}

/* Registers of a thread if 'groups' blocks of a given size must be resident. */
static int most_registers(const struct candidate_request *r,
                          const struct explore_numbers *n, int groups)
{
    const struct lift_traits *t = lift_device_traits(r->device);
    int items = 1, most;

    for (int d = 0; d < 3; d++)
        items *= (int)explore_launch_number(n, lift_local_names[d], 1);
    most = r->device->unit_registers / (groups * items);
    most = most / t->register_step * t->register_step;
    return most < t->registers_most ? most : t->registers_most;
}

const char *candidate_flags(const struct candidate_request *r)
{
    const struct lift_traits *t = lift_device_traits(r->device);
    LIFT_SCOPED(lift_str) text = {0};
    struct explore_numbers n;
    const char *set;
    int compiler, groups, width;

    explore_numbers_of(r->problem, r->candidates, r->point, &n);
    set = explore_flag_sets(
        r->problem, r->device)[(int)explore_launch_number(&n, explore_flags_name, 0)];
    compiler = (int)explore_launch_number(&n, explore_compiler_name, LIFT_COMPILER_ANY);
    groups = (int)explore_launch_number(&n, lift_resident_name, 0);
    width = (int)explore_launch_number(&n, explore_width_name, 0);
    if (compiler)
        lift_str_addf(&text, "compiler=%s ", lift_compiler_name(compiler));
    lift_str_add(&text, set);
    if (groups && t->register_flag)
        lift_str_addf(&text, "%s%s%d", *set ? " " : "", t->register_flag,
                      most_registers(r, &n, groups));
    if (width)
        lift_str_addf(&text, " %s%d", t->vector_flag, width);
    return lift_arena_strdup(lift_ir_arena(r->problem->ir), lift_str_get(&text));
}

static bool generate(const struct candidate_request *r,
                     const struct explore_numbers *numbers, struct runner_module *out,
                     struct trial_outcome *t)
{
    LIFT_SCOPED(lift_str) why = {0};
    bool done = candidate_generate(r, numbers, out, &why);

    if (!done)
        trial_end(t, LIFT_TRIAL_CODEGEN, lift_str_get(&why));
    return done;
}

static bool generate_small(const struct candidate_request *r, struct candidate *c,
                           struct trial_outcome *t)
{
    LIFT_SCOPED(lift_str) why = {0};
    bool done;

    if (r->candidates->fixed || c->small.module)
        return true;
    explore_numbers_of(r->problem, r->candidates, r->point, &c->small_numbers);
    done = explore_small_sizes(r->problem, r->candidates, &c->small_numbers, &why);
    if (!done)
        trial_end(t, LIFT_TRIAL_CONSTRAINT, lift_str_get(&why));
    return done && generate(r, &c->small_numbers, &c->small, t);
}

/* The space has only a lower bound: the size of a circular buffer is known after code
 * generation. */
static bool fits_local(const struct lift_device_info *device, const struct lift_module *m,
                       struct trial_outcome *t)
{
    char text[TRIAL_REASON];

    for (int i = 0; i < m->kernel_count; i++) {
        const struct lift_kernel *k = &m->kernels[i];

        if (!lift_dialect_has_groups(m->dialect) || device->local_bytes <= 0 ||
            k->local_bytes <= device->local_bytes)
            continue;
        snprintf(text, sizeof text,
                 "kernel '%s' needs %lld bytes of local memory: at most %lld", k->name,
                 (long long)k->local_bytes, (long long)device->local_bytes);
        return trial_end(t, LIFT_TRIAL_CONSTRAINT, text);
    }
    return true;
}

/* Makes, from its configuration, a candidate space that was found after this process
 * began. */
static bool find_space(const struct explore_bench *bench,
                       const struct trial_request *asked, struct trial_outcome *t)
{
    LIFT_SCOPED(lift_str) why = {0};
    struct derived made;
    bool good = bench->spaces[asked->candidates].term != NULL;

    if (!good && bench->later)
        good =
            configurations_make(bench->later->derivation, &asked->options, &made, &why) &&
            configurations_space(
                bench->later,
                &(struct derive_leaf){made.node, made.conditions, asked->options},
                &bench->spaces[asked->candidates], &why);
    if (!good)
        trial_end(t, LIFT_TRIAL_CODEGEN, lift_str_get(&why));
    return good;
}

bool candidate_make(const struct explore_bench *bench, const struct trial_request *asked,
                    struct candidate *c, struct trial_outcome *t)
{
    struct candidate_request r = {.problem = bench->problem,
                                  .device = bench->info,
                                  .candidates = &bench->spaces[asked->candidates],
                                  .point = asked->point};
    struct explore_numbers numbers;

    if (!find_space(bench, asked, t))
        return false;
    c->flags = candidate_flags(&r);
    if (bench->problem->whole)
        explore_slab_numbers(bench->problem, r.candidates, r.point, &numbers);
    else
        explore_numbers_of(bench->problem, r.candidates, r.point, &numbers);
    return generate(&r, &numbers, &c->full, t) &&
           fits_local(bench->info, c->full.module, t) && generate_small(&r, c, t);
}

void candidate_fini(struct lift_device *device, struct candidate *c)
{
    runner_unload(device, &c->small);
    runner_unload(device, &c->full);
}
