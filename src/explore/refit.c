/* Stored expressions and tunables at sizes where they may not have been before. What a
 * database says may be forged: an expression is made anew from the program at hand, and
 * its stored text is not read. */
#include "explore/chosen.h"
#include "explore/derive.h"
#include "lift/bug.h"
#include "lift/db_query.h"
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 1 << 20 }; /* of an expression */

/* ---- the derivation again */

struct replay {
    const struct chooser *c;
    lift_expr term;
    struct explore_conditions conditions;
    struct lift_str
        *changed; /* the first step with another result; NULL: none may have */
    struct lift_str *why;
    bool failed;
};

static void say(struct lift_str *out, const struct lift_db_step *step, const char *what)
{
    lift_str_addf(out, "step %d of its derivation, '%s' at %s, %s", step->step,
                  step->rule, step->position, what);
}

static bool refuse(struct replay *r, const struct lift_db_step *step, const char *what)
{
    say(r->why, step, what);
    r->failed = true;
    return false;
}

/* From there on all terms are others. */
static bool take_change(struct replay *r, const struct lift_db_step *step)
{
    if (!r->changed)
        return refuse(r, step, "has another result by now");
    if (!r->changed->len)
        say(r->changed, step, "has another result by now");
    return true;
}

/* In a term that is another one a step may have nothing left to do. If it was needed,
 * there is no kernel of the term. */
static bool pass_over(struct replay *r, const struct lift_db_step *step)
{
    return (r->changed && r->changed->len) || refuse(r, step, "does not apply any more");
}

static void add_conditions(struct replay *r, const struct lift_rewrite *w)
{
    struct explore_conditions *all = &r->conditions;
    struct lift_side_condition *items =
        LIFT_NEW_ARRAY(lift_ir_arena(r->c->problem->ir), struct lift_side_condition,
                       all->count + w->condition_count + 1);

    for (int i = 0; i < all->count; i++)
        items[i] = all->items[i];
    for (int i = 0; i < w->condition_count; i++)
        items[all->count + i] = w->conditions[i];
    *all = (struct explore_conditions){items, all->count + w->condition_count};
}

/* "" or "choice 3". */
static bool read_choice(const char *args, int *choice)
{
    static const char word[] = "choice ";
    char *end;
    long number;

    *choice = 0;
    if (!*args)
        return true;
    if (strncmp(args, word, sizeof word - 1) != 0)
        return false;
    number = strtol(args + sizeof word - 1, &end, 10);
    *choice = (int)number;
    return !*end && number > 0 && number <= INT_MAX;
}

static bool replay_step(void *user, const struct lift_db_step *step)
{
    struct replay *r = user;
    const struct lift_rule *rule = lift_rules_find_recorded(r->c->rules, step->rule);
    struct lift_path at;
    struct lift_rewrite w;
    int choice;

    if (!rule)
        return refuse(r, step, "is by a rule that is not loaded");
    if (!derive_allows(r->c->problem, rule))
        return refuse(r, step, "changes values, which the program does not allow");
    if (!read_choice(step->args, &choice) || !lift_path_parse(step->position, &at) ||
        !lift_rewrite_at(r->c->problem->ir, rule, r->term, &at, choice, &w))
        return pass_over(r, step);
    if (w.term->size > MOST_NODES)
        return refuse(r, step, "gives an expression that is too large");
    if (!lift_hash_equal(w.term->hash, step->expr) && !take_change(r, step))
        return false;
    r->term = w.term;
    add_conditions(r, &w);
    return true;
}

lift_expr refit_derive(const struct chooser *c, struct lift_hash expr,
                       struct explore_conditions *conditions, struct lift_str *changed,
                       struct lift_str *why)
{
    struct replay r = {.c = c, .term = c->problem->root, .changed = changed, .why = why};

    if (!lift_db_derivation_from(c->db, &r.term->hash, expr, replay_step, &r)) {
        lift_str_add(why, lift_db_error(c->db));
        return NULL;
    }
    if (!r.failed && !lift_hash_equal(r.term->hash, expr) && !(changed && changed->len)) {
        lift_str_add(why, "no derivation leads to it from this program");
        r.failed = true;
    }
    *conditions = r.conditions;
    return r.failed ? NULL : r.term;
}

/* ---- the point */

/* A step away from a wish counts more than one from a value that nobody asked for. */
static const double asked = 1, not_asked = 0.125;

static double distance(int64_t a, int64_t b)
{
    return a > 0 && b > 0 ? fabs(log2((double)a / (double)b)) : fabs((double)(a - b));
}

static int closest(const struct lift_param *param, int64_t value)
{
    int best = 0;

    for (int i = 1; i < param->count; i++)
        if (distance(param->values[i], value) < distance(param->values[best], value))
            best = i;
    return best;
}

static struct lift_space_wish wish_for(const struct lift_param *param,
                                       const json_t *tunables)
{
    const json_t *value = json_object_get(tunables, param->name);

    if (json_is_integer(value))
        return (struct lift_space_wish){closest(param, json_integer_value(value)), asked};
    if (param->start > 0)
        return (struct lift_space_wish){closest(param, param->start), not_asked};
    return (struct lift_space_wish){0, not_asked};
}

bool refit_point(const struct explore_arm *arm, const char *tunables, int *point)
{
    struct lift_space_wish wishes[LIFT_SPACE_PARAMS];
    json_t *json;

    if (lift_space_parse(arm->space, tunables, point) &&
        lift_space_valid(arm->space, point))
        return true;
    json = json_loads(tunables, 0, NULL);
    for (int i = 0; i < lift_space_param_count(arm->space); i++)
        wishes[i] = wish_for(lift_space_param(arm->space, i), json);
    json_decref(json);
    return lift_space_nearest(arm->space, wishes, point);
}
