/* The candidates of a device. */
#include "base/bug.h"
#include "base/memory.h"
#include "explore/candidate/joint_space.h"
#include "explore/session/session.h"
#include <stdlib.h>

/* ---- expressions */

static bool is_wanted(const struct lift_explore_options *o, lift_expr term)
{
    for (int i = 0; i < o->expr_count; i++)
        if (lift_hash_consider(&(struct lift_hash_search){.digits = o->exprs[i]},
                               term->hash))
            return true;
    return o->expr_count == 0;
}

/* Checks that each shortened hash names an expression of some device; the last device
 * session reports the missing ones. */
static bool check_exprs(struct device_session *l)
{
    struct session *s = l->session;
    bool last = l == &s->device_sessions[s->device_session_count - 1], good = true;

    for (int i = 0; i < s->options->expr_count && good; i++) {
        struct lift_hash_search search = {.digits = s->options->exprs[i]};
        LIFT_SCOPED(lift_str) why = {0};
        struct lift_hash found;

        for (const struct device_session *k = s->device_sessions; k <= l; k++)
            for (int j = 0; j < k->derivation->leaf_count; j++)
                lift_hash_consider(
                    &search,
                    k->derivation->nodes[k->derivation->leaves[j].node].term->hash);
        if (search.count != 1 && (search.count > 1 || last) &&
            !lift_hash_found(&search, "expression", &found, &why))
            good = session_fail(s, "'%s': %s; --print-space lists them", s->problem->name,
                                lift_str_get(&why));
    }
    return good;
}

const struct derive_leaf *device_session_leaf(const struct device_session *l,
                                              int candidates)
{
    return candidates == DEVICE_SESSION_PLAIN
               ? &l->naive_leaf
               : &l->derivation->leaves[l->leaves[candidates]];
}

void device_session_print_configuration(const struct device_session *l, int candidates,
                                        struct lift_str *out)
{
    size_t before = out->len;

    lift_configuration_print(l->session->options->rules,
                             &device_session_leaf(l, candidates)->configuration, out);
    if (out->len == before)
        lift_str_add(out, "defaults");
}

static bool make_space(struct device_session *l, int leaf, struct lift_str *why)
{
    const struct derive_leaf *from = &l->derivation->leaves[leaf];

    lift_str_clear(why);
    if (l->space_count == DEVICE_SESSION_PLAIN) {
        lift_str_add(why, "more expressions than an exploration holds");
    } else if (!is_wanted(l->session->options, l->derivation->nodes[from->node].term)) {
        lift_str_add(why, "not among the expressions that were asked for");
    } else if (configurations_space(&l->later, from, &l->spaces[l->space_count], why)) {
        l->leaves[l->space_count++] = leaf;
        return true;
    }
    l->spaces[l->space_count].term = NULL;
    reason_counts_add(&l->spaceless, lift_str_get(why), 1);
    return false;
}

/* Checks that each tunable that the user set occurs in some expression. */
static bool check_tunables(struct device_session *l)
{
    const struct lift_explore_options *o = l->session->options;

    for (int i = 0; i < o->tunable_count; i++) {
        bool found = false;

        for (int a = 0; a < l->space_count && !found; a++)
            for (int k = 0; k < lift_space_param_count(l->spaces[a].space); k++)
                found |= lift_param_called(lift_space_param(l->spaces[a].space, k),
                                           o->tunables[i].name);
        if (!found)
            return session_fail(l->session, "no expression of '%s' has a tunable '%s'",
                                l->session->problem->name, o->tunables[i].name);
    }
    return true;
}

static void note_space(struct device_session *l, int candidates)
{
    LIFT_ASSERT(l->spaces[candidates].term);
    lift_table_insert(&l->space_by_hash, l->spaces[candidates].term->hash.lo,
                      &l->spaces[candidates]);
}

bool device_session_add_space(struct device_session *l, int leaf)
{
    LIFT_SCOPED(lift_str) why = {0};
    bool good = make_space(l, leaf, &why);

    if (good)
        note_space(l, l->space_count - 1);
    l->result->progress.exprs = l->space_count;
    return good;
}

/* Reserves room for the maximum; the system commits only used memory. */
static void make_room(struct device_session *l)
{
    enum { MOST = DEVICE_SESSION_PLAIN + 1 };

    l->spaces = lift_alloc(MOST, sizeof *l->spaces);
    l->leaves = lift_alloc(MOST, sizeof *l->leaves);
    l->tried = lift_alloc(MOST, sizeof *l->tried);
    l->strikes = lift_alloc(MOST, sizeof *l->strikes);
    l->widening.done = lift_alloc(MOST, sizeof *l->widening.done);
}

static bool make_spaces(struct device_session *l)
{
    LIFT_SCOPED(lift_str) why = {0};

    make_room(l);
    for (int i = 0; i < l->derivation->leaf_count; i++)
        make_space(l, i, &why);
    for (int i = 0; i < l->space_count; i++)
        note_space(l, i);
    l->result->progress.exprs = l->space_count;
    if (l->space_count == 0)
        session_fail(l->session, "no low-level expression of '%s' fits '%s': %s",
                     l->session->problem->name, l->result->name, lift_str_get(&why));
    return l->space_count > 0 && check_tunables(l);
}

