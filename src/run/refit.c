/* Adapts stored expressions and tunables to other sizes. Databases may be forged, so
 * stored texts of expressions are not read: each expression is derived again from the
 * program. */
#include "explore/derive.h"
#include "run/chosen.h"
#include "tuner/db_query.h"
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 1 << 20 }; /* of an expression */

/* ---- repeating the derivation */

struct replay {
    const struct chooser *c;
    lift_expr term;
    struct explore_conditions conditions;
    struct lift_str
        *changed; /* the first step with another result; NULL: such steps are errors */
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

/* After the first change, the hashes of all later terms differ. */
static bool take_change(struct replay *r, const struct lift_db_step *step)
{
    if (!r->changed)
        return refuse(r, step, "has another result now");
    if (!r->changed->len)
        say(r->changed, step, "has another result now");
    return true;
}

/* Skips a step that does not apply to a changed term. If the step was needed, later
 * checks reject the term. */
static bool pass_over(struct replay *r, const struct lift_db_step *step)
{
    return (r->changed && r->changed->len) || refuse(r, step, "no longer applies");
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

/* Reads "" or "choice 3". */
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
