/* The kernel of a plan. */
#include "base/fail.h"
#include "base/memory.h"
#include "explore/kept_binaries.h"
#include "run/plan.h"

struct lift_hash plan_kernel_hash(const struct chosen_candidate *candidate)
{
    LIFT_FREED char *tunables =
        lift_space_json(candidate->candidates.space, candidate->point);

    return lift_hash_combine(candidate->candidates.term->hash, lift_hash_text(tunables));
}

struct compiling {
    struct lift_plan *plan;
    const struct plan_layout *like; /* NULL: any */
    const struct lift_hash *kernel; /* NULL: any */
    bool done;
    struct lift_str why; /* why the first failed candidate does not compile */
};

static bool compile(struct lift_plan *plan, struct lift_str *why)
{
    struct lift_chosen *c = plan->chosen;
    struct candidate_request request = chosen_request(&c->chooser, &c->candidate);
    LIFT_SCOPED(lift_error) failure = {0};
    bool good =
        runner_build_kept(plan->device, &c->module, candidate_flags(&request), &failure);

    if (!good)
        lift_str_add(why, lift_str_get(&failure.text));
    return good;
}

/* Checks the layout of a kernel before its compilation. */
static bool lies_so(const struct compiling *c, struct lift_str *why)
{
    LIFT_SCOPED(lift_error) error = {0};
    struct plan_layout own;

    if (!c->like)
        return true;
    if (!plan_set_arrays(c->plan, &error))
        return LIFT_FAIL(why, "%s", lift_error_text(&error));
    own = plan_layout_of(c->plan);
    if (lift_hash_equal(own.places, c->like->places) &&
        lift_hash_equal(own.shared, c->like->shared))
        return true;
    return LIFT_FAIL(why, "no kernel uses the memory layout of the other planes");
}

static bool compile_first(void *user, const struct chosen_candidate *candidate)
{
    struct compiling *c = user;
    LIFT_SCOPED(lift_str) why = {0};

    if (c->kernel && !lift_hash_equal(plan_kernel_hash(candidate), *c->kernel))
        return true;
    plan_forget_binary(c->plan);
    c->done = chosen_take(c->plan->chosen, candidate, &why) && lies_so(c, &why) &&
              compile(c->plan, &why);
    if (c->why.len == 0)
        lift_str_add(&c->why, lift_str_get(&why));
    return !c->done;
}

bool plan_take_kernel(struct lift_plan *plan, const char *device,
                      const struct plan_wanted *wanted, double *gpts,
                      struct lift_error *error)
{
    struct lift_chosen *c = plan->chosen;
    struct compiling k = {.plan = plan, .like = wanted->like, .kernel = wanted->kernel};
    LIFT_SCOPED(lift_str) plain = {0};
    bool read;

    if (k.like)
        c->chooser.near = k.like->tunables ? k.like->tunables : "{}";
    if (wanted->known_as)
        c->chooser.known_as = wanted->known_as;
    read = chosen_each(&c->chooser, compile_first, &k, &plain);
    if (read && k.kernel && !k.done) {
        *gpts = 0;
        k.kernel = NULL;
        read = chosen_each(&c->chooser, compile_first, &k, &plain);
    }
    if (!read)
        lift_fail(error, LIFT_ERROR_DATABASE, "%s", lift_db_error(c->chooser.db));
    else if (!k.done)
        lift_fail(error, LIFT_ERROR_KERNEL, "no kernel of '%s' for '%s': %s",
                  c->problem->name, device, lift_str_get(plain.len ? &plain : &k.why));
    lift_str_fini(&k.why);
    return read && k.done;
}
