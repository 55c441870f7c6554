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
            for (int depth = 0; depth < s->depth_count; depth++) {
                const struct derivation *d = k->depths[depth].derivation;

                for (int j = 0; j < d->leaf_count; j++)
                    lift_hash_consider(&search, d->nodes[d->leaves[j].node].term->hash);
            }
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
               : &l->depths[l->depth_of[candidates]]
                      .derivation->leaves[l->leaves[candidates]];
}

int device_session_steps(const struct device_session *l, int candidates)
{
    return l->depths[l->depth_of[candidates]].steps;
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

static bool make_space(struct device_session *l, int depth, int leaf,
                       struct lift_str *why)
{
    const struct device_depth *d = &l->depths[depth];
    const struct derive_leaf *from = &d->derivation->leaves[leaf];

    lift_str_clear(why);
    if (l->space_count == DEVICE_SESSION_PLAIN) {
        lift_str_add(why, "more expressions than an exploration holds");
    } else if (!is_wanted(l->session->options, d->derivation->nodes[from->node].term)) {
        lift_str_add(why, "not among the expressions that were asked for");
    } else if (configurations_space(&d->later, from, &l->spaces[l->space_count], why)) {
        l->depth_of[l->space_count] = (unsigned char)depth;
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

bool device_session_add_space(struct device_session *l, int depth, int leaf)
{
    LIFT_SCOPED(lift_str) why = {0};
    bool good = make_space(l, depth, leaf, &why);

    if (good)
        note_space(l, l->space_count - 1);
    l->result->progress.exprs = l->space_count;
    return good;
}

bool device_session_add_configuration(struct device_session *l, int depth,
                                      const struct lift_configuration *configuration)
{
    struct derivation *d = l->depths[depth].derivation;

    return configurations_add(d, configuration) &&
           device_session_add_space(l, depth, d->leaf_count - 1);
}

/* Reserves room for the maximum; the system commits only used memory. */
static void make_room(struct device_session *l)
{
    enum { MOST = DEVICE_SESSION_PLAIN + 1 };

    l->spaces = lift_alloc(MOST, sizeof *l->spaces);
    l->leaves = lift_alloc(MOST, sizeof *l->leaves);
    l->depth_of = lift_alloc(MOST, sizeof *l->depth_of);
    l->tried = lift_alloc(MOST, sizeof *l->tried);
    l->strikes = lift_alloc(MOST, sizeof *l->strikes);
    l->widening.done = lift_alloc(MOST, sizeof *l->widening.done);
}

static bool make_spaces(struct device_session *l)
{
    LIFT_SCOPED(lift_str) why = {0};

    make_room(l);
    for (int k = 0; k < l->session->depth_count; k++)
        for (int i = 0; i < l->depths[k].derivation->leaf_count; i++)
            make_space(l, k, i, &why);
    for (int i = 0; i < l->space_count; i++)
        note_space(l, i);
    l->result->progress.exprs = l->space_count;
    if (l->space_count == 0)
        session_fail(l->session, "no low-level expression of '%s' fits '%s': %s",
                     l->session->problem->name, l->result->name, lift_str_get(&why));
    return l->space_count > 0 && check_tunables(l);
}

/* Adds the user's configurations; each must fit some depth. Returns false, and fails the
 * result, if one cannot be read or made. */
static bool add_wanted(struct device_session *l)
{
    const struct lift_explore_options *o = l->session->options;
    LIFT_SCOPED(lift_str) why = {0};

    for (int i = 0; i < o->point_count; i++) {
        struct lift_configuration point = {{0}};
        bool read = lift_configuration_read(o->rules, o->points[i], &point, &why);
        int made = 0;

        for (int k = 0; k < l->session->depth_count && read; k++) {
            struct derivation *d = l->depths[k].derivation;
            struct derived term;

            lift_str_clear(&why);
            if (configurations_make(d, &point, &term, &why)) {
                derive_add_leaf(d, &term, &point);
                made++;
            }
        }
        if (!made)
            return session_fail(l->session, "'%s' as '%s' on '%s': %s",
                                l->session->problem->name, o->points[i], l->result->name,
                                lift_str_get(&why));
    }
    return true;
}

static void create_depth(struct device_session *l, int at)
{
    const struct lift_explore_options *o = l->session->options;
    struct device_depth *d = &l->depths[at];

    d->steps = l->session->depths[at].steps;
    d->problem = l->session->depths[at].problem;
    d->derivation = derive_create(d->problem, o->rules, l->device.info.dialect);
    d->derivation->device = explore_option_device(&l->device.info);
    d->later = (struct configurations_spaces){d->derivation, &l->device.info, o->tunables,
                                              o->tunable_count};
}

/* Makes the families of the first depth; those of other depths are estimated by other
 * processes first (depth_estimates.c), unless the space may not grow. */
bool device_session_derive(struct device_session *l)
{
    struct session *s = l->session;
    const struct lift_explore_options *o = s->options;
    bool waits = session_may_grow(o) && !session_has_few_trials(o);
    int count = 0;

    session_report(s, "rewriting");
    for (int i = 0; i < s->depth_count; i++)
        create_depth(l, i);
    if (o->point_count > 0 && !add_wanted(l))
        return false;
    for (int i = 0; i < s->depth_count; i++) {
        if (o->point_count == 0 && (i == 0 || !waits))
            configurations_add_families(l->depths[i].derivation, o->max_exprs);
        if (i == 0 || !waits || o->only_final)
            l->depths[i].estimates = DEPTH_ESTIMATED;
        count += l->depths[i].derivation->leaf_count;
    }
    if (count == 0)
        return session_fail(s, "'%s' cannot be lowered for '%s': %s", s->problem->name,
                            l->result->name,
                            configurations_why_none(l->depths[0].derivation));
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
    const struct lift_explore_options *o = l->session->options;
    LIFT_FREED struct explore_joint_expr *exprs =
        lift_alloc((size_t)l->space_count + 1, sizeof *exprs);

    for (int i = 0; i < l->space_count; i++)
        exprs[i] = (struct explore_joint_expr){
            .candidates = &l->spaces[i],
            .configuration = &device_session_leaf(l, i)->configuration,
            .estimator = l->depths[l->depth_of[i]].estimator,
            .steps = device_session_steps(l, i)};
    return explore_joint_make(lift_ir_arena(l->session->problem->ir),
                              &(struct explore_joint_parts){o->rules, exprs,
                                                            l->space_count, o->share.rank,
                                                            o->share.ranks});
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
    for (int i = 0; i < l->session->depth_count; i++)
        l->depths[i].estimator =
            explore_estimator_create(l->depths[i].problem, &l->device.info);
    l->joint = device_session_joint(l);
    if (!session_processors(l->session))
        depths_begin(l);
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
    fastest_fini(&l->single);
    queue_fini(&l->queue);
    lift_worker_stop(l->runner);
    if (!l->twin)
        frontier_destroy(l->frontier);
    for (int i = 0; i < l->session->depth_count; i++) {
        explore_estimator_destroy(l->depths[i].estimator);
        if (l->depths[i].derivation)
            derive_destroy(l->depths[i].derivation);
    }
    free(l->spaces);
    free(l->depth_of);
    free(l->promising);
    free(l->leaves);
    free(l->tried);
    free(l->widening.done);
    lift_table_fini(&l->space_by_hash);
    free(l->strikes);
    reason_counts_fini(&l->spaceless);
    lift_explore_device_fini(&l->device);
}