/* Adds the user's configurations. Returns false, and fails the result, if one cannot be
 * read or made. */
static bool add_wanted(struct device_session *l)
{
    const struct lift_explore_options *o = l->session->options;
    LIFT_SCOPED(lift_str) why = {0};
    bool good = true;

    for (int i = 0; i < o->point_count && good; i++) {
        struct lift_configuration point = {{0}};
        struct derived made;

        good = lift_configuration_read(o->rules, o->points[i], &point, &why) &&
               configurations_make(l->derivation, &point, &made, &why);
        if (good)
            derive_add_leaf(l->derivation, &made, &point);
        else
            session_fail(l->session, "'%s' as '%s' on '%s': %s",
                         l->session->problem->name, o->points[i], l->result->name,
                         lift_str_get(&why));
    }
    return good;
}

bool device_session_derive(struct device_session *l)
{
    struct session *s = l->session;
    const struct lift_explore_options *o = s->options;
    struct derivation *d;

    session_report(s, "rewriting");
    d = derive_create(s->problem, o->rules, l->device.info.dialect);
    d->device = explore_option_device(&l->device.info);
    l->derivation = d;
    l->later =
        (struct configurations_spaces){d, &l->device.info, o->tunables, o->tunable_count};
    if (o->point_count == 0)
        configurations_add_families(d, o->max_exprs);
    else if (!add_wanted(l))
        return false;
    if (d->leaf_count == 0)
        return session_fail(s, "'%s' cannot be lowered for '%s': %s", s->problem->name,
                            l->result->name, configurations_why_none(d));
    return check_exprs(l) && make_spaces(l);
}

bool device_session_probe(struct device_session *l)
{
    LIFT_SCOPED(lift_str) why = {0};
    bool good;

    session_report(l->session, "asking the device");
    good = lift_explore_device(l->result->name, false, &l->device, &why);
    if (good)
        l->result->device = lift_device_hash(&l->device.info);
    else
        session_fail(l->session, "%s", lift_str_get(&why));
    return good;
}

/* ---- search */

const struct lift_joint *device_session_joint(struct device_session *l)
{
    return explore_joint_make(
        lift_ir_arena(l->session->problem->ir),
        &(struct explore_joint_parts){l->derivation, l->session->options->rules,
                                      l->spaces, l->leaves, l->space_count, l->estimator,
                                      l->session->options->share.rank,
                                      l->session->options->share.ranks});
}

static const struct device_session *find_twin(const struct device_session *l)
{
    for (const struct device_session *other = l->session->device_sessions; other < l;
         other++)
        if (lift_hash_equal(other->result->device, l->result->device))
            return other;
    return NULL;
}

static const struct lift_technique *technique_of(const struct device_session *l)
{
    const char *name = l->session->options->technique;

    return name ? lift_technique_find(name) : lift_techniques[0];
}

bool device_session_space(struct device_session *l)
{
    const struct lift_explore_options *o = l->session->options;

    if (!technique_of(l))
        return session_fail(l->session, "no search technique '%s'", o->technique);
    l->twin = find_twin(l);
    if (l->twin) {
        device_session_compose_like(l, l->twin);
        return true;
    }
    session_report(l->session, "estimating");
    l->estimator = explore_estimator_create(l->session->problem, &l->device.info);
    l->joint = device_session_joint(l);
    device_session_compose(l);
    return !o->table || device_session_can_have_table(l);
}

bool device_session_search(struct device_session *l)
{
    const struct lift_explore_options *o = l->session->options;
    const struct lift_technique *technique = technique_of(l);

    if (l->twin) {
        l->frontier = l->twin->frontier;
        device_session_open(l);
        return true;
    }
    l->frontier = frontier_create(l->joint, technique, o->seed);
    if (!device_session_learn_all(l))
        return false;
    if (!device_session_recall(l, l->session->db) ||
        !device_session_resume(l, l->session->db))
        return session_db_fail(l->session);
    device_session_open(l);
    if (!o->no_seeds && !device_session_seed(l))
        return false;
    device_session_open_own(l);
    device_session_open_promising(l);
    return true;
}

void device_session_close(struct device_session *l)
{
    device_session_forget_bandwidth(l);
    drive_fini(l);
    fastest_fini(&l->fastest);
    queue_fini(&l->queue);
    lift_worker_stop(l->runner);
    if (!l->twin)
        frontier_destroy(l->frontier);
    explore_estimator_destroy(l->estimator);
    free(l->spaces);
    free(l->promising);
    free(l->leaves);
    free(l->tried);
    free(l->widening.done);
    lift_table_fini(&l->space_by_hash);
    free(l->strikes);
    reason_counts_fini(&l->spaceless);
    derive_destroy(l->derivation);
    lift_explore_device_fini(&l->device);
}
