#include "explore/points.h"
#include "explore/lower.h"
#include "lift/bug.h"
#include "lift/strategy.h"
#include <stdlib.h>
#include <string.h>

/* What the first decisions of some points make of the program. */
struct prefix {
    struct lift_point point; /* options beyond 'count' are 0 */
    int count;
    struct shape shape;
    const char *why; /* it cannot be made; NULL: it can */
};

static unsigned device_of(const struct deriver *v)
{
    return lift_dialect_has_groups(v->device->dialect) ? LIFT_ON_GROUPS : LIFT_ON_THREADS;
}

/* ---- making */

static bool same_prefix(const void *entry, const void *key)
{
    const struct prefix *a = entry, *b = key;

    return a->count == b->count && !memcmp(&a->point, &b->point, sizeof a->point);
}

static uint64_t hash_of(const struct prefix *p)
{
    uint64_t hash = (uint64_t)p->count + 1469598103934665603u;

    for (int i = 0; i < p->count; i++)
        hash = (hash ^ p->point.option[i]) * 1099511628211u;
    return hash;
}

static struct prefix prefix_of(const struct lift_point *point, int count)
{
    struct prefix p = {.count = count};

    memcpy(p.point.option, point->option, (size_t)count);
    return p;
}

static const struct prefix *make(struct deriver *v, const struct lift_point *point,
                                 int count);

static void run(struct deriver *v, const struct lift_option *o, struct prefix *p)
{
    const struct prefix *before = make(v, &p->point, p->count - 1);

    p->why = before->why;
    if (p->why)
        return;
    if (!derive_run(v, &before->shape, lift_strategy_rule(v->arena, o->rule), &p->shape))
        p->why = lift_arena_printf(v->arena, "'%s' does not apply", o->rule->name);
    else if (!derive_is_legal(v->p, v->d->nodes[p->shape.node].term))
        p->why = "it overwrites an input which is needed again";
}

/* After so many decisions. */
static const struct prefix *make(struct deriver *v, const struct lift_point *point,
                                 int count)
{
    const struct lift_option *o;
    struct prefix key, *found;

    while (count > 0 && !lift_point_option(v->rules, point, count - 1)->rule)
        count--;
    key = prefix_of(point, count);
    found = lift_table_find(&v->d->prefixes, hash_of(&key), &key, same_prefix);
    if (found)
        return found;
    if (count > 0) {
        o = lift_point_option(v->rules, point, count - 1);
        run(v, o, &key);
    }
    found = lift_arena_copy(v->arena, &key, sizeof key);
    lift_table_insert(&v->d->prefixes, hash_of(found), found);
    return found;
}

int points_add(struct deriver *v, const struct lift_point *point, struct lift_str *why)
{
    const struct prefix *made;

    if (!lift_point_fits(v->rules, point, device_of(v), v->p->relaxed, why))
        return -1;
    made = make(v, point, lift_decision_count(v->rules));
    if (made->why) {
        lift_str_add(why, made->why);
        return -1;
    }
    if (!explore_is_lowered(v->d->nodes[made->shape.node].term, v->device->dialect)) {
        lift_str_add(why, "some of its loops have no level");
        return -1;
    }
    derive_add_leaf(v, &made->shape, point);
    return made->shape.node;
}

/* ---- families */

static void add_counted(struct deriver *v, const struct lift_point *point, int most)
{
    struct lift_str why = {0};

    if (v->d->leaf_count >= most)
        v->d->reach.exprs_cut++;
    else if (points_add(v, point, &why) < 0)
        tally_add(&v->d->reach.unlowered, lift_str_get(&why), 1);
    lift_str_fini(&why);
}

/* With every option of the decisions from 'from' on that explorations begin with. */
static void add_all(struct deriver *v, struct lift_point point, int from, int most)
{
    const struct lift_decision *d;

    while (from < lift_decision_count(v->rules) &&
           !lift_decision_get(v->rules, from)->all)
        from++;
    if (from == lift_decision_count(v->rules)) {
        add_counted(v, &point, most);
        return;
    }
    d = lift_decision_get(v->rules, from);
    for (int i = 0; i < d->option_count; i++)
        if (!d->options[i]->later && (d->options[i]->devices & device_of(v))) {
            point.option[from] = (uint8_t)i;
            add_all(v, point, from + 1, most);
        }
}

static bool fits(const struct deriver *v, const struct lift_point *point)
{
    struct lift_str why = {0};
    bool good = lift_point_fits(v->rules, point, device_of(v), v->p->relaxed, &why);

    lift_str_fini(&why);
    return good;
}

/* Of a user's own options, those that fit it. */
static void add_own(struct deriver *v, struct lift_point point, int most)
{
    for (int i = 0; i < lift_decision_count(v->rules); i++) {
        const struct lift_decision *d = lift_decision_get(v->rules, i);
        uint8_t was = point.option[i];

        for (int k = 0; k < d->option_count; k++) {
            const struct lift_option *o = d->options[k];

            point.option[i] = (uint8_t)k;
            if (o->rule && !o->rule->shipped && fits(v, &point))
                add_counted(v, &point, most);
        }
        point.option[i] = was;
    }
}

void points_add_families(struct deriver *v, int most)
{
    for (int own = 0; own < 2; own++)
        for (int i = 0; i < lift_family_count(v->rules); i++) {
            struct lift_point point;

            lift_family_point(lift_family_get(v->rules, i), &point);
            if (!fits(v, &point))
                continue;
            if (own)
                add_own(v, point, most);
            else
                add_all(v, point, 0, most);
        }
}

/* ---- neighbours */

void points_neighbours(const struct deriver *v, const struct lift_point *point,
                       points_visit *visit, void *user)
{
    for (int i = 0; i < lift_decision_count(v->rules); i++) {
        const struct lift_decision *d = lift_decision_get(v->rules, i);
        struct lift_point other = *point;

        for (int k = 0; k < d->option_count; k++) {
            other.option[i] = (uint8_t)k;
            if (k != point->option[i] && fits(v, &other))
                visit(user, &other);
        }
    }
}
